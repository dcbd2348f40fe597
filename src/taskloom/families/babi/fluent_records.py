"""The records of a world of any sorts, and how it is said and read in its languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import Count, Recipe
from taskloom.core.decode import read_toml
from taskloom.families.babi.fluents import Happening
from taskloom.families.babi.mentions import Weight
from taskloom.families.babi.recipe import SpokenRecipe, check_range
from taskloom.families.babi.vocabulary import template_parts

Template = list[tuple[str, str, str]]
"""A text as (text before, role, form); the last has no role."""


class FluentRecord(Recipe, frozen=True):
    """Something that changes: `of` the sorts of its arguments, the sort of its `value` (or number, or position).

    Attributes:
        of: Sorts of the arguments.
        value: A sort, "number" or "position".
        initially: Its value before the first sentence; unknown if empty. A word that is no thing stands for none.
    """

    of: tuple[str, ...]
    value: str
    initially: str = ""


class FluentEvent(Recipe, frozen=True):
    """One kind of event.

    Attributes:
        roles: Who and what takes part: role -> sort. Roles of one sort are different things.
        text: Language -> how it is said, `{role}` or `{role:form}` for each role; "(a|b)" are words to choose from.
        needs: What must be known to hold before.
        sets: "fluent[role] = value", with "for variable: sort" and "if condition" where needed.
        learns: The same for positions that the event does not change but tells.
        weight: How often it happens, relative to the others.
    """

    roles: dict[str, str]
    text: dict[str, str]
    needs: str = ""
    sets: tuple[str, ...] = ()
    learns: tuple[str, ...] = ()
    weight: Weight = 1.0


class FluentQuestion(Recipe, frozen=True):
    """One kind of question.

    Attributes:
        roles: What it is about, up to four things: role -> sort.
        text: Language -> the question.
        answer: What it asks for, as an expression.
        ask: Language -> what the instruction says of the answer.
        needs: What must hold for it to be asked.
        marks: Name -> a condition that counts as a part of what the answer needs ("false-belief"). Rows with and
            without it take turns.
        share: How often it is asked, relative to the others.
    """

    roles: dict[str, str]
    text: dict[str, str]
    answer: str
    ask: dict[str, str]
    needs: str = ""
    marks: dict[str, str] = {}
    share: Weight = 1.0

    def __post_init__(self) -> None:
        if not 1 <= len(self.roles) <= 4:
            raise ValueError(f"a question is about one to four things, not {len(self.roles)}")


class FluentRecipe(SpokenRecipe, frozen=True):
    """A world and the sizes of its splits.

    Attributes:
        train, dev, test: Sizes in questions.
        language: The language of the stories, one that the world has texts in, by its code or name.
        length: Minimum and maximum number of sentences.
        support: Minimum and maximum number of supporting sentences; every size is as frequent as the stories allow.
        sorts: Sort -> its things; a table where things stand for numbers (left = [-1, 0]); a string "a | b" takes sorts
            together.
        fluents, events, questions: The world.
        about: Language -> what every instruction says about the world.
        cases: Language -> names of the forms that words have besides the first.
        words: Language -> thing -> the word for it, or a list of its forms: the word, then one for each case.
    """

    train: Count = 1_000
    dev: Count = 200
    test: Count = 500
    language: str = "en"
    length: tuple[int, int] = (8, 12)
    support: tuple[int, int] = (1, 6)
    sorts: dict[str, str | tuple[str, ...] | dict[str, tuple[int, ...]]] = {}
    fluents: dict[str, FluentRecord] = {}
    events: dict[str, FluentEvent] = {}
    questions: dict[str, FluentQuestion] = {}
    about: dict[str, str] = {}
    cases: dict[str, tuple[str, ...]] = {}
    words: dict[str, dict[str, str | tuple[str, ...]]] = {}

    def __post_init__(self) -> None:
        super().__post_init__()
        check_range("length", self.length, 1)
        check_range("support", self.support, 1)
        if not (self.sorts and self.fluents and self.events and self.questions):
            raise ValueError("a world has sorts, fluents, events and questions")


def shipped(name: str) -> FluentRecipe:
    """The world of that name that comes with the family."""
    folder = Path(__file__).with_name("fluent_worlds")
    data = read_toml(folder / f"{name}.toml")
    for file in folder.glob(f"{name}.*.toml"):
        _merge(data, read_toml(file))
    return msgspec.convert(data, type=FluentRecipe)


def _merge(data: dict[str, Any], more: Mapping[str, Any]) -> None:
    for key, value in more.items():
        if isinstance(value, dict) and isinstance(data.get(key), dict):
            _merge(data[key], value)
        else:
            data[key] = value


class FluentTexts:
    """How a world is said in one language, and read back.

    Args:
        recipe: The world.
        sorts: Sort -> things.
        code: The language.

    Raises:
        ValueError: A text or a word is missing, or a text leaves a role out.
    """

    def __init__(self, recipe: FluentRecipe, sorts: Mapping[str, Sequence[str]], code: str) -> None:
        self._recipe, self._sorts, self.code = recipe, sorts, code
        self.variants = {
            name: self._variants(f"the event {name!r}", event.text, event.roles)
            for name, event in recipe.events.items()
        }
        self.questions = {
            name: self._variants(f"the question {name!r}", asked.text, asked.roles)
            for name, asked in recipe.questions.items()
        }

    def _variants(self, what: str, text: Mapping[str, str], roles: Mapping[str, str]) -> list[Template]:
        if self.code not in text:
            raise ValueError(f"{what} has no text in {self.code!r}; it has {', '.join(text)}")
        parts = re.split(r"\(([^()]*\|[^()]*)\)", text[self.code])
        choices = [part.split("|") if place % 2 else [part] for place, part in enumerate(parts)]
        found = [template_parts("".join(chosen), what) for chosen in product(*choices)]
        fields = [field for _, field, _ in found[0] if field]
        for field in fields:
            if field not in roles:
                raise ValueError(f"{what}: the text has {{{field}}}, which is not one of its roles")
        for needed in roles:
            if fields.count(needed) != 1:
                raise ValueError(f"gap: {what} does not say {needed!r} once in {self.code!r}")
        for _, role, form in (part for variant in found for part in variant):
            for thing in self._sorts[roles[role]] if role else ():
                self.word(thing, form)
        return found

    def word(self, thing: str, form: str = "") -> str:
        """A thing in words."""
        given = self._recipe.words.get(self.code, {}).get(thing, thing)
        forms = (given,) if isinstance(given, str) else given
        cases = ("", *self._recipe.cases.get(self.code, ()))
        if form not in cases or cases.index(form) >= len(forms):
            raise ValueError(f"gap: {thing!r} has no form {form!r} in {self.code!r}; add it to words.{self.code}")
        return forms[cases.index(form)]

    def forms(self, thing: str) -> tuple[str, ...]:
        """Every form of a thing, the plain one first."""
        given = self._recipe.words.get(self.code, {}).get(thing, thing)
        return (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))

    def fill(self, variant: Template, roles: Iterable[str], things: Sequence[str]) -> str:
        """A sentence."""
        env = dict(zip(roles, things, strict=True))
        said = "".join(before + (self.word(env[field], form) if field else "") for before, field, form in variant)
        return said[:1].upper() + said[1:]

    def say(self, happening: Happening, number: int) -> str:
        """An event in words; the number chooses among them."""
        variants = self.variants[happening.event]
        return self.fill(variants[number % len(variants)], self._recipe.events[happening.event].roles, happening.things)

    @cached_property
    def _patterns(self) -> list[tuple[re.Pattern[str], str, Mapping[str, str]]]:
        found: list[tuple[re.Pattern[str], str, Mapping[str, str]]] = []
        for name, variants in self.variants.items():
            roles = self._recipe.events[name].roles
            for variant in variants:
                pattern = "".join(
                    re.escape(before) + (f"(?P<{field}>{self._any(roles[field], form)})" if field else "")
                    for before, field, form in variant
                )
                found.append((re.compile(pattern, re.IGNORECASE), name, roles))
        return found

    def _any(self, sort: str, form: str) -> str:
        return "|".join(re.escape(self.word(thing, form)) for thing in self._sorts[sort])

    def read(self, sentence: str) -> set[Happening]:
        """Every reading of a sentence."""
        found = set()
        for pattern, name, roles in self._patterns:
            match = pattern.fullmatch(sentence)
            if match is not None:
                said = {role: match[role].casefold() for role in roles}
                options = [
                    [thing for thing in self._sorts[sort] if said[role] in map(str.casefold, self.forms(thing))]
                    for role, sort in roles.items()
                ]
                found |= {Happening(name, things) for things in product(*options)}
        return found
