"""Super-NaturalInstructions by one command: its statistics, its baselines, and the official scores of predictions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, Literal

import msgspec

from taskloom.core import Recipe, UserError, missing_extra, open_suite
from taskloom.core.study import Study, Table, Value
from taskloom.families.superni.baselines import BASELINES, PUBLISHED, baseline_predictions
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
from taskloom.run.log import latest_records
from taskloom.score.stats import estimand
from taskloom.store.outputs import write_ours

__all__ = ["BASELINE_SCORES", "OFFICIAL", "STATISTICS", "BaselineScores", "OfficialScores", "SuperNIStatistics"]

_TRACKS: dict[str, tuple[Track, ...]] = {
    "en": ("default",),
    "xlingual": ("xlingual",),
    "both": ("default", "xlingual"),
}
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
        instances: Instances per task of a generated collection.
        top: Rows shown of each distribution.
    """

    path: str = ""
    suite: str = "superni/embedded"
    instances: int = 50
    top: int = 20


class SuperNIStatistics(Study):
    """Counts, and the distributions as log-scaled bars."""

    summary: ClassVar[str] = "Super-NI, Tables 1 and 2 and Figure 10: counts of a collection beside the published ones"
    recipe: ClassVar[Recipe] = StatisticsRecipe()

    def run(self, recipe: Recipe, seed: int, out: Path | None) -> list[Table]:
        assert isinstance(recipe, StatisticsRecipe)
        left_out = ""
        if recipe.path:
            collection = open_collection(recipe.path, "skip")
            counted, name = count_tasks(collection), recipe.path
            left_out = collection.losses([*collection.headers, *collection.damaged])
        else:
            generated = recipe.suite in ("superni/embedded", "superni/open")
            options = {"instances": recipe.instances, "dev_instances": 0} if generated else {}
            suite = open_suite(recipe.suite, seed=seed, options=options)
            counted, name = from_suite(suite), suite.name
            if "blueprints" in suite.notes:
                left_out = f"{suite.notes['blueprints']} blueprints; the other tasks are copies in other languages."
        if out is not None:
            _draw(counted, out)
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


def _draw(counted: Statistics, out: Path) -> None:
    """Figure 10 as one SVG, and the lengths as another."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise missing_extra("matplotlib", "report", "drawing figures") from None
    spreads = {"task types": counted.by_type, "languages": counted.by_language, "domains": counted.by_domain}
    figure = Figure(figsize=(11, 10), layout="constrained")
    for axes, (title, counts) in zip(figure.subplots(3, 1), spreads.items(), strict=True):
        axes.bar(range(len(counts)), list(counts.values()), color="#3b6ea5")
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.7)
        axes.yaxis.set_major_formatter("{x:g}")
        axes.set_ylabel("tasks")
        axes.set_title(f"{len(counts)} {title}", loc="left")
        # Of a path like "Reviews -> Movies" the last part says enough beneath a bar.
        names = [name.rpartition("-> ")[2] for name in counts]
        axes.set_xticks(range(len(counts)), names, rotation=90, fontsize=7)
        axes.set_xlim(-0.7, len(counts) - 0.3)
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(out / "distribution.svg")
    lengths = Figure(figsize=(9, 3.4), layout="constrained")
    for axes, (label, values) in zip(
        lengths.subplots(1, 2),
        {"words per definition": counted.definition_lengths, "instances per task": counted.instance_counts}.items(),
        strict=True,
    ):
        axes.hist(values, bins=min(40, len(set(values)) + 1), color="#3b6ea5")
        axes.set_xlabel(label)
        axes.set_ylabel("tasks")
        axes.spines[["top", "right"]].set_visible(False)
    lengths.savefig(out / "lengths.svg")


class BaselineRecipe(Recipe, frozen=True, kw_only=True):
    """Which collection.

    Attributes:
        path: The collection.
        track: en, xlingual or both.
        damaged: `stop` at damaged files and instances, or `skip` them and say so.
    """

    path: str = ""
    track: Literal["en", "xlingual", "both"] = "both"
    damaged: Literal["stop", "skip"] = "stop"


class BaselineScores(Study):
    """The heuristics on a collection, with the published rows as reference lines."""

    summary: ClassVar[str] = "Super-NI, Table 3: heuristic baselines on your collection beside the published rows"
    recipe: ClassVar[Recipe] = BaselineRecipe()

    def run(self, recipe: Recipe, seed: int, out: Path | None) -> list[Table]:
        assert isinstance(recipe, BaselineRecipe)
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


def _test_names(collection: Collection, track: Track) -> list[str]:
    """The test tasks of a track, damaged ones included, to say what was left out."""
    listed = collection.split_names(track, "test")
    return listed if listed is not None else [*collection.headers, *collection.damaged]


class OfficialRecipe(BaselineRecipe, frozen=True, kw_only=True):
    """Which predictions.

    Attributes:
        predictions: A file of `{"id": ..., "prediction": ...}` lines.
        run: The folder of a run on `superni/test-en` or `superni/test-xlingual`, instead of a file.
    """

    predictions: str = ""
    run: str = ""

    def __post_init__(self) -> None:
        if self.predictions and self.run:
            raise ValueError("predictions and run are two ways to say the same; give one of them")


class OfficialScores(Study):
    """Predictions scored as the official script scores them."""

    summary: ClassVar[str] = "Super-NI: the official scores of a prediction file, per track, category and task"
    recipe: ClassVar[Recipe] = OfficialRecipe()

    def run(self, recipe: Recipe, seed: int, out: Path | None) -> list[Table]:
        assert isinstance(recipe, OfficialRecipe)
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
        return {record.id: record.answer for record in latest_records(Path(recipe.run)) if record.answer is not None}
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
