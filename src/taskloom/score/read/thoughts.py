"""What a model says apart from what it thinks, in tags (`<think>…</think>`) or channels.

A thought that never ends means that the model ran out of room before it answered: that is *still thinking*, not wrong.
"""

from __future__ import annotations

import re
from typing import NamedTuple

__all__ = ["SplitOutput", "split_thoughts"]

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|reflection|scratchpad)>|\[(/?)THINK\]", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*<\|message\|>")


class SplitOutput(NamedTuple):
    """An output without its closed thoughts; `open_thought` is what follows a tag that is never closed, else None."""

    text: str
    open_thought: str | None = None


def split_thoughts(raw: str) -> SplitOutput:
    """Tell what was said from what was thought, in one pass.

    A closing tag without an opening one ends a thought begun by the chat template: what stands before it goes.
    """
    if "<" not in raw and "[" not in raw:
        return SplitOutput(raw)
    if "<|channel|>" in raw:
        return _final_channel(raw)
    pieces: list[str] = []
    said, opened = 0, -1
    for tag in _TAG.finditer(raw):
        if tag[1] or tag[2]:
            if opened < 0:
                pieces.clear()
            opened, said = -1, tag.end()
        elif opened < 0:
            pieces.append(raw[said : tag.start()])
            opened = tag.end()
    if opened >= 0:
        return SplitOutput("".join(pieces), raw[opened:])
    return SplitOutput("".join(pieces) + raw[said:])


def _final_channel(raw: str) -> SplitOutput:
    """What stands in the last channel, if that is the final one; all others are thoughts."""
    channels = list(_CHANNEL.finditer(raw))
    if channels and channels[-1][1].lower() == "final":
        return SplitOutput(raw[channels[-1].end() :])
    return SplitOutput("", raw[channels[-1].end() :] if channels else raw)
