"""The words of the story world. All of it is recipe: rename people, add places, translate every sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

import msgspec
from msgspec.structs import replace

from taskloom.core import Recipe, Share, UserError, ensure_known
from taskloom.core.decode import read_toml
from taskloom.core.definition import Definition

if TYPE_CHECKING:
    from taskloom.families.babi.concepts import Concepts

PRONOUN = "pro"
"""The form of a noun that is the pronoun for it; others may share it."""

_FIELD = re.compile(r"\{([^{}]*)\}")
_NAME = re.compile(r"([a-z][a-z0-9_]*)(?::([a-z]+))?")


def template_parts(text: str, what: str) -> list[tuple[str, str, str]]:
    """A template as (text before, field, form) triples; the last one has no field.

    Raises:
        ValueError: A brace without its partner, or a name that is none (`{person.name}`, `{0}`, `{}`).
    """
    rest = _FIELD.sub("", text)
    if "{" in rest or "}" in rest:
        raise ValueError(f"the template {what!r} has an unmatched brace: {text!r}")
    parts, start = [], 0
    for match in _FIELD.finditer(text):
        name = _NAME.fullmatch(match[1])
        if name is None:
            raise ValueError(f"the template {what!r} has {match[0]}, which is not a field: {text!r}")
        parts.append((text[start : match.start()], name[1], name[2] or ""))
        start = match.end()
    return [*parts, (text[start:], "", "")]


def fields_in(text: str, what: str) -> list[str]:
    """The fields of a template."""
    return [field for _, field, _ in template_parts(text, what) if field]


def _with_verb(template: str, verb: str) -> str:
    head, _, tail = verb.partition(" … ")
    return template.replace("{verb}", head).replace("{tail}", f" {tail}" if tail else "")


def refuse_twins(key: str, names: Iterable[str]) -> None:
    """Refuse words that differ in case alone, or not at all."""
    seen: dict[str, str] = {}
    for name in names:
        twin = seen.get(name.casefold())
        if twin is not None:
            raise ValueError(f"{key} holds {twin!r} and {name!r}, which a reader cannot tell apart")
        seen[name.casefold()] = name


def refuse_blanks(key: str, names: Iterable[str]) -> None:
    """Refuse words that are empty or could not stand in a line of text."""
    for name in names:
        if not name.strip() or name != name.strip() or re.search(r"[\t\r\n\v\f\x85\u2028\u2029{}]", name):
            raise ValueError(
                f"{key} contains {name!r}, which is not a word: it is empty, or has surrounding spaces, tabs, line "
                "breaks or braces"
            )


def refuse_odd_text(what: str, text: str) -> None:
    """Refuse a template that is no line of text."""
    if not text.strip() or re.search(r"[\t\r\n\v\f\x85\u2028\u2029]", text):
        raise ValueError(f"{what} is empty or contains tabs or line breaks: {text!r}")


class Templates(Recipe, frozen=True):
    """The surface forms. `{person}`, `{other}`, `{object}`, `{place}`, `{place2}` and `{verb}` are filled in.

    `{object:acc}` is a form of the noun that the vocabulary lists under `forms` (a case, or a noun with its article or
    preposition). A verb of two parts ("hob … auf") puts the second where `{tail}` stands. A pronoun sentence is `again`
    around the ordinary form with the pronoun for the person, or a form of its own (`again_move` and so on) where the
    order of words changes or the pronoun is dropped; the second sentence of a compound uses `again_conj`. `left` ("is
    no longer in") is `negate` if it is empty.
    """

    move: str = "{person} {verb} to the {place}."
    grab: str = "{person} {verb} the {object}."
    drop: str = "{person} {verb} the {object}."
    give: str = "{person} {verb} the {object} to {other}."
    conj: str = "{person} and {other} {verb} to the {place}."
    affirm: str = "{person} is in the {place}."
    negate: str = "{person} is {verb} in the {place}."
    left: str = ""
    indef: str = "{person} is either in the {place} or the {place2}."
    again: str = "{opener} {sentence}"
    again_move: str = ""
    again_grab: str = ""
    again_drop: str = ""
    again_conj: str = ""
    where_person: str = "Where is {person}?"
    where_object: str = "Where is the {object}?"
    where_was_object: str = "Where was the {object} before the {place}?"
    yes_no: str = "Is {person} in the {place}?"
    list: str = "What is {person} carrying?"
    counting: str = "How many objects is {person} carrying?"
    gave_to: str = "Who gave the {object} to {other}?"
    gave: str = "Who gave the {object}?"
    received: str = "Who received the {object}?"
    who_give: str = "Who did {person} give the {object} to?"
    what_give: str = "What did {person} give to {other}?"

    def __post_init__(self) -> None:
        for name in self.__struct_fields__:
            text = getattr(self, name)
            if not text and (name.startswith("again_") or name == "left"):
                continue
            refuse_odd_text(f"the template {name!r}", text)
            found, (needed, allowed) = fields_in(text, name), self._fields(name)
            for field in found:
                if field not in (*needed, *allowed):
                    known = ", ".join(f"{{{each}}}" for each in (*needed, *allowed))
                    raise ValueError(f"the template {name!r} has {{{field}}}, which it cannot fill; it knows {known}")
                if found.count(field) > 1 and field != "object":
                    raise ValueError(f"the template {name!r} has {{{field}}} twice: {text!r}")
            for field in needed:
                if field not in found:
                    raise ValueError(f"the template {name!r} lacks {{{field}}}: {text!r}")

    @classmethod
    def _fields(cls, name: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """What a template must name, which is what the English one names, and what it may name besides."""
        english = dict(zip(cls.__struct_fields__, cls.__struct_defaults__, strict=True))
        kind = "move" if name == "again_conj" else name.removeprefix("again_")
        needed = fields_in(english[kind] or english["negate"], name)
        allowed = ["tail"] if "verb" in needed and kind not in ("negate", "left") else []
        if kind != name:  # whoever is meant may go without saying
            needed[needed.index("person")] = "opener"
            allowed.append("person")
        elif kind == "conj":
            allowed.append("and")
        return tuple(needed), tuple(allowed)


def _read(code: str) -> dict[str, Any]:
    found: dict[str, Any] = read_toml(Path(__file__).parent / "languages" / f"{code}.toml")
    return found


_ENGLISH = _read("en")["vocabulary"]
_VERBS = ("move", "grab", "drop", "give", "negate")


class Vocabulary(Recipe, frozen=True):
    """People with their pronouns, objects, places, verbs, and the sentences they stand in.

    Attributes:
        persons: People with the pronoun for each.
        objects, places: Nouns, without article.
        forms: Noun -> form -> the noun in that form, for templates with `{object:form}`.
        move, grab, drop, give, negate, left: What `{verb}` may be; "hob … auf" is a verb of two parts. `negate` says
            that somebody is not in a place, `left` that they are no longer there; the words of `negate` serve for both
            if `left` is empty.
        there: Event -> the share of its sentences that end in "there": "took the milk there".
        move_plural: The verbs of moving for two people, in the same order, where they differ.
        openers: What pronoun sentences begin with.
        plural: The pronoun for two people.
        conjunction: What joins two people; `conjunction_before` has other words for it by the letters that follow.
        yes, no, maybe, nothing, numbers: Words of answers.
        separator: What stands between the objects of a list.
        templates: Every sentence and question.
    """

    persons: dict[str, str] = msgspec.field(default_factory=lambda: dict(_ENGLISH["persons"]))
    objects: tuple[str, ...] = tuple(_ENGLISH["objects"])
    places: tuple[str, ...] = tuple(_ENGLISH["places"])
    forms: dict[str, dict[str, str]] = {}
    move: tuple[str, ...] = tuple(_ENGLISH["move"])
    move_plural: tuple[str, ...] = ()
    grab: tuple[str, ...] = tuple(_ENGLISH["grab"])
    drop: tuple[str, ...] = tuple(_ENGLISH["drop"])
    give: tuple[str, ...] = tuple(_ENGLISH["give"])
    negate: tuple[str, ...] = tuple(_ENGLISH["negate"])
    left: tuple[str, ...] = tuple(_ENGLISH["left"])
    there: dict[str, Share] = {}
    openers: tuple[str, ...] = tuple(_ENGLISH["openers"])
    plural: str = "they"
    conjunction: str = "and"
    conjunction_before: dict[str, str] = {}
    yes: str = "yes"
    no: str = "no"
    maybe: str = "maybe"
    nothing: str = "nothing"
    numbers: tuple[str, ...] = tuple(_ENGLISH["numbers"])
    separator: str = ", "
    templates: Templates = Templates()

    def __post_init__(self) -> None:
        if len(self.persons) < 2:
            raise ValueError(f"persons needs at least two names, it has {len(self.persons)}")
        for key in (*_VERBS, "objects", "places", "openers", "numbers"):
            if not getattr(self, key):
                raise ValueError(f"{key} is empty; a story needs at least one")
        if len(self.places) < 3:
            raise ValueError(f"places needs at least three names, it has {len(self.places)}")
        for key in ("persons", "objects", "places", *_VERBS, "left", "move_plural", "openers", "numbers"):
            refuse_twins(key, getattr(self, key))
            refuse_blanks(key, getattr(self, key))
        words = (self.yes, self.no, self.maybe, self.nothing, self.plural, self.conjunction)
        refuse_blanks("the words of answers", words)
        refuse_blanks("the pronouns", self.persons.values())
        self._check_pronouns()
        shared = {name.casefold() for name in self.objects} & {name.casefold() for name in self.places}
        if shared:
            raise ValueError(f"{min(shared)!r} is both an object and a place")
        refuse_twins("the words of yes, no and maybe", (self.yes, self.no, self.maybe))
        refuse_twins("nothing and objects", (self.nothing, *self.objects))
        refuse_twins("persons and openers", (*self.persons, *self.openers))
        for name in self.objects:
            if self.separator.strip() in name:
                raise ValueError(f"the object {name!r} contains the list separator, {self.separator!r}")
        if self.move_plural and len(self.move_plural) != len(self.move):
            raise ValueError(
                f"move has {len(self.move)} verbs and move_plural {len(self.move_plural)}; they go in pairs"
            )
        if not self.there.keys() <= {"grab", "drop"}:
            raise ValueError(f"there is about grab and drop, not {', '.join(self.there)}")
        if "\n" in self.separator or "\t" in self.separator or not self.separator.strip():
            raise ValueError(f"the separator {self.separator!r} cannot separate objects")
        self._check_forms()
        self._check_parts()
        self._check_ambiguity()

    def _check_pronouns(self) -> None:
        pronouns = {pronoun.casefold() for pronoun in self.persons.values()} | {self.plural.casefold()}
        for name in self.persons:
            if name.casefold() in pronouns:
                raise ValueError(f"the person {name!r} looks like a pronoun; use another name")
        plural = self.plural.casefold() in {pronoun.casefold() for pronoun in self.persons.values()}
        if plural and not set(self.move_plural).isdisjoint(self.move):
            raise ValueError(
                f"{self.plural!r} is both the plural pronoun and one person's, and the verbs do not distinguish them"
            )
        if plural and not self.move_plural:
            raise ValueError(f"{self.plural!r} is both the plural pronoun and one person's pronoun")

    def _check_forms(self) -> None:
        sorts = {"object": "object", "place": "place", "place2": "place"}
        for name in self.templates.__struct_fields__:
            self.check_forms(f"the template {name!r}", getattr(self.templates, name), sorts)
        seen: dict[tuple[str, str], str] = {}
        for noun, forms in self.forms.items():
            if noun not in (*self.objects, *self.places):
                raise ValueError(f"forms has {noun!r}, which is not an object or place")
            refuse_blanks("forms", forms.values())
            for form, text in forms.items():
                if form == PRONOUN:
                    continue
                twin = seen.setdefault((form, text.casefold()), noun)
                if twin != noun:
                    raise ValueError(f"{twin!r} and {noun!r} have the same form {form!r}: {text!r}")

    def check_forms(self, what: str, text: str, sorts: Mapping[str, str]) -> None:
        """Refuse a text in which a field of some sort stands in a form that its nouns lack."""
        for _, field, form in template_parts(text, what):
            nouns = {"object": self.objects, "place": self.places}.get(sorts.get(field, "")) if form else ()
            if nouns is None:
                raise ValueError(f"{what}: only objects and places have forms, not {field!r}")
            for noun in nouns:
                if form not in self.forms.get(noun, {}):
                    raise ValueError(f"{what} needs the form {form!r} of {noun!r}; add it to forms")

    def _check_parts(self) -> None:
        """A verb of two parts needs a place for the second."""
        for key in _VERBS:
            verb = next((verb for verb in getattr(self, key) if " … " in verb), None)
            texts = {name: getattr(self.templates, name, "") for name in (key, f"again_{key}")}
            if key == "move":
                texts |= {name: getattr(self.templates, name) for name in ("conj", "again_conj")}
            for name, text in texts.items():
                if verb and text and "{tail}" not in text:
                    raise ValueError(f"the template {name!r} lacks {{tail}}, where the second part of {verb!r} stands")

    def _check_ambiguity(self) -> None:
        """No sentence may be read in two ways: verbs tell events apart whose templates do not."""
        shapes: dict[tuple[str, str], str] = {}
        for event in ("move", "grab", "drop", "give", "affirm", "negate", "left", "indef"):
            template = getattr(self.templates, event) or self.templates.negate
            if event == "left" and not self.left:
                continue
            for verb in getattr(self, event, ("",)) or ("",):
                said = re.sub(r"\{(object|place|place2|other)(:[a-z]+)?\}", "{}", _with_verb(template, verb))
                twin = shapes.setdefault((said.casefold(), ""), event)
                if twin != event:
                    raise ValueError(f"{event} and {twin} would have the same text: {_with_verb(template, verb)!r}")

    @property
    def sizes(self) -> tuple[int, int, int]:
        """How many persons, objects and places there are."""
        return len(self.persons), len(self.objects), len(self.places)

    def left_words(self) -> tuple[str, ...]:
        """The words for "no longer"; those for "not" where there are none that suit the sentence."""
        foreign = self.templates.negate != DYNA.templates.negate and not self.templates.left and self.left == DYNA.left
        return self.negate if foreign else self.left or self.negate

    def count_word(self, count: int) -> str:
        """The word for a number of objects; digits beyond the words of the vocabulary."""
        return self.numbers[count] if count < len(self.numbers) else str(count)

    def shown(self, name: str, form: str) -> str:
        """A noun in a form; the noun itself where no form is asked for."""
        return self.forms[name][form] if form else name

    def every_form(self, name: str) -> Iterator[str]:
        """The noun and all its forms but the pronoun for it."""
        yield name
        yield from (text for form, text in self.forms.get(name, {}).items() if form != PRONOUN)


DYNA = Vocabulary()
"""The vocabulary of Dyna-bAbI."""

BABI = Vocabulary(
    persons={"Mary": "she", "John": "he", "Sandra": "she", "Daniel": "he"},
    places=("bathroom", "bedroom", "garden", "hallway", "kitchen", "office"),
)
"""The smaller one of most original bAbI tasks."""


# -- languages: each file holds the words, forms, sentences and instructions of one; stories are parallel in all ------

LANGUAGES = ("de", "en", "es")
"""The languages there are, by their codes."""


class Conventions(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How stories are read, a sentence for each thing that a task's stories may hold."""

    replaces: str
    presupposes: str
    holds: str
    gives: str
    refers: str

    def needed(self, concepts: Concepts, question: str) -> list[str]:
        """What a reader of stories with these concepts must know for a question; of moves alone nothing is in doubt."""
        asked = question not in ("give", "list", "counting")
        stated = asked and (concepts.has("negate") or concepts.has("indef"))
        handled = asked and concepts.has("grab")
        needs = {
            self.replaces: stated,
            self.presupposes: stated and handled,
            self.holds: handled,
            self.gives: handled and concepts.has("give"),
            self.refers: concepts.has("coref") or concepts.has("compound"),
        }
        return [text for text, needed in needs.items() if needed]


Fields: TypeAlias = str | dict[str, str]
"""A definition: a text, or its fields by their names."""


class Instructions(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename="kebab"):
    """What a task says: the conventions, the definition of each question type, and explanations of examples."""

    conventions: Conventions
    where_person: Fields
    where_object: Fields
    where_was_object: Fields
    yes_no: Fields
    maybe: Fields
    list: Fields
    counting: Fields
    give: Fields
    one: str
    many: str
    none: str
    wrong: str
    own: str = "You are given a short story and asked a question about it. Answer with the word or name asked for only."

    def definition(self, question: str) -> Definition:
        """What a question type asks for."""
        return Definition.of(getattr(self, question.replace("-", "_")), question)


class Prose(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The freer forms of a language; fields as in templates, kinds of sentences by the names of their templates.

    Attributes:
        openings: What a sentence may begin with.
        opened: Kind -> a sentence with an `{opening}`; "any" holds for all others.
        alone: Kind -> other sentences for the same.
        pairs: Kind -> two sentences for the same; the event has happened when the second is told.
        joins: Two events `{a}` and `{b}` in one sentence, a first.
        orders: The same for two events that happen, not for statements.
        same: The same for two events of one subject, the second (`{rest}`) without it.
    """

    openings: tuple[str, ...]
    opened: dict[str, str]
    alone: dict[str, tuple[str, ...]]
    pairs: dict[str, tuple[tuple[str, str], ...]]
    joins: tuple[str, ...]
    orders: tuple[str, ...]
    same: tuple[str, ...]


class Language(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A language."""

    vocabulary: Vocabulary
    instructions: Instructions
    prose: Prose | None = None


@cache
def language(code: str) -> Language:
    """The language of that code.

    Raises:
        UserError: There is none (with the nearest codes).
    """
    ensure_known("language", code, LANGUAGES)
    return msgspec.convert(_read(code), type=Language)


def words_in(vocabulary: Vocabulary, code: str, base: Vocabulary = DYNA) -> Vocabulary:
    """A vocabulary of English words in another language: the same people, objects and places, in its sentences.

    A vocabulary with sentences of the user's own is left alone: it is in that language already.

    Args:
        vocabulary: The vocabulary.
        code: The language.
        base: The English vocabulary that it may be a part of.

    Raises:
        UserError: It has words that the language has no partner for, and no sentences of its own.
    """
    if code == "en" or vocabulary.templates != DYNA.templates:
        return vocabulary
    for key in ("persons", "objects", "places"):
        known, given = getattr(base, key), getattr(vocabulary, key)
        if key == "persons":
            known, given = known.items(), given.items()
        for name in given:
            if name not in known:
                raise _no_partner(f"{key} holds {(name[0] if key == 'persons' else name)!r}", code)
    for key in vocabulary.__struct_fields__:
        if key not in ("persons", "objects", "places", "forms") and getattr(vocabulary, key) != getattr(base, key):
            raise _no_partner(f"{key} is not the English one", code)
    words = language(code).vocabulary
    persons = list(words.persons.items())
    names = list(DYNA.persons)
    objects = tuple(words.objects[DYNA.objects.index(name)] for name in vocabulary.objects)
    places = tuple(words.places[DYNA.places.index(name)] for name in vocabulary.places)
    kept = (*objects, *places)
    return replace(
        words,
        persons=dict(persons[names.index(name)] for name in vocabulary.persons),
        objects=objects,
        places=places,
        forms={name: forms for name, forms in words.forms.items() if name in kept},
    )


def _no_partner(what: str, code: str) -> UserError:
    return UserError(
        f"{what}, which has no partner in language {code!r}",
        where="vocabulary",
        hint="leave language out, or give the whole vocabulary in that language, templates included",
    )
