"""Probes that look for shortcuts."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from functools import cache

import msgspec
import pytest
from benchmarks.zest_audit import bootstrap_interval, half_areas, probe_areas

from taskloom.core import Suite, open_suite
from taskloom.core.instance import Row
from taskloom.score.probes import area_under_curve


@cache
def suite() -> Suite:
    return open_suite("zest/fictional", seed=0, options={"passages": 4, "surplus": 0})


@pytest.mark.slow
def test_half_of_the_input_tells_nothing_about_unseen_tasks() -> None:
    for found in probe_areas(suite()):
        assert found.area == pytest.approx(0.5, abs=0.05), found


def test_the_probe_finds_a_shortcut_where_there_is_one() -> None:
    def marked(row: Row) -> Row:
        instance = row.instance
        mark = {"na": " zzz", "yes": " yyy"}.get(str(instance.facets["answer"]), "")
        parts = {**instance.parts, "passage": instance.parts["passage"] + mark}
        return Row(row.task, msgspec.structs.replace(instance, parts=parts))

    small = open_suite("zest/fictional", seed=0, options={"passages": 2, "surplus": 0})
    spoilt = replace(small, draw=lambda split: (marked(row) for row in small.rows(split)))
    areas = {(found.part, found.tells): found.area for found in probe_areas(spoilt)}
    assert areas["passage", "na"] > 0.9 and areas["passage", "yes"] > 0.9


def test_the_interval_of_an_area_counts_groups_and_not_their_items() -> None:
    """Items that all of a group repeat add nothing; further groups do."""
    scores = [(number * 7 % 40) / 40 for number in range(40)]
    truth = [number % 2 == 0 for number in range(40)]
    area = area_under_curve(scores, truth)
    alone = bootstrap_interval(scores, truth, [str(number) for number in range(40)])
    repeated = bootstrap_interval(scores * 10, truth * 10, [str(number) for number in range(40)] * 10)
    many = bootstrap_interval(scores * 10, truth * 10, [str(number) for number in range(400)])
    assert many[0] <= area <= many[1]
    assert repeated[1] - repeated[0] == pytest.approx(alone[1] - alone[0], rel=0.2)
    assert alone[1] - alone[0] > 2 * (many[1] - many[0])
    assert bootstrap_interval([0.1, 0.2, 0.8, 0.9], [False, False, True, True], list("abcd")) == (1.0, 1.0)


@cache
def _by_task() -> dict[str, list[str]]:
    answers: dict[str, list[str]] = defaultdict(list)
    for row in open_suite("zest/fictional", seed=2).rows("test"):  # the half of all tasks
        answers[row.task].append(str(row.instance.facets["answer"]))
    return answers


@pytest.mark.slow
def test_shares_of_tasks_are_as_wide_as_among_tasks_written_by_people() -> None:
    shares = Counter(round(20 * members.count("na") / len(members)) for members in _by_task().values())
    assert shares[0] > 5 and shares[20] > 20 and all(shares[count] > 2 for count in range(21))


@pytest.mark.slow
@pytest.mark.proof
def test_half_of_a_tasks_answers_do_not_give_the_rest_away_inversely() -> None:
    """Answers are drawn one by one: what is known of a task speaks for more of the same, never against it."""
    areas = half_areas(
        row for split in ("train", "dev", "test") for row in open_suite("zest/fictional", seed=2).rows(split)
    )
    assert areas["na"] > 0.6 and areas["yes"] > 0.48


def test_a_quota_would_show_in_the_halves() -> None:
    def row(task: str, answer: str) -> Row:
        instance = next(iter(suite().rows("test"))).instance
        return Row(task, msgspec.structs.replace(instance, facets={**instance.facets, "answer": answer}))

    # What one half has of n/a, the other lacks.
    dealt = {"a": ("na", "na", "yes", "no"), "b": ("yes", "no", "na", "na"), "c": ("no", "yes", "no", "yes")}
    areas = half_areas(row(task, answer) for task, answers in dealt.items() for answer in answers)
    assert areas["na"] < 0.4
