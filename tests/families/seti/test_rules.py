"""Rules of one's own: in every setting where they belong, proved like those of the paper."""

from __future__ import annotations

import re
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

RELATIONS = """
[relation.rival]
pairs = [["boy", "girl"], ["man", "woman"]]
entailed = false

[relation.calling]
pairs = [["guitarist", "artist"], ["violinist", "artist"]]
entailed = true
"""
CLEFT = """
[voice.cleft]
form = "it {be} {object} that {subject} {verb} {place}"
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


@pytest.mark.parametrize("name", SUITES)
def test_a_relation_of_ones_own_is_asked_wherever_its_label_is(name, tmp_path) -> None:
    suite = opened(name, tmp_path, RELATIONS)
    rows = [row for split in suite.splits for _, row in suite.rows(split) if row.facets["kind"] != "veridical"]
    plain = [row for row in rows if row.facets["natural"] == "lexical" and row.facets["form"] == "plain"]
    own = [row for row in plain if row.facets["relation"] in ("rival", "calling")]
    listed = {"boy": "girl", "man": "woman", "guitarist": "artist", "violinist": "artist"}
    plurals = {"boys": "girls", "men": "women", "guitarists": "artists", "violinists": "artists"}
    for row in own:
        premise, hypothesis = (text.rstrip(".").lower().split() for text in row.parts.values())
        holds = row.facets["relation"] == "calling"
        changed = [(old, new) for old, new in zip(premise[::-1], hypothesis[::-1], strict=False) if old != new]
        ((old, new),) = [pair for pair in changed if pair[0] not in ("a", "an", "were")][:1]
        assert {**listed, **plurals}[old] == new
        assert row.facets["natural_entailed"] is holds
        veridical = row.facets["kind"] == "natural" or row.facets["veridical"]
        assert row.targets.canonical() == ("entailment" if holds and veridical else "not-entailment")
    if any(row.facets["natural_entailed"] for row in plain) and name not in ("task3-trivial",):
        assert any(row.facets["relation"] == "calling" for row in own)
    cells = {atom for cell in lattice_of(suite).cells for atom in cell.atoms}
    assert {f"lexical/{row.facets['relation']}" for row in own} <= cells


def test_a_voice_of_ones_own_says_the_same(tmp_path, judge) -> None:
    suite = opened("task2-trivial", tmp_path, CLEFT)
    cleft = re.compile(r"It is (.+) that (.+?) (is|are) (\w+ing)(.*)\.")
    found = [
        (row, match) for split in suite.splits for _, row in suite.rows(split)
        if (match := cleft.fullmatch(row.parts["hypothesis"]))
    ]  # fmt: skip
    assert {row.facets["relation"] for row, _ in found} == {"cleft", "participant", "unrelated"}
    for row, match in found[:: len(found) // 60]:
        patient, subject, be, verb, place = match.groups()
        said = f"{subject[:1].upper()}{subject[1:]} {be} {verb} {patient}{place}."
        follows = judge(row.parts["premise"], said)
        assert row.targets.canonical() == ("entailment" if follows else "not-entailment"), row.parts
    lattice = lattice_of(suite)
    cell = next(cell for cell in lattice.cells if cell.atoms == ("structural/cleft", "veridical-verb"))
    drawn = list(islice(lattice.stream(cell, 1), 20))
    assert all(cleft.fullmatch(row.instance.parts["hypothesis"]) for row in drawn)


def test_sentences_of_other_splits_stay_apart_with_relations_of_ones_own(tmp_path) -> None:
    suite = opened("task2-nontrivial", tmp_path, RELATIONS + CLEFT)
    seen: dict[str, set[str]] = {}
    for split in suite.splits:
        for _, row in suite.rows(split):
            seen.setdefault(row.input, set()).add(split)
    assert all(len(splits) == 1 for splits in seen.values())


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[relation.odd]\npairs = [['boy', 'chld']]\nentailed = true", "unknown noun 'chld'; did you mean 'child'"),
        ("[relation.odd]\npairs = [['boy', 'child']]\nentailed = false", "a boy is a child by the inventory"),
        ("[relation.odd]\npairs = [['child', 'boy']]\nentailed = true", "a child is not a boy by the inventory"),
        ("[relation.odd]\npairs = [['boy', 'girl']]", "missing required field `entailed`"),
        ("[relation.odd]\npairs = [['boy', 'violin']]\nentailed = false", "has a place for any of its pairs"),
        ("[relation.hypernym]\npairs = []\nentailed = true", "the relation 'hypernym' exists already"),
        ("[voice.odd]\nform = '{subject} {verb} {object}'", "lacks {place}"),
        ("[voice.odd]\nform = '{subject} {object} {place}'", "lacks {verb}"),
        ("[voice.odd]\nform = '{subject} {verb} {object} {place} {when}'", "unknown slot {when}"),
        ("[voice.odd]\nform = '{subject'", "'{subject': "),
        ("[voice.passive]\nform = ''", "the voice 'passive' exists already"),
        ("[class.veridical]\nverbs = ['prove']\nplain = true", "the class 'veridical' exists already"),
        ("[class.odd]\nverbs = ['know']\nplain = false", "says the opposite of another about 'know'"),
        ("[class.odd]\nverbs = ['prove']\nnegated = true", "no class says what follows from 'prove'"),
        ("[class.odd]\nverb = ['prove']\nplain = true", "unknown field `verb` - at `$.class.odd`"),
        ("[class.odd]\nplain = true", "missing required field `verbs` - at `$.class.odd`"),
        ("[verb.deny]\n[verb.know]\nplain = [1, 'x', 0]", "got `str` - at `$.verb.know.plain[1]`"),
        ("[quantifier.some]\nwords = 'some'\nplural = true\nnoun_up = true\nrest_up = true", "'some' exists already"),
        ("not toml", "the TOML cannot be read"),
    ],
)
def test_mistakes_are_named(text, said, tmp_path) -> None:
    with pytest.raises(UserError) as caught:
        opened("task1-trivial", tmp_path, text)
    assert said in str(caught.value)


def test_a_changed_file_is_another_suite(tmp_path) -> None:
    first = opened("task1-trivial", tmp_path, PROOF)
    rows, identity = verbs(first, "train"), first.identity
    second = opened("task1-trivial", tmp_path, GUESS)
    assert second.identity != identity
    assert verbs(second, "train") != rows
