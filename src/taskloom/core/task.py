"""A named function from inputs to acceptable outputs."""

from __future__ import annotations

from typing import Literal, TypeAlias

import msgspec

from taskloom.core.instance import Facet, content_hash
from taskloom.core.instruction import Instruction

__all__ = ["AnswerKind", "Task"]

AnswerKind: TypeAlias = Literal["text", "label", "boolean", "number", "items", "sequence", "json"]


class Task(msgspec.Struct, frozen=True):
    """A task: its instruction, how it is answered, how it is scored, and what it is made of.

    Attributes:
        name: Unique within the suite; letters, digits and `-_./[](){}=,` only where a family needs them.
        instruction: Definition and examples.
        kind: The form of its answers.
        scorer: The registered scorer that judges it by default.
        labels: The closed set of answers, for `label` and `boolean` tasks; empty otherwise.
        extractor: The registered extractor applied to raw output before scoring.
        facets: Columns shared by all its instances: family, category, language, depth, derives_from ...
        version: Raised whenever the data or the scoring of the task changes meaning.
    """

    name: str
    instruction: Instruction
    kind: AnswerKind = "text"
    scorer: str = "exact"
    labels: tuple[str, ...] = ()
    extractor: str = "whole"
    facets: dict[str, Facet] = {}
    version: str = "1"

    def hash(self) -> str:
        """A content hash over everything a model or a scorer sees of the task."""
        return content_hash(self)
