"""A model that follows people and objects through stories and does not know whom a pronoun means."""

from __future__ import annotations

import re


def answer(prompt: str) -> str:
    lines = [line.strip() for line in prompt.rpartition("[user]")[2].strip().splitlines() if line.strip()]
    at: dict[str, str] = {}
    held: dict[str, str] = {}
    for text in lines[:-1]:
        line = re.sub(r"^(?:After that|Following that|Afterwards|Then),? ", "", text)
        if found := re.match(r"(\w+) (?:journeyed|moved|travelled|went|went back) to the (\w+)\.", line):
            at[found[1]] = found[2]
            at |= {thing: found[2] for thing, person in held.items() if person == found[1]}
        elif found := re.match(r"(\w+) (?:grabbed|picked up|took|got) the (\w+)", line):
            held[found[2]] = found[1]
            at |= {found[2]: at[found[1]]} if found[1] in at else {}
        elif found := re.match(r"(\w+) (?:discarded|dropped|left|put down) the (\w+)", line):
            held.pop(found[2], None)
    asked = re.search(r"(\w+)\?", lines[-1])
    return f"Answer: {at.get(asked[1] if asked else '', 'garden')}"
