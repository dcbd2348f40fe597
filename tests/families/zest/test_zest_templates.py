"""What is worked out once gives what working it out each time would give."""

from __future__ import annotations

import re
from itertools import chain
from random import Random

import msgspec
import pytest

from taskloom.core import KeyedRandom
from taskloom.families.zest.derive import bases_of, denied_claim
from taskloom.families.zest.domain import DOMAINS, load_domain, sentence, template, wordings
from taskloom.families.zest.naming import name_at, name_count
from taskloom.families.zest.units import frame_texts
from taskloom.sources.names import CULTURE_NAMES, place_names

SLOTS = {slot: f"<{slot}>" for slot in ("N", "P", "region", "town", "monarch", "S", "v", "E", "D", "O", "av", "OP")}


@pytest.mark.parametrize("domain", DOMAINS)
def test_templates_are_filled_as_format_fills_them(domain: str) -> None:
    loaded = load_domain(domain)
    for text in wordings((*loaded.intro, *loaded.apposition, *loaded.colour)):
        filled = text.format_map(SLOTS)
        assert template(text).pattern % SLOTS == filled
        whole = sentence(text).pattern % SLOTS
        assert whole == (filled if sentence(text).opened else f"{filled[0].upper()}{filled[1:]}") + "."
        assert template(text).words == sentence(text).words == len(text.split())


def test_frames_have_only_slots_that_are_filled() -> None:
    texts = frame_texts()
    told = ("v", "what", "town")
    allowed = {
        "rule": ("rule", "E", "be", "hold", "did", "not"),
        "years_after": ("n", "base", "event"),
        "pairs": ("former", "latter", "did", "did_too"),
        "years": told,
        "persons": told,
        "spots": told,
    }
    for kind, slots in allowed.items():
        value = getattr(texts, kind)
        forms = [value] if isinstance(value, tuple) else [*msgspec.structs.astuple(value)]
        for text in (
            text for form in forms for texts in form for text in ([texts] if isinstance(texts, str) else texts)
        ):
            assert set(re.findall(r"\{(\w+)\}", text)) <= set(slots), text
            assert not text.endswith(".") and text == " ".join(text.split()), text


@pytest.mark.parametrize("domain", DOMAINS)
def test_statements_are_filled_as_format_fills_them(domain: str) -> None:
    for attribute in load_domain(domain).attributes.values():
        for form in (form for forms in attribute.forms for form in forms if attribute.kind != "rows"):
            assert form.pattern % SLOTS == form.text.format_map(SLOTS)
            assert form.predicate == form.text.startswith("{S} ")


def test_a_choice_of_words_is_every_wording() -> None:
    ways = wordings(["[a|the] cat[, [old|grey]|]"])
    assert sorted(ways) == ["a cat", "a cat, grey", "a cat, old", "the cat", "the cat, grey", "the cat, old"]


@pytest.mark.parametrize("domain", DOMAINS)
def test_no_wording_has_a_blank_too_many(domain: str) -> None:
    loaded, frames = load_domain(domain), frame_texts()
    told = [text for kind in ("years", "persons", "spots", "pairs") for text in chain(*getattr(frames, kind).plain)]
    for text in wordings((*loaded.intro, *loaded.colour, *told)):
        assert text == " ".join(text.split()) and " ," not in text and "[" not in text, text


def test_every_claim_can_be_denied() -> None:
    denied = {
        base.claim: denied_claim(base.claim)
        for domain in map(load_domain, DOMAINS)
        for base in bases_of(domain, domain.attributes, KeyedRandom("test"))
        if base.claim
    }
    assert all(re.search(r"\bnot\b|\bno more\b|\bcannot\b", text) for text in denied.values())
    assert denied["this ship carried passengers"] == "this ship did not carry passengers"


def test_percent_signs_stay_as_they_are() -> None:
    assert template("90 % of {town}").pattern % {"town": "Asham"} == "90 % of Asham"


def test_what_varies_is_drawn_in_one_order() -> None:
    assert template("{O} and {E} and {D}").varied == ("E", "D", "O")
    assert template("{town}").varied == ()


@pytest.mark.parametrize("domain", DOMAINS)
def test_names_are_words_with_an_end_and_never_end_twice(domain: str) -> None:
    loaded, rng = load_domain(domain), Random(1)
    towns = {culture: set(place_names(culture)) for culture in CULTURE_NAMES}
    for _ in range(500):
        named = name_at(loaded, rng.randrange(name_count(loaded)))
        assert named.town in towns[named.culture] and named.town != named.word
        if named.word:
            assert named.word in towns[named.culture] and named.word in named.name
            end = named.name.partition(named.word)[2].split()
            assert not end or not named.word.lower().endswith(end[-1].lower())
