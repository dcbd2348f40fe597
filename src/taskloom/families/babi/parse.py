"""From text to sentences and questions: reads the original bAbI data, the reference kit's, and our own.

Names are an open set: any word in a person's position becomes a person. The verbs, openers and sentence
forms are those of a vocabulary, widened by the forms found in other releases of the data.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from taskloom.core import UserError
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
    MOVE,
    NEGATE,
    QUESTION_KINDS,
    RECEIVED,
    WHAT_GIVE,
    WHERE_O,
    WHERE_P,
    WHERE_WAS,
    WHO_GIVE,
    YES_NO,
    Question,
    Sentence,
)
from taskloom.families.babi.vocabulary import DYNA, Vocabulary

__all__ = ["Names", "Parser"]

_MORE_VERBS = {MOVE: (), CONJ: (), GRAB: (), DROP: ("let go of",), GIVE: ()}
_MORE_FORMS: dict[int, tuple[str, ...]] = {
    GIVE: ("{person} {verb} {other} the {object}.",),
    INDEF: ("{person} is either in the {place} or in the {place2}.",),
}
_MORE_QUESTIONS: dict[int, tuple[str, ...]] = {
    LIST: ("What is {person} holding?",),
    COUNTING: ("How many objects is {person} holding?",),
}
# "there" adds nothing but confusion: it names the place the object is at anyway.
_THERE = re.compile(r" there\.$")
# The latest gift counts anyway.
_LAST = re.compile(r" last\?$")
_NAME = r"[^\W\d_][\w'’-]*"
_NOUN = rf"{_NAME}(?: {_NAME})*?"


class Names:
    """Numbers for names, in order of appearance."""

    def __init__(self) -> None:
        self.persons: dict[str, int] = {}
        self.objects: dict[str, int] = {}
        self.places: dict[str, int] = {}

    @staticmethod
    def number(known: dict[str, int], name: str) -> int:
        """The number of a name, a new one where it was not known."""
        return known.setdefault(name, len(known))


class _Form(NamedTuple):
    kind: int
    pattern: re.Pattern[str]


class Parser:
    """Reads the sentences of one story after the other."""

    def __init__(self, vocabulary: Vocabulary = DYNA) -> None:
        templates = vocabulary.templates
        verbs = {
            MOVE: vocabulary.move,
            CONJ: vocabulary.move,
            GRAB: vocabulary.grab,
            DROP: vocabulary.drop,
            GIVE: vocabulary.give,
            NEGATE: vocabulary.negate,
        }
        self._forms = [
            _Form(kind, _compile(form, (*verbs.get(kind, ()), *_MORE_VERBS.get(kind, ()))))
            for kind in (CONJ, MOVE, GRAB, DROP, GIVE, AFFIRM, NEGATE, INDEF)
            for form in (getattr(templates, KINDS[kind]), *_MORE_FORMS.get(kind, ()))
        ]
        self._asked = [
            _Form(kind, _compile(form, ()))
            for kind in (
                WHERE_WAS,
                WHERE_O,
                WHERE_P,
                YES_NO,
                LIST,
                COUNTING,
                GAVE_TO,
                GAVE,
                RECEIVED,
                WHO_GIVE,
                WHAT_GIVE,
            )
            for form in (
                getattr(templates, QUESTION_KINDS[kind].replace("-", "_")),
                *_MORE_QUESTIONS.get(kind, ()),
            )
        ]
        openers = "|".join(re.escape(opener) for opener in sorted(vocabulary.openers, key=len, reverse=True))
        before, _, after = templates.again.partition("{opener}")
        middle, _, end = after.partition("{sentence}")
        self._again = re.compile(
            f"{re.escape(before)}(?:{openers}),?{re.escape(middle)}(?P<sentence>.+){re.escape(end)}", re.IGNORECASE
        )
        self._plural = vocabulary.plural.casefold()
        self._pronouns = {pronoun.casefold() for pronoun in vocabulary.persons.values()} | {self._plural}
        self._seen: dict[str, tuple[int, dict[str, str], bool] | None] = {}

    def sentence(self, text: str, names: Names, before: Sentence | None) -> Sentence:
        """Read one sentence.

        Args:
            text: The sentence, with its full stop.
            names: Numbers for the names met so far in the story; extended.
            before: The sentence before it, to resolve pronouns.

        Raises:
            UserError: The sentence is none of the story world's.
        """
        if text not in self._seen:
            self._seen[text] = self._match(text)
        match = self._seen[text]
        if match is None:
            raise UserError(f"this is no sentence of the story world: {text!r}")
        kind, fields, pronoun = match
        if not pronoun:
            return self._number(kind, fields, names)
        if before is None:
            raise UserError(f"nobody is named before the pronoun in {text!r}")
        if fields["person"].casefold() == self._plural:
            if before.kind != CONJ or kind != MOVE:
                raise UserError(f"no two people act together before {text!r}")
            return Sentence(CONJ, before.first, before.second, names.number(names.places, fields["place"]), True)
        # The pronoun itself must not become a person, so the subject's own name is filled in.
        subject = next(name for name, number in names.persons.items() if number == before.first)
        return self._number(kind, {**fields, "person": subject}, names)._replace(pronoun=True)

    def _match(self, text: str) -> tuple[int, dict[str, str], bool] | None:
        plain = _THERE.sub(".", text.strip())
        again = self._again.fullmatch(plain)
        for form in self._forms:
            found = form.pattern.fullmatch(again["sentence"] if again else plain)
            if found:
                fields = found.groupdict()
                pronoun = fields["person"].casefold() in self._pronouns
                if pronoun or not again:
                    return form.kind, fields, pronoun
        return None

    @staticmethod
    def _number(kind: int, fields: dict[str, str], names: Names) -> Sentence:
        number = names.number
        person = number(names.persons, fields["person"])
        if kind in (GRAB, DROP, GIVE):
            thing = number(names.objects, fields["object"])
            other = number(names.persons, fields["other"]) if kind == GIVE else -1
            return Sentence(kind, person, thing, other)
        if kind == CONJ:
            other = number(names.persons, fields["other"])
            return Sentence(CONJ, person, other, number(names.places, fields["place"]))
        place = number(names.places, fields["place"])
        return Sentence(kind, person, place, number(names.places, fields["place2"]) if kind == INDEF else -1)

    def question(self, text: str, names: Names) -> Question:
        """Read one question.

        Raises:
            UserError: The question is none of the story world's.
        """
        stripped = _LAST.sub("?", text.strip())
        for form in self._asked:
            found = form.pattern.fullmatch(stripped)
            if found:
                return _question(form.kind, found.groupdict(), names)
        raise UserError(f"this is no question of the story world: {text!r}")


def _question(kind: int, fields: dict[str, str], names: Names) -> Question:
    known = {"person": names.persons, "other": names.persons, "object": names.objects, "place": names.places}
    order = {
        WHERE_P: ("person",),
        WHERE_O: ("object",),
        WHERE_WAS: ("object", "place"),
        YES_NO: ("person", "place"),
        LIST: ("person",),
        COUNTING: ("person",),
        GAVE_TO: ("object", "other"),
        GAVE: ("object",),
        RECEIVED: ("object",),
        WHO_GIVE: ("person", "object"),
        WHAT_GIVE: ("person", "other"),
    }[kind]
    return Question(kind, *(names.number(known[field], fields[field]) for field in order))


def _compile(form: str, verbs: tuple[str, ...]) -> re.Pattern[str]:
    """A pattern that reads what a template writes."""
    pattern = re.escape(form)
    choice = "|".join(re.escape(verb) for verb in sorted(verbs, key=len, reverse=True))
    for field in ("person", "other", "object", "place", "place2", "verb"):
        group = {"person": _NAME, "other": _NAME, "verb": choice}.get(field, _NOUN)
        pattern = pattern.replace(re.escape("{" + field + "}"), f"(?P<{field}>{group})")
    return re.compile(pattern)
