"""Heuristic baselines of the paper, and the published numbers to compare with."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from random import Random
from statistics import fmean
from typing import Literal, NamedTuple, TypeAlias

from taskloom.core import Instance, Suite, acceptable_texts
from taskloom.families.superni.collection import Collection
from taskloom.families.superni.exact import SUPERNI_EXACT
from taskloom.families.superni.tracks import TEST_INSTANCES, Track, listed_division

Baseline: TypeAlias = Literal["copy-input", "copy-demo", "copy-demo-random", "majority"]

BASELINES: dict[Baseline, str] = {
    "copy-input": "copies the input of the instance",
    "copy-demo": "copies the output of the first positive example",
    "copy-demo-random": "copies the output of a positive example drawn per instance",
    "majority": "says the most frequent output of the task's other instances, else of its positive examples",
}


SUITE_BASELINES: tuple[Baseline, ...] = ("copy-input", "copy-demo", "majority")
"""Those that are asked about a suite."""


class PublishedRow(NamedTuple):
    """A row of Table 3: ROUGE-L on unseen tasks, None where the paper gives no number."""

    group: str
    method: str
    english: float | None
    cross_lingual: float | None


PUBLISHED: tuple[PublishedRow, ...] = (
    PublishedRow("heuristic", "Copying Instance Input", 14.2, 5.4),
    PublishedRow("heuristic", "Copying Demo Output", 28.5, 50.3),
    PublishedRow("pretrained", "T5-LM (11B)", 30.2, None),
    PublishedRow("pretrained", "GPT3 (175B)", 45.0, 51.3),
    PublishedRow("instruction-tuned", "T0 (11B)", 32.3, None),
    PublishedRow("instruction-tuned", "InstructGPT (175B)", 52.1, 52.8),
    PublishedRow("instruction-tuned", "Tk-Instruct (11B)", 62.0, None),
    PublishedRow("instruction-tuned", "mTk-Instruct (13B)", 57.1, 66.1),
    PublishedRow("upper bound", "Supervised Training", 74.3, 94.0),
)
"""Wang et al. 2022, Table 3."""


def baseline_predictions(
    collection: Collection,
    baseline: Baseline,
    *,
    tracks: Iterable[Track] = ("default", "xlingual"),
    seed: int = 0,
    count: int = TEST_INSTANCES,
) -> dict[str, str]:
    """Predictions by instance id for the test instances of some tracks.

    The random choice goes through one generator in the order of the test sets, so that it repeats what anyone gets who
    writes `random.Random(seed).choice(outputs)` in a loop over them.
    """
    rng = Random(seed)
    return {name: text for track in tracks for name, text in _predict(collection, track, baseline, rng, count)}


def suite_baselines(suite: Suite, split: str) -> dict[str, dict[Baseline, float]]:
    """Exact match of the heuristics on each task of a suite's split; the majority is that of the asked answers."""
    asked: dict[str, list[Instance]] = {}
    for row in suite.rows(split):
        asked.setdefault(row.task, []).append(row.instance)
    found: dict[str, dict[Baseline, float]] = {}
    for name, instances in asked.items():
        demos = [example.output for example in suite.tasks[name].instruction.positive]
        usual = Counter(instance.targets.canonical() for instance in instances).most_common(1)[0][0]
        said: dict[Baseline, list[str]] = {
            "copy-input": [instance.input for instance in instances],
            "copy-demo": [demos[0] if demos else ""] * len(instances),
            "majority": [usual] * len(instances),
        }
        found[name] = {
            baseline: fmean(
                SUPERNI_EXACT.best(text, acceptable_texts(instance.targets))
                for text, instance in zip(texts, instances, strict=True)
            )
            for baseline, texts in said.items()
        }
    return found


def _predict(
    collection: Collection, track: Track, baseline: Baseline, rng: Random, count: int
) -> Iterator[tuple[str, str]]:
    for name in listed_division(collection, track).test:
        demos = [example.output for example in collection.header(name).positive]
        usual = _majority(collection, name, count, demos) if baseline == "majority" else ""
        for index, record in enumerate(collection.instances(name, range(count))):
            if baseline == "copy-input":
                answer = record.input
            elif baseline == "majority":
                answer = usual
            elif not demos:
                answer = ""
            else:
                answer = demos[0] if baseline == "copy-demo" else rng.choice(demos)
            yield record.id or f"{name}-{index}", answer


def _majority(collection: Collection, name: str, count: int, demos: list[str]) -> str:
    """The most frequent first output beyond the tested instances; the earliest wins a tie."""
    others = collection.instances(name, range(count, collection.header(name).instances))
    votes = Counter(record.outputs()[0] for record in others) or Counter(demos)
    return votes.most_common(1)[0][0] if votes else ""
