"""Several adaptations of one frozen model, asked in one batch."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from taskloom.core.model import Request

__all__ = ["LaneChoice"]


@dataclass(frozen=True)
class LaneChoice:
    """Which of a model's adaptations each request is for.

    Attributes:
        lane: The number of the adaptation that a request is for.
        prefix: The token ids of an adaptation that stand in front of its prompts.
        select: Says which adaptation each row of the next pass through the module belongs to.
    """

    lane: Callable[[Request], int]
    prefix: Callable[[int], tuple[int, ...]]
    select: Callable[[Sequence[int]], None]
