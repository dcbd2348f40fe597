"""The contract between what a model said and the answer in it."""

from __future__ import annotations

from abc import abstractmethod

import msgspec

from taskloom.core.calls import Explained
from taskloom.core.recipe import NamedRecipe
from taskloom.core.scorer import Score, Scorer
from taskloom.core.targets import Targets
from taskloom.core.task import Task


class Reading(Explained, msgspec.Struct, frozen=True):
    """What a reader found in an output.

    Attributes:
        answer: The answer, or None if the reader found none ("unparsed").
        why: If there is no answer, the reason in a few words; else how the answer was found, or "".
        unfinished: The model was still thinking when it stopped, so it gave no answer.
        said: The answer with the words around it that may belong to it; for `Reader.grade`.
    """

    answer: str | None
    why: str = ""
    unfinished: bool = False
    said: str = ""


class Reader(NamedRecipe, frozen=True):
    """Finds the answer in raw output. Its fields are its options; their defaults are the documented ones.

    A reader knows the task and the question but never the acceptable answers.
    It is stateless (the same output always gets the same reading) and must never raise, for any output of a model.
    """

    @abstractmethod
    def read(self, text: str, task: Task, prompt: str = "") -> Reading:
        """The answer in an output.

        Args:
            text: What the model said, thinking included.
            task: The task, with its answer kind, labels and instruction.
            prompt: What the model was shown, or at least the instance's input. Readers that recognise a repeated
                prompt or a restated question need it; others ignore it.
        """

    def grade(self, found: Reading, scorer: Scorer, targets: Targets, task: Task, known: Score | None = None) -> Score:
        """The score of what this reader found.

        Strict readers ask the scorer. Others may first overlook a spelling that means the same (case, articles,
        the way a list is written): here the acceptable answers are known, in `read` they are not. `known` is the
        score of the answer as it stands, where it has been worked out already.
        """
        return known or scorer.score(found.answer or "", targets, task)
