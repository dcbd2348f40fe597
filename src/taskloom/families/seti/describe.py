"""The instruction that comes before the pairs, and the tasks of the family."""

from __future__ import annotations

from taskloom.core import Example, Instruction, Task
from taskloom.families.seti.rows import ENTAILMENT, LABELS, NOT_ENTAILMENT

CITATION = (
    "Fu, X. and Frank, A. (2023). SETI: Systematicity Evaluation of Textual Inference. "
    "Findings of the Association for Computational Linguistics: ACL 2023."
)

_DEFINITION = (
    "You are given a premise and a hypothesis. Decide whether the hypothesis must be true if the premise is true. "
    "Answer 'entailment' if it must be true, and 'not-entailment' if it may be false. "
    "Mind who says or thinks something: what someone knows or notices is true, "
    "what someone hopes or claims need not be."
)


def _input(premise: str, hypothesis: str) -> str:
    return f"Premise: {premise}\nHypothesis: {hypothesis}"


# None of these nouns is in the grammar's inventory, so no example can be an instance.
_POSITIVE = (
    Example(
        _input("Someone knows that a hedgehog is crossing a driveway.", "An animal is crossing a driveway."),
        ENTAILMENT,
        "What someone knows is true, and every hedgehog is an animal.",
    ),
    Example(
        _input("Someone hopes that a juggler is polishing a trophy.", "A trophy is being polished by a juggler."),
        NOT_ENTAILMENT,
        "The passive means the same, but what someone hopes need not be true.",
    ),
    Example(
        _input("An umbrella is being folded by a librarian.", "A librarian is folding an umbrella."),
        ENTAILMENT,
        "Only the voice changed; who folds what is the same.",
    ),
)
_NEGATIVE = (
    Example(
        _input("Someone notices that a hedgehog is crossing a driveway.", "A badger is crossing a driveway."),
        ENTAILMENT,
        "Wrong: the crossing is a fact, but a hedgehog is not a badger. The answer is not-entailment.",
    ),
    Example(
        _input("A librarian is folding an umbrella.", "An umbrella is being folded by a librarian."),
        NOT_ENTAILMENT,
        "Wrong: the passive says the same thing. The answer is entailment.",
    ),
)


def make_task(name: str, title: str) -> Task:
    """The task of one suite."""
    return Task(
        name,
        Instruction(_DEFINITION, _POSITIVE, _NEGATIVE),
        kind="label",
        scorer="label",
        labels=LABELS,
        facets={
            "family": "seti",
            "category": "Textual Entailment",
            "language": "English",
            "setting": name,
            "title": title,
        },
        version="3",
    )
