"""From sentences, questions and answers to text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import Random

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
            AFFIRM: ("",),
            INDEF: ("",),
        }
        own = tuple(verbs or ("",) for verbs in world.verbs[len(KINDS) :])
        self._verbs = (*(plain[kind] for kind in range(len(KINDS))), *own)
        self._parts: dict[str, list[tuple[str, str, str]]] = {}
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
        return forms[number] or self._say(sentence, number)

    def forms(self, sentence: Sentence) -> tuple[str, ...]:
        """Every way to say a sentence."""
        forms = self._said.get(sentence) or self._unsaid(sentence)
        return tuple(form or self._say(sentence, number) for number, form in enumerate(forms))

    def _unsaid(self, sentence: Sentence) -> list[str]:
        """A place for every form of a sentence. Each is filled when it is first wanted: most are wanted never."""
        openers = len(self.vocabulary.openers) if sentence.pronoun else 1
        forms = self._said[sentence] = [""] * (len(self._verbs[sentence.kind]) * openers)
        return forms

    def _say(self, sentence: Sentence, number: int) -> str:
        verb, opener = divmod(number, len(self.vocabulary.openers) if sentence.pronoun else 1)
        text = self._said[sentence][number] = self.sentence(sentence, verb, opener)
        return text

    def sentence(self, sentence: Sentence, verb: int = 0, opener: int = 0) -> str:
        """One sentence with the chosen verb and opener."""
        kind, first, _, _, pronoun, _ = sentence
        words, templates = self.vocabulary, self.vocabulary.templates
        head, _, tail = self._verbs[kind][verb].partition(" … ")
        fields = {"verb": head, "tail": f" {tail}" if tail else "", **self._roles(sentence)}
        if pronoun:
            fields["person"] = words.plural if kind == CONJ else self.pronouns[first]
            fields["opener"] = words.openers[opener]
            own: str = getattr(templates, f"again_{KINDS[kind]}", "") if kind < len(KINDS) else ""
            if own:
                return _capital(self._fill(own, fields))
            form = templates.move if kind == CONJ else self._form(kind)
            fields["sentence"] = self._fill(form, fields)
            return _capital(self._fill(templates.again, fields))
        return _capital(self._fill(self._form(kind), fields))

    def _form(self, kind: int) -> str:
        form: str = getattr(self.vocabulary.templates, KINDS[kind]) if kind < len(KINDS) else self.world.texts[kind]
        return form

    def _roles(self, sentence: Sentence) -> dict[str, str]:
        """The names of those who take part, by role."""
        kind, first, second, third, _, fourth = sentence
        names = {"person": self.persons, "object": self.objects, "place": self.places}
        roles = self.world.records[kind]
        sorts = self.world.events[kind].sorts
        fields = {
            role: names[sort][number]
            for role, sort, number in zip(roles, sorts, (first, second, third, fourth), strict=False)
        }
        if kind == CONJ:
            fields["and"] = self._conjunction(fields["other"])
        return fields

    def _conjunction(self, following: str) -> str:
        words = self.vocabulary
        for letters, other in words.conjunction_before.items():
            if following.casefold().startswith(letters.casefold()):
                return other
        return words.conjunction

    def _fill(self, template: str, fields: Mapping[str, str]) -> str:
        parts = self._parts.get(template)
        if parts is None:
            parts = self._parts[template] = template_parts(template, "text")
        text = ""
        for before, field, form in parts:
            text += before
            if field:
                text += self.vocabulary.shown(fields[field], form) if form else fields[field]
        return text

    # -- questions and answers ----------------------------------------------------------------------------------

    def question(self, question: Question) -> str:
        """A question as text."""
        text = self._asked.get(question)
        if text is None:
            text = self._asked[question] = self._question(question)
        return text

    def _question(self, question: Question) -> str:
        kind, first, second = question
        names = {"person": self.persons, "object": self.objects, "place": self.places}
        if kind >= len(QUESTION_KINDS):
            _, asked = self.world.questions[kind - len(QUESTION_KINDS)]
            pairs = zip(asked.roles.items(), (first, second), strict=False)
            return _capital(self._fill(asked.text, {role: names[sort][number] for (role, sort), number in pairs}))
        fields: dict[str, str] = {}
        for role, sort, number in zip(ASKED_ROLES[kind], asked_sorts(kind, None), (first, second), strict=False):
            fields[role] = names[sort][number]
        form: str = getattr(self.vocabulary.templates, _TEMPLATE[kind])
        return _capital(self._fill(form, fields))

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


def _capital(text: str) -> str:
    """A sentence with a capital where it begins, behind an opening mark if there is one."""
    for place, letter in enumerate(text):
        if letter.isalpha():
            return text[:place] + letter.upper() + text[place + 1 :]
    return text
