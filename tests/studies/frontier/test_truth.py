"""Planted truth on a real lattice with real items: the small version of `python -m benchmarks.frontier`."""

from __future__ import annotations

from itertools import cycle

import pytest
from benchmarks.frontier import BareLattice, KeptLattice, outcome_of, probe_planted
from benchmarks.frontier_minilm import PLANTED, WORLD, agreement, mislabelled
from benchmarks.frontier_models import plant

from taskloom import open_suite
from taskloom.core.catalog import lattice_of
from taskloom.core.cells import Cell
from taskloom.studies.frontier.probe import Probe
from taskloom.studies.frontier.run import frontier_of
from taskloom.studies.frontier.search import CellOrder, Search, SearchSettings

SMALL = {
    "length": [20, 20],
    "support": [1, 6],
    "events": ["move", "grab", "drop"],
    "constructs": ["coref", "conj"],
    "questions": ["where-person", "where-object"],
}


@pytest.fixture(scope="module")
def small():
    return KeptLattice(lattice_of(open_suite("babi/custom", options=SMALL)))


@pytest.fixture(scope="module", autouse=True)
def quiet():
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TASKLOOM_PROGRESS", "off")
        yield


@pytest.mark.parametrize("kind", ["compositional", "1 pattern, one question", "non-monotone"])
def test_what_was_planted_is_found_with_real_items(small, kind):
    order = CellOrder.of(small)
    model = plant(kind, order, 0)
    found = outcome_of(probe_planted(small, model, 0, ("quick", "exact")).search, model)
    assert found.found == found.must
    assert found.wrong == 0
    assert found.covered


def test_a_large_lattice_is_searched_within_the_budget_of_the_prototype():
    lattice = BareLattice(lattice_of(open_suite("babi/mix-t7")))
    order = CellOrder.of(lattice)
    model = plant("3 patterns", order, 0)
    found = outcome_of(probe_planted(lattice, model, 0, ("quick", "exact")).search, model)
    assert found.found == found.must
    assert found.wrong == 0
    assert found.asked <= 1.2 * 2_733 / 229 * len(order) + 200


def test_an_unlucky_part_does_not_hide_a_failing_combination():
    lattice = BareLattice(lattice_of(open_suite("babi/mix-t12")))
    order = CellOrder.of(lattice)
    outcomes = []
    for seed in range(50, 52):
        model = plant("3, noisy parts", order, seed)
        outcomes.append(outcome_of(probe_planted(lattice, model, seed, ("quick", "exact")).search, model))
    assert sum(one.found for one in outcomes) >= 0.95 * sum(one.must for one in outcomes)
    assert not any(one.wrong for one in outcomes)


@pytest.mark.parametrize("seed", [1, 200])
def test_cells_that_hover_between_the_bounds_do_not_eat_the_budget(seed):
    lattice = BareLattice(lattice_of(open_suite("babi/mix-t12")))
    order = CellOrder.of(lattice)
    model = plant("eroding", order, seed)
    found = outcome_of(probe_planted(lattice, model, seed, ("quick", "exact")).search, model)
    assert found.wrong == 0
    assert found.covered
    assert found.asked <= 1.2 * 3_838 / 229 * len(order)


@pytest.mark.parametrize(("cap", "most"), [(30, 30), (60, 50)])
def test_a_cap_is_never_passed_and_asking_ends_before_it_where_it_is_idle(cap, most):
    search = Search(CellOrder.by_inclusion([Cell("where", ("move",))]), SearchSettings(cap=cap, phases=("quick",)))
    answers = cycle([True, True, False, True, True, False, True])
    while wanted := search.next_questions():
        for _ in range(wanted[0]):
            search.observe(0, next(answers))
    assert search.standings() == ["between"]
    assert search.counts[0].n <= most


def test_a_reader_of_the_last_twelve_sentences_lacks_no_skill(small):
    model = plant("last 12 sentences", CellOrder.of(small), 0)
    for seed in range(2):
        probe = probe_planted(small, model, seed, ("quick", "exact"))
        found = frontier_of(probe, suite="babi/custom", model="last 12 sentences")
        every = (*found.claims, *found.unable)
        assert every and all(claim.long_supports for claim in every)
        said = [text for text in found.sentences() if not text.startswith("Nothing that was asked")]
        assert said and all("to blame" in text for text in said)


@pytest.mark.proof
def test_lists_and_counts_that_reach_far_back_are_no_missing_skill():
    lattice = KeptLattice(lattice_of(open_suite("babi/mix-t12")))
    probe = probe_planted(lattice, plant("last 12 sentences", CellOrder.of(lattice), 0), 0, ("quick", "exact"))
    found = frontier_of(probe, suite="babi/mix-t12", model="last 12 sentences")
    assert all(claim.long_supports for claim in found.unable)
    assert {"list", "counting"} <= {claim.cell.partition(":")[0] for claim in found.unable}
    assert all("to blame" in text for text in found.sentences())


def test_the_drop_is_proved_where_nothing_was_left_for_the_exact_phase():
    options = {
        "events": ["move"],
        "constructs": ["conj"],
        "questions": ["where-person"],
        "length": [3, 4],
        "support": [1, 1],
    }
    lattice = KeptLattice(lattice_of(open_suite("babi/custom", options=options)))

    def answer(items, cells):
        return {place: "conj" not in cells[place] for place, _ in items}

    probe = Probe(lattice, SearchSettings(), 0, answer)
    probe.run("two combinations")
    (claim,) = frontier_of(probe, suite="babi/custom", model="no conj").claims
    assert claim.whole.cell == "where-person: conj+move"
    assert claim.proved


def test_wrong_labels_are_planted_in_two_combinations_of_the_training_rows_alone():
    suite = open_suite("babi/custom", options={**WORLD, "train": 60, "dev": 4, "test": 20})
    lattice, wrong = lattice_of(suite), mislabelled(suite)
    assert wrong.identity != suite.identity
    for split in ("train", "test"):
        for row, other in zip(suite.rows(split), wrong.rows(split), strict=True):
            planted = str(lattice.cell_of(suite.tasks[row.task], row.instance)) in PLANTED
            assert row.instance.input == other.instance.input
            assert (row.instance.targets != other.instance.targets) == (planted and split == "train")


def test_a_probe_that_differs_from_the_grid_is_seen_to():
    options = {
        "events": ["move"],
        "constructs": ["conj"],
        "questions": ["where-person"],
        "length": [3, 4],
        "support": [1, 1],
    }
    lattice = KeptLattice(lattice_of(open_suite("babi/custom", options=options)))
    probe = Probe(lattice, SearchSettings(), 0, lambda items, cells: {p: "conj" not in cells[p] for p, _ in items})
    probe.run("two combinations")
    found, order = frontier_of(probe, suite="babi/custom", model="no conj"), CellOrder.of(lattice)
    whole, part = "where-person: conj+move", "where-person: move"
    agreed = agreement(order, {whole: (0, 400), part: (400, 400)}, found)
    assert (agreed.must, agreed.found, agreed.wrong, agreed.held) == ((whole,), (whole,), (), 2)
    denied = agreement(order, {whole: (400, 400), part: (400, 400)}, found)
    assert (denied.must, denied.wrong, denied.held) == ((), (whole,), 1)


def test_a_part_that_is_no_cell_gives_way_to_its_own_parts():
    whole, inner, atom = Cell("f(g(h))", ("h",)), Cell("g(h)", ("h",)), Cell("h", ("h",))

    class Gap:
        cells = (whole, atom)

        def parts(self, cell):
            return {whole: (inner,), inner: (atom,), atom: ()}[cell]

    order = CellOrder.of(Gap())
    assert [[str(order.cells[part]) for part in parts] for parts in order.parts] == [[str(atom)], []]
