"""The recipes of the ZEST suites."""

from __future__ import annotations

from math import fsum
from typing import Annotated, ClassVar, Literal, TypeAlias

import msgspec

from taskloom.core import Count, Positive, Recipe, Share
from taskloom.families.zest.domain import DOMAINS

VERSION = "5"
"""Raised whenever generated tasks change bytes."""


Shown: TypeAlias = Literal["both", "question", "passage"]
ScorerName: TypeAlias = Literal["zest/fair", "zest/official"]


class TaskShares(Recipe, frozen=True, kw_only=True):
    """The shares of the kinds of generalisation among the tasks of a split."""

    base: Share = 0.20
    paraphrase: Share = 0.24
    flip: Share = 0.19
    combination: Share = 0.21
    structure: Share = 0.16

    def __post_init__(self) -> None:
        parts = (self.base, self.paraphrase, self.flip, self.combination, self.structure)
        if abs(fsum(parts) - 1) > 1e-6:
            raise ValueError(f"shares must sum to 1, not to {fsum(parts):g}")
        if self.base == 0:
            raise ValueError("the share of base tasks cannot be 0: everything else derives from them")


class FictionalRecipe(Recipe, frozen=True, kw_only=True):
    """Tasks over invented passages. The defaults give the sizes of the published data.

    Attributes:
        train, dev, test: How many tasks each split has.
        passages: Passages per task.
        surplus: How many training tasks have one passage more.
        solved: Further solved passages per task, in a split of their own, for few-shot prompts.
        na: The mean share of passages that do not give the answer; each task draws its own share, from none to all.
        classification: The share of yes/no tasks.
        shares: The shares of the kinds of generalisation.
        domains: The domains to draw from.
        heldout: Domains reserved for the test split.
        facts: The minimum and maximum number of facts in a passage (a table counts as two).
        words: The target length of passages, in words.
        distractors: The share of passages with a sentence about another entity.
        show: What the input shows: passage and question, or one of them (the ablations).
        scorer: `zest/fair` or `zest/official`.
    """

    train: Count = 538
    dev: Count = 114
    test: Count = 599
    passages: Positive = 20
    surplus: Count = 6
    solved: Count = 0
    na: Share = 0.62
    classification: Share = 0.45
    shares: TaskShares = TaskShares()
    domains: tuple[str, ...] = DOMAINS
    heldout: tuple[str, ...] = ()
    facts: tuple[int, int] = (6, 8)
    words: Annotated[int, msgspec.Meta(ge=30, le=400)] = 122
    distractors: Share = 0.6
    show: Shown = "both"
    scorer: ScorerName = "zest/fair"

    def __post_init__(self) -> None:
        if self.train + self.dev + self.test == 0:
            raise ValueError("the splits need one task at least")
        if self.surplus > self.train:
            raise ValueError("surplus is at most the number of train tasks")
        if not 3 <= self.facts[0] <= self.facts[1] <= 11:
            raise ValueError(f"facts is a range within 3 to 11, not {self.facts}")
        unknown = [name for name in (*self.domains, *self.heldout) if name not in DOMAINS]
        if unknown:
            raise ValueError(f"unknown domain {unknown[0]!r}; known: {', '.join(DOMAINS)}")
        if not set(self.domains) - set(self.heldout):
            raise ValueError("every domain is held out, so there is nothing to train on")


class ZestFileRecipe(Recipe, frozen=True, kw_only=True):
    """Published ZEST files.

    Attributes:
        path: A JSONL file, or a folder with train.jsonl, dev.jsonl and test*.jsonl.
        show: What the input shows: passage and question, or one of them (the ablations).
        scorer: `zest/official` or `zest/fair`.
    """

    file_keys: ClassVar[tuple[str, ...]] = ("path",)

    path: str = ""
    show: Shown = "both"
    scorer: ScorerName = "zest/official"


class MultitaskRecipe(Recipe, frozen=True, kw_only=True):
    """ZEST and other data.

    Attributes:
        path: Published ZEST files, as for `zest/file`; none for generated tasks.
        boolq: The published train.jsonl of BoolQ (also in the SuperGLUE layout).
        multirc: The published train file of MultiRC, or its train.jsonl in the SuperGLUE layout.
        record: The train.json of ReCoRD, or its train.jsonl in the SuperGLUE layout.
        squad: The train-v1.1.json of SQuAD.
        size: Training rows; 0 for as many as one pass over ZEST needs.
        scorer: `zest/official` or `zest/fair`.
    """

    file_keys: ClassVar[tuple[str, ...]] = ("path", "boolq", "multirc", "record", "squad")

    path: str = ""
    boolq: str = ""
    multirc: str = ""
    record: str = ""
    squad: str = ""
    size: Count = 0
    scorer: ScorerName = "zest/official"


class SquadRecipe(Recipe, frozen=True, kw_only=True):
    """Questions on passages in SQuAD's format.

    Attributes:
        train: A file to train on: train-v1.1.json, or one of your own.
        dev: A file to choose checkpoints by; none holds out a part of the training questions.
        test: A file to ask.
        scorer: How answers are scored; SQuAD's own exact match is `normalised`.
    """

    file_keys: ClassVar[tuple[str, ...]] = ("train", "dev", "test")

    train: str = ""
    dev: str = ""
    test: str = ""
    scorer: str = "normalised"


class DocumentsRecipe(Recipe, frozen=True, kw_only=True):
    """Texts and questions of one's own.

    Attributes:
        passages: A folder of .txt or .md files, or one JSONL file with `id` and `text`.
        questions: A text file with one question a line, or JSONL with `id`, `question` and optionally `format`
            (yes-no, span or structure), `type` (base, paraphrase, flip, combination, structure) and `derives_from`.
        answers: JSONL with `passage`, `question`, `annotator` and `answer`, several annotators each; or a folder with
            what came back from a form to answer, its key and files of answers; none leaves every answer open.
        scorer: `zest/fair` or `zest/official`.
    """

    file_keys: ClassVar[tuple[str, ...]] = ("passages", "questions", "answers")

    passages: str = ""
    questions: str = ""
    answers: str = ""
    scorer: ScorerName = "zest/fair"
