"""Wire formats: one record per way of asking a server. A format that is not here is one file and one line below."""

from __future__ import annotations

from taskloom.models.wires.anthropic import MESSAGES
from taskloom.models.wires.gemini import GENERATE_CONTENT
from taskloom.models.wires.openai import CHAT, COMPLETIONS, RESPONSES
from taskloom.models.wires.wire import Wire

__all__ = ["CHAT", "COMPLETIONS", "WIRES"]

WIRES: dict[str, Wire] = {wire.name: wire for wire in (CHAT, COMPLETIONS, RESPONSES, MESSAGES, GENERATE_CONTENT)}
