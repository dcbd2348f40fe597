"""Shapes of reasoning: how a support of a wanted size can be built from a set of concepts.

A shape says where the chain starts (a *source*: what is said of a place), which *links* carry the place from
person to person (a gift; one drops what another grabs), and how the asked object comes in (a *hold*). Its
cost is the number of sentences in the support. Listing the shapes first makes rare patterns as cheap as
common ones, and shows at once which demands cannot be met at all.
"""

from __future__ import annotations

from functools import lru_cache
from itertools import product
from typing import NamedTuple

from taskloom.families.babi.concepts import Concepts
from taskloom.families.babi.story import GIVE_QUESTIONS, WHERE_O, WHERE_P, WHERE_WAS, YES_NO

__all__ = ["MAX_LINKS", "Shape", "shapes"]

MAX_LINKS = 4

# Sources and their cost. `either-either` and `either-not` need two people of the chain, so at least one link;
# `either` and `not` leave a place open or ruled out, which only a yes-no question can ask about.
_SOURCES = {"move": 1, "affirm": 1, "conj": 1, "coref": 2, "compound": 2, "either-either": 2, "either-not": 2}
_OPEN_SOURCES = {"either": 1, "not": 1}
_LINKS = {"give": 1, "drop-grab": 2, "coref-drop-grab": 3}


class Shape(NamedTuple):
    """One way to build a support.

    Attributes:
        source: What is said of a place.
        links: How the place is carried from person to person.
        hold: How the asked object comes in: "" (no object), "carried" or "given" (obtained before the place is
            told), "linked" (the last link brought it), "grabbed" (grabbed at the place), "dropped".
        leave: How the holder goes on, for where-was questions: "" or a source.
        cost: The size of the support it is meant to give.
    """

    source: str
    links: tuple[str, ...]
    hold: str
    leave: str
    cost: int

    def labels(self) -> frozenset[str]:
        """The events and constructs its support is made of."""
        parts = (self.source, *self.links, self.hold, self.leave)
        return frozenset(label for part in parts for label in _LABELS[part])


_LABELS: dict[str, tuple[str, ...]] = {
    "": (),
    "move": ("move",),
    "affirm": ("move", "negate"),
    "conj": ("move", "conj"),
    "coref": ("move", "coref"),
    "compound": ("move", "compound"),
    "either-either": ("move", "indef"),
    "either-not": ("move", "indef", "negate"),
    "either": ("move", "indef"),
    "not": ("move", "negate"),
    "give": ("give",),
    "drop-grab": ("drop", "grab"),
    "coref-drop-grab": ("drop", "grab", "coref"),
    "carried": ("grab",),
    "carried-coref": ("grab", "coref"),
    "given": ("give",),
    "linked": (),
    "grabbed": ("grab",),
    "dropped": ("drop",),
    "pair": (),
}


def _sources(concepts: Concepts) -> dict[str, int]:
    allowed = {
        "move": concepts.has("move"),
        "affirm": concepts.has("negate") and concepts.affirm > 0,
        "conj": concepts.has("conj"),
        "coref": concepts.may_refer("move"),
        "compound": concepts.has("compound"),
        "either-either": concepts.has("indef"),
        "either-not": concepts.has("indef") and concepts.has("negate") and concepts.affirm < 1,
    }
    return {name: cost for name, cost in _SOURCES.items() if allowed[name]}


def _open_sources(concepts: Concepts) -> dict[str, int]:
    allowed = {"either": concepts.has("indef"), "not": concepts.has("negate") and concepts.affirm < 1}
    return {name: cost for name, cost in _OPEN_SOURCES.items() if allowed[name]}


def _links(concepts: Concepts) -> dict[str, int]:
    both = concepts.has("grab") and concepts.has("drop")
    allowed = {
        "give": concepts.has("give") and concepts.has("grab"),
        "drop-grab": both,
        "coref-drop-grab": both and concepts.may_refer("grab", "drop"),
    }
    return {name: cost for name, cost in _LINKS.items() if allowed[name]}


def _holds(concepts: Concepts, links: tuple[str, ...], source: str) -> dict[str, int]:
    """The ways an object can come in, with what each adds to the support."""
    holds: dict[str, int] = {}
    if concepts.has("grab"):
        holds["grabbed"] = 1
        if not links and source != "either-either":
            holds["carried"] = 1
            if concepts.has("give"):
                holds["given"] = 1
            if source == "coref" and concepts.may_refer("grab", "move"):
                holds["carried-coref"] = 0
        if links:
            holds["linked"] = 0
        if concepts.has("drop"):
            holds["dropped"] = 1
    return holds


def shapes(concepts: Concepts, kind: int, size: int) -> tuple[Shape, ...]:
    """Every shape over the concepts that gives a question of this kind a support of this size."""
    return _shapes(concepts.names(), tuple(sorted(concepts.coref)), concepts.affirm, kind).get(size, ())


@lru_cache(maxsize=256)
def _shapes(names: tuple[str, ...], coref: tuple[str, ...], affirm: float, kind: int) -> dict[int, tuple[Shape, ...]]:
    concepts = Concepts(dict.fromkeys(names, 1.0), dict.fromkeys(coref, 1.0), affirm)
    if kind in GIVE_QUESTIONS:
        gives = concepts.has("give") and concepts.has("grab")
        return {1: (Shape("", (), "", "", 1),)} if gives else {}
    sources = _sources(concepts)
    found: dict[int, list[Shape]] = {}
    if kind == YES_NO:
        sources |= _open_sources(concepts)
    link_costs = _links(concepts)
    for count in range(MAX_LINKS + 1):
        for links in product(link_costs, repeat=count):
            for source, cost in sources.items():
                if source.startswith("either-") and not links:
                    continue
                base = cost + sum(link_costs[link] for link in links)
                for shape in _variants(concepts, kind, source, links, base):
                    found.setdefault(shape.cost, []).append(shape)
    return {size: tuple(these) for size, these in found.items()}


def _variants(concepts: Concepts, kind: int, source: str, links: tuple[str, ...], base: int) -> list[Shape]:
    if kind in (WHERE_P, YES_NO):
        return [Shape(source, links, "", "", base)]
    holds = _holds(concepts, links, source)
    if kind == WHERE_O:
        return [Shape(source, links, hold, "", base + cost) for hold, cost in holds.items()]
    if kind != WHERE_WAS:
        return []
    leaves = {name: 1 for name in ("move", "affirm", "conj") if name in _sources(concepts)}
    found = [
        Shape(source, links, hold, leave, base + cost + more)
        for hold, cost in holds.items()
        if hold != "dropped"
        for leave, more in leaves.items()
    ]
    if not links and concepts.has("grab"):
        # One pair of sentences gives both ends of the move: "A moved to X. Then she moved to Y."
        pairs = [name for name in ("coref", "compound") if name in _sources(concepts)]
        if source in pairs:
            found.append(Shape(source, (), "carried", "pair", base + 1))
    return found
