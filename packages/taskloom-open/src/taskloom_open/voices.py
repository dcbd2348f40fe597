"""Tasks from voice commands in many languages: intents, slots, acts, effects."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random

from taskloom.author import Blueprint
from taskloom.core import digest
from taskloom.core.decode import read_toml
from taskloom_open.archives import SourceText
from taskloom_open.archives.languages import LANGUAGES
from taskloom_open.kit import Part, WorkedItem, choices, define

# What a command asks for, and what is the case afterwards.
MEANINGS: dict[str, tuple[str, str, str]] = {
    "HassCancelTimer": ("cancel a timer", "a timer stops running", "timer"),
    "HassStartTimer": ("start a timer", "a timer begins to run", "timer"),
    "HassPauseTimer": ("pause a timer", "a timer stands still until it is resumed", "timer"),
    "HassUnpauseTimer": ("resume a timer", "a paused timer runs again", "timer"),
    "HassIncreaseTimer": ("add time to a timer", "a timer runs longer", "timer"),
    "HassDecreaseTimer": ("take time off a timer", "a timer ends sooner", "timer"),
    "HassTimerStatus": ("hear how much time is left", "the remaining time is told", "question"),
    "HassTurnOn": ("switch something on", "something is on", "power"),
    "HassTurnOff": ("switch something off", "something is off", "power"),
    "HassSetVolume": ("set the volume", "the sound has another loudness", "media"),
    "HassMediaPlayerMute": ("silence the player", "the player makes no sound", "media"),
    "HassMediaPlayerUnmute": ("end the silence of the player", "the player can be heard again", "media"),
    "HassMediaPause": ("pause what is playing", "the music or film stands still", "media"),
    "HassMediaUnpause": ("resume what was playing", "the music or film goes on", "media"),
    "HassMediaNext": ("skip to the next piece", "the next piece is played", "media"),
    "HassMediaPrevious": ("go back to the piece before", "the piece before is played", "media"),
    "HassClimateSetTemperature": ("set the temperature", "the heating aims at another temperature", "climate"),
    "HassClimateGetTemperature": ("hear the temperature", "the temperature is told", "question"),
    "HassLightSet": ("change a light", "a light has another colour or brightness", "light"),
    "HassFanSetSpeed": ("set the speed of a fan", "a fan turns faster or slower", "climate"),
    "HassGetState": ("hear the state of a device", "the state of a device is told", "question"),
    "HassGetWeather": ("hear the weather", "the weather is told", "question"),
    "HassGetCurrentTime": ("hear the time", "the time is told", "question"),
    "HassGetCurrentDate": ("hear the date", "the date is told", "question"),
    "HassVacuumStart": ("let the vacuum cleaner start", "the vacuum cleaner cleans", "robot"),
    "HassVacuumReturnToBase": ("send the vacuum cleaner home", "the vacuum cleaner stands at its base", "robot"),
    "HassLawnMowerStartMowing": ("let the lawn mower start", "the lawn is mown", "robot"),
    "HassLawnMowerDock": ("send the lawn mower home", "the lawn mower stands at its base", "robot"),
}

_SLOTS = {
    "volume_level": "volume",
    "temperature": "temperature",
    "brightness": "brightness",
    "percentage": "speed",
    "minutes": "minutes",
}
_FILLED = {
    "HassStartTimer": "minutes",
    "HassIncreaseTimer": "minutes",
    "HassDecreaseTimer": "minutes",
    "HassSetVolume": "volume_level",
    "HassClimateSetTemperature": "temperature",
    "HassLightSet": "brightness",
    "HassFanSetSpeed": "percentage",
}
"""What the figure of a command stands for."""

# Slavic languages count these figures with the same form of the noun: from 5 to 20, and those that end in 0 or 5 to 9.
_COUNTED = tuple(str(n) for n in range(5, 100) if n < 21 or n % 10 in (0, 5, 6, 7, 8, 9))
_FIGURES = {
    "{m}": _COUNTED[:30],
    "{t}": tuple(str(n) for n in range(15, 31) if n not in (21, 22, 23, 24)),
    "{p}": _COUNTED,
}


_ENOUGH = 130


def voices() -> Iterator[Blueprint]:
    """Every task of this module."""
    for language in LANGUAGES:
        yield from _trained(language)
        yield from _tested(language)


@cache
def _written() -> dict[str, dict[str, tuple[str, str]]]:
    return read_toml(Path(__file__).with_name("commands.toml"), type=dict[str, dict[str, tuple[str, str]]])


def _known(part: Part, language: str) -> list[SourceText]:
    """The commands of a language, with every figure that they may hold."""
    found: list[SourceText] = []
    for intent, ways in _written().get(language, {}).items():
        way = ways[part == "b"]
        sign = next((one for one in _FIGURES if one in way), "")
        for figure in _FIGURES.get(sign, ("",)):
            slots = {_FILLED[intent]: figure} if sign else {}
            name = f"{intent}:{part}:{figure}"
            text = way.replace(sign or "\0", figure)
            # Ottanta and undici begin with a vowel.
            text = re.sub(r"\bal (?=8|11 )", "all'", text) if language == "Italian" else text
            found.append(SourceText(name, language, text, {"intent": intent, "slots": slots}))
    return sorted(found, key=lambda row: digest("order", row.id))


def _trained(language: str) -> Iterator[Blueprint]:
    held = _known("a", language)
    if len(held) >= _ENOUGH:
        yield define(
            "purpose_of_command",
            _purpose(held),
            table="",
            keys=len(held),
            language=language,
            output_language="English",
            scorer="exact",
        )
        yield define(
            "area_of_command",
            _area(held),
            table="",
            labels=_areas(held),
            language=language,
            output_language="English",
        )
    slotted = [row for row in held if row.more["slots"]]
    if len(slotted) >= _ENOUGH:
        yield define(
            "values_in_command",
            _values(slotted),
            table="",
            keys=len(slotted),
            language=language,
            output_language="English",
            scorer="exact",
        )
        yield define(
            "command_to_call",
            _call(slotted),
            table="",
            keys=len(slotted),
            language=language,
            output_language="English",
            scorer="exact",
            words=", ".join(sorted({_function(row) for row in slotted})),
        )
    warm = [
        row
        for row in slotted
        if len(row.more["slots"]) == 1 and next(iter(row.more["slots"])) in ("temperature", "volume_level")
    ]
    if len(warm) >= 25:
        yield define(
            "state_after_commands",
            _state(warm),
            table="",
            language=language,
            output_language="English",
            scorer="exact",
        )


def _purpose(held: list[SourceText]) -> Callable[[Random, int], WorkedItem]:
    known = sorted({MEANINGS[row.more["intent"]][0] for row in held})

    def make(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        right = MEANINGS[row.more["intent"]][0]
        options, wrong = choices(rng, right, known)
        return WorkedItem(
            f"{row.text}\nOptions: {'; '.join(options)}",
            right,
            f"Whoever says this wants to {right}.",
            wrong,
            f"Nobody who wants to {wrong} would say this.",
            (row.id,),
        )

    return make


def _areas(held: list[SourceText]) -> tuple[str, ...]:
    return tuple(sorted({MEANINGS[row.more["intent"]][2] for row in held}))


def _area(held: list[SourceText]) -> Callable[[Random, int], WorkedItem]:
    by_area: dict[str, list[SourceText]] = {}
    for row in held:
        by_area.setdefault(MEANINGS[row.more["intent"]][2], []).append(row)

    def make(rng: Random, key: int) -> WorkedItem:
        area = rng.choice(sorted(by_area))
        row = rng.choice(by_area[area])
        wrong = rng.choice([other for other in sorted(by_area) if other != area])
        number = rng.randint(100, 999)
        meaning = MEANINGS[row.more["intent"]][0]
        return WorkedItem(
            f"[{number}] {row.text}",
            area,
            f"The speaker wants to {meaning}, which belongs to '{area}'.",
            wrong,
            f"To {meaning} does not belong to '{wrong}'.",
            (row.id,),
        )

    return make


def _listed(row: SourceText) -> str:
    return ", ".join(
        f"{_SLOTS[name]}={value}" for name, value in sorted(row.more["slots"].items(), key=lambda pair: _SLOTS[pair[0]])
    )


def _values(held: list[SourceText]) -> Callable[[Random, int], WorkedItem]:
    def make(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        right = _listed(row)
        name, _, value = right.partition("=")
        return WorkedItem(
            row.text,
            right,
            f"The command sets {right.replace('=', ' to ')}.",
            f"{name}={int(value.split(',')[0]) + 1}",
            "The figure is not the one in the command.",
            (row.id,),
        )

    return make


def _function(row: SourceText) -> str:
    return "_".join(MEANINGS[row.more["intent"]][0].split())


def _call(held: list[SourceText]) -> Callable[[Random, int], WorkedItem]:
    def make(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        name = _function(row)
        right = f"{name}({_listed(row)})"
        return WorkedItem(
            row.text,
            right,
            f"The function is '{name}', and its arguments are the figures of the command.",
            f"{name}()",
            "The arguments are missing.",
            (row.id,),
        )

    return make


def _state(held: list[SourceText]) -> Callable[[Random, int], WorkedItem]:
    def make(rng: Random, key: int) -> WorkedItem:
        turns = rng.sample(held, rng.randint(2, 4))
        state: dict[str, str] = {}
        for row in turns:
            ((name, value),) = row.more["slots"].items()
            state[_SLOTS[name]] = value
        right = ", ".join(f"{name}={value}" for name, value in sorted(state.items()))
        ((name, value),) = turns[0].more["slots"].items()
        first = f"{_SLOTS[name]}={value}"
        return WorkedItem(
            "\n".join(f"{number}. {row.text}" for number, row in enumerate(turns, start=1)),
            right,
            "Of every quantity the last value that was set is kept.",
            first if first != right else f"{right}0",
            "Later commands were not followed.",
            tuple(row.id for row in turns),
        )

    return make


def _tested(language: str) -> Iterator[Blueprint]:
    held = _known("b", language)
    if len(held) < _ENOUGH:
        return
    asked = [row for row in held if MEANINGS[row.more["intent"]][2] == "question"]
    commands = [row for row in held if MEANINGS[row.more["intent"]][2] != "question"]
    if asked and commands:
        yield define(
            "question_or_command",
            _act(asked, commands),
            table="",
            labels=("question", "command"),
            language=language,
            output_language="English",
        )
    yield define(
        "entailed_by_command",
        _entailed(held),
        table="",
        keys=len(held),
        labels=("entailment", "not entailment"),
        language=language,
        output_language="English",
    )
    yield define(
        "effect_of_command",
        _effect(held),
        table="",
        keys=len(held),
        labels=("A", "B"),
        language=language,
        output_language="English",
    )


def _act(asked: list[SourceText], commands: list[SourceText]) -> Callable[[Random, int], WorkedItem]:
    def make(rng: Random, key: int) -> WorkedItem:
        question = rng.random() < 0.5
        row = rng.choice(asked if question else commands)
        meaning = MEANINGS[row.more["intent"]][0]
        answer, wrong = ("question", "command") if question else ("command", "question")
        return WorkedItem(
            f"[{rng.randint(100, 999)}] {row.text}",
            answer,
            f"The speaker wants to {meaning}.",
            wrong,
            f"To {meaning} is not what a {wrong} is for.",
            (row.id,),
        )

    return make


def _entailed(held: list[SourceText]) -> Callable[[Random, int], WorkedItem]:
    known = sorted({MEANINGS[row.more["intent"]][0] for row in held})

    def make(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        meaning = MEANINGS[row.more["intent"]][0]
        true = rng.random() < 0.5
        claim = meaning if true else rng.choice([other for other in known if other != meaning])
        answer, wrong = ("entailment", "not entailment") if true else ("not entailment", "entailment")
        return WorkedItem(
            f"Premise: Somebody says: {row.text}\nHypothesis: Somebody wants to {claim}.",
            answer,
            f"Whoever says this wants to {meaning}.",
            wrong,
            f"The words mean: {meaning}.",
            (row.id,),
        )

    return make


def _effect(held: list[SourceText]) -> Callable[[Random, int], WorkedItem]:
    known = sorted({MEANINGS[row.more["intent"]][1] for row in held})

    def make(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        effect = MEANINGS[row.more["intent"]][1]
        stray = rng.choice([other for other in known if other != effect])
        first = rng.random() < 0.5
        a, b = (effect, stray) if first else (stray, effect)
        return WorkedItem(
            f"Somebody says: {row.text}\nA: {a}\nB: {b}",
            "A" if first else "B",
            f"The command is followed, so {effect}.",
            "B" if first else "A",
            "This would follow from another command.",
            (row.id,),
        )

    return make
