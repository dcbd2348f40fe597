"""What can be guessed from half of the input: areas under the curve of linear probes.

A probe is fitted on the train split and asked about the tasks of another one, which it never saw. 0.5 is chance,
whatever the shares of the answers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from taskloom.core import Row, Suite
from taskloom.score.probes import LinearProbe, ProbeItem, Side, area_under_curve

__all__ = ["ProbeArea", "probe_areas"]

_SIDES: dict[str, Side] = {"passage": "context", "question": "question"}


class ProbeArea(NamedTuple):
    """How well one part of the input tells answers apart: 0.5 for not at all."""

    part: str
    tells: str
    area: float
    items: int


def _items(rows: Iterable[Row], tells: str) -> list[ProbeItem]:
    found = []
    for row in rows:
        answer = str(row.instance.facets["answer"])
        if tells == "yes" and answer not in ("yes", "no"):
            continue
        label = answer if tells == "yes" else "na" if answer == "na" else "value"
        parts = row.instance.parts
        found.append(ProbeItem("", parts.get("passage", ""), parts.get("question", ""), label, frozenset([label])))
    return found


def probe_areas(suite: Suite, *, fit: str = "train", split: str = "test") -> list[ProbeArea]:
    """The area of each part alone, for n/a against everything else and for yes against no.

    Args:
        suite: A suite of generated tasks.
        fit: The split the probes are fitted on.
        split: The split they are asked about.
    """
    shown, asked = list(suite.rows(fit)), list(suite.rows(split))
    return [
        _area(part, tells, _items(shown, tells), _items(asked, tells))
        for tells in ("na", "yes")
        for part in ("passage", "question")
    ]


def _area(part: str, tells: str, shown: Sequence[ProbeItem], asked: Sequence[ProbeItem]) -> ProbeArea:
    probe = LinearProbe(_SIDES[part], penalty=10.0)
    probe.fit(shown)
    scores = [probe.scores(item)[tells] for item in asked]
    area = area_under_curve(scores, [item.answer == tells for item in asked])
    return ProbeArea(part, tells, area, len(asked))
