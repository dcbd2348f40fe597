"""From sentences, questions and answers to text."""

from __future__ import annotations

from random import Random

from taskloom.families.babi.story import (
    AFFIRM,
    CONJ,
    COUNTING,
    DROP,
    GAVE,
    GAVE_TO,
    GIVE,
    GRAB,
    INDEF,
    KINDS,
    LIST,
    MAYBE,
    MOVE,
    NEGATE,
    QUESTION_KINDS,
    RECEIVED,
    WHAT_GIVE,
    WHERE_O,
    WHERE_P,
    WHERE_WAS,
    WHO_GIVE,
    YES,
    YES_NO,
    Answer,
    Question,
    Sentence,
)
from taskloom.families.babi.vocabulary import Vocabulary

__all__ = ["Renderer"]

_TEMPLATE = tuple(name.replace("-", "_") for name in QUESTION_KINDS)


class Renderer:
    """Speaks the sentences of one vocabulary. Sentences are remembered, since a vocabulary has few of them."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.persons = tuple(vocabulary.persons)
        self.pronouns = tuple(vocabulary.persons.values())
        self.objects = vocabulary.objects
        self.places = vocabulary.places
        plain = {
            MOVE: vocabulary.move,
            GRAB: vocabulary.grab,
            DROP: vocabulary.drop,
            GIVE: vocabulary.give,
            CONJ: vocabulary.move,
            NEGATE: vocabulary.negate,
            AFFIRM: ("",),
            INDEF: ("",),
        }
        self._verbs = tuple(plain[kind] for kind in range(len(KINDS)))
        self._said: dict[Sentence, tuple[str, ...]] = {}
        self._asked: dict[Question, str] = {}

    def story(self, sentences: list[Sentence], rng: Random) -> list[str]:
        """The sentences as text, with verbs and openers drawn at random."""
        random = rng.random
        said = self._said
        lines = []
        for sentence in sentences:
            forms = said.get(sentence)
            if forms is None:
                forms = said[sentence] = self._forms(sentence)
            lines.append(forms[int(random() * len(forms))])
        return lines

    def _forms(self, sentence: Sentence) -> tuple[str, ...]:
        """Every way to say a sentence."""
        openers = range(len(self.vocabulary.openers)) if sentence.pronoun else (0,)
        verbs = range(len(self._verbs[sentence.kind]))
        return tuple(self.sentence(sentence, verb, opener) for verb in verbs for opener in openers)

    def sentence(self, sentence: Sentence, verb: int = 0, opener: int = 0) -> str:
        """One sentence with the chosen verb and opener."""
        kind, first, second, third, pronoun = sentence
        words = self.vocabulary
        templates = words.templates
        person = self.persons[first]
        if pronoun:
            person = words.plural if kind == CONJ else self.pronouns[first]
        fields = {"person": person, "verb": self._verbs[kind][verb]}
        if kind in (GRAB, DROP, GIVE):
            fields["object"] = self.objects[second]
            if kind == GIVE:
                fields["other"] = self.persons[third]
        elif kind == CONJ:
            fields |= {"other": self.persons[second], "place": self.places[third]}
        else:
            fields["place"] = self.places[second]
            if kind == INDEF:
                fields["place2"] = self.places[third]
        form: str = templates.move if kind == CONJ and pronoun else getattr(templates, KINDS[kind])
        text = form.format_map(fields)
        if pronoun:
            text = templates.again.format(opener=words.openers[opener], sentence=text)
        return text[:1].upper() + text[1:]

    def question(self, question: Question) -> str:
        """A question as text."""
        text = self._asked.get(question)
        if text is None:
            text = self._asked[question] = self._question(question)
        return text

    def _question(self, question: Question) -> str:
        kind, first, second = question
        fields: dict[str, str] = {}
        if kind in (WHERE_P, YES_NO, LIST, COUNTING, WHO_GIVE, WHAT_GIVE):
            fields["person"] = self.persons[first]
        if kind in (WHERE_O, WHERE_WAS, GAVE_TO, GAVE, RECEIVED):
            fields["object"] = self.objects[first]
        if kind in (WHERE_WAS, YES_NO):
            fields["place"] = self.places[second]
        if kind in (GAVE_TO, WHAT_GIVE):
            fields["other"] = self.persons[second]
        if kind == WHO_GIVE:
            fields["object"] = self.objects[second]
        form: str = getattr(self.vocabulary.templates, _TEMPLATE[kind])
        text = form.format_map(fields)
        return text[:1].upper() + text[1:]

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
        if kind == WHAT_GIVE:
            return self.objects[answer]
        names = self.places if kind in (WHERE_P, WHERE_O, WHERE_WAS) else self.persons
        return names[answer]
