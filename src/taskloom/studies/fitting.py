"""What studies that train have in common: a place for checkpoints, fitting, asking afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from taskloom.adapt.lane import Result, read_result
from taskloom.adapt.make import make_adaptation
from taskloom.ask import Judge, ask, make_request, scores_of
from taskloom.core import Progress, Recipe, Row, Suite, digest
from taskloom.core.encoding import make_encoding
from taskloom.core.model import Generation, Model, Output, Request
from taskloom.core.study import Value
from taskloom.score.stats import mean_estimate

__all__ = ["SETTLING", "AnsweredRequest", "FittingRecipe", "answer", "estimate", "fit", "home", "scores"]


class FittingRecipe(Recipe, frozen=True, kw_only=True):
    """What every study that fits a model can be set to; each has defaults of its own.

    Attributes:
        shots: Training examples per task.
        updates: Updates.
        batch: Examples per update.
        learning_rate: The learning rate.
        precision: fp32 or bf16.
        limit: Test rows asked of each suite.
    """

    shots: int
    updates: int
    batch: int
    learning_rate: float
    precision: str = "fp32"
    limit: int = 500

    def __post_init__(self) -> None:
        if self.limit < 1:
            raise ValueError(f"limit is 1 or more, not {self.limit}")

    def training(self, looks: int) -> dict[str, Any]:
        """Options of an adaptation with this many evaluations, as long as `updates` says."""
        return {
            "shots": self.shots,
            "updates": self.updates,
            "epochs": 1e6,
            "batch": self.batch,
            "learning_rate": self.learning_rate,
            "precision": self.precision,
            "evaluate_updates": max(1, self.updates // looks),
        }


SETTLING: dict[str, Any] = {"schedule": "linear", "warmup": 0.1, "clip": 1.0}
"""Options that bring a pretrained model to rest at the end of a short training."""


class AnsweredRequest(NamedTuple):
    """A test row as it was asked, and what the model said."""

    request: Request
    output: Output


@contextmanager
def home(out: Path | None) -> Iterator[Path]:
    """Where curves and checkpoints go: the folder given, or one that is gone afterwards."""
    if out is not None:
        yield out
        return
    with tempfile.TemporaryDirectory(prefix="taskloom-") as folder:
        yield Path(folder)


def fit(
    model: Model,
    suite: Suite,
    adaptation: str,
    options: dict[str, Any],
    folder: Path,
    seed: int,
    encoding: str = "plain",
) -> tuple[Model, Result]:
    """The adapted model, and how its training went. A folder in which it was done before is read."""
    adapted = make_adaptation(adaptation, options).adapt(model, suite, make_encoding(encoding), folder, seed=seed)
    result = read_result(folder)
    assert result is not None
    return adapted, result


def answer(
    model: Model,
    suite: Suite,
    limit: int,
    *,
    tasks: Collection[str] | None = None,
    encoding: str = "plain",
    max_tokens: int = 8,
) -> list[AnsweredRequest]:
    """Test rows of a suite, or of some of its tasks, with what the model said."""
    written = make_encoding(encoding)
    rows = _spread(suite, limit, tasks)
    requests = [make_request(suite.tasks[row.task], row, written, model) for row in rows]
    outputs: dict[int, Output] = {}
    with Progress(f"asking {suite.name}", len(requests), unit="rows") as progress:

        def keep(group: list[tuple[int, Request, Output]]) -> None:
            outputs.update((place, output) for place, _, output in group)
            progress.advance(len(group))

        ask(model, enumerate(requests), Generation(max_tokens=max_tokens), keep)
    return [AnsweredRequest(request, outputs[place]) for place, request in enumerate(requests)]


def scores(answered: Sequence[AnsweredRequest], scorer: str | None = None) -> list[float]:
    """The score of each answer, by the tasks' own scorers or by the one named."""
    requests = [request for request, _ in answered]
    judge = Judge([request.task for request in requests], scorer)
    return scores_of(requests, [output for _, output in answered], judge)


def estimate(values: Sequence[float]) -> tuple[Value, ...]:
    """Mean, interval and count of scores."""
    found = mean_estimate(values)
    return found.value, found.low, found.high, found.n


def _spread(suite: Suite, limit: int, tasks: Collection[str] | None) -> list[Row]:
    """Test rows chosen by hash, so that none of the cells a suite goes through in order is left out."""
    rows = (row for row in suite.rows(suite.default_split()) if tasks is None or row.task in tasks)
    return sorted(rows, key=lambda row: digest("study", row.task, row.instance.id))[:limit]
