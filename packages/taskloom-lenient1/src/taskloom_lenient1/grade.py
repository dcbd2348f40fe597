"""Scoring what the lenient reader found: spellings that mean the same are the same answer.

The scorer decides. Where it does not give full marks the answer is compared once more with the acceptable ones in a
form that overlooks case, articles, punctuation at the ends and the notation of lists, and never what the task is about
(case where the examples change it, articles where answers begin with one).
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from taskloom.core import AnyOf, Boolean, Items, Product, Structure, Targets, Task
from taskloom.core.scorer import Score, Scorer
from taskloom_lenient1.peel import plain, strip_article
from taskloom_lenient1.profile import Profile, profile_of
from taskloom_lenient1.stance import asserted, stance

__all__ = ["grade"]

_FEW = 16
_MOST_STATED = 64
_LONGEST = 1_000
_BETWEEN = re.compile(
    r"\s*(?:(?<!\d),|,(?!\d)|[;|\n]|\b(?:and|y|then|followed by|luego)\b)\s*(?:(?:and|then|y|luego)\s+)?", re.IGNORECASE
)
# One sentence beside another, as alternatives are written; a line that begins with a bar is one of a table.
_SIDE_BY_SIDE = re.compile(r"""^(?![ \t]*\|).*[.!?]["'*_]*\s+(?://?|\|)\s+["'*_]*\w""", re.MULTILINE)
# What may be an item of a list, not a turn of phrase between commas: one or two words, none of which ties sentences.
_THING = re.compile(
    r"(?:(?:the|an?|el|la)\s+)?(?!(?:\w+\s+)?(?:no|not|only|more|less|else|all|both|just|as|so|is|are|that|it|us|period)\b)"
    r"[^\W\d][\w'-]*(?:\s+[\w'-]+)?",
    re.IGNORECASE,
)
_PLACE = re.compile(r"\b(?:in|at|on|inside|to|into|from|by|near|because of|en)\s+(?=\S)")
_GO = re.compile(r"\b(?:first\s+)?(?:go|move|walk|head|travel)\s+", re.IGNORECASE)


def grade(
    answer: str, scorer: Scorer, targets: Targets, task: Task, said: str = "", known: Score | None = None
) -> Score:
    """The best score of the answer over its spellings, or of the acceptable answer that the prose around it states.

    Args:
        answer: What the reader found; "" where it found nothing but prose.
        scorer: Scores one spelling.
        targets: The acceptable answers.
        task: The task.
        said: The prose around the answer.
        known: The score of the answer as it stands, where it has been worked out already.
    """
    profile = profile_of(task)
    best = known or (scorer.score(answer, targets, task) if answer else Score(0.0))
    if best.value == 1.0:
        return best
    for spelling in _spellings(answer, targets, profile) if answer else ():
        if spelling != answer:
            score = scorer.score(spelling, targets, task)
            if score.value > best.value:
                best = score
            if best.value == 1.0:
                return best
    if said and not _SIDE_BY_SIDE.search(said):
        stated = _stated(said, targets, profile)
        if stated is not None and not _lists_more(answer, stated, targets):
            score = scorer.score(stated, targets, task)
            best = score if score.value > best.value else best
        elif best.value and _is_taken_back(said, targets, profile):
            return Score(0.0)
    return best


def _spellings(answer: str, targets: Targets, profile: Profile) -> Iterator[str]:
    match targets:
        case AnyOf(answers):
            same = _same_text(answer, answers, profile)
            if same is not None:
                yield same
        case Boolean(_, words):
            said = plain(answer)
            yield from (word for word in words if plain(word) == said)
        case Product(slots, separator):
            if len(slots) > 1 or "," in answer:
                parts = _parts(answer)
                yield (separator if separator.strip() else " ").join(parts)
                yield (separator if separator.strip() else " ").join(map(strip_article, parts))
        case Items(_, _, separator):
            yield from _item_spellings(answer, separator)
        case Structure():
            if answer.startswith("{"):
                yield f"[{answer}]"


def _stated(said: str, targets: Targets, profile: Profile) -> str | None:
    """The acceptable answer that prose asserts, in the form that scorers read."""
    match targets:
        case AnyOf(answers):
            return asserted(said, answers[:_MOST_STATED], profile.words, case=profile.case, free=profile.commas)
        case Items(alternatives, _, separator, empty):
            lists = {", ".join(items) or empty: items for items in alternatives[:_MOST_STATED]}
            found = asserted(said, lists, profile.words, case=profile.case, free=True)
            return None if found is None else separator.join(lists[found]) or empty
        case Product(slots, separator):
            low = said.casefold()
            chosen = [next((word for word in slot if word.casefold() in low), "") for slot in slots]
            found = asserted(said, [", ".join(chosen)], len(slots), free=True) if all(chosen) else None
            return None if found is None else (separator if separator.strip() else " ").join(chosen)
        case _:
            return None


def _is_taken_back(said: str, targets: Targets, profile: Profile) -> bool:
    """Whether prose denies or doubts an acceptable answer, so that words in common with it earn no part marks."""
    match targets:
        case AnyOf(answers):
            phrases = answers[:_FEW]
        case Items(alternatives):
            phrases = tuple(", ".join(items) for items in alternatives[:_FEW])
        case _:
            return False
    if len(said) > _LONGEST:
        return False
    free = isinstance(targets, Items)
    return any(stance(said, one, profile.words, case=profile.case, free=free) == "taken back" for one in phrases)


def _lists_more(answer: str, stated: str, targets: Targets) -> bool:
    """Whether the answer is a list of more things than those that are acceptable, however well prose states these."""
    if not isinstance(targets, Items) or stated == targets.empty:
        return False
    parts = {part.casefold() for part in _parts(answer)}
    return len(parts) > len(_parts(stated)) and all(map(_THING.fullmatch, parts))


def _parts(answer: str) -> list[str]:
    return [part for part in (plain(piece, case=True) for piece in _BETWEEN.split(answer)) if part]


def _item_spellings(answer: str, separator: str) -> Iterator[str]:
    joint = separator if separator.strip() else f"{separator}"
    if "|" in answer:
        yield joint.join(part.strip() for part in answer.split("|") if part.strip())
    else:
        yield joint.join(_parts(answer))


def _same_text(answer: str, answers: tuple[str, ...], profile: Profile) -> str | None:
    """The acceptable answer that this is another spelling of."""
    if profile.case:
        keys = {plain(one, case=True): one for one in answers}
        return keys.get(plain(answer, case=True))
    if len(answers) > _FEW:
        folded = dict(zip("\n".join(answers).casefold().split("\n"), answers, strict=False))
        forms = [form for said in (answer, strip_article(answer)) for form in (plain(said), plain(said) + ".")]
        return next((folded[form] for form in forms if form in folded), None)
    said = plain(answer)
    keys = {plain(one): one for one in answers}
    if said in keys:
        return keys[said]
    if not profile.articles:
        short = {plain(strip_article(one)): one for one in answers}
        for form in (said, _PLACE.sub("", said)):
            found = short.get(strip_article(form))
            if found is not None:
                return found
    return _same_list(answer, answers, profile)


def _same_list(answer: str, answers: tuple[str, ...], profile: Profile) -> str | None:
    """The acceptable list that this lists in another notation; only where the task's lists are written with commas."""
    if not profile.commas:
        return None
    said = [part.casefold() for part in _parts(_GO.sub("", answer))]
    if len(said) < 2:
        return None
    for one in answers:
        if "," in one and [part.casefold() for part in _parts(one)] == said:
            return one
    return None
