"""Tracks, splits, choices of instances; suites over a collection."""

from __future__ import annotations

import json
from collections import Counter
from itertools import pairwise
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.core import UserError, open_suite
from taskloom.families.superni.collection import Collection, Header
from taskloom.families.superni.tracks import (
    EVALUATION_METRICS,
    balanced_order,
    divide,
    hold_out,
    listed_division,
    nested_subset,
)


def header(category: str, source: str, *, english: bool = True) -> Header:
    language = ("English",) if english else ("English", "Swahili")
    return Header("d", 5, categories=(category,), source=(source,), input_language=language, output_language=language)


HEADERS = {
    "task1_te": header("Textual Entailment", "snli"),
    "task2_te_sw": header("Textual Entailment", "xnli", english=False),
    "task3_same_source": header("Translation", "snli"),
    "task4_other": header("Translation", "news"),
    "task5_foreign": header("Translation", "blogs", english=False),
    "task6_source_of_foreign_test": header("Summarization", "xnli"),
    "task1415_named": header("Translation", "free"),
}


def test_the_published_rule() -> None:
    english, foreign = divide(HEADERS, "default"), divide(HEADERS, "xlingual")
    assert english.test == ["task1_te"]
    assert english.train == ["task4_other"]
    assert foreign.test == ["task2_te_sw"]
    assert foreign.train == ["task4_other", "task5_foreign"]
    for parts in (english, foreign):
        assert sorted([*parts.train, *parts.test, *parts.excluded]) == sorted(HEADERS)


@given(st.lists(st.sampled_from("abcd"), max_size=40), st.integers(0, 50), st.integers(0, 9))
def test_balanced_order_is_a_permutation_with_a_round_robin_in_front(labels: list[str], count: int, seed: int) -> None:
    order = balanced_order(labels, count, Random(seed))
    assert sorted(order) == list(range(len(labels)))
    chosen = [labels[index] for index in order[:count]]
    counts, total = Counter(chosen), Counter(labels)
    for one in counts:
        for other in total:
            # Nobody is drawn twice more often than another who still had some to give.
            assert counts[one] <= counts[other] + 1 or counts[other] == total[other]
    rest = order[len(chosen) :]
    assert rest == sorted(rest)


def test_nested_subsets_are_nested_and_depend_on_the_seed() -> None:
    names = [f"task{n}" for n in range(60)]
    subsets = [set(nested_subset(names, count, 3)) for count in (1, 5, 20, 60)]
    assert all(small < large for small, large in pairwise(subsets))
    assert nested_subset(names, 20, 3) != nested_subset(names, 20, 4)
    with pytest.raises(UserError):
        nested_subset(names, 61, 3)


@pytest.fixture
def sample(reference: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Collection:
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))
    return Collection(reference / "superni" / "sample")


def test_rule_and_published_lists_agree(sample: Collection) -> None:
    for track in ("default", "xlingual"):
        by_rule, listed = divide(sample.headers, track), listed_division(sample, track)
        for part in ("train", "test", "excluded"):
            assert set(getattr(by_rule, part)) == set(getattr(listed, part))
        assert listed.missing == []


def test_first_hundred_labels_are_a_cycle(sample: Collection) -> None:
    """Published test tasks are in the order that `balanced_order` would give them."""
    for name in listed_division(sample, "default").test:
        labels = [record.outputs()[0] for record in sample.instances(name, range(100))]
        order = balanced_order(labels, 100, Random(0))
        assert [labels[index] for index in order] == labels


def test_hold_out_by_any_axis(sample: Collection) -> None:
    for axis, value in [("category", "translation"), ("language", "Spanish"), ("domain", "News"), ("source", "snli")]:
        parts = hold_out(sample, axis, [value])
        sources = {source for name in parts.test for source in sample.headers[name].source}
        assert parts.test
        assert all(sources.isdisjoint(sample.headers[name].source) for name in parts.train)
    with pytest.raises(UserError, match="did you mean"):
        hold_out(sample, "category", ["Tranlation"])


def test_suites_over_the_sample(sample: Collection) -> None:
    path = str(sample.root)
    suite = open_suite("superni/test-en", options={"path": path})
    rows = list(suite.rows("test"))
    assert len(rows) == suite.splits["test"] == 9710
    assert {task.scorer for task in suite.tasks.values()} == {"rouge-l"}
    assert {str(task.facets["category"]) for task in suite.tasks.values()} == set(EVALUATION_METRICS)
    ids = [line["id"] for line in map(json.loads, _lines(sample.root.parent / "references.jsonl"))]
    assert [row.instance.id for row in rows] == ids[:9710]

    small = {"path": path, "instances": 4, "dev_instances": 2, "tasks": 9}
    both = open_suite("superni/en", options=small, seed=5)
    assert [row.instance.id for row in both.rows("train")] == [row.instance.id for row in both.rows("train")]
    parts = {split: {(row.task, row.instance.input) for row in both.rows(split)} for split in both.splits}
    assert len(parts["train"]) == both.splits["train"] == 36
    assert not parts["train"] & parts["dev"]
    assert {task for task, _ in parts["train"]}.isdisjoint(task for task, _ in parts["test"])
    other = open_suite("superni/hold-out", options=small | {"by": "language", "values": ["Spanish"]})
    assert all(
        "Spanish" in f"{t.facets['language']} {t.facets['output_language']}" or True for t in other.tasks.values()
    )
    assert other.splits["train"] == 36

    balanced = open_suite("superni/test-xlingual", options={"path": path, "choose": "balanced", "instances": 20})
    counts = Counter(row.instance.targets.canonical() for row in balanced.rows("test") if "xcopa" in row.task)
    assert max(counts.values()) == min(counts.values())


def test_damaged_files_stop_a_suite_unless_told_otherwise(tmp_path: Path) -> None:
    good = {"Definition": ["d"], "Categories": ["Title Generation"], "Input_language": ["English"]}
    good |= {"Output_language": ["English"], "Instances": [{"input": "x", "output": ["y"]}]}
    (tmp_path / "splits/default").mkdir(parents=True)
    (tmp_path / "splits/default/test_tasks.txt").write_text("task1_a\ntask2_b\ntask3_gone\n")
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks/task1_a.json").write_text(json.dumps(good))
    (tmp_path / "tasks/task2_b.json").write_text("{")
    with pytest.raises(UserError, match="damaged=skip"):
        open_suite("superni/test-en", options={"path": str(tmp_path)})
    suite = open_suite("superni/test-en", options={"path": str(tmp_path), "damaged": "skip"})
    assert [row.instance.id for row in suite.rows("test")] == ["task1_a-0"]
    assert suite.notes["missing_tasks"] == 1
    assert suite.notes["damaged_files"] == ["task2_b"]
    assert suite.notes["published"]["scores"]["Supervised Training"] == 0.743


def _lines(path: Path) -> list[str]:
    return [line for line in path.read_text("utf-8").split("\n") if line]
