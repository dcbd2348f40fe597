"""Reward functions: completions and the columns of a dataset in, one number each out.

A reward reads and scores a completion just as a run does (`taskloom.ask`), so what is trained for is what is measured.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from typing import Any, Literal, TypeAlias

from taskloom.ask.judge import ScoredReading, judge_answer, kept_of
from taskloom.core import (
    AnyOf,
    Instance,
    Items,
    Product,
    Structure,
    Suite,
    Targets,
    Task,
    UserError,
    ensure_known,
    open_suite,
    unknown_name,
)
from taskloom.core.catalog import SCORERS
from taskloom.core.suite import Origin
from taskloom.rl.columns import unpack_targets

LENIENT_SHARE = 0.9
"""What an answer is worth that is right only as a careful person reads it."""

PARTIAL_SHARE = 0.8
"""What the parts of an answer are worth at most: always less than a right answer, however it is written."""

_LONGEST = 2_000


def partial_credit(found: ScoredReading, task: Task, targets: Targets) -> float:
    """The share of an answer that is right less what is wrong, at most `PARTIAL_SHARE`."""
    if found.answer is None:
        return 0.0
    answer = found.answer[:_LONGEST]
    own = _net(found.score or 0.0) if _adds_nothing(answer, targets) else 0.0
    return PARTIAL_SHARE * min(1.0, max(own, _share(answer, task, targets)))


def _adds_nothing(answer: str, targets: Targets) -> bool:
    """Whether every word stands in one acceptable answer: a denial and a hedge add words of their own."""
    said = set(answer.lower().replace(".", " ").split())
    texts = targets.answers if isinstance(targets, AnyOf) else (targets.canonical(),)
    return any(said <= set(text.lower().replace(".", " ").split()) for text in texts[:16])


def _net(share: float, recall: float | None = None) -> float:
    """What is left of a share (of what was said, or of all parts) when each wrong part takes a right one away."""
    right = share if recall is None else recall
    return max(0.0, right * (2.0 - 1.0 / share)) if share else 0.0


def _share(answer: str, task: Task, targets: Targets) -> float:
    match targets:
        case Items():
            details = SCORERS.get("items").score(answer, targets, task).details
            return _net(details["precision"], details["recall"])
        case Structure():
            return _net(SCORERS.get("structure").score(answer, targets, task).details.get("leaf_f1", 0.0))
        case Product():
            return _net(SCORERS.get("words").score(answer, targets, task).value)
        case _:
            return 0.0


Reading: TypeAlias = Literal["strict", "lenient", "shaped"]


class Reward:
    """Rewards for the completions of one suite. Made by `reward`.

    It keeps nothing between calls: the same completion of the same row has the same reward. It pickles to the name,
    seed and options of a suite that was opened by name, else to the suite's tasks.

    Args:
        tasks: The tasks by name.
        reading: "strict", "lenient" or "shaped".
        origin: How the tasks are found again in another process.
    """

    def __init__(self, tasks: Mapping[str, Task], reading: Reading = "lenient", origin: Origin | None = None) -> None:
        self.tasks = tasks
        self.reading = reading
        self.origin = origin
        # Trainers call a reward by the name of a function.
        self.__name__ = f"taskloom_{reading}"

    def __reduce__(self) -> tuple[Any, ...]:
        if self.origin is not None:
            return _reopened, (self.origin.name, self.origin.seed, dict(self.origin.options), self.reading)
        return Reward, (dict(self.tasks), self.reading)

    def __repr__(self) -> str:
        return f"<Reward by the {self.reading} reading: {self.origin.name if self.origin else 'tasks of its own'}>"

    def __call__(
        self,
        prompts: Sequence[Any] | None = None,
        completions: Sequence[Any] = (),
        task: Sequence[str] | None = None,
        targets: Sequence[Any] | None = None,
        answer: Sequence[Any] | None = None,
        **columns: Any,
    ) -> list[float | None]:
        """One reward per completion, as TRL calls it: with the prompts, the completions and every other column.

        Args:
            prompts: What was shown: texts, or chat messages.
            completions: What was said: texts, or chat messages.
            task: The name of each row's task; not needed where the suite has one task.
            targets: The acceptable answers of each row, as `to_hf` writes them.
            answer: The right answer of each row; looked at only where there are no targets.
            **columns: Further columns that a trainer hands over; ignored.

        Returns:
            Numbers in [0, 1]; None where a plug-in's scorer failed on a completion.

        Raises:
            UserError: A task that the suite does not have, or neither targets nor answers.
        """
        rights = targets if targets is not None else answer
        if rights is None:
            raise UserError("a reward needs a column with the right answers: targets or answer", hint="to_hf(suite)")
        tasks = self._tasks(task, len(completions))
        asked = prompts if prompts is not None else [""] * len(completions)
        return [
            self.one(one, unpack_targets(right), completion_text(said), chat_text(shown))
            for one, right, said, shown in zip(tasks, rights, completions, asked, strict=True)
        ]

    def _tasks(self, names: Sequence[str] | None, count: int) -> list[Task]:
        if names is None:
            if len(self.tasks) != 1:
                raise UserError(f"a suite of {len(self.tasks)} tasks needs a column that names the task of each row")
            return [next(iter(self.tasks.values()))] * count
        found = []
        for name in names:
            ensure_known("task", name, self.tasks)
            found.append(self.tasks[name])
        return found

    def one(self, task: Task, targets: Targets, said: str, shown: str = "") -> float | None:
        # Nothing beyond what a reader looks at; cut before anything else is done to ten megabytes.
        said, instance = kept_of(said), Instance("", "", targets)
        try:
            if self.reading != "shaped":
                return judge_answer(task, instance, said, reader=self.reading, prompt=shown).score
            return self._shaped(task, instance, said, shown)
        except (UserError, MemoryError):
            raise
        except Exception as error:  # noqa: BLE001 - a scorer that cannot bear an answer must not end a training run
            # Said once for each reason; the trainer leaves such a completion out.
            warnings.warn(f"no reward: scorer {task.scorer!r} raised {type(error).__name__}: {error}", stacklevel=2)
            return None

    def _shaped(self, task: Task, instance: Instance, said: str, shown: str) -> float:
        strict = judge_answer(task, instance, said, reader="strict", prompt=shown)
        if strict.score == 1.0:
            return 1.0
        lenient = judge_answer(task, instance, said, reader="lenient", prompt=shown, known=strict)
        if lenient.score == 1.0:
            return LENIENT_SHARE
        # Only the careful reader tells an attempt from a denial; the literal one takes any line for an answer.
        return partial_credit(lenient, task, instance.targets)


def reward(suite: Suite, reading: Reading = "lenient") -> Reward:
    """The reward function of a suite: `GRPOTrainer(reward_funcs=reward(suite), …)` takes it as it is.

    Args:
        suite: The suite whose rows (`to_hf(suite, "train")`) are trained on.
        reading: "strict" reads a completion to the letter, "lenient" as a careful person would; "shaped" gives 1 for
            an answer that is right to the letter, 0.9 for one that is right as a careful person reads it, and at
            most 0.8 for one that is right in part (items, places of a sequence, leaves of JSON, words of a text).

    Example:
        >>> from taskloom import open_suite
        >>> from taskloom.rl import reward
        >>> suite = open_suite("babi/task-1", seed=7)
        >>> row = next(suite.rows("train"))
        >>> right = row.instance.targets.canonical()
        >>> score = reward(suite)
        >>> score(prompts=["…"] * 2, completions=[f"It is the {right}.", "no idea"], answer=[right] * 2)
        [1.0, 0.0]
    """
    if reading not in ("strict", "lenient", "shaped"):
        raise unknown_name("reading", reading, ["strict", "lenient", "shaped"], where="reward")
    return Reward(suite.tasks, reading, suite.origin)


def _reopened(name: str, seed: int | None, options: Mapping[str, Any], reading: Reading) -> Reward:
    return reward(open_suite(name, seed=seed, options=options), reading)


def completion_text(said: Any) -> str:
    """What a completion says: a text as it is, of chat messages those of the assistant, anything else nothing."""
    if isinstance(said, str):
        return said
    if isinstance(said, Sequence):
        return "\n".join(_content(message) for message in said if isinstance(message, Mapping))
    return _content(said) if isinstance(said, Mapping) else ""


def chat_text(shown: Any) -> str:
    """A prompt as text; chat messages as runs write them down."""
    if isinstance(shown, str):
        return shown
    if not isinstance(shown, Sequence):
        return ""
    messages = [message for message in shown if isinstance(message, Mapping)]
    return "\n\n".join(f"[{message.get('role', '')}]\n{_content(message)}" for message in messages)


def _content(message: Mapping[str, Any]) -> str:
    content = message.get("content")
    if isinstance(content, str):
        return content
    if isinstance(content, Sequence):  # parts, as servers write them
        texts = (part.get("text") for part in content if isinstance(part, Mapping))
        return "".join(text for text in texts if isinstance(text, str))
    return ""
