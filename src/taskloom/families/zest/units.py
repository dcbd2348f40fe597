"""Planning a passage: what its sentences are to say, in which order, and how long it will be.

Facts come in varied wording, some of them in frames; sentences about another entity and sentences without facts are put
in between.
"""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

from taskloom.core.rng import below, pick, spin
from taskloom.families.zest.attributes import Attribute
from taskloom.families.zest.facts import Value, spoken_number, value_text
from taskloom.families.zest.frames import Frames, PassageUnit
from taskloom.families.zest.templates import SentenceTemplate

_MOST_COLOUR = 4
_FRAMED = 0.32
_PAIRED = 0.3
_SPELT = ("choice", "name", "year")
# Words that a passage has besides its facts, those of a pair of people, of a row and of a distractor's apposition.
_WORDS_OPENING = 20
_WORDS_OF_PAIR = 20
_WORDS_OF_ROW = 12
_WORDS_OF_OTHER = 9


def plan_units(frames: Frames, stated: Sequence[str], distracting: Sequence[str], words: int) -> list[PassageUnit]:
    """The units of a passage in order.

    Args:
        frames: The entities and the domain.
        stated: The attributes to state, in the order of the text.
        distracting: Attributes to state about the other entity.
        words: The length aimed at; sentences without facts fill up what is missing.
    """
    units, length = _facts(frames, stated)
    for name in distracting:
        if name not in frames.compared:
            length += _insert_distractor(frames, units, name)
    if length <= words:
        _insert_colour(frames, units, words - length)
    return units


def _facts(frames: Frames, stated: Sequence[str]) -> tuple[list[PassageUnit], int]:
    """One unit per attribute, or one for two people, and about how many words they take."""
    domain, rng, values = frames.domain, frames.rng, frames.entity.values
    random, bits, kinds, worded = rng.random, frames.bits, domain.kinds, domain.worded
    units: list[PassageUnit] = []
    length = _WORDS_OPENING
    pair = _pair(frames, stated)
    if pair is not None:
        length += _WORDS_OF_PAIR
    for name in stated:
        if pair is not None and name in pair.attributes:
            if name == pair.attributes[0]:
                units.append(pair)
            continue
        if random() < _FRAMED and (unit := frames.unit(name, stated)) is not None:
            units.append(unit)
            length += unit.words
            continue
        kind, value = kinds[name], values[name] if name in values else values.draw(name)
        if kind == "rows":
            units.append(PassageUnit("rows", (), (name,)))
            length += _WORDS_OF_ROW * len(value) if isinstance(value, tuple) else 0
            continue
        width, forms = worded[name][value is True]
        while (form := forms[bits(width)]) is None:
            pass
        if kind == "flag":
            units.append(PassageUnit(kind, (), (name,), "", form, form.simple))
            length += form.words
        else:
            text = str(value) if kind in _SPELT else _worded(domain.attributes[name], value, rng)
            joins = form.simple and kind != "list" and " and " not in text and ", " not in text
            units.append(PassageUnit(kind, (), (name,), text, form, joins))
            length += form.words + text.count(" ")
    return units, length


def _pair(frames: Frames, stated: Sequence[str]) -> PassageUnit | None:
    """Two people at once, now and then."""
    persons = frames.domain.persons.intersection(stated)
    if len(persons) < 2 or frames.rng.random() >= _PAIRED:
        return None
    first, second, *_ = (name for name in stated if name in persons)
    return frames.persons((first, second))


def _worded(attribute: Attribute, value: Value, rng: Random) -> str:
    """A value as a passage writes it; nothing for a flag, whose statement says it all."""
    kind = attribute.kind
    if kind == "number":
        assert isinstance(value, int)
        return spoken_number(value, attribute, rng)
    if kind == "list":
        return value_text(value, attribute)
    return "" if kind == "flag" else str(value)


def _insert_distractor(frames: Frames, units: list[PassageUnit], name: str) -> int:
    """Say something about the other entity, not in the words that its counterpart is said in.

    Returns:
        About how many words that takes.
    """
    domain, rng, value = frames.domain, frames.rng, frames.other.values[name]
    forms = domain.predicates[name][value is True]
    own, used = 0, None
    for at, unit in enumerate(units):
        if unit.form is not None and unit.attributes[0] == name:
            own, used = at, unit.form
            break
    if used is not None:
        forms = tuple([form for form in forms if form is not used]) or forms
    form = pick(rng, forms)
    unit = PassageUnit("distractor", (), (name,), _worded(domain.attributes[name], value, rng), form)
    # Often right before the entity's own value, for contrast.
    units.insert(own if rng.random() < 0.5 and own else _distractor_place(units, rng), unit)
    return form.words + _WORDS_OF_OTHER


def _distractor_place(units: list[PassageUnit], rng: Random) -> int:
    """What follows must be able to begin with the entity's name, so that "it" cannot be misread."""
    while True:
        place = 1 + below(rng, len(units))
        if place == len(units) or units[place].form is not None:
            return place


def _insert_colour(frames: Frames, units: list[PassageUnit], missing: int) -> None:
    """Sentences without facts, anywhere but first or right after a distractor, until there are words enough."""
    rng, bits, colours = frames.rng, frames.bits, frames.domain.colours
    spoken: list[SentenceTemplate] = []
    while missing >= 0 and len(spoken) < _MOST_COLOUR:
        while (sentence := spin(bits, colours)) in spoken:
            pass
        spoken.append(sentence)
        while units[before := below(rng, len(units))].kind == "distractor":
            pass
        units.insert(before + 1, PassageUnit("colour", (sentence,)))
        missing -= sentence.words
