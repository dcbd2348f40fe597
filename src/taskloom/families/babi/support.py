"""Supports: the minimal sets of sentences from which an answer follows.

What counts as following. The text as a whole tells *which* sentences begin a new stay of a person, change
the possession of an object or the content of somebody's hands. *What* a sentence says is known only where
the sentence belongs to the set. A support is a set from which the answer follows under these terms and no
proper subset of which does; a pronoun sentence says something only together with the sentences that resolve
the pronoun. For the kinds of answer this means:

* where, yes, no: the place statements and co-locations that put the person or object there (or rule it out);
* maybe: those that narrow the person down to the places that remain;
* where-was: both ends of the last move to the place;
* list and counting: every change of the person's hands (unread, each could change the answer);
* questions about giving: the give.

Often several minimal sets exist. The *canonical* one has the fewest sentences and, among equals, is the one
that a reader completes first.
"""

from __future__ import annotations

from collections.abc import Iterable

from taskloom.families.babi.knowledge import ANYWHERE
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.story import (
    COUNTING,
    LIST,
    MAYBE,
    QUESTION_KINDS,
    WHAT_GIVE,
    WHERE_O,
    WHERE_P,
    WHERE_WAS,
    YES,
    YES_NO,
    Question,
)

__all__ = ["all_supports", "canonical_support", "implicit_steps", "lines"]

LIMIT = 512
"""How many alternatives are kept at each step. Stories of ordinary length stay far below it."""


def _order(mask: int) -> tuple[int, int]:
    """Fewer sentences first; among equals the set that is complete first."""
    return mask.bit_count(), mask


def _minimal(masks: Iterable[int]) -> list[int]:
    """The masks that contain no other, in canonical order."""
    kept: list[int] = []
    for mask in sorted(set(masks), key=_order):
        for smaller in kept:
            if smaller & mask == smaller:
                break
        else:
            kept.append(mask)
            if len(kept) == LIMIT:
                break
    return kept


def _unions(left: list[int], right: list[int]) -> list[int]:
    return _minimal(one | other for one in left for other in right)


def _routes(reader: Reader, start: int) -> dict[int, list[int]]:
    """For every stay that must share the place of `start`: the minimal sets of sentences that say so."""
    adjacent = reader.adjacent
    routes = {start: [0]}
    queue = [(start, 0)]
    for stay, mask in queue:
        if mask not in routes[stay]:
            continue  # a smaller set was found meanwhile
        for other, label in adjacent.get(stay, ()):
            reached = mask | label
            known = routes.get(other)
            if known is None:
                routes[other] = [reached]
            elif any(old & reached == old for old in known):
                continue
            else:
                routes[other] = [*[old for old in known if old & reached != reached][: LIMIT - 1], reached]
            queue.append((other, reached))
    return routes


def _within(reader: Reader, stay: int, allowed: int) -> list[int]:
    """All minimal sets that prove a stay to be at one of the allowed places."""
    if allowed == ANYWHERE:
        return [0]
    own = reader.own_domain[stay]
    if stay not in reader.adjacent:
        return [reader.own_label[stay]] if not own & ~allowed else []
    # `left` are the places still to be ruled out; each domain on the way rules out some.
    found: dict[int, list[int]] = {~allowed: [0]}
    for other, masks in _routes(reader, stay).items():
        domain = reader.own_domain[other]
        if domain == ANYWHERE:
            continue
        label = reader.own_label[other]
        saying = _minimal([mask | label for mask in masks])
        for left, known in list(found.items()):
            rest = left & domain
            if rest != left:
                found[rest] = _minimal([*found.get(rest, ()), *_unions(known, saying)])
    return found.get(0, [])


def _slot_within(reader: Reader, thing: int, slot: int, allowed: int) -> list[int]:
    """All minimal sets that prove a stretch of an object's path to be at one of the allowed places."""
    stay, tie = reader.path[thing][slot]
    proofs = _within(reader, stay, allowed)
    return _minimal([proof | tie for proof in proofs]) if tie else proofs


def _where_was(reader: Reader, thing: int, place: int, origin: int) -> list[int]:
    """Some possible last visit took place, and each possible one came from the origin."""
    here, before = 1 << place, 1 << origin
    begins = sorted({slot for slot, _ in reader.last_arrivals(thing, place)})
    visits = _minimal(mask for slot in begins for mask in _slot_within(reader, thing, slot, here))
    for slot in begins:
        came = _slot_within(reader, thing, slot - 1, before)
        if len(begins) > 1:
            came = _minimal([*came, *_slot_within(reader, thing, slot, ~here)])
        visits = _unions(visits, came)
    return visits


def all_supports(reader: Reader, question: Question) -> list[int]:
    """Every minimal support of the answer as bit sets of sentences (from 0), the canonical one first.

    Empty where the question has no answer.
    """
    kind, first, second = question
    if kind in (LIST, COUNTING):
        return [reader.ledger[first]]
    answer = reader.answer(question)
    if answer is None or isinstance(answer, tuple):
        return []
    if kind == WHERE_WAS:
        return _where_was(reader, first, second, answer)
    if kind == WHERE_O:
        return _slot_within(reader, first, -1, 1 << answer)
    if kind in (WHERE_P, YES_NO):
        return _within(reader, reader.stay[first], _to_prove(reader, question, answer))
    if kind > WHAT_GIVE:
        return _own_question(reader, question, answer)
    give = reader.last_give(question)
    assert give is not None
    return [give[3]]


def _own_question(reader: Reader, question: Question, answer: int) -> list[int]:
    """The supports of a question of the recipe's own."""
    found = reader.find(question)
    assert found is not None and reader.world is not None
    if found[1] is not None:
        return [found[1]]
    _, asked = reader.world.questions[question.kind - len(QUESTION_KINDS)]
    if "object" in asked.roles.values():
        return _slot_within(reader, question.first, -1, 1 << answer)
    return _within(reader, reader.stay[question.first], 1 << answer)


def _to_prove(reader: Reader, question: Question, answer: int) -> int:
    """The places that an answer about a person's place confines the person to."""
    if question.kind == WHERE_P:
        return 1 << answer
    if answer == MAYBE:
        return reader.person_places(question.first)
    return 1 << question.second if answer == YES else ~(1 << question.second)


def canonical_support(reader: Reader, question: Question) -> int | None:
    """The canonical support as a bit set of sentences, None where the question has no answer."""
    kind, first, second = question
    if kind in (WHERE_P, YES_NO):
        # The common case costs nothing: one sentence about the person says it all.
        stay = reader.stay[first]
        label = reader.own_label[stay]
        if label and not label & (label - 1):
            own = reader.own_domain[stay]
            known = reader.possible(stay)
            if own == known and (kind == YES_NO or not known & (known - 1)):
                return label
            if kind == YES_NO and not own & 1 << second:
                return label
    supports = all_supports(reader, question)
    return supports[0] if supports else None


def implicit_steps(reader: Reader, question: Question, support: int) -> int:
    """How many stays of persons the support locates without a word about that person's place."""
    kind, first, second = question
    if kind in (WHERE_P, YES_NO):
        starts = [reader.stay[first]]
    elif kind == WHERE_O:
        starts = [reader.path[first][-1][0]]
    elif kind == WHERE_WAS:
        slot = max(slot for slot, _ in reader.last_arrivals(first, second))
        starts = [reader.path[first][slot][0], reader.path[first][slot - 1][0]]
    else:
        return 0
    seen = set(starts)
    queue = list(seen)
    for stay in queue:
        for other, label in reader.adjacent.get(stay, ()):
            if other not in seen and label & support == label:
                seen.add(other)
                queue.append(other)
    count = 0
    for stay in seen:
        label = reader.own_label[stay]
        # A stay that no sentence opened is a person's first one, or a stretch in which an object lies.
        count += label & ~support != 0 if label else stay < len(reader.stay)
    return count


def lines(mask: int) -> tuple[int, ...]:
    """The members of a bit set, ascending."""
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return tuple(found)
