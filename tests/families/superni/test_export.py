"""Suites of every family as task files, and back."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from taskloom.core import (
    AnyOf,
    Boolean,
    Example,
    Instance,
    Instruction,
    Items,
    Product,
    Row,
    Structure,
    Suite,
    Task,
    UserError,
    open_suite,
)
from taskloom.families.superni.collection import Collection
from taskloom.families.superni.export import read_suite, write_suite
from taskloom.families.superni.lint import lint_path

SMALL: dict[str, dict[str, Any]] = {
    "superni/embedded": {"instances": 2, "dev_instances": 1, "families": False},
    "babi/task-8": {"train": 12, "dev": 3, "test": 5},
    "seti/task1-nontrivial": {},
    "zest/fictional": {"train": 8, "dev": 1, "test": 2},
    "taskbench/map{antonyms[eng]}": {"train": 8, "dev": 2, "test": 4},
}


@pytest.mark.parametrize("name", SMALL)
def test_every_family_comes_back_the_same(name: str, tmp_path: Path) -> None:
    suite = open_suite(name, seed=5, options=SMALL[name])
    files = write_suite(suite, tmp_path / "out")
    again = read_suite(tmp_path / "out")
    assert list(again.tasks.items()) == list(suite.tasks.items())
    assert list(again.splits) == list(suite.splits)
    for split in suite.splits:
        assert list(again.rows(split)) == list(suite.rows(split))
    assert dict(again.facets) == dict(suite.facets)
    assert len(Collection(tmp_path / "out")) == len(files) == len(suite.tasks)
    assert not [finding for finding in lint_path(tmp_path / "out") if finding.code in ("schema", "json", "type")]


def odd_suite() -> Suite:
    instruction = Instruction(" Odd. ", (Example("a", "b"), Example("c", "", "")), (Example("d", "e", "why"),))
    kinds = {
        "any": AnyOf(("x", "x", " y\u2028")),
        "bool": Boolean(False, ("wahr", "falsch")),
        "items": Items((("p", "q"), ()), ordered=True),
        "product": Product((("a", "b"), ("c d",)), separator=" | "),
        "json": Structure(('{"a": [1, null]}',)),
    }
    tasks = {f"task of {kind}/[{kind}]": Task(f"task of {kind}/[{kind}]", instruction, labels=("x",)) for kind in kinds}
    tasks |= {name.upper(): Task(name.upper(), instruction, version="2") for name in tasks}

    def draw(split: str) -> Iterator[Row]:
        # Tasks take turns, so that the order of rows is not the order of files.
        for number in range(3):
            for name, targets in zip(tasks, [*kinds.values()] * 2, strict=True):
                facets = {"n": number, "w": ("a", "b"), "f": 0.5, "t": True, "s": "ü"}
                details = {"deep": [{"x": None}]}
                yield Row(
                    name, Instance(f"{split}{number}", f"{split} {number}\x00", targets, facets, {"q": "1"}, details)
                )

    facets = {"n": int, "w": tuple[str, ...], "f": float, "t": bool, "s": str}
    return Suite("odd/suite", {"k": 1}, 3, tasks, {"train": None, "few": 30, "test": 30}, draw, facets, "pairs", "few")


def test_odd_targets_names_and_orders_survive(tmp_path: Path) -> None:
    suite = odd_suite()
    write_suite(suite, tmp_path)
    again = read_suite(tmp_path)
    assert dict(again.tasks) == dict(suite.tasks)
    assert again.pool == "few"
    assert {split: list(again.rows(split)) for split in suite.splits} == {
        split: list(suite.rows(split)) for split in suite.splits
    }
    assert open_suite("superni/files", options={"path": str(tmp_path)}).name == "odd/suite"


def test_written_files_keep_to_the_published_schema(tmp_path: Path) -> None:
    suite = open_suite("superni/embedded", options={"instances": 3, "dev_instances": 0, "families": False})
    files = write_suite(suite, tmp_path)
    test = (tmp_path / "splits/default/test_tasks.txt").read_text().split()
    train = (tmp_path / "splits/default/train_tasks.txt").read_text().split()
    assert sorted([*test, *train]) == sorted(files.values())
    data = json.loads((tmp_path / "tasks" / f"{files['reverse_letters']}.json").read_text("utf-8"))
    assert list(data) == [
        "Contributors", "Source", "URL", "Categories", "Reasoning", "Definition", "Input_language", "Output_language",
        "Instruction_language", "Domains", "Positive Examples", "Negative Examples", "Instances", "Instance License",
    ]  # fmt: skip
    assert all(set(instance) == {"id", "input", "output"} for instance in data["Instances"])


def test_bad_folders_are_refused(tmp_path: Path) -> None:
    suite = odd_suite()
    (tmp_path / "full").mkdir()
    (tmp_path / "full/file").write_text("")
    with pytest.raises(UserError, match="not empty"):
        write_suite(suite, tmp_path / "full")
    with pytest.raises(UserError, match=r"suite\.json"):
        read_suite(tmp_path)
    files = write_suite(suite, tmp_path / "cut")
    path = tmp_path / "cut/tasks" / f"{next(iter(files.values()))}.json"
    data = json.loads(path.read_text("utf-8"))
    data["Instances"].pop()
    path.write_text(json.dumps(data), "utf-8")
    with pytest.raises(UserError, match="8 instances, 9 expected"):
        read_suite(tmp_path / "cut")


def test_a_split_writes_the_tasks_that_it_asks(tmp_path: Path) -> None:
    suite = open_suite("zest/fictional")
    asked = {row.task for row in suite.rows("dev", limit=5)}
    files = write_suite(suite, tmp_path, splits=["dev"], limit=5)
    assert set(files) == asked
    assert {file.stem for file in (tmp_path / "tasks").glob("*.json")} == set(files.values())
    assert [row.instance.input for row in read_suite(tmp_path).rows("dev")] == [
        row.instance.input for row in suite.rows("dev", limit=5)
    ]
