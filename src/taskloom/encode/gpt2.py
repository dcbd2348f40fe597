"""The byte-level BPE tokenizer of GPT-2, offline.

Two things need it: the cross-lingual ROUGE-L of Super-NaturalInstructions, which is defined on its tokens, and
the length rule of encodings for models that bring no tokenizer of their own. The vocabulary (50,000 merges) is
package data built by `scripts/build_gpt2_vocabulary.py` and checked by hash when it is read; the merging itself
is done by `tiktoken`, which needs no network when it is handed the ranks.
"""

from __future__ import annotations

import re
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING

from taskloom.core import UserError

if TYPE_CHECKING:
    import tiktoken

MERGES_SHA256 = "04e3597d7996f292ca9b8b7285ca4d58a6ae171ac47d73fc7140ceb0c7a6bbc0"

# How GPT-2 cuts text before merging: contractions, runs of letters, of numbers, of anything else, of blanks.
# The possessive forms (`++`) match the same and never backtrack.
_PIECES = r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s+"

# The last but one alternative does backtrack, and tiktoken panics when a run of white space is too long for its
# stack. The last character of a run begins the next piece when text follows, so long runs are cut before it.
_WHITE = r"\t-\r \x85\xa0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_LONG_RUN = 50_000
_LONG_WHITE = re.compile(rf"(?<![{_WHITE}])[{_WHITE}]{{{_LONG_RUN},}}+(?=.)", re.DOTALL)


def byte_symbols() -> dict[str, int]:
    """The 256 printable characters by which GPT-2's files write bytes, in the order of their token numbers."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = sorted(set(range(256)) - set(printable))
    symbols = {chr(byte): byte for byte in printable}
    return symbols | {chr(256 + index): byte for index, byte in enumerate(others)}


class GPT2Tokenizer:
    """Token numbers of GPT-2, without special tokens: `<|endoftext|>` in a text is plain text."""

    def __init__(self, encoding: tiktoken.Encoding, tokens: list[bytes]) -> None:
        self._encoding = encoding
        self.tokens = tokens

    def encode(self, text: str) -> list[int]:
        """The token numbers of a text."""
        if len(text) <= _LONG_RUN:
            return self._encoding.encode_ordinary(text)
        ids: list[int] = []
        start = 0
        for run in _LONG_WHITE.finditer(text):
            ids += self._encoding.encode_ordinary(text[start : run.start()])
            ids += self._encoding.encode_ordinary(run[0][:-1])
            start = run.end() - 1
        return ids + self._encoding.encode_ordinary(text[start:])

    def decode(self, ids: list[int]) -> str:
        """The text of token numbers; a character cut in half becomes U+FFFD."""
        return self._encoding.decode(ids)


@cache
def gpt2() -> GPT2Tokenizer:
    """The tokenizer, loaded once per process."""
    import lzma

    import tiktoken

    packed = files("taskloom.encode").joinpath("data/gpt2_merges.txt.xz").read_bytes()
    text = lzma.decompress(packed)
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
    ranks = {token: rank for rank, token in enumerate(tokens)}
    encoding = tiktoken.Encoding("gpt2", pat_str=_PIECES, mergeable_ranks=ranks, special_tokens={})
    return GPT2Tokenizer(encoding, tokens)
