"""The loader of `frames.toml`: what may stand around an answer, as trees of words that are walked word by word."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

__all__ = ["DATA", "LISTS", "TOKEN", "Frames", "load", "longest", "spelled_out", "tokens_of", "whole"]

DATA = Path(__file__).parent / "frames.toml"
_SIGNS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
TOKEN = re.compile(rf"[{_SIGNS}]|[^\W_{_SIGNS}]+(?:['’][^\W_{_SIGNS}]+)*|[^\w\s]|_+")
_ITEM = re.compile(r"\[([^\]]*)\]|\(([^)]*)\)|<(\w+)>|(\{\})|([^\s\[\](){}<>|]+)")
LISTS = ("mark", "frame", "lead", "turn", "no", "close", "note", "reason", "missing", "refuse", "tail")

Tree: TypeAlias = dict[str, Any]


class Frames(NamedTuple):
    """What is known of all languages together; `behind` and `tail` are read backwards, `talk` opens talk."""

    mark: Tree
    before: Tree
    behind: Tree
    lead: Tree
    turn: Tree
    no: Tree
    close: Tree
    note: Tree
    reason: Tree
    talk: Tree
    missing: Tree
    refuse: Tree
    tail: Tree
    words: frozenset[str]


def tokens_of(text: str) -> list[str]:
    """Words and signs in lower case; scripts without blanks sign by sign."""
    return TOKEN.findall(text.lower().replace("’", "'"))


def longest(tree: Tree, tokens: Sequence[str], start: int = 0) -> int:
    """How many tokens from `start` on are the longest entry of a tree, commas aside; 0 where none begins there."""
    best, place, size = 0, start, len(tokens)
    while place < size:
        following = tree.get(tokens[place])
        place += 1
        if following is None:
            if tokens[place - 1] == "," and place - 1 > start:
                continue
            break
        tree = following
        if "" in tree:
            best = place - start
    return best


def whole(tree: Tree, tokens: Sequence[str]) -> bool:
    """Whether all the tokens are one entry."""
    return bool(tokens) and longest(tree, tokens) == len(tokens)


def _grow(tree: Tree, words: Sequence[str]) -> None:
    for word in words:
        tree = tree.setdefault(word, {})
    tree[""] = {}


def spelled_out(entry: str, sets: dict[str, str]) -> Iterator[str]:
    """Every text that an entry stands for."""
    choices: list[list[str]] = []
    for maybe, some, name, hole, word in _ITEM.findall(entry):
        if name:
            choices.append(sets[name].split("|"))
        elif some or maybe:
            inner = [text for part in (some or maybe).split("|") for text in _inside(part, sets)]
            choices.append([*inner, ""] if maybe else inner)
        else:
            choices.append([hole or word])
    return (" ".join(filter(None, chosen)) for chosen in product(*choices))


def _inside(part: str, sets: dict[str, str]) -> list[str]:
    found = re.fullmatch(r"(.*?)<(\w+)>(.*)", part)
    return [f"{found[1]}{one}{found[3]}" for one in sets[found[2]].split("|")] if found else [part]


@cache
def load(path: Path = DATA) -> Frames:
    """The frames of a file."""
    trees: dict[str, Tree] = {name: {} for name in (*LISTS, "behind", "talk")}
    words: set[str] = set()
    for table in tomllib.loads(path.read_text("utf-8")).values():
        words.update(tokens_of(table.get("words", "")))
        for name in LISTS:
            for entry in table.get(name, ()):
                for text in spelled_out(entry, table.get("sets", {})):
                    if name == "tail" or text.startswith("{}"):
                        target = trees["tail" if name == "tail" else "behind"]
                        _grow(target, tokens_of(text.removeprefix("{}"))[::-1])
                    elif text.endswith("…"):
                        _grow(trees["talk"], tokens_of(text.removesuffix("…")))
                    else:
                        _grow(trees[name], tokens_of(text.removesuffix("{}")))
    trees["before"] = trees.pop("frame")
    return Frames(**trees, words=frozenset(words))
