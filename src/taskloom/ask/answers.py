"""Reading and judging one answer outside a run: rewards, human judgement, imports."""

from __future__ import annotations

from functools import lru_cache

from taskloom.ask.judge import ScoredReading, kept_of
from taskloom.core import Instance, Reader, Reading, Task
from taskloom.core.catalog import READERS
from taskloom.core.scorer import Score, Scorer, make_scorer

__all__ = ["judge_answer", "read_answer", "reader_of"]


def reader_of(task: Task, reader: str | Reader = "lenient") -> Reader:
    """A reader by name: "lenient", "strict" (the task's own), or another registered one.

    Raises:
        UserError: No reader of that name.
    """
    if isinstance(reader, str):
        return READERS.get(task.reader if reader == "strict" else reader)
    return reader


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
