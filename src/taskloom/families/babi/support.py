"""Supports: the minimal sets of sentences that prove the fact which answers a question.

What counts as proving. The text as a whole tells *which* sentences begin a new stay of a person, change the possession
of an object or what somebody carries. *What* a sentence says is known only where the sentence belongs to the set; what
it presupposes (`reader`) is part of what it says. A set proves a fact if the fact holds in every world that agrees with
the set; a support is such a set no proper subset of which proves the fact. A pronoun sentence says something only
together with the sentences that resolve the pronoun. The fact is

* where: the person or object is in the place;
* yes, no: the person is, or is not, in the place;
* maybe: the person is in one of the places that the whole text leaves open;
* where-was: at its last arrival the object came from the one place to the other. Which arrival was the last is known
  from the whole text (it settles that, or there is no answer);
* giving: the one gave the object to the other. That no later gift fits is known from the whole text, too;
* list and counting: every change of what the person carries (unread, each could change the answer).

Often several supports exist. The *canonical* one has the fewest sentences and, among equals, is the one that a reader
completes first. Proofs are found best first, in just this order, so the first one is the canonical one, and what lies
behind it is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from taskloom.families.babi import kinds
from taskloom.families.babi.kinds import Answer, Question, Sentence
from taskloom.families.babi.reader import ANYWHERE, Reader
from taskloom.families.babi.worlds import PAPER_WORLD, WorldProgram


class StoryItem(NamedTuple):
    """A story with one question about it, as far as it has been told; the support as line numbers from 0."""

    sentences: list[Sentence]
    question: Question
    answer: Answer
    support: tuple[int, ...]
    reader: Reader


_MOST = 512
"""How many alternatives are listed. Stories of ordinary length have far fewer."""

_STEPS = 20_000
"""Steps that a search takes before it gives up: a hundred times what a story of twenty sentences needs. Only stories of
thousands of sentences in which the same few people meet again and again get there; they are not asked about."""


class _Search:
    """Proofs that a stay is at one of the allowed places, best first.

    A proof follows equalities from the stay to others and takes what is said of those: one statement that leaves only
    allowed places, or several whose places have no more than that in common.

    Args:
        reader: The text.
        allowed: The places, as a bit set.
        limit: The most sentences that a proof may have.
    """

    def __init__(self, reader: Reader, allowed: int, limit: int) -> None:
        self._reader, self._limit = reader, limit
        self._allowed = allowed
        self._heap: list[tuple[int, int, int]] = []
        self._open: list[tuple[int, int]] = []  # (places still to be ruled out, the sentences that leave them)
        self._said: list[tuple[int, int]] = []  # (places, sentences) of every statement met so far
        self._steps = _STEPS

    def proofs(self, stay: int, known: int) -> Iterator[int]:
        """Minimal proofs that begin with some sentences anyway, in canonical order."""
        if self._allowed == ANYWHERE:
            yield known
            return
        reader, heap = self._reader, self._heap
        if self._allowed < 0:
            self._open.append((~self._allowed, known))
        found: list[int] = []
        reached: dict[int, list[int]] = {}
        self._push(known, stay)
        while heap and self._steps > 0:
            _, mask, here = heappop(heap)
            if _covers(found, mask):
                continue
            if here < 0:
                found.append(mask)
                yield mask
                continue
            ways = reached.setdefault(here, [])
            if _covers(ways, mask):
                continue
            ways.append(mask)
            if reader.own_domain[here] != ANYWHERE:
                self._state(reader.own_domain[here], mask | reader.own_label[here])
            if here in reader.ends:
                domain, label = reader.ends[here]
                self._state(domain, mask | label)
            for other, label in reader.adjacent.get(here, ()):
                self._push(mask | label, other)

    def _push(self, mask: int, stay: int) -> None:
        self._steps -= 1
        count = mask.bit_count()
        if count <= self._limit:
            heappush(self._heap, (count, mask, stay))

    def _state(self, places: int, mask: int) -> None:
        """Something is said of a stay that must be where the first one is."""
        self._said.append((places, mask))
        if self._allowed >= 0 and places >= 0:
            self._narrow(places & ~self._allowed, mask)
        for left, sentences in tuple(self._open):
            if left & places != left:
                self._narrow(left & places, sentences | mask)

    def _narrow(self, left: int, mask: int) -> None:
        """These sentences leave these places to be ruled out."""
        self._steps -= 1
        if not left:
            self._push(mask, -1)
            return
        if mask.bit_count() > self._limit or any(
            other & left == other and sentences & mask == sentences for other, sentences in self._open
        ):
            return
        self._open.append((left, mask))
        for places, sentences in tuple(self._said):
            if left & places != left:
                self._narrow(left & places, mask | sentences)


def _covers(masks: list[int], mask: int) -> bool:
    """Whether a set of sentences contains one of these."""
    for smaller in masks:  # noqa: SIM110 - any(...) would cost a generator for each step of a search
        if smaller & mask == smaller:
            return True
    return False


def _slot(reader: Reader, thing: int, slot: int, place: int, known: int, limit: int) -> Iterator[int]:
    """Proofs that a stretch of an object's path is at a place."""
    stay, tie = reader.path[thing][slot]
    return _Search(reader, 1 << place, limit).proofs(stay, known | tie)


def _where_was(reader: Reader, thing: int, place: int, limit: int) -> Iterator[int]:
    """Both ends of the last move to the place: each proof of the one goes on to prove the other."""
    slot = reader.arrivals(thing, place)[-1]
    origin = reader.origin(thing, slot, place)
    assert origin is not None
    waiting: list[tuple[int, int, int, Iterator[int]]] = []

    def wait(number: int, more: Iterator[int]) -> None:
        mask = next(more, None)
        if mask is not None:
            heappush(waiting, (mask.bit_count(), mask, number, more))

    for number, here in enumerate(_slot(reader, thing, slot, place, 0, limit)):
        while waiting and waiting[0][:2] < (here.bit_count(), here):
            _, mask, earlier, more = heappop(waiting)
            yield mask
            wait(earlier, more)
        wait(number, _slot(reader, thing, slot - 1, origin, here, limit))
    while waiting:
        _, mask, earlier, more = heappop(waiting)
        yield mask
        wait(earlier, more)


def _supports(reader: Reader, question: Question, limit: int) -> Iterator[int]:
    """Supports in canonical order; some that contain an earlier one may follow it."""
    kind, first, second = question
    asked = reader.world.questions[kind]
    if asked.find in ("objects", "count"):
        yield reader.ledger[first]
        return
    answer = reader.answer(question)
    if answer is None or isinstance(answer, tuple):
        return
    if asked.find == "origin":
        yield from _where_was(reader, first, second, limit)
    elif asked.find in ("place", "truth") and asked.sorts[0] == "person":
        yield from _Search(reader, _to_prove(reader, question, answer), limit).proofs(reader.stay[first], 0)
    elif asked.find == "place":
        yield from _slot(reader, first, -1, answer, 0, limit)
    else:
        found = reader.stated(question)
        assert found is not None
        yield found[1]


def _to_prove(reader: Reader, question: Question, answer: int) -> int:
    """The places that an answer about a person's place confines the person to."""
    if question.kind != kinds.YES_NO:
        return 1 << answer
    if answer == kinds.MAYBE:
        return reader.person_places(question.first)
    return 1 << question.second if answer == kinds.YES else ~(1 << question.second)


def all_supports(reader: Reader, question: Question) -> list[int]:
    """Every support of the answer as bit sets of sentences (from 0), the canonical one first.

    Empty where the question has no answer.
    """
    found: list[int] = []
    for mask in _supports(reader, question, len(reader.labels)):
        if not _covers(found, mask):
            found.append(mask)
            if len(found) == _MOST:
                break
    return found


def canonical_support(reader: Reader, question: Question, limit: int | None = None) -> int | None:
    """The canonical support as a bit set of sentences.

    Args:
        reader: The text.
        question: The question.
        limit: The most sentences of interest.

    Returns:
        None where the question has no answer, or no support within the limit.
    """
    kind, first, second = question
    if kind in (kinds.WHERE_P, kinds.YES_NO):
        # The common case costs nothing: one sentence about the person says it all.
        stay = reader.stay[first]
        label = reader.own_label[stay]
        if label and not label & (label - 1):
            own = reader.own_domain[stay]
            known = reader.possible(stay)
            if own == known and (kind == kinds.YES_NO or not known & (known - 1)):
                return label
            if kind == kinds.YES_NO and not own & 1 << second:
                return label
    return next(_supports(reader, question, len(reader.labels) if limit is None else limit), None)


def answered(
    sentences: list[Sentence], reader: Reader, question: Question, most: int | None = None
) -> StoryItem | None:
    """A question about a story with its answer and support; None where it has none of at most so many sentences."""
    answer, mask = reader.answer(question), canonical_support(reader, question, most)
    if answer is None or mask is None or (most is not None and mask.bit_count() > most):
        return None
    return StoryItem(sentences, question, answer, lines(mask), reader)


def implicit_steps(reader: Reader, question: Question, support: int) -> int:
    """How many stays of persons the support locates without a word about that person's place."""
    kind, first, second = question
    if kind in (kinds.WHERE_P, kinds.YES_NO):
        starts = [reader.stay[first]]
    elif kind == kinds.WHERE_O:
        starts = [reader.path[first][-1][0]]
    elif kind == kinds.WHERE_WAS:
        slot = reader.arrivals(first, second)[-1]
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


def askable(reader: Reader, question: Question, answer: Answer) -> bool:
    """Whether a question that has an answer may be asked: 'before' must be unambiguous, 'maybe' must name places."""
    kind, first, second = question
    if kind == kinds.WHERE_WAS:
        return reader.came_once(first, second)
    return kind != kinds.YES_NO or answer != kinds.MAYBE or reader.person_places(first) > 0


def every_question(
    kind: int, persons: int, objects: int, places: int, world: WorldProgram = PAPER_WORLD
) -> list[Question]:
    """Every question of a kind over these numbers of names."""
    sizes = {"person": range(persons), "object": range(objects), "place": range(places)}
    sorts = world.questions[kind].sorts
    if len(sorts) == 1:
        return [Question(kind, one) for one in sizes[sorts[0]]]
    first, second = sorts
    return [Question(kind, one, two) for one in sizes[first] for two in sizes[second] if one != two or first != second]


def gift_question(kind: int, give: tuple[int, int, int, int]) -> Question:
    """A question of this kind about a gift."""
    return Question(kind, *(give[position] for position in PAPER_WORLD.questions[kind].given))


def stands_alone(item: StoryItem, persons: int, objects: int) -> bool:
    """Whether the supporting sentences, read as a story of their own, give the answer and are its support again.

    A support takes for granted that nothing in between changed (see `support`). Items whose support reads
    differently on its own are lawful but confusing, so the sampler leaves them out.
    """
    sentences, question, answer, support, whole = item
    kind = question.kind
    if kind in kinds.HAND_QUESTIONS or kind in kinds.GIVE_QUESTIONS or len(support) == 1:
        return True  # the changes of the hands, the gift, the statement: nothing else bears on the answer
    reader = Reader.of([sentences[index] for index in support], persons, objects, whole.world)
    if reader.answer(question) != answer:
        return False
    if kind == kinds.YES_NO and answer == kinds.MAYBE and reader.person_places(question.first) == ANYWHERE:
        return False
    return canonical_support(reader, question) == (1 << len(support)) - 1


def measured_distractors(
    sentences: Sequence[Sentence], support: Sequence[int], question: Question, world: WorldProgram = PAPER_WORLD
) -> str:
    """How close the sentences outside the support come to the question.

    `near`: at least a quarter of them name the person or object asked about; `far`: at most a tenth do; else `mixed`.
    """
    person = thing = place = -1
    for sort, value in zip(world.questions[question.kind].sorts, question[1:], strict=False):
        if sort == "person":
            person = value
        elif sort == "object":
            thing = value
        else:
            place = value
    if person >= 0 or thing >= 0:
        place = -1  # places are in most sentences; who and what is asked about counts
    touching = 0
    outside = list(sentences)
    for index in reversed(support):
        del outside[index]
    for kind, first, second, third, _, fourth in outside:
        if kind < kinds.CONJ:
            touching += first == person
        elif kind == kinds.CONJ:
            touching += person in (first, second)
        elif kind < kinds.GIVE:
            touching += first == person or second == thing
        else:
            values = {"person": person, "object": thing, "place": place}
            roles = zip(world.events[kind].sorts, (first, second, third, fourth), strict=False)
            touching += any(values[sort] == value >= 0 for sort, value in roles)
    return closeness(touching, len(sentences) - len(support))


def closeness(touching: int, others: int) -> str:
    """What is said of so many sentences outside the support, of which some touch what is asked about."""
    if 4 * touching >= others and touching:
        return "near"
    return "far" if 10 * touching <= others else "mixed"


def signature(
    sentences: Sequence[Sentence], support: Sequence[int], question: Question, world: WorldProgram = PAPER_WORLD
) -> str:
    """The support and the question with persons, objects and places numbered by appearance."""
    numbers: dict[tuple[str, int], str] = {}

    def name(sort: str, value: int) -> str:
        known = sum(key[0] == sort for key in numbers)
        return numbers.setdefault((sort, value), f"{sort[0].upper()}{known + 1}")

    parts = []
    for index in support:
        said = sentences[index]
        sorts = world.events[said.kind].sorts
        arguments = [name(sort, value) for sort, value in zip(sorts, said.roles, strict=False)]
        parts.append(f"{said.kind}{'~' if said.pronoun else ''}({','.join(arguments)})")
    named = zip(world.questions[question.kind].sorts, question[1:], strict=False)
    asked = [name(sort, value) for sort, value in named]
    return f"{'#'.join(parts)}?{question.kind}({','.join(asked)})"
