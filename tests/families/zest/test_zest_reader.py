"""An independent reader of the passage text, and probes that look for shortcuts."""

from __future__ import annotations

import re
from collections import Counter
from functools import cache

import pytest
from zest_patterns import TOPICS
from zest_probe import Probe
from zest_reader import Reader, find

from taskloom.core import Instance, Row, open_suite
from taskloom.score.zest_fair import FAIR


@cache
def sample(split: str) -> list[Row]:
    suite = open_suite("zest/fictional", seed=11, options={"passages": 10})
    return list(suite.draw(split))


@pytest.mark.slow
@pytest.mark.parametrize("split", ["train", "dev", "test"])
def test_a_reader_of_the_text_agrees_with_the_gold_answers(split: str) -> None:
    rows = sample(split)
    suite = open_suite("zest/fictional", seed=11, options={"passages": 10})
    missed: Counter[str] = Counter()
    for task, instance in rows:
        answer = Reader(instance.parts["passage"]).answer(instance.parts["question"])
        if FAIR.score(answer, instance.targets, suite.tasks[task]).value < 1:
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
    assert agreed < 0.2 * len(rows)


def _labels(instances: list[Instance]) -> list[str]:
    return ["na" if instance.facets["answer"] == "na" else "told" for instance in instances]


@pytest.mark.slow
@pytest.mark.parametrize("part", ["passage", "question"])
def test_one_part_alone_does_not_tell_whether_there_is_an_answer(part: str) -> None:
    train, test = ([row.instance for row in sample(split)] for split in ("train", "test"))
    probe = Probe(steps=80).fit([instance.parts[part] for instance in train], _labels(train))
    texts, labels = [instance.parts[part] for instance in test], _labels(test)
    chance = Counter(labels).most_common(1)[0][1] / len(labels)
    assert probe.accuracy(texts, labels) <= chance + 0.02
    assert probe.area(texts, labels, "na") == pytest.approx(0.5, abs=0.05)


@pytest.mark.parametrize("part", ["passage", "question"])
def test_one_part_alone_does_not_tell_yes_from_no(part: str) -> None:
    train, test = (
        [row.instance for row in sample(split) if row.instance.facets["answer"] in ("yes", "no")]
        for split in ("train", "test")
    )
    probe = Probe(steps=80).fit([i.parts[part] for i in train], [str(i.facets["answer"]) for i in train])
    texts, labels = [i.parts[part] for i in test], [str(i.facets["answer"]) for i in test]
    assert probe.accuracy(texts, labels) <= 0.5 + 0.06
    assert probe.area(texts, labels, "yes") == pytest.approx(0.5, abs=0.06)


@pytest.mark.slow
def test_passages_of_the_same_tasks_do_not_tell_either() -> None:
    """Even a probe that has seen other passages of the very same tasks gains nothing in accuracy."""
    rows = [row.instance for row in sample("test")]
    train = [instance for instance in rows if int(instance.id) % 2]
    test = [instance for instance in rows if not int(instance.id) % 2]
    probe = Probe(steps=80).fit([instance.parts["passage"] for instance in train], _labels(train))
    texts, labels = [instance.parts["passage"] for instance in test], _labels(test)
    chance = Counter(labels).most_common(1)[0][1] / len(labels)
    assert probe.accuracy(texts, labels) <= chance + 0.02
    assert probe.area(texts, labels, "na") <= 0.6


def test_the_probe_finds_a_shortcut_where_there_is_one() -> None:
    train, test = ([row.instance for row in sample(split)][:1_500] for split in ("train", "test"))

    def marked(instances: list[Instance]) -> list[str]:
        return [i.parts["passage"] + (" zzz" if i.facets["answer"] == "na" else "") for i in instances]

    probe = Probe(steps=80).fit(marked(train), _labels(train))
    assert probe.area(marked(test), _labels(test), "na") > 0.95


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
        question, passage = instance.parts["question"], instance.parts["passage"]
        noun = next(noun for noun in sorted(CHAINS, key=len, reverse=True) if f"this {noun}" in question)
        if re.search(r"(?:before|after|earlier than) \d{4}", question) and not question.startswith("Is it true"):
            reader = Reader(passage)
            told = [find(TOPICS[noun][name], reader.sentences) is not None for name in CHAINS[noun]]
            assert sum(told) <= 1, (question, passage)
            checked += 1
    assert checked > 200
