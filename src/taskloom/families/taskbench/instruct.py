"""The instruction of a task: its definition, and examples that are no instance of any split."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from taskloom.algebra import Expression, map_filter
from taskloom.core import AnyOf, Boolean, Example, Instance, Instruction, Product, keyed_random
from taskloom.families.taskbench.describe import definition
from taskloom.families.taskbench.draw import TRUTH_WORDS, Dataset, RelationData, UnionData
from taskloom.families.taskbench.explain import quoted, why, why_not, why_true
from taskloom.families.taskbench.sequences import SequenceData

if TYPE_CHECKING:
    from taskloom.families.taskbench.materials import Materials

__all__ = ["instruction"]


def instruction(node: Expression, data: Dataset, materials: Materials, examples: list[Instance]) -> Instruction:
    """Definition, two right answers and one or two wrong ones, all explained."""
    right, wrong = examples[:2], examples[2:] or examples[-1:]
    writer = _Writer(node, data, materials)
    return Instruction(
        definition(node, materials),
        tuple(writer.right(one) for one in right),
        tuple(found for one in wrong if (found := writer.wrong(one)) is not None)[:2],
    )


def asked(one: Instance) -> str:
    """The word that a row asks about; with facts in the prompt it is only the end of the input."""
    word: str = one.details.get("asked", one.input)
    return word


class _Writer:
    def __init__(self, node: Expression, data: Dataset, materials: Materials) -> None:
        self.node = node
        self.data = data
        self.materials = materials
        self.explained = not materials.recipe.permuted

    def right(self, one: Instance) -> Example:
        """An example with the drawn answer."""
        answer = one.targets.canonical()
        match one.targets:
            case Boolean(value):
                reason = why_true(self.node, asked(one), value, self.materials)
            case Product(slots):
                reason = self._each(one, [slot[0] for slot in slots])
            case _:
                reason = why(self.node, asked(one), answer, self.materials)
        return Example(
            one.input, answer, reason if self.explained else "The answers were exchanged; this is the one to remember."
        )

    def wrong(self, one: Instance) -> Example | None:
        """An example with an answer that is not acceptable; None where none is at hand."""
        match one.targets:
            case Boolean(value):
                answer = TRUTH_WORDS[1 if value else 0]
                reason = (
                    f"It is {TRUTH_WORDS[0 if value else 1]}. {why_true(self.node, asked(one), value, self.materials)}"
                )
            case Product(slots):
                return self._wrong_sequence(one, slots)
            case AnyOf(answers):
                found = self._other(one, answers)
                if found is None:
                    return None
                answer = found
                reason = why_not(self.node, asked(one), answer, answers[0], self.materials)
            case _:
                raise TypeError(type(one.targets).__name__)
        return Example(one.input, answer, reason if self.explained else "This is not the answer to remember.")

    def _other(self, one: Instance, answers: Sequence[str]) -> str | None:
        """An answer to another input that is none to this one."""
        assert isinstance(self.data, RelationData | UnionData)
        taken = {answer.casefold() for answer in answers}
        relation = self.data.first if isinstance(self.data, UnionData) else self.data.relation
        rng = keyed_random("taskbench", "wrong", self.data.seed, self.data.name, one.input)
        others = rng.sample(relation.inputs, min(50, len(relation.inputs)))
        pool = (answer for other in others for answer in relation.outputs(other)[:3])
        return next((answer for answer in pool if answer.casefold() not in taken), None)

    def _each(self, one: Instance, answers: Sequence[str]) -> str:
        """Word by word: which are dropped, and what becomes of the others."""
        form = map_filter(self.node)
        words: list[str] = list(one.details["words"])
        kept = words
        said = []
        if form.predicate is not None:
            truth = {word: self.materials.truth(form.predicate, word) for word in words}
            kept = [word for word in words if truth[word]]
            said += [why_true(form.predicate, word, bool(truth[word]), self.materials) for word in words]
            said.append(f"So these are kept: {', '.join(map(quoted, kept))}.")
        if form.maps:
            said += [why(form.relation, x, y, self.materials) for x, y in zip(kept, answers, strict=False)]
        return " ".join(said)

    def _wrong_sequence(self, one: Instance, slots: Sequence[Sequence[str]]) -> Example | None:
        """The first position filled with a word that is right for no position."""
        assert isinstance(self.data, SequenceData)
        taken = {word.casefold() for slot in slots for word in slot}
        pool = sorted({*self.data.rejected[:50], *self.data.accepted[:50], *one.details["words"]})
        keyed_random("taskbench", "wrong", self.data.seed, self.data.name, one.input).shuffle(pool)
        strange = next((word for word in pool if word.casefold() not in taken and " " not in word), None)
        strange = strange or next((word for word in pool if word.casefold() not in taken), None)
        if strange is None:
            return None
        words = [strange, *(slot[0] for slot in slots[1:])]
        reason = f"{quoted(strange)} is wrong in the first place; {quoted(slots[0][0])} would be right."
        return Example(one.input, self.data.separator.join(words), reason)
