"""How each kind of suite is put together: its tasks, its splits, and how their rows are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Any

from taskloom.core import Key, Row, Task
from taskloom.families.babi.cells import CellSource, cell_tasks, rephrased
from taskloom.families.babi.concepts import Cell, Concepts, question_kinds
from taskloom.families.babi.instances import Seen
from taskloom.families.babi.kit import read_config
from taskloom.families.babi.recipe import (
    ConcatRecipe,
    CustomRecipe,
    InjectRecipe,
    InoculateRecipe,
    SplitRecipe,
    TaskRecipe,
)
from taskloom.families.babi.sampler import Sampler, StarvedError
from taskloom.families.babi.splits import DIVERSE, GROUPS, MIX
from taskloom.families.babi.twenty import INJECTED, concat_rows, inject_rows, seen_in, task_rows, twenty_task
from taskloom.families.babi.vocabulary import BABI, DYNA, Vocabulary
from taskloom.families.babi.weave import Woven, woven_tasks

__all__ = ["concat", "custom", "diverse", "inject", "inoculate", "mix", "rephrase", "task"]

Draw = Callable[[str], Iterator[Row]]
Parts = tuple[dict[str, Task], dict[str, int | None], Draw]


def _splits(**sizes: int) -> dict[str, int | None]:
    return {name: size for name, size in sizes.items() if size}


def _renamed(tasks: dict[str, Task], more: dict[str, Task]) -> dict[str, Task]:
    """The tasks of a training split and, under `mix/`, those of its test of composition."""
    from msgspec.structs import replace

    return tasks | {f"mix/{name}": replace(task, name=f"mix/{name}") for name, task in more.items()}


def _mix_rows(
    group: str, seed: int, split: str, size: int, words: Vocabulary, seen: Seen, prefix: str = ""
) -> Iterator[Row]:
    """The rows of mix(T): the same wherever they appear, but for the training set that novelty is told against."""
    source = CellSource(MIX[group], words, ("mix", group, seed, split), f"babi/mix-{group}", seen)
    for task_name, instance in source.rows(size):
        yield Row(f"{prefix}{task_name}", instance)


def mix(group: str, recipe: SplitRecipe, seed: int, where: str) -> Parts:
    """Stories that may combine everything."""
    words = recipe.vocabulary
    tasks = cell_tasks(MIX[group], words, ("mix", group), where, "composition")
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test)
    return (
        tasks,
        splits,
        lambda split: _mix_rows(group, seed, split, splits[split] or 0, words, Seen.of(DIVERSE[group])),
    )


def diverse(group: str, recipe: SplitRecipe, seed: int, where: str) -> Parts:
    """Training: sub-tasks with held-out combinations, and mix(T)."""
    words = recipe.vocabulary
    cells = DIVERSE[group]
    tasks = cell_tasks(cells, words, ("diverse", group), where, "diverse training")
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test, mix=recipe.mix)

    def draw(split: str) -> Iterator[Row]:
        if split == "mix":
            return _mix_rows(group, seed, "test", recipe.mix, words, Seen.of(cells), "mix/")
        source = CellSource(cells, words, ("diverse", group, seed, split), where, Seen.of(cells))
        return source.rows(splits[split] or 0)

    if recipe.mix:
        tasks = _renamed(tasks, cell_tasks(MIX[group], words, ("mix", group), where, "composition"))
    return tasks, splits, draw


def _plain_words(words: Vocabulary) -> Vocabulary:
    """The original tasks have words of their own unless the recipe changes them."""
    return BABI if words == DYNA else words


def concat(group: str, recipe: ConcatRecipe, seed: int, where: str) -> Parts:
    """The original tasks side by side, generated or read from files, and mix(T)."""
    numbers = GROUPS[group]
    words = _plain_words(recipe.vocabulary)
    tasks = {f"task-{number}": twenty_task(number, words) for number in numbers}
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test, mix=recipe.mix)
    if recipe.files:
        from taskloom.families.babi.released import released_rows

    def draw(split: str) -> Iterator[Row]:
        if split == "mix":
            return _mix_rows(group, seed, "test", recipe.mix, recipe.vocabulary, seen_in(numbers, False), "mix/")
        if recipe.files:
            return released_rows(recipe.files, numbers, split, splits[split] or 0)
        return concat_rows(numbers, words, (seed,), split, splits[split] or 0, where)

    if recipe.mix:
        tasks = _renamed(tasks, cell_tasks(MIX[group], recipe.vocabulary, ("mix", group), where, "composition"))
    return tasks, splits, draw


def inject(group: str, recipe: InjectRecipe, seed: int, where: str) -> Parts:
    """The same as concat(T) with further questions, and mix(T)."""
    numbers = GROUPS[group]
    words = _plain_words(recipe.vocabulary)
    tasks = {f"task-{number}": twenty_task(number, words) for number in numbers}
    for number in numbers:
        for question in INJECTED.get(number, ()):
            tasks[f"task-{number}-{question}"] = twenty_task(number, words, question)
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test, mix=recipe.mix)
    share = recipe.originals / recipe.train if recipe.train else 1 / 3

    def draw(split: str) -> Iterator[Row]:
        if split == "mix":
            return _mix_rows(group, seed, "test", recipe.mix, recipe.vocabulary, seen_in(numbers, True), "mix/")
        size = splits[split] or 0
        if split == "test":  # the paper tests on the original questions
            return concat_rows(numbers, words, (seed,), split, size, where)
        return inject_rows(numbers, words, (seed,), split, size, max(1, round(size * share)), where)

    if recipe.mix:
        tasks = _renamed(tasks, cell_tasks(MIX[group], recipe.vocabulary, ("mix", group), where, "composition"))
    return tasks, splits, draw


def inoculate(group: str, recipe: InoculateRecipe, seed: int, where: str) -> Parts:
    """Doses of mix(T) to train on; dev and test are mix(T) itself."""
    words = recipe.vocabulary
    tasks = cell_tasks(MIX[group], words, ("mix", group), where, "composition")
    splits = _splits(train=recipe.dose * len(tasks), dev=recipe.dev, test=recipe.test)

    def draw(split: str) -> Iterator[Row]:
        name = "dose" if split == "train" else split
        if split != "train":
            return _mix_rows(group, seed, name, splits[split] or 0, words, Seen.of(DIVERSE[group]))
        return _doses(group, seed, recipe.dose, words)

    return tasks, splits, draw


def _doses(group: str, seed: int, dose: int, words: Vocabulary) -> Iterator[Row]:
    """`dose` questions of each type; a smaller dose is the first part of a larger one."""
    cells = MIX[group]
    source = CellSource(cells, words, ("mix", group, seed, "dose"), f"babi/inoculate-{group}", Seen.of(DIVERSE[group]))
    names = list(dict.fromkeys(cell.task for cell in cells))
    turns = {name: [index for index, cell in enumerate(cells) if cell.task == name] for name in names}
    for number in range(dose):
        for name in names:
            indices = turns[name]
            yield source.row(indices[number % len(indices)], number // len(indices))


def rephrase(group: str, recipe: SplitRecipe, seed: int, where: str) -> Parts:
    """Yes-no questions answered yes and their twins; sizes count questions, two to a pair."""
    words = recipe.vocabulary
    cells = [cell for cell in MIX[group] if cell.task == "yes-no"]
    tasks = cell_tasks(
        [cell for cell in MIX[group] if cell.task in ("yes-no", "where-person")],
        words,
        ("mix", group),
        where,
        "rephrase",
    )
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test)

    def draw(split: str) -> Iterator[Row]:
        source = CellSource(cells, words, ("rephrase", group, seed, split), where, Seen.of(DIVERSE[group]))
        return islice(_twins(source, len(cells)), splits[split] or 0)

    return tasks, splits, draw


def _twins(source: CellSource, cells: int) -> Iterator[Row]:
    number = 0
    while True:
        for index in range(cells):
            pair = rephrased(source, index, number)
            if pair is not None:
                yield from pair
        number += 1


def task(number: int, recipe: TaskRecipe, seed: int, where: str) -> Parts:
    """One of the twenty original tasks."""
    words = recipe.vocabulary
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test)
    tasks = {f"task-{number}": twenty_task(number, words)}
    return tasks, splits, lambda split: task_rows(number, words, (seed,), split, splits[split] or 0, where)


# -- custom -------------------------------------------------------------------------------------------


def custom(
    recipe: CustomRecipe, seed: int, where: str
) -> tuple[dict[str, Task], dict[str, int | None], Draw, dict[str, Any]]:
    """Whatever the recipe says, or a configuration of the kit."""
    words = recipe.vocabulary
    notes: dict[str, Any] = {}
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test)
    if recipe.config:
        kit = read_config(recipe.config)
        cells, words = kit.cells, kit.vocabulary if words == DYNA else words
        splits = {name: max(1, round(size * recipe.scale)) for name, size in kit.splits.items()}
        notes["ignored settings"] = kit.notes
        where = recipe.config
    else:
        cells = _custom_cells(recipe)
    kept, refused = _feasible(cells, words, where, recipe.starved if not recipe.config else "skip")
    if refused:
        notes["left out because nothing can meet them"] = refused
    # The whole recipe is part of the key, so that recipes that differ share no stories.
    key: tuple[Key, ...] = ("custom", recipe.fingerprint(), seed)
    tasks = cell_tasks(kept, words, key, where, "custom") | woven_tasks(recipe.also)

    def draw(split: str) -> Iterator[Row]:
        if recipe.also:
            woven = Woven(kept, recipe.also, words, (*key, split), where, recipe.length)
            return woven.rows(splits[split] or 0)
        return CellSource(kept, words, (*key, split), where, None).rows(splits[split] or 0)

    return tasks, splits, draw, notes


def _custom_cells(recipe: CustomRecipe) -> list[Cell]:
    names = (*recipe.events, *recipe.constructs)
    concepts = Concepts({name: recipe.weights.get(name, 1.0) for name in names}, dict(recipe.coref), recipe.affirm)
    return [
        Cell(
            question,
            concepts,
            question_kinds(question),
            recipe.support,
            recipe.length,
            recipe.requires,
            recipe.paths,
            recipe.per_signature,
            recipe.per_story,
            recipe.shares.get(question, 1.0),
        )
        for question in recipe.questions
    ]


def _feasible(cells: Sequence[Cell], words: Vocabulary, where: str, starved: str) -> tuple[list[Cell], list[str]]:
    """The cells that can be met, and descriptions of those that cannot (an error if the recipe says so)."""
    sizes = (len(words.persons), len(words.objects), len(words.places))
    kept: list[Cell] = []
    refused: list[str] = []
    for cell in cells:
        try:
            Sampler(cell, *sizes, where=where)
        except StarvedError as error:
            if starved == "error" or len(cells) == 1:
                raise
            refused.append(error.message)
        else:
            kept.append(cell)
    if not kept and cells:
        raise StarvedError("no sub-task can be met", where=where, hint="; ".join(refused[:3]))
    return kept, refused
