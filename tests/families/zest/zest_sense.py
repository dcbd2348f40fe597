"""What cannot be true together in one passage, found in the text alone."""

from __future__ import annotations

import re

from zest_patterns import TABLES, TOPICS
from zest_reader import Text, as_number, rows

ORDER = {
    "ruler": ("birth", "coronation"), "dog breed": ("recognised", "exported"), "nature reserve": ("opened", "enlarged"),
    "ship": ("launched", "scrapped"), "mountain": ("climbed", "skied"), "bridge": ("opened", "repaired"),
    "castle": ("founded", "destroyed"), "festival": ("founded", "cancelled"), "museum": ("founded", "renovated"),
    "railway line": ("opened", "electrified"),
}  # fmt: skip
ROWS_AFTER = {"ruler": ("coronation", "start"), "bridge": ("opened", "year")}
NOT_TOGETHER = {
    "ship": [("scrapped", None, "reef", None)],
    "castle": [("moat", True, "village", None)],
    "dog breed": [("purpose", "guarding barges", "water", False)],
    "mountain": [("rock", rock, "volcano", True) for rock in ("limestone", "granite", "slate", "gneiss", "sandstone")]
    + [("rock", "basalt", "volcano", False)],
    "festival": [
        ("venue", None, "indoors", True), ("parade", True, "indoors", True), ("fireworks", True, "indoors", True),
        ("theme", "kites", "indoors", True), ("theme", "river boats", "indoors", True),
    ],
}  # fmt: skip


WORDS_APART = {
    "festival": [(r"without a single tent|not even a tent", r"[Tt]he tents are")],
    "railway line": [(r"until Monday|day of rest|six days a week", r"every hour")],
    "bridge": [(r"slight damage", r"shook the \w+ badly")],
}


def _same(kind: str, one: object, other: object) -> bool:
    if kind == "number":
        return as_number(str(one)) == as_number(str(other))
    return sorted(one) == sorted(other) if isinstance(one, list) and isinstance(other, list) else one == other


def _two_descriptions(text: Text) -> list[str]:
    """Another entity that is introduced in two different ways."""
    known: dict[str, str] = {}
    found = []
    for sentence, own in zip(text.every, text.own, strict=True):
        introduced = re.match(r"([^,;]+), ((?:an?|the|her|one|another) [^,]+), ", sentence)
        if introduced and not own:
            name, description = introduced.groups()
            if known.setdefault(name, description) != description:
                found.append(f"{name}: {known[name]} and {description}")
    return found


def contradictions(noun: str, passage: str) -> list[str]:
    """Two values of one thing, dates in the wrong order, and pairs that exclude each other."""
    text = Text(passage)
    found: list[str] = []
    first: dict[str, object] = {}
    for name, topic in TOPICS[noun].items():
        values = text.all(noun, topic)
        if values:
            first[name] = values[0]
            found += [
                f"{name}: {values[0]} and {value}" for value in values[1:] if not _same(topic.kind, values[0], value)
            ]
    found += _two_descriptions(text)
    early, late = ORDER[noun]
    if early in first and late in first and int(str(first[late])) < int(str(first[early])):
        found.append(f"{late} before {early}")
    if noun in ROWS_AFTER:
        base, key = ROWS_AFTER[noun]
        years = [int(row[key]) for row in rows(TABLES[noun], text.own) if row[key] != "n/a"]
        found += [f"a row before {base}" for year in years if base in first and year < int(str(first[base]))]
    for one_wording, other_wording in WORDS_APART.get(noun, []):
        if re.search(one_wording, passage) and re.search(other_wording, passage):
            found.append(f"{one_wording} and {other_wording}")
    for one, value, other, against in NOT_TOGETHER.get(noun, []):
        if one in first and other in first and value in (None, first[one]) and against in (None, first[other]):
            found.append(f"{one} and {other}")
    return found
