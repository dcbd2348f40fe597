"""Choosing what a report shows when nobody says: facets worth a plot, pairs worth a heat map, telling samples."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations, product, zip_longest
from typing import Any

from taskloom.core import AnyOf, Boolean, Items, Product, Targets, unknown_name
from taskloom.run.record import Record
from taskloom.run.results import Run

__all__ = ["choose_facets", "choose_pairs", "choose_samples", "varied"]

MOST_FACETS = 10
MOST_PAIRS = 3
MOST_VALUES = 24
MOST_CELLS = 200
MOST_SAMPLES = 150
_LONGEST_PROMPT = 6_000
_LONGEST_OUTPUT = 2_000


def _values(runs: Sequence[Run], facet: str) -> set[str]:
    return {value for run in runs for record in run.records for value in run.facet(record, facet)}


def _spread(run: Run, facets: Sequence[str]) -> float:
    """How much scores differ between the groups of some facets, beyond what chance explains."""
    groups: dict[tuple[str, ...], list[float]] = defaultdict(list)
    for record in run.records:
        if record.score is not None:
            for key in product(*(run.facet(record, facet) for facet in facets)):
                groups[key].append(record.score)
    count = sum(map(len, groups.values()))
    if not count:
        return 0.0
    mean = sum(map(sum, groups.values())) / count
    noise = mean * (1 - mean)
    return sum(len(g) * (sum(g) / len(g) - mean) ** 2 - noise for g in groups.values()) / count


def _is_the_answer(run: Run, facet: str) -> bool:
    """Whether a facet repeats the right answer: grouping by it shows what a model likes to say, not what it knows."""
    same = sum(run.facet(record, facet) == [record.targets.canonical()] for record in run.records)
    return same > 0.9 * len(run.records)


def varied(runs: Sequence[Run]) -> list[Run]:
    """The runs whose scores are not all the same; the others look alike in every figure."""
    return [run for run in runs if len({record.score for record in run.records}) > 1]


def choose_facets(runs: Sequence[Run], wanted: Sequence[str]) -> list[str]:
    """The facets asked for, or those with few enough values to plot, the ones that divide the scores most first.

    Raises:
        UserError: A facet nobody carries (with the nearest names).
    """
    known = sorted({name for run in runs for name in run.facet_names()})
    for name in wanted:
        if name not in known:
            raise unknown_name("facet", name, known)
    if wanted:
        return list(dict.fromkeys(wanted))
    telling = [n for n in known if 2 <= len(_values(runs, n)) <= MOST_VALUES and not _is_the_answer(runs[0], n)]
    spread = {name: sum(_spread(run, [name]) for run in varied(runs)) for name in telling}
    return sorted(telling, key=lambda name: (-spread[name], name))[:MOST_FACETS]


def choose_pairs(
    runs: Sequence[Run], facets: Sequence[str], wanted: Sequence[tuple[str, str]]
) -> list[tuple[str, str]]:
    """The pairs asked for, or those of the shown facets that say more together than either says alone."""
    if wanted:
        return list(wanted)
    found: list[tuple[float, tuple[str, str]]] = []
    for pair in combinations(facets, 2):
        first, second = sorted(pair, key=lambda name: -len(_values(runs, name)))  # the longer one stands upright
        if len(_values(runs, first)) * len(_values(runs, second)) > MOST_CELLS:
            continue
        gain = sum(
            _spread(run, [first, second]) - max(_spread(run, [first]), _spread(run, [second])) for run in varied(runs)
        )
        cells = {cell for r in runs[0].records for cell in product(runs[0].facet(r, first), runs[0].facet(r, second))}
        # As many cells as values means that one facet decides the other: nothing to see.
        if len(cells) > max(len(_values(runs, first)), len(_values(runs, second))):
            found.append((gain, (first, second)))
    return [pair for _, pair in sorted(found, key=lambda item: (-item[0], item[1]))[:MOST_PAIRS]]


def choose_samples(runs: Sequence[Run]) -> list[dict[str, Any]]:
    """Samples to browse: every run's answer to the same question side by side, the ones runs disagree on first."""
    by_run = [{record.key: record for record in run.records} for run in runs]
    keys = list(dict.fromkeys(key for records in by_run for key in records))
    wrong: list[tuple[str, str]] = []
    split: list[tuple[str, str]] = []
    right: list[tuple[str, str]] = []
    for key in keys:
        scores = [records[key].score or 0.0 for records in by_run if key in records]
        pile = split if max(scores) != min(scores) else right if min(scores) == 1.0 else wrong
        pile.append(key)
    mixed = [key for trio in zip_longest(*(_take_turns(pile) for pile in (split, wrong, right))) for key in trio if key]
    return [_sample(key, runs, by_run) for key in mixed[:MOST_SAMPLES]]


def _take_turns(keys: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Take turns between tasks, so that the first samples show many of them."""
    by_task: dict[str, list[tuple[str, str]]] = {}
    for key in keys:
        by_task.setdefault(key[0], []).append(key)
    return [key for turn in zip_longest(*by_task.values()) for key in turn if key]


def _sample(key: tuple[str, str], runs: Sequence[Run], by_run: list[dict[tuple[str, str], Record]]) -> dict[str, Any]:
    first = next(records[key] for records in by_run if key in records)
    outputs = [
        {
            "run": run.name,
            "raw": records[key].raw[:_LONGEST_OUTPUT],
            "length": records[key].raw_length,
            "extracted": records[key].answer,
            "score": records[key].score,
            "state": records[key].state,
            "error": records[key].error,
        }
        for run, records in zip(runs, by_run, strict=True)
        if key in records
    ]
    return {
        "task": first.task,
        "id": first.id,
        "prompt": first.prompt[:_LONGEST_PROMPT],
        "targets": _spoken(first.targets),
        "facets": dict(first.facets),
        "outputs": outputs,
    }


def _spoken(targets: Targets) -> list[str]:
    """Acceptable answers as a person would list them, at most a dozen."""
    match targets:
        case AnyOf(answers):
            shown = list(answers)
        case Items():
            shown = [targets.separator.join(items) or targets.empty for items in targets.alternatives]
        case Product(slots):
            shown = [f"{i + 1}: {' / '.join(slot[:8])}{' …' if len(slot) > 8 else ''}" for i, slot in enumerate(slots)]
        case Boolean():
            shown = [targets.canonical()]
        case _:
            shown = list(targets.alternatives)
    return shown[:12]
