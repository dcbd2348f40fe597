"""Long inputs: the lines of an item, in their order, at random places among lines of other text; the last line last.

This is BABILong's construction, for every task. The other text is generated prose, or the books in a folder of the
user's. Lines that share a content word with the item are left out, so that nothing else bears on the answer.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from taskloom.core import UserError, open_suite
from taskloom.weave.expression import leaves_of
from taskloom.weave.records import ItemsOperator, Outline, Woven, words_of

if TYPE_CHECKING:
    from taskloom.algebra import Expression
    from taskloom.weave.draw import Draw

_SIZES = {"k": 1_000, "m": 1_000_000}
_SHORTEST = 10
"""Tokens of the shortest line of other text."""
_LEAST = 200_000
"""Tokens of other text that are held beyond the longest run, so that every item takes a run of its own."""
_SENTENCES = re.compile(r"(?<=[.!?])[\"'”’]?\s+(?=[\"'“‘A-Z])")
_WORDS = re.compile(r"[a-z]{3,}")
_COMMON = frozenset(
    {"the", "and", "was", "were", "are", "has", "had", "have", "not", "for", "with", "that", "this", "from", "into",
     "his", "her", "him", "she", "they", "them", "their", "there", "then", "its", "all", "who", "what", "where",
     "which", "when", "how", "many", "out", "but", "one", "two", "three", "you", "your"}
)  # fmt: skip
_MOST_BOOK = 64 << 20
_WORDS_OF_WITHIN = words_of("within")


def token_number(text: str) -> int:
    """A number of tokens as people write it: 4k, 1M, 0.

    Raises:
        UserError: It is no such number.
    """
    unit = _SIZES.get(text[-1:].lower(), 0)
    digits = text[:-1] if unit else text
    if not digits.isdecimal():
        raise UserError(f"a length is a number of tokens such as 0, 4k, 128k or 1M, not {text!r}", where="tokens")
    return int(digits) * (unit or 1)


class TokenCount(NamedTuple):
    """How long texts are: the tokens of a line, and those of a line break between two."""

    of: Callable[[str], int]
    line_break: int


@cache
def tokens_of(tokenizer: str = "") -> TokenCount:
    """What counts tokens: GPT-2's tokenizer, or that of a folder or file `tokenizer.json`."""
    if not tokenizer:
        from taskloom.encode.gpt2 import gpt2

        encode = gpt2().encode
        return _counting(lambda text: len(encode(text)))
    from tokenizers import Tokenizer

    path = Path(tokenizer)
    path = path / "tokenizer.json" if path.is_dir() else path
    if not path.is_file():
        raise UserError("there is no tokenizer.json", where=str(path), hint="-T tokenizer=FOLDER of a checkpoint")
    own = Tokenizer.from_file(str(path))
    return _counting(lambda text: len(own.encode(text, add_special_tokens=False).ids))


def _counting(count: Callable[[str], int]) -> TokenCount:
    """A line break is a token of its own for some tokenizers, and nothing for those that split at white space."""
    first, second = "She stayed.", "He left."
    return TokenCount(count, count(f"{first}\n{second}") - count(first) - count(second))


def content_words(text: str) -> frozenset[str]:
    """The words of a text that carry its meaning, in small letters."""
    return frozenset(_WORDS.findall(text.lower())) - _COMMON


class Background:
    """Lines of other text, drawn as far as they are needed: one length more than the longest run, and no words of them.

    Args:
        lines: The texts of the lines.
        count: What counts tokens.
        where: Where they come from, for errors.
    """

    def __init__(self, lines: Iterator[str], count: TokenCount, where: str) -> None:
        self._more = lines
        self._count = count
        self._where = where
        self._lines: list[str] = []
        self._ends = array("Q", [0])

    def _hold(self, tokens: int) -> None:
        for text in self._more if self._ends[-1] < tokens else ():
            number = self._count.of(text)
            if number >= _SHORTEST:
                self._lines.append(text)
                self._ends.append(self._ends[-1] + number + self._count.line_break)
            if self._ends[-1] >= tokens:
                return
        if not self._lines:
            raise UserError("there is no text to hide anything in", where=self._where)

    def run(self, rng: Random, tokens: int, words: frozenset[str]) -> list[str]:
        """Lines of so many tokens together, at most, from a random place on; none shares a content word."""
        self._hold(_LEAST + tokens)
        place = bisect_left(self._ends, rng.randrange(self._ends[-1]))
        found: list[str] = []
        left, unused = tokens, 0
        while left > _SHORTEST and unused < len(self._lines):
            at = place % len(self._lines)
            line, length = self._lines[at], self._ends[at + 1] - self._ends[at]
            place += 1
            if length <= left and words.isdisjoint(_WORDS.findall(line.lower())):
                found.append(line)
                left -= length
                unused = 0
            else:
                unused += 1
        return found


@lru_cache(maxsize=8)
def background(folder: str, tokenizer: str) -> Background:
    """Other text: the books in a folder, or generated prose."""
    count = tokens_of(tokenizer)
    if not folder:
        return Background(_prose(), count, "prose")
    files = sorted(path for path in Path(folder).expanduser().rglob("*.txt") if path.is_file())
    if not files:
        raise UserError("there are no books here: files *.txt", where=folder, hint="-T background=FOLDER")
    return Background(_books(files), count, folder)


def _prose() -> Iterator[str]:
    for seed in range(1 << 20):
        suite = open_suite("zest/fictional", seed=seed)
        for split in suite.splits:
            for row in suite.rows(split):
                yield from _SENTENCES.split(row.instance.parts["passage"])


def _books(files: list[Path]) -> Iterator[str]:
    for path in files:
        with path.open("rb") as book:
            text = book.read(_MOST_BOOK).decode("utf-8", "replace")
        yield from _SENTENCES.split(" ".join(text.split()))


def _depths(text: str) -> tuple[float, float]:
    """The range of places in which the lines of an item may stand: "" for all, "0.5-1"."""
    low, dash, high = (text or "0-1").partition("-")
    try:
        found = float(low), float(high if dash else low)
    except ValueError:
        found = -1.0, -1.0
    if not 0 <= found[0] <= found[1] <= 1:
        raise UserError(f"a depth is a share of the text such as 0.5, or a range 0.2-0.8, not {text!r}", where="depth")
    return found


def _hidden(draw: Draw, task: Expression, tokens: str, depth: str, folder: str) -> Woven | None:
    item = draw.item(task)
    wanted = token_number(tokens)
    if item is None or not wanted:
        return item
    settings = draw.loom.settings
    if not (folder or settings.get("background")) and any(name.startswith("zest/") for name in leaves_of(task)):
        raise UserError("passages of zest are not hidden in passages of zest", hint="background=FOLDER of books")
    count = tokens_of(settings.get("tokenizer", ""))
    lines = item.input.split("\n")
    *hidden, last = lines if len(lines) > 1 else (f"Input: {lines[0]}", "")
    left = wanted + count.line_break - sum(count.of(line) + count.line_break for line in (*hidden, last))
    other = background(folder or settings.get("background", ""), settings.get("tokenizer", ""))
    found = other.run(draw.rng, left, content_words(item.input))
    low, high = _depths(depth)
    span = range(round(low * len(found)), round(high * len(found)) + 1)
    places = sorted(draw.rng.choices(span, k=len(hidden)))
    text: list[str] = []
    before = 0
    for place, line in zip(places, hidden, strict=True):
        text += [*found[before:place], line]
        before = place
    return replace(item, input="\n".join([*text, *found[before:], *([last] if last else [])]))


def _within_outline(inner: Outline, tokens: str, depth: str, folder: str) -> Outline:
    _depths(depth)
    return inner.noted(_WORDS_OF_WITHIN.use) if token_number(tokens) else inner


WITHIN: Final = ItemsOperator(**_WORDS_OF_WITHIN.record("within"), make=_hidden, outline=_within_outline)
