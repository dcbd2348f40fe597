"""From what a model said to scores: read it, score it, tell the states apart.

Every output is read twice: to the letter (`strict`) and as a careful person would read it (`lenient`). Both readings
are scored and kept; which of them is the headline is for the protocol to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, Literal, TypeAlias

import msgspec

from taskloom.ask.requests import ask
from taskloom.core import Instance, Reader, Reading, Targets, Task, UserError
from taskloom.core.calls import Explained, explained_late
from taskloom.core.catalog import READERS
from taskloom.core.display import printable
from taskloom.core.model import Generation, Model, Output, Request
from taskloom.core.scorer import Score, Scorer, make_scorer
from taskloom.core.targets import AnyOf, Boolean

State: TypeAlias = Literal["scored", "errored", "truncated"]
Headline: TypeAlias = Literal["strict", "lenient"]

LONGEST_RAW = 100_000
"""Characters of an output that are kept and read."""
_LEFT_OUT = "\n[…]\n"
_FEW = 8
_MOST_KNOWN = 4_096


def kept_of(text: str) -> str:
    """What is kept and read of an output: all of it, or its beginning and its end, where the answer stands."""
    text, half = printable(text), LONGEST_RAW // 2
    return text if len(text) <= LONGEST_RAW else text[:half] + _LEFT_OUT + text[len(_LEFT_OUT) - half :]


class ScoredReading(Explained, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """An answer as one reader found it, and its score.

    Attributes:
        answer: The answer; None means "unparsed".
        score: In [0, 1]; None if nothing could be scored.
        why: The reader's explanation.
        details: The scorer's details.
    """

    answer: str | None = None
    score: float | None = None
    why: str = ""
    details: dict[str, Any] = {}


class Assessment(msgspec.Struct, frozen=True, gc=False):
    """What became of one output: its state and both readings."""

    state: State
    scorer: str
    strict: ScoredReading
    lenient: ScoredReading | None = None


class ScorerFailedError(Exception):
    """A scorer raised on an answer."""


class Judge:
    """Reads and scores outputs, with each task's own reader and scorer or with named ones for all tasks.

    Args:
        tasks: The tasks that will be judged; their readers and scorers are looked up here, before anything runs.
        scorer: The scorer to use for all tasks.
        scorer_options: Options of the scorers (`-S key=value`); every scorer in use must know them.
        reader: A strict reader for all tasks.
        lenient: The lenient reader, None to read to the letter only.

    Raises:
        UserError: A scorer or reader that does not exist.
    """

    def __init__(
        self,
        tasks: Iterable[Task],
        scorer: str | None = None,
        reader: str | None = None,
        *,
        scorer_options: Mapping[str, Any] | None = None,
        lenient: Reader | None = None,
    ) -> None:
        self._scorer = scorer
        self._reader = reader
        self._options = dict(scorer_options or {})
        self._scorers: dict[str, Scorer] = {}
        self._readers: dict[str, Reader] = {}
        self._lenient = lenient
        # Answers to tasks with few labels repeat: what was scored once needs no second scoring.
        self._known: dict[tuple[bool, str, Reading, Targets], ScoredReading] = {}
        # Suites of many tasks make them lazily; where one scorer serves all, none of them has to be made for this.
        for task in () if scorer and reader else tasks:
            self._scorer_of(task)
            self._reader_of(task)
        if scorer:
            self._scorers[scorer] = make_scorer(scorer, self._options)
        if reader:
            self._readers[reader] = READERS.get(reader)

    def scorer(self, task: Task) -> str:
        """The name of the scorer that judges a task."""
        return self._scorer or task.scorer

    def _scorer_of(self, task: Task) -> Scorer:
        name = self.scorer(task)
        if name not in self._scorers:
            self._scorers[name] = make_scorer(name, self._options)
        return self._scorers[name]

    def _reader_of(self, task: Task) -> Reader:
        name = self._reader or task.reader
        if name not in self._readers:
            self._readers[name] = READERS.get(name)
        return self._readers[name]

    def score(self, found: Reading, targets: Targets, task: Task, reader: Reader | None = None) -> Score:
        """The score of a reading, checked to be one; graded by the reader that found it, where one is given."""
        scorer = self._scorer_of(task)
        try:
            if reader is None:
                score = scorer.score(found.answer or "", targets, task)
            else:
                score = reader.grade(found, scorer, targets, task)
        except (UserError, MemoryError):
            raise
        except Exception as error:
            raise ScorerFailedError(
                f"the scorer {self.scorer(task)} failed: {type(error).__name__}: {error}"
            ) from error
        if not 0.0 <= score.value <= 1.0:
            raise UserError(f"scorer {self.scorer(task)!r} gave {score.value}, which is not in [0, 1]", where=task.name)
        return score

    def assess(self, request: Request, output: Output) -> Assessment:
        """Both readings of an output, scored."""
        scorer = self.scorer(request.task)
        if output.state == "failed":
            return Assessment("errored", scorer, ScoredReading())
        said = kept_of(output.text)
        reader = self._reader_of(request.task)
        found = reader.read(said, request.task, request.prompt.text)
        try:
            strict = self._scored(found, request, reader)
        except ScorerFailedError as error:
            # One answer that a scorer cannot bear must not end a run; nobody takes it for a wrong one either.
            return Assessment("errored", scorer, ScoredReading(found.answer, None, str(error)[:300]))
        state: State = "truncated" if output.state == "truncated" or found.unfinished else "scored"
        if self._lenient is None:
            return Assessment(state, scorer, strict)
        # A model whose thought never ended said nothing, but may have stated its answer in the thought.
        everything = said if said.strip() else kept_of(output.raw)
        again = self._lenient.read(everything, request.task, request.prompt.text)
        try:
            lenient = self._scored(again, request, self._lenient)
        except ScorerFailedError as error:
            lenient = ScoredReading(again.answer, None, str(error)[:300])
        return Assessment(state, scorer, strict, lenient)

    def _scored(self, found: Reading, request: Request, reader: Reader) -> ScoredReading:
        if found.answer is None and not found.said:
            return ScoredReading(None, 0.0, found.why)
        targets, key = request.instance.targets, None
        if (type(targets) is AnyOf and len(targets.answers) <= _FEW) or type(targets) is Boolean:
            key = reader is self._lenient, request.task.name, found, targets
            if (known := self._known.get(key)) is not None:
                return known
        score = self.score(found, targets, request.task, reader)
        scored = ScoredReading(found.answer, score.value, found.why, score.details)
        if key is not None:
            if len(self._known) >= _MOST_KNOWN:
                self._known.clear()
            self._known[key] = scored
        return scored


def reader_of(task: Task, reader: str | Reader = "lenient") -> Reader:
    """A reader by name: "lenient", "strict" (the task's own), or another registered one.

    Raises:
        UserError: No reader of that name.
    """
    if isinstance(reader, str):
        return READERS.get(task.reader if reader == "strict" else reader)
    return reader


@explained_late
def read_answer(task: Task, text: str, *, reader: str | Reader = "lenient", prompt: str = "") -> Reading:
    """The answer in an output, as `taskloom run` would read it.

    Args:
        task: The task.
        text: The full output, including reasoning.
        reader: "lenient", "strict" (the task's own reader), another registered reader by name, or a reader.
        prompt: The prompt, or at least the instance's input: a reader needs it to recognise a sentence that
            restates the question, and an output that repeats the prompt.

    Raises:
        UserError: No reader of that name.

    Examples:
        >>> from taskloom import open_suite, read_answer
        >>> suite = open_suite("babi/task-1", seed=0)
        >>> row = next(iter(suite.draw("test")))
        >>> read_answer(suite.tasks[row.task], "**The answer is: the garden.**").answer
        'garden'
        >>> read_answer(suite.tasks[row.task], "I cannot say.").why
        'refusal'
    """
    return reader_of(task, reader).read(kept_of(text), task, prompt)


@explained_late
def judge_answer(
    task: Task,
    instance: Instance,
    text: str,
    *,
    reader: str | Reader = "lenient",
    scorer: str | Scorer | None = None,
    prompt: str | None = None,
    known: ScoredReading | None = None,
) -> ScoredReading:
    """Read and score an output exactly as `taskloom run` would.

    Args:
        task: The task.
        instance: The instance, with its acceptable answers.
        text: The full output, including reasoning.
        reader: "lenient", "strict" (the task's own reader), another registered reader by name, or a reader.
        scorer: A scorer, or its name; None for the task's own.
        prompt: The prompt; None for the instance's input.
        known: Another reading of the same text with the same scorer, so that an equal answer is not scored twice.

    Returns:
        The answer (None if there is none), its score in [0, 1] and the reason. An output that cannot be read
        scores 0.

    Raises:
        UserError: No reader or scorer of that name.

    Examples:
        >>> from taskloom import judge_answer, open_suite
        >>> suite = open_suite("babi/task-1", seed=0)
        >>> row = next(iter(suite.draw("test")))
        >>> task, right = suite.tasks[row.task], row.instance.targets.canonical()
        >>> judge_answer(task, row.instance, f"I think it's the {right}.").score
        1.0
        >>> judge_answer(task, row.instance, f"I think it's the {right}.", reader="strict").score
        0.0
        >>> judge_answer(task, row.instance, f"It is not the {right}.").score
        0.0
    """
    judge = reader_of(task, reader)
    found = judge.read(kept_of(text), task, instance.input if prompt is None else prompt)
    if found.answer is None and not found.said:
        return ScoredReading(None, 0.0, found.why)
    with_scorer = _scorer(scorer or task.scorer) if scorer is None or isinstance(scorer, str) else scorer
    before = None
    if known is not None and known.score is not None and found.answer is not None and known.answer == found.answer:
        before = Score(known.score, known.details)
    score = judge.grade(found, with_scorer, instance.targets, task, before)
    return ScoredReading(found.answer, score.value, found.why, score.details)


@lru_cache(maxsize=64)
def _scorer(name: str) -> Scorer:
    return make_scorer(name)


def ask_for_scores(model: Model, requests: Sequence[Request], generation: Generation) -> list[float]:
    """Ask all requests and score the answers to the letter; what failed or cannot be read scores 0."""
    judge = Judge([request.task for request in requests])
    scores: dict[int, float] = {}

    def keep(group: list[tuple[int, Request, Output]]) -> None:
        scores.update((number, judge.assess(request, output).strict.score or 0.0) for number, request, output in group)

    ask(model, enumerate(requests), generation, keep)
    return [scores[number] for number in range(len(requests))]
