"""Every host in an environment of its own, without a network: `python -m benchmarks.hosts [HOST …]`.

Each environment lies in `.hosts/` and is made once. The tests of a host are those of `tests/hosts/live`.
"""

from __future__ import annotations

import os
import subprocess
import sys
import time
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOSTS = ("datasets", "trl", "inspect", "lm-eval", "verifiers", "reasoning-gym")
PACKAGES = {"inspect": "inspect-ai"}
"""Hosts whose package has another name."""
TORCH = ("trl", "lm-eval")
TESTING = ("pytest>=8", "pytest-timeout", "hypothesis>=6.100")


def installed(host: str) -> bool:
    """Whether a host's environment was made."""
    return (ROOT / ".hosts" / host / ".installed").exists()


def python_of(host: str) -> Path:
    """The interpreter of a host's environment, which is made first where it is missing."""
    folder = ROOT / ".hosts" / host
    python, stamp = folder / "bin" / "python", folder / ".installed"
    if installed(host):
        return python
    print(f"setting up {folder} ...", flush=True)
    venv.create(folder, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "-c", str(ROOT / "constraints-hosts.txt")]
    if host in TORCH:
        # First and pinned: whatever needs it later must not choose another build.
        subprocess.run([*pip, "torch"], check=True)
    # A package that is only measured against has no extra of ours.
    wanted = [*TESTING, "-e", f"{ROOT}[{host}]"] if host in HOSTS else [host]
    subprocess.run([*pip, *wanted], check=True)
    stamp.touch()
    return python


def main() -> int:
    chosen = sys.argv[1:] or list(HOSTS)
    offline = {"HF_HUB_OFFLINE": "1", "HF_DATASETS_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1", "OMP_NUM_THREADS": "1"}
    results = []
    for host in chosen:
        python = python_of(host)
        package = PACKAGES.get(host, host)
        shown = subprocess.run([str(python), "-m", "pip", "show", package], capture_output=True, text=True, check=False)
        version = next((line.split()[-1] for line in shown.stdout.splitlines() if line.startswith("Version")), "")
        file = ROOT / "tests" / "hosts" / "live" / f"test_{host.replace('-', '_')}.py"
        started = time.monotonic()
        done = subprocess.run(
            [str(python), "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)],
            cwd=ROOT, env={**os.environ, **offline, "TASKLOOM_HOST": host}, check=False,
        )  # fmt: skip
        state = "passed" if done.returncode == 0 else "FAILED"
        results.append((host, version, state, time.monotonic() - started))
    print("\n| host | version | result | seconds |\n| --- | --- | --- | --- |")
    for host, version, state, seconds in results:
        print(f"| {host} | {version} | {state} | {seconds:.0f} |")
    return int(any(state == "FAILED" for _, _, state, _ in results))


if __name__ == "__main__":
    sys.exit(main())
