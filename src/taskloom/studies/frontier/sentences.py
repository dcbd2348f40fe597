"""What may be said. Each kind of sentence has a test that its own intervals must pass; its words are `sentences.toml`.

Of the kinds that could be said about a claim the first whose test holds is said, strongest first, so no sentence says
more than its numbers prove. A kind without a test does not exist.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from taskloom.core.decode import read_toml
from taskloom.core.display import counted

if TYPE_CHECKING:
    from taskloom.studies.frontier.claims import CellState, Claim, Control, Share, ShownItem, ShownPair


class Bounds(NamedTuple):
    """What counts as mastered (above `low`), failing (below `high`), and as a difference worth the name (`drop`)."""

    low: float = 0.60
    high: float = 0.85
    drop: float = 0.1

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Bounds:
        """The bounds among the settings of a search."""
        return cls()._replace(**{name: float(settings[name]) for name in cls._fields if name in settings})


class SentenceKind(NamedTuple):
    """A kind of sentence: its name, whether the numbers of its subject prove it, and its words."""

    name: str
    holds: Callable[[Any, Bounds], bool]
    words: Callable[[Any, Bounds], str]


def named(cell: str) -> str:
    """A cell as a sentence names it: once, where what is asked is also the one thing it takes."""
    question, _, atoms = cell.rpartition(": ")
    return atoms if question == atoms else cell


def _atoms(share: Share) -> str:
    return share.cell.rpartition(": ")[2]


_WORDS = read_toml(Path(__file__).with_name("sentences.toml"), type=dict[str, dict[str, str]])


def _kinds(
    section: str,
    values: Callable[[Any, Bounds], Mapping[str, Any]],
    tests: Mapping[str, Callable[[Any, Bounds], bool]],
) -> tuple[SentenceKind, ...]:
    """The kinds of a section in the order of their words; one without a test, or a test without words, is an error."""
    words = _WORDS[section]
    assert words.keys() == tests.keys(), words.keys() ^ tests.keys()
    return tuple(
        SentenceKind(name, tests[name], lambda subject, bounds, text=text: text.format_map(values(subject, bounds)))  # type: ignore[misc]
        for name, text in words.items()
    )


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


def _falls(claim: Claim, bounds: Bounds) -> bool:
    return _fails(claim, bounds) and claim.falls(bounds.drop)


def _is_suggested(claim: Claim, bounds: Bounds) -> bool:
    if claim.probability is None or claim.probability <= 0.5 or not claim.parts:
        return False
    return claim.whole.value <= min(part.value for part in claim.parts) - bounds.drop


def _divided(claim: Claim) -> tuple[str, list[Share], list[Share]] | None:
    """The bound atom that divides the variants: all with it lie below all without, with intervals apart."""
    known = [(frozenset(_atoms(share).split("+")), share) for share in claim.variants if share.n]
    for atom in sorted({atom for atoms, _ in known for atom in atoms if "(" in atom}):
        held = [share for atoms, share in known if atom in atoms]
        free = [share for atoms, share in known if atom not in atoms]
        if held and free and max(share.top for share in held) < min(share.low for share in free):
            return atom, held, free
    return None


def _controls(claim: Claim, *kinds: str) -> list[Control]:
    return [control for control in claim.controls if control.kind in kinds and control.share is not None]


def _excused(claim: Claim, *kinds: str) -> bool:
    return any(control.excuses for control in _controls(claim, *kinds))


def _old_fails(claim: Claim, bounds: Bounds) -> bool:
    """The old items of a cell are below the level, and its young ones lie above them."""
    return any(each.excuses and each.against.top < bounds.high for each in _controls(claim, "ages"))


def _young_fails(claim: Claim, bounds: Bounds) -> bool:
    return any(each.share is not None and each.share.top < bounds.high for each in _controls(claim, "young"))


def _added(claim: Claim) -> str:
    """What the whole has more than its largest part, bound to what it acts on where the claim is about that."""
    more = [atom for atom in _atoms(claim.whole).split("+") if atom.partition("(")[0] in claim.added]
    return "+".join(more if claim.within else claim.added) or _atoms(claim.whole)


def _claim_values(claim: Claim, bounds: Bounds) -> dict[str, Any]:
    """Everything that the words about a claim may name; what it lacks is not among them."""
    whole = claim.whole
    question = whole.cell.rpartition(": ")[0]
    values: dict[str, Any] = {
        "cell": (whole.title if claim.parts else question) if whole.title else named(whole.cell),
        "whole": whole, "unread": whole.unread, "n": whole.n, "level": f"{bounds.high:.0%}",
        "lead": f"{question}: " if question else "", "probability": claim.probability, "fall": "",
        "blamed": "the combination" if claim.parts else "a skill",
    }  # fmt: skip
    if claim.parts:
        listed = ", ".join(f"{part.title or _atoms(part)} {part}" for part in claim.parts)
        known = claim.elsewhere
        values |= {
            "parts": f"{'its part' if len(claim.parts) == 1 else 'its parts'}: {listed}",
            "base": claim.base, "base_atoms": _atoms(claim.base), "added": _added(claim),
            "bound": f" as {_atoms(whole)}" if claim.within else "",
            "elsewhere": "" if known is None else f"; masters {known.cell} ({known.value:.2f})",
        }  # fmt: skip
        if (pair := claim.predicted) is not None:
            values |= {"predicted": pair, "first": pair.first, "second": pair.second}
            values |= {"first_atoms": _atoms(pair.first), "second_atoms": _atoms(pair.second)}
        if whole.title:
            solved = [f"{part.title} ({part.value:.2f})" for part in claim.parts]
            values |= {"title": whole.title, "solved": " and ".join(filter(None, (", ".join(solved[:-1]), solved[-1])))}
        phrase = "titled" if whole.title else "addition" if pair is None else "pair"
        values["fall"] = _WORDS["phrases"][phrase].format_map(values)
    if (found := _divided(claim)) is not None:
        lowest = (min(share.value for share in side) for side in found[1:])
        values |= zip(("divider", "with_it", "without_it"), (found[0], *lowest), strict=True)
    values["old"] = next((str(each.against) for each in _controls(claim, "ages")), "")
    values["young"] = next((str(each.share) for each in _controls(claim, "young", "ages")), "")
    excusing = (each for each in _controls(claim, "long") if each.excuses)
    values["long_part"] = next((f"{named(each.against.cell)}: {each.share}" for each in excusing), "")
    return values


CLAIMS = _kinds(
    "claims",
    _claim_values,
    {
        "pair falls": lambda claim, bounds: claim.predicted is not None and _falls(claim, bounds),
        "addition falls": lambda claim, bounds: claim.predicted is None and _falls(claim, bounds),
        "lower than its parts": lambda claim, bounds: (
            _fails(claim, bounds) and claim.whole.top < min(part.low for part in claim.parts)
        ),
        "below the asked level": _fails,
        "old supports fail": _old_fails,
        "suggested fall": _is_suggested,
        "cannot at all": lambda claim, bounds: _basic_fails(claim, bounds) and _at_guessing(claim.whole, bounds),
        "not shown above guessing": _not_above_guessing,
        "basic below the asked level": _basic_fails,
        "could not be read": lambda claim, bounds: (
            claim.whole.unread > 0 and claim.whole.high < bounds.high <= claim.whole.top
        ),
    },
)
"""What may be said of a claim, strongest first."""

NOTES = _kinds(
    "notes",
    _claim_values,
    {
        "bound": lambda claim, _: _divided(claim) is not None,
        "young solved": lambda claim, _: _excused(claim, "young", "ages"),
        "part falls at the size": lambda claim, _: _excused(claim, "long"),
        "not for length": lambda claim, bounds: not claim.long_supports and _young_fails(claim, bounds),
        "length not ruled out": lambda claim, bounds: (
            not claim.long_supports and bool(_controls(claim, "young")) and not _young_fails(claim, bounds)
        ),
        "no budget for length": lambda claim, _: (
            not claim.long_supports and any(each.missing == "budget" for each in claim.controls)
        ),
        "length not matched": lambda claim, _: (
            bool(claim.controls) and all(each.missing == "unmatched" for each in claim.controls)
        ),
        "fitted": lambda claim, _: claim.trained is True,
        "not fitted": lambda claim, _: claim.trained is False,
    },
)
"""What may be added; all that hold are."""


# ------------------------------------------------------------------ where nothing is claimed


def _asked(cells: Sequence[CellState]) -> list[Share]:
    return [cell.share for cell in cells if cell.share.n]


def _mastered(cells: Sequence[CellState]) -> bool:
    return any(cell.standing == "mastered" for cell in cells)


def _overall_values(cells: Sequence[CellState], bounds: Bounds) -> dict[str, Any]:
    asked = _asked(cells)
    answers, right = sum(share.n for share in asked), sum(share.value * share.n for share in asked)
    guesses = [share.guess for share in asked if share.guess is not None]
    many = counted(len(asked), "combination")
    average = f"; guessing: {sum(guesses) / len(guesses):.2f} on average" if guesses else ""
    return {
        "many": many, "level": f"{bounds.high:.0%}", "mastered": f"{bounds.low:.0%}",
        "against_guessing": f"{right:.0f} of {counted(answers, 'answer')} right, {many}{average}",
    }  # fmt: skip


OVERALL = _kinds(
    "overall",
    _overall_values,
    {
        "nothing asked": lambda cells, _: not _asked(cells),
        "guesses everywhere": lambda cells, bounds: (
            not _mastered(cells) and all(_at_guessing(share, bounds) for share in _asked(cells))
        ),
        "nowhere shown above guessing": lambda cells, _: (
            not _mastered(cells)
            and all(share.guess is not None and share.low <= share.guess for share in _asked(cells))
        ),
        "fails everywhere": lambda cells, bounds: all(share.top < bounds.high for share in _asked(cells)),
        "masters nothing yet": lambda cells, _: bool(_asked(cells)) and not _mastered(cells),
        "nothing found": lambda cells, _: _mastered(cells),
    },
)
"""What may be said where no claim can be made; exactly one holds."""


def _first(kinds: Sequence[SentenceKind], subject: Any, bounds: Bounds) -> str | None:
    return next((kind.words(subject, bounds) for kind in kinds if kind.holds(subject, bounds)), None)


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
    said: list[tuple[str, Claim | None]] = []
    for claim in claims:
        notes = ("suggested, not proved",) if suggested and not claim.parts else ()
        if (text := say_claim(claim, bounds, *notes)) is not None:
            said.append((text, claim))
    if said and (_mastered(cells) or not _asked(cells)):
        return said
    overall = _first(OVERALL, cells, bounds)
    assert overall is not None, "of the last two kinds one always holds"
    return [(f"{overall}.", None), *said]


_LONGEST, _SAID = 300, 60
"""Characters of an item and of an answer that a terminal is shown."""


def told_lines(told: Sequence[tuple[str, Claim | None]], items: int) -> list[str]:
    """Sentences for the terminal, numbered where they are about claims; the first so many with their items."""
    numbered = any(claim is not None for _, claim in told)
    lines = []
    for number, (text, claim) in enumerate(told, start=1):
        lines.append(f"  {number}. {text}" if numbered else f"  {text}")
        if number <= items and claim is not None and claim.pair is not None:
            lines += [f"     {line}" for line in pair_lines(claim.pair)]
    return lines


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
