"""One answer from several people, where they agree."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

_NA = frozenset({"n/a", "na", "n.a."})
_WORD = re.compile(r"\w+(?:[.,'’-]\w+)*")


class Adjudication(NamedTuple):
    """What people agreed on.

    Attributes:
        answer: The answer, None where they did not settle it.
        agreement: unanimous, majority, subset, disputed, or open where there are no answers.
    """

    answer: str | None
    agreement: str


def adjudicate(answers: Sequence[str], *, closed: bool) -> Adjudication:
    """One answer from several: the rule of section 4.4 of the ZEST paper.

    Yes/no questions go by majority. For other questions the answer that is a subset of the others is taken, a shorter
    one before a longer one. What the rule does not settle is disputed.

    Args:
        answers: What each annotator said.
        closed: Whether the question wants yes, no or n/a.

    Example:
        >>> adjudicate(["yes", "no", "yes"], closed=True)
        Adjudication(answer='yes', agreement='majority')
        >>> adjudicate(["the old bridge", "bridge", "old bridge"], closed=False)
        Adjudication(answer='bridge', agreement='subset')
    """
    if not answers:
        return Adjudication(None, "open")
    folded = [_folded(answer) for answer in answers]
    if len(set(folded)) == 1:
        return Adjudication(answers[0], "unanimous")
    silent = sum(one == ("n/a",) for one in folded)
    # Whether the passage says anything is a yes/no matter for every question.
    if closed or silent:
        return _majority(answers, folded, closed, silent)
    return _subset(answers, folded)


def _folded(answer: str) -> tuple[str, ...]:
    text = answer.strip().casefold()
    return ("n/a",) if text in _NA else tuple(sorted(_WORD.findall(text)))


def _majority(answers: Sequence[str], folded: Sequence[tuple[str, ...]], closed: bool, silent: int) -> Adjudication:
    if closed:
        (first, count), *_ = Counter(folded).most_common()
        if 2 * count > len(answers):
            return Adjudication(answers[folded.index(first)], "majority")
        return Adjudication(None, "disputed")
    if 2 * silent > len(answers):
        return Adjudication("n/a", "majority")
    if 2 * silent == len(answers):
        return Adjudication(None, "disputed")
    said = adjudicate([one for one, words in zip(answers, folded, strict=True) if words != ("n/a",)], closed=False)
    return said if said.answer is None else said._replace(agreement="majority")


def _subset(answers: Sequence[str], folded: Sequence[tuple[str, ...]]) -> Adjudication:
    """The shortest answer whose words all others hold; failing that, one that most of the others hold."""
    order = sorted(range(len(answers)), key=lambda at: (len(folded[at]), len(answers[at]), at))
    for needed in (len(answers), len(answers) // 2 + 1):
        for at in order:
            held = sum(not Counter(folded[at]) - Counter(other) for other in folded)
            if held >= needed:
                return Adjudication(answers[at], "subset" if needed == len(answers) else "majority")
    return Adjudication(None, "disputed")
