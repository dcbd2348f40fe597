"""Tasks on what is true in the end: orders that change, lights that are switched."""

from __future__ import annotations

import re
from random import Random

from taskloom.families.superni.embedded.records import TaskCode
from taskloom.families.superni.embedded.words import NAMES

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


TASKS: dict[str, TaskCode] = {
    "track_order": (_order, _order_text),
    "track_lights": (_switches, _light),
}
