"""Two frontiers: only what changed beyond doubt is said."""

from __future__ import annotations

import msgspec
import pytest

from planted import failing, probed
from taskloom.core import UserError
from taskloom.studies.frontier.compare import compare_frontiers

PAIR, TRIPLE = ("coref", "move"), ("coref", "drop", "move")


def test_a_healed_pair_is_gained_and_the_frontier_moves(tmp_path):
    before, _ = probed(tmp_path / "before", failing(PAIR))
    after, _ = probed(tmp_path / "after", failing(TRIPLE), seed=1)
    change = compare_frontiers(before, after)
    assert {each.after.cell for each in change.of("gained")} == {"where: coref+move", "who: coref+move"}
    assert change.of("lost") == []
    assert {move.before: move.after for move in change.moved}["who: coref+move"] == ("who: coref+drop+move",)
    assert "failed and is mastered now" in change.sentences()[0]
    assert change.compared + change.left_out == len(after.cells)
    back = compare_frontiers(after, before)
    assert {each.after.cell for each in back.of("lost")} == {"where: coref+move", "who: coref+move"}
    assert "| lost" in back.table().markdown()


def test_the_same_model_asked_twice_has_not_changed(tmp_path):
    changed = 0
    for seed in range(2):
        before, _ = probed(tmp_path / f"{seed}a", failing(PAIR, bad=0.5), 2 * seed, phases=("quick",))
        after, _ = probed(tmp_path / f"{seed}b", failing(PAIR, bad=0.5), 2 * seed + 1, phases=("quick",))
        change = compare_frontiers(before, after)
        changed += bool(change.changes or change.moved)
    assert changed == 0


def test_probes_of_other_bounds_or_suites_are_refused(tmp_path):
    found, _ = probed(tmp_path, lambda cell, size: 0.97, budget=200)
    other = msgspec.structs.replace(found, settings={**found.settings, "high": 0.9})
    with pytest.raises(UserError, match="differ in high"):
        compare_frontiers(other, found)
    with pytest.raises(UserError, match="cannot be compared"):
        compare_frontiers(msgspec.structs.replace(found, suite="other/world"), found)
