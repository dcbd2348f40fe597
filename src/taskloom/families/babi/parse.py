"""From text to sentences and questions: reads the original bAbI data, the reference kit's, and our own.

Names are an open set: any word in a person's position becomes a person. The verbs, openers and sentence
forms are those of a vocabulary, widened by the forms found in other releases of the data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from msgspec.structs import replace

from taskloom.core import UserError
from taskloom.families.babi import kinds
from taskloom.families.babi.instances import Piece, Renderer
from taskloom.families.babi.kinds import Question, Sentence
from taskloom.families.babi.recipe import CustomRecipe
from taskloom.families.babi.scene import sentence_of
from taskloom.families.babi.vocabulary import DYNA, Vocabulary
from taskloom.families.babi.worlds import PAPER_WORLD, Program, WorldProgram

if TYPE_CHECKING:
    from taskloom.families.babi.prose import ProseReader

_ELSEWHERE = replace(
    DYNA,
    drop=(*DYNA.drop, "let go of"),
    templates=replace(
        DYNA.templates,
        give="{person} {verb} {other} the {object}.",
        indef="{person} is either in the {place} or in the {place2}.",
        list="What is {person} holding?",
        counting="How many objects is {person} holding?",
    ),
)
"""What other releases of the data say, where they say it otherwise."""
_VERB, _OPENER = "\0", "\1"
# "She then went to the garden." (the original generator) is "Then she went to the garden."
_THEN = re.compile(r"^(\w+) then (?=\w)")
# "there" adds nothing but confusion: it names the place the object is at anyway.
_THERE = re.compile(r" there\.$")
# The latest gift counts anyway.
_LAST = re.compile(r" last\?$")
_NAME = r"[^\W\d_][\w'’-]*"
_NOUN = rf"{_NAME}(?: {_NAME})*?"


class Names:
    """Numbers for names, in order of appearance, by their sort."""

    def __init__(self) -> None:
        self.persons: dict[str, int] = {}
        self.objects: dict[str, int] = {}
        self.places: dict[str, int] = {}
        self.sorts = {"person": self.persons, "object": self.objects, "place": self.places}

    def of(self, sort: str, name: str) -> int:
        """The number of a name of that sort, a new one where it was not known."""
        known = self.sorts[sort]
        return known.setdefault(name, len(known))


class _Form(NamedTuple):
    """A pattern whose groups are named after the positions of a sentence's (or question's) roles."""

    kind: int
    pattern: re.Pattern[str]
    pronoun: bool = False


class Parser:
    """Reads the sentences of one story after the other.

    Patterns are made of what the renderer would say. Names are open in languages whose nouns have one form (any word
    may be a place); where nouns have cases or articles, the vocabulary's forms are the ones that are read.

    Args:
        vocabulary: The words and forms.
        world: The world's programs, for events and questions of a recipe's own.
    """

    def __init__(self, vocabulary: Vocabulary = DYNA, world: WorldProgram = PAPER_WORLD) -> None:
        self._words, self.world = vocabulary, world
        self._plural = vocabulary.plural.casefold()
        self._pronouns = {pronoun.casefold() for pronoun in vocabulary.persons.values()} | {self._plural}
        self._opened = re.compile(f"(?:{_any(vocabulary.openers)}),? ", re.IGNORECASE)
        self._plain_forms = {
            text.casefold(): noun
            for noun in (*vocabulary.objects, *vocabulary.places)
            for text in vocabulary.every_form(noun)
        }
        # The vocabulary's own names first: they may hold digits, dots or several words, and tell apart what is asked
        # in the same words of people and objects.
        renderers = (Renderer(vocabulary, world), Renderer(_ELSEWHERE, world))
        events = (kinds.CONJ, *(kind for kind in range(len(world.events)) if kind != kinds.CONJ))
        asked = (kinds.WHERE_WAS, *(kind for kind in range(len(world.questions)) if kind != kinds.WHERE_WAS))
        self._forms, self._asked = [], []
        for open_names in (False, True):
            self._forms.append(
                [
                    _Form(kind, self._sentence(kind, pronoun, each, open_names), pronoun)
                    for pronoun in (True, False)
                    for kind in events
                    for each in renderers
                ]
            )
            for kind in asked:
                for each in renderers:
                    pattern = self.pattern(each.asked(kind), each, world.questions[kind].sorts, open_names)
                    self._asked.append(_Form(kind, re.compile(pattern)))
        self._known = cache(self._read_known)
        self._any = cache(
            lambda text: self._known(text) or self._read(_THERE.sub(".", text.strip()), self._forms[True])
        )
        self._prose: ProseReader | Literal[False] | None = False
        """What reads freer forms, once one is met; None where the language has none."""

    # -- patterns ---------------------------------------------------------------------------------------------

    def _sentence(self, kind: int, pronoun: bool, renderer: Renderer, open_names: bool) -> re.Pattern[str]:
        """What reads a kind of sentence with any of its verbs."""
        verbs, sorts = renderer.verbs[kind], self.world.events[kind].sorts
        whole = all(" … " not in verb for verb in verbs)
        patterns = [
            self.pattern(renderer.pieces(kind, pronoun, verb, _OPENER), renderer, sorts, open_names)
            for verb in ((_VERB,) if whole else verbs)
        ]
        opener = f"(?:(?i:{_any(renderer.vocabulary.openers)}),?"
        joined = "|".join(_renumbered(pattern, place) for place, pattern in enumerate(patterns))
        return re.compile(
            joined.replace(_VERB, f"(?:{_any(verbs)})")
            .replace(f"{_OPENER}\\ ", f"{opener} )?")
            .replace(_OPENER, f"{opener})")
        )

    def pattern(
        self, pieces: Iterable[Piece], renderer: Renderer, sorts: Sequence[str], open_names: bool = False
    ) -> str:
        """What reads a text of these pieces."""
        pattern, seen = "", set()
        for part, names in pieces:
            if names is None:
                pattern += re.escape(part)
            elif names is renderer.pronouns:
                pattern += f"(?P<r0>(?i:{_any(self._pronouns)}))"
            elif sorts[part] == "person" and names is not renderer.persons:
                pattern += f"(?:{_any(names)})"  # what joins two people
            else:
                plain = open_names and names is renderer.names[sorts[part]]
                noun = (_NAME if sorts[part] == "person" else _NOUN) if plain else _any(names)
                pattern += f"(?:{noun})" if part in seen else f"(?P<r{part}>{noun})"
                seen.add(part)
        return pattern

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
        match = self._any(text)
        if match is None:
            raise UserError(f"this is not a sentence of the story world: {text!r}")
        (kind, _, pronoun), fields = match
        if not pronoun:
            return self.told(kind, fields, names)
        if before is None:
            raise UserError(f"nobody is named before the pronoun in {text!r}")
        if kind == kinds.CONJ or (fields.get(0, "").casefold() == self._plural and before.kind == kinds.CONJ):
            if before.kind != kinds.CONJ or kind != kinds.CONJ:
                raise UserError(f"no two people act together before {text!r}")
            return Sentence(kinds.CONJ, before.first, before.second, names.of("place", self._plain(fields[2])), True)
        # The pronoun itself must not become a person, so the subject's own name is filled in.
        subject = next(name for name, number in names.persons.items() if number == before.first)
        return self.told(kind, {**fields, 0: subject}, names)._replace(pronoun=True)

    def reads(self, text: str) -> bool:
        """Whether a text is a plain sentence of the vocabulary's own names."""
        return self._known(text) is not None

    def told(self, kind: int, fields: dict[int, str], names: Names) -> Sentence:
        """The sentence of a kind whose roles have these names."""
        return sentence_of(kind, self._numbers(self.world.events[kind].sorts, fields, names))

    def story(self, texts: Sequence[str], names: Names) -> list[Sentence]:
        """What the sentences of a text tell, in freer forms as well.

        Raises:
            UserError: A sentence is none of the story world's.
        """
        found: list[Sentence] = []
        number = 0
        while number < len(texts):
            before = found[-1] if found else None
            read = None if self.reads(texts[number]) else self._freely(texts, number, names, before)
            events, taken = read or ([self.sentence(texts[number], names, before)], 1)
            found += events
            number += taken
        return found

    def _freely(
        self, texts: Sequence[str], number: int, names: Names, before: Sentence | None
    ) -> tuple[list[Sentence], int] | None:
        if self._prose is False:
            from taskloom.families.babi.prose import ProseReader, forms_of  # which most texts do without

            forms = forms_of(self._words)
            self._prose = ProseReader(self, Renderer(self._words, self.world), forms) if forms else None
        return self._prose.read(texts, number, names, before) if self._prose else None

    def _read_known(self, text: str) -> tuple[_Form, dict[int, str]] | None:
        """What reads a sentence of the vocabulary's own names."""
        plain, known = text.strip(), self._forms[False]
        return self._read(plain, known) or self._read(_THERE.sub(".", plain), known)

    def _read(self, plain: str, forms: list[_Form]) -> tuple[_Form, dict[int, str]] | None:
        then = _THEN.match(plain)
        if then and then[1].casefold() in self._pronouns:
            plain = f"{then[1]} {plain[then.end() :]}"
        opened = self._opened.match(plain)  # then somebody is named by a pronoun
        for form in forms:
            found = form.pattern.fullmatch(plain) if form.pronoun or not opened else None
            if found and (form.pronoun or _fields(found)[0].casefold() not in self._pronouns):
                return form, _fields(found)
        return None

    def _plain(self, text: str) -> str:
        """The noun that a form belongs to; a word that is no form stands for itself."""
        return self._plain_forms.get(text.casefold(), text)

    def _numbers(self, sorts: Sequence[str], fields: dict[int, str], names: Names) -> list[int]:
        return [
            names.of(sort, fields[position] if sort == "person" else self._plain(fields[position]))
            for position, sort in enumerate(sorts)
        ]

    def question(self, text: str, names: Names) -> Question:
        """Read one question.

        Raises:
            UserError: The question is none of the story world's.
        """
        stripped = _LAST.sub("?", text.strip())
        for kind, pattern, _ in self._asked:
            found = pattern.fullmatch(stripped)
            if found:
                return Question(kind, *self._numbers(self.world.questions[kind].sorts, _fields(found), names))
        raise UserError(f"this is not a question of the story world: {text!r}")


def _any(words: Iterable[str]) -> str:
    """A pattern for one of these words, the longest first."""
    return "|".join(re.escape(word) for word in sorted(set(words), key=lambda word: (-len(word), word)))


def _renumbered(pattern: str, place: int) -> str:
    """Groups cannot be named twice in one pattern, so verbs of two parts get numbered groups."""
    return re.sub(r"\(\?P<(\w+?)>", rf"(?P<\1__{place}>", pattern)


def _fields(found: re.Match[str]) -> dict[int, str]:
    return {int(name[1:].partition("__")[0]): text for name, text in found.groupdict().items() if text is not None}


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
    named = {f"the event {name!r}": event for name, event in recipe.world.events.items()}
    for what, record in (
        named | {f"the question {name!r}": asked for name, asked in recipe.world.questions.items()}
    ).items():
        try:
            words.check_forms(what, record.text, record.roles)
        except ValueError as problem:
            raise UserError(str(problem), where=where) from None
    renderer, parser = Renderer(words, world), Parser(words, world)
    sizes = {"person": len(words.persons), "object": len(words.objects), "place": len(words.places)}
    for kind, event in enumerate(world.events):
        _check_event(kind, event, renderer, parser, sizes, where)
    for kind, question in list(enumerate(world.questions))[len(kinds.QUESTION_KINDS) :]:
        text = renderer.question(Question(kind, *_different(question.sorts, Counter(), sizes)))
        other = world.questions[parser.question(text, Names()).kind].name
        if other != question.name:
            raise UserError(
                f"the questions {question.name!r} and {other!r} would have the same text: {text!r}", where=where
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
        if kind >= len(kinds.KINDS) and count > sizes[sort]:
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
        if _about(found, event, names.sorts) != _about(said, event, renderer.names):
            raise UserError(f"{event.name}: a reader cannot tell the roles apart in {text!r}", where=where)


def _about(sentence: Sentence, event: Program, names: Mapping[str, Iterable[str]]) -> list[str]:
    """Who and what a sentence is about, by the names of each sort."""
    return [list(names[sort])[number] for sort, number in zip(event.sorts, sentence.roles, strict=False)]
