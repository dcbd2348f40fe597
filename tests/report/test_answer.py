"""The first screen: sentences and pictures of planted frontiers say what was planted."""

from __future__ import annotations

import re

import msgspec
import pytest

from taskloom.report.build import build_report
from taskloom.report.first import ModelFinding, answer_of, finding_pictures, pair_matrix, promise_plot
from taskloom.run.session import RunSettings
from taskloom.score.stats import wilson
from taskloom.studies.frontier.claims import CellState, Claim, Control, Frontier, PredictedScore, Share
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
    promise = PredictedScore(first, second, 0.92, 0.92, 0.95)
    claim = Claim(cells[4].share, (first, second), promise, proved=True, trained=False)
    return Frontier(suite="babi/x", model="m", settings={"alpha": 0.05}, cells=cells, claims=(claim,))


def finding(found, model="m"):
    return ModelFinding(model, found, True, "100 questions", "chat")


def test_a_claim_is_one_sentence(frontier):
    answer = answer_of(finding(frontier, "tiny/x"))
    assert answer.said == (
        "q: masters coref+move (0.97) and give+move (0.95); falls to 0.30 [0.20, 0.40] (n = 40) where both meet (the "
        "parts promise at least 0.92, 0.92 if their errors are independent, at most 0.95); the drop is proved; not "
        "among the rows it was fitted to."
    )
    assert answer.note.startswith("6 combinations: 3 mastered, 2 failing, 1 vouched for by a larger one.")


def test_without_claims_nothing_is_claimed(frontier):
    none = Frontier(suite="s", model="m", cells=frontier.cells)
    assert answer_of(finding(none, "m")).said.startswith("No combination was found")
    assert promise_plot(none, "t") is None


def test_what_was_asked_and_not_decided_is_not_called_unasked(frontier):
    undecided = tuple(msgspec.structs.replace(cell, standing="open") for cell in frontier.cells if cell.share.n)
    answer = answer_of(finding(Frontier(suite="s", model="m", cells=undecided), "m"))
    assert f"{len(undecided)} undecided" in answer.note
    assert "not asked" not in answer.note


def test_a_model_that_fails_everywhere_is_not_called_free_of_failures(frontier):
    failing = tuple(cell for cell in frontier.cells if cell.standing == "failing")
    said = answer_of(finding(Frontier(suite="s", model="m", cells=failing), "m")).said
    assert said == "Below 85% on everything that was asked (2 combinations), the simplest included."


def test_the_matrix_blames_the_pair_and_nothing_else(frontier):
    drawn = pair_matrix(frontier, "t")
    found = {(pair.first, pair.second): pair for pair in drawn.cells}
    blamed = found["coref", "give"]
    assert (blamed.kind, blamed.value, blamed.trained) == ("frontier", 0.3, False)
    assert [key for key, pair in found.items() if pair.kind == "frontier"] == [("coref", "give")]
    assert found["move", "coref"].value == pytest.approx(0.97), "cells in which another pair fails do not count"
    assert found["move", "negate"].kind == "inherited"
    assert found["coref", "negate"].value is None, "no cell without the failing pair holds both"
    assert pair_matrix(frontier, "t", "another question") is None


def test_promises_stand_beside_what_was_measured(frontier):
    [row] = promise_plot(frontier, "t").claims
    assert (row.at_least, row.at_most, row.value, row.proved) == (0.92, 0.95, 0.3, True)


def test_a_reader_of_near_sentences_is_not_called_free_of_failures(frontier):
    share = frontier.cells[4].share
    near = Control("young", share, Share("near", 0.9, 0.8, 1.0, 20))
    found = Frontier(suite="s", model="m", cells=(), unable=(Claim(share, (), controls=(near,)),))
    said = answer_of(finding(found, "m")).said
    assert said == (
        "q: coref+give+move: below 85%: 0.30 [0.20, 0.40] (n = 40); 0.90 [0.80, 1.00] (n = 20) where the supports are "
        "close to the question: old supports are to blame, not a skill."
    )


def test_the_largest_part_has_most_atoms_not_the_longest_name():
    parts = (Share("a+b", 0.9, 0.8, 1.0, 40), Share("extraordinary", 0.99, 0.9, 1.0, 40))
    assert Claim(Share("a+b+extraordinary", 0.1, 0.0, 0.2, 40), parts).base.cell == "a+b"


def claim(atoms, value, **more):
    whole = Share(atoms, value, value - 0.1, value + 0.1, 40)
    return Claim(whole, (Share("move", 0.99, 0.9, 1.0, 40), Share("coref+move", 0.9, 0.8, 1.0, 40)), **more)


@pytest.mark.parametrize(
    ("more", "notes"),
    [
        ({}, "the drop is proved"),
        ({"trained": True}, "the drop is proved; among the rows it was fitted to"),
        ({"probability": 0.9}, "suggested with probability 0.90, not proved"),
    ],
)
def test_what_a_claim_rests_on(more, notes):
    found = Frontier(suite="s", model="m", cells=(), claims=(claim("coref+give+move", 0.3, added=("give",), **more),))
    said = answer_of(finding(found, "m")).said
    assert said == (f"masters coref+move (0.90); falls to 0.30 [0.20, 0.40] (n = 40) when give is added; {notes}."), (
        "the largest part is named"
    )
    [row] = promise_plot(found, "t").claims
    assert (row.first, row.second, row.at_least, row.at_most) == (0.9,) * 4


def test_the_strongest_claim_comes_first_and_a_long_list_is_cut():
    likely = claim("a+b", 0.2, probability=0.9)
    claims = (
        claim("a+b+c", 0.1), claim("a+d", 0.3), claim("a+c", 0.2), likely, claim("x+y", 0.5, proved=True),
        claim("b+d", 0.4), claim("b+c", 0.4),
    )  # fmt: skip
    found = Frontier(suite="s", model="m", cells=(), claims=claims, unable=(Claim(Share("z", 0.1, 0.0, 0.2, 9), ()),))
    order = [row.name for row in promise_plot(found, "t").claims]
    assert order == ["x+y", "a+b", "a+c", "a+d", "b+c", "b+d", "a+b+c"]
    answer = answer_of(finding(found, "m"))
    assert "falls to 0.10" in answer.said and len(answer.lines) == 6
    assert answer.lines[-1].text == "… and 3 more in the table of all combinations."
    few = Frontier(
        suite="s", model="m", cells=(), claims=claims[:1], unable=(Claim(Share("z", 0.1, 0.0, 0.2, 9, 0.15), ()),) * 4
    )
    answer = answer_of(finding(few, "m"))
    assert (
        tuple(line.text for line in answer.lines[1:])
        == ("z: cannot do this at all: 0.10 [0.00, 0.20] (n = 9; guessing: 0.15).",) * 4
    )
    many = Frontier(suite="s", model="m", cells=(), claims=tuple(claim(f"a+{n}", 0.2) for n in range(13)))
    plot = promise_plot(many, "t")
    assert len(plot.claims) == 12 and plot.caption.endswith("The first 12 of 13.")
    assert not promise_plot(found, "t").caption.endswith("13.")


def test_a_part_that_never_stands_alone_is_framed_once(frontier):
    """`give` occurs with `move` alone: what it does there stands where the two meet, and nowhere else."""
    drawn = pair_matrix(frontier, "t")
    alone = {cell.atoms[0] for cell in frontier.cells if len(cell.atoms) == 1}
    diagonal = {pair.first for pair in drawn.cells if pair.first == pair.second}
    assert diagonal == alone and set(drawn.atoms) - alone, "some part is never alone"
    assert drawn.atoms[0] == "move", "what most combinations hold comes first"


def test_pairs_without_an_answer_of_their_own():
    cells = (
        cell("a+b", 1.0, 10), cell("a+b+c", 0.5, 30), cell("c+d", 0.0, 0, "inherited", None),
        cell("a", 0.9, trained=None),
    )  # fmt: skip
    drawn = pair_matrix(Frontier(suite="s", model="m", cells=cells), "t")
    found = {(pair.first, pair.second): pair for pair in drawn.cells}
    both = found["a", "b"]
    assert (both.n, both.value) == (10, 1.0), "what is missing in a+b+c says nothing about a+b"
    alone = found["a", "c"]
    assert (alone.value, alone.low, alone.high, alone.n, alone.kind) == (0.5, 0.4, 0.6, 30, "asked")
    assert (found["c", "d"].kind, found["c", "d"].value, found["c", "d"].n) == ("inherited", 1.0, 0)
    assert found["c", "d"].trained is None and both.trained is True
    assert ("b", "d") not in found
    twice = (*cells, CellState("r", ("a", "b"), "between", Share("r: a+b", 0.5, 0.4, 0.6, 30), True))
    drawn = pair_matrix(Frontier(suite="s", model="m", cells=twice), "t")
    both = next(pair for pair in drawn.cells if (pair.first, pair.second) == ("a", "b"))
    assert (both.n, both.value) == (40, pytest.approx((10 + 15) / 40)), "weighed by answers"
    assert (both.low, both.high) == wilson(25, 40)
    one = Frontier(suite="s", model="m", cells=(cell("a", 1.0),))
    assert pair_matrix(one, "t") is None, "two parts at least"
    wide = Frontier(suite="s", model="m", cells=tuple(cell(f"a{n:02}", 1.0) for n in range(17)))
    assert pair_matrix(wide, "t") is None
    assert pair_matrix(Frontier(suite="s", model="m", cells=wide.cells[:16]), "t") is not None


def test_a_probe_is_a_report_of_its_own(tmp_path):
    from taskloom.core import open_suite

    suite = open_suite("babi/mix-t2", seed=1)
    search = SearchSettings(budget=120, phases=("quick",))
    probe_model(suite, tmp_path / "probe", RunSettings(model="mock/majority"), search)
    build_report([tmp_path / "probe"], tmp_path / "page.html")
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "mock/majority" in text
    assert "not shown to be above guessing: 0." in text
    shown = re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL)
    assert "trained" not in shown and "fitted to" not in shown
    assert "means over its answers mean nothing" in text
    assert "All combinations (10)" in text


def test_pictures_of_a_frontier(frontier):
    """Matrices of each question, the one with most claims first, then all; promises; a table of all combinations."""
    other = CellState("r", ("move",), "mastered", Share("r: move", 0.9, 0.8, 1.0, 1200), None)
    open_cell = CellState("r", ("give",), "open", Share("r: give", 0.0, 0.0, 1.0, 0), False)
    wide = Frontier(suite="babi/x", model="m", cells=(*frontier.cells, other, open_cell), claims=frontier.claims)
    text = re.sub(
        r"<svg.*?</svg>",
        "",
        str(finding_pictures([ModelFinding("tiny", wide, True, "9 questions", "chat")])),
        flags=re.S,
    )
    places = [text.index(f"answer-0-tiny-pairs-{name}") for name in ("q", "r", "all-questions")]
    assert places == sorted(places) and "answer-0-tiny-promise" in text and "All combinations (8)" in text
    rows = [re.findall(r"<td[^>]*>(.*?)</td>", row) for row in re.findall(r"<tr>(.*?)</tr>", text, re.S)]
    shown = [row for row in rows if row]
    assert shown[0] == ["q", "move", "mastered", "0.990", "0.890", "1.000", "–", "40", "yes"]
    assert shown[3][-1] == "yes" and shown[4][-1] == "no"
    assert shown[-2] == ["r", "move", "mastered", "0.900", "0.800", "1.000", "–", "1,200", "–"]
    assert shown[-1] == ["r", "give", "open", "–", "–", "–", "–", "0", "no"]
    assert "95 % intervals, simultaneous, valid at any stopping time; 9 questions." in text
    suggested = str(finding_pictures([ModelFinding("tiny", frontier, False, "9 answers", "chat")] * 2))
    assert "pooled, one at a time" in suggested and "answer-1-tiny" in suggested and "-pairs-q" not in suggested


def test_a_matrix_has_two_to_sixteen_parts():
    def drawn(count):
        letters = "abcdefghijklmnopqrstuvwxyz"[:count]
        return pair_matrix(Frontier(suite="s", model="m", cells=tuple(cell(one, 0.9) for one in letters)), "t")

    assert drawn(1) is None and drawn(17) is None
    assert drawn(2).atoms == ("a", "b") and len(drawn(16).atoms) == 16
    assert [(pair.first, pair.second) for pair in drawn(2).cells] == [("a", "a"), ("b", "b")], "they never meet"


def test_a_larger_failing_combination_says_nothing_about_its_pairs():
    cells = (cell("a+b", 0.0, 0, "inherited"), cell("a+b+c", 0.2, 30), cell("c", 0.9))
    whole = Claim(cells[1].share, (cells[0].share, cells[2].share))
    drawn = pair_matrix(Frontier(suite="s", model="m", cells=cells, claims=(whole,)), "t")
    found = {(pair.first, pair.second): pair for pair in drawn.cells}
    both = found["a", "b"]
    assert (both.value, both.low, both.high, both.n, both.kind) == (1.0, 0.0, 1.0, 0, "inherited")
    assert found["a", "c"].kind == "frontier" == found["b", "c"].kind


@pytest.mark.parametrize(("count", "cut"), [(12, False), (13, True)])
def test_twelve_promises_are_drawn(count, cut):
    found = Frontier(suite="s", model="m", cells=(), claims=tuple(claim(f"a+{n:02}", 0.2) for n in range(count)))
    plot = promise_plot(found, "t")
    assert len(plot.claims) == 12 and ("The first 12" in plot.caption) == cut


@pytest.mark.parametrize(("count", "more"), [(5, None), (6, "… and 1 more in the table of all combinations.")])
def test_four_further_findings_are_said(count, more):
    found = Frontier(suite="s", model="m", cells=(), claims=tuple(claim(f"a+{n:02}", 0.2) for n in range(count)))
    answer = answer_of(finding(found, "m"))
    assert len(answer.lines) == (5 if more is None else 6) and (more is None or answer.lines[-1].text == more)


def test_pairs_that_were_trained_in_part():
    other = CellState("r", ("a", "b"), "mastered", Share("r: a+b", 0.9, 0.8, 1.0, 9), True)
    cells = (cell("a+b", 0.9, trained=False), other, cell("c", 0.9, trained=False), cell("a+c", 0.9, trained=None))
    drawn = pair_matrix(Frontier(suite="s", model="m", cells=cells), "t")
    found = {(pair.first, pair.second): pair.trained for pair in drawn.cells}
    assert found == {("a", "b"): True, ("a", "c"): None, ("c", "c"): False}


def test_what_was_not_asked_is_not_drawn_as_mastered_and_asked_cells_lead_to_their_samples():
    cells = (cell("a", 0.9), cell("a+b", 0.2, 30), cell("b+c", 0.0, 0, "open"))
    drawn = pair_matrix(Frontier(suite="s", model="m", cells=cells), "pairs", link=lambda *names: "#" + "&".join(names))
    found = {(one.first, one.second): one for one in drawn.cells}
    assert found["b", "c"].value is None and found["b", "c"].link == ""
    assert found["a", "b"].link == "#q: a+b"
    assert '<a href="#q: a+b"' in drawn.svg() and 'role="group"' in drawn.svg()
