"""The official evaluation: exact match and ROUGE-L, overall, per category and per task, in both tracks.

Numbers equal those of the published script to its four decimals; files are read and written in its formats.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import read_jsonl
from taskloom.families.superni.collection import Collection
from taskloom.families.superni.exact import SUPERNI_EXACT
from taskloom.families.superni.tracks import EVALUATION_METRICS, TEST_INSTANCES, Track, listed_division
from taskloom.score.rouge import ROUGE_L, ROUGE_L_XLINGUAL
from taskloom.store.ownership import replacing


class Reference(msgspec.Struct, frozen=True):
    """One line of a reference file."""

    id: str
    references: list[str]
    task_id: str
    task_category: str
    track: str


class _Prediction(msgspec.Struct, frozen=True):
    id: str
    prediction: str


def track_references(collection: Collection, track: Track, count: int = TEST_INSTANCES) -> Iterator[Reference]:
    """The first instances of every test task of a track, as a reference file lists them."""
    for name in listed_division(collection, track).test:
        category = collection.header(name).category
        for index, record in enumerate(collection.instances(name, range(count))):
            yield Reference(record.id or f"{name}-{index}", list(record.outputs()), name, category, track)


class _Sums:
    """Running sums in the order of the instances, so that the last digit does not depend on the interpreter."""

    __slots__ = ("count", "exact", "rouge")

    def __init__(self) -> None:
        self.count = 0
        self.exact = 0.0
        self.rouge = 0.0

    def add(self, exact: float, rouge: float) -> None:
        self.count += 1
        self.exact += exact
        self.rouge += rouge


def _scorer(track: str) -> Callable[[str, Sequence[str]], float]:
    return ROUGE_L_XLINGUAL.best if track == "xlingual" else ROUGE_L.best


def evaluate(references: Iterable[Reference], predictions: Mapping[str, str]) -> dict[str, float]:
    """All numbers of the official result file, under its keys. A missing prediction counts as an empty one."""
    tracks: dict[str, tuple[_Sums, dict[str, _Sums], dict[str, _Sums]]] = {}
    for reference in references:
        prediction = predictions.get(reference.id, "")
        exact = SUPERNI_EXACT.best(prediction, reference.references)
        rouge = _scorer(reference.track)(prediction, reference.references)
        overall, categories, tasks = tracks.setdefault(reference.track, (_Sums(), {}, {}))
        category = reference.task_category.lower().replace(" ", "_")
        for sums in (
            overall,
            categories.setdefault(category, _Sums()),
            tasks.setdefault(reference.task_id, _Sums()),
        ):
            sums.add(exact, rouge)
    results: dict[str, float] = {}
    for track, (overall, categories, tasks) in tracks.items():
        for infix, sums in [("", overall), *((f"for_{name}_", s) for name, s in {**categories, **tasks}.items())]:
            results[f"exact_match_{infix}{track}_track"] = round(100.0 * sums.exact / sums.count, 4)
            results[f"rougeL_{infix}{track}_track"] = round(100.0 * sums.rouge / sums.count, 4)
    return results


def reported(results: Mapping[str, float], track: Track) -> dict[str, tuple[str, float]]:
    """Per evaluation category the metric that the paper reports it by, and its value."""
    rows: dict[str, tuple[str, float]] = {}
    for category, metric in EVALUATION_METRICS.items():
        key = f"{metric}_for_{category.lower().replace(' ', '_')}_{track}_track"
        if key in results:
            rows[category] = (metric, results[key])
    return rows


T = TypeVar("T")


def _read_lines(path: Path, kind: type[T]) -> list[T]:
    """Records of a JSON Lines file. Lines end at newlines only: texts may hold U+2028 and its like."""
    return [record for _, record in read_jsonl(path, type=kind)]


def read_predictions(path: Path) -> dict[str, str]:
    """Predictions by instance id from `{"id": ..., "prediction": ...}` lines.

    Raises:
        UserError: A line of another shape, or an id that comes twice, with the line.
    """
    predictions: dict[str, str] = {}
    for record in _read_lines(path, _Prediction):
        if predictions.setdefault(record.id, record.prediction) != record.prediction:
            raise UserError(f"two different predictions for {record.id}", where=str(path))
    return predictions


def read_references(path: Path) -> list[Reference]:
    """The lines of a reference file."""
    return _read_lines(path, Reference)


def write_predictions(path: Path, predictions: Mapping[str, str]) -> None:
    """Write predictions as the official script reads them."""
    _write_lines(path, (_Prediction(name, text) for name, text in predictions.items()))


def write_references(path: Path, references: Iterable[Reference]) -> None:
    """Write a reference file."""
    _write_lines(path, references)


def _write_lines(path: Path, records: Iterable[msgspec.Struct]) -> None:
    encoder = msgspec.json.Encoder()
    with replacing(path) as scratch, scratch.open("wb") as file:
        for record in records:
            file.write(encoder.encode(record) + b"\n")
