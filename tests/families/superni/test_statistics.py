"""Statistics against a count of our own, and the studies that show them."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from taskloom.core import Instance, UserError, acceptable_texts, open_suite, resolve
from taskloom.families.superni.collection import Collection
from taskloom.families.superni.official import normalise
from taskloom.families.superni.statistics import (
    TaskSample,
    clusters,
    collection_diversity,
    count_tasks,
    from_suite,
    measure,
)
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.studies.superni.tables import BASELINE_SCORES, OFFICIAL, STATISTICS, length_bins


@pytest.fixture(autouse=True)
def _cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))


def test_the_sample_against_an_independent_count(reference: Path) -> None:
    files = [
        json.loads(path.read_text("utf-8")) for path in (reference / "superni" / "sample" / "tasks").glob("*.json")
    ]
    counted = count_tasks(Collection(reference / "superni" / "sample"))
    assert counted.tasks == len(files) == 324
    types = Counter(data["Categories"][0] for data in files)
    assert counted.by_type == dict(types)
    assert list(counted.by_type.values()) == sorted(types.values(), reverse=True)
    spoken = [{name.lower() for name in data["Input_language"] + data["Output_language"]} for data in files]
    assert counted.by_language == dict(Counter(name for names in spoken for name in names))
    assert counted.non_english == sum(names != {"english"} for names in spoken)
    assert counted.by_domain == dict(Counter(domain for data in files for domain in set(data["Domains"])))
    words = [len(data["Definition"][0].split()) for data in files]
    assert counted.definition_lengths == sorted(words)
    assert counted.definition_words == pytest.approx(sum(words) / len(files))
    assert counted.positive == pytest.approx(sum(len(data["Positive Examples"]) for data in files) / len(files))
    assert counted.negative == pytest.approx(sum(len(data["Negative Examples"]) for data in files) / len(files))
    assert counted.instances == pytest.approx(sum(len(data["Instances"]) for data in files) / len(files))


def test_a_suite_is_counted_too() -> None:
    suite = open_suite("superni/embedded", options={"instances": 2, "dev_instances": 0, "families": False})
    counted = from_suite(suite)
    assert counted.tasks == len(suite.tasks)
    assert counted.instances == 2.0
    assert counted.languages == 2


def test_the_study_draws_and_tabulates(tmp_path: Path) -> None:
    recipe = resolve(STATISTICS.recipe, {"instances": 2, "top": 5}, where="test")
    tables = STATISTICS.run(recipe, 0, tmp_path)
    assert [table.title.partition(":")[0] for table in tables] == [
        "Table 1", "Table 2", "Diversity", "Figure 10a", "Figure 10b", "Figure 10c",
    ]  # fmt: skip
    assert {row[0]: row[1] for row in tables[1].rows}["tasks"] == 1616
    for name in ("figure-2-types.svg", "figure-10-languages.svg", "definitions.svg"):
        assert "<svg" in (tmp_path / name).read_text("utf-8")


def test_lengths_fall_into_round_stretches() -> None:
    assert [(count.name, count.n) for count in length_bins([3, 3, 5])] == [("3", 2), ("4", 0), ("5", 1)]
    assert [(count.name, count.n) for count in length_bins([41, 49, 155])][:3] == [
        ("40 to 49", 2), ("50 to 59", 0), ("60 to 69", 0),
    ]  # fmt: skip
    assert sum(count.n for count in length_bins(range(1, 90_000, 7))) == len(range(1, 90_000, 7))
    assert length_bins([]) == ()


def test_heuristics_on_a_suite_are_named_with_the_task_they_do_best() -> None:
    settings = {"suite": "superni/embedded", "top": 3}
    means, best = BASELINE_SCORES.run(resolve(BASELINE_SCORES.recipe, settings, where="test"), 0, None)
    suite = open_suite("superni/embedded")
    asked: dict[str, list[Instance]] = {}
    for name, instance in suite.rows("test"):
        asked.setdefault(name, []).append(instance)
    copied = {
        name: sum(normalise(row.input) in map(normalise, acceptable_texts(row.targets)) for row in rows) / len(rows)
        for name, rows in asked.items()
    }
    assert means.rows[0][1] == pytest.approx(sum(copied.values()) / len(copied))
    assert means.rows[0][2] == pytest.approx(max(copied.values()))
    assert len(best.rows) == 3 and len(asked) == int(best.note.partition(" ")[0]) + 3
    with pytest.raises(UserError, match="cannot be combined"):
        resolve(BASELINE_SCORES.recipe, {"suite": "superni/embedded", "path": "x"}, where="test")


def test_baselines_and_official_scores(reference: Path, tmp_path: Path) -> None:
    path = str(reference / "superni" / "sample")
    recipe = resolve(BASELINE_SCORES.recipe, {"path": path, "track": "xlingual"}, where="test")
    (table,) = BASELINE_SCORES.run(recipe, 0, tmp_path)
    assert [row[3] for row in table.rows][:2] == [5.6168, 45.0619]
    assert len(table.rows) == 4 + 9
    options = {"path": path, "track": "xlingual", "predictions": str(tmp_path / "predictions_copy-input.jsonl")}
    tables = OFFICIAL.run(resolve(OFFICIAL.recipe, options, where="test"), 0, tmp_path)
    assert tables[0].rows[0][:3] == ("all", 0.0, 5.6168)
    assert len(tables[-1].rows) == 26
    assert json.loads((tmp_path / "results.json").read_text())["rougeL_xlingual_track"] == 5.6168
    run_folder = tmp_path / "run"
    launch(
        open_suite("superni/test-xlingual", options={"path": path}), run_folder, RunSettings(model="mock/copy-input")
    )
    options = {"path": path, "track": "xlingual", "run": str(run_folder)}
    assert OFFICIAL.run(resolve(OFFICIAL.recipe, options, where="test"), 0, None) == tables
    with pytest.raises(UserError, match="predictions"):
        OFFICIAL.run(resolve(OFFICIAL.recipe, {"path": path}, where="test"), 0, None)


def test_instructions_that_share_most_of_their_triples_are_of_one_kind() -> None:
    one = "Translate the sentence from German into plain English and write nothing else at all."
    assert len(set(clusters([one, one.replace("German", "Swahili"), one.replace("plain", "simple")]))) == 1
    assert len(set(clusters([one, "Count the vowels of the word.", "Translate the sentence."]))) == 3
    chain = ["a b c d e f g h", "c d e f g h i j", "e f g h i j k l", "g h i j k l m n"]
    assert len(set(clusters(chain))) == 4
    assert len(set(clusters(["a b c d e f g h", "b c d e f g h i", "c d e f g h i j"]))) == 1


def test_diversity_is_counted_by_tasks_of_equal_weight() -> None:
    long = ("one two three four five six seven eight nine ten",)
    found = measure(
        [
            TaskSample("Say it in ten words or more.", "x", "English", [long, long]),
            TaskSample("Noem een kleur.", "y", "Dutch", [("rood", "blauw"), ("geel",), ("rood",), ("rood",)]),
        ]
    )
    assert (found.clusters, found.sources, found.instruction_languages) == (2, 2, 2)
    assert (found.long_outputs, found.several) == (0.5, 0.125)
    assert (found.shortest, found.longest, found.definition_words) == (3, 7, 5.0)


def test_a_collection_on_disk_is_measured(reference: Path) -> None:
    found = collection_diversity(Collection(reference / "superni" / "sample"))
    assert found.tasks == 324
    assert 150 < found.clusters < 324
    assert found.instruction_languages == 1
    assert found.sources > 100
