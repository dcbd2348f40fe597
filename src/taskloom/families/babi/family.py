"""The family: its suites by name, their recipes, and how they are built."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any, ClassVar

import msgspec

from taskloom.core import Family, Recipe, Row, Suite, Task, UserError, unknown_name
from taskloom.families.babi.recipe import (
    ConcatRecipe,
    CustomRecipe,
    InjectRecipe,
    InoculateRecipe,
    SplitRecipe,
    TaskRecipe,
)

__all__ = ["FAMILY", "BabiFamily"]

_GROUPS = ("t2", "t7", "t12")
_TASKS = {
    1: "single supporting fact: where is somebody",
    2: "two supporting facts: where is an object",
    3: "three supporting facts: where was an object before",
    4: "two-argument relations: what lies north of what",
    5: "three-argument relations: who gave what to whom",
    6: "yes-no questions about where somebody is",
    7: "counting what somebody carries",
    8: "listing what somebody carries",
    9: "simple negation: yes-no after 'is not in'",
    10: "indefinite knowledge: yes, no or maybe after 'is either in'",
    11: "basic coreference: where is the person that a pronoun meant",
    12: "conjunction: where is one of two people who went together",
    13: "compound coreference: where is one of them, after 'they' went on",
    14: "time reasoning: where somebody was before",
    15: "basic deduction: what somebody is afraid of",
    16: "basic induction: the colour of one from the colour of its kind",
    17: "positional reasoning: above, below, left, right",
    18: "size reasoning: what is bigger, what fits into what",
    19: "path finding: which way from one place to another",
    20: "motivations: why people go and where they will go",
}
_KINDS = {
    "concat": "the original tasks of {0} side by side, with mix({0}) as test of composition",
    "inject": "concat({0}) with further where-person and where-object questions at each question",
    "diverse": "structurally diverse training stories of {0}, certain combinations held out",
    "mix": "test stories that combine everything {0} has",
    "inoculate": "small doses of mix({0}) to train on, disjoint from its test stories",
    "rephrase": "yes-no questions of mix({0}) answered yes, each with its where-person twin",
}

Draw = Callable[[str], Iterator[Row]]


class BabiFamily(Family):
    """Stories about people, objects and places; and the tasks of bAbI beyond them."""

    name: ClassVar[str] = "babi"
    title: ClassVar[str] = "bAbI and Dyna-bAbI: a controllable story world with exact answers and supports"
    citation: ClassVar[str] = (
        "Tamari, Richardson, Kahlon, Sar-Shalom, Liu, Tsarfaty, Shahaf (2022): Dyna-bAbI: unlocking bAbI's "
        "potential with dynamic synthetic benchmarking. *SEM 2022. Weston et al. (2016): Towards AI-Complete "
        "Question Answering: A Set of Prerequisite Toy Tasks. ICLR 2016."
    )

    def suites(self) -> Mapping[str, str]:
        names = {f"task-{number}": line for number, line in _TASKS.items()}
        for kind, line in _KINDS.items():
            for group in _GROUPS:
                if (kind, group) not in (("rephrase", "t2"), ("rephrase", "t7")):
                    names[f"{kind}-{group}"] = line.format(group.upper())
        names["custom"] = "stories to measure: choose concepts, filters, words; or read a Dyna-bAbI configuration"
        return names

    def recipe(self, suite: str) -> Recipe:
        if suite not in self.suites():
            raise unknown_name("suite", suite, self.suites(), where="babi", hint="taskloom list suites babi")
        from taskloom.families.babi.splits import GROUPS, SIZES

        kind, _, group = suite.partition("-")
        if suite == "custom":
            return CustomRecipe()
        if kind == "task":
            return TaskRecipe()
        mix = SIZES[f"mix-{group}"]
        tasks = len(GROUPS[group])
        if kind == "concat":
            return ConcatRecipe(train=SIZES[suite], dev=1_000 * tasks, test=1_000 * tasks, mix=mix)
        if kind == "inject":
            train, originals = SIZES[suite], SIZES[f"concat-{group}"]
            return InjectRecipe(train=train, originals=originals, dev=train // 10, test=1_000 * tasks, mix=mix)
        if kind == "diverse":
            return SplitRecipe(train=SIZES[suite], dev=SIZES[suite] // 10, test=SIZES[suite] // 10, mix=mix)
        if kind == "inoculate":
            return InoculateRecipe(dev=mix // 10, test=mix)
        if kind == "rephrase":
            return SplitRecipe(dev=90, test=892)
        return SplitRecipe(dev=mix // 10, test=mix)

    def build(self, suite: str, recipe: Recipe, seed: int) -> Suite:
        from taskloom.families.babi import build

        where = f"babi/{suite}"
        kind, _, group = suite.partition("-")
        tasks: dict[str, Task]
        splits: dict[str, int | None]
        notes: dict[str, Any] = {}
        pool: str | None = "train"
        if isinstance(recipe, CustomRecipe):
            tasks, splits, draw, notes = build.custom(recipe, seed, where)
        elif isinstance(recipe, TaskRecipe):
            tasks, splits, draw = build.task(int(group), recipe, seed, where)
        elif isinstance(recipe, ConcatRecipe):
            tasks, splits, draw = build.concat(group, recipe, seed, where)
        elif isinstance(recipe, InjectRecipe):
            tasks, splits, draw = build.inject(group, recipe, seed, where)
        elif isinstance(recipe, InoculateRecipe):
            tasks, splits, draw = build.inoculate(group, recipe, seed, where)
        elif isinstance(recipe, SplitRecipe):
            make = {"diverse": build.diverse, "mix": build.mix, "rephrase": build.rephrase}[kind]
            tasks, splits, draw = make(group, recipe, seed, where)
        else:
            raise UserError(f"{type(recipe).__name__} is no recipe of this family", where=where)
        if "train" not in splits:
            pool = "dev" if "dev" in splits else None
        from taskloom.families.babi.instances import FACETS

        return Suite(
            name=where,
            recipe=msgspec.to_builtins(recipe),
            seed=seed,
            tasks=tasks,
            splits=splits,
            draw=draw,
            facets=FACETS,
            apart="pairs" if kind == "rephrase" else "inputs",
            pool=pool,
            notes=notes,
        )


FAMILY: Family = BabiFamily()
