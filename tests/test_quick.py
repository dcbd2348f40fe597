"""The fast lane chooses the tests of the rooms that changed."""

from __future__ import annotations

from scripts import quick


def test_a_changed_room_brings_its_tests_and_those_of_the_house():
    chosen = quick.tests_of(["src/taskloom/families/babi/reader.py", "src/taskloom/run/log.py", "docs/babi.md"])
    assert {"tests/families/babi", "tests/run", "tests/test_house.py"} <= set(chosen)
    assert "tests/families/zest" not in chosen
    assert "tests/score" not in chosen


def test_a_changed_test_is_run_and_a_removed_one_is_not():
    chosen = quick.tests_of(["tests/core/test_rng.py", "tests/core/test_gone.py"])
    assert "tests/core/test_rng.py" in chosen
    assert "tests/core/test_gone.py" not in chosen
