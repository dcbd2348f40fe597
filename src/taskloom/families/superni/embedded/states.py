"""Tasks on what is true in the end: orders that change, lights that are switched."""

from __future__ import annotations

import re
from random import Random

from taskloom.author import Blueprint, task
from taskloom.families.superni.embedded.words import NAMES

__all__ = ["TASKS"]

_STATE = "Dialogue State Tracking"
_PEOPLE = NAMES["f"] + NAMES["m"]

_MENU = ("tea", "coffee", "soup", "salad", "cake", "juice")


def _order(rng: Random) -> str:
    counts: dict[str, int] = {}
    lines = []
    for _ in range(rng.randint(4, 6)):
        held = [item for item, count in counts.items() if count]
        if held and rng.random() < 0.4:
            item = rng.choice(held)
            number = rng.randint(1, counts[item])
            lines.append(f"Guest: Take away {number} {item}.")
            counts[item] -= number
        else:
            item, number = rng.choice(_MENU), rng.randint(1, 5)
            lines.append(f"Guest: Add {number} {item}.")
            counts[item] = counts.get(item, 0) + number
    return "\n".join(lines)


def _ordered(text: str) -> dict[str, int]:
    counts: dict[str, int] = {}
    for verb, number, item in re.findall(r"(Add|Take away) (\d+) (\w+)", text):
        counts[item] = counts.get(item, 0) + (int(number) if verb == "Add" else -int(number))
    return counts


def _order_text(text: str) -> str:
    return ", ".join(f"{count} {item}" for item, count in _ordered(text).items() if count) or "nothing"


_LAMPS = ("kitchen", "hall", "cellar", "attic", "garage", "bathroom")


def _switches(rng: Random) -> str:
    rooms = rng.sample(_LAMPS, 3)
    lines = [
        f"{rng.choice(_PEOPLE)}: Turn {rng.choice(['on', 'off'])} the light in the {rng.choice(rooms)}."
        for _ in range(5)
    ]
    return "\n".join([*lines, f"light in the {rng.choice(rooms)}"])


def _light(text: str) -> str:
    *lines, question = text.split("\n")
    states = [line for line in lines if question in line]
    return re.findall(r"Turn (on|off)", states[-1])[0] if states else "unknown"


TASKS: list[Blueprint] = [
    task(
        name="track_order",
        category=_STATE,
        definition=(
            "A guest changes an order step by step by adding things and taking them away. Write what is on the order "
            "at the end as a list such as 2 tea, 1 soup, in the order in which things were first mentioned. Leave out "
            "what is down to zero; if nothing is left, write nothing."
        ),
        solve=_order_text,
        right=[
            ("Guest: Add 3 tea.\nGuest: Add 1 soup.\nGuest: Take away 1 tea.", "Three teas less one, and the soup."),
            ("Guest: Add 2 cake.\nGuest: Take away 2 cake.\nGuest: Add 1 juice.", "No cake is left."),
        ],
        wrong=[
            (
                "Guest: Add 3 tea.\nGuest: Add 1 soup.\nGuest: Take away 1 tea.",
                "3 tea, 1 soup",
                "One tea was taken away.",
            )
        ],
    )(_order),
    task(
        name="track_lights",
        category=_STATE,
        definition=(
            "People switch lights in a house. The last line asks about the light in one room. Answer on or off "
            "according to the last time somebody switched it, or unknown if nobody mentioned that room."
        ),
        solve=_light,
        right=[
            (
                "Anna: Turn on the light in the hall.\nPaul: Turn off the light in the hall.\nlight in the hall",
                "Paul switched it last.",
            ),
            ("Anna: Turn on the light in the hall.\nlight in the attic", "Nobody mentioned the attic."),
        ],
        wrong=[
            (
                "Anna: Turn on the light in the hall.\nPaul: Turn off the light in the hall.\nlight in the hall",
                "on",
                "Paul turned it off after Anna.",
            )
        ],
        labels=("on", "off", "unknown"),
    )(_switches),
]
