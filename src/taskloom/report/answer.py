"""The first screen: what each model cannot do, in one sentence, with the two pictures that show it.

A probe's claims are proved. Finished runs suggest a frontier by a pooled fit where their suite has a lattice. Where
there is neither, the fall from one suite to another, or between the values of a facet, is shown without any claim.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from math import fsum
from typing import NamedTuple, Protocol

import msgspec

from taskloom.core import PlainWords
from taskloom.figures import PairCell, PairMatrix, PromisePlot, PromiseRow
from taskloom.score.stats import wilson
from taskloom.studies.frontier.claims import CellState, Claim, ShownPair

__all__ = ["Answer", "Found", "answer_of", "pair_matrix", "promise_plot"]

_MOST_MORE = 4
_MOST_ATOMS = 16
"""A matrix with more atoms than this is no picture any more; the table of all cells has them."""


class Found(Protocol):
    """A frontier, proved by a probe or suggested by a run."""

    @property
    def suite(self) -> str: ...

    @property
    def cells(self) -> tuple[CellState, ...]: ...

    @property
    def claims(self) -> tuple[Claim, ...]: ...

    def told(self) -> list[tuple[str, Claim | None]]:
        """What may be said, strongest first, with the claims."""

    def counts(self) -> dict[str, int]:
        """How many cells stand where."""


class AnswerLine(NamedTuple):
    """One sentence, where its samples are, and a pair of items that shows it."""

    text: str
    link: str = ""
    pair: ShownPair | None = None


class Answer(msgspec.Struct, frozen=True):
    """What the first screen says about one model.

    Attributes:
        model: The model.
        where: The suite, and how it was asked.
        said: The answer.
        more: Further findings, shorter.
        note: What it rests on.
        lines: The answer and the further findings with where they lead and their items.
        words: Plain words for the names in them.
        steps: Commands that go on from here.
    """

    model: str
    where: str
    said: str
    more: tuple[str, ...] = ()
    note: str = ""
    lines: tuple[AnswerLine, ...] = ()
    words: tuple[tuple[str, PlainWords], ...] = ()
    steps: tuple[str, ...] = ()


def answer_of(
    found: Found, model: str, where: str, *, note: str, link: Callable[[str], str] = lambda cell: ""
) -> Answer:
    """A frontier as an answer: the strongest claim as the sentence, the next ones below it.

    Args:
        found: The frontier.
        model: What the model is called on the page.
        where: How it was asked.
        note: What it rests on.
        link: Where the samples of a cell are.
    """
    told = found.told()
    every = [text for text, _ in told]
    lines = [
        AnswerLine(text, "" if claim is None else link(claim.cell), None if claim is None else claim.pair)
        for text, claim in told[: 1 + _MOST_MORE]
    ]
    rest = every[1 : 1 + _MOST_MORE]
    if len(every) > 1 + _MOST_MORE:
        rest.append(f"… and {len(every) - 1 - _MOST_MORE} more in the table of all combinations.")
        lines.append(AnswerLine(rest[-1]))
    words = tuple(getattr(found, "words", {}).items())
    return Answer(model, where, every[0], tuple(rest), f"{_counted(found)} {note}".strip(), tuple(lines), words)


def _strength(claim: Claim) -> tuple[bool, float, int, float, str]:
    whole = claim.whole
    return (not claim.proved, -(claim.probability or 0.0), whole.cell.count("+"), whole.high, whole.cell)


def _counted(found: Found) -> str:
    counts = {name: number for name, number in found.counts().items() if number}
    words = {"between": "in between", "inherited": "vouched for by a larger one", "open": "not asked"}
    listed = ", ".join(f"{number} {words.get(name, name)}" for name, number in counts.items())
    return f"{len(found.cells)} combinations: {listed}."


def pair_matrix(
    found: Found, title: str, question: str | None = None, link: Callable[..., str] = lambda *cells: ""
) -> PairMatrix | None:
    """Atoms against atoms: the share right where both meet and no other failing pair does.

    Args:
        found: The frontier.
        title: Of the figure.
        question: Of one question type alone; None for all together.
        link: Where the samples of some cells are.

    Returns:
        None where there are no two atoms, or too many.
    """
    cells = [cell for cell in found.cells if question is None or cell.question == question]
    common = Counter(atom for cell in cells for atom in cell.atoms)
    # What most combinations hold comes first, so that the others stand beside it and not in rows of their own.
    atoms = tuple(sorted(common, key=lambda atom: (-common[atom], atom)))
    if not 2 <= len(atoms) <= _MOST_ATOMS:
        return None
    claimed = {claim.cell for claim in found.claims}
    failing = _failing_sets(cells, claimed)
    pairs = []
    for place, first in enumerate(atoms):
        for second in atoms[place:]:
            both = {first, second}
            holding = [cell for cell in cells if both <= set(cell.atoms)]
            # The diagonal is a part by itself: what it does in company stands where the two meet.
            alone = first != second or any(cell.atoms == (first,) for cell in holding)
            if holding and alone:
                pairs.append(_pair(first, second, holding, failing, claimed, link))
    caption = (
        "Share right in the smallest combinations that hold two parts and nothing else that fails; on the diagonal, of "
        "a part alone (empty: never asked alone). Fainter: fewer answers. Grey: not asked, or no combination "
        "without another failing one."
    )
    return PairMatrix(title=title, caption=caption, atoms=atoms, cells=tuple(pairs))


def _failing_sets(cells: Iterable[CellState], claimed: set[str]) -> list[frozenset[str]]:
    """What fails, as sets of atoms, the smallest only."""
    sets = {frozenset(cell.atoms) for cell in cells if cell.share.cell in claimed}
    return [atoms for atoms in sets if not any(other < atoms for other in sets)]


def _pair(
    first: str,
    second: str,
    holding: Sequence[CellState],
    failing: Sequence[frozenset[str]],
    claimed: set[str],
    link: Callable[..., str],
) -> PairCell:
    # The smallest combinations with both: what else they need is what every such question needs.
    smallest = _smallest(holding)
    own = [cell for cell in smallest if cell.share.cell in claimed]
    free = [cell for cell in holding if not any(atoms <= set(cell.atoms) for atoms in failing)]
    # Larger ones would mix in what they lack beyond this pair, and contradict the sentences beside the figure.
    chosen = own or _smallest([cell for cell in free if cell.share.n]) or free
    n = sum(cell.share.n for cell in chosen)
    trained = _trained(smallest)
    if not n and not any(cell.standing == "inherited" for cell in chosen):
        return PairCell(first, second, None, trained=trained)
    if not n:
        return PairCell(first, second, 1.0, 0.0, 1.0, 0, "inherited", trained)
    right = fsum(cell.share.value * cell.share.n for cell in chosen)
    low, high = (chosen[0].share.low, chosen[0].share.high) if len(chosen) == 1 else wilson(min(right, n), n)
    to_samples = link(*(cell.share.cell for cell in chosen if cell.share.n))
    return PairCell(first, second, right / n, low, high, n, "frontier" if own else "asked", trained, to_samples)


def _smallest(cells: Sequence[CellState]) -> list[CellState]:
    least = min((len(cell.atoms) for cell in cells), default=0)
    return [cell for cell in cells if len(cell.atoms) == least]


def _trained(cells: Sequence[CellState]) -> bool | None:
    known = [cell.trained for cell in cells if cell.trained is not None]
    return any(known) if known else None


def promise_plot(found: Found, title: str) -> PromisePlot | None:
    """What the parts of each claim promise, and what was measured; None without claims."""
    rows = []
    for claim in sorted(found.claims, key=_strength)[:12]:
        whole = claim.whole
        if claim.predicted is not None:
            first, second = claim.predicted.first.value, claim.predicted.second.value
            least, most = claim.predicted.at_least, claim.predicted.at_most
        else:
            first = second = least = most = claim.base.value
        measured = (whole.value, whole.low, whole.high, whole.n, claim.proved)
        rows.append(PromiseRow(whole.cell, first, second, least, most, *measured))
    if not rows:
        return None
    said = f" The first 12 of {len(found.claims)}." if len(found.claims) > 12 else ""
    caption = f"Each failing combination against what its parts lead one to expect.{said}"
    return PromisePlot(title=title, caption=caption, claims=tuple(rows))
