"""The relations and predicates of TaskBench500's Table 4 (`vocabulary.toml`), and how to say expressions of them.

`describe(query, "{x}")` gives a noun phrase for a relation ("the mother of the head of state of {x}")
and a sentence without its stop for a predicate ("{x} is an actor and {x} was born in Alwick").
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import NamedTuple

import msgspec

from taskloom.algebra import Atom, Expression, Speaker, signature
from taskloom.core import ensure_known, unknown_name
from taskloom.core.decode import read_toml


class RelationTerm(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A relation; `vocabulary.toml` says what its fields mean."""

    property: str
    phrase: str
    inverse: str
    say: tuple[str, ...] = ()
    inverted: bool = False
    beyond: bool = False
    name: str = ""


class PredicateTerm(NamedTuple):
    """A predicate: whether `entity`, called `value`, is among the values of `property`."""

    name: str
    relation: str
    value: str
    property: str
    entity: str
    phrase: str
    denial: str


class _PredicateGroup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    relation: str
    called: str
    phrase: str
    denial: str
    values: tuple[tuple[str, str, str], ...]


class _VocabularyFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    relations: dict[str, RelationTerm]
    predicates: tuple[_PredicateGroup, ...]
    lre: dict[str, str]


_FILE = read_toml(Path(__file__).with_suffix(".toml"), type=_VocabularyFile)
RELATIONS: Mapping[str, RelationTerm] = {
    name: msgspec.structs.replace(term, name=name) for name, term in _FILE.relations.items()
}
LRE_FILES: Mapping[str, str] = _FILE.lre
TABLE_4_RELATIONS: tuple[str, ...] = tuple(sorted(name for name, term in RELATIONS.items() if not term.beyond))
INVERSES: tuple[str, ...] = tuple(name for name, term in RELATIONS.items() if term.inverted)


def _predicate(group: _PredicateGroup, paper: str, value: str, entity: str) -> PredicateTerm:
    article = f"{'an' if value[0] in 'aeiou' else 'a'} {value}"
    phrase, denial = (text.replace("{av}", article) for text in (group.phrase, group.denial))
    name, property_id = f"is-{group.called}-{paper}", RELATIONS[group.relation].property
    return PredicateTerm(name, group.relation, value, property_id, entity, phrase, denial)


_TERMS = [_predicate(group, *value) for group in _FILE.predicates for value in group.values]
PREDICATES: Mapping[str, PredicateTerm] = {term.name: term for term in _TERMS}
_BY_VALUE = {(term.relation, term.value.lower()): term for term in _TERMS}
_BY_QUERY = {(term.property, term.entity): term for term in _TERMS}
_BY_PROPERTY = {term.property: term for term in RELATIONS.values()}


def relation(name: str, *, inverse: bool = False) -> Atom:
    """The query of a relation by its name: `relation("mother")`.

    Raises:
        UserError: No relation has that name; the nearest names are given.
    """
    ensure_known("relation", name, RELATIONS)
    return Atom(RELATIONS[name].property, inverse=inverse)


def predicate(name: str) -> Atom:
    """The query of a predicate by the paper's name (`is-occupation-writer`) or by `relation=value`."""
    left, equals, right = name.partition("=")
    term = _BY_VALUE.get((left.strip(), right.strip().lower())) if equals else PREDICATES.get(name)
    if term is None:
        known = [f"{item.relation}={item.value}" for item in PREDICATES.values()] if equals else list(PREDICATES)
        raise unknown_name("predicate", name, known)
    return Atom("is", ((term.property, term.entity),))


def property_named(property_id: str) -> RelationTerm | None:
    """The relation of a property id, None where the vocabulary does not have it."""
    return _BY_PROPERTY.get(property_id)


# ---------------------------------------------------------------- expressions as English

Label = Callable[[str], str]


def _plain(entity: str) -> str:
    return entity


class FactSpeaker(Speaker):
    """Says what a graph is asked.

    Args:
        label: Gives the label of an entity or property; pass `KnowledgeGraph.label`, so that the values of
            predicates have the names they have in the graph at hand.
    """

    facts = True

    def __init__(self, label: Label = _plain) -> None:
        self._label = label

    def _term(self, property_id: str) -> RelationTerm:
        if (term := property_named(property_id)) is not None:
            return term
        name = self._label(property_id).replace("{", "{{").replace("}", "}}")
        return RelationTerm(name, f"the {name} of {{x}}", f"something that has {{x}} as its {name}")

    def atom(self, atom: Atom, x: str) -> str:
        term = self._term(atom.name)
        return (term.inverse if atom.inverse else term.phrase).format(x=x)

    def atom_clause(self, atom: Atom, x: str, *, holds: bool) -> str:
        ((name, entity),) = atom.features
        term = _BY_QUERY.get((name, entity))
        if term is not None:
            sentence = (term.phrase if holds else term.denial).removesuffix(".")
            value = self._label(entity) if "{v}" in sentence else ""
            return sentence.format(x=x, v=value)
        return f"{self._label(entity)} is {'' if holds else 'not '}{self._term(name).phrase.format(x=x)}"


def describe(query: Expression, x: str = "{x}", *, label: Label = _plain) -> str:
    """The query as English: a noun phrase or a clause.

    Args:
        query: What to describe.
        x: What to call the input.
        label: Gives the label of an entity or property.
    """
    say = FactSpeaker(label)
    return say.clause(query, x) if signature(query).predicate else say(query, x)


def fact(query: Expression, x: str, y: str, *, label: Label = _plain) -> str:
    """A sentence that states one pair: "The mother of Ada is Berta."."""
    text = f"{describe(query, x, label=label)} is {y}"
    return f"{text[:1].upper()}{text[1:]}."


def statement(property_id: str, x: str, y: str, rng: Random | None = None, *, name: str = "") -> str:
    """A statement as a sentence: in its plain wording, or in one that a generator draws.

    Args:
        property_id: The property.
        x: What the statement is about.
        y: The value.
        rng: Where the choice of the wording comes from; None for the plain one.
        name: What to call a property outside the vocabulary.
    """
    term = property_named(property_id)
    said = (name or property_id).replace("{", "(").replace("}", ")")
    wordings = term.say if term is not None else (f"The {said} of {{x}} is {{y}}.",)
    wording = wordings[0] if rng is None else rng.choice(wordings)
    # In one pass, so that a label with braces in it is never read as a place to fill.
    before, *rest = wording.replace("{x}", "{y}").split("{y}")
    first, second = (x, y) if wording.index("{x}") < wording.index("{y}") else (y, x)
    text = f"{before}{first}{rest[0]}{second}{rest[1]}"
    return f"{text[:1].upper()}{text[1:]}" if before else text
