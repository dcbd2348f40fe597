"""Looking through stories for questions that a cell asks for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import NamedTuple

from taskloom.families.babi.checks import askable, every_question, measured_distractors, signature, stands_alone
from taskloom.families.babi.concepts import CellSpec, composition
from taskloom.families.babi.programs import WorldProgram
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.refusals import StarvedError
from taskloom.families.babi.story import INDEF, Answer, Question, Sentence
from taskloom.families.babi.storyteller import Noise, Storyteller
from taskloom.families.babi.support import all_supports, canonical_support, lines

__all__ = ["StoryItem", "StorySearch"]


class StoryItem(NamedTuple):
    """One story with one question."""

    sentences: list[Sentence]
    question: Question
    answer: Answer
    support: tuple[int, ...]
    reader: Reader


class StorySearch:
    """The filters of a cell, and random stories looked through with them.

    Args:
        cell: What the items must be like.
        sizes: How many persons, objects and places the vocabulary has.
        world: The world's programs.
        where: What to name in errors.
        stories: How many random stories are looked through before nothing is found.
    """

    def __init__(
        self, cell: CellSpec, sizes: tuple[int, int, int], world: WorldProgram, where: str, stories: int
    ) -> None:
        self.cell, self.sizes, self.world, self.where = cell, sizes, world, where
        self.noise = Noise(cell.concepts, world)
        self._stories = stories
        self._wanted = frozenset(cell.requires)
        self._signatures: Counter[str] = Counter()

    def new_block(self) -> None:
        """Forget the signatures of the block before: blocks are drawn independently."""
        self._signatures.clear()

    def _length(self, rng: Random) -> int:
        low, high = self.cell.length
        return low if low == high else low + int(rng.random() * (high - low + 1))

    def judge(self, sentences: list[Sentence], reader: Reader, question: Question) -> StoryItem | str:
        """The question as an item, or the name of the filter that refuses it."""
        cell = self.cell
        answer = reader.answer(question)
        if answer is None or reader.conflicts or not askable(reader, question, answer):
            return "question"
        mask = canonical_support(reader, question, cell.support[1])
        if mask is None or not cell.support[0] <= mask.bit_count() <= cell.support[1]:
            return "support"
        support = lines(mask)
        if not self._fits_composition(sentences, support):
            return "requires"
        if cell.paths != (0, 1_000_000):
            alternatives = len(all_supports(reader, question))
            if not cell.paths[0] <= alternatives <= cell.paths[1]:
                return "paths"
        if cell.distractors != "mixed" and measured_distractors(sentences, support, question) != cell.distractors:
            return "distractors"
        if not stands_alone(sentences, support, question, answer, *self.sizes[:2], self.world):
            return "support"
        if cell.per_signature is not None:
            name = signature(sentences, support, question, self.world)
            if self._signatures[name] >= cell.per_signature:
                return "per_signature"
            self._signatures[name] += 1
        return StoryItem(sentences, question, answer, support, reader)

    def _fits_composition(self, sentences: list[Sentence], support: Sequence[int]) -> bool:
        cell = self.cell
        if cell.double is not None:
            double = sum(sentences[line].kind == INDEF for line in support) > 1
            if double != cell.double:
                return False
        if not self._wanted and not cell.exact:
            return True
        found = set(composition(sentences, support, self.world))
        return found == self._wanted if cell.exact else self._wanted <= found

    def further(self, item: StoryItem, rng: Random) -> list[StoryItem]:
        """More questions about the story of an item that pass the filters too, up to the cell's `per_story`."""
        wanted = self.cell.per_story - 1
        if wanted <= 0:
            return []
        return self._look(item.sentences, item.reader, rng, wanted, but=item.question)

    def _look(
        self, sentences: list[Sentence], reader: Reader, rng: Random, most: int, but: Question | None = None
    ) -> list[StoryItem]:
        """Questions about a story that pass the filters."""
        options = [
            question for kind in self.cell.questions for question in every_question(kind, *self.sizes, self.world)
        ]
        rng.shuffle(options)
        found: list[StoryItem] = []
        for question in options:
            if question == but:
                continue
            other = self.judge(sentences, reader, question)
            if isinstance(other, StoryItem):
                found.append(other)
                if len(found) == most:
                    break
        return found

    def _search(self, rng: Random, stories: int, length: int | None = None) -> StoryItem | None:
        """An item from stories drawn at random."""
        for _ in range(stories):
            teller = Storyteller(rng, self.noise, *self.sizes)
            wanted = self._length(rng) if length is None else length
            while len(teller.sentences) < wanted and teller.tell_something(wanted - len(teller.sentences)):
                pass
            found = self._look(teller.sentences, teller.reader, rng, 1)
            if found:
                return found[0]
        return None

    def inside(self, rng: Random) -> list[StoryItem]:
        """Questions asked while a story goes on, up to the cell's `per_story`, at least `gap` sentences apart.

        Raises:
            StarvedError: No story offered a question that passes the filters.
        """
        low, high = self.cell.length
        for _ in range(self._stories):
            teller = Storyteller(rng, self.noise, *self.sizes)
            found: list[StoryItem] = []
            since = 0
            while len(found) < self.cell.per_story and len(teller.sentences) < high:
                before = len(teller.sentences)
                if not teller.tell_something(high - before):
                    break
                since += len(teller.sentences) - before
                if len(teller.sentences) < low or since < self.cell.gap or rng.random() >= self.cell.chance:
                    continue
                reader = Reader.of(teller.sentences, *self.sizes[:2], self.world)
                items = self._look(list(teller.sentences), reader, rng, 1)
                if items:
                    found += items
                    since = 0
            if found:
                return found
        raise StarvedError(
            f"{self.cell.title()} was not found after {self._stories:,} stories with questions inside",
            where=self.where,
            hint="loosen `support` or `requires`, or ask at the end of stories",
        )
