"""An independent reader of the passage text judges answers, and looks for contradictions."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest
from zest_patterns import TOPICS
from zest_reader import DATED, Reader, Text
from zest_sense import contradictions

from taskloom.core import Row, open_suite
from taskloom.families.zest.score.fair import FAIR


@cache
def sample(split: str, seed: int = 11, passages: int = 3) -> list[Row]:
    suite = open_suite("zest/fictional", seed=seed, options={"passages": passages, "surplus": 0})
    return list(suite.draw(split))


@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_reader_of_the_text_agrees_with_the_gold_answers(split: str) -> None:
    rows = sample(split)
    missed: Counter[str] = Counter()
    for task, instance in rows:
        answer = Reader(instance.parts["passage"]).answer(instance.parts["question"])
        if FAIR.score(answer, instance.targets, None).value < 1:
            missed[task] += 1
    assert missed.total() <= 0.01 * len(rows), missed.most_common(5)


def test_the_reader_can_be_wrong() -> None:
    """The judge is not a rubber stamp: another passage's answers do not pass."""
    rows = [row for row in sample("dev") if row.instance.facets["answer"] == "value"]
    others = [*rows[1:], rows[0]]
    agreed = sum(
        FAIR.score(
            Reader(other.instance.parts["passage"]).answer(row.instance.parts["question"]), row.instance.targets, None
        ).value == 1
        for row, other in zip(rows, others, strict=True)
        if row.task.split(".")[0] == other.task.split(".")[0]
    )  # fmt: skip
    assert agreed < 0.25 * len(rows)


def test_answers_need_two_sentences_or_one_step_now_and_then() -> None:
    """The ways of saying things that ask more of a reader do occur, and the reader manages them."""
    rows = [row.instance for row in sample("train") if row.instance.facets["answer"] != "na"]
    implied = [instance for instance in rows if instance.facets["implied"]]
    spread = [instance for instance in rows if instance.facets["evidence"] > 1]
    assert len(implied) > 0.08 * len(rows) and len(spread) > 0.2 * len(rows)
    wrong = [
        instance.parts["question"]
        for instance in implied
        if FAIR.score(
            Reader(instance.parts["passage"]).answer(instance.parts["question"]), instance.targets, None
        ).value < 1
    ]  # fmt: skip
    assert len(wrong) <= 0.02 * len(implied), wrong[:5]


def _noun(question: str) -> str:
    return next(noun for noun in sorted(TOPICS, key=len, reverse=True) if f"this {noun}" in question)


def test_no_passage_contradicts_itself() -> None:
    seen = set()
    for _, instance in [*sample("dev"), *sample("train")]:
        passage = instance.parts["passage"]
        if passage not in seen:
            seen.add(passage)
            assert contradictions(_noun(instance.parts["question"]), passage) == [], passage
    assert len(seen) > 1_000


@pytest.mark.parametrize(("noun", "passage"), [
    ("ship", "The Ivory Dawn sailed from Ulby. She was broken up in 1840. She struck the rocks of Ama Cay."),
    ("ship", "The Ivory Dawn sailed from Ulby. She had a hull of 40 metres. A line stretched from stem to stern gave "
             "52 metres."),
    ("ship", "The Ivory Dawn sailed from Ulby. She slid down the slipway in 1840. She was broken up in 1830."),
    ("mountain", "Mount Ama is a mountain near Ulby. It is built of limestone. It was piled up by lava and ash."),
    ("bridge", "Ama Bridge is in Ulby. It has been in use since 1900. The Ulby Flood is past and struck in 1850."),
    ("bridge", "Ama Bridge is in Ulby. Ulm Bridge, a bridge upstream, rests on six arches. Ulm Bridge, a bridge "
               "downstream, was built of steel."),
    ("festival", "The Ama Fair brings Ulby to life. It spreads over a meadow without a single tent. The tents are "
                 "taken down after 4 days."),
])  # fmt: skip
def test_contradictions_are_found_where_there_are_some(noun: str, passage: str) -> None:
    assert contradictions(noun, passage)


CHAINS = {
    "ruler": ("birth", "coronation"), "dog breed": ("recognised", "exported"), "nature reserve": ("opened", "enlarged"),
    "ship": ("launched", "scrapped"), "mountain": ("climbed", "skied"), "bridge": ("opened", "repaired"),
    "castle": ("founded", "destroyed"), "festival": ("founded", "cancelled"), "museum": ("founded", "renovated"),
    "railway line": ("opened", "electrified"),
}  # fmt: skip


def test_no_other_year_settles_a_comparison_that_is_left_open() -> None:
    """A ship scrapped in 1786 was launched before 1800, so a passage must not say the one and be asked the other."""
    checked = 0
    for _, instance in [*sample("dev"), *sample("train")]:
        question = instance.parts["question"]
        if len(re.findall(DATED, question)) == 1 and question.startswith(("Was", "Did")):
            noun, text = _noun(question), Text(instance.parts["passage"])
            said = [text.find(noun, TOPICS[noun][name]) is not None for name in CHAINS[noun]]
            assert sum(said) <= 1, (question, instance.parts["passage"])
            checked += 1
    assert checked > 100
