"""A study makes tables (and figures) out of suites and runs: one table of a paper, at any scale.

This is the contract alone. `taskloom.studies.experiment.Experiment` is the kind of study that runs models.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

import msgspec

from taskloom.core.calls import Explained, explained_methods
from taskloom.core.recipe import Recipe
from taskloom.core.registry import Declared

Settings = TypeVar("Settings", bound=Recipe)

Value: TypeAlias = str | int | float | bool | None


@explained_methods
class Table(Explained, msgspec.Struct, frozen=True):
    """A table that can be printed as Markdown, written as JSON, or shown in a report."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Value, ...], ...]
    note: str = ""

    def __post_init__(self) -> None:
        for number, row in enumerate(self.rows, start=1):
            if len(row) != len(self.columns):
                raise ValueError(
                    f"row {number} of the table {self.title!r} has {len(row)} cells for {len(self.columns)} columns"
                )

    def markdown(self, digits: int = 3) -> str:
        """The table as aligned Markdown."""
        cells = [[_show(cell, digits) for cell in row] for row in self.rows]
        heads = [_show(name, digits) for name in self.columns]
        # Two at least: the rule below a column of numbers is a hyphen and a colon.
        widths = [max([2, len(name), *(len(row[i]) for row in cells)]) for i, name in enumerate(heads)]
        numeric = [all(isinstance(row[i], int | float | None) for row in self.rows) for i in range(len(heads))]

        def line(values: list[str]) -> str:
            padded = [v.rjust(widths[i]) if numeric[i] else v.ljust(widths[i]) for i, v in enumerate(values)]
            return f"| {' | '.join(padded)} |"

        rule = [("-" * (width - 1) + ":") if numeric[i] else "-" * width for i, width in enumerate(widths)]
        title = " ".join(self.title.split())
        parts = [f"### {title}", "", line(heads), line(rule), *map(line, cells)]
        if self.note:
            parts += ["", self.note]
        return "\n".join(parts)


def _show(cell: Value, digits: int) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, int):
        return f"{cell:,}"
    if isinstance(cell, float):
        return f"{cell:.{digits}f}"
    return cell.replace("|", "\\|").replace("\n", " ")


class Study(Declared, Generic[Settings]):
    """Run by `taskloom study NAME [-T key=value …] [--seed N] [-o DIR]`."""

    summary: ClassVar[str]
    """One line for lists, naming the table or figure it reproduces."""

    recipe: ClassVar[Recipe]
    """Its settings with their defaults (small enough for minutes on a laptop)."""

    needs: ClassVar[str] = ""
    """What has to be installed or at hand beyond Taskloom itself."""

    costs: ClassVar[Mapping[str, str]] = {}
    """What each scale was measured to cost."""

    sort = "study"
    declared = {"summary": 'summary = "is the first model better than the second?"'}

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.summary}>"

    @abstractmethod
    def run(self, recipe: Settings, seed: int, out: Path | None) -> list[Table]:
        """Do the work and return the tables. Files (figures, logs, CSV) go to `out` when it is given."""

    def figures(self, out: Path) -> Sequence[Any]:
        """Figures (`taskloom.figures`) for the page of a finished study, from what `run` has written to `out`."""
        return ()
