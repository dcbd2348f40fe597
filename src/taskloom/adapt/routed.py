"""One frozen model with an adaptation of its own for each task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager
from typing import ClassVar, Protocol

from taskloom.core import Suite, UserError, unknown_name
from taskloom.core.encoding import Prompt
from taskloom.core.model import Belief, Generation, Model, Output, Request
from taskloom.models.local import LocalModel


class _Lanes(Protocol):
    def answering_each(self, model: LocalModel, lane: Callable[[Request], int]) -> AbstractContextManager[None]: ...


class RoutedModel(Model):
    """Answers each request as the lane of its task has adapted the model; one batch may ask many lanes.

    Args:
        model: The frozen model.
        change: The tensors of all lanes.
        lanes: The place of each task's lane.
    """

    abilities: ClassVar[frozenset[str]] = frozenset({"generate", "logprobs"})
    cacheable = False
    """Two tasks may ask with the same words and deserve different answers."""

    def __init__(self, model: LocalModel, change: _Lanes, lanes: dict[str, int]) -> None:
        self._model, self._change, self._lanes = model, change, lanes
        self.identity, self.limits, self.tokenizer = model.identity, model.limits, model.tokenizer

    def prepare(self, suite: Suite) -> None:
        """Refuse a suite with a task that nothing was adapted to."""
        for task in suite.tasks:
            self._lane(task)

    def _lane(self, task: str) -> int:
        if task not in self._lanes:
            raise unknown_name(
                "task", task, self._lanes, where=f"{self.identity.name}, adapted to each task separately"
            )
        return self._lanes[task]

    def _answering(self) -> AbstractContextManager[None]:
        return self._change.answering_each(self._model, lambda request: self._lane(request.task.name))

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        with self._answering():
            return self._model.generate(requests, generation)

    def answer_batch(self, requests: Sequence[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
        with self._answering():
            yield from self._model.answer_batch(requests, generation)

    def weigh(
        self, requests: Sequence[Request], answers: Sequence[Sequence[str]], *, end: bool | None = None
    ) -> list[Belief]:
        with self._answering():
            return self._model.weigh(requests, answers, end=end)

    def logprobs(self, prompts: Sequence[Prompt], candidates: Sequence[Sequence[str]]) -> list[list[float]]:
        raise UserError(
            f"{self.identity.name} is adapted to each task separately, and a prompt alone does not name a task"
        )

    def render(self, prompt: Prompt) -> str:
        return self._model.render(prompt)

    def length(self, prompt: Prompt) -> int | None:
        return self._model.length(prompt)

    def close(self) -> None:
        self._model.close()
