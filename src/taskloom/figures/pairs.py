"""The two pictures of a frontier: which pairs of atoms fail where they meet, and how far below their promise."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import msgspec

from taskloom.figures.base import FAINT, GRID, INK, Figure, Notes, colour_map, short

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PairCell", "PairMatrix", "PromisePlot", "PromiseRow"]


class PairCell(msgspec.Struct, frozen=True):
    """What happens where two atoms meet, or, on the diagonal, with one atom alone.

    Attributes:
        first, second: The atoms.
        value: The share right where both meet and no other failing pattern does; None where no cell is free of them.
        low, high, n: Its interval and denominator.
        kind: "frontier" (fails although its parts are mastered), "inherited" (a mastered cell vouches for it), "asked".
        trained: Whether the combination occurs in training.
    """

    first: str
    second: str
    value: float | None
    low: float = 0.0
    high: float = 1.0
    n: int = 0
    kind: Literal["frontier", "inherited", "asked"] = "asked"
    trained: bool | None = None


class PairMatrix(Figure, frozen=True, kw_only=True):
    """Atoms against atoms. Black frame: frontier. Dots: inherited. Dashed: never trained. Grey: nothing to tell."""

    atoms: tuple[str, ...]
    cells: tuple[PairCell, ...]

    def columns(self) -> tuple[str, ...]:
        return ("first", "second", "value", "low", "high", "n", "kind", "trained")

    def rows(self) -> list[tuple[Any, ...]]:
        return [(c.first, c.second, c.value, c.low, c.high, c.n, c.kind, c.trained) for c in self.cells]

    def size(self) -> tuple[float, float]:
        side = 1.6 + 0.62 * len(self.atoms)
        return side + 0.5, side

    def draw(self, axes: Axes, note: Notes) -> None:
        from matplotlib.patches import Rectangle

        place = {atom: number for number, atom in enumerate(self.atoms)}
        shades = colour_map()
        for cell in self.cells:
            y, x = sorted((place[cell.first], place[cell.second]), reverse=True)
            face = "#e4e7eb" if cell.value is None else shades(cell.value)
            box = Rectangle((x - 0.5, y - 0.5), 1, 1, facecolor=face, edgecolor="white", linewidth=1.5)
            names = cell.first if cell.first == cell.second else f"{cell.first} + {cell.second}"
            known = "no cell without another failing pattern" if cell.value is None else (
                f"{cell.value:.2f} [{cell.low:.2f}, {cell.high:.2f}], n = {cell.n}"
            )  # fmt: skip
            trained = "" if cell.trained is None else ", trained" if cell.trained else ", never trained"
            note(box, f"{names}: {known}, {cell.kind}{trained}")
            axes.add_patch(box)
            if cell.kind == "frontier":
                axes.add_patch(
                    Rectangle((x - 0.43, y - 0.43), 0.86, 0.86, fill=False, edgecolor="black", linewidth=2.2)
                )
            elif cell.trained is False:
                axes.add_patch(Rectangle((x - 0.43, y - 0.43), 0.86, 0.86, fill=False, edgecolor=INK, linewidth=0.9,
                                         linestyle=(0, (3, 2))))  # fmt: skip
            if cell.kind == "inherited":
                axes.plot([x], [y], ".", color=INK, markersize=4)
            elif cell.value is not None:
                dark = cell.value < 0.2 or cell.value > 0.85
                axes.text(x, y, f"{cell.value:.2f}", ha="center", va="center", fontsize=8,
                          color="white" if dark else INK, in_layout=False)  # fmt: skip
        axes.set_xlim(-0.5, len(self.atoms) - 0.5)
        axes.set_ylim(len(self.atoms) - 0.5, -0.5)
        axes.set_aspect("equal")
        axes.set_xticks(
            range(len(self.atoms)), [short(atom) for atom in self.atoms], rotation=35, ha="right", color=INK
        )
        axes.set_yticks(range(len(self.atoms)), [short(atom) for atom in self.atoms])


class PromiseRow(msgspec.Struct, frozen=True):
    """One claim: what two parts promise, and what was measured where they meet."""

    name: str
    first: float
    second: float
    at_least: float
    at_most: float
    value: float
    low: float
    high: float
    n: int
    proved: bool = False


class PromisePlot(Figure, frozen=True, kw_only=True):
    """Promise against measured: green from p_A + p_B − 1 to min(p_A, p_B), ticks for the parts, red for the whole."""

    claims: tuple[PromiseRow, ...]

    def columns(self) -> tuple[str, ...]:
        return ("combination", "first", "second", "at_least", "at_most", "value", "low", "high", "n", "proved")

    def rows(self) -> list[tuple[Any, ...]]:
        return [(c.name, c.first, c.second, c.at_least, c.at_most, c.value, c.low, c.high, c.n, c.proved)
                for c in self.claims]  # fmt: skip

    def size(self) -> tuple[float, float]:
        return 7.2, 1.0 + 0.46 * len(self.claims)

    def draw(self, axes: Axes, note: Notes) -> None:
        for y, claim in enumerate(self.claims):
            (bar,) = axes.plot([claim.at_least, claim.at_most], [y, y], color="#228833", linewidth=8, alpha=0.35,
                               solid_capstyle="butt")  # fmt: skip
            note(bar, f"{claim.name}: the parts promise {claim.at_least:.2f} to {claim.at_most:.2f}")
            for part in (claim.first, claim.second):
                axes.plot([part, part], [y - 0.22, y + 0.22], color="#228833", linewidth=1.4)
            axes.plot([claim.low, claim.high], [y, y], color="#B2182B", linewidth=2.4)
            face = "#B2182B" if claim.proved else "white"
            (mark,) = axes.plot([claim.value], [y], "o", markersize=8, markerfacecolor=face, markeredgecolor="#B2182B")
            note(mark, f"{claim.name}: {claim.value:.2f} [{claim.low:.2f}, {claim.high:.2f}], n = {claim.n}")
        axes.set_yticks(range(len(self.claims)), [short(claim.name) for claim in self.claims])
        axes.set_ylim(len(self.claims) - 0.4, -0.6)
        axes.set_xlim(-0.02, 1.02)
        axes.grid(axis="x", color=GRID, linewidth=0.8)
        axes.set_axisbelow(True)
        axes.set_xlabel(
            "share right   (green: promise of the parts, red: measured; filled: the drop is proved)", color=FAINT
        )
