"""Is it the combination, or is it length? Controls with fresh items before anything is blamed on a skill.

Two ways in which a whole may fail for its length alone: more sentences are needed (then its parts fall as well at the
whole's size), or they lie further back (then the whole is solved where they stand near the question). Control items
have the bound composition of what fails: others would vary in more than length. What cannot be matched excuses nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from math import log
from typing import Literal

from taskloom.core.cells import Cell
from taskloom.studies.frontier.claims import Control, Share, cell_share, promising_pair
from taskloom.studies.frontier.probe import Probe, Tally
from taskloom.studies.frontier.refine import Variants, bound_share
from taskloom.studies.frontier.search import CONTROL_ALPHA
from taskloom.studies.frontier.streams import Stream

__all__ = ["length_controls"]

_YOUNG = 0.03
"""The share of a cell's items whose supports count as young: few, for a reader may see a short way back only."""
_EACH = 3
"""Controls of one claim at the most."""
_FIRST = 8
_SIGN = 0.1
"""A difference that is no sign of an excuse."""
_MOST = 160
"""Answers to one control: where they do not decide, more would hardly."""
_ENOUGH = 16
"""Answers after which a control that shows no sign of an excuse is ended."""
_SHARPENED = 200
"""Answers of the failing cell itself up to which it is asked on, where it is what leaves a control undecided."""


def length_controls(probe: Probe, cell: int, variants: Variants) -> list[Control]:
    """Every control of a failing cell that its items allow.

    Args:
        probe: The probe.
        cell: The failing cell, by number.
        variants: Its bound cells, where they were told apart: the one that fails most is controlled.
    """
    found = []
    search = probe.search
    whole = search.order.cells[cell]
    bound = min(variants, key=lambda name: (variants[name].top, name), default=None)
    ages = probe.streams.ages(whole, bound)
    if ages and ages[0] < ages[-1]:
        young = Stream(whole, age=ages[int(len(ages) * _YOUNG)], bound=bound)
        found.append(_control(probe, "young", young, lambda more: _failing(probe, cell, bound, more)))
    sizes = probe.sizes.get(cell)
    if sizes:
        size = min(sizes, key=lambda one: (-sizes[one], one))
        for part in promising_pair(search, cell) or search.order.parts[cell][:1]:
            stream = Stream(search.order.cells[part], size, inside=() if bound is None else bound.atoms)
            known = cell_share(search, part)
            found.append(_control(probe, "long", stream, lambda more, known=known: known))  # type: ignore[misc]
    return found


def _idle(control: Control, share: Share) -> bool:
    """Whether there is no sign that a control will excuse."""
    if share.n < _ENOUGH:
        return False
    if control.kind == "young":
        return share.value <= control.against.value + _SIGN
    return share.value >= control.against.value - _SIGN


def _failing(probe: Probe, cell: int, bound: Cell | None, more: int) -> Share:
    """What fails, after some more answers."""
    if bound is not None:
        return bound_share(probe, cell, bound, more)
    if more and probe.search.counts[cell].n < _SHARPENED:
        probe.more(cell, more)
    return cell_share(probe.search, cell)


def _control(probe: Probe, kind: Literal["young", "long"], stream: Stream, against: Callable[[int], Share]) -> Control:
    """Ask until the control excuses, or shows that it does not, or enough were asked.

    Args:
        probe: The probe.
        kind: What is controlled.
        stream: The items.
        against: What they are compared with, after so many more answers of its own.
    """
    settings = probe.search.settings
    level = log(len(probe.search.order) * _EACH / (settings.alpha * CONTROL_ALPHA))
    tally = Tally()
    control = Control(kind, against(0), missing="unmatched")
    while tally.counts.n < _MOST:
        dose = max(_FIRST, tally.counts.n // 4)
        if not probe.affords(2 * dose):
            return Control(kind, control.against, missing="budget")  # half a control says nothing
        if not _sharpened(control, against, dose, settings.high) and not probe.ask(stream, dose, tally):
            break
        share = tally.share(str(stream), level)
        control = Control(kind, against(0), share)
        fails_too = kind == "young" and share.top < settings.high
        if control.excuses or fails_too or _idle(control, share):
            break
    return control


def _sharpened(control: Control, against: Callable[[int], Share], dose: int, solved: float) -> bool:
    """Ask what fails on, where a control looks solved and what fails is what is known less well; whether it was."""
    share, known = control.share, control.against
    if control.kind != "young" or share is None or share.value <= solved:
        return False
    if known.top - known.value <= share.value - share.low:
        return False
    return against(dose).n > known.n
