"""From a task and a passage to an instance."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from taskloom.core import Instance, Row
from taskloom.core.instance import Facet, FacetType
from taskloom.families.zest.derive import PlannedTask
from taskloom.families.zest.describe import shown_input
from taskloom.families.zest.passages import Answered, DrawnPassage

FACETS: dict[str, FacetType] = {
    "answer": str,
    "distractor": bool,
    "evidence": int,
    "facts": int,
    "implied": bool,
    "words": int,
}


# What `Row(task, instance)` makes, without the function in Python that a named tuple has for it.
_new_row: Callable[[tuple[str, Instance]], Row] = partial(tuple.__new__, Row)


class RowWriter:
    """Writes the rows of one task.

    Args:
        planned: The task.
        show: What inputs show.
    """

    def __init__(self, planned: PlannedTask, show: str) -> None:
        self._task, self._text, self._show = planned.name, planned.text, show
        self._question, self._asked = planned.question, planned.question.attributes
        self._key = id(planned.question)

    def row(self, drawn: DrawnPassage, id_: str) -> Row:
        """The instance of one passage."""
        passage, question, show = drawn.passage, self._text, self._show
        text = passage.text
        # Paraphrases ask the question of their base, so what it gave is kept with the passage.
        kind, targets, evidence, implied = drawn.answered.get(self._key) or self._answer(drawn)
        facets: dict[str, Facet] = {
            "answer": kind,
            "distractor": drawn.distracted,
            "evidence": len(evidence),
            "facts": len(drawn.stated.values),
            "implied": implied,
            "words": passage.words,
        }
        parts = {"passage": text, "question": question}
        if show != "both":
            parts = {show: parts[show]}
        details = {"entity": drawn.entity.name, "evidence": list(evidence)}
        shown = shown_input(text, question, show)
        return _new_row((self._task, Instance(id_, shown, targets, facets, parts, details)))

    def _answer(self, drawn: DrawnPassage) -> Answered:
        """The answer, the sentences it follows from, and whether one of them only implies it."""
        answer, passage, asked = self._question.answer(drawn.stated), drawn.passage, self._asked
        assert answer is not None, self._task
        told = passage.evidence.get(asked[0], ())
        if len(asked) > 1:
            told = tuple(sorted({number for name in asked for number in passage.evidence.get(name, ())}))
        answered = (*answer, told, not passage.implied.isdisjoint(asked))
        drawn.answered[self._key] = answered
        return answered
