"""Is it the combination, or is it length? Controls with fresh items before anything is blamed on a skill.

Two ways in which a whole may fail for its length alone: more sentences are needed (then its parts fall as well at the
whole's size), or they lie further back (then the whole is solved where they stand near the question).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.studies.frontier.claims import promising_pair
from taskloom.studies.frontier.evidence import Counts, Verdict, verdict
from taskloom.studies.frontier.streams import Stream

if TYPE_CHECKING:
    from taskloom.studies.frontier.probe import Probe

__all__ = ["long_supports", "old_supports"]

_YOUNG = 0.03
"""The share of a cell's items whose supports count as young: few, for a reader may see a short way back only."""


def long_supports(probe: Probe, cell: int) -> bool | None:
    """Whether length is to blame for a claim; None where that could not be tried."""
    known = [old_supports(probe, cell)]
    sizes = probe.sizes.get(cell)
    if sizes:
        size = min(sizes, key=lambda one: (-sizes[one], one))
        parts = promising_pair(probe.search, cell) or probe.search.order.parts[cell][:1]
        known += [_falls_at(probe, part, size) for part in parts]
    tried = [each for each in known if each is not None]
    return any(tried) if tried else None


def old_supports(probe: Probe, cell: int) -> bool | None:
    """Whether a failing cell is mastered where its supports are young; None where ages are not known or all alike."""
    ages = probe.streams.ages(probe.search.order.cells[cell])
    if not ages or ages[0] == ages[-1]:
        return None
    young = ages[int(len(ages) * _YOUNG)]
    _, found = _settle(probe, Stream(probe.search.order.cells[cell], age=young))
    return None if found is None else found == "mastered"


def _falls_at(probe: Probe, part: int, size: int) -> bool | None:
    """Whether a mastered part is mastered no longer at a fixed size; None where no such item can be drawn."""
    counts, found = _settle(probe, Stream(probe.search.order.cells[part], size))
    if found is None and counts.n:
        # Undecided after all of them: it falls if it lies below all that its own mixture of sizes allows.
        return counts.share < probe.search.interval(part)[0]
    return None if found is None else found == "failing"


def _settle(probe: Probe, stream: Stream) -> tuple[Counts, Verdict | None]:
    """Ask fresh items until it is clear how they go, or the cap is reached."""
    settings = probe.search.settings
    counts = Counts()
    while counts.n < settings.cap:
        more = probe.control(stream, max(8, counts.n // 2))
        if probe.cut_short:
            return Counts(), None  # half a control says nothing
        if not more.n:
            break
        counts = Counts(counts.right + more.right, counts.wrong + more.wrong)
        if (found := verdict(counts, settings.low, settings.high, probe.search.screen)) is not None:
            return counts, found
    return counts, None
