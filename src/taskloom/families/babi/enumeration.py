"""Spaces of stories: numbers for them, so that no two of a task are alike, in any split and block.

Stories of the original tasks differ in their *beginnings*. Beginnings are numbered, a permutation spreads the
numbers, and ranges of it belong to splits, the same for every seed; seeds begin at different points of their
range.

* The story tasks begin with sentences about places. A story of a large number begins with twice as many, from
  beginnings that short ones do not use, so there is no end to them.
* The other tasks have *forms* (stories without names), listed as they are found, and as many stories of a form
  as there are ways to name what its beginning mentions. Small tasks run out of forms and say how many stories
  they have.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from hashlib import blake2b
from itertools import accumulate
from math import perm, prod
from random import Random

from taskloom.core import Key, KeyedRandom
from taskloom.core.rng import Permutation
from taskloom.families.babi.concepts import FACTS, FactRecord, OriginalRecord, StarvedError
from taskloom.families.babi.facts import FactStory, canonical, draw_form, named, tokens
from taskloom.families.babi.instances import Renderer
from taskloom.families.babi.kinds import CONJ, GRAB, INDEF, KINDS, MOVE, Sentence
from taskloom.families.babi.scene import sentence_of
from taskloom.families.babi.storyteller import Storyteller

_GOLDEN = 0x9E3779B97F4A7C15


class StoryOrder(Permutation):
    """The order of stories: a permutation of four rounds, which mix in as few bytes as a number has.

    Args:
        size: How many numbers there are.
        key: What it is keyed by.
    """

    def __init__(self, size: int, *key: Key) -> None:
        super().__init__(size, "permutation", *key, rounds=4)

    def _hash(self, number: int, turn: int) -> int:
        width = (self._half + 7) // 8
        data = self._key + bytes((turn,)) + number.to_bytes(width, "big")
        return int.from_bytes(blake2b(data, digest_size=max(1, width)).digest(), "big") & self._mask


def seed_offset(seed: int, size: int) -> int:
    """Where a seed begins in an order of this size: neighbouring seeds begin far from one another."""
    return ((seed * _GOLDEN) % (1 << 64)) * size >> 64


# Shares of all beginnings in per cent; the first ones are kept for the examples of instructions.
_SIDES = (("examples", 0, 2), ("test", 2, 12), ("dev", 12, 22), ("train", 22, 100))
_CHUNK = 64
_GRABBED = -1
_PATIENCE = 3_000


def _range(side: str, size: int) -> tuple[int, int]:
    """The part of an order of this size that belongs to a split."""
    low, high = next((low, high) for name, low, high in _SIDES if name == side)
    return size * low // 100, size * high // 100


# -- stories of people, objects and places ---------------------------------------------------------------------------


class Openings:
    """The beginnings of one story task.

    Args:
        task: The task.
        renderer: The words it is written in.
    """

    def __init__(self, task: OriginalRecord, renderer: Renderer) -> None:
        concepts, words = task.concepts, renderer.vocabulary
        names = ["move"]
        if concepts.has("negate"):
            names += ["affirm", "negate"] if concepts.affirm < 1 else ["affirm"]
        if concepts.has("indef"):
            names.append("indef")
        if concepts.has("grab") and len(words.objects) > 1:
            names.append("grab")
        self._renderer = renderer
        self._number, self._beat = task.number, task.beat
        # Everything after the first beat begins with places: an object must not be grabbed twice.
        self._any = (tuple(names), tuple(name for name in names if name != "grab"))
        self._objects, self._places = len(words.objects), len(words.places)
        persons, verbs, others = len(words.persons), len(words.move), self._places - 1
        alone, together = (persons, verbs, others), (persons, persons - 1, verbs, others - 1)
        onward = (len(words.openers), verbs, others)
        self._bases: dict[str, tuple[int, ...]] = {
            "move": alone,
            "coref": (*alone, *onward),
            "conj": together,
            "compound": (*together, *onward),
            "affirm": (persons, 1, others),
            "negate": (persons, len(words.negate), others),
            "indef": (persons, 1, others, others - 1),
            "grab": (persons, len(words.grab), self._objects - 1),
        }
        """How many choices there are for each digit of an action's number: people, verb, place and so on."""
        # How many ways there are to tell each action, in the first beat and in further ones.
        self._ways = tuple([sum(map(self._count, self._names(name, beat))) for name in self._beat] for beat in (0, 1))
        self.size, self._further = map(prod, self._ways)
        self._spread = StoryOrder(self.size, "babi", "opening", task.number)
        # Neighbouring stories begin differently and go on alike, so the same few are asked for again and again.
        self._second = lru_cache(maxsize=64)(StoryOrder(self._further, "babi", "second opening", task.number))

    def _count(self, name: str) -> int:
        return prod(self._bases[name])

    def _names(self, name: str, beat: int) -> tuple[str, ...]:
        """The actions that a name of a beat stands for: "" for any."""
        return (name,) if name else self._any[beat]

    def numbers(self, side: str, story: int, seed: int, where: str) -> list[int]:
        """The numbers of the beats that a story begins with.

        Raises:
            StarvedError: The split has no more stories.
        """
        low, high = _range(side, self.size)
        middle = (low + high) // 2
        short, long = middle - low, high - middle
        if story < short:
            return [self._spread(low + (story + seed_offset(seed, short)) % short)]
        turn, place = divmod(story - short, max(1, long))
        if turn >= self._further or not long:
            most = short + long * self._further
            raise StarvedError(f"{side} has {most:,} different stories in total", where=where)
        first = self._spread(middle + (place + seed_offset(seed, long)) % long)
        return [first, self._second((turn + seed_offset(seed, self._further)) % self._further)]

    def tell(self, number: int, beat: int, story: Storyteller, last: dict[int, int]) -> list[str]:
        """Tell the beat of a number; `last` holds the place last mentioned for each person and is kept up."""
        text: list[str] = []
        beat = min(beat, 1)
        for name, ways in zip(self._beat, self._ways[beat], strict=True):
            number, rest = divmod(number, ways)
            for each in self._names(name, beat):
                if rest < self._count(each):
                    for sentence, verb, opener in self._action(each, rest, last):
                        story.say(sentence)
                        text.append(self._renderer.form(sentence, verb, opener))
                    break
                rest -= self._count(each)
        return text

    def _action(self, name: str, number: int, last: dict[int, int]) -> list[tuple[Sentence, int, int]]:
        """The sentences of an action by its number, each with the numbers of its verb and opener."""
        digits = []
        for base in self._bases[name]:
            number, digit = divmod(number, base)
            digits.append(digit)
        who, mate = digits[0], -1
        if name in ("conj", "compound"):
            mate = self._elsewhere(digits.pop(1), who)
        verb, spot, onward = digits[1], digits[2], digits[3:]
        if name == "grab":
            last[_GRABBED] = self._elsewhere(spot, last.get(_GRABBED, (who + verb) % self._objects))
            return [(Sentence(GRAB, who, last[_GRABBED]), verb, 0)]
        before = last.get(who, self._reference(who, verb))
        if mate < 0:
            place = self._elsewhere(spot, before)
        else:
            # Neither of the two was there before; where both were in one place, one more is left out.
            mates = last.get(mate, self._reference(mate, verb))
            mates = (before + 1) % self._places if mates == before else mates
            place = [each for each in range(self._places) if each not in (before, mates)][spot]
            last[mate] = place
        last[who] = place
        if name == "indef":
            left = [each for each in range(self._places) if each not in (before, place)]
            return [(Sentence(INDEF, who, place, left[onward[0]]), verb, 0)]
        kind = CONJ if mate >= 0 else MOVE if onward else KINDS.index(name)
        people = (who,) if mate < 0 else (who, mate)
        told = [(sentence_of(kind, (*people, place)), verb, 0)]
        if onward:
            opener, verb, spot = onward
            place = self._elsewhere(spot, place)
            told.append((sentence_of(kind, (*people, place), True), verb, opener))
            last.update(dict.fromkeys(people, place))
        return told

    def _reference(self, who: int, verb: int) -> int:
        """A place that a person of unknown place does not go to first; it differs from verb to verb."""
        return (self._number + 5 * who + 7 * verb) % self._places

    @staticmethod
    def _elsewhere(digit: int, but: int) -> int:
        return digit + (digit >= but)


# -- the other tasks ------------------------------------------------------------------------------------


class FormSpace:
    """The stories of one task outside the story world.

    Args:
        task: The task.
        names: The names that its tokens may stand for.
    """

    def __init__(self, task: FactRecord, names: Mapping[str, Sequence[str]]) -> None:
        self._task, self._names = task, names
        self._random = KeyedRandom("babi", "form", task.number)
        self._tries = 0
        self._known: set[str] = set()
        self._forms: list[FactStory] = []
        self._ways: list[int] = []
        self._finished = False

    def _chunk(self, number: int) -> list[int]:
        """The numbers of ways of the forms of a chunk, listed as they are found; empty where there is no such chunk."""
        idle = 0
        while len(self._forms) < (number + 1) * _CHUNK and not self._finished:
            form = canonical(draw_form(self._task.concept, self._random.at(self._tries)))
            self._tries += 1
            beginning = form.beginning()
            if beginning in self._known:
                idle += 1
                self._finished = idle > _PATIENCE
                continue
            idle = 0
            self._known.add(beginning)
            self._forms.append(form)
            mentioned = self._mentioned(beginning).items()
            self._ways.append(prod(perm(len(self._names[letter]), count) for letter, count in mentioned))
        return self._ways[number * _CHUNK : (number + 1) * _CHUNK]

    def _mentioned(self, beginning: str) -> dict[str, int]:
        found: dict[str, int] = {}
        for letter, digit in tokens(beginning):
            found[letter] = max(found.get(letter, 0), digit + 1)
        return found

    def story(self, side: str, story: int, seed: int, where: str) -> FactStory:
        """The story of that number.

        Raises:
            StarvedError: The split has no more stories.
        """
        chunk, before = 0, 0
        while ways := self._chunk(chunk):
            total = sum(ways)
            low, high = _range(side, total)
            size = high - low
            if story - before < size:
                place = (story - before + seed_offset(seed, size)) % size
                return self._named(chunk, ways, StoryOrder(total, "babi", self._task.number, chunk)(low + place))
            before += size
            chunk += 1
        raise StarvedError(
            f"{side} of task {self._task.number} has {before:,} different stories in total",
            where=where,
            hint="ask for fewer questions, or give a vocabulary with more names",
        )

    def _named(self, chunk: int, ways: list[int], number: int) -> FactStory:
        ends = list(accumulate(ways))
        place = next(place for place, end in enumerate(ends) if number < end)
        form = self._forms[chunk * _CHUNK + place]
        rest = number - (ends[place] - ways[place])
        mentioned = self._mentioned(form.beginning())
        names: dict[str, list[str]] = {}
        for letter, every in self._names.items():
            pool = list(every)
            chosen = []
            for _ in range(mentioned.get(letter, 0)):
                rest, digit = divmod(rest, len(pool))
                chosen.append(pool.pop(digit))
            names[letter] = chosen + pool
        return named(form, names)


@lru_cache(maxsize=64)
def _space(task: int, names: tuple[tuple[str, tuple[str, ...]], ...]) -> FormSpace:
    return FormSpace(FACTS[task], dict(names))


def form_space(task: FactRecord, names: Mapping[str, Sequence[str]]) -> FormSpace:
    """The stories of a task with these names; listed once per process."""
    return _space(task.number, tuple((letter, tuple(every)) for letter, every in sorted(names.items())))


def random_story(task: FactRecord, rng: Random) -> FactStory:
    """A story drawn at random, with names that the story world does not use."""
    pools = {letter: list(names) for letter, names in (task.apart or task.names).items()}
    for pool in pools.values():
        rng.shuffle(pool)
    return named(draw_form(task.concept, rng, apart=True), pools)
