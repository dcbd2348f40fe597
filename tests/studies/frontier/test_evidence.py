"""Intervals and verdicts hold at every time, whenever one stops."""

from __future__ import annotations

from functools import cache
from math import exp, log
from random import Random

import pytest

from taskloom.studies.frontier.claims import Counts, interval, log_evidence, verdict, verdict_chance


def test_evidence_is_a_likelihood_ratio_of_a_beta_mixture():
    from scipy.integrate import quad

    counts, bound = Counts(7, 3), 0.6
    mixture, _ = quad(lambda p: p**7 * (1 - p) ** 3 * (p * (1 - p)) ** -0.5 / 3.141592653589793, 0, 1)
    assert exp(log_evidence(counts, bound)) == pytest.approx(mixture / (bound**7 * (1 - bound) ** 3), rel=1e-6)


def test_intervals_hold_at_all_times():
    level = log(1 / 0.05)
    seen = cache(lambda counts: interval(counts, level))  # 180,000 looks at far fewer tallies
    for rate in (0.5, 0.85, 0.97):
        missed = 0
        for seed in range(300):
            rng, counts = Random(f"{rate} {seed}"), Counts()
            for _ in range(200):
                counts = counts.plus(rng.random() < rate)
                low, high = seen(counts)
                if not low <= rate <= high:
                    missed += 1
                    break
        assert missed <= 25, rate  # 5 % of 300, and three standard deviations


def test_peeking_does_not_make_a_failure_of_a_sound_cell():
    wrong = 0
    for seed in range(300):
        rng, counts = Random(seed), Counts()
        for _ in range(100):
            for _ in range(4):
                counts = counts.plus(rng.random() < 0.85)
            if verdict(counts, 0.6, 0.85, log(1 / 0.05)) == "failing":
                wrong += 1
                break
    assert wrong <= 15


@pytest.mark.parametrize("counts", [Counts(3, 1), Counts(15, 5), Counts(24, 8)])
def test_the_chance_of_a_verdict_is_what_answers_of_a_drawn_rate_give(counts):
    rng, level, reached = Random(0), log(20), 0
    for _ in range(4_000):
        rate, later = rng.betavariate(counts.right + 0.5, counts.wrong + 0.5), counts
        for _ in range(60 - counts.n):
            later = later.plus(rng.random() < rate)
        reached += verdict(later, 0.6, 0.85, level) is not None
    assert verdict_chance(counts, 0.6, 0.85, level, 60) == pytest.approx(reached / 4_000, abs=0.03)


def test_without_answers_left_the_chance_of_a_verdict_is_whether_there_is_one():
    assert verdict_chance(Counts(30, 10), 0.6, 0.85, log(20), 40) == 0.0
    assert verdict_chance(Counts(40, 0), 0.6, 0.85, log(20), 40) == 1.0


@pytest.mark.parametrize(("right", "n"), [(0, 0), (0, 5), (5, 5), (3, 9), (400, 400)])
def test_intervals_hold_the_share_and_have_width(right, n):
    counts = Counts(right, n - right)
    low, high = interval(counts, log(100))
    assert 0 <= low <= (counts.share if n else 0.5) <= high <= 1
    assert high - low > 0
