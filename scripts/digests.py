"""The digest table: what every named suite holds at its default recipe, so that a change of bytes is always seen.

    python scripts/digests.py            compare with the table; exit 1 where a suite differs
    python scripts/digests.py --write    write the table anew (with a raised version and a line in CHANGELOG.md)
    python scripts/digests.py babi/mix-t12 seti/task1-trivial --full    every row of some suites

A digest covers the tasks, the first rows of every split and the first rows of blocks spread over it: cheap enough for
the tests, and no generator changes its bytes in some rows only. Suites that need files of the user's are left out.
"""

from __future__ import annotations

import argparse
import json
import sys
from hashlib import blake2b
from pathlib import Path

from taskloom.core import Blocks, Suite, UserError, open_suite, row_hash, tasks_hash
from taskloom.core.catalog import FAMILIES
from taskloom.store.derived import not_shipped

TABLE = Path(__file__).resolve().parent.parent / "tests" / "digests.json"
FIRST, SPREAD = 20, 4
SEED = 7
MANY_TASKS = 40
"""Suites of more tasks than this are looked at task by task in their first rows only."""


NEEDS_FILES = {"zest/file", "zest/multitask", "zest/documents", "zest/squad"}
"""Suites of files that a user brings; those of superni are all but the embedded one."""


def names() -> list[str]:
    """Every named suite that can be opened without files of the user's or fetched packages."""
    # Plug-ins and data sets of other packages answer for their own bytes.
    ours = [family for family in FAMILIES if FAMILIES.origin(family) == "taskloom" and family != "reasoning-gym"]
    found = [f"{family}/{suite}" for family in ours for suite in FAMILIES.get(family).suites()]
    return [name for name in found if name not in NEEDS_FILES and (name[:8] != "superni/" or name[8:] == "embedded")]


def digest(suite: Suite, *, full: bool = False) -> str:
    """A digest of tasks and rows."""
    state = blake2b(digest_size=16)
    for split in suite.splits:
        rows = suite.draw(split)
        state.update(split.encode())
        chosen = iter(rows) if full else iter(suite[split][:FIRST])
        for row in chosen:
            state.update(row_hash(row.task, row.instance).encode())
        if not full and isinstance(rows, Blocks) and suite.splits[split] is not None:
            numbers = list(rows.numbers())
            # The first row of a block costs no more than any other; rows inside it may need their neighbours.
            for number in numbers[1 :: max(1, len(numbers) // SPREAD)]:
                row = next(rows.rows(number))
                state.update(row_hash(row.task, row.instance).encode())
    if full or _few(suite):
        state.update(tasks_hash(suite.tasks).encode())
    return state.hexdigest()


def _few(suite: Suite) -> bool:
    """Whether the tasks can be made in a moment; where they are made one by one, their rows speak for them."""
    return isinstance(suite.tasks, dict) and len(suite.tasks) <= MANY_TASKS


def main(words: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("suites", nargs="*")
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--full", action="store_true")
    args = parser.parse_args(words)
    known: dict[str, str] = json.loads(TABLE.read_text()) if TABLE.exists() else {}
    found: dict[str, str] = {}
    for name in args.suites or names():
        try:
            with not_shipped():
                found[name] = digest(open_suite(name, seed=SEED), full=args.full)
        except UserError as error:
            print(f"{name}: left out: {error}", file=sys.stderr)
            continue
        if args.full:
            print(f"{name} {found[name]}")
    if args.full:
        return 0
    if args.write:
        kept = known if args.suites else {}
        TABLE.write_text(json.dumps(dict(sorted({**kept, **found}.items())), indent=1) + "\n")
        print(f"{len(found)} digests written")
        return 0
    wrong = [name for name, value in found.items() if known.get(name) != value]
    for name in wrong:
        print(f"{name}: {known.get(name, 'not in the table')} became {found[name]}")
    gone = [] if args.suites else sorted(set(known) - set(found))
    for name in gone:
        print(f"{name}: in the table, but not here")
    print(f"{len(found) - len(wrong)} of {len(found)} suites hold what the table says")
    return 1 if wrong or gone else 0


if __name__ == "__main__":
    sys.exit(main())
