"""Means of the groups of a frame, declared once: as rows of a table, and as points of a figure.

    scores = measure(frame, "model", "asked", published=lambda key: table.share("T5", asked=key["asked"]))
    scores.table("Accuracy", note="…"), scores.intervals("Accuracy", "{model}", "{asked}")

What a paper expects is declared in the same way: `expected` compares two parts of every group.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

from taskloom.core.metric import Estimate
from taskloom.core.study import Table, Value
from taskloom.figures import HeatCell, HeatMap, IntervalPlot, IntervalPoint, Line, LinePoint
from taskloom.studies.findings import Check, Over, above, estimate_cells, scored_table
from taskloom.studies.frame import Frame, Guessing, Observation, contrast

Keys: TypeAlias = Mapping[str, Any]
"""The values that a group has in common, by name."""


class ScoreRow(NamedTuple):
    """A group of observations: what they have in common, their mean, what a paper prints for it, and all of them."""

    key: dict[str, Value]
    mean: Estimate
    published: float | None = None
    part: Frame | None = None


@dataclass(frozen=True)
class Scores:
    """Rows of means. Nothing in it changes: ordering and renaming give others.

    Attributes:
        rows: One for each group.
        over: What the intervals are about.
        compared: Whether a paper's numbers stand beside them.
    """

    rows: Sequence[ScoreRow]
    over: Over = "seeds"
    compared: bool = False

    def nested(self, **orders: Callable[[Any], Any]) -> Scores:
        """The rows in nested order: each value where it first turned up, or by the key that is given for its name."""
        seen: dict[str, dict[Value, int]] = {}
        for row in self.rows:
            for name, value in row.key.items():
                seen.setdefault(name, {}).setdefault(value, len(seen[name]))

        def place(row: ScoreRow) -> tuple[Any, ...]:
            return tuple(
                orders[name](value) if name in orders else seen[name][value] for name, value in row.key.items()
            )

        return replace(self, rows=sorted(self.rows, key=place))

    def named(self, **words: Mapping[Any, str]) -> Scores:
        """The rows with some values called by other words: `named(asked={"mix": "out of distribution"})`."""
        rows = [
            row._replace(key={name: words[name][value] if name in words else value for name, value in row.key.items()})
            for row in self.rows
        ]
        return replace(self, rows=rows)

    def table(
        self,
        title: str,
        *,
        columns: Mapping[str, str] | None = None,
        metric: str = "accuracy",
        column: str = "",
        note: str = "",
    ) -> Table:
        """A table of the rows.

        Args:
            title: Its title.
            columns: What to call values that have another name in the frame.
            metric: What the numbers are, for the note.
            column: The head of the means; the metric by default.
            note: What else to know about them.
        """
        names = [(columns or {}).get(name, name) for name in (self.rows[0].key if self.rows else ())]
        levels = ("chance", "majority")
        heads = (*names, column or metric, "low", "high", "n", *levels, *(["published"] if self.compared else []))
        guessed = [row.part.guessing() if row.part else (None, None) for row in self.rows]
        known = {
            row.key.get("model")
            for row, guess in zip(self.rows, guessed, strict=True)
            if not isinstance(guess, Guessing) or guess.beaten(row.mean)
        }
        rows = []
        for row, guess in zip(self.rows, guessed, strict=True):
            # Beside a model that only guesses a published number would look like a replication.
            beside = [row.published if row.key.get("model") in known else None] if self.compared else []
            rows.append((*row.key.values(), *estimate_cells(row.mean), *guess, *beside))
        return scored_table(title, heads, rows, metric=metric, over=self.over, note=note)

    def points(self, place: str, series: str = "") -> list[IntervalPoint]:
        """A point for each row, and one for each number of a paper; `place` and `series` are filled from its key."""
        found = []
        for row in self.rows:
            where, which = place.format(**row.key), series.format(**row.key)
            found.append(IntervalPoint(where, row.mean.value, row.mean.low, row.mean.high, row.mean.n, which))
            if row.published is not None:
                share = row.published
                found.append(IntervalPoint(where, share, share, share, 0, which, published=True))
        return found

    def intervals(
        self, title: str, place: str, series: str = "", *, axis: str = "accuracy", **more: Any
    ) -> IntervalPlot:
        """The rows as dots with intervals."""
        return IntervalPlot(title=title, points=tuple(self.points(place, series)), axis=axis, **more)

    def lines(self, x: str, name: str, dashed: Callable[[Keys], bool] = lambda key: False) -> list[Line]:
        """A line for each name, along one of the values."""
        found: dict[str, list[ScoreRow]] = {}
        for row in self.nested(**{x: _number}).rows:
            found.setdefault(name.format(**row.key), []).append(row)
        return [
            Line(
                called,
                tuple(LinePoint(_number(key[x]), mean.value, mean.low, mean.high, mean.n) for key, mean, *_ in rows),
                dashed=dashed(rows[0].key),
            )
            for called, rows in found.items()
        ]

    def heat(self, title: str, row: str, column: str, framed: Callable[[Keys], bool], **more: Any) -> HeatMap:
        """A map of two of the values."""
        cells = tuple(
            HeatCell(
                str(one.key[row]), str(one.key[column]), one.mean.value, one.mean.low, one.mean.high, one.mean.n,
                framed(one.key),
            )
            for one in self.rows
        )  # fmt: skip
        return HeatMap(title=title, cells=cells, **more)


def _number(value: Value) -> float:
    return value if isinstance(value, int | float) else float(str(value))


def measure(
    frame: Frame,
    *names: str,
    over: Over = "seeds",
    published: Callable[[Keys], float | None] | None = None,
    computed: Mapping[str, Callable[[Observation], Value]] | None = None,
) -> Scores:
    """The mean of every group, in the order in which groups first turn up.

    Args:
        frame: The observations.
        names: Factors and facets to group by.
        over: Whether intervals are for other seeds of these tasks, or for other tasks and seeds.
        published: What a paper prints for a group, as a share; None where it prints nothing.
        computed: Further values to group by, computed from an observation.
    """
    groups: dict[tuple[Value, ...], list[Observation]] = {}
    for one in frame:
        values = (*(one.value(name) for name in names), *(work(one) for work in (computed or {}).values()))
        groups.setdefault(values, []).append(one)
    rows = []
    for values, held in groups.items():
        part = Frame(held, frame.runs)
        key = dict(zip((*names, *(computed or {})), values, strict=True))
        mean = part.over_seeds() if over == "seeds" else part.mean()
        rows.append(ScoreRow(key, mean, published(key) if published else None, part))
    return Scores(rows, over, published is not None)


def expected(
    frame: Frame, claim: str, *by: str, more: Mapping[str, Value], less: Mapping[str, Value], source: str
) -> list[Check]:
    """Whether one part of each group scores more than another, where the group has both.

    Args:
        frame: The observations.
        claim: What is expected; names of `by` in braces are filled in.
        by: Factors and facets to group by.
        more: Values of the part that should score more.
        less: Values of the other part.
        source: Who expects it: the table or figure of a paper.
    """
    checks = []
    for values, part in frame.by(*by).items():
        better, worse = part.where(**more), part.where(**less)
        if better and worse:
            said = claim.format(**dict(zip(by, values, strict=True)))
            checks.append(above(said, contrast(better, worse), source=source))
    return checks
