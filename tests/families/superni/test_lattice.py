"""The lattice of skills: what tasks ask for, which of them are parts of others, and fresh items of each."""

from __future__ import annotations

import json
from itertools import islice
from pathlib import Path

import pytest

from taskloom.author.shares import SkillLattice
from taskloom.core import Cell, Suite, UserError, open_suite
from taskloom.core.catalog import FAMILIES
from taskloom.families.superni.embedded.suite import blueprints


@pytest.fixture(scope="module")
def suite() -> Suite:
    return open_suite("superni/embedded", seed=3)


@pytest.fixture(scope="module")
def lattice(suite: Suite) -> SkillLattice:
    found = FAMILIES.get("superni").lattice(suite)
    assert isinstance(found, SkillLattice)
    return found


def test_every_task_declares_its_skills() -> None:
    assert all(blueprint.facets["skills"] for blueprint in blueprints().values())


def test_a_task_lies_above_those_that_ask_for_less(lattice: SkillLattice) -> None:
    palindrome = Cell("", ("compare", "letters", "reverse"))
    assert {str(part) for part in lattice.parts(palindrome)} == {"compare+letters", "letters+reverse"}
    assert sum(bool(lattice.parts(cell)) for cell in lattice.cells) >= 60


def test_instructions_in_spanish_are_one_skill_more(suite: Suite, lattice: SkillLattice) -> None:
    row = next(row for row in suite.rows("train") if row.task == "quitar_vocales")
    assert lattice.cell_of(suite.tasks[row.task], row.instance) == Cell("", ("filter", "letters", "spanish"))


def test_streams_are_fresh_and_repeatable(suite: Suite, lattice: SkillLattice) -> None:
    asked = {(row.task, row.instance.input) for split in suite.splits for row in suite.rows(split)}
    for cell in lattice.cells[::6]:
        rows = list(islice(lattice.stream(cell, 5), 6))
        assert rows == list(islice(lattice.stream(cell, 5), 6))
        assert not asked & {(row.task, row.instance.input) for row in rows}
        assert {lattice.cell_of(suite.tasks[row.task], row.instance) for row in rows} == {cell}


def test_what_no_task_asks_for_is_refused(lattice: SkillLattice) -> None:
    with pytest.raises(UserError, match="no task of superni/embedded makes items that need exactly dates\\+voice"):
        next(lattice.stream(Cell("", ("dates", "voice")), 0))


def test_a_collection_without_skills_says_so(tmp_path: Path) -> None:
    example = {"input": "a", "output": "b", "explanation": "c"}
    task = {
        "Definition": ["Write the letter that follows."],
        "Positive Examples": [example],
        "Negative Examples": [example],
        "Instances": [{"id": "task1-1", "input": "c", "output": ["d"]}],
        "Categories": ["Program Execution"],
    }
    (tmp_path / "task001_next.json").write_text(json.dumps(task))
    files = open_suite("superni/files", options={"path": str(tmp_path)})
    with pytest.raises(UserError, match="names skills, so there are no combinations"):
        FAMILIES.get("superni").lattice(files)
