"""Texts that stand as they once were looked at and found right.

A test makes a text of everything that its part has to say and compares it with the file beside the test. After a
change that is meant, `TASKLOOM_APPROVE=1 pytest TEST` writes the file anew; the difference is then there to be read.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import msgspec


def approved(path: Path, text: str) -> None:
    """Whether a text is the one in a file."""
    if os.environ.get("TASKLOOM_APPROVE"):
        path.write_text(text, "utf-8")
    expected = path.read_text("utf-8").splitlines()
    assert text.splitlines() == expected, f"if that is meant: TASKLOOM_APPROVE=1 pytest, then read {path.name}"


def plain(value: Any) -> str:
    """Data as a line of JSON. The last digits of a number may differ from machine to machine."""

    def rounded(item: Any) -> Any:
        if isinstance(item, dict):
            return {str(key): rounded(held) for key, held in item.items()}
        if isinstance(item, list | tuple):
            return [rounded(held) for held in item]
        return float(f"{item:.5g}") if isinstance(item, float) else item

    return json.dumps(rounded(msgspec.to_builtins(value, enc_hook=str)), ensure_ascii=False)
