"""An independent judge of what a probe says: from the answers alone, with none of the search's statistics.

It keeps every answer as it was given, works out each interval anew (SciPy's beta function and a root finder, the
mixture of Robbins), and reads each sentence for what it asserts. A sentence is faulted if a number in it is not that of
the answers, if an interval is narrower than they allow, if its words say more than the intervals prove, or if the
judge does not understand it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from math import log

from scipy.optimize import brentq
from scipy.special import betaln

from taskloom.core import Row
from taskloom.core.cells import Lattice
from taskloom.studies.frontier.claims import Claim, Frontier, Share
from taskloom.studies.frontier.probe import stream_of

__all__ = ["AnswerBook", "faults"]

_SPLIT = {"cells": 0.8, "bound": 0.1, "controls": 0.1}
"""How the chance of any false claim is divided; a cell has three controls at the most."""
_NEAR = 1e-6
_PRINTED = re.compile(r"(\d\.\d\d) \[(\d\.\d\d), (\d\.\d\d)\] \(n = (\d+)")


class AnswerBook:
    """Every answer by the name of what was asked, in the order of asking.

    Args:
        lattice: What is asked about.
    """

    def __init__(self, lattice: Lattice) -> None:
        self._lattice = lattice
        self.asked: dict[str, list[bool]] = defaultdict(list)
        self._bound: dict[str, list[bool]] = defaultdict(list)
        self._beside: dict[str, dict[int, list[bool]]] = defaultdict(lambda: defaultdict(list))

    def note(self, place: int, name: str, row: Row, right: bool) -> None:
        """Write one answer down. Cells come first among the streams; controls say what they hold fixed."""
        number, _ = stream_of(place)
        if number < len(self._lattice.cells):
            self.asked[name].append(right)
            self._bound[str(self._lattice.bound(row))].append(right)
        elif " @ " in name:
            self.asked[name].append(right)
        else:
            self._beside[name][number].append(right)

    def of_bound(self, name: str, count: int) -> list[bool]:
        """The answers of a bound cell: those of the search, with those that were asked for its sake where there are."""
        options = [self._bound[name] + more for more in ([], *self._beside[name].values())]
        return next((answers for answers in options if len(answers) == count), options[0])


def rejected_outside(right: int, wrong: int, level: float) -> tuple[float, float]:
    """The rates that a Beta(1/2, 1/2) mixture does not reject at a level of log evidence."""

    def surplus(rate: float) -> float:
        return (
            float(betaln(right + 0.5, wrong + 0.5) - betaln(0.5, 0.5) - right * log(rate) - wrong * log(1 - rate))
            - level
        )

    tiny, share = 1e-12, right / (right + wrong)
    low = 0.0 if not right else brentq(surplus, tiny, min(share, 1 - tiny)) if surplus(tiny) > 0 else 0.0
    high = 1.0 if not wrong else brentq(surplus, max(share, tiny), 1 - tiny) if surplus(1 - tiny) > 0 else 1.0
    return low, high


def running(answers: Sequence[bool], level: float) -> tuple[float, float]:
    """What no moment of asking rejected; the last moment alone where that leaves nothing."""
    low, high, last = 0.0, 1.0, (0.0, 1.0)
    right = 0
    for number, answer in enumerate(answers, start=1):
        right += answer
        last = rejected_outside(right, number - right, level)
        low, high = max(low, last[0]), min(high, last[1])
    return (low, high) if low <= high else last


def faults(found: Frontier, book: AnswerBook) -> list[str]:
    """Every sentence that does not follow from the answers, with why."""
    alpha, cells = float(found.settings["alpha"]), len(found.cells)
    levels = {
        name: log(number / (alpha * _SPLIT[name])) for name, number in (("cells", cells), ("controls", 3 * cells))
    }
    wrong = []
    states = {cell.share.cell: cell.share for cell in found.cells if cell.share.n}
    for name, share in states.items():
        wrong += [f"{name}: {why}" for why in _misstated(share, book.asked[name], levels["cells"], running)]
    for text, claim in found.sentences_with_claims():
        if claim is None:
            wrong += [f"{text!r}: {why}" for why in _overall(text, list(states.values()), found)]
            continue
        bound = log(cells * max(1, len(claim.variants)) / (alpha * _SPLIT["bound"]))
        shares = [claim.whole, *claim.parts, *claim.variants]
        for share in shares:
            if share.cell not in states or share in claim.variants or (claim.within and share is claim.whole):
                why = _misstated(share, book.of_bound(share.cell, share.n), bound, _at_the_end)
                wrong += [f"{share.cell}: {each}" for each in why]
        for share in (each for control in claim.controls for each in (control.share, control.against)):
            if share is not None and " @ " in share.cell:
                why = _misstated(share, book.asked[share.cell], levels["controls"], _at_the_end)
                wrong += [f"{share.cell}: {each}" for each in why]
        wrong += [f"{text!r}: {why}" for why in (*_printed(text, claim), *_asserted(text, claim, found))]
    return wrong


def _at_the_end(answers: Sequence[bool], level: float) -> tuple[float, float]:
    return rejected_outside(sum(answers), len(answers) - sum(answers), level) if answers else (0.0, 1.0)


def _misstated(
    share: Share, answers: Sequence[bool], level: float, derive: Callable[[Sequence[bool], float], tuple[float, float]]
) -> list[str]:
    if len(answers) != share.n:
        return [f"{share.n} answers are said, {len(answers)} were given"]
    if share.n and abs(sum(answers) / len(answers) - share.value) > _NEAR:
        return [f"the share is {sum(answers) / len(answers):.4f}, not {share.value:.4f}"]
    low, high = derive(answers, level)
    if share.low > low + _NEAR or share.top < high - _NEAR:
        return [f"[{share.low:.4f}, {share.top:.4f}] is narrower than [{low:.4f}, {high:.4f}]"]
    return []


def _printed(text: str, claim: Claim) -> list[str]:
    known = [claim.whole, *claim.parts, *claim.variants, *(each.share for each in claim.controls if each.share)]
    known += [each.against for each in claim.controls]
    exact = {(f"{s.value:.2f}", f"{s.low:.2f}", f"{s.high:.2f}", str(s.n)) for s in known}
    return [f"{match} is nobody's share" for match in _PRINTED.findall(text) if match not in exact]


def _asserted(text: str, claim: Claim, found: Frontier) -> list[str]:
    """What the words say, against the intervals."""
    low, high, drop = (float(found.settings.get(name, 0.1)) for name in ("low", "high", "drop"))
    whole, parts = claim.whole, claim.parts
    fails, mastered = whole.top < high, bool(parts) and all(part.low > low for part in parts)
    guess = whole.guess
    if "falls to" in text and "where both meet" in text and claim.predicted is not None:
        proved = whole.top <= claim.predicted.first.low + claim.predicted.second.low - 1 - drop
        return [] if fails and mastered and proved else ["the drop is not proved"]
    if "falls to" in text and "is added" in text:
        base = max(parts, key=lambda part: part.cell.count("+"), default=None)
        proved = base is not None and whole.top <= base.low - drop
        return [] if fails and mastered and proved else ["the drop is not proved"]
    if "is lower than its part" in text:
        return [] if mastered and whole.top < min(part.low for part in parts) else ["it is not proved to be lower"]
    if "cannot do this at all" in text:
        return [] if guess is not None and whole.top <= guess + drop else ["it may be above guessing"]
    if "not shown to be above guessing" in text:
        return [] if fails and guess is not None and whole.low <= guess else ["it is shown to be above guessing"]
    if "far from the question" in text:
        proved = any(
            each.share is not None and each.share.low > each.against.top and each.against.top < high
            for each in claim.controls
        )
        return [] if proved and (mastered or not parts) else ["old items are not proved to lie below young ones"]
    if f"below {high:.0%}" in text:
        enough = mastered if parts else True
        return [] if fails and enough else ["it may reach the level, or a part is not shown to be mastered"]
    return ["the judge does not understand it"]


def _overall(text: str, asked: list[Share], found: Frontier) -> list[str]:
    low, high, drop = (float(found.settings.get(name, 0.1)) for name in ("low", "high", "drop"))
    guesses = [share for share in asked if share.guess is not None]
    if text.startswith("Nothing was asked"):
        return ["something was"] if asked else []
    if text.startswith("No better than guessing"):
        holds = len(guesses) == len(asked) and all(share.top <= share.guess + drop for share in guesses)  # type: ignore[operator]
    elif text.startswith("Not shown to be better than guessing"):
        holds = len(guesses) == len(asked) and all(share.low <= share.guess for share in guesses)  # type: ignore[operator]
    elif text.startswith(f"Below {high:.0%} on everything"):
        holds = all(share.top < high for share in asked)
    elif text.startswith("Nothing that was asked"):
        # The screening level of the search is laxer than that of these intervals: none of them may lie above.
        holds = not any(share.low > low for share in asked)
    elif text.startswith("No combination was found"):
        holds = not found.claims
    else:
        return ["the judge does not understand it"]
    return [] if holds else ["the intervals do not show it"]
