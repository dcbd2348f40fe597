"""TaskBench500: an algebra of word and sequence functions, and the 500 tasks made of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from taskloom.families.taskbench.family import FAMILY

__all__ = ["FAMILY"]


def __getattr__(name: str) -> Any:
    """The family is loaded on first use: the language alone needs neither numpy nor a knowledge graph."""
    if name != "FAMILY":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from taskloom.families.taskbench.family import FAMILY

    return FAMILY
