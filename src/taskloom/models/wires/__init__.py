"""Wire formats: one record per way of asking a server. A format that is not here is one file and one line below."""

from __future__ import annotations

from taskloom.models.wires.anthropic import MESSAGES
from taskloom.models.wires.gemini import GENERATE_CONTENT
from taskloom.models.wires.openai import CHAT, COMPLETIONS, RESPONSES
from taskloom.models.wires.wire import (
    MalformedAnswerError,
    Reply,
    TokenScore,
    Usage,
    Wire,
    fault_of,
    read_answer,
    retry_after,
)

__all__ = [
    "CHAT",
    "COMPLETIONS",
    "WIRES",
    "MalformedAnswerError",
    "Reply",
    "TokenScore",
    "Usage",
    "Wire",
    "fault_of",
    "read_answer",
    "retry_after",
]

WIRES: dict[str, Wire] = {wire.name: wire for wire in (CHAT, COMPLETIONS, RESPONSES, MESSAGES, GENERATE_CONTENT)}
