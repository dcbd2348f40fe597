"""How a model falls from the suite it was trained on to another, or along a facet: without a claim about combinations.

A fall is said only where the interval of the difference leaves out zero. Suites stand in the order training → test:
what the model was adapted to first, then the others as their runs were given; never in the order of their scores.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from math import comb
from typing import Any, NamedTuple

from taskloom.core import content_hash
from taskloom.core.metric import Estimate
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.report.answer import Answer
from taskloom.report.choose import choose_facets
from taskloom.run.pool import group_replicates, pooled
from taskloom.run.results import Run
from taskloom.score.stats import compare_apart

__all__ = ["Step", "fall_of", "protocol_of", "share_words", "steps_by_model", "steps_plot", "where_asked"]

_MOST_SHOWN = 60
_FEWEST = 5
"""Groups with fewer answers than this are no ends of a fall along a facet."""


class Step(NamedTuple):
    """A model on one suite: the first of its runs there, and the mean over its seeds."""

    run: Run
    where: str
    estimate: Estimate
    adapted_here: bool


def steps_by_model(runs: Sequence[Run], names: Mapping[int, str]) -> dict[str, list[Step]]:
    """Where each model was asked: what it was trained on first, then in the order in which the runs were given.

    Where a model was asked several times on the same rows, each of its settings counts as a model of its own.
    """
    groups, places = group_replicates(runs), _places(runs)
    times = Counter((group[0].name, places[id(group[0])]) for group in groups)
    owned: dict[str, list[list[Run]]] = {}
    for group in groups:
        alone = times[group[0].name, places[id(group[0])]] == 1
        owned.setdefault(group[0].name if alone else names[id(group[0])], []).append(group)
    homes = {(_lesson(run), places[id(run)]) for run in runs}
    found = {}
    for model, own in owned.items():
        steps = []
        for group in own:
            run, place = group[0], places[id(group[0])]
            taught = _lesson(run) or _taught(run)
            here = bool(taught) and (taught, place) in homes
            steps.append(Step(run, place, pooled(group, model).estimate, here))
        found[model] = sorted(steps, key=lambda step: (not step.adapted_here, step.run.plan.split != "train"))
    return found


def _places(runs: Sequence[Run]) -> dict[int, str]:
    """What the page calls the suite of each run; where one name stands for several recipes, with what differs."""
    recipes: dict[str, dict[str, Run]] = {}
    for run in runs:
        recipes.setdefault(where_asked(run), {}).setdefault(content_hash(run.plan.recipe), run)
    found = {}
    for run in runs:
        alike = recipes[where_asked(run)]
        found[id(run)] = where_asked(run)
        if len(alike) > 1:
            first = alike[content_hash(run.plan.recipe)]
            found[id(run)] += f" ({_differing(first, list(alike.values()))})"
    return found


def _differing(run: Run, others: Sequence[Run]) -> str:
    """The options of a suite that no other recipe has alike, or the folder of its first run where that is too much."""
    keys = [key for key in run.plan.recipe if len({repr(other.plan.recipe.get(key)) for other in others}) > 1]
    text = ", ".join(f"{key}={run.plan.recipe[key]}" for key in keys)
    return text if text and len(text) <= _MOST_SHOWN else run.folder.name


def fall_of(model: str, steps: Sequence[Step]) -> Answer:
    """How a model falls from the suite it knows to the one where it falls most; on one suite, along a facet."""
    steps = [step for step in steps if step.estimate.n]
    if not steps:
        return Answer(model, "", "Has no scored answer.", note="")
    first, others = steps[0], steps[1:]
    where = f"protocol {protocol_of(first.run)}, {first.run.estimand}"
    known = f"{share_words(first.estimate)} on {first.where}"
    if not others:
        return Answer(model, where, f"{known}{_along_facet(first)}.")
    if first.adapted_here:
        # The same settings on several suites are several models, one for each.
        alike = all(step.adapted_here for step in others)
        known += ", adapted to each suite by itself" if alike else ", to which it was adapted"
    last = min(others, key=lambda step: step.estimate.value)
    lowest = f" (the lowest of {len(others)} others)" if len(others) > 1 else ""
    return Answer(model, where, f"{known}; {share_words(last.estimate)} on {last.where}{lowest}: "
                  f"{_difference_words(first.estimate, last.estimate, len(others))}.")  # fmt: skip


def _difference_words(first: Estimate, last: Estimate, looks: int) -> str:
    fall, rise = compare_apart(first, last, looks), compare_apart(last, first, looks)
    if not fall.told:
        return f"no clear difference ({rise})"
    return f"falls by {fall}" if fall.value > 0 else f"rises by {rise}"


def _along_facet(step: Step) -> str:
    """The ends of the facet that divides the scores most, where they differ beyond chance."""
    run, mean = step.run, step.estimate
    facets = choose_facets([run], ()).drawn if 0 < mean.value < 1 else []
    if not facets:
        return ""
    groups = run.by_facet(facets[0])
    known = [(group.estimate, key[0]) for key, group in groups.items() if group.estimate.n >= _FEWEST]
    if len(known) < 2:
        return ""
    (low, worse), (high, better) = min(known), max(known)
    # Both ends, and the facet itself, were sought out.
    fall = compare_apart(high, low, comb(len(known), 2) * len(facets))
    if not fall.told:
        return f"; no clear difference by {facets[0]}, which separates the scores most"
    return f"; by {facets[0]}, from {share_words(high)} with {better} down to {share_words(low)} with {worse}"


def _lesson(run: Run) -> str:
    """What a run adapted its model by; "" where it did not."""
    adaptation = run.plan.adaptation
    return content_hash(adaptation) if adaptation.get("name", "none") != "none" else ""


def _taught(run: Run) -> str:
    """What the model of a run had been adapted by in another run."""
    before: dict[str, Any] = run.plan.model.get("settings", {}).get("adaptation", {})
    return str(before.get("hash", ""))


def protocol_of(run: Run) -> str:
    """The protocol of a run, or its encoding where it has none."""
    return str(run.plan.protocol.get("name") or run.plan.encoding.get("name"))


def where_asked(run: Run) -> str:
    """The suite of a run, and its split where that is not the test split."""
    return run.plan.suite if run.plan.split in ("test", "") else f"{run.plan.suite} ({run.plan.split})"


def share_words(estimate: Estimate) -> str:
    """A share with its interval and what it rests on."""
    return f"{estimate.value:.2f} [{estimate.low:.2f}, {estimate.high:.2f}] (n = {estimate.n:,})"


def steps_plot(steps: Mapping[str, Sequence[Step]]) -> IntervalPlot | None:
    """Every model on every suite, where several were asked; those that a model was trained on first."""
    every = [(model, step) for model, own in steps.items() for step in own]
    suites = dict.fromkeys(step.where for _, step in every if step.adapted_here)
    suites |= dict.fromkeys(step.where for _, step in every)
    if len(suites) < 2:
        return None
    points = [
        IntervalPoint(suite, *step.estimate[:4], model)
        for suite in suites
        for model, step in every
        if step.where == suite
    ]
    return IntervalPlot(title="Every model on every suite", points=tuple(points),
                        caption="The score of every model on every suite, with 95 % intervals.")  # fmt: skip
