"""The tokenizer against a slow merge loop of our own, and against odd texts."""

from __future__ import annotations

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from taskloom.encode.gpt2 import gpt2

regex = pytest.importorskip("regex")
PIECES = regex.compile(r"'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+")


@cache
def token_ranks() -> dict[bytes, int]:
    return {token: rank for rank, token in enumerate(gpt2().tokens)}


def slow(text: str) -> list[int]:
    ranks = token_ranks()
    numbers = []
    for piece in PIECES.findall(text):
        parts = [bytes([byte]) for byte in piece.encode()]
        while len(parts) > 1:
            best = min(range(len(parts) - 1), key=lambda i: ranks.get(parts[i] + parts[i + 1], 1 << 30))
            if parts[best] + parts[best + 1] not in ranks:
                break
            parts[best : best + 2] = [parts[best] + parts[best + 1]]
        numbers += [ranks[part] for part in parts]
    return numbers


def test_there_are_50256_tokens_and_known_numbers() -> None:
    assert len(gpt2().tokens) == 50_256
    assert gpt2().encode("Hello world") == [15496, 995]
    assert gpt2().encode("<|endoftext|>") == slow("<|endoftext|>")


@given(st.text(st.sampled_from("aeinst'  \n\t.,19é日😀") | st.characters(exclude_categories=["Cs", "Cn"]), max_size=50))
def test_equals_a_slow_merge_loop_and_decodes_back(text: str) -> None:
    numbers = gpt2().encode(text)
    assert numbers == slow(text)
    assert gpt2().decode(numbers) == text


def test_equals_tiktoken_on_characters_of_all_blocks() -> None:
    tiktoken = pytest.importorskip("tiktoken")
    pieces = r"'(?:s|t|re|ve|m|ll|d)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s+"
    theirs = tiktoken.Encoding("gpt2", pat_str=pieces, mergeable_ranks=token_ranks(), special_tokens={})
    for code in range(0, 0x110000, 7):
        text = f"a{chr(code)} {chr(code) * 2}1 '{chr(code)}"
        assert gpt2().encode(text) == theirs.encode_ordinary(text)


def test_half_a_pair_of_surrogates_is_a_replacement_character() -> None:
    assert gpt2().decode(gpt2().encode("a\ud83d")) == "a\ufffd"


def test_long_runs_of_white_space_are_cut_where_a_piece_ends() -> None:
    texts = ["a" + "\n" * 60_000 + "b  c", "\n" * 60_000, " " * 70_000 + "x" + "\n" * 55_000]
    for text in texts:
        assert gpt2().encode(text) == slow_runs(text)


def slow_runs(text: str) -> list[int]:
    """As `slow`, for pieces too long for its quadratic loop: only newlines merge, and only in pairs."""
    numbers: list[int] = []
    for piece in PIECES.findall(text):
        if len(piece) > 1000:
            pairs, left = divmod(len(piece), 2) if piece[0] == "\n" else (0, len(piece))
            numbers += gpt2().encode("\n\n") * pairs + gpt2().encode(piece[0]) * left
        else:
            numbers += slow(piece)
    return numbers
