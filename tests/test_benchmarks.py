"""The table of speed and scale measures what it says."""

from __future__ import annotations

import sys
import tomllib
from itertools import islice

import pytest
from benchmarks.measure import ROOT, Measured, child, exponent, python
from benchmarks.peers import PEERS
from benchmarks.table import HEAD, START, compared, print_table
from benchmarks.works import WORKS

from taskloom.core import open_suite


def test_a_child_reports_its_own_amount_and_seconds():
    done = child(python("-c", "from benchmarks.measure import report; print('noise'); report(50, 0.5, 700)"))
    assert (done.amount, done.seconds, done.rate, done.characters) == (50, 0.5, 100, 700)
    assert done.megabytes > 1


def test_a_child_that_reports_nothing_did_one_thing():
    done = child([sys.executable, "-c", "sum(range(10**6))"])
    assert done.amount == 1
    assert done.seconds > 0


def test_a_child_that_fails_is_an_error():
    with pytest.raises(RuntimeError, match="failed"):
        child(python("-c", "raise SystemExit(3)"))


def test_the_exponent_is_the_slope_of_cost():
    small = Measured(1_000, 2.0, 1)
    assert exponent(small, Measured(100_000, 200.0, 1)) == pytest.approx(1)
    assert exponent(small, Measured(100_000, 20_000.0, 1)) == pytest.approx(2)


def test_every_peer_belongs_to_a_line_of_the_table():
    assert set(PEERS) <= {*WORKS, START}
    assert {name for name in WORKS if name.startswith("generate")} <= set(PEERS)


def test_a_line_has_every_column(capsys, monkeypatch):
    monkeypatch.setattr("benchmarks.table.peers_of", lambda work, make: [])
    monkeypatch.setattr("benchmarks.table.ROUNDS", 1)
    print_table([START])
    _, _, *lines = capsys.readouterr().out.strip().split("\n")
    assert lines
    for line in lines:
        assert len(line.strip("| ").split(" | ")) == len(HEAD)
        assert START in line


def test_rows_and_new_characters_are_counted_without_instructions():
    suite = open_suite("babi/task-1", seed=1, options={"train": 1_000})
    texts = [one.input + one.targets.canonical() for _, one in islice(suite.rows("train"), 40)]
    rows, seconds, characters = WORKS["generate babi/task-1"].ours(40)
    assert (rows, characters) == (40, len("".join(texts)))
    assert seconds > 0


def test_a_ratio_is_given_with_its_extremes():
    slow, fast = Measured(10, 1.0, 1, 50), Measured(20, 1.0, 1, 400)
    theirs, ours, rows, characters = compared([(fast, slow), (slow, slow), (fast, slow)])
    assert (theirs, ours) == ("10.00", "20.00")
    assert rows == "2.00 (1.00 to 2.00)"
    assert characters == "8.00 (1.00 to 8.00)"


def test_modules_that_are_compiled_declare_no_structs():
    """The compiler drops what stands beside the base of a class (`frozen=True`) without a word."""
    build = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]
    listed = build["targets"]["wheel"]["hooks"]["mypyc"]["include"]
    assert listed == sorted(set(listed))
    for name in listed:
        assert "Struct" not in (ROOT / name).read_text("utf-8"), name
