"""From sentences, questions and answers to text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from taskloom.core import Targets
from taskloom.families.babi.checks import asked_sorts
from taskloom.families.babi.programs import PAPER_WORLD, WorldProgram
from taskloom.families.babi.story import (
    AFFIRM,
    ASKED_ROLES,
    CONJ,
    COUNTING,
    DROP,
    GIVE,
    GRAB,
    INDEF,
    KINDS,
    LEFT,
    MAYBE,
    MOVE,
    NEGATE,
    QUESTION_KINDS,
    WHAT_GIVE,
    WHERE_O,
    WHERE_P,
    WHERE_WAS,
    YES,
    YES_NO,
    Answer,
    Question,
    Sentence,
)
from taskloom.families.babi.vocabulary import Vocabulary, template_parts

__all__ = ["Renderer"]

_Piece = tuple[Any, tuple[str, ...] | None]
"""A text, or the number of a role and the names for it."""

_TEMPLATE = tuple(name.replace("-", "_") for name in QUESTION_KINDS)


class Renderer:
    """Speaks the sentences of one vocabulary. Sentences are remembered, since a vocabulary has few of them.

    Args:
        vocabulary: The words.
        world: The world's programs, for events and questions of a recipe's own.
    """

    def __init__(self, vocabulary: Vocabulary, world: WorldProgram = PAPER_WORLD) -> None:
        self.vocabulary = vocabulary
        self.world = world
        self.persons = tuple(vocabulary.persons)
        self.pronouns = tuple(vocabulary.persons.values())
        self.objects = vocabulary.objects
        self.places = vocabulary.places
        plain = {
            MOVE: vocabulary.move,
            GRAB: vocabulary.grab,
            DROP: vocabulary.drop,
            GIVE: vocabulary.give,
            CONJ: vocabulary.move_plural or vocabulary.move,
            NEGATE: vocabulary.negate,
            LEFT: vocabulary.left_words(),
            AFFIRM: ("",),
            INDEF: ("",),
        }
        own = tuple(verbs or ("",) for verbs in world.verbs[len(KINDS) :])
        # Of so many wordings of a sentence with the same verb, the last ones end in "there".
        self._there = {
            GRAB: _fraction(vocabulary.there.get("grab", 0)),
            DROP: _fraction(vocabulary.there.get("drop", 0)),
        }
        self._verbs = (*(plain[kind] for kind in range(len(KINDS))), *own)
        self._names = {"person": self.persons, "object": self.objects, "place": self.places}
        self._pieces: dict[tuple[int, bool, int, int], tuple[_Piece, ...]] = {}
        self._said: dict[Sentence, list[str]] = {}
        self._asked: dict[Question, str] = {}
        self.accepted: dict[tuple[int, Answer], Targets] = {}

    # -- sentences --------------------------------------------------------------------------------------------

    def story(self, sentences: Sequence[Sentence], rng: Random) -> list[str]:
        """The sentences as text, with verbs and openers drawn at random."""
        random = rng.random
        lines = []
        for sentence in sentences:
            forms = self._said.get(sentence) or self._unsaid(sentence)
            number = int(random() * len(forms))
            lines.append(forms[number] or self._say(sentence, number))
        return lines

    def worded(self, sentences: Sequence[Sentence], number: int) -> list[str]:
        """The sentences as text in the wording of that number; numbers beyond the last wording begin anew."""
        said = self._said
        lines = []
        for sentence in sentences:
            forms = said.get(sentence) or self._unsaid(sentence)
            number, digit = divmod(number, len(forms))
            lines.append(forms[digit] or self._say(sentence, digit))
        return lines

    def form(self, sentence: Sentence, verb: int, opener: int) -> str:
        """A sentence with this verb and, where its subject is a pronoun, this opener."""
        forms = self._said.get(sentence) or self._unsaid(sentence)
        number = verb * len(self.vocabulary.openers) + opener if sentence.pronoun else verb
        number *= self._there.get(sentence.kind, (0, 1))[1]
        return forms[number] or self._say(sentence, number)

    def forms(self, sentence: Sentence) -> tuple[str, ...]:
        """Every way to say a sentence."""
        forms = self._said.get(sentence) or self._unsaid(sentence)
        return tuple(form or self._say(sentence, number) for number, form in enumerate(forms))

    def _unsaid(self, sentence: Sentence) -> list[str]:
        """A place for every form of a sentence. Each is filled when it is first wanted: most are wanted never."""
        openers = len(self.vocabulary.openers) if sentence.pronoun else 1
        wordings = len(self._verbs[sentence.kind]) * openers * self._there.get(sentence.kind, (0, 1))[1]
        forms = self._said[sentence] = [""] * wordings
        return forms

    def _say(self, sentence: Sentence, number: int) -> str:
        ending, parts = self._there.get(sentence.kind, (0, 1))
        rest, part = divmod(number, parts)
        verb, opener = divmod(rest, len(self.vocabulary.openers) if sentence.pronoun else 1)
        text = self.sentence(sentence, verb, opener)
        if part >= parts - ending:
            text = f"{text.removesuffix('.')} there."
        self._said[sentence][number] = text
        return text

    def sentence(self, sentence: Sentence, verb: int = 0, opener: int = 0) -> str:
        """One sentence with the chosen verb and opener."""
        kind, first, second, third, pronoun, fourth = sentence
        key = kind, pronoun, verb, opener
        pieces = self._pieces.get(key)
        if pieces is None:
            pieces = self._pieces[key] = tuple(self._expand(*key))
        roles = first, second, third, fourth
        return _capital("".join([text if names is None else names[roles[text]] for text, names in pieces]))

    def _expand(self, kind: int, pronoun: bool, verb: int, opener: int) -> Iterator[_Piece]:
        """The pieces of a sentence whose verb and opener are chosen."""
        words, templates = self.vocabulary, self.vocabulary.templates
        head, _, tail = self._verbs[kind][verb].partition(" … ")
        said = {"verb": head, "tail": f" {tail}" if tail else "", "opener": words.openers[opener] if pronoun else ""}
        form = templates.move if pronoun and kind == CONJ else self._form(kind)
        again: str = getattr(templates, f"again_{KINDS[kind]}", "") if pronoun and kind < len(KINDS) else ""
        outer = (again or templates.again) if pronoun else form
        for before, field, shape in self._parts(outer):
            yield before, None
            if field == "sentence":
                for text, inner, other in self._parts(form):
                    yield text, None
                    yield self._piece(kind, pronoun, inner, other, said)
            elif field:
                yield self._piece(kind, pronoun, field, shape, said)

    def _piece(self, kind: int, pronoun: bool, field: str, form: str, said: Mapping[str, str]) -> _Piece:
        """What stands for a field: a text, or a name for each number of a role."""
        if not field or field in said:
            return said.get(field, ""), None
        roles, sorts = self.world.records[kind], self.world.events[kind].sorts
        if pronoun and field == "person":
            return (self.vocabulary.plural, None) if kind == CONJ else (0, self.pronouns)
        if field == "and":
            return roles.index("other"), tuple(map(self._conjunction, self.persons))
        position = roles.index(field)
        names = self._names[sorts[position]]
        return position, tuple(self.vocabulary.shown(name, form) for name in names) if form else names

    def _form(self, kind: int) -> str:
        if kind >= len(KINDS):
            return self.world.texts[kind]
        templates = self.vocabulary.templates
        form: str = getattr(templates, KINDS[kind]) or templates.negate
        return form

    def _conjunction(self, following: str) -> str:
        words = self.vocabulary
        for letters, other in words.conjunction_before.items():
            if following.casefold().startswith(letters.casefold()):
                return other
        return words.conjunction

    @staticmethod
    def _parts(template: str) -> list[tuple[str, str, str]]:
        return template_parts(template, "text")

    # -- questions and answers ----------------------------------------------------------------------------------

    def question(self, question: Question) -> str:
        """A question as text."""
        text = self._asked.get(question)
        if text is None:
            text = self._asked[question] = self._question(question)
        return text

    def _question(self, question: Question) -> str:
        kind = question.kind
        if kind >= len(QUESTION_KINDS):
            _, asked = self.world.questions[kind - len(QUESTION_KINDS)]
            roles, form = tuple(asked.roles), asked.text
        else:
            roles, form = ASKED_ROLES[kind], getattr(self.vocabulary.templates, _TEMPLATE[kind])
        named = zip(roles, asked_sorts(kind, self.world), question[1:], strict=False)
        fields = {role: self._names[sort][number] for role, sort, number in named}
        shown = (
            before + (self.vocabulary.shown(fields[field], shape) if field else "")
            for before, field, shape in self._parts(form)
        )
        return _capital("".join(shown))

    def items(self, answer: tuple[int, ...]) -> tuple[str, ...]:
        """The names of carried objects in alphabetical order."""
        return tuple(sorted(self.objects[thing] for thing in answer))

    def answer(self, question: Question, answer: Answer) -> str:
        """An answer as text, in its canonical form."""
        words = self.vocabulary
        kind = question.kind
        if isinstance(answer, tuple):
            return words.separator.join(self.items(answer)) or words.nothing
        if kind == YES_NO:
            return words.yes if answer == YES else (words.maybe if answer == MAYBE else words.no)
        if kind == COUNTING:
            return words.count_word(answer)
        return self.answer_names(kind)[answer]

    def answer_names(self, kind: int) -> tuple[str, ...]:
        """The names that answers to a kind of question come from."""
        if kind in (WHERE_P, WHERE_O, WHERE_WAS):
            return self.places
        if kind == WHAT_GIVE:
            return self.objects
        if kind < len(QUESTION_KINDS):
            return self.persons
        _, asked = self.world.questions[kind - len(QUESTION_KINDS)]
        if asked.find == "value":
            return self.world.values[self.world.attributes.index(asked.attribute)]
        if asked.find == "role":
            event = self.world.kind(asked.event)
            sort = self.world.events[event].sorts[self.world.records[event].index(asked.role)]
            return {"person": self.persons, "object": self.objects}.get(sort, self.places)
        return self.persons if asked.find == "holder" else self.places


def _fraction(share: float) -> tuple[int, int]:
    """A share as a fraction."""
    return Fraction(share).limit_denominator(20).as_integer_ratio()


def _capital(text: str) -> str:
    """A sentence with a capital where it begins, behind an opening mark if there is one."""
    if text[:1].isupper():
        return text
    for place, letter in enumerate(text):
        if letter.isalpha():
            return text[:place] + letter.upper() + text[place + 1 :]
    return text
