"""Planning the tasks of a suite: base questions, what derives from them, and which split each falls into.

Attributes are dealt to splits, linked ones (a flip that leads from one to the other) together. Every task asks
only about attributes of its split, so nothing that test asks about is ever asked about in train.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import combinations
from random import Random
from typing import Literal, NamedTuple, TypeAlias

from taskloom.core import KeyedRandom, UserError
from taskloom.families.zest.domain import Attribute, Domain, linked_years, load_domain
from taskloom.families.zest.facts import with_article
from taskloom.families.zest.questions import (
    Ask,
    Claim,
    Given,
    Logic,
    Question,
    Record,
    Table,
    Two,
    WhichRows,
    bound_text,
)
from taskloom.families.zest.recipe import FictionalRecipe

__all__ = ["Planned", "plan_tasks"]

Generalisation: TypeAlias = Literal["base", "paraphrase", "flip", "combination", "structure"]
Format: TypeAlias = Literal["classification", "extraction", "structure"]

_KINDS: tuple[Generalisation, ...] = ("base", "paraphrase", "flip", "combination", "structure")
_HANDFUL = 6
_RECORD_KINDS = ("choice", "year", "number", "name", "list")


class Planned(NamedTuple):
    """A task to be: its words, its meaning, and whose passages it reads.

    Tasks with equal `passages` read the same ones: a paraphrase must be right where its base is, and a flip
    that turns the base round shows whether a model noticed.
    """

    name: str
    text: str
    question: Question
    domain: str
    generalisation: Generalisation
    format: Format
    derives_from: tuple[str, ...]
    passages: str
    planned_for: Question


class _Base(NamedTuple):
    name: str
    texts: tuple[str, ...]
    question: Ask | Claim | WhichRows
    domain: Domain
    flips: tuple[tuple[str, Question, bool], ...]
    claim: str

    @property
    def format(self) -> Format:
        return "classification" if isinstance(self.question, Claim) else "extraction"


def plan_tasks(recipe: FictionalRecipe, random: KeyedRandom) -> dict[str, list[Planned]]:
    """The tasks of each split, base tasks before what derives from them.

    Raises:
        UserError: The domains do not hold enough questions for the sizes asked for.
    """
    dealt = _deal_all(recipe, random)
    splits: dict[str, list[Planned]] = {}
    for split, size in (("train", recipe.train), ("dev", recipe.dev), ("test", recipe.test)):
        if split == "test" and recipe.heldout:
            chosen = {name: tuple(load_domain(name).attributes) for name in recipe.heldout}
        else:
            chosen = {name: parts[split] for name, parts in dealt.items()}
        splits[split] = _plan_split(chosen, size, recipe, random, split) if size else []
    return splits


def _deal_all(recipe: FictionalRecipe, random: KeyedRandom) -> dict[str, dict[str, tuple[str, ...]]]:
    """Attributes by domain and split, in proportion to the tasks wanted.

    A small split takes a handful of attributes from a few domains rather than one from each: only attributes of
    one domain can be combined.
    """
    shown = [name for name in recipe.domains if name not in recipe.heldout]
    sizes = {"train": recipe.train, "dev": recipe.dev, "test": 0 if recipe.heldout else recipe.test}
    total = sum(sizes.values()) or 1
    rooms: dict[str, dict[str, float]] = {name: {} for name in shown}
    for split, size in sizes.items():
        if not size:
            continue
        average = sum(len(load_domain(name).attributes) for name in shown) / len(shown) * size / total
        count = min(len(shown), max(1, round(len(shown) * average / _HANDFUL) + 1))
        for name in random.at("domains", split).sample(shown, count):
            rooms[name][split] = max(average, _HANDFUL)
    return {name: _deal(load_domain(name), rooms[name], random.at("deal", name)) for name in shown}


def _deal(domain: Domain, room: dict[str, float], rng: Random) -> dict[str, tuple[str, ...]]:
    """Attributes of one domain by split; linked ones stay together, the split with most room takes the next."""
    groups = _linked(domain)
    rng.shuffle(groups)
    room = dict(room)
    parts: dict[str, list[str]] = {"train": [], "dev": [], "test": []}
    for group in groups if room else []:
        split = max(room, key=lambda name: (room[name], name))
        parts[split] += group
        room[split] -= len(group)
    return {split: tuple(name for name in domain.attributes if name in names) for split, names in parts.items()}


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


# ------------------------------------------------------------------------ base questions


def _bases(domain: Domain, names: Iterable[str], rng: Random) -> Iterator[_Base]:
    for name in names:
        attribute = domain.attributes[name]
        prefix = f"{domain.id}.{name}"
        if attribute.kind == "flag":
            claim = Claim(domain, name)
            flip = (_say(attribute.flip, domain), Claim(domain, name, sense="opposite"), True)
            yield _Base(prefix, _texts(attribute.ask, domain), claim, domain, (flip,), _say(attribute.claim, domain))
            continue
        flips: tuple[tuple[str, Question, bool], ...] = ()
        if attribute.flip:
            flips = ((_say(attribute.flip, domain), Ask(domain, attribute.flip_to), False),)
        yield _Base(prefix, _texts(attribute.ask, domain), Ask(domain, name), domain, flips, "")
        if attribute.kind == "rows":
            yield from _row_bases(domain, name, attribute)
        bounds = _bounds(domain, name, attribute, rng)
        # A flip asks for a value that no base task asks for, or it would be that task.
        others = [value for value in attribute.values if value not in bounds]
        rng.shuffle(others)
        for index, bound in enumerate(bounds):
            yield _test_base(domain, name, bound, others[index % len(others)] if others else "")


def _row_bases(domain: Domain, name: str, attribute: Attribute) -> Iterator[_Base]:
    """Which rows have this value? Asking for another value is the flip."""
    assert attribute.a is not None and attribute.b is not None
    values = attribute.b.values or attribute.a.values
    *asked, other = values[:3]
    for value in asked:
        flip = (_say(attribute.which[0], domain, other), WhichRows(domain, name, other), False)
        texts = tuple(_say(text, domain, value) for text in attribute.which)
        yield _Base(f"{domain.id}.{name}.{_slug(value)}", texts, WhichRows(domain, name, value), domain, (flip,), "")


def _bounds(domain: Domain, name: str, attribute: Attribute, rng: Random) -> list[str | int]:
    """What yes/no questions about an attribute ask for: some of its values, or bounds from the middle of its range."""
    if attribute.kind == "choice":
        return list(rng.sample(attribute.values, min(3, len(attribute.values))))
    if attribute.kind not in ("year", "number"):
        return []
    low, high = _range(domain, attribute)
    step = 10 if attribute.kind == "year" or high - low > 100 else 5 if high - low > 40 else 1
    step = 100 if high - low > 1000 else step
    places = (0.36, 0.5, 0.64) if attribute.kind == "number" else (0.4, 0.5, 0.6)
    return list(dict.fromkeys(round((low + (high - low) * place) / step) * step for place in places))


def _range(domain: Domain, attribute: Attribute) -> tuple[int, int]:
    if not attribute.after:
        return attribute.low, attribute.high
    low, high = _range(domain, domain.attributes[attribute.after])
    return low + attribute.low, high + attribute.high


def _test_base(domain: Domain, name: str, bound: str | int, other: str) -> _Base:
    attribute = domain.attributes[name]
    claim = Claim(domain, name, bound)
    word = bound_text(claim)
    if attribute.kind == "choice":
        flip = (_say(attribute.test[0], domain, other), Claim(domain, name, other), False)
    else:
        flip = (_say(attribute.flip_test, domain, word), Claim(domain, name, bound, "opposite"), True)
    texts = tuple(_say(text, domain, word) for text in attribute.test)
    label = f"{domain.id}.{name}.{_slug(str(bound))}"
    return _Base(label, texts, claim, domain, (flip,), _say(attribute.claim, domain, word))


def _say(text: str, domain: Domain, word: str = "") -> str:
    return text.format(this=domain.this, t=word, at=with_article(word) if word else "")


def _texts(texts: tuple[str, ...], domain: Domain) -> tuple[str, ...]:
    return tuple(_say(text, domain) for text in texts)


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())


# ----------------------------------------------------------------------- one split


def _plan_split(
    chosen: dict[str, tuple[str, ...]], size: int, recipe: FictionalRecipe, random: KeyedRandom, split: str
) -> list[Planned]:
    bases = {
        name: _shuffled(_bases(load_domain(name), names, random.at("bounds", name)), random.at("bases", split, name))
        for name, names in chosen.items()
    }
    counts = _counts(size, recipe)
    most = sum(map(len, bases.values()))
    while True:
        found = _derive_all(bases, counts, size, recipe.classification, random.at("derive", split))
        if len(found) >= size:
            return sorted(found, key=lambda task: _KINDS.index(task.generalisation))
        if counts["base"] >= most:
            break
        # Too few base tasks to derive everything from: a small split takes a larger share of them.
        counts["base"] = min(most, counts["base"] + max(1, counts["base"] // 8))
    raise UserError(
        f"{len(found)} tasks can be made for {split}, {size} are wanted",
        where="zest/fictional",
        hint=f"-T {split}={len(found)}, or more domains",
    )


def _derive_all(
    bases: dict[str, list[_Base]], counts: dict[str, int], size: int, classification: float, rng: Random
) -> list[Planned]:
    """As many tasks of each kind as counted, at most `size` in all."""
    # Yes/no tasks make up their share of the whole, so a larger one of what is not a structure.
    yes_no = min(1.0, classification / max(1e-9, 1 - counts["structure"] / size))
    picked = _pick_bases(bases, counts["base"], yes_no)
    # A flip may read like a paraphrase of another task; the rarer kind chooses first.
    makers = {
        "flip": _flips(picked),
        "paraphrase": _paraphrases(picked),
        "combination": _combinations(picked, rng),
        "structure": _structures(picked, rng),
    }
    found = [_base_task(base) for base in picked]
    used = {task.text for task in found}
    spare: list[Planned] = []
    for kind, candidates in makers.items():
        kept, left = _select(candidates, counts[kind], yes_no if kind != "structure" else 0.0, used)
        found += kept
        spare += left
    # Where one kind cannot fill its share, what is left of the others steps in, open questions before yes/no ones
    # once these have their share.
    closed = sum(task.format == "classification" for task in found)
    room = max(0, round(classification * size) - closed)
    first = [task for task in spare if task.format == "classification"][:room]
    open_ = [task for task in spare if task.format != "classification"]
    for task in [*first, *open_, *spare]:
        if len(found) < size and task.text not in used:
            used.add(task.text)
            found.append(task)
    return found[:size]


def _counts(size: int, recipe: FictionalRecipe) -> dict[str, int]:
    """Tasks per kind: the largest remainders get what rounding leaves over."""
    shares = {kind: getattr(recipe.shares, kind) * size for kind in _KINDS}
    counts: dict[str, int] = {kind: int(share) for kind, share in shares.items()}
    counts["base"] = max(1, counts["base"])
    order = sorted(_KINDS, key=lambda kind: (counts[kind] - shares[kind], _KINDS.index(kind)))
    for kind in order:
        if sum(counts.values()) < size:
            counts[kind] += 1
    return counts


def _shuffled(items: Iterable[_Base], rng: Random) -> list[_Base]:
    found = list(items)
    rng.shuffle(found)
    return found


def _pick_bases(bases: dict[str, list[_Base]], count: int, yes_no: float) -> list[_Base]:
    """Base tasks by turns, a handful from each domain, with the wanted share of yes/no ones as far as possible.

    A handful, because tasks of one domain can be combined and tasks of two cannot.
    """
    turns = max((len(found) for found in bases.values()), default=0)
    by_turns = [
        base for at in range(0, turns, _HANDFUL) for found in bases.values() for base in found[at : at + _HANDFUL]
    ]
    groups = {True: [], False: []}  # type: dict[bool, list[_Base]]
    for base in by_turns:
        groups[isinstance(base.question, Claim)].append(base)
    closed = min(len(groups[True]), round(count * yes_no))
    open_ = min(len(groups[False]), count - closed)
    closed = min(len(groups[True]), count - open_)
    picked = groups[True][:closed] + groups[False][:open_]
    return [base for base in by_turns if base in picked]


def _select(
    candidates: Iterable[Planned], count: int, yes_no: float, used: set[str]
) -> tuple[list[Planned], list[Planned]]:
    """The first candidates that are new, yes/no ones up to their share; and those left over."""
    rooms = {True: round(count * yes_no), False: count - round(count * yes_no)}
    kept: list[Planned] = []
    spare: list[Planned] = []
    for task in candidates:
        if task.text in used:
            continue
        closed = task.format == "classification"
        if rooms[closed] > 0:
            rooms[closed] -= 1
            used.add(task.text)
            kept.append(task)
        else:
            spare.append(task)
    while len(kept) < count and spare:
        task = spare.pop(0)
        if task.text not in used:
            used.add(task.text)
            kept.append(task)
    return kept, spare


def _base_task(base: _Base) -> Planned:
    return Planned(
        base.name, base.texts[0], base.question, base.domain.id, "base", base.format, (), base.name, base.question
    )


def _paraphrases(bases: list[_Base]) -> Iterator[Planned]:
    longest = max((len(base.texts) for base in bases), default=0)
    for turn in range(1, longest):
        for base in bases:
            if turn < len(base.texts):
                yield Planned(
                    f"{base.name}.paraphrase-{turn}", base.texts[turn], base.question, base.domain.id,
                    "paraphrase", base.format, (base.name,), base.name, base.question,
                )  # fmt: skip


def _flips(bases: list[_Base]) -> Iterator[Planned]:
    for base in bases:
        for text, question, shared in base.flips:
            name = f"{base.name}.flip"
            source, planned = (base.name, base.question) if shared else (name, question)
            yield Planned(
                name, text, question, base.domain.id, "flip", base.format, (base.name,), source, planned
            )  # fmt: skip


def _combinations(bases: list[_Base], rng: Random) -> Iterator[Planned]:
    """Two base tasks in one question, in random order, each domain by turns."""
    pairs = [(a, b) for a, b in combinations(bases, 2) if a.domain is b.domain and _apart(a, b)]
    rng.shuffle(pairs)
    for pair in pairs:
        first, second = pair if rng.random() < 0.5 else pair[::-1]
        yield from _combine(first, second, rng)


def _apart(first: _Base, second: _Base) -> bool:
    """Tables are not combined, and no attribute with itself or with one whose years say something about its own."""
    if isinstance(first.question, WhichRows) or isinstance(second.question, WhichRows):
        return False
    one, two = first.question.attributes[0], second.question.attributes[0]
    return one != two and two not in linked_years(first.domain, [one])


def _combine(first: _Base, second: _Base, rng: Random) -> Iterator[Planned]:
    one, two = first.question, second.question
    names = (first.name, second.name)
    text, question, form, operator = "", None, "extraction", ""  # type: str, Question | None, Format, str
    if isinstance(one, Claim) and isinstance(two, Claim):
        logic = rng.choice(_OPERATORS)
        text = _LOGIC_TEXTS[logic].format(first.claim, second.claim)
        question, form, operator = Logic(one, two, logic), "classification", logic
    elif isinstance(one, Ask) and isinstance(two, Claim):
        text = f"{first.texts[0][:-1]}, provided that {second.claim}?"
        question, operator = Given(one, two), "given"
    elif isinstance(one, Ask) and isinstance(two, Ask):
        tail = second.texts[0]
        text = f"{first.texts[0][:-1]}, and {tail[0].lower()}{tail[1:]}"
        question, operator = Two(one, two), "with"
    if question is not None:
        parts = [base.name.partition(".")[2] for base in (first, second)]
        name = f"{first.domain.id}.{parts[0]}.{operator}.{parts[1]}"
        yield Planned(name, text, question, first.domain.id, "combination", form, names, name, question)


_OPERATORS: tuple[Literal["and", "or", "but-not"], ...] = ("and", "or", "but-not")
_LOGIC_TEXTS = {
    "and": "Is it true both that {} and that {}?",
    "or": "Is it true that {}, or that {}, or both?",
    "but-not": "Is it true that {} but false that {}?",
}


def _structures(bases: list[_Base], rng: Random) -> Iterator[Planned]:
    """Tables of rows, and records of two or three attributes of the same split."""
    askable: dict[str, list[_Base]] = {}
    for base in bases:
        if not isinstance(base.question, Ask):
            continue
        attribute = base.domain.attributes[base.question.attribute]
        if attribute.kind == "rows":
            name = f"{base.name}.table"
            table = Table(base.domain, base.question.attribute)
            text = _say(attribute.ask_rows, base.domain)
            yield Planned(name, text, table, base.domain.id, "structure", "structure", (base.name,), name, table)
        elif attribute.kind in _RECORD_KINDS:
            askable.setdefault(base.domain.id, []).append(base)
    groups = [list(g) for size in (3, 2) for found in askable.values() for g in combinations(found, size)]
    rng.shuffle(groups)
    for group in groups:
        domain = group[0].domain
        names = [base.question.attributes[0] for base in group]
        labels = [f"the {domain.attributes[name].label}" for name in names]
        listed = f"{', '.join(labels[:-1])} and {labels[-1]}"
        record = Record(domain, tuple(names))
        name = f"{domain.id}.record.{'-'.join(names)}"
        text = f"What are {listed} of {domain.this}?"
        yield Planned(
            name, text, record, domain.id, "structure", "structure", tuple(b.name for b in group), name, record
        )  # fmt: skip
