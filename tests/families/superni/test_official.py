"""The official evaluation against every published number."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from taskloom.core import UserError
from taskloom.core.decode import read_jsonl
from taskloom.families.superni.collection import Collection
from taskloom.families.superni.official import (
    Reference,
    baseline_predictions,
    evaluate,
    read_predictions,
    reported,
    track_references,
    write_predictions,
    write_references,
)
from taskloom.families.superni.tracks import PUBLISHED_SCORES

METHODS = {"copy-input": "copy_input", "copy-demo": "copy_demo", "copy-demo-random": "copy_demo_random_seed0"}


@pytest.fixture(scope="module")
def sample(reference: Path, tmp_path_factory: pytest.TempPathFactory) -> Collection:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TASKLOOM_CACHE", str(tmp_path_factory.mktemp("cache")))
        return Collection(reference / "superni" / "sample")


@pytest.mark.parametrize("method", METHODS)
def test_every_score_of_the_heuristics(sample: Collection, reference: Path, method: str) -> None:
    folder = reference / "superni"
    references = [line for track in ("default", "xlingual") for line in track_references(sample, track)]
    predictions = baseline_predictions(sample, method)  # type: ignore[arg-type]
    published = json.loads((folder / f"scores_{METHODS[method]}.json").read_text("utf-8"))
    results = evaluate(references, predictions)
    assert results == published
    assert list(results) == list(published)
    assert predictions == read_predictions(folder / f"predictions_{METHODS[method]}.jsonl")


def test_references_equal_the_official_file(sample: Collection, reference: Path, tmp_path: Path) -> None:
    official = [line for _, line in read_jsonl(reference / "superni" / "references.jsonl", type=Reference)]
    ours = [line for track in ("default", "xlingual") for line in track_references(sample, track)]
    assert ours == official
    write_references(tmp_path / "references.jsonl", ours)
    assert [line for _, line in read_jsonl(tmp_path / "references.jsonl", type=Reference)] == official


def test_majority_uses_only_what_is_not_tested(sample: Collection) -> None:
    predictions = baseline_predictions(sample, "majority", tracks=["default"])
    assert len(predictions) == 9710
    assert all(predictions.values())


def lines(track: str = "default") -> list[Reference]:
    return [
        Reference("1", ["Yes"], "task1_a", "Word Analogy", track),
        Reference("2", ["the red house", "a house"], "task2_b", "Title Generation", track),
    ]


def test_a_missing_prediction_counts_as_empty_and_categories_choose_their_metric() -> None:
    results = evaluate(lines(), {"1": "yes!"})
    assert results["exact_match_default_track"] == 50.0
    assert results["rougeL_default_track"] == 50.0
    assert results["rougeL_for_title_generation_default_track"] == 0.0
    assert reported(results, "default") == {"Word Analogy": ("exact_match", 100.0), "Title Generation": ("rougeL", 0.0)}


def test_cross_lingual_texts_are_scored_on_gpt2_tokens() -> None:
    row = [Reference("1", ["日本"], "t", "Title Generation", track) for track in ("default", "xlingual")]
    results = evaluate(row, {"1": "日本"})
    assert results["rougeL_default_track"] == 0.0
    assert results["rougeL_xlingual_track"] == 100.0


def test_prediction_files(tmp_path: Path) -> None:
    path = tmp_path / "predictions.jsonl"
    texts = {"1": "a\u2028b\x85c", "2": "", "3": "línea\n"}
    write_predictions(path, texts)
    assert read_predictions(path) == texts
    path.write_text('{"id": "1", "prediction": "a"}\n{"id": 2}\n')
    with pytest.raises(UserError, match="jsonl:2"):
        read_predictions(path)
    path.write_text('{"id": "1", "prediction": "a"}\n{"id": "1", "prediction": "b"}\n')
    with pytest.raises(UserError, match="two different predictions"):
        read_predictions(path)
    with pytest.raises(UserError, match="no such file"):
        read_predictions(tmp_path / "nowhere.jsonl")


def test_published_rows() -> None:
    assert len(PUBLISHED_SCORES) == 9
    assert PUBLISHED_SCORES["Tk-Instruct (11B)"].english == 62.0
