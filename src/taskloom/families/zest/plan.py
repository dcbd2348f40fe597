"""Planning the tasks of a suite: base questions, what derives from them, and which split each falls into.

Attributes are dealt to splits. Every task asks only about attributes of its split, so nothing that test asks about is
ever asked about in train. Linked attributes (a flip leads from one to the other) stay together. Every split gets
attributes of every domain and of every kind, a small one no fewer than it needs to combine some.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, zip_longest
from math import ceil, fsum
from random import Random
from typing import TypeAlias

from taskloom.core import KeyedRandom, UserError
from taskloom.core.rng import shuffle, spin, wheel
from taskloom.families.zest.derive import (
    KINDS,
    RECORDABLE,
    Base,
    PlannedTask,
    base_task,
    bases_of,
    combinations_of,
    flips_of,
    is_table,
    paraphrases_of,
    recordable,
    structures_of,
    unrelated,
)
from taskloom.families.zest.domain import Domain, Kind, load_domain
from taskloom.families.zest.questions import Proposition
from taskloom.families.zest.recipe import FictionalRecipe

_CLOSED = 0.7
_MOST_BASES = 0.3
_MOST_TO_REACH_ALL = 0.36
_TURN = 3

_Queues: TypeAlias = "dict[tuple[str, str, bool], deque[PlannedTask]]"


def plan_tasks(recipe: FictionalRecipe, random: KeyedRandom) -> dict[str, list[PlannedTask]]:
    """The tasks of each split, base tasks before what derives from them.

    Raises:
        UserError: The domains do not hold enough questions for the sizes asked for.
    """
    shown = [name for name in recipe.domains if name not in recipe.heldout]
    sizes = {"train": recipe.train, "dev": recipe.dev, "test": 0 if recipe.heldout else recipe.test}
    dealt = deal_attributes(shown, sizes, random)
    splits: dict[str, list[PlannedTask]] = {}
    for split, size in (("train", recipe.train), ("dev", recipe.dev), ("test", recipe.test)):
        if split == "test" and recipe.heldout:
            chosen = {name: tuple(load_domain(name).attributes) for name in recipe.heldout}
        else:
            chosen = {name: parts[split] for name, parts in dealt.items()}
        splits[split] = _plan_split(chosen, size, recipe, random, split) if size else []
    return splits


def _plan_split(
    chosen: dict[str, tuple[str, ...]], size: int, recipe: FictionalRecipe, random: KeyedRandom, split: str
) -> list[PlannedTask]:
    order = list(chosen)
    random.at("order", split).shuffle(order)
    bases = {
        name: _shuffled(bases_of(load_domain(name), chosen[name], random), random.at("bases", split, name))
        for name in order
    }
    counts = _counts(size, recipe)
    wanted = dict(counts)
    most = sum(map(len, bases.values()))
    while True:
        found = _derive_all(bases, counts, size, recipe.classification, random.at("derive", split))
        short = any(sum(task.generalisation == kind for task in found) < wanted[kind] for kind in KINDS)
        enough = not short or counts["base"] >= min(most, _MOST_BASES * size)
        # A task derives from base tasks of its own domain, so few base tasks leave domains out.
        everywhere = len({task.domain for task in found}) == len(bases)
        everywhere = everywhere or counts["base"] >= min(most, _MOST_TO_REACH_ALL * size)
        if len(found) >= size and enough and everywhere:
            return sorted(found, key=lambda task: KINDS.index(task.generalisation))
        if counts["base"] >= most:
            break
        # Too few base tasks to derive everything from: a small split takes a larger share of them.
        counts["base"] = min(most, counts["base"] + max(1, counts["base"] // 8))
    raise UserError(
        f"{len(found)} tasks can be made for {split}, {size} were requested",
        where="zest/fictional",
        hint=f"-T {split}={len(found)}, or more domains",
    )


def _derive_all(
    bases: dict[str, list[Base]], counts: dict[str, int], size: int, classification: float, rng: Random
) -> list[PlannedTask]:
    """As many tasks of each kind as counted, at most `size` in all."""
    # Yes/no tasks make up their share of the whole, so a larger one of what is not a structure.
    yes_no = min(1.0, classification / max(1e-9, 1 - counts["structure"] / size))
    picked = _pick_bases(bases, counts["base"], yes_no)
    chosen = _Selection([base_task(base) for base in picked], yes_no, most=ceil(size / len(bases)) + 1)
    # A flip may read like a paraphrase of another task; the rarer kind chooses first.
    chosen.take("structure", structures_of(picked, rng), counts["structure"])
    chosen.take("flip", flips_of(picked), counts["flip"])
    chosen.take("combination", combinations_of(picked, rng), counts["combination"])
    chosen.take("paraphrase", paraphrases_of(picked), counts["paraphrase"])
    # Where one kind cannot fill its share, what is left of the others steps in.
    chosen.take("paraphrase", chosen.spare, size - len(chosen.tasks))
    chosen.most = size  # where some domains have too few questions, the others have more
    chosen.take("paraphrase", chosen.spare, size - len(chosen.tasks))
    return chosen.tasks[:size]


class _Selection:
    """The tasks of a split while they are chosen: domains and forms evenly, yes/no tasks up to their share."""

    def __init__(self, bases: list[PlannedTask], yes_no: float, most: int) -> None:
        self.tasks = list(bases)
        self.spare: list[PlannedTask] = []
        self.most = most
        """How many tasks one domain may have."""
        self._yes_no = yes_no
        self._texts = {task.text for task in bases}
        self._domains = Counter(task.domain for task in bases)
        self._forms: Counter[str] = Counter()

    def take(self, kind: str, candidates: Iterable[PlannedTask], count: int) -> None:
        """Take candidates, each time from the domain that has fewest tasks; keep the others as spare ones."""
        queues: _Queues = {}
        for task in candidates:
            queues.setdefault((task.domain, task.form, task.format == "classification"), deque()).append(task)
        plain = [task for task in self.tasks if task.format != "structure"]
        closed = sum(task.format == "classification" for task in plain)
        room = 0 if kind == "structure" else round(self._yes_no * (len(plain) + count)) - closed
        room = min(max(0, room), count)
        taken = self._fill(queues, True, room)
        taken += self._fill(queues, False, count - taken)
        self._fill(queues, True, count - taken)
        self.spare = [*self.spare, *(task for queue in queues.values() for task in queue)]

    def _fill(self, queues: _Queues, closed: bool, count: int) -> int:
        """Move up to `count` tasks, yes/no tasks or others, from their queues to the chosen ones."""
        able = {(domain, form): queue for (domain, form, answer), queue in queues.items() if answer is closed}
        taken = 0
        while taken < count:
            open_to = [key for key, queue in able.items() if queue and self._domains[key[0]] < self.most]
            if not open_to:
                break
            domain, form = min(open_to, key=self._crowded)
            task = able[domain, form].popleft()
            if task.text not in self._texts:
                self._texts.add(task.text)
                self._domains[domain] += 1
                self._forms[form] += 1
                self.tasks.append(task)
                taken += 1
        return taken

    def _crowded(self, key: tuple[str, str]) -> tuple[int, int]:
        """How many tasks a domain has already, and how many a form has."""
        domain, form = key
        return self._domains[domain], self._forms[form]


def _counts(size: int, recipe: FictionalRecipe) -> dict[str, int]:
    """Tasks per kind: the largest remainders get what rounding leaves over."""
    shares = {kind: getattr(recipe.shares, kind) * size for kind in KINDS}
    counts: dict[str, int] = {kind: int(share) for kind, share in shares.items()}
    counts["base"] = max(1, counts["base"])
    order = sorted(KINDS, key=lambda kind: (counts[kind] - shares[kind], KINDS.index(kind)))
    for kind in order:
        if sum(counts.values()) < size:
            counts[kind] += 1
    return counts


def _shuffled(items: Iterable[Base], rng: Random) -> list[Base]:
    found = list(items)
    shuffle(rng, found)
    return found


def _pick_bases(bases: dict[str, list[Base]], count: int, yes_no: float) -> list[Base]:
    """Base tasks from all domains by turns.

    Open questions come two at a time, because only those of one domain make a record, and somewhat more often than in
    the whole, because yes/no questions have more that derives from them. In every third domain the table comes first;
    where there are fewer yes/no questions than domains, every third domain has two of them, to be joined.
    """
    # The other way round, so that few tasks reach many domains.
    claims = [_claims_first(found) for found in reversed(bases.values())]
    least = min(sum(map(len, claims)), round(_CLOSED * count * yes_no))
    pairs = least < len(claims)
    closed = _by_turns(claims, [2 if pairs and at % _TURN == 2 else 1 for at in range(len(claims))])
    asks = [
        _table_first(found) if at % _TURN == 1 else _records_first(found) for at, found in enumerate(bases.values())
    ]
    opened = _by_turns(asks, [2] * len(asks))
    most = min(len(opened), count - least)
    least = min(len(closed), count - most)
    return [*opened[:most], *closed[:least]]


def _claims_first(bases: list[Base]) -> list[Base]:
    """Yes/no questions, first of all two that can be joined."""
    found = [base for base in bases if isinstance(base.question, Proposition)]
    return _pair_first(found, found)


def _records_first(bases: list[Base]) -> list[Base]:
    """Open questions, first of all two that can share a record."""
    found = [base for base in bases if not isinstance(base.question, Proposition)]
    return _pair_first(found, [base for base in found if recordable(base)])


def _table_first(bases: list[Base]) -> list[Base]:
    """Open questions, first of all the one about a table, where there is one."""
    found = _records_first(bases)
    return sorted(found, key=lambda base: not is_table(base))


def _pair_first(bases: list[Base], able: list[Base]) -> list[Base]:
    """The same, with the first two of the able ones in front that say nothing about each other."""
    for pair in combinations(able, 2):
        if unrelated(pair):
            return [*pair, *(base for base in bases if base not in pair)]
    return bases


def _by_turns(lists: list[list[Base]], sizes: list[int]) -> list[Base]:
    """Some of the first list, some of the second and so on, then round again."""
    parts = (
        [found[at : at + size] for at in range(0, len(found), size)] for found, size in zip(lists, sizes, strict=True)
    )
    return [base for turn in zip_longest(*parts, fillvalue=()) for part in turn for base in part]


# ------------------------------------------------------------------------- attributes by split

_SPLITS = ("train", "dev", "test")
_LEAST = 3
"""Attributes of a domain that a split gets at the least: two can be combined, three make a record."""

_DEALS = 100
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
    whole = Counter(one.kind for one in domain.attributes.values())

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
    attributes = domain.attributes
    questions = sum([_QUESTIONS[kind] * count for kind, count in whole.items()])
    costs = []
    for split, groups in parts.items():
        share = rooms[split] / total
        found = dict.fromkeys(whole, 0)
        for group in groups:
            for name in group:
                found[attributes[name].kind] += 1
        costs.append((sum(found.values()) - rooms[split]) ** 2 / rooms[split])
        asked = sum([_QUESTIONS[kind] * count for kind, count in found.items()])
        costs.append((asked - share * questions) ** 2 / (share * questions))
        # Records need attributes that no flip links, and combinations a yes/no question of their own.
        costs.append(3.0 * max(0, 2 - sum([attributes[group[0]].kind in RECORDABLE for group in groups])))
        costs.append(2.0 * (not found.get("flag")))
        for kind, count in whole.items():
            wanted = share * (kinds.get((kind, ""), 0) + count)
            now = kinds.get((kind, split), 0) + found[kind]
            costs.append((now - wanted) ** 2 / (wanted + 1))
    return fsum(costs)


def _linked(domain: Domain) -> list[list[str]]:
    """Groups of attributes that flips connect: those of one group go to one split."""
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
