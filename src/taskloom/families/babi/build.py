"""How each kind of suite is put together: its tasks, its splits, and how their rows are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from taskloom.core import Blocks, Key, Recipe, Row, Task, UserError, content_hash
from taskloom.families.babi.cells import CellSet, CellSource
from taskloom.families.babi.concepts import (
    DIVERSE,
    GROUPS,
    MIX,
    ORIGINALS,
    CellSpec,
    Concepts,
    StarvedError,
    question_kinds,
    question_type,
)
from taskloom.families.babi.instances import SeenCells
from taskloom.families.babi.recipe import (
    ConcatRecipe,
    CustomRecipe,
    InjectRecipe,
    InoculateRecipe,
    LengthRecipe,
    SplitRecipe,
    StoryRecipe,
    TaskRecipe,
)
from taskloom.families.babi.sampler import Sampler
from taskloom.families.babi.vocabulary import BABI, DYNA, Vocabulary, words_in
from taskloom.families.babi.worlds import compile_world

if TYPE_CHECKING:
    from taskloom.families.babi.fluent_records import FluentRecipe
    from taskloom.families.babi.lattice import BabiLattice


class Parts(NamedTuple):
    """What a suite is put together from."""

    tasks: dict[str, Task]
    splits: dict[str, int | None]
    draw: Callable[[str], Iterable[Row]]
    notes: dict[str, Any] = {}


def _sizes(recipe: Recipe, **sizes: int) -> dict[str, int]:
    """The splits that a recipe asks for, with their sizes."""
    given = {name: getattr(recipe, name, 0) for name in ("train", "dev", "test", "mix")} | sizes
    return {name: size for name, size in given.items() if size}


def _group_cells(kind: str, group: str, recipe: SplitRecipe, where: str) -> CellSet:
    """The cells of mix(T) or diverse(T) as a recipe wants them."""
    cells = story_cells((MIX if kind == "mix" else DIVERSE)[group], recipe, where)
    return CellSet(_told_in(cells, recipe.vocabulary, recipe.language), (kind, group), where)


def _told_in(cells: Sequence[CellSpec], words: Vocabulary, code: str) -> list[CellSpec]:
    """The cells with other words, in the language of that code."""
    spoken = words_in(words, code)
    return [replace(cell, words=spoken) for cell in cells]


def _seeded(cells: CellSet, seed: int, split: str, seen: SeenCells, prefix: str = "") -> CellSource:
    return CellSource(cells._replace(key=(*cells.key, seed)), split, seen, prefix=prefix)


def _with_mix(
    group: str,
    recipe: SplitRecipe,
    seed: int,
    where: str,
    tasks: dict[str, Task],
    draw: Callable[[str, int], Iterable[Row]],
    seen: SeenCells,
) -> Parts:
    """Training splits and, where the recipe wants it, mix(T) as their test of composition, its tasks under `mix/`."""
    splits = _sizes(recipe)
    mixed = _group_cells("mix", group, recipe, where)
    if recipe.mix:
        tasks = tasks | mixed.tasks("composition", recipe.language, "mix/")

    def drawn(split: str) -> Iterable[Row]:
        if split == "mix":
            return _seeded(mixed, seed, "test", seen, "mix/").blocks(recipe.mix)
        return draw(split, splits[split])

    return Parts(tasks, {**splits}, drawn)


def story_cells(cells: Sequence[CellSpec], recipe: Recipe, where: str) -> list[CellSpec]:
    """The cells of a split as a recipe wants them: of some questions, in stories of another length.

    Raises:
        UserError: The split asks none of these questions.
    """
    kept = list(cells)
    if isinstance(recipe, StoryRecipe):
        wanted = recipe.questions
        kept = [cell for cell in cells if not wanted or any(question_type(kind) in wanted for kind in cell.questions)]
        if not kept:
            asked = ", ".join(dict.fromkeys(question_type(kind) for cell in cells for kind in cell.questions))
            raise UserError(f"it asks {asked}, not {', '.join(recipe.questions)}", where=f"{where}: questions")
        kept = [replace(cell, prose=recipe.prose) for cell in kept]
    if not isinstance(recipe, LengthRecipe) or recipe.length is None:
        return kept
    high = recipe.length[1]
    return [
        replace(cell, length=recipe.length, support=(min(cell.support[0], high), min(cell.support[1], high)))
        for cell in kept
    ]


def mix(group: str, recipe: StoryRecipe, seed: int, where: str) -> Parts:
    """Stories that may combine everything."""
    mixed, splits, seen = _group_cells("mix", group, recipe, where), _sizes(recipe, mix=0), SeenCells.of(DIVERSE[group])
    tasks = mixed.tasks("composition", recipe.language)
    return Parts(tasks, {**splits}, lambda split: _seeded(mixed, seed, split, seen).blocks(splits[split]))


def diverse(group: str, recipe: StoryRecipe, seed: int, where: str) -> Parts:
    """Training: sub-tasks with held-out combinations, and mix(T)."""
    subtasks = _group_cells("diverse", group, recipe, where)
    tasks, seen = subtasks.tasks("diverse training", recipe.language), SeenCells.of(subtasks.cells)

    def draw(split: str, size: int) -> Blocks:
        return _seeded(subtasks, seed, split, seen).blocks(size)

    return _with_mix(group, recipe, seed, where, tasks, draw, seen)


def concat(group: str, recipe: ConcatRecipe | InjectRecipe, seed: int, where: str) -> Parts:
    """The original tasks side by side, generated or read from files (or with further questions), and mix(T)."""
    from taskloom.families.babi.original_tasks import inject_blocks, original_task, seen_in, task_blocks

    numbers, code = GROUPS[group], recipe.language
    # The original tasks have words of their own unless the recipe changes them.
    words = BABI if recipe.vocabulary == DYNA else recipe.vocabulary
    injects = isinstance(recipe, InjectRecipe)
    tasks = {f"task-{number}": original_task(number, words, code=code) for number in numbers}
    for number in numbers if injects else ():
        for question in ORIGINALS[number].injected:
            tasks[f"task-{number}-{question}"] = original_task(number, words, question, code=code)

    def draw(split: str, size: int) -> Iterable[Row]:
        if isinstance(recipe, ConcatRecipe) and recipe.files:
            from taskloom.families.babi.files import released_rows

            return released_rows(recipe.files, numbers, split, size)
        if isinstance(recipe, InjectRecipe) and split != "test":  # the paper tests on the original questions
            share = recipe.originals / recipe.train if recipe.train else 1 / 3
            return inject_blocks(numbers, words, code, seed, split, size, share, where)
        return task_blocks(numbers, words, code, seed, split, size, where)

    return _with_mix(group, recipe, seed, where, tasks, draw, seen_in(numbers, injects))


inject = concat


def inoculate(group: str, recipe: InoculateRecipe, seed: int, where: str) -> Parts:
    """Doses of mix(T) to train on; dev and test are mix(T) itself."""
    mixed = _group_cells("mix", group, recipe, where)
    tasks, seen = mixed.tasks("composition", recipe.language), SeenCells.of(DIVERSE[group])
    splits = _sizes(recipe, train=recipe.dose * len(tasks), mix=0)

    def draw(split: str) -> Blocks:
        dose = split == "train"
        source = _seeded(mixed, seed, "dose" if dose else split, seen)
        return source.blocks(splits[split], _dose_rota(mixed.cells) if dose else None)

    return Parts(tasks, {**splits}, draw)


def _dose_rota(cells: Sequence[CellSpec]) -> list[int]:
    """One question of each type in turn, so that a smaller dose is the first part of a larger one."""
    names = list(dict.fromkeys(cell.task for cell in cells))
    turns = {name: [index for index, cell in enumerate(cells) if cell.task == name] for name in names}
    length = lcm(*(len(indices) for indices in turns.values()))
    return [turns[name][number % len(turns[name])] for number in range(length) for name in names]


def rephrase(group: str, recipe: LengthRecipe, seed: int, where: str) -> Parts:
    """Yes-no questions answered yes and their twins; sizes count questions, two to a pair."""
    mixed, splits = _group_cells("mix", group, recipe, where), _sizes(recipe, mix=0)
    shown = [cell for cell in mixed.cells if cell.task in ("yes-no", "where-person")]
    asked = mixed._replace(cells=[cell for cell in shown if cell.task == "yes-no"], key=("rephrase", group))
    seen = SeenCells.of(DIVERSE[group])
    tasks = mixed._replace(cells=shown).tasks("rephrase", recipe.language)
    return Parts(tasks, {**splits}, lambda split: _seeded(asked, seed, split, seen).twins(splits[split]))


def task(group: str, recipe: TaskRecipe, seed: int, where: str) -> Parts:
    """One of the twenty original tasks, by its number."""
    from taskloom.families.babi.original_tasks import original_task, task_blocks

    number, words, code, splits = int(group), recipe.vocabulary, recipe.language, _sizes(recipe)
    return Parts(
        {f"task-{number}": original_task(number, words, code=code)},
        {**splits},
        lambda split: task_blocks((number,), words, code, seed, split, splits[split], where),
    )


def world(_group: str, recipe: FluentRecipe, seed: int, where: str) -> Parts:
    """A world of any sorts."""
    from taskloom.families.babi.fluent_suites import WorldSource

    source, splits = WorldSource(recipe, where), _sizes(recipe)
    notes = {"left out because they are rare": source.notes} if source.notes else {}
    key = content_hash(replace(recipe, train=0, dev=0, test=1, language="en"))
    return Parts(source.tasks(), {**splits}, lambda split: source.blocks(split, splits[split], seed, key), notes)


# -- custom -------------------------------------------------------------------------------------------


def custom(_group: str, recipe: CustomRecipe, seed: int, where: str) -> Parts:
    """What the recipe says, or a configuration of the kit."""
    from taskloom.families.babi.extra_concepts import ExtraConceptRows, extra_tasks

    notes: dict[str, Any] = {}
    splits, world, code = _sizes(recipe), compile_world(recipe.world), recipe.language
    if recipe.config:
        from taskloom.families.babi.kit import read_config

        kit = read_config(recipe.config)
        given, where = None if recipe.vocabulary == DYNA else recipe.vocabulary, recipe.config
        cells = [replace(cell, words=words_in(given or cell.words, code)) for cell in kit.cells]
        splits = {name: max(1, round(size * recipe.scale)) for name, size in kit.splits.items()}
        notes["ignored settings"] = kit.notes
    else:
        cells = custom_cells(recipe)
    if recipe.world.events or recipe.world.questions:
        from taskloom.families.babi.parse import check_words

        check_words(recipe, cells[0].words if cells else recipe.vocabulary, world, where)
    # The whole recipe is part of the key, so that recipes that differ share no stories.
    key: tuple[Key, ...] = ("custom", recipe.fingerprint(), seed)
    every = CellSet(cells, key, where, world)
    kept, refused = _feasible(every, recipe.starved if not recipe.config else "skip")
    if refused:
        notes["left out because nothing can meet them"] = refused
    tasks = kept.tasks("custom", code) | extra_tasks(recipe.also)

    def draw(split: str) -> Blocks:
        if recipe.also:
            woven = kept._replace(cells=_told_in(kept.cells, recipe.vocabulary, code))
            return ExtraConceptRows(woven, recipe.also, split, recipe.length).blocks(splits[split])
        return CellSource(kept, split).blocks(splits[split])

    return Parts(tasks, {**splits}, draw, notes)


def custom_cells(recipe: CustomRecipe) -> list[CellSpec]:
    """The cells of a recipe, one per question type."""
    world = compile_world(recipe.world)
    names = (*recipe.every_event(), *recipe.constructs)
    spoken = {name: 1.0 for name, event in recipe.world.events.items() if event.pronoun}
    concepts = Concepts(
        {name: recipe.weights.get(name, 1.0) for name in names}, {**spoken, **recipe.coref}, recipe.affirm
    )
    same = set(CellSpec.__struct_fields__) & set(recipe.__struct_fields__) - {"questions", "gap"}
    filters = {name: getattr(recipe, name) for name in same}
    words = words_in(recipe.vocabulary, recipe.language)
    return [
        CellSpec(
            question,
            concepts,
            question_kinds(question, world),
            gap=recipe.gap if recipe.ask == "inside" else 0,
            share=recipe.shares.get(question, 1.0),
            words=words,
            **filters,
        )
        for question in recipe.every_question()
    ]


def _feasible(every: CellSet, starved: str) -> tuple[CellSet, list[str]]:
    """The cells that can be met with their words, and descriptions of those that cannot (or an error)."""
    kept: list[CellSpec] = []
    refused: list[str] = []
    for cell in every.cells:
        try:
            Sampler(cell, cell.words.sizes, every.world, where=every.where)
        except StarvedError as error:
            if starved == "error" or len(every.cells) == 1:
                raise
            refused.append(error.message)
        else:
            kept.append(cell)
    if not kept and every.cells:
        raise StarvedError("no sub-task can be met", where=every.where, hint="; ".join(refused[:3]))
    return every._replace(cells=kept), refused


def lattice_of(name: str, recipe: Recipe) -> BabiLattice:
    """The lattice of a suite with this recipe.

    Raises:
        UserError: Its stories come from a configuration of the kit, whose sub-tasks have words of their own.
    """
    from taskloom.families.babi.lattice import BabiLattice
    from taskloom.families.babi.original_tasks import seen_in

    kind, _, group = name.partition("-")
    where = f"babi/{name}"
    if isinstance(recipe, CustomRecipe):
        if recipe.config or recipe.also:
            raise UserError("a configuration, or woven concepts, have no lattice of combinations", where=where)
        return BabiLattice(CellSet(custom_cells(recipe), (), where, compile_world(recipe.world)), None)
    if not isinstance(recipe, SplitRecipe):
        raise UserError(f"{where} has no lattice of combinations to search")
    mixed = _group_cells("mix", group, recipe, where)
    specs = list(mixed.cells)
    seen = seen_in(GROUPS[group], kind == "inject") if kind in ("concat", "inject") else SeenCells.of(DIVERSE[group])
    if kind == "diverse":
        specs = [*_group_cells("diverse", group, recipe, where).cells, *specs]
    if kind == "rephrase":
        specs = [spec for spec in specs if spec.task in ("yes-no", "where-person")]
    return BabiLattice(mixed._replace(cells=specs), seen)
