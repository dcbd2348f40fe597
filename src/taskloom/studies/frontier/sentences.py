"""What may be said. Each kind of sentence is a record with the test that its own intervals must pass.

Of the kinds that could be said about a claim the first whose test holds is said, strongest first, so no sentence says
more than its numbers prove. A kind without a test does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from taskloom.studies.frontier.claims import Claim, Share

if TYPE_CHECKING:
    from taskloom.studies.frontier.result import CellState

__all__ = ["BASIC", "CLAIMS", "OVERALL", "Bounds", "SentenceKind", "named", "say_all", "say_basic", "say_claim"]


class Bounds(NamedTuple):
    """What counts as mastered (above `low`), failing (below `high`), and as a difference worth the name (`drop`)."""

    low: float = 0.60
    high: float = 0.85
    drop: float = 0.1

    @classmethod
    def of(cls, settings: dict[str, Any]) -> Bounds:
        """The bounds among the settings of a search."""
        return cls()._replace(**{name: float(settings[name]) for name in cls._fields if name in settings})


class SentenceKind(NamedTuple):
    """A kind of sentence.

    Attributes:
        name: What it is called in tests and tables.
        holds: Whether the numbers of its subject prove it.
        words: The sentence, without its full stop.
    """

    name: str
    holds: Callable[[Any, Bounds], bool]
    words: Callable[[Any, Bounds], str]


def named(cell: str) -> str:
    """A cell as a sentence names it: once, where what is asked is also the one thing it takes."""
    question, _, atoms = cell.rpartition(": ")
    return atoms if question == atoms else cell


def _atoms(share: Share) -> str:
    return share.cell.rpartition(": ")[2]


def _lead(share: Share) -> str:
    question = share.cell.rpartition(": ")[0]
    return f"{question}: " if question else ""


# ------------------------------------------------------------------ combinations


def _fails(claim: Claim, bounds: Bounds) -> bool:
    """Below the asked level, while every part is above the level of mastery: what a claim is at least."""
    parts_hold = bool(claim.parts) and all(part.n and part.low > bounds.low for part in claim.parts)
    return claim.probability is None and parts_hold and claim.whole.high < bounds.high


def _pair_falls(claim: Claim, bounds: Bounds) -> bool:
    if claim.promise is None or not _fails(claim, bounds):
        return False
    return claim.whole.high <= claim.promise.first.low + claim.promise.second.low - 1 - bounds.drop


def _addition_falls(claim: Claim, bounds: Bounds) -> bool:
    return claim.promise is None and _fails(claim, bounds) and claim.whole.high <= claim.base.low - bounds.drop


def _is_lower(claim: Claim, bounds: Bounds) -> bool:
    return _fails(claim, bounds) and claim.whole.high < min(part.low for part in claim.parts)


def _is_suggested(claim: Claim, bounds: Bounds) -> bool:
    if claim.probability is None or claim.probability <= 0.5 or not claim.parts:
        return False
    return claim.whole.value <= min(part.value for part in claim.parts) - bounds.drop


def _both_meet(claim: Claim) -> str:
    promise = claim.promise
    assert promise is not None
    return (
        f"{_lead(claim.whole)}masters {_atoms(promise.first)} ({promise.first.value:.2f}) and {_atoms(promise.second)} "
        f"({promise.second.value:.2f}); falls to {claim.whole} where both meet (the parts promise at least "
        f"{promise.at_least:.2f}, {promise.independent:.2f} if their errors are independent, at most "
        f"{promise.at_most:.2f})"
    )


def _is_added(claim: Claim) -> str:
    added = "+".join(claim.added) or _atoms(claim.whole)
    text = (
        f"{_lead(claim.whole)}masters {_atoms(claim.base)} ({claim.base.value:.2f}); falls to {claim.whole} when "
        f"{added} is added"
    )
    if claim.elsewhere is not None:
        text += f"; masters {claim.elsewhere.cell} ({claim.elsewhere.value:.2f})"
    return text


def _beside_parts(claim: Claim) -> str:
    listed = ", ".join(f"{_atoms(part)} {part}" for part in claim.parts)
    return f"{'its part' if len(claim.parts) == 1 else 'its parts'}: {listed}"


CLAIMS = (
    SentenceKind("pair falls", _pair_falls, lambda claim, _: f"{_both_meet(claim)}; the drop is proved"),
    SentenceKind("addition falls", _addition_falls, lambda claim, _: f"{_is_added(claim)}; the drop is proved"),
    SentenceKind(
        "lower than its parts",
        _is_lower,
        lambda claim, _: (
            f"{named(claim.whole.cell)}: {claim.whole} is lower than {_beside_parts(claim)}; that it is more than "
            "their errors add up to is not proved"
        ),
    ),
    SentenceKind(
        "below the asked level",
        _fails,
        lambda claim, bounds: (
            f"{named(claim.whole.cell)}: below {bounds.high:.0%}: {claim.whole}; {_beside_parts(claim)}; no drop from "
            "the parts is proved"
        ),
    ),
    SentenceKind(
        "suggested fall",
        _is_suggested,
        lambda claim, _: (
            f"{_is_added(claim) if claim.promise is None else _both_meet(claim)}; suggested with probability "
            f"{claim.probability:.2f}, not proved"
        ),
    ),
)
"""What may be said of a combination and its parts, strongest first."""


# ------------------------------------------------------------------ what has no parts


def _at_guessing(share: Share, bounds: Bounds) -> bool:
    return share.n > 0 and share.guess is not None and share.high <= share.guess + bounds.drop


def _not_above_guessing(share: Share, bounds: Bounds) -> bool:
    return share.guess is not None and share.low <= share.guess and share.high < bounds.high


BASIC = (
    SentenceKind(
        "cannot at all",
        lambda share, bounds: share.high < bounds.high and _at_guessing(share, bounds),
        lambda share, bounds: f"{named(share.cell)}: cannot do this at all: {share}",
    ),
    SentenceKind(
        "not shown above guessing",
        _not_above_guessing,
        lambda share, bounds: (
            f"{named(share.cell)}: below {bounds.high:.0%} and not shown to be above guessing: {share}"
        ),
    ),
    SentenceKind(
        "below the asked level",
        lambda share, bounds: share.n > 0 and share.high < bounds.high,
        lambda share, bounds: f"{named(share.cell)}: below {bounds.high:.0%}: {share}",
    ),
)
"""What may be said of a failing cell without parts, strongest first."""


# ------------------------------------------------------------------ where nothing is claimed


def _asked(cells: Sequence[CellState]) -> list[Share]:
    return [cell.share for cell in cells if cell.share.n]


def _mastered(cells: Sequence[CellState]) -> bool:
    return any(cell.standing == "mastered" for cell in cells)


def _mean(values: Sequence[float]) -> str:
    return f"{sum(values) / len(values):.2f}"


def _against_guessing(cells: Sequence[CellState]) -> str:
    asked = _asked(cells)
    answers = sum(share.n for share in asked)
    guesses = [share.guess for share in asked if share.guess is not None]
    right = sum(share.value * share.n for share in asked)
    return (
        f"{right:.0f} of {answers:,} answers right, {len(asked):,} combinations; guessing: {_mean(guesses)} on average"
    )


OVERALL = (
    SentenceKind(
        "nothing asked",
        lambda cells, _: not _asked(cells),
        lambda cells, _: "Nothing was asked, so nothing can be said",
    ),
    SentenceKind(
        "guesses everywhere",
        lambda cells, bounds: not _mastered(cells) and all(_at_guessing(share, bounds) for share in _asked(cells)),
        lambda cells, _: f"No better than guessing on anything that was asked ({_against_guessing(cells)})",
    ),
    SentenceKind(
        "nowhere shown above guessing",
        lambda cells, _: (
            not _mastered(cells)
            and all(share.guess is not None and share.low <= share.guess for share in _asked(cells))
        ),
        lambda cells, _: (
            f"Not shown to be better than guessing on anything that was asked ({_against_guessing(cells)})"
        ),
    ),
    SentenceKind(
        "fails everywhere",
        lambda cells, bounds: all(share.high < bounds.high for share in _asked(cells)),
        lambda cells, bounds: (
            f"Below {bounds.high:.0%} on all {len(_asked(cells)):,} combinations that were asked, the simplest included"
        ),
    ),
    SentenceKind(
        "masters nothing yet",
        lambda cells, _: bool(_asked(cells)) and not _mastered(cells),
        lambda cells, bounds: (
            f"None of the {len(_asked(cells)):,} combinations that were asked is shown to be mastered (above "
            f"{bounds.low:.0%})"
        ),
    ),
    SentenceKind(
        "nothing found",
        lambda cells, _: _mastered(cells),
        lambda cells, _: "No combination was found that fails while its parts are mastered",
    ),
)
"""What may be said where no claim can be made; exactly one holds."""


def _first(kinds: Sequence[SentenceKind], subject: Any, bounds: Bounds) -> str | None:
    for kind in kinds:
        if kind.holds(subject, bounds):
            return kind.words(subject, bounds)
    return None


def _fitted(trained: bool | None) -> list[str]:
    """Nothing, where it is not known what a model was fitted to."""
    known = {True: "among the rows it was fitted to", False: "not among the rows it was fitted to"}
    return [] if trained is None else [known[trained]]


def say_claim(claim: Claim, bounds: Bounds, *notes: str) -> str | None:
    """A claim as the strongest sentence that it proves; None where it proves none."""
    text = _first(CLAIMS, claim, bounds)
    if text is None:
        return None
    blamed = ["long supports are to blame, not the combination"] if claim.long_supports else []
    return "; ".join([text, *_fitted(claim.trained), *blamed, *notes]) + "."


def say_basic(share: Share, bounds: Bounds, trained: bool | None = None, *notes: str) -> str | None:
    """A failing cell without parts; None where it is not shown to fail."""
    text = _first(BASIC, share, bounds)
    return None if text is None else "; ".join([text, *_fitted(trained), *notes]) + "."


def say_all(found: Sequence[str | None], cells: Sequence[CellState], bounds: Bounds) -> list[str]:
    """What is proved of single cells; led by what can be said of all where there is nothing, or nothing is mastered."""
    said = [text for text in found if text is not None]
    if said and (_mastered(cells) or not _asked(cells)):
        return said
    overall = _first(OVERALL, cells, bounds)
    assert overall is not None, "of the last two kinds one always holds"
    return [f"{overall}.", *said]
