"""Models as raters: a model fills in the form that people get, in an ordinary run, and is read like them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.run.results import load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.studies.judgement.forms import FormItem, RatingForm, RatingQuestion
from taskloom.studies.judgement.read import RaterAnswer


def form_suite(form: RatingForm) -> Suite:
    """A form as a suite: a task for each question with its choices, an instance for each item.

    Every choice is acceptable, so that the score of a run says how often the judge gave one of them at all.
    """
    questions: dict[str, RatingQuestion] = {}
    for item in form.items:
        for question in item.questions:
            if question.name != "remarks":
                # Choices of questions to answer differ from task to task; the longest list would mislead the others.
                questions.setdefault(_task_name(question), question)
    if not questions:
        raise UserError("this form has no questions that a model could answer")
    tasks = {name: Task(name, Instruction(_definition(one)), labels=one.choices) for name, one in questions.items()}

    def draw(split: str) -> Iterator[Row]:
        for item in form.items:
            for question in item.questions:
                if question.name != "remarks":
                    accepted = AnyOf(question.choices or ("",))
                    yield Row(_task_name(question), Instance(item.id, _shown(item), accepted))

    count = sum(question.name != "remarks" for item in form.items for question in item.questions)
    return Suite(f"judged/{form.kind}", {"form": form.id}, 0, tasks, {"test": count}, draw)


def judge_by_model(
    form: RatingForm, model: str, options: Mapping[str, Any], folder: Path
) -> tuple[list[RaterAnswer], int]:
    """Let a model fill in a form; broken off, it continues.

    Args:
        form: All items.
        model: As `--model` names it.
        options: Options of the model.
        folder: The folder of its run.

    Returns:
        What it answered, and how often it gave none of the answers offered.
    """
    launch(form_suite(form), folder, RunSettings(model=model, model_options=dict(options)))
    asked = {(_task_name(one), item.id): one for item in form.items for one in item.questions}
    answers: list[RaterAnswer] = []
    missed = 0
    for record in load_run(folder).records:
        question = asked[record.task, record.id]
        said = (record.answer if question.choices else record.raw) or ""
        chosen = _chosen(said.strip(), question.choices)
        if chosen is None:
            missed += 1
        else:
            answers.append(RaterAnswer(form.id, model, record.id, question.name, chosen))
    return answers, missed


def _task_name(question: RatingQuestion) -> str:
    words = re.sub(r"[^a-z0-9]+", "-", "-".join(question.choices).lower()).strip("-")
    return f"{question.name}-{words}"[:80].strip("-") if question.name == "answer" else question.name


def _definition(question: RatingQuestion) -> str:
    if not question.choices:
        return question.prompt
    return f"{question.prompt} Answer with exactly one of: {'; '.join(question.choices)}."


def _shown(item: FormItem) -> str:
    return "\n\n".join(f"{text.title}:\n{text.text}" for text in item.texts)


def _chosen(said: str, choices: tuple[str, ...]) -> str | None:
    """The choice that was meant, by its letters alone; anything goes where there are no choices."""
    if not choices:
        return said or None
    return next((choice for choice in choices if choice.casefold() == said.casefold().rstrip(".")), None)
