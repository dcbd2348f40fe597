"""Models that need nothing: an upper bound, lower bounds, one that misbehaves on schedule, and readers of passages.

They look at the instance behind the prompt (an oracle must), so the answers of mocks are never cached by prompt.
"""

from __future__ import annotations

import re
import time
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from random import Random
from typing import Literal

import msgspec

from taskloom.core import Recipe, Share, Suite, keyed_random
from taskloom.core.kind import KINDS
from taskloom.core.model import Generation, Identity, Model, Output, Request
from taskloom.models.provider import Baseline, ProviderRecord


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
    draw: Literal["first", "random"] = "first"
    fail: Share = 0.1
    stall: Share = 0.05
    truncate: Share = 0.1
    empty: Share = 0.05
    rubbish: Share = 0.05
    flood: Share = 0.0
    crash: Share = 0.0
    stall_seconds: float = 0.01

    def __post_init__(self) -> None:
        if self.fail + self.stall + self.truncate + self.empty + self.rubbish + self.flood > 1:
            raise ValueError("the shares of wrong answers must sum to at most 1")


class MockModel(Baseline):
    """A mock: one answer per request, by a function of the mock and the request."""

    def __init__(self, name: str, options: MockOptions, answer: Callable[[MockModel, Request], str | Output]) -> None:
        settings = msgspec.to_builtins(options)
        super().__init__(Identity(f"mock/{name}", revision="1", settings=settings), partial(answer, self))
        self.options = options

    def random(self, request: Request) -> Random:
        """A generator of its own for each instance, independent of its batch."""
        more = (request.sample,) if request.sample else ()
        return keyed_random(self.identity.name, self.options.seed, request.task.name, request.instance.id, *more)

    def seen(self, request: Request) -> Counter[str]:
        """What there is to choose among: the labels of the task, else what its examples show."""
        return Counter(request.task.labels or [example.output for example in request.task.instruction.positive])


class TrainedMock(MockModel):
    """Imitates a model that has seen the answers of the training split, but no inputs."""

    _answers: dict[str, Counter[str]] = {}

    def prepare(self, suite: Suite) -> None:
        self._answers = {}
        for task, instance in suite.rows(suite.pool) if suite.pool is not None and suite.pool in suite.splits else ():
            self._answers.setdefault(task, Counter())[instance.targets.canonical()] += 1

    def seen(self, request: Request) -> Counter[str]:
        return self._answers.get(request.task.name) or super().seen(request)


class FlakyMock(MockModel):
    """Raises now and then instead of answering a batch."""

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        if self.random(requests[0]).random() < self.options.crash:
            raise ConnectionError("the model stopped in the middle of a batch")
        return super().generate(requests, generation)


def _oracle(mock: MockModel, request: Request) -> str:
    return request.instance.targets.canonical()


def _copy_demo(mock: MockModel, request: Request) -> str:
    examples = request.task.instruction.positive
    if not examples:
        return ""
    chosen = examples[0] if mock.options.draw == "first" else mock.random(request).choice(examples)
    return chosen.output


def _majority(mock: MockModel, request: Request) -> str:
    """The most frequent answer; ties go to the one that sorts first."""
    seen = mock.seen(request)
    return min(seen, key=lambda text: (-seen[text], text)) if seen else ""


def _random_answer(mock: MockModel, request: Request) -> str:
    choices = request.task.labels or tuple(sorted(mock.seen(request)))
    return mock.random(request).choice(choices) if choices else ""


def _stalled(text: str, seconds: float) -> Output:
    time.sleep(seconds)
    return Output(text)


def _spoilt(mock: MockModel, request: Request) -> Output:
    """The right answer, or one spoilt in one of several ways."""
    options, text = mock.options, request.instance.targets.canonical()
    rng = keyed_random("flaky", options.seed, request.task.name, request.instance.id)
    ways: list[tuple[float, Callable[[], Output]]] = [
        (options.fail, lambda: Output("", "failed", "the model failed on schedule")),
        (options.stall, lambda: _stalled(text, options.stall_seconds)),
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


_MOCKS: dict[str, tuple[str, type[MockModel], Callable[[MockModel, Request], str | Output]]] = {
    "oracle": ("the right answer: the upper bound", MockModel, _oracle),
    "copy-input": ("the input, unchanged", MockModel, lambda mock, request: request.instance.input),
    "copy-demo": ("the output of a positive example (-M draw=random)", MockModel, _copy_demo),
    "majority": ("the most frequent training answer of the task", TrainedMock, _majority),
    "random": ("a random label or training answer (-M seed=N)", TrainedMock, _random_answer),
    "constant": ("a constant (-M answer=TEXT)", MockModel, lambda mock, request: mock.options.answer),
    "flaky": ("an oracle that fails, stalls and truncates on schedule, for testing", FlakyMock, _spoilt),
}


def _mock(name: str, options: MockOptions) -> Model:
    _, kind, answer = _MOCKS[name]
    return kind(name, options, answer)


PROVIDER = ProviderRecord(
    "mock", {name: about for name, (about, *_) in _MOCKS.items()}, MockOptions(), _mock, closed=True, trains=False
)


# Baselines for questions over passages. They look at the named parts of an instance (passage, question) alone.

_COMMON = frozenset(
    {
        "a", "all", "an", "and", "any", "are", "as", "at", "be", "been", "both", "but", "by", "can", "did", "do",
        "does", "each", "false", "for", "from", "had", "has", "have", "how", "in", "is", "it", "its", "many", "much",
        "name", "of", "on", "or", "that", "the", "there", "this", "to", "true", "was", "were", "what", "when",
        "where", "which", "who", "whom", "with", "year",
    }
)  # fmt: skip
_SENTENCE = re.compile(r"(?<=[.!?])\s+")
_NAME = re.compile(r"(?<!^)\b[A-ZÀ-Þ][\w'’-]+(?: [A-ZÀ-Þ][\w'’-]+)*")
_NUMBER = re.compile(r"\b\d[\d,.]*(?: [a-z]+)?")
_YEAR = re.compile(r"\b[12]\d{3}\b")


def _words(text: str) -> set[str]:
    """Content words cut to five letters, so that "opened" and "opening" meet."""
    return {word[:5] for word in re.findall(r"\w+", text.lower())} - _COMMON


def _nearest(question: str, passage: str) -> tuple[str, int]:
    asked = _words(question)
    sentences = _SENTENCE.split(passage)
    best = max(sentences, key=lambda sentence: len(asked & _words(sentence)))
    return best, len(asked & _words(best))


def _copy(question: str, sentence: str) -> str:
    """A name, a year or a number where the question asks for one, else the longest run of words not asked with."""
    start = question.lower()
    wanted = [_NAME, _NUMBER]
    if re.match(r"when|in (?:which|what) year|what (?:is|was) the .*year", start):
        wanted = [_YEAR]
    elif re.match(r"how", start):
        wanted = [_NUMBER]
    elif not re.match(r"who|where|at which|in which", start):
        wanted = []
    for pattern in wanted:
        found = pattern.findall(sentence)
        if found:
            return str(max(found, key=len))
    asked = _words(question)
    runs: list[list[str]] = [[]]
    for word in sentence.rstrip(".").split():
        if _words(word) & asked:
            runs.append([])
        else:
            runs[-1].append(word)
    longest = max(runs, key=len)
    return " ".join(longest) or "n/a"


def _longest_overlap(request: Request) -> str:
    """Finds the sentence that shares most words with the question and copies what the question seems to want.

    Without a passage it says yes to yes/no questions and n/a to others; without a question it says n/a.
    """
    question, passage = (request.instance.parts.get(part, "") for part in ("question", "passage"))
    closed = bool(request.task.labels)
    if not question or not passage:
        return "yes" if question and closed else "n/a"
    sentence, shared = _nearest(question, passage)
    if not shared:
        return "n/a"
    if closed:
        return "no" if re.search(r"\b(?:no|not|never|without|neither|nobody|nothing)\b", sentence) else "yes"
    return KINDS.get(request.task.kind).write(_copy(question, sentence), request.task)


_READERS: dict[str, tuple[str, Callable[[Request], str]]] = {
    "na": ("always n/a: the passage does not say", lambda request: "n/a"),
    "yes": ("always yes", lambda request: "yes"),
    "longest-overlap": ("copies from the sentence that shares most words with the question", _longest_overlap),
}


def _reader(name: str, options: Recipe) -> Model:
    model = Baseline(Identity(f"reading/{name}", revision="1"), _READERS[name][1], batch=1024)
    model.cacheable = True
    return model


READING = ProviderRecord(
    "reading", {name: about for name, (about, _) in _READERS.items()}, Recipe(), _reader, closed=True, trains=False
)
