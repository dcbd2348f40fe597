"""Facts in the prompt: enough for the answer, no more than true, in no telling order."""

from __future__ import annotations

import importlib.util
from collections import Counter
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from taskloom.core import AnyOf, Boolean, Instance, Product, Suite, UserError, open_suite
from taskloom.score.match import WORDS

spec = importlib.util.spec_from_file_location("reader", Path(__file__).with_name("reader.py"))
reader = importlib.util.module_from_spec(spec)
spec.loader.exec_module(reader)

SMALL = {"train": 30, "dev": 5, "test": 12, "knowledge": "world:1500", "least": 20}


def suite(name: str, **options: Any) -> Suite:
    return open_suite(f"taskbench/{name}", options={**SMALL, **options})


def right(name: str, row: Instance) -> bool:
    found = reader.answer(name, row.input)
    if isinstance(row.targets, Boolean):
        return found is row.targets.value
    assert isinstance(row.targets, AnyOf)
    return found == set(row.targets.answers)


def read_all(made: Suite) -> Counter[Any]:
    """Every item of a suite read by the independent reader; how many there are of each depth."""
    depths: Counter[Any] = Counter()
    for split in made.splits:
        for task, row in made.rows(split):
            assert right(task, row), (task, row.input, row.targets)
            depths[made.tasks[task].facets["depth"]] += 1
    assert set(depths) >= {1, 2, 3, 4}
    return depths


@pytest.mark.parametrize("facts", ["prompt", pytest.param("passage", marks=pytest.mark.proof)])
def test_an_independent_reader_finds_every_answer_to_depth_4(facts: str) -> None:
    assert read_all(suite("open-book", facts=facts, train=2, dev=1, test=1)).total() > 100


@pytest.mark.proof
@pytest.mark.parametrize("facts", ["prompt", "passage"])
def test_an_independent_reader_finds_every_answer_of_five_thousand(facts: str) -> None:
    """The default world, and more than five thousand items of each form."""
    assert read_all(suite("open-book", facts=facts, train=80, test=30, knowledge="world")).total() > 5000


def test_sequences_carry_the_facts_of_every_item() -> None:
    made = suite("map{father}(filter{is-occupation-actor})", facts="prompt", longest=4, separator=True)
    for _, row in made.rows("train"):
        facts, asked = reader.read(row.input)
        kept = [name for name in asked.split(" # ") if "actor" in facts["occupation"].get(name, ())]
        assert isinstance(row.targets, Product)
        assert [facts["father"][name] for name in kept] == [set(slot) for slot in row.targets.slots]


def test_facets_say_what_a_prompt_holds() -> None:
    made = suite("mother(father)", facts="prompt", distractors=6)
    for _, row in made.rows("train"):
        said = reader.sentences(row.input)
        assert row.facets["hops"] == 2
        assert row.facets["needed"] + row.facets["distractors"] == len(said) == len(set(said))
        assert row.facets["distractors"] == 6
        assert row.facets["direct"] is False
    assert all(row.facets["direct"] for _, row in suite("mother", facts="prompt").rows("train"))
    for _, row in suite("mother(father)", facts="prompt", distractors=0).rows("test"):
        assert row.facets["needed"] == len(reader.sentences(row.input)) == 2


def test_distractors_share_entities_and_relations_with_what_is_needed() -> None:
    same_person = same_relation = 0
    rows = [row for _, row in suite("mother(father)", facts="prompt").rows("train")]
    for row in rows:
        facts, x = reader.read(row.input)
        (father,) = facts["father"][x]
        others = [s for s in reader.sentences(row.input) if "father of" not in s and "mother of" not in s]
        same_person += any(x in s or father in s for s in others)
        same_relation += len(facts["mother"]) > 1
    assert same_person > 0.4 * len(rows)
    assert same_relation > 0.9 * len(rows)


def test_order_and_position_of_the_needed_facts_tell_nothing() -> None:
    places, expected, firsts, lasts = [], [], 0, 0
    rows = [row for _, row in suite("mother(father)", facts="prompt", train=400, knowledge="world:3000").rows("train")]
    order: Counter[bool] = Counter()
    for row in rows:
        said = reader.sentences(row.input)
        facts, x = reader.read(row.input)
        (father,) = facts["father"][x]
        needed = [said.index(f"The father of {x} is {father}"),
                  next(i for i, s in enumerate(said) if s.startswith(f"The mother of {father} is "))]  # fmt: skip
        places += [place / (len(said) - 1) for place in needed]
        order[needed[0] < needed[1]] += 1
        answer = row.targets.canonical()
        holders = [answer in s for s in said]
        expected.append(fmean(holders))
        firsts += holders[0]
        lasts += holders[-1]
    assert 0.46 < fmean(places) < 0.54
    assert 0.42 < order[True] / len(rows) < 0.58
    for share in (firsts / len(rows), lasts / len(rows)):  # a place holds the answer as often as any other
        assert abs(share - fmean(expected)) < 0.06


def test_whoever_ignores_the_facts_scores_at_chance() -> None:
    """The best fixed answer, learned from the training split, is worth no more than its share in the test split."""
    made = suite("open-book", train=60, test=40)
    answers: dict[str, Counter[str]] = {name: Counter() for name in made.tasks}
    for name, row in made.rows("train"):
        answers[name][row.targets.canonical()] += 1
    fixed = {name: counts.most_common(1)[0][0] for name, counts in answers.items()}
    by_kind: dict[str, list[float]] = {"boolean": [], "text": []}
    for name, row in made.rows("test"):
        task = made.tasks[name]
        by_kind[task.kind].append(WORDS.score(fixed[name], row.targets, task).value)
    assert 0.45 < fmean(by_kind["boolean"]) < 0.55
    assert fmean(by_kind["text"]) < 0.12


def test_a_longer_split_begins_with_a_shorter_one() -> None:
    few = list(suite("father(mother)", facts="prompt", train=8).rows("train"))
    assert list(suite("father(mother)", facts="prompt", train=30).rows("train"))[:8] == few


def test_words_have_no_facts() -> None:
    assert all(row.input.isalpha() for _, row in suite("antonyms[eng]", facts="prompt").rows("test"))


@pytest.mark.parametrize(
    ("name", "options", "said"),
    [
        ("intersection(father,complement(mother))", {"facts": "prompt", "least": 1}, "complement"),
        ("intersection(father,complement(father(mother)))", {"facts": "prompt", "least": 1}, "complement"),
        ("father", {"facts": "prompt", "permuted": True}, "cannot be permuted"),
    ],
)
def test_what_facts_cannot_decide_is_refused(name: str, options: dict[str, Any], said: str) -> None:
    with pytest.raises(UserError, match=said):
        list(suite(name, **options).rows("test"))


def test_how_often_a_name_is_mentioned_tells_nothing() -> None:
    """Among the mothers in a prompt the most mentioned one is the answer no more often than any."""
    hits, chance = [], []
    for _, row in suite("mother(father)", facts="prompt", train=400, knowledge="world:3000").rows("train"):
        facts, _ = reader.read(row.input)
        mothers = sorted(set().union(*facts["mother"].values()))
        counts = {name: sum(name in sentence for sentence in reader.sentences(row.input)) for name in mothers}
        most = [name for name in mothers if counts[name] == max(counts.values())]
        hits.append((row.targets.canonical() in most) / len(most))
        chance.append(1 / len(mothers))
    assert abs(fmean(hits) - fmean(chance)) < 0.07
