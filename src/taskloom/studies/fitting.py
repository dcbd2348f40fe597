"""What studies that train have in common: a place for checkpoints, fitting, asking afterwards."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from taskloom.adapt.base import make_adaptation
from taskloom.adapt.evaluate import ask
from taskloom.adapt.lane import Result, read_result
from taskloom.core import Row, Suite, digest
from taskloom.encode.base import make_encoding
from taskloom.models.base import Model, Request
from taskloom.score.stats import mean_estimate
from taskloom.studies.base import Cell

__all__ = ["answer", "estimate", "fit", "home"]


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
    model: Model, suite: Suite, limit: int, *, task: str | None = None, encoding: str = "plain", max_tokens: int = 8
) -> list[tuple[Row, float]]:
    """Test rows of a suite, or of one of its tasks, with the scores of the model's answers."""
    written = make_encoding(encoding)
    rows = _spread(suite, limit, task)
    requests = [
        Request(written.encode(suite.tasks[row.task], row.instance), suite.tasks[row.task], row.instance)
        for row in rows
    ]
    return list(zip(rows, ask(model, requests, max_tokens), strict=True))


def estimate(answered: Sequence[tuple[Row, float]]) -> tuple[Cell, ...]:
    """Mean, interval and count of scores."""
    found = mean_estimate([score for _, score in answered])
    return found.value, found.low, found.high, found.n


def _spread(suite: Suite, limit: int, task: str | None) -> list[Row]:
    """Test rows chosen by hash, so that none of the cells a suite goes through in order is left out."""
    rows = suite.rows(suite.default_split(), task=task)
    return sorted(rows, key=lambda row: digest("study", row.task, row.instance.id))[:limit]
