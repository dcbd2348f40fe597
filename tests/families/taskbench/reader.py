"""An independent reader: works out answers from the text of a prompt alone.

It knows English sentences and the notation of expressions, and shares no code with what wrote them.
"""

from __future__ import annotations

import re
from collections import defaultdict

# What a sentence says: relation names as in expressions. Both wordings of each that tasks ask about.
PATTERNS = [
    (r"The father of (?P<x>.+) is (?P<y>.+)", "father"), (r"(?P<y>.+) is the father of (?P<x>.+)", "father"),
    (r"The mother of (?P<x>.+) is (?P<y>.+)", "mother"), (r"(?P<y>.+) is the mother of (?P<x>.+)", "mother"),
    (r"A child of (?P<x>.+) is (?P<y>.+)", "child"), (r"(?P<x>.+) has a child named (?P<y>.+)", "child"),
    (r"An occupation of (?P<x>.+) is (?P<y>.+)", "occupation"), (r"(?P<x>.+) works as: (?P<y>.+)", "occupation"),
    (r"(?P<x>.+) was born in (?P<y>.+)", "place_of_birth"),
    (r"The place of birth of (?P<x>.+) is (?P<y>.+)", "place_of_birth"),
    (r"(?P<x>.+) is a citizen of (?P<y>.+)", "country_of_citizenship"),
    (r"(?P<x>.+) holds the citizenship of (?P<y>.+)", "country_of_citizenship"),
    (r"The native language of (?P<x>.+) is (?P<y>.+)", "native_language"),
    (r"(?P<x>.+) is a native speaker of (?P<y>.+)", "native_language"),
    (r"(?P<x>.+) was influenced by (?P<y>.+)", "influenced_by"),
    (r"(?P<y>.+) was an influence on (?P<x>.+)", "influenced_by"),
    (r"The creator of (?P<x>.+) is (?P<y>.+)", "creator"), (r"(?P<x>.+) was created by (?P<y>.+)", "creator"),
    (r"The performer of (?P<x>.+) is (?P<y>.+)", "performer"), (r"(?P<x>.+) is performed by (?P<y>.+)", "performer"),
    (r"The head of state of (?P<x>.+) is (?P<y>.+)", "head_of_state"),
    (r"(?P<y>.+) is the head of state of (?P<x>.+)", "head_of_state"),
    (r"(?P<x>.+) is owned by (?P<y>.+)", "owned_by"), (r"The owner of (?P<x>.+) is (?P<y>.+)", "owned_by"),
    (r"(?P<x>.+) is named after (?P<y>.+)", "named_after"), (r"(?P<y>.+) gave (?P<x>.+) its name", "named_after"),
]  # fmt: skip

Facts = dict[str, dict[str, set[str]]]


def sentences(text: str) -> list[str]:
    body = text.split("\n", maxsplit=1)[0].removeprefix("Facts: ")
    return re.split(r"(?<=[^.])\. (?=[A-Z0-9\"'])", body.removesuffix("."))


def read(text: str) -> tuple[Facts, str]:
    """The facts of a prompt and what it asks about. Sentences about other relations are passed over."""
    facts: Facts = defaultdict(lambda: defaultdict(set))
    for sentence in sentences(text):
        for pattern, name in PATTERNS:
            match = re.fullmatch(pattern, sentence)
            if match:
                facts[name][match["x"]].add(match["y"])
    asked = text.split("\n")[1]
    return facts, asked.split(": ", 1)[1]


def split_top(text: str) -> list[str]:
    parts, level, start = [], 0, 0
    for place, mark in enumerate(text):
        level += (mark in "([{") - (mark in ")]}")
        if mark == "," and level == 0:
            parts.append(text[start:place])
            start = place + 1
    return [*parts, text[start:]]


def relation(name: str, x: str, facts: Facts) -> set[str]:
    head, _, rest = name.partition("(")
    inside = rest[:-1]
    if head == "union":
        return set().union(*(relation(part, x, facts) for part in split_top(inside)))
    if head == "intersection":
        return set.intersection(*(relation(part, x, facts) for part in split_top(inside)))
    middle = relation(inside, x, facts) if rest else {x}
    plain = head.removesuffix("[inv]")
    if plain != head:
        return {s for s, values in facts[plain].items() if values & middle}
    return set().union(*(facts[head].get(y, set()) for y in middle)) if middle else set()


def predicate(name: str, x: str, facts: Facts, places: dict[str, str]) -> bool | None:
    head, _, rest = name.partition("(")
    inside = rest[:-1]
    if head == "lnot":
        truth = predicate(inside, x, facts, places)
        return None if truth is None else not truth
    if head in ("land", "lor"):
        truths = [predicate(part, x, facts, places) for part in split_top(inside)]
        if None in truths:
            return None
        return all(truths) if head == "land" else any(truths)
    key, value = head.removeprefix("is-").split("-", 1)
    key = {"birthplace": "place_of_birth"}.get(key, key)
    members = relation(inside, x, facts) if rest else {x}
    truths = []
    for member in sorted(members):
        values = facts[key].get(member)
        truths.append(None if not values else places.get(value, value) in values)
    if not truths or None in truths or len(set(truths)) > 1:
        return None
    return truths[0]


def answer(name: str, text: str, places: dict[str, str] | None = None) -> set[str] | bool | None:
    """What follows from a prompt: the acceptable answers, or a truth value."""
    facts, x = read(text)
    logical = name.startswith(("is-", "land", "lor", "lnot"))
    return predicate(name, x, facts, places or {}) if logical else relation(name, x, facts)
