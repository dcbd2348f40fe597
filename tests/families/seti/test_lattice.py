"""The lattice: every split lies in its cells, parts are primitives, and streams are fresh."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import islice

import pytest

from families.seti.judge import judge
from taskloom.core import Cell, UserError, open_suite
from taskloom.core.catalog import FAMILIES

FAMILY = FAMILIES.get("seti")
SUITES = [name for name in FAMILY.suites() if not name.endswith("-id") or name == "task2-nontrivial-id"]


def opened(name, **options):
    suite = open_suite(f"seti/{name}", seed=3, options=options)
    return suite, FAMILY.lattice(suite)


@cache
def looked_through(name):
    """A suite and its lattice, the cells of every split, and the inner sentences of all premises: drawn once."""
    suite, lattice = opened(name, **({"train": 5000, "test": 5000} if name == "productivity" else {}))
    cells, inner = defaultdict(set), set()
    for split in suite.splits:
        for task, instance in suite.rows(split):
            cells[split].add(lattice.cell_of(suite.tasks[task], instance))
            inner.add(instance.parts["premise"].split(" that ")[-1].lower())
    return suite, lattice, cells, inner


@pytest.mark.parametrize("name", SUITES)
def test_the_cells_are_those_of_the_splits(name):
    _, lattice, cells, _ = looked_through(name)
    assert set().union(*cells.values()) == set(lattice.cells)
    if not name.endswith("-id"):
        assert not cells["test"] & (cells["train"] | cells["dev"]), "what is tested is novel"


def test_the_parts_of_a_composition_are_its_primitives():
    _, lattice = opened("task1-trivial")
    cell = Cell("", ("lexical/hypernym", "veridical-verb"))
    assert {part.atoms for part in lattice.parts(cell)} == {("lexical/hypernym",), ("veridical-verb",)}
    assert not lattice.parts(Cell("", ("veridical-verb",)))


@pytest.mark.parametrize("name", SUITES)
def test_streams_are_exactly_of_their_cell_and_meet_no_split(name):
    suite, lattice, _, inner = looked_through(name)
    for cell in lattice.cells[:: max(1, len(lattice.cells) // 5)]:
        rows = list(islice(lattice.stream(cell, 5), 12))
        assert len({row.instance.input for row in rows}) == 12
        for _, instance in rows:
            assert lattice.cell_of(suite.tasks[suite.name.partition("/")[2]], instance) == cell
            premise, hypothesis = instance.parts.values()
            assert premise.split(" that ")[-1].lower() not in inner
            assert judge(premise, hypothesis) is (instance.facets["label"] == "entailment")
        again = list(islice(lattice.stream(cell, 5), 12))
        assert again == rows
        assert list(islice(lattice.stream(cell, 6), 12)) != rows


def test_a_size_fixes_the_depth():
    _, lattice = opened("productivity")
    cell = Cell("", ("lexical/hypernym", "veridical-verb"))
    assert {row.instance.facets["depth"] for row in islice(lattice.stream(cell, 1, size=4), 20)} == {4}
    deep = Cell("", ("depth/3", "lexical/hypernym", "non-veridical-verb"))
    assert {row.instance.facets["depth"] for row in islice(lattice.stream(deep, 1), 20)} == {3}
    with pytest.raises(UserError, match="fixes depth 3"):
        next(lattice.stream(deep, 1, size=2))


@pytest.mark.parametrize(
    ("atoms", "message"),
    [
        (("negated-verb",), "no inference is made of"),
        (("non-veridical-verb", "veridical-verb"), "no inference is made of"),
        (("lexical/nearness",), "no pair of lexical/nearness"),
        (("quantifier/most/hypernym",), "no pair of quantifier/most/hypernym"),
        (("lexical/hypernym/synonym",), "no pair of lexical/hypernym/synonym"),
        (("negation/is-not",), "no pair of negation/is-not"),
        ((), "no inference is made of"),
    ],
)
def test_impossible_cells_are_refused(atoms, message):
    _, lattice = opened("task1-trivial")
    with pytest.raises(UserError, match=message):
        next(lattice.stream(Cell("", atoms), 0))


def test_a_stream_that_has_shown_everything_says_how_much_that_was():
    _, lattice = opened("negation")
    cell = Cell("", ("negation/is-not/synonym",))
    with pytest.raises(UserError, match=r"has [\d,]+ different items of this cell"):
        for _ in lattice.stream(cell, 0):
            pass


def test_files_have_no_lattice(tmp_path):
    from taskloom.families.seti.published import write_records

    suite = open_suite("seti/task2-nontrivial", options={"lexical": 20, "structural": 20, "few": 0})
    for split in suite.splits:
        write_records(suite.rows(split), tmp_path / f"{split}.json")
    own = open_suite("seti/task2-nontrivial", options={"source": "json", "path": str(tmp_path)})
    with pytest.raises(UserError, match="from files"):
        FAMILY.lattice(own)
