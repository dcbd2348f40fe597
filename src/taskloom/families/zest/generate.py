"""From a recipe and a seed to a suite of tasks over invented passages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Literal

import msgspec

from taskloom.core import Instance, KeyedRandom, Permutation, Row, Suite, Task, UserError
from taskloom.core.instance import Facet, FacetType
from taskloom.core.rng import below
from taskloom.families.zest.blocks import PassageBlocks
from taskloom.families.zest.derive import PlannedTask
from taskloom.families.zest.describe import LABELS, answer_kind, instruction, shown_input
from taskloom.families.zest.domain import load_domain
from taskloom.families.zest.naming import alike, name_at, name_count
from taskloom.families.zest.passages import (
    AnswerShares,
    AskedQuestion,
    DrawnPassage,
    Shape,
    draw_passage,
    outcome,
    shares_of,
)
from taskloom.families.zest.plan import plan_tasks
from taskloom.families.zest.questions import AnswerClass
from taskloom.families.zest.recipe import VERSION, FictionalRecipe

__all__ = ["FACETS", "Generator", "Part", "fictional_suite"]

FACETS: dict[str, FacetType] = {
    "answer": str,
    "distractor": bool,
    "evidence": int,
    "facts": int,
    "implied": bool,
    "words": int,
}
SOLVED = "solved"

Part = Literal["split", "solved", "example", "stream"]
# Ranges of the numbered names, in eighths: passages of different parts are different texts.
_RANGES: dict[Part, tuple[int, int]] = {"split": (0, 4), "solved": (4, 5), "example": (5, 6), "stream": (6, 8)}


class _LazyTasks(Mapping[str, Task]):
    """Tasks by name, each made when it is first looked at: their examples are passages too."""

    def __init__(self, names: list[str], make: Callable[[str], Task]) -> None:
        self._names, self._make = dict.fromkeys(names), make
        self._made: dict[str, Task] = {}

    def __getitem__(self, name: str) -> Task:
        if name not in self._names:
            raise KeyError(name)
        if name not in self._made:
            self._made[name] = self._make(name)
        return self._made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._names)

    def __len__(self) -> int:
        return len(self._names)

    def __contains__(self, name: object) -> bool:
        return name in self._names


class Generator:
    """Draws the passages and answers of planned tasks.

    Passages belong to a key shared by a base task, its paraphrases and the flips that turn it round; passage i
    is a function of the seed, the key and i alone.
    """

    def __init__(self, recipe: FictionalRecipe, seed: int) -> None:
        self.recipe, self.seed = recipe, seed
        self.random = KeyedRandom("zest", VERSION, seed)
        self.shape = Shape(recipe.facts, recipe.words, recipe.distractors)
        self.splits = plan_tasks(recipe, self.random)
        self.planned = {task.name: task for tasks in self.splits.values() for task in tasks}
        self.split_of = {task.name: split for split, tasks in self.splits.items() for task in tasks}
        self._last_owned: tuple[tuple[int, str, str], Permutation] | None = None
        self._last_asked: tuple[PlannedTask, AskedQuestion] | None = None
        self._weights = {split: _asked_for(tasks) for split, tasks in self.splits.items()}
        self._shares = {
            key: shares for split, tasks in self.splits.items() for key, shares in self._deal_shares(split, tasks)
        }

    def _deal_shares(self, split: str, tasks: list[PlannedTask]) -> Iterator[tuple[str, AnswerShares]]:
        """Shares for each key of passages; questions that look alike stand together, so that no look tells much."""
        ordered = sorted(tasks, key=lambda task: (task.domain, task.format, task.generalisation))
        keys = {task.passages: None for task in ordered}
        drawn = shares_of(len(keys), self.recipe.na, lambda batch: self.random.at("shares", split, batch))
        return zip(keys, drawn, strict=True)

    # ------------------------------------------------------------------- tasks

    def task(self, name: str) -> Task:
        """A task with its instruction."""
        return self.describe(self.planned[name])

    def describe(self, planned: PlannedTask) -> Task:
        """The task of a planned question."""
        telling, silent, *others = self._examples(planned)
        described = instruction(planned, telling, silent, (others[0], others[1]), self.recipe.show)
        kind = answer_kind(planned)
        paired = planned.generalisation in ("paraphrase", "flip")
        facets: dict[str, Facet] = {
            "family": "zest",
            "category": planned.generalisation,
            "language": "en",
            "domain": planned.domain,
            "generalisation": planned.generalisation,
            "format": planned.format,
            "form": planned.form,
            "derives_from": planned.derives_from,
            "consistent_with": planned.derives_from[0] if paired else None,
            "attributes": planned.question.attributes,
        }
        labels = LABELS if kind == "label" else ()
        return Task(planned.name, described, kind, self.recipe.scorer, labels, facets=facets, version=VERSION)

    def _examples(self, planned: PlannedTask) -> list[DrawnPassage]:
        """Two passages that tell the answer and two that do not, of which no split has any."""
        classes = planned.planned_for.classes
        wanted: tuple[AnswerClass, ...] = (classes[0], "na", classes[-1], "na")
        return [self.draw(planned, one, "example", "example", index) for index, one in enumerate(wanted)]

    # ---------------------------------------------------------------- passages

    def draw(
        self, planned: PlannedTask, wanted: AnswerClass, part: Part, key: str, index: int, shape: Shape | None = None
    ) -> DrawnPassage:
        """Passage `index` of a part: another text than every other index and every other part has."""
        domain = load_domain(planned.domain)
        count = name_count(domain)
        low, high = (count * bound // 8 for bound in _RANGES[part])
        if index >= high - low:
            raise UserError(
                f"{planned.domain} has names for {high - low:,} different passages of a task",
                where=f"zest: {planned.name}",
                hint=f"-T passages={high - low}",
            )
        rng = self.random.at("passage", planned.passages, key, index)
        named = name_at(domain, low + self._owned(high - low, planned.passages, key)(index))
        other = name_at(domain, below(rng, count))
        while alike(other, named):
            other = name_at(domain, below(rng, count))
        return draw_passage(self._asked(planned), wanted, shape or self.shape, (named, other), rng)

    def _owned(self, size: int, passages: str, key: str) -> Permutation:
        """The order of the names of a key; the last one is kept, since passages of one key are drawn in a row."""
        wanted = (size, passages, key)
        if self._last_owned is None or self._last_owned[0] != wanted:
            self._last_owned = (wanted, Permutation(size, "zest", "names", self.seed, passages, key))
        return self._last_owned[1]

    def _asked(self, planned: PlannedTask) -> AskedQuestion:
        """What the passages of a task have in common; that of the last one is kept."""
        if self._last_asked is None or self._last_asked[0] is not planned:
            weights = self._weights[self.split_of.get(planned.name, "train")].get(planned.domain, {})
            self._last_asked = (planned, AskedQuestion(load_domain(planned.domain), planned.planned_for, weights))
        return self._last_asked[1]

    def passage(self, planned: PlannedTask, part: Part, key: str, index: int) -> DrawnPassage:
        """Passage `index`, with an answer of whatever class the task's shares give."""
        rng = self.random.at("outcome", planned.passages, key, index)
        wanted = outcome(planned.planned_for, self._shares[planned.passages], rng)
        return self.draw(planned, wanted, part, key, index)

    def fresh(self, planned: PlannedTask, key: str, index: int, size: int | None) -> Row:
        """Row `index` of a stream that no split shares a passage with; `size` fixes how many facts it states."""
        rng = self.random.at("outcome", planned.name, key, index)
        wanted = outcome(planned.planned_for, AnswerShares(round(1000 * self.recipe.na), 500), rng)
        shape = self.shape if size is None else self.shape._replace(facts=(size, size))
        return self.row(planned, self.draw(planned, wanted, "stream", key, index, shape), f"{key}-{index}")

    def row(self, planned: PlannedTask, drawn: DrawnPassage, id_: str) -> Row:
        """The instance of one task and one passage."""
        show = self.recipe.show
        answer = planned.question.answer(drawn.stated)
        assert answer is not None, (planned.name, id_)
        parts = {"passage": drawn.passage.text, "question": planned.text}
        asked = planned.question.attributes
        evidence = sorted({n for name in asked for n in drawn.passage.evidence.get(name, ())})
        facets: dict[str, Facet] = {
            "answer": answer.kind,
            "distractor": drawn.distracted,
            "evidence": len(evidence),
            "facts": len(drawn.stated.values),
            "implied": any(name in drawn.passage.implied for name in asked),
            "words": drawn.passage.words,
        }
        return Row(
            planned.name,
            Instance(
                id=id_,
                input=shown_input(drawn.passage.text, planned.text, show),
                targets=answer.targets,
                facets=facets,
                parts={name: text for name, text in parts.items() if show in ("both", name)},
                details={"entity": drawn.entity.name, "evidence": evidence},
            ),
        )

    def blocks(self, split: str) -> PassageBlocks:
        """The rows of a split, tasks that share passages together."""
        if split == SOLVED:
            every = [task for tasks in self.splits.values() for task in tasks]
            return PassageBlocks(self, "solved", SOLVED, [(task, self.recipe.solved) for task in every])
        surplus = self.recipe.surplus if split == "train" else 0
        sized = [(task, self.recipe.passages + (at < surplus)) for at, task in enumerate(self.splits[split])]
        return PassageBlocks(self, "split", split, sized)


def _asked_for(tasks: list[PlannedTask]) -> dict[str, dict[str, float]]:
    """How often each attribute of each domain is asked for; a question about two counts half for each."""
    weights: dict[str, dict[str, float]] = {}
    for task in tasks:
        of_domain = weights.setdefault(task.domain, {})
        for name in task.question.attributes:
            of_domain[name] = of_domain.get(name, 0.0) + 1 / len(task.question.attributes)
    return weights


def fictional_suite(name: str, recipe: FictionalRecipe, seed: int) -> Suite:
    """The suite of a recipe. Tasks are planned now, passages are drawn when rows are read."""
    generator = Generator(recipe, seed)
    sizes: dict[str, int | None] = {}
    for split, tasks in generator.splits.items():
        if tasks:
            sizes[split] = len(tasks) * recipe.passages + (recipe.surplus if split == "train" else 0)
    if recipe.solved:
        sizes[SOLVED] = len(generator.planned) * recipe.solved
    return Suite(
        name=f"zest/{name}",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks=_LazyTasks(list(generator.planned), generator.task),
        splits=sizes,
        draw=generator.blocks,
        facets=FACETS,
        apart="pairs" if recipe.solved else "tasks",
        pool=SOLVED if recipe.solved else None,
        notes={"kinds": ["base", "paraphrase", "flip", "combination", "structure"]},
    )
