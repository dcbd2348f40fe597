"""Work out what the first look at every named suite needs, and write it to the primer.

    python scripts/build_primer.py                   # some minutes: all lists of TaskBench are judged
    python scripts/build_primer.py depth-2 random    # these lists alone; the others are taken over
    python scripts/build_primer.py --restamp         # only what is quick to work out is compared

Run it whenever `tests/store/test_primer.py` says that the primer is not what the code works out. A primer carries a
hash of the code that made it and is not used by any other. After a change of code that changes no value, `--restamp`
proves so on the world, on short lists and on first rows, and writes the new hash.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import msgspec

from taskloom.core import open_suite
from taskloom.core.rng import Key
from taskloom.families.taskbench import functions
from taskloom.families.taskbench.family import FAMILY
from taskloom.sources.knowledge.world import ledger
from taskloom.sources.knowledge.world.draft import WorldSettings
from taskloom.store.derived import PRIMER, Packed, made_by, not_shipped, write_packed

SEED = 0


def suites() -> list[str]:
    """The suites whose first look would take long without a primer."""
    return [f"taskbench/{name}" for name in FAMILY.suites()]


def look(name: str, *, listed: bool = True) -> None:
    """Whatever `taskloom show` and, if `listed`, `taskloom list tasks` ask of a suite."""
    suite = open_suite(name, seed=SEED)
    if listed:
        list(suite.tasks)
    for split in suite.splits:
        for row in suite.rows(split, limit=3):
            assert suite.tasks[row.task].instruction.definition


@contextmanager
def _asked() -> Iterator[dict[tuple[Key, ...], Any]]:
    """The keys that are asked for, with the types of their values."""
    found: dict[tuple[Key, ...], Any] = {}

    def note(type_: Any, *key: Key) -> None:
        found[key] = type_

    real, functions.shipped = functions.shipped, note
    try:
        yield found
    finally:
        functions.shipped = real


def values(name: str, *, listed: bool = True) -> dict[tuple[Key, ...], Any]:
    """What the first look at a suite needs, worked out; without the list of its tasks unless `listed`."""
    with not_shipped():
        look(name, listed=listed)  # leaves all of it in the cache
        with _asked() as asked:
            look(name, listed=listed)
        cache = functions.cache()
        found = {key: cache.get(type_, *key[1:]) for key, type_ in asked.items() if listed or key[1] != "outcomes"}
    missing = [key for key, value in found.items() if value is None]
    assert not missing, f"{name}: {missing} cannot be cached"
    return found


def world() -> dict[tuple[Key, ...], Any]:
    """The ledger of the usual world."""
    settings = WorldSettings(seed=SEED)
    return {ledger.ledger_key(settings): ledger.make_ledger(settings)}


SHORT = ("intersection", "land", "lor", "filter")
"""Lists that are judged in a moment."""


def restamp() -> None:
    """Give the primer the hash of this code.

    Raises:
        SystemExit: Something that is quick to work out is not what the primer holds.
    """
    primer = Packed(PRIMER)
    found = world()
    for name in SHORT:
        found |= values(f"taskbench/{name}")
    for name in suites():
        found |= values(name, listed=False)
    changed = [key for key, value in found.items() if primer.body(*key) != msgspec.msgpack.encode(value)]
    if changed:
        raise SystemExit(f"{len(changed)} of {len(found)} values have changed; run it without --restamp")
    write_packed(PRIMER, made_by(), {}, primer.entries())
    print(f"{PRIMER}: {len(found)} values are what the code works out")


def main() -> None:
    chosen = sys.argv[1:]
    if chosen == ["--restamp"]:
        restamp()
        return
    found = {} if chosen else world()
    for name in [f"taskbench/{name}" for name in chosen] or suites():
        found |= values(name, listed=False) | values(name)  # a look before the list is judged needs functions instead
        print(f"{name}: {len(found)} entries so far")
    write_packed(PRIMER, made_by(), found, Packed(PRIMER).entries() if chosen else None)
    print(f"{PRIMER}: {PRIMER.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
