"""Work out what the first look at every named suite needs, and write it to the primer.

    python scripts/build_primer.py          # some minutes: all lists of TaskBench are judged

Run it whenever `tests/store/test_primer.py` says that the primer is not what the code works out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from taskloom.core import open_suite
from taskloom.core.rng import Key
from taskloom.families.taskbench import task_cache
from taskloom.families.taskbench.family import FAMILY
from taskloom.sources.knowledge.world import ledger
from taskloom.sources.knowledge.world.draft import WorldSettings
from taskloom.store.derived import PRIMER, not_shipped, write_primer

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

    real, task_cache.shipped = task_cache.shipped, note
    try:
        yield found
    finally:
        task_cache.shipped = real


def values(name: str, *, listed: bool = True) -> dict[tuple[Key, ...], Any]:
    """What the first look at a suite needs, worked out; without the list of its tasks unless `listed`."""
    with not_shipped():
        look(name, listed=listed)  # leaves all of it in the cache
        with _asked() as asked:
            look(name, listed=listed)
        cache = task_cache.cache()
        found = {key: cache.get(type_, *key[1:]) for key, type_ in asked.items() if listed or key[1] != "outcomes"}
    missing = [key for key, value in found.items() if value is None]
    assert not missing, f"{name}: {missing} cannot be cached"
    return found


def world() -> dict[tuple[Key, ...], Any]:
    """The ledger of the usual world."""
    settings = WorldSettings(seed=SEED)
    return {ledger.ledger_key(settings): ledger.make_ledger(settings)}


def main() -> None:
    found = world()
    for name in suites():
        found |= values(name)
        print(f"{name}: {len(found)} entries so far")
    write_primer(PRIMER, found)
    print(f"{PRIMER}: {PRIMER.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
