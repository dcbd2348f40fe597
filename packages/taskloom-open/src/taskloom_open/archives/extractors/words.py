"""WordNet: synsets with glosses, example sentences and relations."""

from __future__ import annotations

import re
from collections.abc import Iterator

from taskloom_open.archives.archive import Archive
from taskloom_open.archives.tables import SourceText

_FILES = {"noun": ("noun1", "noun2"), "verb": ("verb",), "adj": ("adj",), "adv": ("adv",)}
_RELATIONS = {"@": "hypernym", "!": "antonym", "%p": "part", ">": "cause", "*": "entails", "%m": "member"}
_FOLDER = "pattern/text/en/wordnet/dict/"


def wordnet(archive: Archive) -> Iterator[SourceText]:
    """Synsets with example sentences or telling relations, and their relatives. The text is the definition."""
    held: dict[str, SourceText] = {}
    for kind, parts in _FILES.items():
        for part in parts:
            for line in archive.text(f"{_FOLDER}data.{part}").splitlines():
                if line[:8].isdigit():
                    found = _synset(line, kind)
                    held[found.id] = found
    wanted: set[str] = set()
    for one in held.values():
        links = one.more["links"]
        # Names of people and places have hypernyms too, but nothing else to ask about.
        if one.more["examples"] or one.more["opposites"] or links.keys() - {"hypernym", "member", "part"}:
            wanted.add(one.id)
            wanted.update(*links.values())
            wanted.update(str(target) for _, target, _ in one.more["opposites"])
    yield from (one for one in held.values() if one.id in wanted)


def _synset(line: str, kind: str) -> SourceText:
    data, _, gloss = line.partition(" | ")
    fields = data.split()
    count = int(fields[3], 16)
    words = [re.sub(r"\(\w+\)$", "", fields[4 + 2 * n]).replace("_", " ") for n in range(count)]
    at = 4 + 2 * count
    links: dict[str, list[str]] = {}
    opposites: list[list[int | str]] = []
    for n in range(int(fields[at])):
        sign, offset, pos, places = fields[at + 1 + 4 * n : at + 5 + 4 * n]
        relation = _RELATIONS.get(sign)
        target = f"{pos if pos != 's' else 'a'}{offset}"
        if relation == "antonym":
            opposites.append([int(places[:2], 16) - 1, target, int(places[2:], 16) - 1])
        elif relation:
            links.setdefault(relation, []).append(target)
    examples = re.findall(r'"([^"]+)"', gloss)
    definition = gloss.partition('; "')[0].strip().rstrip(";")
    letter = {"noun": "n", "verb": "v", "adj": "a", "adv": "r"}[kind]
    more = {
        "pos": kind,
        "words": words,
        "examples": [text for text in examples if 5 <= len(text.split()) <= 20],
        "links": links,
        "opposites": opposites,
        "file": int(fields[1]),
    }
    return SourceText(f"{letter}{fields[0]}", "English", definition, more)
