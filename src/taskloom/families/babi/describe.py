"""Instructions: what each kind of question asks for, with examples whose explanations name their sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from taskloom.core import AnswerKind, Example, Instruction, Task
from taskloom.families.babi.render import Renderer
from taskloom.families.babi.story import COUNTING, MAYBE, NO, YES, YES_NO, Answer, Question
from taskloom.families.babi.vocabulary import Vocabulary

__all__ = ["Shown", "answer_form", "explain", "instruction", "story_task", "wrong_answer"]

_CONVENTIONS = (
    "A sentence about where somebody is replaces what was said of their place before. People who hand something "
    "over are in the same place; an object is where the person holding it is, and stays where it was put down. "
    "A pronoun refers to the person or people of the sentence before."
)

_DEFINITIONS = {
    "where-person": "You are given a short story and asked where a person is at its end. Answer with the name of "
    "the place only.",
    "where-object": "You are given a short story and asked where an object is at its end. Answer with the name of "
    "the place only.",
    "where-was-object": "You are given a short story and asked where an object was directly before it came to a "
    "named place. Answer with the name of the earlier place only.",
    "yes-no": "You are given a short story and asked whether a person is in a place at its end. Answer '{yes}' if "
    "it follows from the story, '{no}' if the opposite follows, and '{maybe}' if the story leaves it open.",
    "list": "You are given a short story and asked what a person is carrying at its end. Answer with the objects in "
    "alphabetical order, separated by a comma and a blank, or '{nothing}'.",
    "counting": "You are given a short story and asked how many objects a person is carrying at its end. Answer "
    "with the number as a word ('{none}', '{one}', '{two}', and so on).",
    "give": "You are given a short story and asked about something that was given: who gave it, who received it, or "
    "what it was. The most recent gift that fits the question counts. Answer with the name or the object only.",
}


class Shown(NamedTuple):
    """An example in text: the story, the question, the right answer, a wrong one, and the supporting sentences."""

    story: Sequence[str]
    question: str
    answer: str
    wrong: str
    support: Sequence[int]


def explain(shown: Shown) -> str:
    """Why the answer is right, naming the supporting sentences (counted from 1)."""
    if not shown.support:
        return "No sentence of the story says otherwise."
    parts = [f'{index + 1} ("{shown.story[index]}")' for index in shown.support]
    if len(parts) == 1:
        return f"It follows from sentence {parts[0]}."
    return f"It follows from sentences {', '.join(parts[:-1])} and {parts[-1]} together."


def instruction(definition: str, shown: Sequence[Shown]) -> Instruction:
    """A definition with examples: the last one shown becomes the negative example."""
    *right, last = shown
    return Instruction(
        definition=definition,
        positive=tuple(Example(_input(each), each.answer, explain(each)) for each in right),
        negative=(
            Example(
                _input(last),
                last.wrong,
                f"'{last.wrong}' is wrong; the answer is '{last.answer}'. {explain(last)}",
            ),
        ),
    )


def _input(shown: Shown) -> str:
    return "\n".join([*shown.story, shown.question])


def answer_form(question: str, words: Vocabulary) -> tuple[AnswerKind, str, tuple[str, ...]]:
    """The form of the answers to a question type: kind, scorer, labels."""
    if question == "yes-no":
        return "label", "label", (words.yes, words.no, words.maybe)
    if question == "list":
        return "items", "items", ()
    return "text", "exact", ()


def story_task(name: str, question: str, words: Vocabulary, shown: Sequence[Shown], category: str) -> Task:
    """The task of one question type of the story world."""
    kind, scorer, labels = answer_form(question, words)
    none, one, two = (words.count_word(count) for count in range(3))
    definition = _DEFINITIONS[question].format(
        yes=words.yes, no=words.no, maybe=words.maybe, nothing=words.nothing, none=none, one=one, two=two
    )
    return Task(
        name=name,
        instruction=instruction(f"{definition} {_CONVENTIONS}", shown),
        kind=kind,
        scorer=scorer,
        labels=labels,
        facets={"family": "babi", "category": category, "language": "en", "question": question},
    )


def wrong_answer(renderer: Renderer, question: Question, answer: Answer) -> str:
    """A tempting wrong answer: another one of the same sort."""
    words = renderer.vocabulary
    if isinstance(answer, tuple):
        return next((name for name in words.objects if (name,) != renderer.items(answer)), words.nothing)
    if question.kind == YES_NO:
        return {YES: words.maybe, NO: words.yes, MAYBE: words.no}[answer]
    if question.kind == COUNTING:
        return words.count_word(answer + 1)
    said = renderer.answer(question, answer)
    for names in (words.places, words.objects, tuple(words.persons)):
        if said in names:
            return next((name for name in names if name != said), words.nothing)
    raise ValueError(f"{said!r} is no name of the vocabulary")
