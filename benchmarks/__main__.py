"""The table of speed and scale, or the named benchmarks: `python -m benchmarks [NAME …]`."""

from __future__ import annotations

import pkgutil
import sys
from importlib import import_module
from pathlib import Path


def main() -> int:
    known = [module.name for module in pkgutil.iter_modules([str(Path(__file__).parent)]) if module.name[0] != "_"]
    wanted = sys.argv[1:] or ["table"]
    for name in wanted:
        if name not in known:
            print(f"unknown benchmark {name!r}; known: {', '.join(known)}", file=sys.stderr)
            return 2
        print(f"\n== {name}", flush=True)
        import_module(f"benchmarks.{name}").main()
    return 0


if __name__ == "__main__":
    sys.exit(main())
