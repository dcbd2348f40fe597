"""The second level: which of the bound cells within a failing cell it is that fails.

Answers of the search are counted for the bound cells of their items as well. What failed, and what was left between
with its parts mastered, is asked on, one bound cell at a time. The level of evidence holds for all bound cells of all
cells together, whichever of them are looked at.
"""

from __future__ import annotations

from collections import Counter
from math import log

from taskloom.core.cells import Cell
from taskloom.studies.frontier.claims import Share
from taskloom.studies.frontier.evidence import verdict
from taskloom.studies.frontier.probe import Probe, Tally
from taskloom.studies.frontier.search import BOUND_ALPHA
from taskloom.studies.frontier.streams import Stream

__all__ = ["Variants", "bound_share", "failing_variant", "left_between", "settle_parts", "told_apart"]

_LOOKED_AT = 100
_RAREST = 0.05
"""A bound cell that is rarer than this among the items of its cell is not asked on its own."""
_MOST = 60

Variants = dict[Cell, Share]


def told_apart(probe: Probe, cell: int) -> Variants:
    """The shares of the bound cells within a cell, asked until each is decided; empty where there are no two."""
    settings = probe.search.settings
    looked = [probe.lattice.bound(row) for row in probe.streams.look(probe.search.order.cells[cell], _LOOKED_AT)]
    common = Counter(bound for bound in looked if bound is not None)
    known = probe.variants.setdefault(cell, {})
    for name in common:
        known.setdefault(name, Tally())
    if len(known) < 2:
        return {}
    for name in sorted(known):
        while common[name] >= _RAREST * len(looked) and known[name].counts.n < _MOST:
            if verdict(known[name].counts, settings.low, settings.high, _level(probe, cell)) is not None:
                break
            before = known[name].counts.n
            bound_share(probe, cell, name, max(4, before // 4))
            if known[name].counts.n == before:
                break
    return {name: bound_share(probe, cell, name) for name in sorted(known) if known[name].counts.n}


def bound_share(probe: Probe, cell: int, name: Cell, more: int = 0) -> Share:
    """The share of a bound cell, after some more answers where the budget reaches."""
    tally = probe.variants[cell][name]
    if more and tally.counts.n < 2 * _MOST and probe.affords(more):
        probe.ask(Stream(probe.search.order.cells[cell], bound=name), more, tally)
    return tally.share(str(name), _level(probe, cell))


def _level(probe: Probe, cell: int) -> float:
    search = probe.search
    return log(len(search.order) * len(probe.variants[cell]) / (search.settings.alpha * BOUND_ALPHA))


def left_between(probe: Probe) -> list[int]:
    """Cells left between, with parts that are mastered so far, of which one bound cell looks like failing."""
    search = probe.search
    standings = search.standings()
    return [
        cell
        for cell, parts in enumerate(search.order.parts)
        if parts
        and standings[cell] == "between"
        and all(standings[part] == "mastered" for part in parts)
        and any(
            verdict(tally.counts, search.settings.low, search.settings.high, search.screen) == "failing"
            for tally in probe.variants.get(cell, {}).values()
        )
    ]


def settle_parts(probe: Probe, cell: int) -> bool:
    """Ask the parts of a cell until all are proved to be mastered; whether they are."""
    search = probe.search
    for part in search.order.parts[cell]:
        while search.direct(part, search.strict) is None and search.counts[part].n < search.settings.strict_cap:
            dose = max(4, search.counts[part].n // 4)
            if not probe.affords(dose) or not probe.more(part, dose):
                return False
        if search.direct(part, search.strict) != "mastered":
            return False
    return True


def failing_variant(probe: Probe, variants: Variants) -> Share | None:
    """The bound cell that fails most, where some fail and some do not; None where they cannot be told apart."""
    bad = [share for share in variants.values() if share.top < probe.search.settings.high]
    if not bad or len(bad) == len(variants):
        return None
    return min(bad, key=lambda share: (share.top, share.cell))
