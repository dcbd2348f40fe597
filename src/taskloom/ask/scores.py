"""Asking for scores alone: what training, studies and rewards need."""

from __future__ import annotations

from collections.abc import Sequence

from taskloom.ask.judge import Headline, Judge
from taskloom.ask.requests import ask
from taskloom.core.model import Generation, Model, Output, Request

__all__ = ["ask_for_scores", "scores_of"]


def scores_of(
    requests: Sequence[Request], outputs: Sequence[Output], judge: Judge | None = None, headline: Headline = "strict"
) -> list[float]:
    """The score of each answer; what failed or cannot be read scores 0."""
    judge = judge or Judge([request.task for request in requests])
    scores = []
    for request, output in zip(requests, outputs, strict=True):
        found = judge.assess(request, output)
        reading = found.lenient if headline == "lenient" and found.lenient is not None else found.strict
        scores.append(reading.score or 0.0)
    return scores


def ask_for_scores(
    model: Model,
    requests: Sequence[Request],
    generation: Generation,
    judge: Judge | None = None,
    headline: Headline = "strict",
) -> list[float]:
    """Ask all requests and score the answers."""
    outputs: dict[int, Output] = {}
    ask(
        model,
        enumerate(requests),
        generation,
        lambda group: outputs.update((number, output) for number, _, output in group),
    )
    return scores_of(requests, [outputs[number] for number in range(len(requests))], judge, headline)
