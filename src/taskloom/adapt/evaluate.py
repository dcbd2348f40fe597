"""Asking a model in training and scoring its answers with each task's own scorer."""

from __future__ import annotations

from collections.abc import Sequence

from taskloom.core.catalog import EXTRACTORS, SCORERS
from taskloom.models.base import Generation, Model, Output, Request

__all__ = ["ask", "score_answers"]


def score_answers(requests: Sequence[Request], outputs: Sequence[Output]) -> list[float]:
    """The score of each answer; what failed or cannot be parsed scores 0."""
    scores: list[float] = []
    for request, output in zip(requests, outputs, strict=True):
        found = EXTRACTORS.get(request.task.extractor).extract(output.text)
        if output.state == "failed" or found.answer is None:
            scores.append(0.0)
        else:
            scorer = SCORERS.get(request.task.scorer)
            scores.append(float(scorer.score(found.answer, request.instance.targets, request.task).value))
    return scores


def ask(model: Model, requests: Sequence[Request], max_tokens: int) -> list[float]:
    """Greedy answers to all requests, scored."""
    if not requests:
        return []
    return score_answers(requests, model.generate(requests, Generation(max_tokens=max_tokens)))
