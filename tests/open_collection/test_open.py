"""The open collection made of the real packages (`make test-sources`)."""

from __future__ import annotations

import os
import re
from collections import Counter
from itertools import islice

import pytest

from taskloom.author.prove import prove_rows
from taskloom.core import Suite, open_suite
from taskloom.families.superni.official import suite_baselines
from taskloom.families.superni.tracks import DOMAINS, EVALUATION_METRICS, LANGUAGES, TYPES
from taskloom_open.collection import open_blueprints
from taskloom_open.kit import entries
from taskloom_open.written import task_records

pytestmark = pytest.mark.skipif(
    not os.environ.get("TASKLOOM_TEST_SOURCES"), reason="needs the packages of superni/open: make test-sources"
)


@pytest.fixture(scope="module")
def suite() -> Suite:
    return open_suite("superni/open", seed=0)


def test_it_is_as_large_and_as_mixed_as_it_says(suite: Suite) -> None:
    tasks = suite.tasks.values()
    spoken = {
        name for task in tasks for key in ("language", "output_language") for name in str(task.facets[key]).split(", ")
    }
    assert len(tasks) >= 600
    named = entries().keys() | task_records().keys()
    assert len({task.facets["blueprint"] for task in tasks}) == len(named) == suite.notes["blueprints"]
    assert len({task.facets["category"] for task in tasks}) >= 70
    assert len(spoken) >= 55
    assert len({name for task in tasks for name in task.facets["domains"]}) >= 20  # type: ignore[union-attr]
    assert {str(task.facets["category"]) for task in tasks} <= TYPES
    assert spoken <= LANGUAGES
    assert {name for task in tasks for name in task.facets["domains"]} <= DOMAINS.keys()  # type: ignore[union-attr]


def test_both_tracks_fill_every_evaluation_category() -> None:
    for track in ("en", "xlingual"):
        suite = open_suite("superni/open", options={"track": track, "instances": 1})
        asked = {str(suite.tasks[row.task].facets["category"]) for row in suite.rows("test")}
        assert asked == set(EVALUATION_METRICS), track


def test_training_and_test_share_no_material(suite: Suite) -> None:
    used = {
        split: {
            (str(suite.tasks[row.task].facets["source"]).partition(",")[0], name)
            for row in suite.rows(split)
            for name in row.instance.details["material"]
        }
        for split in suite.splits
    }
    assert used["train"]
    assert used["test"]
    assert not used["train"] & used["test"]
    sources = {split: {suite.tasks[row.task].facets["source"] for row in suite.rows(split)} for split in suite.splits}
    assert not sources["train"] & sources["test"]


def test_every_row_is_proved(suite: Suite) -> None:
    rows = {split: list(suite.rows(split)) for split in suite.splits}
    assert [str(finding) for finding in prove_rows(suite, rows, file="superni/open")] == []


@pytest.mark.parametrize("name", sorted(entries()))
def test_definitions_are_complete(name: str) -> None:
    entry = entries()[name]
    assert all(10 <= len(text.split()) <= 250 for text in (entry.definition, *entry.again))
    held = [one for one in open_blueprints().values() if one.facets["blueprint"] == name]
    assert held
    for blueprint in held:
        assert "{" not in blueprint.definition
        for label in blueprint.labels:
            assert label.lower() in blueprint.definition.lower()
    for blueprint in held[:3]:
        shown = blueprint.instruction
        assert len(shown.positive) >= 2
        assert len(shown.negative) == 2
        for example in (*shown.positive, *shown.negative):
            assert example.explanation
            assert len(example.explanation.split()) >= 3


def test_neither_copying_nor_a_constant_answer_gets_far(suite: Suite) -> None:
    scores = suite_baselines(suite, "test")
    for task, by_baseline in scores.items():
        assert by_baseline["copy-input"] <= 0.5, task
        assert by_baseline["copy-demo"] <= 0.5, task
        assert by_baseline["majority"] <= 0.6, task


def test_words_are_joined_in_their_own_language(suite: Suite) -> None:
    names = [name for name, task in suite.tasks.items() if task.facets["blueprint"] == "join_words"]
    foreign = [name for name in names if suite.tasks[name].facets["language"] != "English"]
    assert foreign
    for name in foreign:
        for row in suite.rows("train", task=name):
            assert not {"and", "or"} & set(row.instance.targets.canonical().split()), (name, row.instance)


def test_an_answer_is_offered_once(suite: Suite) -> None:
    asked = 0
    for name, task in suite.tasks.items():
        split = "test" if task.facets["category"] in EVALUATION_METRICS else "train"
        for place, row in enumerate(suite.rows(split, task=name)):
            if place == 20 or "\nOptions: " not in row.instance.input:
                break
            offered = row.instance.input.rpartition("\nOptions: ")[2]
            options = offered.split("; " if "; " in offered else ", ")
            asked += 1
            assert len(set(options)) == len(options), (name, row.instance)
            if task.facets["blueprint"] != "replace_by_opposite":
                assert row.instance.targets.canonical() in options, (name, row.instance)
    assert asked


def test_no_answer_is_constant(suite: Suite) -> None:
    answers: dict[str, Counter[str]] = {}
    for split in suite.splits:
        for row in suite.rows(split):
            answers.setdefault(row.task, Counter())[row.instance.targets.canonical()] += 1
    for task, counts in answers.items():
        assert counts.most_common(1)[0][1] <= 0.7 * counts.total(), task


_SPELLED_WRONG_ON_PURPOSE = {
    "detect_plural_error",
    "repair_plural",
    "repair_agreement",
    "natural_word_order",
    "every_second_word",
}
_SLIPS = re.compile(
    r"(?<![\w.,:/$%+*=<>(\[-])1 (?:euros|places|points|letters|roses|tulips|lilies|eggs|books|years old|votes)\b"
    r"|\b(?:there are|there were|have) 1 (?!\w+ing\b)[a-z]+\b(?! new)"
    r"|\b(?:in|of|from|to) (?:United States|United Kingdom|Netherlands|Philippines)\b",
)


def test_english_sentences_count_and_name_as_people_do(suite: Suite) -> None:
    """Explanations, inputs and answers: no "1 places", no "from United States"."""
    found = []
    for name, task in suite.tasks.items():
        if task.facets["instruction_language"] != "English" or task.facets["blueprint"] in _SPELLED_WRONG_ON_PURPOSE:
            continue
        shown = task.instruction
        said = [one.explanation or "" for one in (*shown.positive, *shown.negative)]
        if str(task.facets["language"]) == str(task.facets["output_language"]) == "English" and not task.labels:
            split = "test" if task.facets["category"] in EVALUATION_METRICS else "train"
            rows = [row.instance for row in islice(suite.rows(split, task=name), 40)]
            said += [text for one in rows for text in (one.input, one.targets.canonical())]
        found += [(name, match[0]) for text in said if (match := _SLIPS.search(text))]
    assert found == []
