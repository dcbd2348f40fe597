"""Encodings: from a task and an instance to exactly what a model sees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.core.lazy import lazy_names

if TYPE_CHECKING:
    from taskloom.encode.chat import Chat as Chat
    from taskloom.encode.plain import Plain as Plain

_MODULES = {
    "chat": "Chat",
    "plain": "Plain",
}
if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(__name__, _MODULES)
