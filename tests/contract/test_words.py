"""Every atom, question and facet of every family has a name, a sentence and an example that a stranger understands."""

from __future__ import annotations

from itertools import islice

import pytest

from taskloom import UserError, open_suite
from taskloom.core.catalog import FAMILIES, lattice_of
from taskloom.core.sampled import SampledLattice

PROBED = [name for name in ("babi", "seti", "taskbench", "zest", "superni") if FAMILIES.get(name).probed]


def lacking(words):
    return [part for part in ("name", "sentence", "example") if not getattr(words, part).strip()]


def suites_of(family):
    """Every suite of a family that opens without files of a user's."""
    for name in FAMILIES.get(family).suites():
        try:
            yield open_suite(f"{family}/{name}")
        except UserError:
            continue


@pytest.mark.parametrize("family", PROBED)
def test_atoms_and_questions_of_every_suite_are_explained(family):
    found = FAMILIES.get(family)
    seen = set()
    for suite in suites_of(family):
        if isinstance(suite.recipe.get("source", "generated"), str) and suite.recipe.get("source") in ("sick", "json"):
            continue
        if family == "taskbench" and suite.name != f"taskbench/{found.probed}":
            continue  # a function is explained by its own definition: the atoms are those of the probed suite
        try:
            lattice = lattice_of(suite)
        except UserError:
            continue
        names = atoms_and_questions(suite, lattice, family) - seen
        seen |= names
        bare = {name: lacking(lattice.explain(name)) for name in sorted(names)}
        assert not {name: parts for name, parts in bare.items() if parts}, suite.name


def atoms_and_questions(suite, lattice, family):
    if isinstance(lattice, SampledLattice):
        rows = islice(suite.rows(suite.default_split()), 60)
        cells = {lattice.cell_of(suite.tasks[row.task], row.instance) for row in rows}
        return {name for cell in cells for name in (cell.question, *cell.atoms)}
    questions = sorted({cell.question for cell in lattice.cells if cell.question})
    if family == "taskbench":
        return set(questions[:: len(questions) // 12 + 1])
    return {*lattice.atoms, *questions}


@pytest.mark.parametrize("family", PROBED)
def test_facets_of_every_suite_are_explained(family):
    words = FAMILIES.get(family).glossary["facets"]
    for suite in suites_of(family):
        assert [facet for facet in suite.facets if facet not in words or lacking(words[facet])] == [], suite.name


def test_bound_atoms_are_explained_by_their_pieces():
    lattice = lattice_of(open_suite("babi/mix-t7"))
    row = next(row for row in islice(lattice.stream(next(c for c in lattice.cells if "coref" in c.atoms), 0), 20))
    for atom in lattice.bound(row).atoms:
        assert not lacking(lattice.explain(atom)), atom
    assert lattice.explain("coref(grab)").name == "a pronoun (somebody takes something)"


def test_bound_atoms_of_seti_are_explained_at_every_place_of_an_exchange():
    seen = set()
    for name in ("seti/task1-trivial", "seti/task2-trivial", "seti/task3-trivial"):
        suite = open_suite(name)
        lattice = lattice_of(suite)
        for row in islice(suite.rows(suite.default_split()), 600):
            bound = lattice.bound(row)
            seen |= set(bound.atoms if bound else ())
    assert any("adjective" in atom for atom in seen)
    assert not [atom for atom in seen if lacking(lattice.explain(atom))]
