"""Things named after people, and kinds of things: towns, peaks, stadiums, schools, prizes, species, cheeses."""

from __future__ import annotations

from random import Random

from taskloom.sources.knowledge.world.concepts import BROADER, CLASSES, KINDS, OCCUPATIONS, SPORTS
from taskloom.sources.knowledge.world.draft import Draft
from taskloom.sources.knowledge.world.people import Person
from taskloom.sources.knowledge.world.places import Geography

__all__ = ["make_kinds", "make_namesakes", "make_species", "state_classes"]

# What is named, and the class of people it honours.
_HONOURS = (
    ("city", "any"),
    ("mountain", "any"),
    ("island", "any"),
    ("stadium", "athletes"),
    ("university", "thinkers"),
    ("award", "thinkers"),
    ("building", "any"),
    ("museum", "thinkers"),
)
# The label carries a piece of the name, or says only what the person was, or nothing of either: so that the name of a
# thing does not always give away whom it is named after.
_BY_NAME = {
    "city": ("Port {family}", "{given}ville", "Fort {family}"),
    "mountain": ("Mount {family}", "{given} Peak"),
    "island": ("{family} Island", "{given} Island"),
    "stadium": ("{family} Stadium", "{given} {family} Arena"),
    "university": ("{family} College", "{given} {family} University"),
    "award": ("{given} {family} Prize", "{family} Medal"),
    "building": ("{given} {family} House", "{family} Tower"),
    "museum": ("{given} {family} Gallery", "{family} Museum"),
}
_BY_TRADE = {
    "city": "{trade}'s Landing near {place}",
    "mountain": "{trade}'s Peak at {place}",
    "island": "{trade}'s Island off {place}",
    "stadium": "{trade} Stadium of {place}",
    "university": "{trade}'s College, {place}",
    "award": "{trade}'s Medal of {place}",
    "building": "Old {trade}'s House, {place}",
    "museum": "The {trade}'s Gallery, {place}",
}


def make_namesakes(draft: Draft, geography: Geography, people: list[Person]) -> None:
    """Towns, mountains, stadiums, schools and prizes that carry somebody's name or memory."""
    rng = draft.random("namesakes")
    grown = [person for person in people if person.occupations] or people
    honoured = {
        "any": grown,
        "athletes": [p for p in grown if any(name in SPORTS for name in p.occupations)] or grown,
        "thinkers": [p for p in grown if p.notable] or grown,
    }
    for index in range(draft.count(8)):
        kind, who = _HONOURS[index % len(_HONOURS)]
        person = rng.choice(honoured[who])
        label = _label(draft, rng, geography, kind, person)
        if not draft.names.claim(label):
            continue
        entity = draft.new(label, kind)
        draft.state(entity, "P138", person.entity)
        _place(draft, rng, geography, (entity, kind), person)


def _label(draft: Draft, rng: Random, geography: Geography, kind: str, person: Person) -> str:
    if rng.random() < 0.5 or not person.occupations:
        pattern = rng.choice(_BY_NAME[kind])
        return pattern.format(family=person.name.family, given=person.name.given)
    trade = rng.choice(person.occupations).title()
    return _BY_TRADE[kind].format(trade=trade, place=draft.names.city(geography.countries[person.country].culture))


def _place(draft: Draft, rng: Random, geography: Geography, thing: tuple[str, str], person: Person) -> None:
    """Most namesakes are in the country of the person."""
    entity, kind = thing
    if kind == "award":
        return
    country = geography.countries[person.country] if rng.random() < 0.8 else geography.some_country(rng)
    draft.state(entity, "P17", country.entity)
    if kind in {"mountain", "island"}:
        draft.state(entity, "P30", country.continent)
    elif kind != "city":
        draft.state(entity, "P276", geography.some_city(rng, country.number).entity)


def make_species(draft: Draft, people: list[Person]) -> None:
    """Genera and their species; some species honour a botanist."""
    rng = draft.random("species")
    botanists = [p for p in people if "botanist" in p.occupations] or people
    genera = [draft.new(draft.names.genus(), "taxon") for _ in range(draft.count(120))]
    for genus in genera:
        draft.state(genus, "P105", CLASSES["genus"])
    for _ in range(draft.count(20)):
        genus = rng.choice(genera)
        species = draft.new(draft.names.taxon(draft.labels[genus]), "taxon")
        draft.state(species, "P105", CLASSES["species"])
        draft.state(species, "P171", genus)
        if rng.random() < 0.2:
            draft.state(species, "P138", rng.choice(botanists).entity)


def state_classes(draft: Draft) -> None:
    """The real classes of occupations, the same in every world."""
    for broader, narrower in BROADER.values():
        draft.state(broader, "P31", CLASSES["occupation"])
        for name in narrower.split(","):
            draft.state(OCCUPATIONS[name], "P279", broader)
            draft.state(OCCUPATIONS[name], "P31", CLASSES["occupation"])


def make_kinds(draft: Draft, geography: Geography) -> None:
    """Invented cheeses, dances and instruments."""
    rng = draft.random("kinds")
    made: dict[str, list[str]] = {kind: [CLASSES[kind]] for kind in KINDS}
    for index in range(draft.count(25)):
        kind = KINDS[index % len(KINDS)]
        country = geography.some_country(rng)
        entity = draft.new(draft.names.kind(country.culture))
        # Most are kinds of the real class; some are kinds of an invented one.
        draft.state(entity, "P279", made[kind][0] if rng.random() < 0.6 else rng.choice(made[kind]))
        draft.state(entity, "P495", country.entity)
        made[kind].append(entity)
