"""From text to sentences and questions: reads the original bAbI data, the reference kit's, and our own.

Names are an open set: any word in a person's position becomes a person. The verbs, openers and sentence
forms are those of a vocabulary, widened by the forms found in other releases of the data.
"""

from __future__ import annotations

import re
from collections import Counter
from typing import NamedTuple

from taskloom.core import UserError
from taskloom.families.babi.instances import Renderer
from taskloom.families.babi.recipe import CustomRecipe
from taskloom.families.babi.scene import sentence_of
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
    LIST,
    MOVE,
    NEGATE,
    QUESTION_KINDS,
    WHERE_WAS,
    Question,
    Sentence,
)
from taskloom.families.babi.vocabulary import DYNA, Vocabulary, template_parts
from taskloom.families.babi.worlds import PAPER_WORLD, Program, WorldProgram

_MORE_VERBS = {MOVE: (), CONJ: (), GRAB: (), DROP: ("let go of",), GIVE: ()}
_MORE_FORMS: dict[int, tuple[str, ...]] = {
    GIVE: ("{person} {verb} {other} the {object}.",),
    INDEF: ("{person} is either in the {place} or in the {place2}.",),
}
_MORE_QUESTIONS: dict[int, tuple[str, ...]] = {
    LIST: ("What is {person} holding?",),
    COUNTING: ("How many objects is {person} holding?",),
}
# "She then went to the garden." (the original generator) is "Then she went to the garden."
_THEN = re.compile(r"^(\w+) then (?=\w)")
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

    def of(self, sort: str, name: str) -> int:
        """The number of a name of that sort."""
        return self.number({"person": self.persons, "object": self.objects, "place": self.places}[sort], name)


class _Form(NamedTuple):
    """A pattern with the sort of each of its roles; `pronoun` says that it is a pronoun sentence by its form."""

    kind: int
    pattern: re.Pattern[str]
    sorts: dict[str, str]
    pronoun: bool = False


class _Match(NamedTuple):
    form: _Form
    fields: dict[str, str]
    pronoun: bool


class Parser:
    """Reads the sentences of one story after the other.

    Names are open in languages whose nouns have one form (any word may be a place); where nouns have cases or
    articles, the vocabulary's forms are the ones that are read.

    Args:
        vocabulary: The words and forms.
        world: The world's programs, for events and questions of a recipe's own.
    """

    def __init__(self, vocabulary: Vocabulary = DYNA, world: WorldProgram = PAPER_WORLD) -> None:
        self._words = vocabulary
        self.world = world
        templates = vocabulary.templates
        self._plural = vocabulary.plural.casefold()
        self._pronouns = {pronoun.casefold() for pronoun in vocabulary.persons.values()} | {self._plural}
        self._plain_forms = {
            text.casefold(): noun
            for noun in (*vocabulary.objects, *vocabulary.places)
            for text in vocabulary.every_form(noun)
        }
        # The vocabulary's own names first: they may hold digits, dots or several words, and tell apart what is asked
        # in the same words of people and objects.
        self._forms: tuple[list[_Form], ...] = ()
        self._asked: list[_Form] = []
        for self._open in (False, True):
            self._forms += ([*self._again_forms(), *self._event_forms()],)
            self._asked += self._question_forms()
        openers = "|".join(re.escape(opener) for opener in sorted(vocabulary.openers, key=len, reverse=True))
        before, _, after = templates.again.partition("{opener}")
        middle, _, end = after.partition("{sentence}")
        self._again = re.compile(
            f"{re.escape(before)}(?:{openers}),?{re.escape(middle)}(?P<sentence>.+){re.escape(end)}", re.IGNORECASE
        )
        self._seen: dict[str, _Match | None] = {}

    # -- patterns ---------------------------------------------------------------------------------------------

    def _verbs(self, kind: int) -> tuple[str, ...]:
        words = self._words
        known = {
            MOVE: words.move,
            CONJ: words.move_plural or words.move,
            GRAB: words.grab,
            DROP: words.drop,
            GIVE: words.give,
            NEGATE: words.negate,
            LEFT: words.left_words(),
        }
        return (*known.get(kind, ()), *_MORE_VERBS.get(kind, ()))

    def _event_forms(self) -> list[_Form]:
        templates, world = self._words.templates, self.world
        found = []
        for kind in (CONJ, MOVE, GRAB, DROP, GIVE, AFFIRM, NEGATE, LEFT, INDEF):
            sorts = dict(zip(world.events[kind].roles, world.events[kind].sorts, strict=True))
            for text in (getattr(templates, KINDS[kind]) or templates.negate, *_MORE_FORMS.get(kind, ())):
                found.append(self._form(kind, text, self._verbs(kind), sorts))
        for kind in range(len(KINDS), len(world.events)):
            sorts = dict(zip(world.events[kind].roles, world.events[kind].sorts, strict=True))
            found.append(self._form(kind, world.events[kind].text, world.events[kind].verbs, sorts))
        return found

    def _again_forms(self) -> list[_Form]:
        """Pronoun sentences with an order of words of their own; those about two people first, their verbs tell."""
        found = []
        for kind in (CONJ, MOVE, GRAB, DROP):
            text = getattr(self._words.templates, f"again_{KINDS[kind]}")
            if text:
                sorts = {"person": "person", "place": "place", "object": "object"}
                found.append(self._form(kind, text, self._verbs(kind), sorts, pronoun=True))
        return found

    def _question_forms(self) -> list[_Form]:
        templates = self._words.templates
        return [
            *(
                self._form(kind, text, (), {role: _sort(role) for role in ASKED_ROLES[kind]})
                for kind in (WHERE_WAS, *(kind for kind in ASKED_ROLES if kind != WHERE_WAS))
                for text in (getattr(templates, QUESTION_KINDS[kind].replace("-", "_")), *_MORE_QUESTIONS.get(kind, ()))
            ),
            *(
                self._form(len(QUESTION_KINDS) + number, asked.text, (), dict(asked.roles))
                for number, (_, asked) in enumerate(self.world.questions)
            ),
        ]

    def _form(
        self, kind: int, text: str, verbs: tuple[str, ...], sorts: dict[str, str], *, pronoun: bool = False
    ) -> _Form:
        """A pattern that reads what a template writes."""
        alternatives = [self._pattern(text, verb, sorts) for verb in sorted(verbs, key=len, reverse=True) or ("",)]
        if len(alternatives) > 1 and "{tail}" not in text:
            choice = "|".join(re.escape(verb) for verb in sorted(verbs, key=len, reverse=True))
            alternatives = [self._pattern(text, None, sorts, choice)]
        # Groups cannot be named twice in one pattern, so verbs of two parts get numbered groups.
        joined = "|".join(_renumbered(pattern, place) for place, pattern in enumerate(alternatives))
        return _Form(kind, re.compile(joined), sorts, pronoun)

    def _pattern(self, text: str, verb: str | None, sorts: dict[str, str], choice: str = "") -> str:
        head, _, tail = (verb or "").partition(" … ")
        pattern, seen = "", set()
        for before, field, form in template_parts(text, "text"):
            pattern += re.escape(before)
            if field == "verb":
                pattern += f"(?:{choice})" if verb is None else re.escape(head)
            elif field == "tail":
                pattern += re.escape(f" {tail}") if tail else ""
            elif field == "and":
                words = self._words
                joins = {words.conjunction, *words.conjunction_before.values()}
                pattern += f"(?:{'|'.join(map(re.escape, sorted(joins)))})"
            elif field == "opener":
                openers = sorted(self._words.openers, key=len, reverse=True)
                pattern += f"(?:{'|'.join(map(re.escape, openers))}),?"
            elif field in seen:
                pattern += f"(?:{self._noun(sorts.get(field, field), form)})"
            elif field:
                seen.add(field)
                pattern += f"(?P<{field}>{self._noun(sorts.get(field, field), form)})"
        return pattern

    def _noun(self, sort: str, form: str) -> str:
        if self._open and not form:
            return _NAME if sort == "person" else _NOUN
        words = self._words
        if sort == "person":
            names = [*words.persons, *self._pronouns, *map(str.capitalize, self._pronouns)]
        else:
            names = [words.shown(name, form) for name in (words.objects if sort == "object" else words.places)]
        return "|".join(re.escape(text) for text in sorted(names, key=lambda name: (-len(name), name)))

    # -- reading ----------------------------------------------------------------------------------------------

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
            raise UserError(f"this is not a sentence of the story world: {text!r}")
        form, fields, pronoun = match
        if not pronoun:
            return self._number(form, fields, names)
        if before is None:
            raise UserError(f"nobody is named before the pronoun in {text!r}")
        if form.kind == CONJ or (fields.get("person", "").casefold() == self._plural and not form.pronoun):
            if before.kind != CONJ or form.kind not in (MOVE, CONJ):
                raise UserError(f"no two people act together before {text!r}")
            return Sentence(CONJ, before.first, before.second, names.of("place", self._plain(fields["place"])), True)
        # The pronoun itself must not become a person, so the subject's own name is filled in.
        subject = next(name for name, number in names.persons.items() if number == before.first)
        return self._number(form, {**fields, "person": subject}, names)._replace(pronoun=True)

    def _match(self, text: str) -> _Match | None:
        known, anything = self._forms
        plain = text.strip()
        bare = _THERE.sub(".", plain)
        return self._read(plain, known) or self._read(bare, known) or self._read(bare, anything)

    def _read(self, plain: str, forms: list[_Form]) -> _Match | None:
        inner = self._again.fullmatch(plain)
        then = _THEN.match(plain)
        if then and then[1].casefold() in self._pronouns:
            plain, inner = f"{then[1]} {plain[then.end() :]}", None
        for form in forms:
            again = inner is not None and not form.pronoun
            found = form.pattern.fullmatch(inner["sentence"] if again and inner else plain)
            if found:
                fields = _fields(found)
                pronoun = form.pronoun or fields["person"].casefold() in self._pronouns
                if pronoun or not again:
                    return _Match(form, fields, pronoun)
        return None

    def _plain(self, text: str) -> str:
        """The noun that a form belongs to; a word that is no form stands for itself."""
        return self._plain_forms.get(text.casefold(), text)

    def _number(self, form: _Form, fields: dict[str, str], names: Names) -> Sentence:
        event = self.world.events[form.kind]
        numbers = [
            names.of(sort, fields[role] if sort == "person" else self._plain(fields[role]))
            for role, sort in zip(event.roles, event.sorts, strict=True)
        ]
        first, second, third, fourth = (*numbers, -1, -1, -1)[:4]
        return Sentence(form.kind, first, second, third, False, fourth)

    def question(self, text: str, names: Names) -> Question:
        """Read one question.

        Raises:
            UserError: The question is none of the story world's.
        """
        stripped = _LAST.sub("?", text.strip())
        for form in self._asked:
            found = form.pattern.fullmatch(stripped)
            if found:
                fields = _fields(found)
                order = ASKED_ROLES.get(form.kind, tuple(form.sorts))
                numbers = (
                    names.of(
                        form.sorts[role], fields[role] if form.sorts[role] == "person" else self._plain(fields[role])
                    )
                    for role in order
                )
                return Question(form.kind, *numbers)
        raise UserError(f"this is not a question of the story world: {text!r}")


def _sort(role: str) -> str:
    return {"other": "person"}.get(role, role)


def _renumbered(pattern: str, place: int) -> str:
    return re.sub(r"\(\?P<(\w+?)>", rf"(?P<\1__{place}>", pattern)


def _fields(found: re.Match[str]) -> dict[str, str]:
    return {name.partition("__")[0]: text for name, text in found.groupdict().items() if text is not None}


def check_words(recipe: CustomRecipe, words: Vocabulary, world: WorldProgram, where: str) -> None:
    """Refuse events and questions of the recipe's own that cannot be said or read like others.

    Raises:
        UserError: Two could be said in the same words, or the vocabulary lacks a form of a noun.
    """
    where = f"{where}: world"
    if recipe.language != "en" and words != recipe.vocabulary:
        raise UserError(
            "custom events have words in only one language",
            where=where,
            hint="leave language out, or give the whole vocabulary in the language of your events",
        )
    for own, record in recipe.world.events.items():
        _check_forms(f"the event {own!r}", record.text, dict(record.roles), words, where)
    for asked, question in recipe.world.questions.items():
        _check_forms(f"the question {asked!r}", question.text, dict(question.roles), words, where)
    renderer, parser = Renderer(words, world), Parser(words, world)
    sizes = {"person": len(words.persons), "object": len(words.objects), "place": len(words.places)}
    for kind, event in enumerate(world.events):
        _check_event(kind, event, renderer, parser, sizes, where)
    for number, (name, question) in enumerate(world.questions):
        seen: Counter[str] = Counter()
        first, second = (*_different(tuple(question.roles.values()), seen, sizes), -1)[:2]
        kind = len(QUESTION_KINDS) + number
        text = renderer.question(Question(kind, first, second))
        found = parser.question(text, Names()).kind
        if found != kind:
            other = world.questions[found - len(QUESTION_KINDS)][0] if found >= len(QUESTION_KINDS) else ""
            other = other or QUESTION_KINDS[found]
            raise UserError(f"the questions {name!r} and {other!r} would have the same text: {text!r}", where=where)


def _check_forms(what: str, text: str, sorts: dict[str, str], words: Vocabulary, where: str) -> None:
    for _, field, form in template_parts(text, "text"):
        if not form:
            continue
        nouns = {"object": words.objects, "place": words.places}.get(sorts.get(field, ""))
        if nouns is None:
            raise UserError(f"{what}: only objects and places have forms, not {field!r}", where=where)
        for noun in nouns:
            if form not in words.forms.get(noun, {}):
                raise UserError(
                    f"{what} needs the form {form!r} of {noun!r}", where=where, hint="add it to vocabulary.forms"
                )


def _different(sorts: tuple[str, ...], seen: Counter[str], sizes: dict[str, int]) -> list[int]:
    """A number for each role, all different as far as there are names."""
    roles = []
    for sort in sorts:
        roles.append(min(seen[sort], sizes[sort] - 1))
        seen[sort] += 1
    return roles


def _check_event(
    kind: int, event: Program, renderer: Renderer, parser: Parser, sizes: dict[str, int], where: str
) -> None:
    seen: Counter[str] = Counter()
    said = sentence_of(kind, _different(event.sorts, seen, sizes))
    for sort, count in seen.items():
        if kind >= len(KINDS) and count > sizes[sort]:
            raise UserError(
                f"the event {event.name!r} takes {count} {sort}s, and the vocabulary has {sizes[sort]}", where=where
            )
    for text in renderer.forms(said):
        names = Names()
        try:
            found = parser.sentence(text, names, None)
        except UserError as problem:
            raise UserError(f"{event.name} cannot be read: {problem.message}", where=where) from None
        if found.kind != kind:
            other = parser.world.events[found.kind].name
            raise UserError(f"{event.name} and {other} would have the same text: {text!r}", where=where)
        if _named(found, event, names) != _spoken(said, event, renderer):
            raise UserError(f"{event.name}: a reader cannot tell the roles apart in {text!r}", where=where)


def _roles(sentence: Sentence, event: Program) -> list[tuple[str, int]]:
    numbers = (sentence.first, sentence.second, sentence.third, sentence.fourth)
    return list(zip(event.sorts, numbers, strict=False))


def _named(sentence: Sentence, event: Program, names: Names) -> list[str]:
    """Who and what a sentence that was read is about."""
    known = {"person": list(names.persons), "object": list(names.objects), "place": list(names.places)}
    return [known[sort][number] for sort, number in _roles(sentence, event)]


def _spoken(sentence: Sentence, event: Program, renderer: Renderer) -> list[str]:
    """Who and what a sentence that is said is about."""
    known = {"person": renderer.persons, "object": renderer.objects, "place": renderer.places}
    return [known[sort][number] for sort, number in _roles(sentence, event)]
