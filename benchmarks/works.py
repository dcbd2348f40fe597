"""The pieces of work in the table of `python -m benchmarks.table`: ours, and what Python or Arrow could do at best.

python -m benchmarks.works NAME ours|limit SIZE     does one of them, and prints its amount and CPU seconds
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks import store
from benchmarks.measure import report, timed
from taskloom.core import Instance, Row, Suite, open_suite

__all__ = ["SIZED", "WORKS", "Work"]

Measure = Callable[[int], tuple[float, ...]]


_ALL = 1_000_000


class Work(NamedTuple):
    """A piece of work.

    Attributes:
        unit: What is counted.
        ours: Size -> (amount, CPU seconds), and the characters of new text where there are any.
        limit: The same amount with everything left out that could be; None where nothing smaller does the work.
        bound: What the limit is.
        most: The largest size that is there.
    """

    unit: str
    ours: Measure
    limit: Measure | None = None
    bound: str = ""
    most: int = _ALL


# ------------------------------------------------------------------------------------- generation

SIZED: dict[str, Callable[[int], dict[str, Any]]] = {
    "babi/task-1": lambda size: {"train": size},
    "babi/mix-t12": lambda size: {"test": size},
    "seti/task1-trivial": lambda size: {"lexical": -(-size // 30), "few": 0},
    "taskbench/atomic": lambda size: {"train": -(-size // 74)},
    "zest/fictional": lambda size: {},
    "superni/embedded": lambda size: {"instances": -(-size // 100)},
}
_MOST = {"zest/fictional": 10_000}


def _rows(suite: Suite, size: int) -> Iterator[Row]:
    """Rows of the largest split first."""
    order = sorted(suite.splits, key=lambda split: -(suite.splits[split] or 0))
    return islice(chain.from_iterable(suite.rows(split) for split in order), size)


def _generate(name: str, size: int) -> tuple[float, float, float]:
    """Rows, and the characters that are new in each: input and answer, without the instruction that rows share."""
    suite = open_suite(name, seed=1, options=SIZED[name](max(size, 1_000)))
    sum(1 for _ in _rows(suite, size if name == "taskbench/atomic" else 200))  # what is worked out once in a process
    rows, seconds = timed(lambda: float(sum(1 for _ in _rows(suite, size))), 3 if size <= 10_000 else 1)
    return rows, seconds, float(sum(len(one.input) + len(one.targets.canonical()) for _, one in _rows(suite, size)))


def _join(name: str, size: int) -> tuple[float, float]:
    """The same inputs from their words, and an object for each."""
    suite = open_suite(name, seed=1, options=SIZED[name](max(size, 1_000)))
    rows = [(instance, instance.input.split(" ")) for _, instance in _rows(suite, size)]

    def join() -> float:
        made = [
            Instance(one.id, " ".join(words), one.targets, dict(one.facets), dict(one.parts), dict(one.details))
            for one, words in rows
        ]
        return float(len(made))

    return timed(join, 5)


# ------------------------------------------------------------------------------------------- runs


def _run(size: int) -> tuple[float, float]:
    from taskloom.run.runner import run_suite

    suite = open_suite("seti/task1-trivial", seed=1, options=SIZED["seti/task1-trivial"](max(size, 1_000)))
    with tempfile.TemporaryDirectory() as folder:
        run_suite(suite, model="mock/oracle", folder=Path(folder, "warm"), limit=20)
        _, drawing = timed(lambda: float(sum(1 for _ in islice(suite.rows("test"), size))))

        def run() -> float:
            run_suite(suite, model="mock/oracle", folder=Path(folder, "run"), split="test", limit=size)
            return float(size)

        amount, seconds = timed(run)
    return amount, seconds - drawing


def _log(size: int) -> tuple[float, float]:
    """The records of the same run as lines of JSON in a file."""
    import msgspec

    from taskloom.run.log import read_records
    from taskloom.run.runner import run_suite

    suite = open_suite("seti/task1-trivial", seed=1, options=SIZED["seti/task1-trivial"](max(size, 1_000)))
    with tempfile.TemporaryDirectory() as folder:
        run_suite(suite, model="mock/oracle", folder=folder, split="test", limit=size)
        records = [msgspec.to_builtins(record) for record in read_records(folder)]

        def write() -> float:
            with Path(folder, "copy.jsonl").open("wb") as file:
                for record in records:
                    file.write(msgspec.json.encode(record) + b"\n")
            return float(size)

        return timed(write, 3)


def _rouge(size: int) -> tuple[float, float]:
    from benchmarks.texts import drawn
    from taskloom.score.rouge import ROUGE_L

    pairs = drawn(size)
    ROUGE_L.forget()
    return timed(lambda: float(sum(1 for text, refs in pairs if ROUGE_L.best(text, refs) >= 0)))


WORKS: dict[str, Work] = {
    **{
        f"generate {name}": Work(
            "rows",
            partial(_generate, name),
            partial(_join, name),
            "joining its words",
            _MOST.get(name, 1_000_000),
        )
        for name in SIZED
    },
    "write a bundle": Work("rows", store.write_rows, store.arrow_rows, "Arrow from dicts"),
    "read a bundle": Work("rows", store.read_rows, store.plain_rows, "Arrow to dicts"),
    "run, oracle": Work("records", _run, _log, "JSON lines", 100_000),
    "score ROUGE-L": Work("texts", _rouge, most=10_000),
}


def main() -> None:
    name, role, size = sys.argv[1:]
    work = WORKS[name]
    measure = work.limit if role == "limit" else work.ours
    if measure is None:
        raise SystemExit(f"{name} has no limit")
    report(*measure(int(size)))


if __name__ == "__main__":
    main()
