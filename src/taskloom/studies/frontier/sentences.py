"""What may be said. Each kind of sentence is a record with the test that its own intervals must pass.

Of the kinds that could be said about a claim the first whose test holds is said, strongest first, so no sentence says
more than its numbers prove. A kind without a test does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from taskloom.studies.frontier.claims import Claim, Control, Share

if TYPE_CHECKING:
    from taskloom.studies.frontier.result import CellState

__all__ = ["CLAIMS", "NOTES", "OVERALL", "Bounds", "SentenceKind", "named", "say_all", "say_claim"]


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


# ------------------------------------------------------------------ one claim


def _fails(claim: Claim, bounds: Bounds) -> bool:
    """Below the asked level, while every part is above the level of mastery: what a claim is at least."""
    parts_hold = bool(claim.parts) and all(part.n and part.low > bounds.low for part in claim.parts)
    return claim.probability is None and parts_hold and claim.whole.top < bounds.high


def _at_guessing(share: Share, bounds: Bounds) -> bool:
    return share.n > 0 and share.guess is not None and share.top <= share.guess + bounds.drop


def _basic_fails(claim: Claim, bounds: Bounds) -> bool:
    return not claim.parts and claim.whole.n > 0 and claim.whole.top < bounds.high


def _not_above_guessing(claim: Claim, bounds: Bounds) -> bool:
    guess = claim.whole.guess
    return _basic_fails(claim, bounds) and guess is not None and claim.whole.low <= guess


def _not_read(claim: Claim, bounds: Bounds) -> bool:
    return claim.whole.unread > 0 and claim.whole.high < bounds.high <= claim.whole.top


def _pair_falls(claim: Claim, bounds: Bounds) -> bool:
    if claim.promise is None or not _fails(claim, bounds):
        return False
    return claim.whole.top <= claim.promise.first.low + claim.promise.second.low - 1 - bounds.drop


def _addition_falls(claim: Claim, bounds: Bounds) -> bool:
    return claim.promise is None and _fails(claim, bounds) and claim.whole.top <= claim.base.low - bounds.drop


def _is_lower(claim: Claim, bounds: Bounds) -> bool:
    return _fails(claim, bounds) and claim.whole.top < min(part.low for part in claim.parts)


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
    SentenceKind(
        "cannot at all",
        lambda claim, bounds: _basic_fails(claim, bounds) and _at_guessing(claim.whole, bounds),
        lambda claim, _: f"{named(claim.whole.cell)}: cannot do this at all: {claim.whole}",
    ),
    SentenceKind(
        "not shown above guessing",
        _not_above_guessing,
        lambda claim, bounds: (
            f"{named(claim.whole.cell)}: below {bounds.high:.0%} and not shown to be above guessing: {claim.whole}"
        ),
    ),
    SentenceKind(
        "basic below the asked level",
        _basic_fails,
        lambda claim, bounds: f"{named(claim.whole.cell)}: below {bounds.high:.0%}: {claim.whole}",
    ),
    SentenceKind(
        "could not be read",
        _not_read,
        lambda claim, _: (
            f"{named(claim.whole.cell)}: {claim.whole.unread} of {claim.whole.n} answers could not be read, so that it "
            "fails is not proved"
        ),
    ),
)
"""What may be said of a claim, strongest first."""


# ------------------------------------------------------------------ notes on a claim


def _told(claim: Claim) -> tuple[str, list[Share], list[Share]] | None:
    """The bound atom that divides the variants: all with it lie below all without, with intervals apart."""
    known = [(frozenset(share.cell.rpartition(": ")[2].split("+")), share) for share in claim.variants if share.n]
    for atom in sorted({atom for atoms, _ in known for atom in atoms if "(" in atom}):
        held = [share for atoms, share in known if atom in atoms]
        free = [share for atoms, share in known if atom not in atoms]
        if held and free and max(share.top for share in held) < min(share.low for share in free):
            return atom, held, free
    return None


def _bound_words(claim: Claim) -> str:
    told = _told(claim)
    assert told is not None
    atom, held, free = told
    shares = [f"{min(share.value for share in each):.2f}" for each in (held, free)]
    return f"it is {atom}: {shares[0]} with it, {shares[1]} without"


def _controls(claim: Claim, kind: str) -> list[Control]:
    return [control for control in claim.controls if control.kind == kind and control.share is not None]


def _young_words(claim: Claim) -> str:
    return next(f"{each.share}" for each in _controls(claim, "young"))


def _young_fails(claim: Claim, bounds: Bounds) -> bool:
    return any(each.share is not None and each.share.top < bounds.high for each in _controls(claim, "young"))


def _part_words(claim: Claim) -> str:
    return next(f"{named(each.against.cell)}: {each.share}" for each in _controls(claim, "long") if each.excuses)


NOTES = (
    SentenceKind("bound", lambda claim, _: _told(claim) is not None, lambda claim, _: _bound_words(claim)),
    SentenceKind(
        "young solved",
        lambda claim, _: any(each.excuses for each in _controls(claim, "young")),
        lambda claim, _: (
            f"{_young_words(claim)} where the supports are close to the question: old supports are to blame, not "
            f"{'the combination' if claim.parts else 'a skill'}"
        ),
    ),
    SentenceKind(
        "part falls at the size",
        lambda claim, _: any(each.excuses for each in _controls(claim, "long")),
        lambda claim, _: (
            f"a part falls as well at the same size ({_part_words(claim)}): long supports are to blame, not the "
            "combination"
        ),
    ),
    SentenceKind(
        "not for length",
        lambda claim, bounds: not claim.long_supports and _young_fails(claim, bounds),
        lambda claim, _: f"also where the supports are close to the question: {_young_words(claim)}",
    ),
    SentenceKind(
        "length not ruled out",
        lambda claim, bounds: (
            not claim.long_supports and bool(_controls(claim, "young")) and not _young_fails(claim, bounds)
        ),
        lambda claim, _: f"length is not ruled out: {_young_words(claim)} where the supports are close",
    ),
    SentenceKind(
        "no budget for length",
        lambda claim, _: not claim.long_supports and any(each.missing == "budget" for each in claim.controls),
        lambda claim, _: "length was not controlled for, because the budget was spent",
    ),
    SentenceKind(
        "length not matched",
        lambda claim, _: bool(claim.controls) and all(each.missing == "unmatched" for each in claim.controls),
        lambda claim, _: "length was not controlled for: there are no matching items",
    ),
    SentenceKind("fitted", lambda claim, _: claim.trained is True, lambda claim, _: "among the rows it was fitted to"),
    SentenceKind(
        "not fitted", lambda claim, _: claim.trained is False, lambda claim, _: "not among the rows it was fitted to"
    ),
)
"""What may be added; all that hold are."""


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
    many = "1 combination" if len(asked) == 1 else f"{len(asked):,} combinations"
    return f"{right:.0f} of {answers:,} answers right, {many}; guessing: {_mean(guesses)} on average"


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
        lambda cells, bounds: all(share.top < bounds.high for share in _asked(cells)),
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


def say_claim(claim: Claim, bounds: Bounds, *notes: str) -> str | None:
    """A claim as the strongest sentence that it proves, with every note that holds; None where it proves none."""
    text = _first(CLAIMS, claim, bounds)
    if text is None:
        return None
    return "; ".join([text, *(kind.words(claim, bounds) for kind in NOTES if kind.holds(claim, bounds)), *notes]) + "."


def say_all(
    claims: Sequence[Claim], cells: Sequence[CellState], bounds: Bounds, *, suggested: bool = False
) -> list[tuple[str, Claim | None]]:
    """What is proved of claims, each with its claim; led by what can be said of all where nothing is mastered.

    Args:
        claims: The claims, strongest first.
        cells: Every cell.
        bounds: What counts as mastered and failing.
        suggested: Whether what is said of cells without parts is a suggestion.
    """
    found = ((say_claim(each, bounds, *_SUGGESTED[suggested and not each.parts]), each) for each in claims)
    said: list[tuple[str, Claim | None]] = [(text, claim) for text, claim in found if text is not None]
    if said and (_mastered(cells) or not _asked(cells)):
        return said
    overall = _first(OVERALL, cells, bounds)
    assert overall is not None, "of the last two kinds one always holds"
    return [(f"{overall}.", None), *said]


_SUGGESTED: dict[bool, tuple[str, ...]] = {False: (), True: ("suggested, not proved",)}
