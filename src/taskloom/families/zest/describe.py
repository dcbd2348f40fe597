"""What a person reads before doing a task: the question, the form of the answer, and solved passages."""

from __future__ import annotations

from taskloom.core import Example, Instruction, Items
from taskloom.core.task import AnswerKind
from taskloom.families.zest.derive import PlannedTask
from taskloom.families.zest.domain import load_domain
from taskloom.families.zest.facts import with_article
from taskloom.families.zest.passages import DrawnPassage
from taskloom.families.zest.questions import (
    Ask,
    Conditional,
    Logic,
    PairQuestion,
    QuestionAnswer,
    RecordQuestion,
    TableQuestion,
    WhichRows,
)

LABELS = ("yes", "no", "n/a")


def shown_input(passage: str, question: str, show: str) -> str:
    """The input as a person reads it, whole or with one part withheld."""
    if show == "both":
        return f"{passage}\n\nQuestion: {question}"
    return passage if show == "passage" else f"Question: {question}"


def answer_kind(task: PlannedTask) -> AnswerKind:
    """The form of a task's answers."""
    if task.format == "structure":
        return "json"
    if task.format == "classification":
        return "label"
    return "items" if _may_be_list(task) else "text"


def _may_be_list(task: PlannedTask) -> bool:
    question = task.question.asked if isinstance(task.question, Conditional) else task.question
    if isinstance(question, PairQuestion | WhichRows):
        return True
    return isinstance(question, Ask) and question.domain.attributes[question.attribute].kind in ("list", "rows")


def definition(task: PlannedTask, show: str = "both") -> str:
    """What to do, in a few sentences. Where the question is withheld, it is withheld here too."""
    noun = load_domain(task.domain).noun
    asked = "that is not shown." if show == "passage" else f"about it: {task.text}"
    start = f"Read a passage about {with_article(noun)} and answer a question {asked}"
    return " ".join([start, *_form(task), "Go by the passage alone."])


def _form(task: PlannedTask) -> list[str]:
    question = task.question
    if isinstance(question, TableQuestion | RecordQuestion):
        keys = ", ".join(f'"{key}"' for key in question.columns)
        what = "one object per row" if isinstance(question, TableQuestion) else "a single object"
        return [
            f"Answer with a JSON list that holds {what}, with the keys {keys}.",
            'Give numbers with their unit, "n/a" for a key that the passage does not tell,',
            "and plain n/a if it tells nothing of what is asked.",
        ]
    if task.format == "classification":
        settled = [] if not isinstance(question, Logic) else ["Say n/a only if what the passage tells leaves it open."]
        return ["Answer yes or no, or n/a if the passage does not say.", *settled]
    parts = ["Answer in as few words as will do, those of the passage where it has them, or n/a if it does not say."]
    if _may_be_list(task):
        parts.append("Put a vertical bar (|) between several answers.")
    if isinstance(question, Conditional):
        parts.append("Answer n/a as well if the passage does not say that the condition holds.")
    return parts


def instruction(
    task: PlannedTask, telling: DrawnPassage, silent: DrawnPassage, others: tuple[DrawnPassage, DrawnPassage], show: str
) -> Instruction:
    """The definition with two right and two wrong examples.

    Args:
        task: The task.
        telling: A passage that tells the answer, for a right example.
        silent: A passage that does not, for a right example.
        others: One of each, for the wrong examples.
        show: What inputs show.
    """
    given, left_open = (task.question.answer(drawn.stated) for drawn in (telling, silent))
    assert given is not None and left_open is not None
    positive = (
        Example(_input(telling, task, show), given.targets.canonical(), _because(task, telling, given)),
        Example(_input(silent, task, show), left_open.targets.canonical(), _because(task, silent, left_open)),
    )
    negative = tuple(_wrong(task, drawn, show) for drawn in others)
    return Instruction(definition(task, show), positive, negative)


def _input(drawn: DrawnPassage, task: PlannedTask, show: str) -> str:
    """Examples show their passage even where the asked instance withholds its own, or all would be the same."""
    return shown_input(drawn.passage.text, task.text, "passage" if show == "passage" else "both")


def _because(task: PlannedTask, drawn: DrawnPassage, answer: QuestionAnswer) -> str:
    if answer.kind == "na":
        return "The passage leaves this open."
    sentences = drawn.passage.sentences
    numbers = sorted({n for name in task.question.attributes for n in drawn.passage.evidence.get(name, ())})
    return "The passage says: " + " ".join(sentences[number] for number in numbers)


def _wrong(task: PlannedTask, drawn: DrawnPassage, show: str) -> Example:
    answer = task.question.answer(drawn.stated)
    assert answer is not None
    if answer.kind != "na":
        right = answer.targets.canonical().replace("|", " and " if isinstance(answer.targets, Items) else "|")
        return Example(_input(drawn, task, show), "n/a", f"The passage does tell: {right}.")
    invented = {"label": "yes", "json": "[]"}.get(answer_kind(task), drawn.entity.name)
    if answer_kind(task) == "json":
        key = task.question.columns[0] if isinstance(task.question, TableQuestion | RecordQuestion) else "answer"
        invented = f'[{{"{key}": "{drawn.entity.name}"}}]'
    return Example(_input(drawn, task, show), invented, "The passage leaves this open, so the answer is n/a.")
