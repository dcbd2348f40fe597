"""Every kind of sentence has numbers with which it must be said, and a mirror with which it must not."""

from __future__ import annotations

from random import Random

import pytest

from planted import probed
from taskloom.studies.frontier.claims import CellState, Claim, Control, PredictedScore, Share
from taskloom.studies.frontier.sentences import CLAIMS, NOTES, OVERALL, Bounds, say_all, say_claim

BOUNDS = Bounds()


def share(name, low, high, guess=None, n=40, value=None):
    return Share(name, (low + high) / 2 if value is None else value, low, high, n, guess)


def basic(low, high, guess=None, **more):
    return Claim(Share("a", (low + high) / 2, low, high, 40, guess, **more), ())


def claim(whole, *parts, pair=False, **more):
    shares = tuple(share(f"q: {name}", *numbers) for name, *numbers in parts)
    promise = PredictedScore.of(*shares) if pair else None
    added = () if pair else ("b",)
    return Claim(share("q: a+b", *whole), shares, promise, added, **more)


def cell(low, high, guess=None, n=40):
    standing = "mastered" if low > BOUNDS.low else "failing" if high < BOUNDS.high else "open"
    return CellState("q", ("a",), standing, share("q: a", low, high, guess, n))


GOOD = ("a", 0.9, 1.0), ("b", 0.92, 1.0)
FAIR = ("a", 0.62, 0.9), ("b", 0.62, 0.9)

# Kind -> numbers that prove it, and numbers that differ in what they prove alone.
CASES = {
    "pair falls": (claim((0.1, 0.5), *GOOD, pair=True), claim((0.3, 0.8), *GOOD, pair=True)),
    "addition falls": (claim((0.1, 0.5), GOOD[0]), claim((0.5, 0.84), GOOD[0])),
    "lower than its parts": (claim((0.3, 0.6), *FAIR, pair=True), claim((0.3, 0.63), *FAIR, pair=True)),
    "below the asked level": (claim((0.5, 0.84), *FAIR, pair=True), claim((0.5, 0.86), *FAIR, pair=True)),
    "old supports fail": (
        Claim(share("a", 0.4, 0.95), (), controls=(Control("ages", share("o", 0.0, 0.5), share("y", 0.6, 1.0)),)),
        Claim(share("a", 0.4, 0.95), (), controls=(Control("ages", share("o", 0.0, 0.7), share("y", 0.6, 1.0)),)),
    ),
    "suggested fall": (
        claim((0.1, 0.6), *GOOD, pair=True, probability=0.9),
        claim((0.1, 0.6), *GOOD, pair=True, probability=0.4),
    ),
    "cannot at all": (basic(0.0, 0.25, 0.17), basic(0.03, 0.79, 0.17)),
    "not shown above guessing": (basic(0.03, 0.79, 0.17), basic(0.2, 0.79, 0.17)),
    "basic below the asked level": (basic(0.3, 0.79, 0.17), basic(0.3, 0.86, 0.17)),
    "could not be read": (basic(0.1, 0.5, unread=9, ceiling=0.9), basic(0.1, 0.5, unread=9, ceiling=0.8)),
}


def noted(*controls, variants=(), trained=None):
    return claim((0.1, 0.5), *GOOD, pair=True, controls=controls, variants=variants, trained=trained)


WHOLE, PART = share("q: a+b", 0.1, 0.5), share("q: a", 0.9, 1.0)
YOUNG_SOLVED = Control("young", WHOLE, share("y", 0.6, 1.0))
YOUNG_FAILS = Control("young", WHOLE, share("y", 0.0, 0.6))
YOUNG_OPEN = Control("young", WHOLE, share("y", 0.4, 0.9))
NOTED = {
    "bound": (
        noted(variants=(share("q: a(x)+b", 0.0, 0.4), share("q: a(y)+b", 0.6, 1.0))),
        noted(variants=(share("q: a(x)+b", 0.0, 0.7), share("q: a(y)+b", 0.6, 1.0))),
    ),
    "young solved": (noted(YOUNG_SOLVED), noted(YOUNG_OPEN)),
    "part falls at the size": (
        noted(Control("long", PART, share("l", 0.2, 0.8))),
        noted(Control("long", PART, share("l", 0.2, 0.95))),
    ),
    "not for length": (noted(YOUNG_FAILS), noted(YOUNG_OPEN)),
    "length not ruled out": (noted(YOUNG_OPEN), noted(YOUNG_FAILS)),
    "no budget for length": (noted(Control("young", WHOLE, missing="budget")), noted(YOUNG_OPEN)),
    "length not matched": (noted(Control("long", PART, missing="unmatched")), noted(YOUNG_OPEN)),
    "fitted": (noted(trained=True), noted()),
    "not fitted": (noted(trained=False), noted()),
}
OVERALL_CASES = {
    "nothing asked": ([cell(0.0, 1.0, n=0)], [cell(0.0, 0.9)]),
    "guesses everywhere": ([cell(0.0, 0.2, 0.15)] * 2, [cell(0.0, 0.2, 0.15), cell(0.0, 0.5, 0.15)]),
    "nowhere shown above guessing": ([cell(0.0, 0.9, 0.15)] * 2, [cell(0.0, 0.9, 0.15), cell(0.2, 0.9, 0.15)]),
    "fails everywhere": ([cell(0.3, 0.8, 0.15)] * 2, [cell(0.3, 0.8, 0.15), cell(0.3, 0.9, 0.15)]),
    "masters nothing yet": ([cell(0.3, 0.9, 0.15)] * 2, [cell(0.3, 0.9, 0.15), cell(0.7, 0.9, 0.15)]),
    "nothing found": ([cell(0.7, 0.9, 0.15)], [cell(0.5, 0.9, 0.15)]),
}


@pytest.mark.parametrize(("kinds", "cases"), [(CLAIMS, CASES), (OVERALL, OVERALL_CASES)])
def test_each_kind_is_said_of_its_case_and_not_of_the_mirror(kinds, cases):
    assert {kind.name for kind in kinds} == set(cases), "every kind has a case and a mirror"
    for kind in kinds:
        case, mirror = cases[kind.name]
        said = [each.name for each in kinds if each.holds(case, BOUNDS)]
        assert said[0] == kind.name, "the strongest that holds is said"
        assert not kind.holds(mirror, BOUNDS), kind.name


def test_each_note_is_added_to_its_case_and_not_to_the_mirror():
    assert {kind.name for kind in NOTES} == set(NOTED), "every note has a case and a mirror"
    for kind in NOTES:
        case, mirror = NOTED[kind.name]
        assert kind.holds(case, BOUNDS) and kind.words(case, BOUNDS) in say_claim(case, BOUNDS)
        assert not kind.holds(mirror, BOUNDS), kind.name


def test_words_say_no_more_than_was_proved():
    assert "falls" not in say_claim(CASES["lower than its parts"][0], BOUNDS)
    assert "no drop from the parts is proved" in say_claim(CASES["below the asked level"][0], BOUNDS)
    assert say_claim(CASES["below the asked level"][1], BOUNDS) is None
    assert say_claim(Claim(share("a", 0.03, 0.79, 0.17, 4, 0.33), ()), BOUNDS) == (
        "a: below 85% and not shown to be above guessing: 0.33 [0.03, 0.79] (n = 4; guessing: 0.17)."
    )
    assert "at all" not in say_claim(basic(0.0, 0.2), BOUNDS), "without a guessing level it cannot be told"


def test_a_model_that_masters_nothing_is_not_headed_by_what_it_does_not_fail():
    low = basic(0.3, 0.8)
    (headline, about), (said, own) = say_all([low], [cell(0.0, 0.2, 0.15)], BOUNDS)
    assert headline.startswith("No better than guessing on anything that was asked") and about is None
    assert said.startswith("a: below 85%") and own is low
    [(said, own)] = say_all([low], [cell(0.0, 0.2, 0.15), cell(0.7, 0.9, 0.15)], BOUNDS)
    assert own is low


@pytest.mark.parametrize("known", [None, True, False])
def test_what_a_model_was_fitted_to_is_said_only_where_it_is_known(known):
    said = say_claim(claim((0.1, 0.5), GOOD[0], trained=known), BOUNDS)
    assert ("fitted to" in said) == (known is not None)
    assert ("not among" in said) == (known is False)
    assert "trained" not in said


def test_a_model_that_is_equally_good_everywhere_falls_nowhere(tmp_path):
    """Between the two bounds a cell is mastered and failing at once: that is no fall, and no missing skill."""
    rng = Random(5)
    for number in range(6):
        rate = rng.choice([0.5, 0.65, 0.7, 0.75, 0.8, 0.9])
        found, _ = probed(tmp_path / str(number), lambda cell, size, rate=rate: rate, number, budget=600)
        for text in found.sentences():
            assert "falls" not in text and "at all" not in text and "lower than" not in text, (rate, text)
        assert found.patterns == ()


def test_a_spent_budget_ranks_suspects_and_summarises_nothing(tmp_path):
    found, _ = probed(tmp_path, lambda cell, size: 0.1 if "give" in cell.atoms else 0.98, budget=24)
    assert found.patterns == ()
    assert found.suspects
    highs = [suspect.share.high for suspect in found.suspects]
    assert highs == sorted(highs) and all(suspect.more > 0 for suspect in found.suspects)
    whole, _ = probed(tmp_path, lambda cell, size: 0.1 if "give" in cell.atoms else 0.98)
    assert whole.suspects == ()
