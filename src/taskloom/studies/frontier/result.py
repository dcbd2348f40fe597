"""What a probe found, as data: for tables, figures, reports and comparisons."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import PlainWords, UserError
from taskloom.core.cells import Cell
from taskloom.core.decode import read_json
from taskloom.store.ownership import write_ours
from taskloom.studies.frontier.claims import Claim, Control, Share, claim_of, find_patterns, shares_of
from taskloom.studies.frontier.evidence import more_to_verdict
from taskloom.studies.frontier.length import length_controls
from taskloom.studies.frontier.pairs import shown_pair
from taskloom.studies.frontier.probe import Probe
from taskloom.studies.frontier.refine import (
    Variants,
    bound_share,
    failing_variant,
    left_between,
    settle_parts,
    told_apart,
)
from taskloom.studies.frontier.sentences import Bounds, named, say_all, say_claim

__all__ = ["FILE", "CellState", "Frontier", "PatternState", "Suspect", "frontier_of", "load_frontier"]

FILE = "frontier.json"
FORMAT = 2


class CellState(msgspec.Struct, frozen=True):
    """One cell of a frontier.

    Attributes:
        question: What is asked.
        atoms: What an answer needs.
        standing: mastered, failing, between, inherited (a mastered cell above vouches for it) or open (not asked).
        share: The share right with its simultaneous interval.
        trained: Whether the cell occurs among the rows that the model was fitted to; None where that is not known.
        raw: The share seen, where `share` is a pooled estimate.
        basic: Whether it has no parts among the cells of its lattice.
    """

    question: str
    atoms: tuple[str, ...]
    standing: str
    share: Share
    trained: bool | None = None
    raw: float | None = None
    basic: bool = False


class Suspect(msgspec.Struct, frozen=True):
    """A cell that looks like failing when the budget is spent, and about how many more questions would decide it."""

    share: Share
    more: int

    def __str__(self) -> str:
        right = round(self.share.value * self.share.n)
        return f"{named(self.share.cell)} ({right} of {self.share.n} right; about {self.more} more questions)"


class PatternState(msgspec.Struct, frozen=True):
    """A set of atoms that explains failing cells; a summary without guarantee."""

    atoms: tuple[str, ...]
    question: str
    cells: tuple[str, ...]


class Frontier(msgspec.Struct, frozen=True, kw_only=True):
    """The outcome of a probe.

    Attributes:
        suite: The suite whose cells were probed.
        model: The model's name.
        protocol: How it was asked.
        seed: The seed of the items.
        settings: Bounds, levels and budget.
        asked: Questions asked, controls included.
        rounds: Rounds of concurrent questions.
        cells: Every cell.
        claims: What is proved, smallest combinations first.
        unable: Basic cells that fail.
        patterns: A summary of the cells whose drop is proved.
        suspects: What looks like failing and is not decided, because the budget was spent; likeliest first.
        undrawable: Cells that no item could be drawn of, with the reason.
        words: Plain words for the atoms and questions of what is claimed.
    """

    format: int = FORMAT
    suite: str
    model: str
    protocol: str = ""
    seed: int = 0
    settings: dict[str, Any] = {}
    asked: int = 0
    rounds: int = 0
    cells: tuple[CellState, ...] = ()
    claims: tuple[Claim, ...] = ()
    unable: tuple[Claim, ...] = ()
    patterns: tuple[PatternState, ...] = ()
    suspects: tuple[Suspect, ...] = ()
    undrawable: dict[str, str] = {}
    words: dict[str, PlainWords] = {}

    def sentences(self) -> list[str]:
        """Everything that may be said, strongest first."""
        return [text for text, _ in self.told()]

    def told(self) -> list[tuple[str, Claim | None]]:
        """Every sentence with the claim that it is about."""
        return say_all((*self.claims, *self.unable), self.cells, Bounds.of(self.settings))

    def counts(self) -> dict[str, int]:
        """How many cells stand where."""
        names = ("mastered", "failing", "between", "inherited", "open")
        return {name: sum(cell.standing == name for cell in self.cells) for name in names}

    def save(self, folder: str | Path) -> None:
        """Write it beside the log."""
        write_ours(Path(folder) / FILE, msgspec.json.format(msgspec.json.encode(self), indent=1) + b"\n")


def load_frontier(folder: str | Path) -> Frontier:
    """The frontier of a probe's folder."""
    path = Path(folder) / FILE
    if not path.is_file():
        hint = "taskloom probe SUITE --model M -o DIR"
        raise UserError("no finished probe here", where=str(folder), hint=hint)
    try:
        return read_json(path, type=Frontier)
    except UserError as error:
        problem = f"the frontier is damaged: {error.message}"
        raise UserError(problem, where=str(path), hint="probe again: it replays") from None


def frontier_of(probe: Probe, *, suite: str, model: str, protocol: str = "", seed: int = 0) -> Frontier:
    """What a finished probe found. What fails is told apart, controlled for length and shown here, with fresh items."""
    search = probe.search
    order = search.order
    basic = [c for c, parts in enumerate(order.parts) if not parts and search.direct(c, search.strict) == "failing"]
    claimed = search.claims()
    between = left_between(probe)
    variants = {cell: told_apart(probe, cell) for cell in (*claimed, *basic, *between)}
    between = [
        cell for cell in between if failing_variant(probe, variants[cell]) is not None and settle_parts(probe, cell)
    ]
    controls = {cell: tuple(length_controls(probe, cell, variants[cell])) for cell in (*claimed, *basic, *between)}
    spoken = {*controls} | {part for cell in controls for part in order.parts[cell]}
    # Where there is nothing to claim every cell that was asked is compared with guessing.
    spoken = spoken or {cell for cell, count in enumerate(search.counts) if count.n}
    shares = shares_of(search, lambda cell: probe.guessing(cell, look=cell in spoken))
    found = {cell: _claim(probe, cell, shares, variants[cell], controls[cell]) for cell in controls}
    shown = {cell: msgspec.structs.replace(claim, pair=shown_pair(probe, cell, claim)) for cell, claim in found.items()}
    # More answers may have taken back what a bound cell looked like: what proves no sentence is no claim.
    bounds = Bounds.of(search.settings.describe())
    claims = sorted(
        (claim for claim in shown.values() if claim.parts and say_claim(claim, bounds) is not None),
        key=lambda claim: (not claim.proved, claim.whole.cell.count("+"), claim.whole.cell),
    )
    proved = {claim.cell for claim in claims if claim.proved and not claim.long_supports}
    patterns = [
        PatternState(pattern.atoms, pattern.question, names)
        for pattern in find_patterns(search)
        if proved & set(names := tuple(str(order.cells[cell]) for cell in pattern.cells))
    ]
    return Frontier(
        suite=suite,
        model=model,
        protocol=protocol,
        seed=seed,
        settings=search.settings.describe(),
        asked=sum(probe.streams.taken.values()),
        rounds=probe.rounds,
        cells=tuple(_cell_states(probe, shares)),
        claims=tuple(claims),
        unable=tuple(claim for claim in shown.values() if not claim.parts),
        patterns=tuple(patterns),
        suspects=tuple(_suspects(probe, shares)),
        undrawable={str(order.cells[cell]): reason for cell, reason in probe.undrawable.items()},
        words={name: probe.lattice.explain(name) for name in _names([*shown.values()])},
    )


def _claim(probe: Probe, cell: int, shares: list[Share], variants: Variants, controls: tuple[Control, ...]) -> Claim:
    """What is claimed of a cell; of the bound cell that fails, where some of its bound cells fail and some do not."""
    settings = probe.search.settings
    # More was asked since they were told apart.
    known = {name: bound_share(probe, cell, name) for name in variants}
    more: dict[str, Any] = {"variants": tuple(known.values()), "controls": controls}
    if not probe.search.order.parts[cell]:
        return Claim(shares[cell], (), **more)
    if (worst := failing_variant(probe, known)) is not None:
        guessed = msgspec.structs.replace(worst, guess=shares[cell].guess, majority=shares[cell].majority)
        more["within"] = shares[cell].cell
        shares = [*shares[:cell], guessed, *shares[cell + 1 :]]
    return claim_of(probe.search.order, shares, cell, settings.low, settings.drop, **more)


def _names(claims: Sequence[Claim]) -> list[str]:
    """The questions and atoms of some claims, each once."""
    shares = [share for claim in claims for share in (claim.whole, *claim.parts, *claim.variants)]
    cells = [Cell.parse(share.cell) for share in shares]
    return sorted({name for cell in cells for name in (cell.question, *cell.atoms) if name})


def _cell_states(probe: Probe, shares: Sequence[Share]) -> list[CellState]:
    search = probe.search
    standings, vouched = search.standings(), set(search.inherited())
    found = []
    for number, cell in enumerate(search.order.cells):
        standing = "inherited" if number in vouched and standings[number] == "open" else standings[number]
        basic = not search.order.parts[number]
        found.append(CellState(cell.question, cell.atoms, standing, shares[number], basic=basic))
    return found


def _suspects(probe: Probe, shares: Sequence[Share]) -> list[Suspect]:
    """Where the budget is spent: cells below the asked level so far whose verdict is out, the lowest bound first."""
    search = probe.search
    settings = search.settings
    if sum(probe.streams.taken.values()) < settings.budget:
        return []
    found = []
    for number, count in enumerate(search.counts):
        if not count.n or count.share >= settings.high or search.direct(number, search.strict) is not None:
            continue
        group = [number, *search.order.parts[number]]
        more = [
            more_to_verdict(search.counts[cell], settings.low, settings.high, search.strict)
            for cell in group
            if search.direct(cell, search.strict) is None
        ]
        known = [each for each in more if each is not None]
        if len(known) == len(more):
            found.append(Suspect(shares[number], sum(known)))
    return sorted(found, key=lambda each: (each.share.high, each.more, each.share.cell))
