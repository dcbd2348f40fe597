"""Every atom, question and facet of every family has a name, a sentence and an example that a stranger understands."""

from __future__ import annotations

from itertools import islice

import pytest

from taskloom import UserError, open_suite
from taskloom.core.catalog import FAMILIES, lattice_of

PROBED = [name for name in ("babi", "seti", "taskbench", "zest", "superni") if FAMILIES.get(name).probed]


def lacking(words):
    return [part for part in ("name", "sentence", "example") if not getattr(words, part).strip()]


@pytest.mark.parametrize("family", PROBED)
def test_atoms_and_questions_are_explained(family):
    found = FAMILIES.get(family)
    names = [f"{family}/{found.probed}"]
    if family == "seti":
        names = [
            f"{family}/{name}" for name in ("task1-trivial", "quantifiers", "negation", "productivity", "task2-trivial")
        ]
    for name in names:
        try:
            lattice = lattice_of(open_suite(name))
        except UserError:
            continue
        bare = {atom: lacking(lattice.explain(atom)) for atom in lattice.atoms if family != "taskbench"}
        questions = sorted({cell.question for cell in lattice.cells if cell.question})
        # A function is explained by its own definition, so a few will do for all.
        bare |= {question: lacking(lattice.explain(question)) for question in questions[:: len(questions) // 12 + 1]}
        assert not {name: parts for name, parts in bare.items() if parts}


@pytest.mark.parametrize("family", PROBED)
def test_facets_are_explained(family):
    found = FAMILIES.get(family)
    words = found.glossary["facets"]
    for name in list(found.suites())[:6]:
        try:
            facets = open_suite(f"{family}/{name}").facets
        except UserError:
            continue
        assert [facet for facet in facets if facet not in words or lacking(words[facet])] == [], name


def test_bound_atoms_are_explained_by_their_pieces():
    lattice = lattice_of(open_suite("babi/mix-t7"))
    row = next(row for row in islice(lattice.stream(next(c for c in lattice.cells if "coref" in c.atoms), 0), 20))
    for atom in lattice.bound(row).atoms:
        assert not lacking(lattice.explain(atom)), atom
    assert lattice.explain("coref(grab)").name == "a pronoun (somebody takes something)"
