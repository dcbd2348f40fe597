"""Instructions: what each kind of question asks for, with examples whose explanations name their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from taskloom.core import AnswerKind, Example, Instruction, Task
from taskloom.families.babi.concepts import Concepts
from taskloom.families.babi.languages import Instructions, language
from taskloom.families.babi.render import Renderer
from taskloom.families.babi.story import COUNTING, NO, YES_NO, Answer, Question
from taskloom.families.babi.vocabulary import Vocabulary

__all__ = ["VERSION", "ShownExample", "answer_form", "explain", "instruction", "story_task", "wrong_answer"]

VERSION = "3"
"""The version of every task of the family."""


class ShownExample(NamedTuple):
    """An example in text: the story, the question, the right answer, a wrong one, and the supporting sentences."""

    story: Sequence[str]
    question: str
    answer: str
    wrong: str
    support: Sequence[int]


def explain(shown: ShownExample, said: Instructions) -> str:
    """Why the answer is right, naming the supporting sentences (counted from 1)."""
    if not shown.support:
        return said.none
    parts = [f'{index + 1} ("{shown.story[index]}")' for index in shown.support]
    if len(parts) == 1:
        return said.one.replace("{lines}", parts[0])
    return said.many.replace("{lines}", ", ".join(parts[:-1])).replace("{last}", parts[-1])


def instruction(definition: str, shown: Sequence[ShownExample], said: Instructions) -> Instruction:
    """A definition with examples: the last one shown becomes the negative example."""
    *right, last = shown
    return Instruction(
        definition=definition,
        positive=tuple(Example(_input(each), each.answer, explain(each, said)) for each in right),
        negative=(
            Example(
                _input(last),
                last.wrong,
                said.wrong.replace("{wrong}", last.wrong)
                .replace("{answer}", last.answer)
                .replace("{reason}", explain(last, said)),
            ),
        ),
    )


def _input(shown: ShownExample) -> str:
    return "\n".join([*shown.story, shown.question])


def answer_form(question: str, words: Vocabulary, concepts: Concepts) -> tuple[AnswerKind, str, tuple[str, ...]]:
    """The form of the answers to a question type: kind, scorer, labels. Only an either leaves places open by name."""
    if question == "yes-no":
        maybe = (words.maybe,) if concepts.has("indef") else ()
        return "label", "label", (words.yes, words.no, *maybe)
    if question == "list":
        return "items", "items", ()
    return "text", "exact", ()


def story_task(
    name: str,
    question: str,
    words: Vocabulary,
    shown: Sequence[ShownExample],
    category: str,
    code: str,
    concepts: Concepts,
) -> Task:
    """The task of one question type of the story world, its instruction in the language of that code.

    The instruction says how to read what stories of these concepts hold, and no more.
    """
    kind, scorer, labels = answer_form(question, words, concepts)
    said = language(code).instructions
    text = said.definition(question)
    if words.maybe in labels:
        text += f" {said.maybe}"
    fields = {"yes": words.yes, "no": words.no, "maybe": words.maybe, "nothing": words.nothing}
    fields |= {key: words.count_word(number) for number, key in enumerate(("none", "one", "two"))}
    for key, word in fields.items():
        text = text.replace(f"{{{key}}}", word)
    return Task(
        name=name,
        instruction=instruction(" ".join((text, *said.conventions.needed(concepts, question))), shown, said),
        kind=kind,
        scorer=scorer,
        labels=labels,
        facets={"family": "babi", "category": category, "language": code, "question": question},
        version=VERSION,
    )


def wrong_answer(renderer: Renderer, question: Question, answer: Answer) -> str:
    """A tempting wrong answer: another one of the same sort."""
    words = renderer.vocabulary
    if isinstance(answer, tuple):
        return next((name for name in words.objects if (name,) != renderer.items(answer)), words.nothing)
    if question.kind == YES_NO:
        return words.yes if answer == NO else words.no
    if question.kind == COUNTING:
        return words.count_word(answer + 1)
    said = renderer.answer(question, answer)
    names = renderer.answer_names(question.kind)
    return next((name for name in names if name != said), words.nothing)
