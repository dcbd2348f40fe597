"""Models that need nothing: an upper bound, lower bounds, and one that misbehaves on schedule.

They look at the instance behind the prompt (an oracle must), so their answers are never cached by prompt.
"""

from __future__ import annotations

import time
from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from taskloom.core import Recipe, Suite, keyed_random, resolve, unknown_name
from taskloom.core.model import Generation, Identity, Limits, Model, Output, Provider, Request


class MockOptions(Recipe, frozen=True, kw_only=True):
    """Options of all mocks (`-M key=value`); each uses what it needs.

    Attributes:
        seed: The draws of `random`, `flaky`, and of `copy-demo` where `draw` is random.
        answer: What `constant` says.
        draw: Which demonstration `copy-demo` copies: first or random.
        fail, stall, truncate, empty, rubbish, flood: Shares of answers that `flaky` spoils in each way.
        crash: The share of calls in which `flaky` raises instead of answering.
        stall_seconds: How long a stall lasts.
    """

    seed: int = 0
    answer: str = "yes"
    draw: str = "first"
    fail: float = 0.1
    stall: float = 0.05
    truncate: float = 0.1
    empty: float = 0.05
    rubbish: float = 0.05
    flood: float = 0.0
    crash: float = 0.0
    stall_seconds: float = 0.01

    def __post_init__(self) -> None:
        if self.draw not in ("first", "random"):
            raise ValueError(f"draw is first or random, not {self.draw!r}")
        shares = (self.fail, self.stall, self.truncate, self.empty, self.rubbish, self.flood)
        if min(*shares, self.crash) < 0 or sum(shares) > 1 or self.crash > 1:
            raise ValueError("the shares of wrong answers must be 0 or more and sum to at most 1")


class MockModel(Model):
    """The base of all mocks: one answer per request, from the request alone."""

    cacheable = False
    nature = "baseline"

    def __init__(self, name: str, options: MockOptions) -> None:
        self.options = options
        self.identity = Identity(f"mock/{name}", revision="1", settings=msgspec.to_builtins(options))
        self.limits = Limits(batch=256)

    @abstractmethod
    def answer(self, request: Request) -> str:
        """What it says."""

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        return [Output(self.answer(request)) for request in requests]

    def random(self, request: Request) -> Random:
        """A generator of its own for each instance, whatever batch it comes in."""
        more = (request.sample,) if request.sample else ()
        return keyed_random(self.identity.name, self.options.seed, request.task.name, request.instance.id, *more)


class Oracle(MockModel):
    """Says the canonical right answer: the upper bound, and the test of every scorer."""

    def answer(self, request: Request) -> str:
        return request.instance.targets.canonical()


class CopyInput(MockModel):
    """Repeats the input."""

    def answer(self, request: Request) -> str:
        return request.instance.input


class CopyDemo(MockModel):
    """Repeats the output of the first positive example, or of one drawn per instance."""

    def answer(self, request: Request) -> str:
        examples = request.task.instruction.positive
        if not examples:
            return ""
        chosen = examples[0] if self.options.draw == "first" else self.random(request).choice(examples)
        return chosen.output


class Constant(MockModel):
    """Always says the same."""

    def answer(self, request: Request) -> str:
        return self.options.answer


class _AnswerPool(MockModel):
    """Mocks that imitate a model that has seen the answers of the training split, but no inputs."""

    def __init__(self, name: str, options: MockOptions) -> None:
        super().__init__(name, options)
        self._answers: dict[str, Counter[str]] = {}

    def prepare(self, suite: Suite) -> None:
        self._answers = {}
        if suite.pool is None or suite.pool not in suite.splits:
            return
        for task, instance in suite.rows(suite.pool):
            self._answers.setdefault(task, Counter())[instance.targets.canonical()] += 1

    def seen(self, request: Request) -> Counter[str]:
        """Answers seen for the task; for an unseen task its labels, else what its examples show."""
        task = request.task
        return self._answers.get(task.name) or Counter(task.labels or [e.output for e in task.instruction.positive])


class Majority(_AnswerPool):
    """Says the most frequent training answer of the task; ties go to the one that sorts first."""

    def answer(self, request: Request) -> str:
        seen = self.seen(request)
        return min(seen, key=lambda text: (-seen[text], text)) if seen else ""


class RandomAnswer(_AnswerPool):
    """Draws a label, or a training answer of the task."""

    def answer(self, request: Request) -> str:
        choices = request.task.labels or tuple(sorted(self.seen(request)))
        return self.random(request).choice(choices) if choices else ""


class Flaky(Oracle):
    """An oracle that fails, stalls, truncates, says nothing, rubbish or far too much, on a seeded schedule."""

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        first = requests[0]
        if self.random(first).random() < self.options.crash:
            raise ConnectionError("the model stopped in the middle of a batch")
        return [self._spoil(request) for request in requests]

    def _spoil(self, request: Request) -> Output:
        options, text = self.options, self.answer(request)
        rng = keyed_random("flaky", options.seed, request.task.name, request.instance.id)
        ways: list[tuple[float, Callable[[], Output]]] = [
            (options.fail, lambda: Output("", "failed", "the model failed on schedule")),
            (options.stall, lambda: self._stall(text)),
            (options.truncate, lambda: Output(text[: len(text) // 2], "truncated")),
            (options.empty, lambda: Output("")),
            (options.rubbish, lambda: Output(rng.randbytes(40).decode("latin-1") + "\ud800\x00")),
            (options.flood, lambda: Output("la " * 3_500_000)),
        ]
        draw = rng.random()
        for share, spoilt in ways:
            if draw < share:
                return spoilt()
            draw -= share
        return Output(text)

    def _stall(self, text: str) -> Output:
        time.sleep(self.options.stall_seconds)
        return Output(text)


_MOCKS: dict[str, tuple[type[MockModel], str]] = {
    "oracle": (Oracle, "the right answer: the upper bound"),
    "copy-input": (CopyInput, "the input, unchanged"),
    "copy-demo": (CopyDemo, "the output of a positive example (-M draw=random)"),
    "majority": (Majority, "the most frequent training answer of the task"),
    "random": (RandomAnswer, "a random label or training answer (-M seed=N)"),
    "constant": (Constant, "a constant (-M answer=TEXT)"),
    "flaky": (Flaky, "an oracle that fails, stalls and truncates on schedule, for testing"),
}


class MockProvider(Provider):
    """Opens `mock/…` models."""

    def names(self) -> Mapping[str, str]:
        return {name: line for name, (_, line) in _MOCKS.items()}

    def options(self, name: str) -> MockOptions:
        if name not in _MOCKS:
            raise unknown_name("model", f"mock/{name}", [f"mock/{known}" for known in _MOCKS])
        return MockOptions()

    def open(self, name: str, options: Mapping[str, Any]) -> Model:
        resolved = resolve(self.options(name), options, where=f"mock/{name}")
        return _MOCKS[name][0](name, resolved)


PROVIDER = MockProvider()
