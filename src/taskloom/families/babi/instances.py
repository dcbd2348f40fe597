"""From stories to instances: input, targets, facets and details, the same columns for every task."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from taskloom.core import FacetType, Instance, Items, Targets, any_of
from taskloom.families.babi.checks import measured_distractors
from taskloom.families.babi.concepts import CellSpec, Concepts, composition, concepts_of, question_type, type_name
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.render import Renderer
from taskloom.families.babi.story import COUNTING, INDEF, Answer, Question, Sentence
from taskloom.families.babi.support import implicit_steps

__all__ = ["FACETS", "SeenCells", "fact_instance", "story_instance", "targets"]

FACETS: dict[str, FacetType] = {
    "question": str,
    "answer": str,
    "events": tuple[str, ...],
    "constructs": tuple[str, ...],
    "support_size": int,
    "composition": str,
    "novel": bool,
    "length": int,
    "distractors": str,
    "support_age": int,
    "double_disjunction": bool,
    "implicit_steps": int,
}
"""The columns of every instance of the family.

`composition` joins the events and constructs of the supporting sentences with "+"; `novel` says whether no
training sub-task allows that composition with that question (empty where there is no training set to compare
with); `distractors` says how close the other sentences come to the question (near, far or mixed); `support_age` counts
the sentences from the oldest supporting one to the question; `double_disjunction` says that two eithers settle the
answer together.
"""


class SeenCells:
    """What a training set may show: pairs of a question type and a set of events and constructs."""

    def __init__(self, concept_sets: Iterable[tuple[str, frozenset[str]]]) -> None:
        self._sets = tuple(concept_sets)
        self._known: dict[tuple[str, tuple[str, ...]], bool] = {}

    @classmethod
    def of(cls, cells: Iterable[CellSpec]) -> SeenCells:
        """What the stories of these cells may show."""
        pairs = {
            (question_type(kind), frozenset(cell.concepts.names())): None for cell in cells for kind in cell.questions
        }
        return cls(pairs)

    def novel(self, question: str, parts: tuple[str, ...]) -> bool:
        """Whether no training sub-task has this question and allows all these parts."""
        key = (question, parts)
        if key not in self._known:
            wanted = frozenset(parts)
            self._known[key] = not any(asked == question and wanted <= allowed for asked, allowed in self._sets)
        return self._known[key]


def targets(renderer: Renderer, question: Question, answer: Answer) -> Targets:
    """Every acceptable form of an answer, the canonical one first; remembered, since answers are few."""
    key = question.kind, answer
    found = renderer.accepted.get(key)
    if found is None:
        found = renderer.accepted[key] = _targets(renderer, question, answer)
    return found


def _targets(renderer: Renderer, question: Question, answer: Answer) -> Targets:
    words = renderer.vocabulary
    if isinstance(answer, tuple):
        return Items((renderer.items(answer),), separator=words.separator, empty=words.nothing)
    text = renderer.answer(question, answer)
    if question.kind == COUNTING:
        return any_of((text, str(answer)) if answer else (text, "0", "zero"))
    return any_of(tuple(words.every_form(text)))


def story_instance(
    name: str,
    renderer: Renderer,
    text: Sequence[str],
    sentences: Sequence[Sentence],
    reader: Reader,
    question: Question,
    answer: Answer,
    support: tuple[int, ...],
    mask: int,
    concepts: Concepts,
    seen: SeenCells | None,
) -> Instance:
    """An instance about the sentences (and their text) read so far.

    Every story is checked against its concept set here: the proof that held-out combinations are held out.
    """
    world = renderer.world
    events, constructs = concepts_of(sentences, world)
    if not (
        all(map(concepts.weights.get, (*events, *constructs))) or all(map(concepts.counts, (*events, *constructs)))
    ):
        raise AssertionError(f"a story over {', '.join(concepts.names())} holds {', '.join((*events, *constructs))}")
    parts = composition(sentences, support, world)
    kind = type_name(question.kind, world)
    asked = renderer.question(question)
    story = "\n".join(text)
    length = len(text)
    accepted = targets(renderer, question, answer)
    return Instance(
        id=name,
        input=f"{story}\n{asked}",
        targets=accepted,
        facets={
            "question": kind,
            "answer": accepted.canonical(),
            "events": events,
            "constructs": constructs,
            "support_size": len(support),
            "composition": "+".join(parts),
            "novel": None if seen is None else seen.novel(kind, parts),
            "length": length,
            "distractors": measured_distractors(sentences, support, question, world),
            "support_age": length - support[0] if support else 0,
            "double_disjunction": [sentences[line][0] for line in support].count(INDEF) > 1,
            "implicit_steps": implicit_steps(reader, question, mask),
        },
        parts={"story": story, "question": asked},
        details={"support": [index + 1 for index in support]},
    )


def fact_instance(
    name: str, concept: str, text: Sequence[str], asked: str, accepted: Targets, support: Sequence[int]
) -> Instance:
    """An instance of a task outside the story world (relations, rules, sizes ...)."""
    story = "\n".join(text)
    return Instance(
        id=name,
        input=f"{story}\n{asked}",
        targets=accepted,
        facets={
            "question": concept,
            "answer": accepted.canonical(),
            "events": (),
            "constructs": (concept,),
            "support_size": len(support),
            "composition": concept,
            "novel": None,
            "length": len(text),
            "distractors": "mixed",
            "support_age": len(text) - min(support),
            "double_disjunction": False,
            "implicit_steps": 0,
        },
        parts={"story": story, "question": asked},
        details={"support": [index + 1 for index in sorted(support)]},
    )
