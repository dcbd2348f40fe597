"""Base questions: every way to ask about one attribute of a domain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from random import Random
from typing import NamedTuple

from taskloom.core import KeyedRandom
from taskloom.families.zest.attributes import Attribute
from taskloom.families.zest.domain import Domain
from taskloom.families.zest.facts import with_article
from taskloom.families.zest.questions import Ask, Format, PassageQuestion, Proposition, WhichRows, bound_text


class Flip(NamedTuple):
    """A question one change away; `shared` where it turns the base round and so reads its passages."""

    text: str
    question: PassageQuestion
    shared: bool


class Base(NamedTuple):
    """A base question with its wordings, its flip, and a clause for combinations ("" for open questions)."""

    name: str
    texts: tuple[str, ...]
    question: Ask | Proposition | WhichRows
    domain: Domain
    flips: tuple[Flip, ...]
    claim: str

    @property
    def format(self) -> Format:
        """Yes/no questions classify, the others extract."""
        return "classification" if isinstance(self.question, Proposition) else "extraction"


def bases_of(domain: Domain, names: Iterable[str], random: KeyedRandom) -> Iterator[Base]:
    """The base questions about some attributes; those about one do not depend on which others are named."""
    for name in names:
        rng = random.at("bounds", domain.id, name)
        attribute = domain.attributes[name]
        prefix = f"{domain.id}.{name}"
        if attribute.kind == "flag":
            claim = Proposition(domain, name)
            flip = Flip(worded(attribute.flip, domain), Proposition(domain, name, sense="opposite"), True)
            yield Base(prefix, _texts(attribute.ask, domain), claim, domain, (flip,), worded(attribute.claim, domain))
            continue
        flips: tuple[Flip, ...] = ()
        if attribute.flip:
            flips = (Flip(worded(attribute.flip, domain), Ask(domain, attribute.flip_to), False),)
        yield Base(prefix, _texts(attribute.ask, domain), Ask(domain, name), domain, flips, "")
        if attribute.kind == "rows":
            yield from _row_bases(domain, name, attribute)
        bounds = _bounds(domain, name, attribute, rng)
        # A flip asks for a value that no base task asks for, or it would be that task.
        others = [value for value in attribute.values if value not in bounds]
        rng.shuffle(others)
        for index, bound in enumerate(bounds):
            yield _test_base(domain, name, bound, others[index % len(others)] if others else "")


def _row_bases(domain: Domain, name: str, attribute: Attribute) -> Iterator[Base]:
    """Which rows have this value? Asking for another value is the flip."""
    assert attribute.a is not None and attribute.b is not None
    values = attribute.b.values or attribute.a.values
    *asked, other = values[:3]
    for value in asked:
        flip = Flip(worded(attribute.which[0], domain, other), WhichRows(domain, name, other), False)
        texts = tuple(worded(text, domain, value) for text in attribute.which)
        yield Base(f"{domain.id}.{name}.{_slug(value)}", texts, WhichRows(domain, name, value), domain, (flip,), "")


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


def _test_base(domain: Domain, name: str, bound: str | int, other: str) -> Base:
    attribute = domain.attributes[name]
    claim = Proposition(domain, name, bound)
    word = bound_text(claim)
    if attribute.kind == "choice":
        flip = Flip(worded(attribute.test[0], domain, other), Proposition(domain, name, other), False)
    else:
        flip = Flip(worded(attribute.flip_test, domain, word), Proposition(domain, name, bound, "opposite"), True)
    texts = tuple(worded(text, domain, word) for text in attribute.test)
    label = f"{domain.id}.{name}.{_slug(str(bound))}"
    return Base(label, texts, claim, domain, (flip,), worded(attribute.claim, domain, word))


def worded(text: str, domain: Domain, word: str = "") -> str:
    """A question about a domain, with the value it asks about."""
    return text.format(this=domain.this, t=word, at=with_article(word) if word else "")


def _texts(texts: tuple[str, ...], domain: Domain) -> tuple[str, ...]:
    return tuple(worded(text, domain) for text in texts)


def _slug(text: str) -> str:
    return "-".join("".join(c if c.isalnum() else " " for c in text.lower()).split())
