"""The byte-level BPE tokenizer of GPT-2, offline.

Two things need it: the cross-lingual ROUGE-L of Super-NaturalInstructions, which is defined on its tokens, and
the length rule of encodings for models that bring no tokenizer of their own. The vocabulary (50,000 merges) and the
classes of characters are package data built by `scripts/build_gpt2_vocabulary.py`; the vocabulary is checked by hash
when it is read.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from hashlib import sha256
from heapq import heapify, heappop, heappush
from importlib.resources import files

from taskloom.core import UserError

MERGES_SHA256 = "04e3597d7996f292ca9b8b7285ca4d58a6ae171ac47d73fc7140ceb0c7a6bbc0"

# How GPT-2 cuts text before merging: contractions, runs of letters, of numbers, of anything else, of blanks. The
# possessive forms (`++`) match the same and never backtrack. What is a letter is written out, because the tables of
# Python differ from version to version.
_PIECES = r"'(?:s|t|re|ve|m|ll|d)| ?[L]++| ?[N]++| ?[^SLN]++|[S]++\Z|[S]+(?![^S])|[S]+"
_CACHED_PIECES = 100_000


def byte_symbols() -> dict[str, int]:
    """The 256 printable characters by which GPT-2's files write bytes, in the order of their token numbers."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = sorted(set(range(256)) - set(printable))
    symbols = {chr(byte): byte for byte in printable}
    return symbols | {chr(256 + index): byte for index, byte in enumerate(others)}


class GPT2Tokenizer:
    """Token numbers of GPT-2, without special tokens: `<|endoftext|>` in a text is plain text."""

    def __init__(self, tokens: list[bytes], pieces: re.Pattern[str]) -> None:
        self.tokens = tokens
        self._ranks = {token: rank for rank, token in enumerate(tokens)}
        self._pieces = pieces
        self._numbers = lru_cache(_CACHED_PIECES)(self._merge)

    def encode(self, text: str) -> list[int]:
        """The token numbers of a text."""
        if not text.isascii():  # half of a pair of surrogates, as in JSON that was cut, has no bytes
            text = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
        return [number for piece in self._pieces.findall(text) for number in self._numbers(piece)]

    def _merge(self, piece: str) -> tuple[int, ...]:
        """The token numbers of a piece: neighbours of the lowest rank are joined first, from left to right."""
        text, ranks = piece.encode(), self._ranks
        if text in ranks:
            return (ranks[text],)
        size = len(text)
        ends, before = (
            list(range(1, size + 1)),
            list(range(-1, size - 1)),
        )  # of the token that begins here; 0: none does
        pairs = [
            (ranks[text[start : start + 2]], start, start + 2)
            for start in range(size - 1)
            if text[start : start + 2] in ranks
        ]
        heapify(pairs)
        while pairs:
            _, start, end = heappop(pairs)
            middle = ends[start]
            if not middle or middle >= end or ends[middle] != end:
                continue  # one of the two has been joined with another
            ends[start], ends[middle] = end, 0
            if end < size:
                before[end] = start
            for left, right in ((before[start], end), (start, ends[end] if end < size else 0)):
                if left >= 0 and (rank := ranks.get(text[left:right])) is not None:
                    heappush(pairs, (rank, left, right))
        starts = [start for start in range(size) if ends[start]]
        return tuple(ranks[text[start : ends[start]]] for start in starts)

    def decode(self, ids: list[int]) -> str:
        """The text of token numbers; a character cut in half becomes U+FFFD."""
        return b"".join(self.tokens[number] for number in ids).decode(errors="replace")


@cache
def gpt2() -> GPT2Tokenizer:
    """The tokenizer, loaded once per process."""
    import lzma

    data = files("taskloom.encode").joinpath("data")
    text = lzma.decompress(data.joinpath("gpt2_merges.txt.xz").read_bytes())
    if sha256(text).hexdigest() != MERGES_SHA256:
        raise UserError(
            "the packaged GPT-2 vocabulary is damaged",
            where="taskloom/encode/data/gpt2_merges.txt.xz",
            hint="pip install --force-reinstall taskloom",
        )
    number = byte_symbols()
    # Written symbols to bytes, all tokens at once; U+0100 cannot be a byte and separates them.
    table = str.maketrans({**{symbol: chr(byte) for symbol, byte in number.items()}, " ": None, "\n": "\u0100"})
    tokens = [bytes([byte]) for byte in number.values()]
    tokens += [token.encode("latin-1") for token in text.decode().translate(table).split("\u0100")]
    letters, numbers, blanks = data.joinpath("gpt2_classes.txt").read_text("ascii").split()
    pieces = re.sub("[LNS]", lambda match: {"L": letters, "N": numbers, "S": blanks}[match[0]], _PIECES)
    return GPT2Tokenizer(tokens, re.compile(pieces))
