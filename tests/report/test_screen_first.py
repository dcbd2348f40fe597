"""Who speaks on the first screen, in which order, and who is left to the tables."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from taskloom.core import UserError
from taskloom.core.metric import Estimate
from taskloom.report import first
from taskloom.report.first import (
    Answer,
    ModelFinding,
    answer_of,
    first_findings,
    first_screen,
    frontier_view,
    has_lattice,
    is_probe,
    with_fall,
    worst_first,
)
from taskloom.studies.frontier.claims import CellState, Claim, Frontier, Share


def run(name="m", suite="x/y", value=0.5, records=10, probe=False, folder="r"):
    overall = SimpleNamespace(estimate=Estimate(value, 0.0, 1.0, records))
    return SimpleNamespace(
        name=name, plan=SimpleNamespace(suite=suite, data_seed=1, recipe={}), records=[0] * records, probe=probe,
        overall=lambda: overall, folder=Path(folder), facet_names=lambda: [],
    )  # fmt: skip


@pytest.fixture
def world(monkeypatch):
    """Runs with a lattice unless their suite is flat; probes and fits say their names."""
    monkeypatch.setattr(first, "is_probe", lambda one: one.probe)
    monkeypatch.setattr(first, "has_lattice", lambda one: "flat" not in one.plan.suite)
    monkeypatch.setattr(first, "protocol_of", lambda one: "chat")
    frontier = SimpleNamespace(asked=1234, rounds=5, settings={"alpha": 0.1}, suite="x/y")
    monkeypatch.setattr(first, "load_frontier", lambda folder: frontier)

    def study_run(one):
        if one.name == "odd":
            raise UserError("it is odd")
        return SimpleNamespace(suite=one.plan.suite, records=len(one.records))

    monkeypatch.setattr("taskloom.studies.frontier.static.study_run", study_run)


def found_in(*runs):
    found, doubts = first_findings(runs, {id(one): f"<{one.name}>" for one in runs})
    return [(one.model, one.proved, one.asked, one.protocol) for one in found], doubts


def test_probes_come_first_and_speak_for_runs_of_the_same_model_there(world):
    plain, probe, elsewhere = run(), run(probe=True), run(suite="x/z")
    found, doubts = found_in(plain, probe, elsewhere)
    assert found == [
        ("m", True, "1,234 questions in 5 rounds; all claims hold jointly with probability at least 90%", "chat"),
        ("m", False, "10 answers, pooled over combinations; suggested, not proved", "chat"),
    ]
    assert doubts == []


def test_a_run_that_has_nothing_to_say_does_not_silence_the_next(world):
    silent = [run(suite="flat/x"), run(value=0.0), run(value=1.0), run(value=float("nan")), run("odd")]
    for one in silent:
        found, _ = found_in(one, run("other"))
        assert [name for name, *_ in found] == ["other"]


@pytest.mark.parametrize(("records", "told"), [(100_000, 0), (100_001, 1)])
def test_very_many_answers_are_not_fitted(world, records, told):
    found, doubts = found_in(run(records=records))
    assert len(doubts) == told and len(found) == 1 - told
    if told:
        assert doubts == [
            "<m>: no frontier is suggested from more than 100,000 answers; taskloom probe x/y asks only what it needs."
        ]


def test_the_same_doubt_is_said_once(world):
    odd = run("odd")
    _, doubts = found_in(odd, odd, run("odd", "x/z"))
    assert doubts == [f"<odd> on {suite} suggests no frontier: it is odd." for suite in ("x/y", "x/z")]


@pytest.mark.parametrize(("proved", "how"), [(True, "probed"), (False, "from a finished run")])
def test_how_an_answer_came_about(proved, how):
    found = Frontier(suite="x/y", model="m", cells=())
    answer = answer_of(ModelFinding("tiny", found, proved, "9 questions", "chat"))
    assert (answer.model, answer.where) == ("tiny", f"on x/y, {how}, protocol chat")
    assert answer.note.endswith("9 questions.") and ModelFinding("tiny", found, proved, "", "").title == "tiny on x/y"


def test_a_fall_stands_in_front_of_what_an_answer_rests_on():
    answer, fall = Answer("m", "w", "said", "note"), Answer("m", "", "fell.")
    assert with_fall(answer, {"m": fall}) == Answer("m", "w", "said", "fell. note")
    assert with_fall(answer, {"n": fall}) == answer


def test_the_level_of_all_claims():
    assert "all claims hold jointly with probability at least 95%" in frontier_view(
        Frontier(suite="s", model="m", cells=())
    )


def test_questions_with_most_claims_come_first():
    claims = tuple(Claim(Share(name, 0.1, 0.0, 0.2, 9), ()) for name in ("b: x", "c: x", "c: y", "z: x", "odd"))
    found = Frontier(suite="s", model="m", cells=(), claims=claims)
    assert worst_first(found, ["a", "b", "c", "d"]) == ["c", "b", "a", "d"]


def test_suites_that_have_combinations(monkeypatch):
    asked = []

    def open_recorded(name, *, seed, options):
        asked.append((name, seed, options))
        return name

    def lattice_of(suite):
        if suite.endswith("flat"):
            raise UserError("no combinations")

    monkeypatch.setattr(first, "open_recorded", open_recorded)
    monkeypatch.setattr(first, "lattice_of", lattice_of)
    assert has_lattice(run(suite="babi/mix-t2")) is True and asked == [("babi/mix-t2", 1, {})]
    assert has_lattice(run(suite="babi/flat")) is False and has_lattice(run(suite="nobody/x")) is False
    assert len(asked) == 2


@pytest.fixture
def screen(monkeypatch):
    """The first screen of some runs, with findings and falls as given."""

    def show(*runs, findings=(), doubts=(), falls=(), drawn=None, pictures=""):
        seen = {}
        monkeypatch.setattr(first, "is_probe", lambda one: one.probe)
        monkeypatch.setattr(
            first,
            "first_findings",
            lambda given, names, anchors=None: seen.update(runs=given) or (list(findings), list(doubts)),
        )
        monkeypatch.setattr(
            first, "steps_by_model", lambda given, names: seen.update(steps=given) or dict.fromkeys(falls)
        )
        monkeypatch.setattr(first, "fall_of", lambda model, own: Answer(model, "", f"{model} fell."))
        monkeypatch.setattr(
            first, "answer_of", lambda finding: Answer(finding.model, "", f"{finding.model} said.", "why")
        )
        monkeypatch.setattr(first, "steps_plot", lambda steps: drawn)
        monkeypatch.setattr(first, "figure", lambda plot, anchor: f"[{anchor}]")
        monkeypatch.setattr(first, "finding_pictures", lambda found: pictures)
        return str(first_screen(list(runs), {})), seen

    return show


def finding(model):
    return ModelFinding(model, Frontier(suite="s", model=model, cells=()), True, "", "")


def test_baselines_speak_only_where_they_are_alone(screen):
    mock, real, probe = run("mock/random"), run("hf/x"), run("hf/y", probe=True)
    assert screen(mock, real, probe)[1] == {"runs": [real, probe], "steps": [real]}
    assert screen(mock)[1] == {"runs": [mock], "steps": [mock]}


def test_models_without_a_frontier_have_their_fall(screen):
    text, _ = screen(run(), findings=[finding("a")], falls=["a", "b"], doubts=["I doubt it."], drawn="plot")
    assert '<h2 id="answer"' in text
    assert text.index("a said.") < text.index("b fell.") and text.count("a fell.") == 1 and "a fell. why" in text
    assert "I doubt it." in text and "[answer-suites]" in text and "columns" not in text
    plain, _ = screen(run(), findings=[finding("a")], pictures="<the pictures>")
    assert "the pictures" in plain and "[answer-suites]" not in plain and "further models" not in plain


@pytest.mark.parametrize(("count", "words"), [(12, None), (13, "1 further models: see the tables of scores below.")])
def test_twelve_models_speak(screen, count, words):
    text, _ = screen(run(), falls=[f"m{place:02}" for place in range(count)])
    assert "m11 fell." in text and "m12 fell." not in text
    assert ("further models" in text) == (words is not None) and (words or "") in text


def test_cells_of_the_table_say_whether_the_model_was_fitted_to_them():
    cells = [
        CellState("q", ("a",), "mastered", Share("q: a", 0.5, 0.25, 0.75, 9), trained)
        for trained in (None, True, False)
    ]
    found = ModelFinding("m", Frontier(suite="s", model="m", cells=tuple(cells)), True, "9 questions", "chat")
    text = str(first.cell_table(found, "x"))
    assert [text.count(f">{words}<") for words in ("yes", "no")] == [1, 1]


@pytest.mark.parametrize(
    ("streams", "file", "probe"), [(("a",), True, True), (("a",), False, False), ((), True, False)]
)
def test_a_probe_has_streams_and_a_frontier(streams, file, probe, tmp_path):
    if file:
        (tmp_path / "frontier.json").write_text("{}")
    assert is_probe(SimpleNamespace(plan=SimpleNamespace(streams=streams), folder=tmp_path)) is probe
