"""The first screen: sentences and pictures of planted frontiers say what was planted."""

from __future__ import annotations

import pytest

from taskloom.report.answer import answer_of, pair_matrix, promise_plot
from taskloom.report.build import build_report
from taskloom.run.session import RunSettings
from taskloom.studies.frontier.claims import Claim, Promise, Share
from taskloom.studies.frontier.result import CellState, Frontier
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings


def cell(atoms, value, n=40, standing=None, trained=True):
    share = Share(f"q: {atoms}", value, max(0.0, value - 0.1), min(1.0, value + 0.1), n)
    standing = standing or ("mastered" if value > 0.8 else "failing")
    return CellState("q", tuple(atoms.split("+")), standing, share, trained)


@pytest.fixture
def frontier():
    cells = (
        cell("move", 0.99), cell("coref+move", 0.97), cell("give+move", 0.95), cell("negate+move", 0.0, 0, "inherited"),
        cell("coref+give+move", 0.3, trained=False), cell("coref+give+move+negate", 0.2, 30, trained=False),
    )  # fmt: skip
    first, second = cells[1].share, cells[2].share
    promise = Promise(first, second, 0.92, 0.92, 0.95)
    claim = Claim(cells[4].share, (first, second), promise, proved=True, trained=False)
    return Frontier(suite="babi/x", model="m", settings={"alpha": 0.05}, cells=cells, claims=(claim,))


def test_a_claim_is_one_sentence(frontier):
    answer = answer_of(frontier, "tiny/x", "on babi/x", proved=True, note="100 questions.")
    assert answer.said == (
        "q: solves coref+move (0.97) and give+move (0.95), but falls to 0.30 [0.20, 0.40] where both meet "
        "(n = 40, never trained, the drop is proved)."
    )
    assert answer.note.startswith("6 combinations: 3 mastered, 2 failing, 1 vouched for by a larger one.")


def test_without_claims_nothing_is_claimed(frontier):
    none = Frontier(suite="s", model="m", cells=frontier.cells)
    assert answer_of(none, "m", "", proved=True, note="").said.startswith("No combination was found")
    assert "is suggested" in answer_of(none, "m", "", proved=False, note="").said
    assert promise_plot(none, "t") is None


def test_a_model_that_fails_everywhere_is_not_called_free_of_failures(frontier):
    failing = tuple(cell for cell in frontier.cells if cell.standing == "failing")
    said = answer_of(Frontier(suite="s", model="m", cells=failing), "m", "", proved=False, note="").said
    assert said == "Fails at all 2 combinations, the simplest included."


def test_the_matrix_blames_the_pair_and_nothing_else(frontier):
    drawn = pair_matrix(frontier, "t")
    found = {(pair.first, pair.second): pair for pair in drawn.cells}
    blamed = found["coref", "give"]
    assert (blamed.kind, blamed.value, blamed.trained) == ("frontier", 0.3, False)
    assert [key for key, pair in found.items() if pair.kind == "frontier"] == [("coref", "give")]
    assert found["coref", "move"].value == pytest.approx(0.97), "cells in which another pair fails do not count"
    assert found["move", "negate"].kind == "inherited"
    assert found["coref", "negate"].value is None, "no cell without the failing pair holds both"
    assert pair_matrix(frontier, "t", "another question") is None


def test_promises_stand_beside_what_was_measured(frontier):
    [row] = promise_plot(frontier, "t").claims
    assert (row.at_least, row.at_most, row.value, row.proved) == (0.92, 0.95, 0.3, True)


def test_a_probe_is_a_report_of_its_own(tmp_path):
    from taskloom.core import open_suite

    suite = open_suite("babi/mix-t2", seed=1)
    search = SearchSettings(budget=120, phases=("quick",))
    probe_model(suite, tmp_path / "probe", RunSettings(model="mock/majority"), search)
    build_report([tmp_path / "probe"], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "mock/majority" in text
    assert "at all: 0." in text
    assert "means over its answers mean nothing" in text
    assert "All 10 combinations" in text
