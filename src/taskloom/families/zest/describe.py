"""What a person reads before doing a task: the question, the form of the answer, and solved passages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from taskloom.core import Example, Instance, Instruction, Items, Row, Targets
from taskloom.core.definition import Definition
from taskloom.core.instance import Facet
from taskloom.core.task import AnswerKind
from taskloom.families.zest.derive import PlannedTask
from taskloom.families.zest.facts import with_article
from taskloom.families.zest.questions import (
    Ask,
    Conditional,
    Logic,
    PairQuestion,
    RecordQuestion,
    TableQuestion,
    WhichRows,
)
from taskloom.families.zest.units import DrawnPassage

LABELS = ("yes", "no", "n/a")


def shown_input(passage: str, question: str, show: str) -> str:
    """The input as a person reads it, whole or with one part withheld."""
    if show == "both":
        return f"{passage}\n\nQuestion: {question}"
    return passage if show == "passage" else f"Question: {question}"


def passage_row(
    task: str,
    name: str,
    passage: str,
    question: str,
    targets: Targets,
    facets: dict[str, Facet],
    *,
    show: str = "both",
    details: dict[str, Any] | None = None,
) -> Row:
    """A question about a passage as a row; parts that are withheld are not part of it."""
    parts = {"passage": passage, "question": question}
    kept = parts if show == "both" else {show: parts[show]}
    return Row(task, Instance(name, shown_input(passage, question, show), targets, facets, kept, details or {}))


def answer_kind(task: PlannedTask) -> AnswerKind:
    """The form of a task's answers."""
    if task.format == "structure":
        return "json"
    if task.format == "classification":
        return "label"
    return "items" if _may_be_list(task) else "text"


def _may_be_list(task: PlannedTask) -> bool:
    question = task.question.first if isinstance(task.question, Conditional) else task.question
    if isinstance(question, PairQuestion | WhichRows):
        return True
    return isinstance(question, Ask) and question.spec.kind in ("list", "rows")


def definition(task: PlannedTask, show: str = "both") -> Definition:
    """What to do, in a few sentences. Where the question is withheld, it is withheld here too."""
    noun = task.question.domain.noun
    asked = "that is not shown." if show == "passage" else f"about it: {task.text}"
    start = f"Read a passage about {with_article(noun)} and answer a question {asked}"
    form = [piece for said, used in _form(task) for piece in (("form", said), *([("used", used)] if used else []))]
    return Definition(
        (("task", start), *form, ("notes", "Go by the passage alone.")), "answers" if _may_be_list(task) else "answer"
    )


def _form(task: PlannedTask) -> list[tuple[str, str]]:
    """How to write the answer, each with what to know of it where it is not written."""
    question = task.question
    if isinstance(question, TableQuestion | RecordQuestion):
        keys = ", ".join(f'"{key}"' for key in question.columns)
        what = "one object per row" if isinstance(question, TableQuestion) else "a single object"
        said = (
            f"Answer with a JSON list that holds {what}, with the keys {keys}. "
            'Give numbers with their unit, "n/a" for a key that the passage does not tell, '
            "and plain n/a if it tells nothing of what is asked."
        )
        return [(said, "")]
    if task.format == "classification":
        parts = [("Answer yes or no, or n/a if the passage does not say.",
                  "The answer is yes or no, or n/a if the passage does not say.")]  # fmt: skip
        if isinstance(question, Logic):
            left = "n/a only if what the passage tells leaves it open."
            parts.append((f"Say {left}", f"It is {left}"))
        return parts
    brief = "Answer in as few words as will do, those of the passage where it has them, or n/a if it does not say."
    kept = "Keep the answer to as few words as will do, those of the passage where it has them"
    parts = [(brief, f"{kept}; it is n/a if the passage does not say.")]
    if _may_be_list(task):
        parts.append(("Put a vertical bar (|) between several answers.", ""))
    if isinstance(question, Conditional):
        also = "n/a as well if the passage does not say that the condition holds."
        parts.append((f"Answer {also}", f"The answer is {also}"))
    return parts


def instruction(task: PlannedTask, passages: Sequence[DrawnPassage], show: str) -> Instruction:
    """The definition with two right and two wrong examples.

    Args:
        task: The task.
        passages: A passage that tells the answer and one that does not, for right examples, and again for wrong ones.
        show: What inputs show.
    """
    telling, silent, *others = passages
    right = tuple(_example(task, drawn, show, right=True) for drawn in (telling, silent))
    wrong = tuple(_example(task, drawn, show, right=False) for drawn in others)
    return Instruction.of(definition(task, show), right, wrong)


def _example(task: PlannedTask, drawn: DrawnPassage, show: str, *, right: bool) -> Example:
    """A passage with its answer, or with a wrong one: n/a where it tells, an invented one where it does not.

    Examples show their passage even where the asked instance withholds its own, or all would be the same.
    """
    answer = task.question.answer(drawn.values, drawn.said)
    assert answer is not None
    shown = shown_input(drawn.text, task.text, "passage" if show == "passage" else "both")
    said = answer.targets.canonical()
    if right and answer.kind == "na":
        return Example(shown, said, "The passage leaves this open.")
    if right:
        numbers = sorted({n for name in task.question.attributes for n in drawn.evidence.get(name, ())})
        return Example(shown, said, "The passage says: " + " ".join(drawn.sentences[number] for number in numbers))
    if answer.kind != "na":
        value = said.replace("|", " and ") if isinstance(answer.targets, Items) else said
        return Example(shown, "n/a", f"The passage does tell: {value}.")
    invented = "yes" if answer_kind(task) == "label" else drawn.entity.name
    if isinstance(task.question, TableQuestion | RecordQuestion):
        invented = f'[{{"{task.question.columns[0]}": "{drawn.entity.name}"}}]'
    return Example(shown, invented, "The passage leaves this open, so the answer is n/a.")
