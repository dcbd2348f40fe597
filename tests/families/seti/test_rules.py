"""Verb classes and quantifiers of one's own: in every setting where they belong, proved like those of the paper."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import pytest

from families.seti import judge as judging
from taskloom.core import Suite, UserError, open_suite
from taskloom.core.catalog import FAMILIES, lattice_of

SUITES = [name for name in FAMILIES.get("seti").suites() if not name.endswith("-id")]
SETTINGS = [name for name in SUITES if name.startswith("task")]

PROOF = """
[class.proof]
verbs = ["prove", "confirm"]
plain = true
negated = false
"""
GUESS = """
[class.guess]
verbs = ["guess", "fear"]
plain = false
negated = false
"""
SEVERAL = """
[quantifier.several]
words = "several"
plural = true
noun_up = true
rest_up = true
indefinite = "a"
"""


@pytest.fixture
def judge(monkeypatch: pytest.MonkeyPatch):
    """The independent judge, who has heard of the verbs."""
    monkeypatch.setattr(judging, "SPEAKS_OF_THIS_WORLD", {*judging.SPEAKS_OF_THIS_WORLD, "prove", "confirm"})
    monkeypatch.setattr(judging, "SPEAKS_OF_ANOTHER", {*judging.SPEAKS_OF_ANOTHER, "guess", "fear"})
    return judging.judge


def opened(name: str, folder: Path, text: str, **options) -> Suite:
    file = folder / "rules.toml"
    file.write_text(text, encoding="utf-8")
    return open_suite(f"seti/{name}", seed=3, options={"rules": str(file), **options})


def verbs(suite: Suite, split: str) -> set[str]:
    found = {str(row.facets["verb"]) for _, row in suite.rows(split) if row.facets["verb"]}
    return {verb for name in found for verb in name.split()}


@pytest.mark.parametrize("name", SUITES)
def test_a_class_of_five_lines_is_asked_wherever_its_side_is(name, tmp_path, judge) -> None:
    assert len(PROOF.strip().splitlines()) <= 5
    assert len(GUESS.strip().splitlines()) <= 5
    ours, plain = opened(name, tmp_path, PROOF + GUESS), open_suite(f"seti/{name}", seed=3)
    for split in ("train", "test"):
        before, after = verbs(plain, split), verbs(ours, split)
        sides = {"know": {"prove", "confirm"}, "hope": {"guess", "fear"}}
        expected = before | set().union(*(new for old, new in sides.items() if old in before))
        # Under negation a class stands with those of the same signature.
        assert after >= expected if name == "factivity" else after == expected, split
    asked = [row for split in ours.splits for _, row in ours.rows(split) if _of_ours(row.facets["verb"])]
    for row in asked[:: max(1, len(asked) // 40)]:
        premise, hypothesis = row.parts.values()
        assert row.targets.canonical() == ("entailment" if judge(premise, hypothesis) else "not-entailment"), premise
    assert bool(asked) == (name not in ("negation-nontrivial", "quantifiers-nontrivial"))


def _of_ours(verb: object) -> bool:
    return bool({"prove", "confirm", "guess", "fear"} & set(str(verb or "").split()))


def test_what_follows_under_negation_is_what_the_class_says(tmp_path) -> None:
    suite = opened("factivity", tmp_path, PROOF)
    rows = [row for split in suite.splits for _, row in suite.rows(split) if row.facets["verb"] == "prove"]
    primitive = {(row.facets["negated"], row.targets.canonical()) for row in rows if row.facets["kind"] == "veridical"}
    assert primitive == {(False, "entailment"), (True, "not-entailment")}


def test_cells_have_fresh_items_with_the_verbs(tmp_path) -> None:
    lattice = lattice_of(opened("task1-trivial", tmp_path, PROOF))
    cell = next(cell for cell in lattice.cells if cell.atoms == ("veridical-verb",))
    drawn = {row.instance.facets["verb"] for row in islice(lattice.stream(cell, 1), 300)}
    assert {"prove", "confirm", "know"} <= drawn


def test_some_verbs_alone(tmp_path) -> None:
    suite = opened("task1-trivial", tmp_path, PROOF, verbs=["proof", "know", "hope", "doubt"])
    assert verbs(suite, "train") == verbs(suite, "test") == {"prove", "confirm", "know", "hope", "doubt"}
    with pytest.raises(UserError, match="unknown verb or class 'knwo'; did you mean 'know'"):
        open_suite("seti/task1-trivial", options={"verbs": ["knwo"]})
    with pytest.raises(UserError, match="no non-veridical verb is left"):
        open_suite("seti/task1-trivial", options={"verbs": ["know"]})


@pytest.mark.parametrize("name", ["quantifiers", "quantifiers-nontrivial"])
def test_a_quantifier_of_ones_own(name, tmp_path, judge) -> None:
    suite = opened(name, tmp_path, SEVERAL)
    rows = [row for split in suite.splits for _, row in suite.rows(split) if row.facets["form"] == "several"]
    assert {row.facets["relation"] for row in rows} >= {"synonym", "co-hyponym", "hypernym", "hyponym"}
    for row in rows[:: max(1, len(rows) // 40)]:
        premise, hypothesis = row.parts.values()
        assert "everal " in premise
        assert row.targets.canonical() == ("entailment" if judge(premise, hypothesis) else "not-entailment"), premise
    assert any("quantifier/several/hypernym" in cell.atoms for cell in lattice_of(suite).cells)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[class.veridical]\nverbs = ['prove']\nplain = true", "the class 'veridical' exists already"),
        ("[class.odd]\nverbs = ['know']\nplain = false", "says the opposite of another about 'know'"),
        ("[class.odd]\nverbs = ['prove']\nnegated = true", "no class says what follows from 'prove'"),
        ("[class.odd]\nverb = ['prove']\nplain = true", "unknown field `verb`"),
        ("[class.odd]\nplain = true", "missing required field `verbs`"),
        ("[quantifier.some]\nwords = 'some'\nplural = true\nnoun_up = true\nrest_up = true", "'some' exists already"),
        ("not toml", "the TOML cannot be read"),
    ],
)
def test_mistakes_are_named(text, said, tmp_path) -> None:
    with pytest.raises(UserError, match=said):
        opened("task1-trivial", tmp_path, text)


def test_a_changed_file_is_another_suite(tmp_path) -> None:
    first = opened("task1-trivial", tmp_path, PROOF)
    rows, identity = verbs(first, "train"), first.identity
    second = opened("task1-trivial", tmp_path, GUESS)
    assert second.identity != identity
    assert verbs(second, "train") != rows
