"""What is invented stays as it is, by its hash: names, worlds, pairs of sentences (see `tests/approved.py`)."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from random import Random

import pytest

from approved import approved, plain
from taskloom.sources.knowledge.world.build import whole_world
from taskloom.sources.knowledge.world.draft import WorldSettings
from taskloom.sources.names import CULTURE_NAMES, NameMaker, family_names, given_names, place_names, ship_names
from taskloom.sources.sentences.pairs import PairOrder, lexical_space, structural_space
from taskloom.sources.sentences.polarity import NEGATIONS, QUANTIFIERS, RELATIONS, OperatorOrder

GIVEN = [("team", "Asham"), ("party", "Noria"), ("product", "Olm Works"), ("taxon", "Rosa"), ("language", "Noria")]
AROUND = ("region", "river", "mountain", "lake", "island", "school", "award", "museum")
TITLES = ("record_label", "band", "book", "film", "song", "artwork", "game", "ship")
ALL = [
    *GIVEN,
    ("company", "sumi"),
    *(("word", kind) for kind in ("city", "country", "family", "genus", "kind")),
    *(("around", kind) for kind in AROUND),
    *(("title", kind) for kind in TITLES),
]


def line(name, items):
    """How many there are, their hash, and the first and last of them."""
    said = [str(item) for item in items]
    short = sha256("\n".join(said).encode()).hexdigest()[:16]
    return plain([name, len(said), short, said[0], said[-1]])


def names():
    for culture in CULTURE_NAMES:
        yield line(f"places {culture}", place_names(culture))
        yield line(f"families {culture}", family_names(culture))
        yield from (line(f"{one} {culture}", given_names(culture, one)) for one in ("female", "male"))
    yield line("ships", ship_names())
    for method, *kind in ALL:
        maker = NameMaker(Random(8))
        # Enough that the short names run out and longer ones begin.
        yield line(f"{method} {kind}", [getattr(maker, method)(*kind) for _ in range(400)])
    maker = NameMaker(Random(9), taken=lambda name: name[-1] == "n")
    yield line("people", [maker.person() for _ in range(50)])
    maker = NameMaker(Random(10))
    yield line("of a family", [maker.person(family="Munk", culture="sumi") for _ in range(400)])
    yield line("of a name", [maker.person("male", given="Rob", family="Munk", culture="sumi") for _ in range(9)])


def world(seed, people):
    chapter = whole_world(WorldSettings(seed=seed, people=people))
    by_property = {}
    for triple in chapter.triples:
        by_property.setdefault(triple[1], []).append(triple)
    yield from (line(name, by_property[name]) for name in sorted(by_property))
    yield line("labels", chapter.labels.items())
    yield line("stand-ins", chapter.stand_ins.items())
    yield line("bytes", chapter.ntriples().decode().splitlines())


def pairs():
    for name, space in (("lexical", lexical_space()), ("structural", structural_space())):
        for aspect in ("progressive", "simple"):
            for lane in (0, 1):
                for label in (True, False):
                    order = PairOrder(space, aspect, "whole")
                    yield line(f"{name} {aspect} {lane} {label}", [order.pair(n, label, lane) for n in range(150)])
    for kind, names in (("quantifier", QUANTIFIERS), ("negation", NEGATIONS)):
        order = OperatorOrder(kind, "progressive", "whole")
        for one in names:
            for relation in RELATIONS:
                yield line(f"{kind} {one} {relation}", [order.pair(one, relation, n) for n in range(20)])


MADE = {"names": names, "world of 200": lambda: world(5, 200), "world of 700": lambda: world(6, 700), "pairs": pairs}


@pytest.mark.parametrize("name", MADE)
def test_what_is_invented_is_the_same(name):
    approved(Path(__file__).with_name(f"{name.replace(' ', '-')}.txt"), "\n".join(MADE[name]()) + "\n")
