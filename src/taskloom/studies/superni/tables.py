"""Super-NaturalInstructions by one command: its statistics, its baselines, and the official scores of predictions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Literal

import msgspec

from taskloom.core import Recipe, UserError, open_suite
from taskloom.core.study import Table, Value
from taskloom.families.superni import official
from taskloom.families.superni.collection import Collection, open_collection
from taskloom.families.superni.official import (
    BASELINES,
    SUITE_BASELINES,
    baseline_predictions,
    suite_baselines,
)
from taskloom.families.superni.statistics import (
    Diversity,
    Statistics,
    collection_diversity,
    count_tasks,
    from_suite,
    suite_diversity,
)
from taskloom.families.superni.tracks import PUBLISHED_SCORES, Track
from taskloom.figures import BubblePlot, Count, CountPlot, Figure
from taskloom.run.log import read_records
from taskloom.score.stats import estimand
from taskloom.store.ownership import write_ours
from taskloom.studies.experiment import printed
from taskloom.studies.findings import table_of, table_study

_TRACKS: dict[str, tuple[Track, ...]] = {
    "en": ("default",),
    "xlingual": ("xlingual",),
    "both": ("default", "xlingual"),
}
_BINS = 20
_TRACK_TITLES: dict[Track, str] = {"default": "English", "xlingual": "cross-lingual"}


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


def _statistics_study(recipe: StatisticsRecipe, seed: int, out: Path | None) -> list[Table]:
    """Super-NI, Tables 1 and 2, Figures 2 and 10: counts of a collection beside published ones."""
    counted, varied, name, note = _counted(recipe, seed)
    spreads = {"task type": counted.by_type, "language": counted.by_language, "domain": counted.by_domain}
    if out is not None:
        for stem, figure in _figures(counted, spreads).items():
            figure.save(out, stem)
    spread_tables = []
    for letter, (what, spread) in zip("abc", spreads.items(), strict=True):
        left = len(spread) - recipe.top
        rows = list(spread.items())[: recipe.top]
        more = f"{left} more." if left > 0 else ""
        spread_tables.append(table_of("superni/distribution", rows, letter=letter, what=what, more=more))
    return [*_statistics(counted, name, note), _diversity(varied, name), *spread_tables]


def _counted(recipe: StatisticsRecipe, seed: int) -> tuple[Statistics, Diversity, str, str]:
    """The counts, how varied it is, what was counted, and what to know about it."""
    if recipe.path:
        collection = open_collection(recipe.path, "skip")
        if recipe.damaged == "stop":
            collection.refuse_damage()
        lost = collection.losses([*collection.headers, *collection.damaged])
        return count_tasks(collection), collection_diversity(collection), recipe.path, lost
    generated = recipe.suite in ("superni/embedded", "superni/open")
    options: dict[str, int] = {"dev_instances": 0} if generated else {}
    options |= {"instances": recipe.instances} if generated and recipe.instances else {}
    suite = open_suite(recipe.suite, seed=seed, options=options)
    note = "{} blueprints; the other tasks are copies in other languages."
    known = note.format(suite.notes["blueprints"]) if "blueprints" in suite.notes else ""
    return from_suite(suite), suite_diversity(suite), suite.name, known


def _statistics(counted: Statistics, name: str, note: str) -> list[Table]:
    """Tables 1 and 2 with our column beside the printed ones."""
    first, second = printed("superni", "table-1"), printed("superni", "table-2")
    here: dict[str, Value] = {
        "negative examples": "yes" if counted.negative else "no",
        "non-English tasks": "yes" if counted.non_english else "no",
        "tasks": counted.tasks,
        "instructions": counted.tasks,
        "task types": counted.task_types,
        "words per definition": round(counted.definition_words, 1),
    }
    collections = [(title, here[str(title)], *others) for title, *others in first.rows]
    rows = [(title, paper, getattr(counted, str(key))) for key, title, paper in second.rows]
    return [
        table_of("superni/table-1", collections, collections=[name, *first.columns[1:]]),
        table_of("superni/table-2", rows, name=[name], note=note),
    ]


def _diversity(varied: Diversity, name: str) -> Table:
    """How varied the tasks are, beside a copy of the published collection."""
    published = printed("superni", "diversity")
    rows = []
    for key, title, there in published.rows:
        value = getattr(varied, str(key))
        rows.append((title, there, round(value, 1 if value > 1 else 3) if isinstance(value, float) else value))
    return table_of("superni/diversity", rows, name=[name], note=published.note)


def _figures(counted: Statistics, spreads: Mapping[str, Mapping[str, int]]) -> dict[str, Figure]:
    """Figures 2 and 10 of the paper, and how long definitions are."""
    counts = {what: tuple(Count(name, n) for name, n in spread.items()) for what, spread in spreads.items()}
    lengths = {"Words per definition": counted.definition_lengths, "Instances per task": counted.instance_counts}
    words, instances = (
        CountPlot(title=title, counts=length_bins(values), scale="linear") for title, values in lengths.items()
    )
    types = counts["task type"]
    return {
        "figure-2-types": BubblePlot(title=f"{len(types)} task types", counts=types),
        **{
            f"figure-10-{what.rpartition(' ')[2]}s": CountPlot(title=f"Tasks of {len(held)} {what}s", counts=held)
            for what, held in counts.items()
        },
        "definitions": words,
        "instances": instances,
    }


def length_bins(values: Sequence[int]) -> tuple[Count, ...]:
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

    def opened(self) -> tuple[Collection, tuple[Track, ...], list[official.Reference], str]:
        """The collection, its tracks, what their test instances expect, and what was lost of the collection."""
        collection, tracks = open_collection(self.path, self.damaged), _TRACKS[self.track]
        references = [line for track in tracks for line in official.track_references(collection, track)]
        asked: list[str] = []
        for track in tracks:
            # Damaged tasks are among those listed, to say what was left out.
            listed = collection.split_names(track, "test")
            asked += listed if listed is not None else [*collection.headers, *collection.damaged]
        return collection, tracks, references, collection.losses(asked)


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


def _baselines(recipe: BaselineRecipe, seed: int, out: Path | None) -> list[Table]:
    """Super-NI, Table 3: heuristic baselines on a collection or a suite, beside the published rows."""
    if recipe.suite:
        return _suite_scores(recipe, seed)
    collection, tracks, references, lost = recipe.opened()
    rows: list[tuple[Value, ...]] = []
    for baseline, line in BASELINES.items():
        predictions = baseline_predictions(collection, baseline, tracks=tracks, seed=seed)
        results = official.evaluate(references, predictions)
        rows.append(("here", f"{baseline}: {line}", *(results.get(f"rougeL_{t}_track") for t in _TRACK_TITLES)))
        if out is not None:
            official.write_predictions(out / f"predictions_{baseline}.jsonl", predictions)
    if out is not None:
        official.write_references(out / "references.jsonl", references)
    for method, row in PUBLISHED_SCORES.items():
        rows.append((f"paper, {row.group}", method, row.english, row.cross_lingual))
    said = estimand("instances", "ROUGE-L")
    return [table_of("superni/table-3", rows, estimand=said, instances=len(references), lost=lost)]


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
    rows = [(name, *(scores[name][baseline] for baseline in SUITE_BASELINES)) for name in ranked]
    left = len(scores) - len(rows)
    return [
        table_of("superni/heuristics", means, tasks=len(scores), suite=suite.name),
        table_of("superni/best", rows, baselines=SUITE_BASELINES, more=f"{left:,} more." if left > 0 else ""),
    ]


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

    def said(self) -> dict[str, str]:
        """Predictions by instance id, from a file or from the log of a run; what failed is not said."""
        if self.predictions:
            return official.read_predictions(Path(self.predictions))
        if self.run:
            return {record.id: record.answer for record in read_records(Path(self.run)) if record.answer is not None}
        hint = "-T predictions=FILE.jsonl, or -T run=DIR of a run on superni/test-en"
        raise UserError("no predictions to score", where="predictions", hint=hint)


def _official(recipe: OfficialRecipe, seed: int, out: Path | None) -> list[Table]:
    """Super-NI: the official scores of a prediction file, per track, category and task."""
    predictions = recipe.said()
    _, tracks, references, lost = recipe.opened()
    results = official.evaluate(references, predictions)
    if out is not None:
        official.write_predictions(out / "predictions.jsonl", predictions)
        write_ours(out / "results.json", msgspec.json.format(msgspec.json.encode(results), indent=2))
    missing = sum(line.id not in predictions for line in references)
    rows = [
        (task, *(results[f"{metric}_for_{task}_{track}_track"] for metric in ("exact_match", "rougeL")))
        for task in dict.fromkeys(line.task_id for line in references)
        for track in tracks
        if f"rougeL_for_{task}_{track}_track" in results
    ]
    per_task = table_of("superni/per task", rows, missing=missing, instances=len(references), lost=lost)
    return [*(_per_track(results, track) for track in tracks), per_task]


def _per_track(results: Mapping[str, float], track: Track) -> Table:
    overall = tuple(results[f"{metric}_{track}_track"] for metric in ("exact_match", "rougeL"))
    rows: list[tuple[Value, ...]] = [("all", *overall, "rougeL")]
    for category, (metric, _) in official.reported(results, track).items():
        key = f"for_{category.lower().replace(' ', '_')}_{track}_track"
        rows.append((category, results[f"exact_match_{key}"], results[f"rougeL_{key}"], metric))
    return table_of("superni/per track", rows, track=_TRACK_TITLES[track])


STATISTICS = table_study(StatisticsRecipe(), _statistics_study)
BASELINE_SCORES = table_study(BaselineRecipe(), _baselines)
OFFICIAL = table_study(OfficialRecipe(), _official)
