"""The official evaluation, exact match as it counts it, and the heuristic baselines of the paper.

Numbers equal those of the published script to its four decimals; files are read and written in its formats.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from random import Random
from statistics import fmean
from string import punctuation
from typing import ClassVar, Literal, TypeAlias

import msgspec

from taskloom.core import Instance, Suite, Targets, Task, UserError, acceptable_texts
from taskloom.core.decode import read_jsonl
from taskloom.core.scorer import Score, Scorer
from taskloom.families.superni.collection import Collection
from taskloom.families.superni.tracks import EVALUATION_METRICS, TEST_INSTANCES, Track, listed_division
from taskloom.score.rouge import ROUGE_L, ROUGE_L_XLINGUAL
from taskloom.store.ownership import replacing

_WITHOUT_PUNCTUATION = str.maketrans("", "", punctuation)


def normalise(text: str) -> str:
    """Lower case, without ASCII punctuation, blanks collapsed. Articles stay."""
    return " ".join(text.lower().translate(_WITHOUT_PUNCTUATION).split())


_remembered = lru_cache(maxsize=65_536)(normalise)


class SuperNIExact(Scorer, frozen=True, kw_only=True):
    """1 if the answer equals any acceptable one after normalisation, else 0.

    Two texts of nothing but punctuation are equal by this rule, as they are in the official script.
    """

    name: ClassVar[str] = "superni-exact"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        return Score(self.best(answer, acceptable_texts(targets)))

    def best(self, prediction: str, references: Sequence[str]) -> float:
        """1.0 if the prediction equals any reference after normalisation."""
        wanted = [_remembered(reference) for reference in references]
        longest = max(map(len, wanted), default=0)
        # A long prediction is usually seen to be too long from its beginning; normalising only ever adds to that.
        if len(prediction) > 2 * longest + 64 and len(normalise(prediction[: 2 * longest + 64])) > longest:
            return 0.0
        return float(normalise(prediction) in wanted)


SUPERNI_EXACT = SuperNIExact()


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


def track_references(collection: Collection, track: Track) -> Iterator[Reference]:
    """The first instances of every test task of a track, as a reference file lists them."""
    for name in listed_division(collection, track).test:
        category = collection.header(name).category
        for index, record in enumerate(collection.instances(name, range(TEST_INSTANCES))):
            yield Reference(record.id or f"{name}-{index}", list(record.outputs()), name, category, track)


def evaluate(references: Iterable[Reference], predictions: Mapping[str, str]) -> dict[str, float]:
    """All numbers of the official result file, under its keys. A missing prediction counts as an empty one."""
    # Running sums in the order of the instances, so that the last digit does not depend on the interpreter.
    tracks: dict[str, tuple[dict[str, list[float]], ...]] = {}
    for reference in references:
        prediction, right = predictions.get(reference.id, ""), reference.references
        exact = SUPERNI_EXACT.best(prediction, right)
        rouge = (ROUGE_L_XLINGUAL if reference.track == "xlingual" else ROUGE_L).best(prediction, right)
        category = reference.task_category.lower().replace(" ", "_")
        groups = tracks.setdefault(reference.track, ({}, {}, {}))
        for group, infix in zip(groups, ("", f"for_{category}_", f"for_{reference.task_id}_"), strict=True):
            sums = group.setdefault(infix, [0, 0.0, 0.0])
            sums[:] = sums[0] + 1, sums[1] + exact, sums[2] + rouge
    results: dict[str, float] = {}
    for track, groups in tracks.items():
        for infix, (count, exact, rouge) in (entry for group in groups for entry in group.items()):
            results[f"exact_match_{infix}{track}_track"] = round(100.0 * exact / count, 4)
            results[f"rougeL_{infix}{track}_track"] = round(100.0 * rouge / count, 4)
    return results


def reported(results: Mapping[str, float], track: Track) -> dict[str, tuple[str, float]]:
    """Per evaluation category the metric that the paper reports it by, and its value."""
    rows: dict[str, tuple[str, float]] = {}
    for category, metric in EVALUATION_METRICS.items():
        key = f"{metric}_for_{category.lower().replace(' ', '_')}_{track}_track"
        if key in results:
            rows[category] = (metric, results[key])
    return rows


def read_predictions(path: Path) -> dict[str, str]:
    """Predictions by instance id from `{"id": ..., "prediction": ...}` lines.

    Raises:
        UserError: A line of another shape, or an id that comes twice, with the line.
    """
    predictions: dict[str, str] = {}
    for _, record in read_jsonl(path, type=_Prediction):
        if predictions.setdefault(record.id, record.prediction) != record.prediction:
            raise UserError(f"two different predictions for {record.id}", where=str(path))
    return predictions


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


Baseline: TypeAlias = Literal["copy-input", "copy-demo", "copy-demo-random", "majority"]

BASELINES: dict[Baseline, str] = {
    "copy-input": "copies the input of the instance",
    "copy-demo": "copies the output of the first positive example",
    "copy-demo-random": "copies the output of a positive example drawn per instance",
    "majority": "says the most frequent output of the task's other instances, else of its positive examples",
}


SUITE_BASELINES: tuple[Baseline, ...] = ("copy-input", "copy-demo", "majority")
"""Those that are asked about a suite."""


def baseline_predictions(
    collection: Collection,
    baseline: Baseline,
    *,
    tracks: Iterable[Track] = ("default", "xlingual"),
    seed: int = 0,
) -> dict[str, str]:
    """Predictions by instance id for the test instances of some tracks.

    The random choice goes through one generator in the order of the test sets, so that it repeats what anyone gets who
    writes `random.Random(seed).choice(outputs)` in a loop over them.
    """
    rng = Random(seed)
    return {name: text for track in tracks for name, text in _predict(collection, track, baseline, rng)}


def suite_baselines(suite: Suite, split: str) -> dict[str, dict[Baseline, float]]:
    """Exact match of the heuristics on each task of a suite's split; the majority is that of the asked answers."""
    asked: dict[str, list[Instance]] = {}
    for row in suite.rows(split):
        asked.setdefault(row.task, []).append(row.instance)
    found: dict[str, dict[Baseline, float]] = {}
    rng = Random(0)
    for name, instances in asked.items():
        demos = [example.output for example in suite.tasks[name].instruction.positive]
        usual = Counter(instance.targets.canonical() for instance in instances).most_common(1)[0][0]
        found[name] = {
            baseline: fmean(
                SUPERNI_EXACT.best(_said(baseline, one.input, demos, usual, rng), acceptable_texts(one.targets))
                for one in instances
            )
            for baseline in SUITE_BASELINES
        }
    return found


def _said(baseline: Baseline, text: str, demos: Sequence[str], usual: str, rng: Random) -> str:
    """What a heuristic answers to an input."""
    if baseline == "copy-input":
        return text
    if baseline == "majority":
        return usual
    if not demos:
        return ""
    return demos[0] if baseline == "copy-demo" else rng.choice(demos)


def _predict(collection: Collection, track: Track, baseline: Baseline, rng: Random) -> Iterator[tuple[str, str]]:
    for name in listed_division(collection, track).test:
        demos = [example.output for example in collection.header(name).positive]
        usual = _majority(collection, name, demos) if baseline == "majority" else ""
        for index, record in enumerate(collection.instances(name, range(TEST_INSTANCES))):
            yield record.id or f"{name}-{index}", _said(baseline, record.input, demos, usual, rng)


def _majority(collection: Collection, name: str, demos: list[str]) -> str:
    """The most frequent first output beyond the tested instances; the earliest wins a tie."""
    others = collection.instances(name, range(TEST_INSTANCES, collection.header(name).instances))
    votes = Counter(record.outputs()[0] for record in others) or Counter(demos)
    return votes.most_common(1)[0][0] if votes else ""
