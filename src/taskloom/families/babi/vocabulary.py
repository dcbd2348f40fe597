"""The words of the story world. All of it is recipe: rename people, add places, translate every sentence."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from taskloom.core import Recipe

__all__ = ["BABI", "DYNA", "Templates", "Vocabulary"]


class Templates(Recipe, frozen=True):
    """The surface forms. `{person}`, `{other}`, `{object}`, `{place}`, `{place2}` and `{verb}` are filled in.

    A pronoun sentence is `again` around the ordinary form, with the pronoun for the person; the second
    sentence of a compound uses `move` with the plural pronoun.
    """

    move: str = "{person} {verb} to the {place}."
    grab: str = "{person} {verb} the {object}."
    drop: str = "{person} {verb} the {object}."
    give: str = "{person} {verb} the {object} to {other}."
    conj: str = "{person} and {other} {verb} to the {place}."
    affirm: str = "{person} is in the {place}."
    negate: str = "{person} is {verb} in the {place}."
    indef: str = "{person} is either in the {place} or the {place2}."
    again: str = "{opener} {sentence}"
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
        for name, fields in _FIELDS.items():
            text = getattr(self, name)
            missing = [field for field in fields if "{" + field + "}" not in text]
            if missing:
                raise ValueError(f"the template {name!r} lacks {{{missing[0]}}}: {text!r}")


_FIELDS = {
    "move": ("person", "verb", "place"),
    "grab": ("person", "verb", "object"),
    "drop": ("person", "verb", "object"),
    "give": ("person", "verb", "object", "other"),
    "conj": ("person", "other", "verb", "place"),
    "affirm": ("person", "place"),
    "negate": ("person", "verb", "place"),
    "indef": ("person", "place", "place2"),
    "again": ("opener", "sentence"),
    "where_person": ("person",),
    "where_object": ("object",),
    "where_was_object": ("object", "place"),
    "yes_no": ("person", "place"),
    "list": ("person",),
    "counting": ("person",),
    "gave_to": ("object", "other"),
    "gave": ("object",),
    "received": ("object",),
    "who_give": ("person", "object"),
    "what_give": ("person", "other"),
}


_PERSONS = {
    "Daniel": "he",
    "Mary": "she",
    "John": "he",
    "Sandra": "she",
    "Fred": "he",
    "Bill": "he",
    "Jeff": "he",
    "Julie": "she",
}


class Vocabulary(Recipe, frozen=True):
    """People with their pronouns, objects, places, verbs, and the sentences they stand in."""

    persons: dict[str, str] = msgspec.field(default_factory=lambda: dict(_PERSONS))
    objects: tuple[str, ...] = ("apple", "football", "milk")
    places: tuple[str, ...] = (
        "bathroom",
        "bedroom",
        "garden",
        "hallway",
        "kitchen",
        "office",
        "cinema",
        "park",
        "school",
    )
    move: tuple[str, ...] = ("journeyed", "moved", "travelled", "went", "went back")
    grab: tuple[str, ...] = ("grabbed", "picked up", "took", "got")
    drop: tuple[str, ...] = ("discarded", "dropped", "left", "put down")
    give: tuple[str, ...] = ("gave", "handed", "passed")
    negate: tuple[str, ...] = ("not", "no longer")
    openers: tuple[str, ...] = ("After that", "Following that", "Afterwards", "Then")
    plural: str = "they"
    yes: str = "yes"
    no: str = "no"
    maybe: str = "maybe"
    nothing: str = "nothing"
    numbers: tuple[str, ...] = (
        "none",
        "one",
        "two",
        "three",
        "four",
        "five",
        "six",
        "seven",
        "eight",
        "nine",
        "ten",
        "eleven",
        "twelve",
    )
    separator: str = ", "
    templates: Templates = Templates()

    def __post_init__(self) -> None:
        if len(self.persons) < 2:
            raise ValueError(f"persons needs at least two names, it has {len(self.persons)}")
        for key in ("objects", "places", "move", "grab", "drop", "give", "negate", "openers", "numbers"):
            if not getattr(self, key):
                raise ValueError(f"{key} is empty; a story needs at least one")
        if len(self.places) < 3:
            raise ValueError(f"places needs at least three names, it has {len(self.places)}")
        for key in ("persons", "objects", "places"):
            _refuse_twins(key, getattr(self, key))
        _refuse_blanks([*self.persons, *self.persons.values(), *self.objects, *self.places])
        pronouns = {pronoun.casefold() for pronoun in self.persons.values()} | {self.plural.casefold()}
        for name in self.persons:
            if name.casefold() in pronouns:
                raise ValueError(f"the person {name!r} cannot be told from a pronoun; give the person another name")
        if self.plural.casefold() in {pronoun.casefold() for pronoun in self.persons.values()}:
            raise ValueError(f"{self.plural!r} is both the plural pronoun and one person's pronoun")
        shared = {name.casefold() for name in self.objects} & {name.casefold() for name in self.places}
        if shared:
            raise ValueError(f"{min(shared)!r} is both an object and a place")
        _refuse_twins("the words of yes, no and maybe", (self.yes, self.no, self.maybe))

    def count_word(self, count: int) -> str:
        """The word for a number of objects; digits beyond the words of the vocabulary."""
        return self.numbers[count] if count < len(self.numbers) else str(count)


def _refuse_twins(key: str, names: Iterable[str]) -> None:
    seen: dict[str, str] = {}
    for name in names:
        twin = seen.setdefault(name.casefold(), name)
        if twin is not name:
            raise ValueError(f"{key} holds {twin!r} and {name!r}, which a reader cannot tell apart")


def _refuse_blanks(names: Iterable[str]) -> None:
    for name in names:
        if not name.strip() or name != name.strip() or "\t" in name or "\n" in name:
            raise ValueError(f"{name!r} is no name: it is empty, or has blanks around it, tabs or line breaks")


DYNA = Vocabulary()
"""The vocabulary of Dyna-bAbI."""

BABI = Vocabulary(
    persons={"Mary": "she", "John": "he", "Sandra": "she", "Daniel": "he"},
    places=("bathroom", "bedroom", "garden", "hallway", "kitchen", "office"),
)
"""The smaller one of most original bAbI tasks."""
