"""The relations and predicates of TaskBench500's Table 4, with their Wikidata ids and how to say them.

Names are those of the paper without commas (`languages spoken written or signed`), as the notation
of expressions needs them. `RELATIONS` also holds a few relations outside the table, for users' own
expressions.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from taskloom.algebra import Atom
from taskloom.core import unknown_name

__all__ = [
    "INVERSES",
    "PREDICATES",
    "RELATIONS",
    "TABLE_4_RELATIONS",
    "PredicateTerm",
    "RelationTerm",
    "predicate",
    "property_named",
    "relation",
    "value_named",
]


class RelationTerm(NamedTuple):
    """A relation.

    Attributes:
        name: As in expressions.
        property: The Wikidata property.
        phrase: How to speak of an output, with `{x}` for the input: "the mother of {x}".
        inverse: How to speak of an output of the inverse: "someone whose mother is {x}".
        many: Whether an input commonly has several outputs.
    """

    name: str
    property: str
    phrase: str
    inverse: str
    many: bool = False


class PredicateTerm(NamedTuple):
    """A predicate: whether `value` is among the values of `property`.

    Attributes:
        name: The paper's name: "is-occupation-writer".
        relation: The relation's name, as in `is{occupation=writer}`.
        value: The value's name, as in `is{occupation=writer}`.
        property: The Wikidata property.
        entity: The Wikidata entity of the value.
        phrase: A sentence that states it of `{x}`; `{v}` is the label of the value in the graph at hand.
        denial: A sentence that states the opposite.
    """

    name: str
    relation: str
    value: str
    property: str
    entity: str
    phrase: str
    denial: str


def _terms(*rows: tuple[str, str, str, str, bool]) -> dict[str, RelationTerm]:
    return {row[0]: RelationTerm(*row) for row in rows}


RELATIONS: Mapping[str, RelationTerm] = _terms(
    ("child", "P40", "a child of {x}", "a parent of {x}", True),
    ("continent", "P30", "the continent that {x} lies on", "something on the continent {x}", False),
    ("country of citizenship", "P27", "a country that {x} is a citizen of", "a citizen of {x}", True),
    ("country of origin", "P495", "the country that {x} comes from", "something that comes from {x}", False),
    ("country", "P17", "the country that {x} is in", "something in the country {x}", False),
    ("creator", "P170", "the creator of {x}", "something that {x} created", False),
    ("developer", "P178", "the developer of {x}", "something that {x} developed", False),
    ("diplomatic relation", "P530", "a country that has diplomatic relations with {x}",
     "a country that has diplomatic relations with {x}", True),
    ("father", "P22", "the father of {x}", "someone whose father is {x}", False),
    ("genre", "P136", "a genre of {x}", "something of the genre {x}", True),
    ("has part", "P527", "a part of {x}", "something that has {x} as a part", True),
    ("head of state", "P35", "the head of state of {x}", "a state whose head is {x}", False),
    ("influenced by", "P737", "someone who influenced {x}", "someone whom {x} influenced", True),
    ("languages spoken written or signed", "P1412", "a language that {x} speaks, writes or signs",
     "someone who speaks, writes or signs {x}", True),
    ("location", "P276", "the location of {x}", "something located at {x}", False),
    ("manufacturer", "P176", "the manufacturer of {x}", "something that {x} makes", False),
    ("member of political party", "P102", "a political party that {x} belongs to", "a member of {x}", True),
    ("member of sports team", "P54", "a sports team that {x} belongs to", "a member of the team {x}", True),
    ("mother", "P25", "the mother of {x}", "someone whose mother is {x}", False),
    ("named after", "P138", "the one that {x} is named after", "something named after {x}", False),
    ("native language", "P103", "the native language of {x}", "a native speaker of {x}", False),
    ("occupation", "P106", "an occupation of {x}", "someone with the occupation {x}", True),
    ("official language", "P37", "an official language of {x}", "a place with the official language {x}", True),
    ("original language of film or TV show", "P364", "the original language of {x}",
     "a film or show made in {x}", False),
    ("owned by", "P127", "the owner of {x}", "something that {x} owns", False),
    ("performer", "P175", "the performer of {x}", "something that {x} performed", False),
    ("place of birth", "P19", "the place where {x} was born", "someone born in {x}", False),
    ("place of death", "P20", "the place where {x} died", "someone who died in {x}", False),
    ("position held", "P39", "a position that {x} held", "someone who held the position {x}", True),
    ("position played on team", "P413", "the position that {x} plays on a team",
     "someone who plays in the position {x}", False),
    ("record label", "P264", "a record label of {x}", "an artist on the record label {x}", True),
    ("sex or gender", "P21", "the sex or gender of {x}", "someone whose sex or gender is {x}", False),
    ("subclass of", "P279", "a broader class that {x} belongs to", "a narrower class of {x}", False),
    # Beyond Table 4.
    ("author", "P50", "an author of {x}", "something that {x} wrote", True),
    ("award received", "P166", "an award that {x} received", "someone who received {x}", True),
    ("capital", "P36", "the capital of {x}", "a place whose capital is {x}", False),
    ("cast member", "P161", "someone who acts in {x}", "something that {x} acts in", True),
    ("composer", "P86", "the composer of {x}", "something that {x} composed", False),
    ("date of birth", "P569", "the date when {x} was born", "someone born on {x}", False),
    ("date of death", "P570", "the date when {x} died", "someone who died on {x}", False),
    ("director", "P57", "the director of {x}", "something that {x} directed", False),
    ("educated at", "P69", "a school that {x} attended", "someone who attended {x}", True),
    ("employer", "P108", "an employer of {x}", "someone who works for {x}", True),
    ("instance of", "P31", "the kind of thing that {x} is", "an example of {x}", True),
    ("parent taxon", "P171", "the taxon above {x}", "a taxon below {x}", False),
    ("sibling", "P3373", "a brother or sister of {x}", "a brother or sister of {x}", True),
    ("spouse", "P26", "the spouse of {x}", "the spouse of {x}", False),
)  # fmt: skip

_BEYOND = (
    "author,award received,capital,cast member,composer,date of birth,date of death,director,educated at,employer,"
    "instance of,parent taxon,sibling,spouse"
)
# "subclass of" is missing from Table 4 but stands in Table 7, so it counts as one of the paper's.
TABLE_4_RELATIONS: tuple[str, ...] = tuple(sorted(set(RELATIONS) - set(_BEYOND.split(","))))
INVERSES: tuple[str, ...] = ("child", "creator", "father", "head of state", "location", "mother")


def _predicates() -> dict[str, PredicateTerm]:
    classes = {"human": "Q5", "film": "Q11424", "book": "Q571", "city": "Q515", "taxon": "Q16521"}
    occupations = {
        "actor": "Q33999",
        "politician": "Q82955",
        "writer": "Q36180",
        "journalist": "Q1930187",
        "teacher": "Q37226",
        "composer": "Q36834",
    }
    cities = {
        "london": ("London", "Q84"),
        "nyc": ("New York City", "Q60"),
        "la": ("Los Angeles", "Q65"),
        "buenosaires": ("Buenos Aires", "Q1486"),
    }
    terms = []
    for name, entity in classes.items():
        yes, no = f"{{x}} is a {name}.", f"{{x}} is not a {name}."
        terms.append(PredicateTerm(f"is-instance-{name}", "instance of", name, "P31", entity, yes, no))
    for name, entity in occupations.items():
        article = "an" if name[0] in "aeiou" else "a"
        yes, no = f"{{x}} is {article} {name}.", f"{{x}} is not {article} {name}."
        terms.append(PredicateTerm(f"is-occupation-{name}", "occupation", name, "P106", entity, yes, no))
    for name, (place, entity) in cities.items():
        yes, no = "{x} was born in {v}.", "{x} was not born in {v}."
        terms.append(PredicateTerm(f"is-birthplace-{name}", "place of birth", place, "P19", entity, yes, no))
    return {term.name: term for term in terms}


PREDICATES: Mapping[str, PredicateTerm] = _predicates()
_BY_VALUE = {(term.relation, term.value.lower()): term for term in PREDICATES.values()}
_BY_QUERY = {(term.property, term.entity): term for term in PREDICATES.values()}
_BY_PROPERTY = {term.property: term for term in RELATIONS.values()}


def relation(name: str, *, inverse: bool = False) -> Atom:
    """The query of a relation by its name: `relation("mother")`.

    Raises:
        UserError: No relation has that name; the nearest names are given.
    """
    if name not in RELATIONS:
        raise unknown_name("relation", name, RELATIONS)
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


def value_named(property_id: str, entity: str) -> PredicateTerm | None:
    """The predicate of a property and a value, None where the vocabulary does not have it."""
    return _BY_QUERY.get((property_id, entity))
