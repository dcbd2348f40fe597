"""What can be guessed from half of the input: areas under the curve of linear probes.

A probe is fitted on the train split and asked about the tasks of another one, which it never saw. 0.5 is chance,
for any shares of the answers. Items of a task share its question and its shares, so what chance does to an area
is measured by drawing tasks anew, not items.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from taskloom.core import Row, Suite, keyed_random
from taskloom.score.probes import LinearProbe, ProbeItem, Side, area_under_curve

_DRAWS = 1_000
_SIDES: dict[str, Side] = {"passage": "context", "question": "question"}


class ProbeArea(NamedTuple):
    """How well one part of the input tells answers apart: 0.5 for not at all.

    Attributes:
        part: The part of the input that the probe sees.
        tells: The answer that it tells from the others.
        area: The area under the curve.
        items: How many items it was asked.
        low, high: Where 95 % of the areas lie if the tasks are drawn anew, with repeats.
    """

    part: str
    tells: str
    area: float
    items: int
    low: float
    high: float


def _items(rows: Iterable[Row], tells: str) -> tuple[list[ProbeItem], list[str]]:
    """What a probe sees of the rows that it is about, and their tasks."""
    found, tasks = [], []
    for row in rows:
        answer = str(row.instance.facets["answer"])
        if tells == "yes" and answer not in ("yes", "no"):
            continue
        label = answer if tells == "yes" else "na" if answer == "na" else "value"
        parts = row.instance.parts
        found.append(ProbeItem("", parts.get("passage", ""), parts.get("question", ""), label, frozenset([label])))
        tasks.append(row.task)
    return found, tasks


def probe_areas(suite: Suite, *, fit: str = "train", split: str = "test") -> list[ProbeArea]:
    """The area of each part alone, for n/a against everything else and for yes against no.

    Args:
        suite: A suite of generated tasks.
        fit: The split the probes are fitted on.
        split: The split they are asked about.
    """
    shown, asked = list(suite.rows(fit)), list(suite.rows(split))
    return [
        _area(part, tells, _items(shown, tells)[0], *_items(asked, tells))
        for tells in ("na", "yes")
        for part in ("passage", "question")
    ]


def half_areas(rows: Iterable[Row]) -> dict[str, float]:
    """How well the first half of each task's answers tells those of the other half, for n/a and for yes.

    Tasks differ in their shares, so one half speaks for more of the same; below 0.5 a quota would give the rest away.
    """
    answers: dict[str, list[str]] = {}
    for row in rows:
        answers.setdefault(row.task, []).append(str(row.instance.facets["answer"]))
    areas = {}
    for tells, counted in (("na", None), ("yes", ("yes", "no"))):
        scores: list[float] = []
        truth: list[bool] = []
        for given in answers.values():
            members = [answer for answer in given if counted is None or answer in counted]
            half = len(members) // 2
            if half:
                scores += [members[:half].count(tells) / half] * (len(members) - half)
                truth += [answer == tells for answer in members[half:]]
        areas[tells] = area_under_curve(scores, truth)
    return areas


def _area(
    part: str, tells: str, shown: Sequence[ProbeItem], asked: Sequence[ProbeItem], tasks: Sequence[str]
) -> ProbeArea:
    probe = LinearProbe(_SIDES[part], penalty=10.0)
    probe.fit(shown)
    scores = [probe.scores(item)[tells] for item in asked]
    truth = [item.answer == tells for item in asked]
    low, high = bootstrap_interval(scores, truth, tasks)
    return ProbeArea(part, tells, area_under_curve(scores, truth), len(asked), low, high)


def bootstrap_interval(
    scores: Sequence[float], truth: Sequence[bool], groups: Sequence[str], *, draws: int = _DRAWS
) -> tuple[float, float]:
    """The 95 % interval of an area under the curve over groups of items drawn with repeats."""
    import numpy as np

    _, place = np.unique(np.asarray(scores), return_inverse=True)
    names = {name: number for number, name in enumerate(dict.fromkeys(groups))}
    group = np.array([names[name] for name in groups])
    right = np.asarray(truth, dtype=bool)
    size, top = len(names), int(place.max()) + 1
    rng = keyed_random("zest", "probe interval", size, len(scores))
    areas = []
    for _ in range(draws):
        times = np.bincount([int(rng.random() * size) for _ in range(size)], minlength=size)[group]
        good = np.bincount(place, weights=times * right, minlength=top)
        bad = np.bincount(place, weights=times * ~right, minlength=top)
        pairs = float(good.sum() * bad.sum())
        if pairs:
            # Ties count half, as in `area_under_curve`.
            areas.append(float((good * (np.cumsum(bad) - bad / 2)).sum()) / pairs)
    low, high = np.quantile(areas, (0.025, 0.975))
    return float(low), float(high)
