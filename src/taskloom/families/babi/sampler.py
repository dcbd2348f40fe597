"""Guided sampling: the support is built first, the rest of the story is told around it, and every item is checked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from taskloom.core import UserError
from taskloom.families.babi.concepts import Cell, composition
from taskloom.families.babi.draft import Actions, Draft
from taskloom.families.babi.plans import Plan
from taskloom.families.babi.reader import ANYWHERE, Reader
from taskloom.families.babi.shapes import Shape, shapes
from taskloom.families.babi.story import (
    COUNTING,
    GAVE,
    GAVE_TO,
    GIVE_QUESTIONS,
    LIST,
    MAYBE,
    RECEIVED,
    WHERE_O,
    WHERE_P,
    WHERE_WAS,
    WHO_GIVE,
    YES_NO,
    Answer,
    Question,
    Sentence,
)
from taskloom.families.babi.support import all_supports, canonical_support, lines

__all__ = ["Item", "Sampler", "StarvedError", "signature", "stands_alone"]

_PATIENCE = 4000
"""Attempts in a row that may fail before a cell is said to be starved; a second or two."""

_WIDEST = 5
"""Of a range of support sizes, so many of the smallest that can be built are used."""

_WISHES = ("yes", "yes", "no", "no", "maybe")


class Item(NamedTuple):
    """One story with one question."""

    sentences: list[Sentence]
    question: Question
    answer: Answer
    support: tuple[int, ...]
    reader: Reader


class StarvedError(UserError):
    """A demand that cannot be met, with the filter that starves."""


class Sampler:
    """Draws the items of one cell.

    Args:
        cell: What the items must be like.
        persons: How many persons the vocabulary has.
        objects: How many objects.
        places: How many places.
        where: What to name in errors.

    Raises:
        StarvedError: No shape of reasoning over the concepts meets the cell.
    """

    def __init__(self, cell: Cell, persons: int, objects: int, places: int, *, where: str) -> None:
        self.cell = cell
        self.where = where
        self.sizes = (persons, objects, places)
        self.actions = Actions(cell.concepts)
        self._wants = frozenset(cell.requires)
        self._choices = {kind: self._feasible(kind) for kind in cell.questions}
        self._choices = {kind: choices for kind, choices in self._choices.items() if choices}
        if not self._choices:
            raise self._hopeless()
        self._kinds = tuple(self._choices)
        self._signatures: Counter[str] = Counter()
        self._failures: Counter[str] = Counter()

    # -- what can be built --------------------------------------------------------------------------

    def _feasible(self, kind: int) -> list[tuple[int, tuple[Shape, ...]]]:
        """Support sizes with the shapes that give them, smallest first."""
        low, high = self.cell.support
        if kind in (LIST, COUNTING):
            return [(size, ()) for size in self._account_sizes(low, high)]
        found = []
        for size in range(max(low, 1), min(high, self.cell.length[1]) + 1):
            fitting = tuple(
                shape for shape in shapes(self.cell.concepts, kind, size) if self._wants <= shape.labels() | {"coref"}
            )
            if self.cell.paths[0] > 1:  # several ways to know come most easily from a gift that goes to and fro
                fitting = tuple(shape for shape in fitting if shape.links[-1:] == ("give",)) or fitting
            if fitting:
                found.append((size, fitting))
            if len(found) == _WIDEST:
                break
        return found

    def _account_sizes(self, low: int, high: int) -> list[int]:
        concepts = self.cell.concepts
        if not concepts.has("grab") or not self._wants <= {"grab", "drop", "give", "coref"}:
            return []
        most = high if concepts.has("drop") or concepts.has("give") else min(high, self.sizes[1])
        most = min(most, self.cell.length[1] - 2)
        return list(range(max(low, 1), most + 1))[:_WIDEST]

    def _hopeless(self) -> StarvedError:
        cell = self.cell
        bare = [
            size
            for kind in cell.questions
            for size in range(1, 13)
            if kind in (LIST, COUNTING) or shapes(cell.concepts, kind, size)
        ]
        if not bare:
            reason = "the concepts allow no such question at all"
            hint = "add the events that the question is about (grab for objects, give for questions about giving)"
        elif any(cell.support[0] <= size <= cell.support[1] for size in bare):
            reason = f"the filter `requires` starves: no support holds all of {', '.join(cell.requires)}"
            hint = "ask for fewer kinds of supporting sentence, or allow the constructs that carry them"
        else:
            reason = "the filter `support` starves: no chain of these sentences gives that size"
            hint = f"sizes that can be built: {', '.join(str(size) for size in sorted(set(bare)))}"
        return StarvedError(f"{cell.title()} cannot be met; {reason}", where=self.where, hint=hint)

    # -- drawing --------------------------------------------------------------------------------------

    def draw(self, rng: Random, length: int | None = None) -> Item:
        """One item that passes every filter.

        Args:
            rng: Where chance comes from.
            length: The number of sentences, if not the cell's own choice.

        Raises:
            StarvedError: Thousands of attempts in a row failed; names the filter that starves.
        """
        failures: Counter[str] = Counter()
        for _ in range(_PATIENCE):
            item = self._attempt(rng, length)
            if isinstance(item, str):
                failures[item] += 1
                continue
            self._failures += failures
            return item
        reason, count = failures.most_common(1)[0]
        raise StarvedError(
            f"{self.cell.title()} cannot be met; the filter `{reason}` starves: it refused {count:,} of "
            f"{_PATIENCE:,} stories in a row",
            where=self.where,
            hint=f"loosen `{reason}`, ask for fewer items, or allow more concepts",
        )

    def _attempt(self, rng: Random, length: int | None) -> Item | str:
        """An item, or the name of the filter that refused it."""
        cell = self.cell
        kind = self._kinds[int(rng.random() * len(self._kinds))]
        draft = Draft(rng, self.actions, *self.sizes)
        plan = Plan(draft, cell.concepts.may_refer)
        try:
            self._make(plan, kind, rng)
        except (IndexError, LookupError):
            return "length"  # not enough people or objects for so long a chain
        if length is None:
            low, high = cell.length
            length = low if low == high else low + int(rng.random() * (high - low + 1))
        if not self._tell(plan, length):
            return "length"
        return self._check(plan, kind)

    def _make(self, plan: Plan, kind: int, rng: Random) -> None:
        choices = self._choices[kind]
        index = 0
        while index + 1 < len(choices) and rng.random() < 0.4:
            index += 1
        size, fitting = choices[index]
        if kind in (LIST, COUNTING):
            plan.keep_account(size, self.cell.concepts.has("give"), self.cell.concepts.has("drop"), kind)
            return
        if kind in GIVE_QUESTIONS:
            plan.hand_over()
            return
        wish = _WISHES[int(rng.random() * len(_WISHES))]
        if kind == YES_NO:
            open_ = [shape for shape in fitting if shape.source == "either"]
            certain = [shape for shape in fitting if shape.source not in ("either", "not")]
            if wish == "maybe" and not open_:
                wish = _WISHES[int(rng.random() * 4)]  # nothing can be left open: yes or no
            if wish == "maybe":
                fitting = tuple(open_)
            elif wish == "yes" and certain:
                fitting = tuple(certain)
        plan.echoes = max(0, self.cell.paths[0] - 1)
        shape = fitting[int(rng.random() * len(fitting))]
        if kind in (WHERE_P, YES_NO):
            plan.locate_person(shape, kind, wish)
        elif kind == WHERE_O:
            plan.locate_object(shape)
        else:
            plan.locate_before(shape)

    @staticmethod
    def _tell(plan: Plan, length: int) -> bool:
        """Tell the units in order with random sentences between them."""
        draft, random = plan.draft, plan.rng.random
        units = plan.units
        room = length - sum(len(unit.sentences) for unit in units)
        if room < 0:
            return False
        told = draft.sentences
        done, count = 0, len(units)
        while done < count or room:
            left = count - done
            if left and random() * (left + room) < left:
                if not units[done].perform(draft):
                    return False
                done += 1
                continue
            before = len(told)
            if draft.tell_something(room):
                room -= len(told) - before
            elif left and units[done].perform(draft):
                done += 1
            else:
                return False
        return True

    # -- checking -------------------------------------------------------------------------------------

    def _check(self, plan: Plan, kind: int) -> Item | str:
        sentences = plan.draft.sentences
        reader = Reader.of(sentences, *self.sizes[:2])
        question = plan.question if kind not in GIVE_QUESTIONS else _about_give(reader, kind, plan.rng)
        return self._judge(sentences, reader, question)

    def _judge(self, sentences: list[Sentence], reader: Reader, question: Question) -> Item | str:
        """The question as an item, or the name of the filter that refuses it."""
        cell = self.cell
        answer = reader.answer(question)
        if answer is None or reader.conflicts or not _askable(reader, question, answer):
            return "question"
        mask = canonical_support(reader, question)
        if mask is None or not cell.support[0] <= mask.bit_count() <= cell.support[1]:
            return "support"
        support = lines(mask)
        if self._wants and not self._wants <= set(composition(sentences, support)):
            return "requires"
        if cell.paths != (0, 1_000_000):
            alternatives = len(all_supports(reader, question))
            if not cell.paths[0] <= alternatives <= cell.paths[1]:
                return "paths"
        if not stands_alone(sentences, support, question, answer, *self.sizes[:2]):
            return "support"
        if cell.per_signature is not None:
            name = signature(sentences, support, question)
            if self._signatures[name] >= cell.per_signature:
                return "per_signature"
            self._signatures[name] += 1
        return Item(sentences, question, answer, support, reader)

    def further(self, item: Item, rng: Random) -> list[Item]:
        """More questions about the story of an item that pass the filters too, up to the cell's `per_story`."""
        wanted = self.cell.per_story - 1
        if wanted <= 0:
            return []
        options = [question for kind in self._kinds for question in _questions(kind, *self.sizes)]
        rng.shuffle(options)
        found: list[Item] = []
        for question in options:
            if len(found) == wanted:
                break
            if question != item.question:
                other = self._judge(item.sentences, item.reader, question)
                if isinstance(other, Item):
                    found.append(other)
        return found


def _askable(reader: Reader, question: Question, answer: Answer) -> bool:
    """Whether a question that has an answer may be asked: 'before' must be unambiguous, 'maybe' must name places."""
    kind, first, second = question
    if kind == WHERE_WAS:
        return reader.came_once(first, second)
    return kind != YES_NO or answer != MAYBE or reader.person_places(first) > 0


def _questions(kind: int, persons: int, objects: int, places: int) -> list[Question]:
    """Every question of a kind over these numbers of names."""
    sorts = {"P": range(persons), "O": range(objects), "L": range(places)}
    first, second = _ASKED[kind][0], _ASKED[kind][1]
    if kind in _ONE_NAME:
        return [Question(kind, one) for one in sorts[first]]
    return [Question(kind, one, two) for one in sorts[first] for two in sorts[second] if one != two or first != second]


def _about_give(reader: Reader, kind: int, rng: Random) -> Question:
    """A question of this kind about one of the gives."""
    giver, thing, receiver, _ = reader.gives[int(rng.random() * len(reader.gives))]
    if kind in (GAVE, RECEIVED):
        return Question(kind, thing)
    if kind == GAVE_TO:
        return Question(kind, thing, receiver)
    return Question(kind, giver, thing if kind == WHO_GIVE else receiver)


def stands_alone(
    sentences: Sequence[Sentence],
    support: Sequence[int],
    question: Question,
    answer: Answer,
    persons: int,
    objects: int,
) -> bool:
    """Whether the supporting sentences, read as a story of their own, give the answer and none can be spared.

    A support takes for granted that nothing in between changed (see `support`). Items whose support reads
    differently on its own are lawful but confusing, so the sampler leaves them out.
    """
    kind = question.kind
    if kind in (LIST, COUNTING) or kind in GIVE_QUESTIONS or len(support) == 1:
        return True  # the changes of the hands, the gift, the statement: nothing else bears on the answer
    chosen = [sentences[index] for index in support]
    reader = Reader.of(chosen, persons, objects)
    if reader.answer(question) != answer:
        return False
    if kind == YES_NO and answer == MAYBE:
        return reader.person_places(question.first) != ANYWHERE
    stays = Counter(sentence.first for sentence in chosen if sentence.kind <= 4)
    if kind != WHERE_WAS and max(stays.values(), default=0) < 2:
        return True  # nobody's place is told twice, so leaving a sentence out cannot revive an older one
    for index in range(len(chosen)):
        if index + 1 < len(chosen) and chosen[index + 1].pronoun and support[index] + 1 == support[index + 1]:
            continue  # the antecedent of a pronoun cannot be left out
        rest = Reader.of(chosen[:index] + chosen[index + 1 :], persons, objects)
        if rest.answer(question) == answer and not rest.conflicts:
            return False
    return True


def signature(sentences: Sequence[Sentence], support: Sequence[int], question: Question) -> str:
    """The support and the question with persons, objects and places numbered by appearance."""
    numbers: dict[tuple[str, int], str] = {}

    def name(sort: str, value: int) -> str:
        if value < 0:
            return ""
        known = sum(key[0] == sort for key in numbers)
        return numbers.setdefault((sort, value), f"{sort}{known + 1}")

    parts = []
    for index in support:
        kind, first, second, third, pronoun = sentences[index]
        sorts = _SORTS[kind]
        arguments = [name(sort, value) for sort, value in zip(sorts, (first, second, third), strict=True)]
        parts.append(f"{_NAMES[kind]}{'~' if pronoun else ''}({','.join(filter(None, arguments))})")
    asked = [name(sort, value) for sort, value in zip(_ASKED[question.kind], question[1:], strict=True)]
    return f"{'#'.join(parts)}?{question.kind}({','.join(filter(None, asked))})"


_NAMES = ("move", "affirm", "negate", "indef", "conj", "grab", "drop", "give")
_SORTS = ("PLL", "PLL", "PLL", "PLL", "PPL", "POO", "POO", "POP")
_ASKED = ("PP", "OO", "OL", "PL", "PP", "PP", "OP", "OO", "OO", "PO", "PP")
_ONE_NAME = (WHERE_P, WHERE_O, LIST, COUNTING, GAVE, RECEIVED)
