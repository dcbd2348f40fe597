"""Dealing the attributes of all domains to the splits.

Linked attributes (a flip leads from one to the other) stay together. Every split gets attributes of every domain and of
every kind, a small one no fewer than it needs to combine some.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from math import fsum

from taskloom.core import KeyedRandom
from taskloom.core.rng import spin, wheel
from taskloom.families.zest.attributes import Kind
from taskloom.families.zest.domain import Domain, load_domain

_LEAST = 3
"""Attributes of a domain that a split gets at the least: two can be combined, three make a record."""

_DEALS = 100
_RECORDABLE = ("choice", "year", "number", "name", "list")
_QUESTIONS: dict[Kind, int] = {"flag": 1, "choice": 4, "year": 4, "number": 4, "name": 1, "list": 1, "rows": 3}
"""How many base questions an attribute of each kind gives."""

Dealt = dict[str, dict[str, tuple[str, ...]]]


def deal_attributes(domains: Sequence[str], sizes: Mapping[str, int], random: KeyedRandom) -> Dealt:
    """Attributes by domain and split, in proportion to the tasks wanted.

    Args:
        domains: The domains.
        sizes: The number of tasks of each split; splits without tasks get nothing.
        random: Where the draws come from.
    """
    wanted = {split: size for split, size in sizes.items() if size}
    kinds: defaultdict[tuple[str, str], int] = defaultdict(int)
    dealt: Dealt = {}
    order = list(domains)
    random.at("deal").shuffle(order)
    for name in order:
        dealt[name] = _deal(load_domain(name), wanted, kinds, random) if wanted else dict.fromkeys(_SPLITS, ())
    return {name: dealt[name] for name in domains}


def _rooms(count: int, sizes: Mapping[str, int]) -> dict[str, float]:
    """How many of this many attributes each split should get."""
    total = sum(sizes.values())
    rooms = {split: count * size / total for split, size in sizes.items()}
    small = {split for split, room in rooms.items() if room < _LEAST}
    if not small or len(small) == len(rooms):
        return rooms
    left = count - _LEAST * len(small)
    rest = sum(size for split, size in sizes.items() if split not in small)
    return {split: _LEAST if split in small else left * sizes[split] / rest for split in rooms}


def _deal(
    domain: Domain, sizes: Mapping[str, int], kinds: defaultdict[tuple[str, str], int], random: KeyedRandom
) -> dict[str, tuple[str, ...]]:
    """The attributes of one domain by split: the best of many random deals.

    `kinds` counts what the splits (and "", all of them) got of each kind so far, and is brought up to date.
    """
    rooms = _rooms(len(domain.attributes), sizes)
    groups = _linked(domain)
    rng = random.at("deal", domain.id)
    bits, splits = rng.getrandbits, wheel(list(sizes))
    deals = [[spin(bits, splits) for _ in groups] for _ in range(_DEALS)]
    whole = Counter(domain.kinds.values())

    def cost(deal: list[str]) -> float:
        parts: dict[str, list[list[str]]] = {split: [] for split in sizes}
        for group, split in zip(groups, deal, strict=True):
            parts[split].append(group)
        return _cost(domain, whole, parts, rooms, kinds)

    best = min(deals, key=cost)
    split_of = {name: split for group, split in zip(groups, best, strict=True) for name in group}
    for name, split in split_of.items():
        kinds[domain.attributes[name].kind, split] += 1
        kinds[domain.attributes[name].kind, ""] += 1
    return {split: tuple(name for name in domain.attributes if split_of[name] == split) for split in _SPLITS}


def _cost(
    domain: Domain,
    whole: Mapping[Kind, int],
    parts: Mapping[str, list[list[str]]],
    rooms: Mapping[str, float],
    kinds: Mapping[tuple[str, str], int],
) -> float:
    """How far a deal is from what is wanted: attributes, base questions and kinds in proportion, records possible."""
    total = fsum(rooms.values())
    of_kind = domain.kinds
    questions = sum([_QUESTIONS[kind] * count for kind, count in whole.items()])
    costs = []
    for split, groups in parts.items():
        share = rooms[split] / total
        found = dict.fromkeys(whole, 0)
        for group in groups:
            for name in group:
                found[of_kind[name]] += 1
        costs.append((sum(found.values()) - rooms[split]) ** 2 / rooms[split])
        asked = sum([_QUESTIONS[kind] * count for kind, count in found.items()])
        costs.append((asked - share * questions) ** 2 / (share * questions))
        # Records need attributes that no flip links, and combinations a yes/no question of their own.
        costs.append(3.0 * max(0, 2 - sum([of_kind[group[0]] in _RECORDABLE for group in groups])))
        costs.append(2.0 * (not found.get("flag")))
        for kind, count in whole.items():
            wanted = share * (kinds.get((kind, ""), 0) + count)
            now = kinds.get((kind, split), 0) + found[kind]
            costs.append((now - wanted) ** 2 / (wanted + 1))
    return fsum(costs)


_SPLITS = ("train", "dev", "test")


def _linked(domain: Domain) -> list[list[str]]:
    """Attributes that flips lead to and fro between, as groups."""
    group_of = {name: {name} for name in domain.attributes}
    for name, attribute in domain.attributes.items():
        if attribute.flip_to:
            merged = group_of[name] | group_of[attribute.flip_to]
            for member in merged:
                group_of[member] = merged
    seen: list[list[str]] = []
    for name in domain.attributes:
        members = [other for other in domain.attributes if other in group_of[name]]
        if members not in seen:
            seen.append(members)
    return seen
