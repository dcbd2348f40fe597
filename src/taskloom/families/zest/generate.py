"""From a recipe and a seed to a suite of tasks over invented passages."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import msgspec

from taskloom.core import Instance, KeyedRandom, Row, Suite, Task
from taskloom.core.instance import Facet, FacetType
from taskloom.families.zest.describe import LABELS, answer_kind, instruction, shown_input
from taskloom.families.zest.domain import load_domain
from taskloom.families.zest.passages import Drawn, Shape, draw_passage, outcomes
from taskloom.families.zest.plan import Planned, plan_tasks
from taskloom.families.zest.recipe import FictionalRecipe

__all__ = ["FACETS", "Generator", "fictional_suite"]

FACETS: dict[str, FacetType] = {"answer": str, "distractor": bool, "evidence": int, "words": int}

SOLVED = "solved"
_KEPT = 64


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
        self.recipe = recipe
        self.random = KeyedRandom("zest", seed)
        self.shape = Shape(recipe.facts, recipe.words, recipe.distractors)
        self.splits = plan_tasks(recipe, self.random)
        self.planned = {task.name: task for tasks in self.splits.values() for task in tasks}
        self._weights = {split: _asked_for(tasks) for split, tasks in self.splits.items()}
        self._split_of = {task.name: split for split, tasks in self.splits.items() for task in tasks}
        self._kept: OrderedDict[tuple[str, str, int], list[Drawn]] = OrderedDict()

    def task(self, name: str) -> Task:
        """A task with its instruction."""
        planned = self.planned[name]
        telling, silent, *others = self._examples(planned)
        told = instruction(planned, telling, silent, (others[0], others[1]), self.recipe.show)
        kind = answer_kind(planned)
        paired = planned.generalisation in ("paraphrase", "flip")
        facets: dict[str, Facet] = {
            "family": "zest",
            "category": planned.generalisation,
            "language": "en",
            "domain": planned.domain,
            "generalisation": planned.generalisation,
            "format": planned.format,
            "derives_from": planned.derives_from,
            "consistent_with": planned.derives_from[0] if paired else None,
            "attributes": planned.question.attributes,
        }
        labels = LABELS if kind == "label" else ()
        return Task(name, told, kind, self.recipe.scorer, labels, facets=facets)

    def _examples(self, planned: Planned) -> list[Drawn]:
        """Two passages that tell the answer and two that do not, of which no split has any."""
        first = planned.planned_for.classes[0]
        second = planned.planned_for.classes[-1]
        return [
            self._draw(planned, wanted, "example", index) for index, wanted in enumerate((first, "na", second, "na"))
        ]

    def _draw(self, planned: Planned, wanted: Any, part: str, index: int) -> Drawn:
        weights = self._weights[self._split_of[planned.name]][planned.domain]
        rng = self.random.at("passage", planned.passages, part, index)
        return draw_passage(load_domain(planned.domain), planned.planned_for, wanted, self.shape, weights, rng)

    def passages(self, planned: Planned, part: str, count: int) -> list[Drawn]:
        """The passages of a task; those of the last few keys are kept, since derived tasks read them again."""
        key = (planned.passages, part, count)
        if key not in self._kept:
            rng = self.random.at("outcomes", planned.passages, part)
            wanted = outcomes(planned.planned_for, count, self.recipe.na, rng)
            self._kept[key] = [self._draw(planned, one, part, index) for index, one in enumerate(wanted)]
            if len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
        return self._kept[key]

    def rows(self, planned: Planned, part: str, count: int) -> Iterator[Row]:
        """The instances of one task."""
        show = self.recipe.show
        for index, drawn in enumerate(self.passages(planned, part, count)):
            answer = planned.question.answer(drawn.stated)
            assert answer is not None, (planned.name, index)
            parts = {"passage": drawn.passage.text, "question": planned.text}
            evidence = sorted({n for name in planned.question.attributes for n in drawn.passage.evidence.get(name, ())})
            facets: dict[str, Facet] = {
                "answer": answer.kind,
                "distractor": drawn.distracted,
                "evidence": len(evidence),
                "words": drawn.passage.words,
            }
            yield Row(
                planned.name,
                Instance(
                    id=f"{index:03d}" if part != SOLVED else f"solved-{index:03d}",
                    input=shown_input(drawn.passage.text, planned.text, show),
                    targets=answer.targets,
                    facets=facets,
                    parts={name: text for name, text in parts.items() if show in ("both", name)},
                    details={"entity": drawn.entity.name, "evidence": evidence},
                ),
            )

    def draw(self, split: str) -> Iterator[Row]:
        """The rows of a split, tasks that share passages one after the other."""
        if split == SOLVED:
            for planned in _by_passages([task for tasks in self.splits.values() for task in tasks]):
                yield from self.rows(planned, SOLVED, self.recipe.solved)
            return
        order = {task.name: index for index, task in enumerate(self.splits[split])}
        for planned in _by_passages(self.splits[split]):
            more = split == "train" and order[planned.name] < self.recipe.surplus
            yield from self.rows(planned, split, self.recipe.passages + more)


def _asked_for(tasks: list[Planned]) -> dict[str, dict[str, float]]:
    """How often each attribute of each domain is asked for; a question about two counts half for each."""
    weights: dict[str, dict[str, float]] = {}
    for task in tasks:
        of_domain = weights.setdefault(task.domain, {})
        for name in task.question.attributes:
            of_domain[name] = of_domain.get(name, 0.0) + 1 / len(task.question.attributes)
    return weights


def _by_passages(tasks: list[Planned]) -> list[Planned]:
    groups: dict[str, list[Planned]] = {}
    for task in tasks:
        groups.setdefault(task.passages, []).append(task)
    return [task for group in groups.values() for task in group]


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
        draw=generator.draw,
        facets=FACETS,
        apart="pairs" if recipe.solved else "tasks",
        pool=SOLVED if recipe.solved else None,
        notes={"kinds": ["base", "paraphrase", "flip", "combination", "structure"]},
    )
