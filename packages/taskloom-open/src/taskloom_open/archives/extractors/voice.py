"""Voice commands: sentence templates of a recognition grammar, expanded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from random import Random
from typing import Any

from taskloom.core import keyed_random
from taskloom_open.archives.archive import Archive
from taskloom_open.archives.languages import by_locale
from taskloom_open.archives.tables import SourceText

_PER_INTENT = 40
_ATTEMPTS = 160
_DEEPEST = 30
_PIECE = re.compile(r"[\[\]()|]|<[^<>]+>|\{[^{}]+\}|[^\[\]()|<>{}]+")


class _Grammar:
    """Templates of one language."""

    def __init__(self, data: dict[str, Any]) -> None:
        self._rules: dict[str, str] = data.get("expansion_rules") or {}
        self._lists: dict[str, Any] = data.get("lists") or {}

    def expand(self, template: str, rng: Random, slots: dict[str, str], rules: dict[str, str], depth: int = 0) -> str:
        """One sentence of a template; slots are filled in as they are met."""
        if depth > _DEEPEST:
            raise ValueError("nested too deeply")
        pieces = _PIECE.findall(template)
        text, end = self._sequence(pieces, 0, rng, slots, rules, depth)
        if end != len(pieces):
            raise ValueError("unbalanced template")
        return text

    def _sequence(
        self, pieces: list[str], place: int, rng: Random, slots: dict[str, str], rules: dict[str, str], depth: int
    ) -> tuple[str, int]:
        choices: list[tuple[str, dict[str, str]]] = []
        text, filled = "", dict[str, str]()
        while place < len(pieces) and pieces[place] not in ")]":
            piece = pieces[place]
            if piece == "|":
                choices.append((text, filled))
                text, filled = "", {}
            elif piece in "([":
                inner: dict[str, str] = {}
                said, place = self._sequence(pieces, place + 1, rng, inner, rules, depth)
                if place >= len(pieces):
                    raise ValueError("unbalanced template")
                if piece == "(" or rng.random() < 0.5:
                    text += said
                    filled |= inner
            elif piece.startswith("<"):
                body = rules.get(piece[1:-1]) or self._rules.get(piece[1:-1])
                if body is None:
                    raise ValueError(f"no rule {piece}")
                text += self.expand(body, rng, filled, rules, depth + 1)
            elif piece.startswith("{"):
                text += self._slot(piece[1:-1], rng, filled)
            else:
                # A semicolon lets its neighbours change places; here they stay.
                text += piece.replace(";", " ")
            place += 1
        choices.append((text, filled))
        chosen, kept = rng.choice(choices)
        slots |= kept
        return chosen, place

    def _slot(self, spec: str, rng: Random, slots: dict[str, str]) -> str:
        name, _, slot = spec.partition(":")
        known = self._lists.get(name)
        if not isinstance(known, dict):
            raise ValueError(f"no list {name}")
        if "range" in known:
            low, high = int(known["range"]["from"]), int(known["range"]["to"])
            step = int(known["range"].get("step") or 1)
            said = str(rng.randrange(max(low, 2), high + 1, step))
        elif known.get("values"):
            value = rng.choice(known["values"])
            said = str(value["in"] if isinstance(value, dict) else value)
            if re.search(r"[\[\](){}<>|]", said):
                raise ValueError("templates inside lists")
        else:
            raise ValueError("a wildcard")
        slots[slot or name] = said
        return said


def intents(archive: Archive) -> Iterator[SourceText]:
    """Commands of each intent, with the slots that the words fill."""
    for name in archive.names("home_assistant_intents/data/", ".json"):
        language = by_locale(name.rsplit("/", 1)[1].removesuffix(".json"))
        if language is None:
            continue
        data = json.loads(archive.read(name))
        grammar = _Grammar(data)
        for intent, entry in sorted((data.get("intents") or {}).items()):
            yield from _commands(language, intent, entry, grammar)


def _commands(language: str, intent: str, entry: dict[str, Any], grammar: _Grammar) -> Iterator[SourceText]:
    templates = [
        (sentence, block.get("expansion_rules") or {})
        for block in entry.get("data") or ()
        for sentence in block.get("sentences") or ()
    ]
    seen: dict[str, dict[str, str]] = {}
    rng = keyed_random("archives/intents", language, intent)
    for _ in range(_ATTEMPTS if templates else 0):
        slots: dict[str, str] = {}
        sentence, rules = rng.choice(templates)
        try:
            text = " ".join(grammar.expand(sentence, rng, slots, rules).split())
        except ValueError:
            continue
        if text and all(value in text for value in slots.values()):
            seen.setdefault(text, slots)
        if len(seen) == _PER_INTENT:
            break
    for place, (text, slots) in enumerate(seen.items()):
        yield SourceText(f"{intent}:{place}", language, text, {"intent": intent, "slots": slots})
