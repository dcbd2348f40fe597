"""Super-NaturalInstructions by one command: its statistics, its baselines, and the official scores of predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import ClassVar, Literal

import msgspec

from taskloom.core import Recipe, UserError, open_suite
from taskloom.core.study import Study, Table, Value
from taskloom.families.superni.baselines import (
    BASELINES,
    PUBLISHED,
    SUITE_BASELINES,
    baseline_predictions,
    suite_baselines,
)
from taskloom.families.superni.collection import Collection, open_collection
from taskloom.families.superni.official import (
    evaluate,
    read_predictions,
    reported,
    track_references,
    write_predictions,
    write_references,
)
from taskloom.families.superni.statistics import (
    PUBLISHED_COLLECTIONS,
    PUBLISHED_STATISTICS,
    Statistics,
    count_tasks,
    from_suite,
)
from taskloom.families.superni.tracks import Track
from taskloom.figures import BubblePlot, Count, CountPlot, Figure
from taskloom.run.log import read_records
from taskloom.score.stats import estimand
from taskloom.store.ownership import write_ours

_TRACKS: dict[str, tuple[Track, ...]] = {
    "en": ("default",),
    "xlingual": ("xlingual",),
    "both": ("default", "xlingual"),
}
_BINS = 20
_TRACK_TITLES: dict[Track, str] = {"default": "English", "xlingual": "cross-lingual"}

_STATISTIC_TITLES = {
    "tasks": "tasks",
    "task_types": "task types",
    "languages": "languages",
    "domains": "domains",
    "non_english": "non-English tasks",
    "definition_words": "words per definition",
    "positive": "positive examples per task",
    "negative": "negative examples per task",
    "instances": "instances per task",
}


class StatisticsRecipe(Recipe, frozen=True, kw_only=True):
    """What is counted.

    Attributes:
        path: A collection on disk; without it a generated suite is counted.
        suite: The generated suite: superni/embedded, superni/open, or any other.
        instances: Instances per task of a generated collection; 0 for as many as it has by default.
        damaged: `skip` damaged files and instances and say so, or `stop` at the first.
        top: Rows shown of each distribution.
    """

    path: str = ""
    suite: str = "superni/embedded"
    instances: int = 0
    damaged: Literal["stop", "skip"] = "skip"
    top: int = 20


class SuperNIStatistics(Study[StatisticsRecipe]):
    """Counts, and the distributions as bubbles and log-scaled bars."""

    summary: ClassVar[str] = "Super-NI, Tables 1 and 2, Figures 2 and 10: counts of a collection beside published ones"
    recipe: ClassVar[Recipe] = StatisticsRecipe()

    def run(self, recipe: StatisticsRecipe, seed: int, out: Path | None) -> list[Table]:
        left_out = ""
        if recipe.path:
            collection = open_collection(recipe.path, "skip")
            if recipe.damaged == "stop":
                collection.refuse_damage()
            counted, name = count_tasks(collection), recipe.path
            left_out = collection.losses([*collection.headers, *collection.damaged])
        else:
            generated = recipe.suite in ("superni/embedded", "superni/open")
            options: dict[str, int] = {"dev_instances": 0} if generated else {}
            options |= {"instances": recipe.instances} if generated and recipe.instances else {}
            suite = open_suite(recipe.suite, seed=seed, options=options)
            counted, name = from_suite(suite), suite.name
            if "blueprints" in suite.notes:
                left_out = f"{suite.notes['blueprints']} blueprints; the other tasks are copies in other languages."
        if out is not None:
            for stem, figure in _figures(counted).items():
                figure.save(out, stem)
        return [
            _table_1(counted, name),
            _table_2(counted, name, left_out),
            _distribution("Figure 10a: tasks per task type", counted.by_type, recipe.top),
            _distribution("Figure 10b: tasks per language", counted.by_language, recipe.top),
            _distribution("Figure 10c: tasks per domain", counted.by_domain, recipe.top),
        ]


def _table_1(counted: Statistics, name: str) -> Table:
    here: dict[str, str | float | None] = {
        "negative": "yes" if counted.negative else "no",
        "foreign": "yes" if counted.non_english else "no",
        "tasks": counted.tasks,
        "instructions": counted.tasks,
        "types": counted.task_types,
        "words": round(counted.definition_words, 1),
    }
    collections: Mapping[str, Mapping[str, str | float | None]] = {name: here, **PUBLISHED_COLLECTIONS}
    titles = {
        "negative": "negative examples",
        "foreign": "non-English tasks",
        "tasks": "tasks",
        "instructions": "instructions",
        "types": "task types",
        "words": "words per definition",
    }
    rows = tuple((title, *(_number(values[key]) for values in collections.values())) for key, title in titles.items())
    return Table("Table 1: beside other collections", ("", *collections), rows, "Published columns: Wang et al. 2022.")


def _number(value: str | float | None) -> Value:
    """Whole numbers without decimals."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _table_2(counted: Statistics, name: str, note: str) -> Table:
    rows = tuple(
        (title, _number(PUBLISHED_STATISTICS[key]), getattr(counted, key)) for key, title in _STATISTIC_TITLES.items()
    )
    return Table("Table 2: statistics", ("statistic", "paper", name), rows, note)


def _distribution(title: str, counts: Mapping[str, int], top: int) -> Table:
    rows = tuple(list(counts.items())[:top])
    left = len(counts) - len(rows)
    return Table(title, ("", "tasks"), rows, f"{left} more." if left > 0 else "")


def _figures(counted: Statistics) -> dict[str, Figure]:
    """Figures 2 and 10 of the paper, and how long definitions are."""
    spreads = {"types": counted.by_type, "languages": counted.by_language, "domains": counted.by_domain}
    titles = {"types": "task types", "languages": "languages", "domains": "domains"}
    counts = {key: tuple(Count(name, n) for name, n in spread.items()) for key, spread in spreads.items()}
    return {
        "figure-2-types": BubblePlot(title=f"{len(counts['types'])} task types", counts=counts["types"]),
        **{
            f"figure-10-{key}": CountPlot(title=f"Tasks of {len(held)} {titles[key]}", counts=held)
            for key, held in counts.items()
        },
        "definitions": CountPlot(
            title="Words per definition", counts=_binned(counted.definition_lengths), scale="linear"
        ),
        "instances": CountPlot(title="Instances per task", counts=_binned(counted.instance_counts), scale="linear"),
    }


def _binned(values: Sequence[int]) -> tuple[Count, ...]:
    """How many values fall into each of at most twenty stretches of equal, round length."""
    if not values:
        return ()
    low, high = min(values), max(values)
    step = next(
        size for power in range(12) for size in (10**power, 5 * 10**power) if high // size - low // size < _BINS
    )
    found = Counter(value // step for value in values)
    return tuple(
        Count(f"{at * step:,}" if step == 1 else f"{at * step:,} to {(at + 1) * step - 1:,}", found[at])
        for at in range(low // step, high // step + 1)
    )


class TrackRecipe(Recipe, frozen=True, kw_only=True):
    """Which collection.

    Attributes:
        path: The collection.
        track: en, xlingual or both.
        damaged: `stop` at damaged files and instances, or `skip` them and say so.
    """

    path: str = ""
    track: Literal["en", "xlingual", "both"] = "both"
    damaged: Literal["stop", "skip"] = "stop"


class BaselineRecipe(TrackRecipe, frozen=True, kw_only=True):
    """Which collection, or which suite instead of one.

    Attributes:
        suite: A suite whose test tasks are asked instead, such as superni/open; scored by exact match.
        top: Tasks of the suite that are shown, those first that a heuristic does best.
    """

    suite: str = ""
    top: int = 20

    def __post_init__(self) -> None:
        if self.suite and self.path:
            raise ValueError("path and suite cannot be combined; give one of them")


class BaselineScores(Study[BaselineRecipe]):
    """The heuristics on a collection, with the published rows as reference lines."""

    summary: ClassVar[str] = (
        "Super-NI, Table 3: heuristic baselines on a collection or a suite, beside the published rows"
    )
    recipe: ClassVar[Recipe] = BaselineRecipe()

    def run(self, recipe: BaselineRecipe, seed: int, out: Path | None) -> list[Table]:
        if recipe.suite:
            return _suite_scores(recipe, seed)
        collection = open_collection(recipe.path, recipe.damaged)
        tracks = _TRACKS[recipe.track]
        references = [line for track in tracks for line in track_references(collection, track)]
        rows: list[tuple[Value, ...]] = []
        for baseline, line in BASELINES.items():
            predictions = baseline_predictions(collection, baseline, tracks=tracks, seed=seed)
            results = evaluate(references, predictions)
            rows.append(("here", f"{baseline}: {line}", *(results.get(f"rougeL_{t}_track") for t in _TRACK_TITLES)))
            if out is not None:
                write_predictions(out / f"predictions_{baseline}.jsonl", predictions)
        if out is not None:
            write_references(out / "references.jsonl", references)
        rows += [(f"paper, {row.group}", row.method, row.english, row.cross_lingual) for row in PUBLISHED]
        asked = [name for track in tracks for name in _test_names(collection, track)]
        note = (
            f"{estimand('instances', 'ROUGE-L')}: {len(references):,} test instances. Published rows: Wang et al. 2022."
        )
        note = f"{note} {collection.losses(asked)}".strip()
        return [Table("Table 3: unseen tasks", ("", "method", "English", "cross-lingual"), tuple(rows), note)]


def _suite_scores(recipe: BaselineRecipe, seed: int) -> list[Table]:
    """Exact match of each heuristic over the test tasks of a suite, and the tasks where one of them does best."""
    options = {"track": recipe.track} if recipe.suite == "superni/open" else {}
    suite = open_suite(recipe.suite, seed=seed, options=options)
    scores = suite_baselines(suite, "test")
    means: list[tuple[Value, ...]] = []
    for baseline in SUITE_BASELINES:
        best = max(scores, key=lambda name: scores[name][baseline])
        mean = fmean(found[baseline] for found in scores.values())
        means.append((f"{baseline}: {BASELINES[baseline]}", mean, scores[best][baseline], best))
    ranked = sorted(scores, key=lambda name: -max(scores[name].values()))[: recipe.top]
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (name, *(scores[name][baseline] for baseline in SUITE_BASELINES)) for name in ranked
    )
    left = len(scores) - len(rows)
    return [
        Table(
            "Heuristics on unseen tasks", ("method", "mean", "highest", "on the task"), tuple(means),
            f"Exact match on the {len(scores):,} test tasks of {suite.name}; the majority is of the asked answers.",
        ),
        Table(
            "Where a heuristic does best", ("task", *SUITE_BASELINES), rows, f"{left:,} more." if left > 0 else ""
        ),
    ]  # fmt: skip


def _test_names(collection: Collection, track: Track) -> list[str]:
    """The test tasks of a track, damaged ones included, to say what was left out."""
    listed = collection.split_names(track, "test")
    return listed if listed is not None else [*collection.headers, *collection.damaged]


class OfficialRecipe(TrackRecipe, frozen=True, kw_only=True):
    """Which predictions.

    Attributes:
        predictions: A file of `{"id": ..., "prediction": ...}` lines.
        run: The folder of a run on `superni/test-en` or `superni/test-xlingual`, instead of a file.
    """

    predictions: str = ""
    run: str = ""

    def __post_init__(self) -> None:
        if self.predictions and self.run:
            raise ValueError("predictions and run cannot be combined; give one of them")


class OfficialScores(Study[OfficialRecipe]):
    """Predictions scored as the official script scores them."""

    summary: ClassVar[str] = "Super-NI: the official scores of a prediction file, per track, category and task"
    recipe: ClassVar[Recipe] = OfficialRecipe()

    def run(self, recipe: OfficialRecipe, seed: int, out: Path | None) -> list[Table]:
        predictions = _said(recipe)
        collection = open_collection(recipe.path, recipe.damaged)
        tracks = _TRACKS[recipe.track]
        references = [line for track in tracks for line in track_references(collection, track)]
        results = evaluate(references, predictions)
        if out is not None:
            write_predictions(out / "predictions.jsonl", predictions)
            write_ours(out / "results.json", msgspec.json.format(msgspec.json.encode(results), indent=2))
        missing = sum(line.id not in predictions for line in references)
        asked = [name for track in tracks for name in _test_names(collection, track)]
        note = f"{_ESTIMAND} {missing:,} of {len(references):,} instances have no prediction and count as empty."
        note = f"{note} {collection.losses(asked)}".strip()
        return [
            *(_per_track(results, track) for track in tracks),
            _per_task(results, [line.task_id for line in references], tracks, note),
        ]


def _said(recipe: OfficialRecipe) -> dict[str, str]:
    """Predictions by instance id, from a file or from the log of a run; what failed is not said."""
    if recipe.predictions:
        return read_predictions(Path(recipe.predictions))
    if recipe.run:
        return {record.id: record.answer for record in read_records(Path(recipe.run)) if record.answer is not None}
    hint = "-T predictions=FILE.jsonl, or -T run=DIR of a run on superni/test-en"
    raise UserError("no predictions to score", where="predictions", hint=hint)


_ESTIMAND = "As the official script: mean, every instance counts once."


def _per_track(results: Mapping[str, float], track: Track) -> Table:
    overall = tuple(results[f"{metric}_{track}_track"] for metric in ("exact_match", "rougeL"))
    rows: list[tuple[Value, ...]] = [("all", *overall, "rougeL")]
    for category, (metric, _) in reported(results, track).items():
        key = f"for_{category.lower().replace(' ', '_')}_{track}_track"
        rows.append((category, results[f"exact_match_{key}"], results[f"rougeL_{key}"], metric))
    columns = ("category", "exact match", "ROUGE-L", "reported by")
    return Table(f"The {_TRACK_TITLES[track]} track", columns, tuple(rows), _ESTIMAND)


def _per_task(results: Mapping[str, float], tasks: Sequence[str], tracks: Sequence[Track], note: str) -> Table:
    rows: list[tuple[Value, ...]] = []
    for task in dict.fromkeys(tasks):
        for track in tracks:
            if f"rougeL_for_{task}_{track}_track" in results:
                scores = (results[f"{metric}_for_{task}_{track}_track"] for metric in ("exact_match", "rougeL"))
                rows.append((task, *scores))
    return Table("Per task", ("task", "exact match", "ROUGE-L"), tuple(rows), note)


STATISTICS = SuperNIStatistics()
BASELINE_SCORES = BaselineScores()
OFFICIAL = OfficialScores()
