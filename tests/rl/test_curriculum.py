"""A curriculum moves to the frontier, and only rewards move it."""

from __future__ import annotations

from collections import Counter

import pytest

from taskloom import UserError, open_suite
from taskloom.core import Cell
from taskloom.rl import Curriculum
from taskloom.rl.curriculum import expected, frontier_weights
from toy import FAMILY


@pytest.fixture(scope="module")
def suite():
    return open_suite("babi/mix-t2")


def practise(curriculum: Curriculum, skill, rounds: int = 7) -> Counter[str]:
    last: Counter[str] = Counter()
    for _ in range(rounds):
        rows = curriculum.draw(20)
        last = Counter(row.instance.facets["cell"] for row in rows)
        for row in rows:
            curriculum.learn(row.instance.facets["cell"], skill(row))
    return last


def test_it_moves_to_what_is_nearly_mastered(suite):
    # The policy has every cell of one question, half of one cell of the other, and none of the rest.
    curriculum = Curriculum(suite, seed=1)
    half = next(str(cell) for cell in curriculum.cells if cell.question == "where-object")
    flip = iter(range(10**6))

    def skill(row) -> float:
        cell = row.instance.facets["cell"]
        return 1.0 if cell.startswith("where-person") else float(next(flip) % 2) if cell == half else 0.0

    before = curriculum.mixture()[half]
    practise(curriculum, skill, 12)
    after = curriculum.mixture()
    assert max(after, key=after.get) == half
    assert after[half] > 2 * before
    assert min(after.values()) >= 0.1 / len(after)  # exploration never stops


def test_equal_rewards_draw_equal_rows_and_a_state_continues(suite):
    first, second = Curriculum(suite, seed=5), Curriculum(suite, seed=5)

    def skill(row) -> float:
        return float(len(row.instance.input) % 2)

    assert practise(first, skill, 2) == practise(second, skill, 2)
    third = Curriculum(suite, seed=5)
    third.restore(first.state())
    assert first.draw(6) == third.draw(6) == second.draw(6)
    assert Curriculum(suite, seed=6).draw(4) != Curriculum(suite, seed=5).draw(4)


def test_rewards_teach_through_their_column(suite):
    curriculum = Curriculum(suite)
    rows = curriculum.draw(10)
    score = curriculum.reward()
    values = score(
        prompts=[row.instance.input for row in rows],
        completions=[row.instance.targets.canonical() for row in rows],
        task=[row.task for row in rows],
        answer=[row.instance.targets.canonical() for row in rows],
        cell=[row.instance.facets["cell"] for row in rows],
    )
    assert values == [1.0] * 10
    assert sum(n for _, n in curriculum.counts.values()) == pytest.approx(10, rel=0.1)


def test_unseen_wholes_are_expected_from_their_parts():
    a, b, both = Cell("", ("a",)), Cell("", ("b",)), Cell("", ("a", "b"))
    parts = {both: (a, b)}
    rates = expected([a, b, both], lambda cell: parts.get(cell, ()), {a: (100, 100), b: (0, 100)})
    assert rates[a] > 0.95 and rates[b] < 0.05 and rates[both] < 0.05
    weights = frontier_weights({a: 0.99, b: 0.5, both: 0.01})
    assert weights[b] > 0.9 and sum(weights.values()) == pytest.approx(1)


def test_settings_and_suites_that_make_no_sense(suite):
    with pytest.raises(UserError, match="target"):
        Curriculum(suite, target=2.0)
    with pytest.raises(UserError, match="no combinations"):
        Curriculum(FAMILY.open("all", 1))
