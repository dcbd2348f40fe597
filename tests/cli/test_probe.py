"""`taskloom probe` from the command line."""

from __future__ import annotations

import msgspec
import pytest

from planted import FAMILY
from taskloom.cli.main import main
from taskloom.core.catalog import FAMILIES
from taskloom.run.plan import load_plan


@pytest.fixture(autouse=True)
def planted(monkeypatch, own_registries):
    FAMILIES.register("planted", FAMILY)
    monkeypatch.setenv("TASKLOOM_PROGRESS", "off")


def test_a_perfect_model_has_no_frontier(tmp_path, capsys):
    assert main(["probe", "planted/world", "--model", "mock/oracle", "-o", str(tmp_path / "p")]) == 0
    said = capsys.readouterr().out
    assert "No combination was found" in said
    assert "0 failing" in said
    plan = load_plan(tmp_path / "p")
    assert "where: coref+move" in plan.streams
    assert main(["probe", "planted/world", "--model", "mock/oracle", "-o", str(tmp_path / "p"), "--json"]) == 0
    again = msgspec.json.decode(capsys.readouterr().out)
    assert again["claims"] == []


def test_a_model_that_can_do_nothing_is_not_said_to_do_more_than_guess(tmp_path, capsys):
    words = ["probe", "planted/world", "--model", "mock/constant", "-M", "answer=wrong", "-P", "budget=400"]
    assert main([*words, "-o", str(tmp_path / "p")]) == 0
    said = capsys.readouterr().out
    assert "below 85% and not shown to be above guessing" in said
    assert "trained" not in said


def test_what_has_no_verdict_is_counted_with_the_reason(tmp_path, capsys):
    words = ["probe", "planted/world", "--model", "mock/constant", "-M", "answer=wrong"]
    assert main([*words, "-o", str(tmp_path / "whole")]) == 0
    said = capsys.readouterr().out
    assert " of at most 20,000 questions" in said
    assert "as a part of them is not mastered." in said
    assert main([*words, "-o", str(tmp_path / "short"), "-P", "budget=2"]) == 0
    said = capsys.readouterr().out
    assert "2 of at most 2 questions" in said
    assert ", 1 left undecided." in said
    assert "The budget of 2 questions is spent" in said


def test_a_family_is_probed_by_the_suite_that_stands_for_it(tmp_path, capsys):
    assert main(["probe", "babi", "--model", "mock/majority", "-P", "budget=8", "-o", str(tmp_path / "p")]) == 0
    assert load_plan(tmp_path / "p").suite == "babi/mix-t7"
    assert main(["probe", "planted", "--model", "mock/majority", "-o", str(tmp_path / "q")]) == 2
    assert "names a family, not a suite" in capsys.readouterr().err
    for name in ("babi", "taskbench", "seti", "zest", "superni"):
        assert FAMILIES.get(name).probed in FAMILIES.get(name).suites()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["-P", "budjet=3"], "did you mean 'budget'"),
        (["-P", "low=0.9"], "low first"),
        (["--adapt", "finetune"], "a probe needs a finished model"),
    ],
)
def test_mistakes_are_refused(tmp_path, capsys, words, said):
    assert main(["probe", "planted/world", "--model", "mock/oracle", "-o", str(tmp_path / "p"), *words]) == 2
    assert said in capsys.readouterr().err


def test_a_suite_without_combinations_is_refused(tmp_path, capsys):
    (tmp_path / "own.py").write_text(
        'from taskloom import task\n\n@task(definition="Say a.", right=[("x", "a", "y")])\n'
        'def say(rng):\n    return str(rng.random()), "a"\n'
    )
    assert main(["probe", str(tmp_path / "own.py"), "--model", "mock/oracle", "-o", str(tmp_path / "p")]) == 2
    assert "there are no combinations to search" in capsys.readouterr().err
