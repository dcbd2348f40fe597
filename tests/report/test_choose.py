"""Which facets a report draws without being asked."""

from __future__ import annotations

import numpy as np
import pytest

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.report import sections as choose
from taskloom.report.sections import choose_facets, choose_pairs, facet_spread, is_number, score_sums, varied
from taskloom.run.results import load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Thirty questions with a facet for everything that may be left out."""
    rows = [
        Row("t", Instance(str(n), f"q {n}", AnyOf((("yes", "no")[n % 2],)), {
            "answer": ("yes", "no")[n % 2], "depth": n % 3, "same": "x", "name": f"n{n}", "number": n % 15,
        }))
        for n in range(30)
    ]  # fmt: skip
    facets: dict[str, type] = {"answer": str, "depth": int, "same": str, "name": str, "number": int}
    task = Task("t", Instruction("Say yes or no."), "label", "label", ("yes", "no"))
    suite = Suite("x/y", {}, 1, {"t": task}, {"test": 30}, lambda split: iter(rows), facets, "pairs")
    folder = tmp_path_factory.mktemp("runs") / "one"
    launch(suite, folder, RunSettings(model="mock/constant", model_options={"answer": "yes"}))
    return load_run(folder)


def test_the_right_answer_is_not_drawn_as_a_facet(run):
    facets = choose_facets([run], ())
    assert "answer" not in facets.drawn
    assert facets.left_out["answer"] == "is the right answer"
    assert choose_facets([run], ("answer",)).drawn == ["answer"]


def test_what_divides_nothing_or_everything_is_not_drawn(run):
    facets = choose_facets([run], ())
    assert "depth" in facets.drawn
    assert "same" not in facets.drawn and "same" not in facets.left_out
    assert "hardly any twice" in facets.left_out["name"]


class Answers:
    """As much of a run as the choice looks at: scores, and facets by name."""

    def __init__(self, scores, errors="leave-out", **facets):
        self._scores, self.errors, self._facets = np.array(scores, dtype=float), errors, facets

    def values(self):
        return self._scores

    def facet_names(self):
        return tuple(self._facets)

    def facet_values(self, name):
        return set(self._facets[name])

    def rows_by(self, *names):
        found = {}
        for row, key in enumerate(zip(*(self._facets[name] for name in names), strict=True)):
            found.setdefault(key, []).append(row)
        return {key: np.array(rows) for key, rows in found.items()}


def test_sums_of_scores_leave_out_or_count_failures():
    scores, facet = [1.0, 0.5, np.nan, np.nan], ["a", "a", "a", "b"]
    assert score_sums(Answers(scores, f=facet), "f") == {("a",): (2, 1.5)}
    assert score_sums(Answers(scores, "wrong", f=facet), "f") == {("a",): (3, 1.5), ("b",): (1, 0.0)}
    assert score_sums(Answers(scores, f=facet), "other") == {}


def test_spread_is_what_groups_differ_by_beyond_chance():
    run = Answers([1, 1, 1, 1, 0, 0, 0, 0], f=list("aaaabbbb"), g=list("abababab"))
    # Group f holds 4 right and 4 wrong: the mean is .5, each group lies .5 away, and chance explains .25 per group.
    assert facet_spread(run, "f") == pytest.approx((4 * 0.25 - 0.25 + 4 * 0.25 - 0.25) / 8)
    assert facet_spread(run, "g") == pytest.approx(-0.5 / 8)
    assert facet_spread(Answers([np.nan], f=["a"]), "f") == 0.0


def test_facets_that_divide_the_scores_most_come_first():
    right = [float(n % 4 < 2) for n in range(40)]
    run = Answers(right, dull=[str(n % 3) for n in range(40)], telling=[str(n % 4 < 2) for n in range(40)])
    assert choose_facets([run], ()).drawn == ["telling", "dull"]
    assert choose_facets([run], ("dull", "dull")).drawn == ["dull"], "as asked, each once"
    many = {f"f{n:02}": [str((row + n) % 2) for row in range(40)] for n in range(13)}
    facets = choose_facets([Answers(right, **many)], ())
    assert len(facets.drawn) == 12 and facets.left_out == {"f12": "divides the scores less"}
    numbers = Answers([1.0, 0.0] * 50, small=[str(n % 24) for n in range(100)], large=[str(n % 25) for n in range(100)])
    facets = choose_facets([numbers], ())
    assert facets.drawn == ["small"] and facets.left_out == {"large": "25 different numbers"}
    names = Answers([1.0, 0.0] * 20, half=[f"x{n % 20}" for n in range(40)], more=[f"x{n % 21}" for n in range(40)])
    facets = choose_facets([names], ())
    assert facets.drawn == ["half"] and facets.left_out == {"more": "21 values, hardly any twice"}
    assert choose_facets([names, names], ()) == facets, "more runs are no more questions"


def test_pairs_that_say_more_together():
    rows = range(80)
    first, second = [str(n % 2) for n in rows], [str(n // 2 % 2) for n in rows]
    both = [float(a == b) for a, b in zip(first, second, strict=True)]
    run = Answers(both, first=first, second=second, third=[str(n // 4 % 4) for n in rows], copy=first)
    found = choose_pairs([run], ["first", "second", "third", "copy"], ())
    assert found[0] == ("first", "second") and len(found) == 3
    assert ("first", "copy") not in found, "one decides the other"
    assert all(pair[0] == "third" for pair in found if "third" in pair), "the longer one stands upright"
    assert choose_pairs([run], ["first"], [("x", "y")]) == [("x", "y")]


def test_runs_that_never_vary_and_numbers():
    flat, real = Answers([1.0, np.nan, 1.0]), Answers([1.0, 0.0])
    assert varied([flat, real]) == [real]
    assert is_number("3") and is_number("-1.5") and not is_number("x") and not is_number("nan")


@pytest.mark.parametrize(("most", "reason"), [(2, "3 values"), (3, None)])
def test_facets_with_very_many_values_are_not_looked_at(most, reason, monkeypatch):
    monkeypatch.setattr(choose, "MOST_VALUES", most)
    run = Answers([1.0, 0.0] * 6, f=list("abc") * 4)
    assert choose_facets([run], ()).left_out.get("f") == reason


def test_maps_with_too_many_cells_are_not_drawn(monkeypatch):
    rows = range(96)
    facets = {
        "four": [str(n % 4) for n in rows],
        "other": [str(n // 4 % 4) for n in rows],
        "two": [str(n // 16 % 2) for n in rows],
    }
    run = Answers([float(n % 3 == 0) for n in rows], **facets)
    monkeypatch.setattr(choose, "MOST_CELLS", 16)
    assert set(choose_pairs([run], list(facets), ())) == {("four", "other"), ("four", "two"), ("other", "two")}
    monkeypatch.setattr(choose, "MOST_CELLS", 15)
    assert set(choose_pairs([run], list(facets), ())) == {("four", "two"), ("other", "two")}
    assert choose_pairs([run], ["four"], ()) == []


def test_eight_facets_are_paired_at_most(monkeypatch):
    monkeypatch.setattr(choose, "MOST_PAIRS", 99)
    rows = range(2_048)
    facets = {f"f{place}": [str(n >> place & 1) for n in rows] for place in range(9)}
    run = Answers([float(n % 3 == 0) for n in rows], **facets)
    found = choose_pairs([run], list(facets), ())
    assert len(found) == 8 * 7 // 2 and not any("f8" in pair for pair in found)


def test_as_many_cells_as_values_show_nothing():
    run = Answers([1.0, 0.0, 1.0, 0.0], first=list("aabb"), second=list("cccd"))
    assert choose_pairs([run], ["first", "second"], ()) == [("first", "second")], "three cells of two and two values"
    assert choose_pairs([Answers([1.0, 0.0], f=list("ab"), g=list("cd"))], ["f", "g"], ()) == []


def test_pairs_that_gain_most_come_first():
    rows = range(64)
    bits = {name: [str(n >> place & 1) for n in rows] for place, name in enumerate("abc")}
    together = [float((n & 1) ^ (n >> 1 & 1)) for n in rows]
    assert choose_pairs([Answers(together, **bits)], list("abc"), ())[0] == ("a", "b")
    flat = Answers([1.0] * 64, **bits)
    assert choose_pairs([flat, Answers(together, **bits)], list("abc"), ())[0] == ("a", "b"), (
        "who never varies says nothing"
    )
    assert choose_pairs([flat], list("cab"), ()) == [("a", "b"), ("c", "a"), ("c", "b")], "by name where none gains"


def test_a_facet_nobody_carries_is_refused():
    with pytest.raises(UserError, match="did you mean 'depth'"):
        choose_facets([Answers([1.0, 0.0], depth=list("ab"))], ["dept"])


def test_a_facet_of_some_runs_only():
    one, two = Answers([1.0, 0.0] * 4, f=list("ab") * 4), Answers([1.0, 0.0] * 4, g=list("ab") * 4)
    assert choose_facets([one, two], ()).drawn == ["f", "g"]
    assert choose_facets([Answers([1.0, 0.0], f=list("aa"))], ()) == ([], {})


@pytest.mark.parametrize(("first", "second", "drawn"), [(300, 20, True), (353, 17, False)])
def test_maps_of_six_thousand_cells_are_drawn(first, second, drawn):
    rows = range(900)
    facets = {"f": [f"f{n % first}" for n in rows], "g": [f"g{n // 45 % second}" for n in rows]}
    run = Answers([float(n % 3 == 0) for n in rows], **facets)
    assert (choose_pairs([run], ["f", "g"], ()) == [("f", "g")]) == drawn


@pytest.mark.parametrize(("count", "reason"), [(20_000, "20,000 values, hardly any twice"), (20_001, "20,001 values")])
def test_twenty_thousand_values_are_looked_at(count, reason):
    run = Answers([1.0] * count, f=[str(n) for n in range(count)])
    assert choose_facets([run], ()).left_out == {"f": reason}
