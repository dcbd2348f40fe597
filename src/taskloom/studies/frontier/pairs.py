"""Items to look at: for each claim two that differ by what is claimed to hurt, both asked."""

from __future__ import annotations

from taskloom.core import Row, UserError, digest
from taskloom.core.cells import Cell, ItemPair
from taskloom.studies.frontier.claims import Claim, ShownItem, ShownPair
from taskloom.studies.frontier.probe import Probe

__all__ = ["pair_lines", "shown_pair"]

_LONGEST, _SAID = 300, 60
"""Characters of an item and of an answer that a terminal is shown."""
_TRIES = 2
"""Pairs that are asked until one shows what is claimed: right without, wrong with."""


def shown_pair(probe: Probe, cell: int, claim: Claim) -> ShownPair | None:
    """A pair for a claim. A cell without parts is shown by one of its items; so is nothing where no item was asked."""
    if not claim.parts:
        item = _asked(probe, cell, right=False)
        return None if item is None else ShownPair(None, item)
    best = None
    for attempt in range(_TRIES if probe.affords(2 * _TRIES) else 0):
        found = _drawn(probe, claim, attempt)
        if found is None:
            break
        assert found.without is not None
        if found.without.right and not found.whole.right:
            return found
        best = best or found
    return best or _of_those_asked(probe, cell, claim)


def _drawn(probe: Probe, claim: Claim, attempt: int) -> ShownPair | None:
    """A pair of the lattice's own making, asked: with the largest part that gives a minimal one."""
    whole = claim.whole.cell
    seed = int.from_bytes(digest("pair", probe.seed, whole, attempt)[:6], "big")
    found: tuple[str, ItemPair] | None = None
    for part in sorted(claim.parts, key=lambda share: -len(Cell.parse(share.cell).atoms)):
        try:
            drawn = probe.lattice.pair(Cell.parse(whole), Cell.parse(part.cell), seed)
        except UserError:  # an item that the search could draw and this seed cannot
            continue
        if found is None or drawn.minimal:
            found = part.cell, drawn
        if drawn.minimal:
            break
    if found is None:
        return None
    part_name, pair = found
    rows: list[tuple[str, Row]] = [(part_name, pair.without), (whole, pair.whole)]
    without, with_all = probe.show(rows, f"{whole} / {part_name} / {attempt}")
    return ShownPair(without, with_all, pair.minimal)


def _of_those_asked(probe: Probe, cell: int, claim: Claim) -> ShownPair | None:
    """Two items of the two cells among those that the search has asked."""
    part = next(c for c, known in enumerate(probe.search.order.cells) if str(known) == claim.base.cell)
    without, whole = _asked(probe, part, right=True), _asked(probe, cell, right=False)
    return None if whole is None else ShownPair(without, whole)


def _asked(probe: Probe, cell: int, *, right: bool) -> ShownItem | None:
    """The first item of a cell that was answered so, or the first at all."""
    items = probe.asked_of(cell)
    return next((item for item in items if bool(item.right) == right), items[0] if items else None)


def pair_lines(pair: ShownPair) -> list[str]:
    """A pair for the terminal: the sentences that an answer needs, the question, and what the model said."""
    kind = "the same but for that" if pair.minimal else "two items of the two cells"
    items = [("without", pair.without), ("with", pair.whole)] if pair.without is not None else [("", pair.whole)]
    found = [f"for example, {kind}:"] if pair.without is not None else ["for example:"]
    for name, item in items:
        assert item is not None
        verdict = {True: "right", False: f"wrong, it is {item.target}", None: "could not be read"}[item.right]
        said = item.said.strip().splitlines()[0][:_SAID] if item.said.strip() else "nothing"
        found.append(f"  {name + ': ' if name else ''}{_needed(item)} → {said} ({verdict})")
    return found


def _needed(item: ShownItem) -> str:
    lines = item.input.splitlines()
    if item.support and lines:
        lines = [lines[number - 1] for number in item.support if number <= len(lines)] + lines[-1:]
    text = " / ".join(lines)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
