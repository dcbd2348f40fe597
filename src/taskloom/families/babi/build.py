"""How each kind of suite is put together: its tasks, its splits, and how their rows are drawn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from math import lcm
from typing import TYPE_CHECKING, Any, NamedTuple

from msgspec.structs import replace

from taskloom.core import Blocks, Key, Recipe, Row, Task, UserError, content_hash
from taskloom.families.babi.cells import CellSource, cell_tasks
from taskloom.families.babi.concepts import (
    DIVERSE,
    GROUPS,
    MIX,
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
    SplitRecipe,
    StoryRecipe,
    TaskRecipe,
)
from taskloom.families.babi.sampler import Sampler
from taskloom.families.babi.story import QUESTION_KINDS
from taskloom.families.babi.vocabulary import BABI, DYNA, Vocabulary, words_in
from taskloom.families.babi.worlds import WorldProgram, compile_world

if TYPE_CHECKING:
    from taskloom.families.babi.fluent_records import FluentRecipe
    from taskloom.families.babi.lattice import BabiLattice

Draw = Callable[[str], Iterable[Row]]


class Parts(NamedTuple):
    """What a suite is put together from."""

    tasks: dict[str, Task]
    splits: dict[str, int | None]
    draw: Draw
    notes: dict[str, Any] = {}


def _splits(**sizes: int) -> dict[str, int | None]:
    return {name: size for name, size in sizes.items() if size}


def _renamed(tasks: dict[str, Task], more: dict[str, Task]) -> dict[str, Task]:
    """The tasks of a training split and, under `mix/`, those of its test of composition."""
    return tasks | {f"mix/{name}": replace(task, name=f"mix/{name}") for name, task in more.items()}


class _TaskPrefix(Blocks):
    """Blocks whose rows belong to tasks of other names."""

    def __init__(self, inner: Blocks, prefix: str) -> None:
        self.size = inner.size
        self._inner, self._prefix = inner, prefix

    def numbers(self) -> Iterator[int]:
        return self._inner.numbers()

    def locate(self, index: int) -> tuple[int, int]:
        return self._inner.locate(index)

    def rows(self, number: int) -> Iterator[Row]:
        return (Row(f"{self._prefix}{task}", instance) for task, instance in self._inner.rows(number))


def _mix_blocks(
    group: str,
    seed: int,
    split: str,
    size: int,
    words: Vocabulary,
    seen: SeenCells,
    cells: Sequence[CellSpec] | None = None,
) -> Blocks:
    """The rows of mix(T): the same wherever they appear, but for the training set that novelty is measured against."""
    cells = MIX[group] if cells is None else cells
    return CellSource(cells, words, ("mix", group, seed), split, f"babi/mix-{group}", seen).blocks(size)


def _mix_tasks(
    group: str, words: Vocabulary, where: str, code: str, cells: Sequence[CellSpec] | None = None
) -> dict[str, Task]:
    return cell_tasks(MIX[group] if cells is None else cells, words, ("mix", group), where, "composition", code=code)


def story_cells(cells: Sequence[CellSpec], recipe: Recipe, where: str) -> list[CellSpec]:
    """The cells of a split as a recipe wants them: of some questions, in stories of another length.

    Raises:
        UserError: The split asks none of these questions.
    """
    if not isinstance(recipe, StoryRecipe):
        return list(cells)
    wanted = recipe.questions
    kept = [cell for cell in cells if not wanted or any(question_type(kind) in wanted for kind in cell.questions)]
    if not kept:
        asked = ", ".join(dict.fromkeys(question_type(kind) for cell in cells for kind in cell.questions))
        raise UserError(f"it asks {asked}, not {', '.join(recipe.questions)}", where=f"{where}: questions")
    if recipe.length is None:
        return kept
    high = recipe.length[1]
    return [
        replace(cell, length=recipe.length, support=(min(cell.support[0], high), min(cell.support[1], high)))
        for cell in kept
    ]


def mix(group: str, recipe: StoryRecipe, seed: int, where: str) -> Parts:
    """Stories that may combine everything."""
    words = words_in(recipe.vocabulary, recipe.language)
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test)
    cells = story_cells(MIX[group], recipe, where)
    return Parts(
        _mix_tasks(group, words, where, recipe.language, cells),
        splits,
        lambda split: _mix_blocks(group, seed, split, splits[split] or 0, words, SeenCells.of(DIVERSE[group]), cells),
    )


def diverse(group: str, recipe: StoryRecipe, seed: int, where: str) -> Parts:
    """Training: sub-tasks with held-out combinations, and mix(T)."""
    words = words_in(recipe.vocabulary, recipe.language)
    cells, mixed = story_cells(DIVERSE[group], recipe, where), story_cells(MIX[group], recipe, where)
    tasks = cell_tasks(cells, words, ("diverse", group), where, "diverse training", code=recipe.language)
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test, mix=recipe.mix)

    def draw(split: str) -> Blocks:
        if split == "mix":
            return _TaskPrefix(_mix_blocks(group, seed, "test", recipe.mix, words, SeenCells.of(cells), mixed), "mix/")
        source = CellSource(cells, words, ("diverse", group, seed), split, where, SeenCells.of(cells))
        return source.blocks(splits[split] or 0)

    if recipe.mix:
        tasks = _renamed(tasks, _mix_tasks(group, words, where, recipe.language, mixed))
    return Parts(tasks, splits, draw)


def _plain_words(words: Vocabulary) -> Vocabulary:
    """The original tasks have words of their own unless the recipe changes them."""
    return BABI if words == DYNA else words


def concat(group: str, recipe: ConcatRecipe, seed: int, where: str) -> Parts:
    """The original tasks side by side, generated or read from files, and mix(T)."""
    from taskloom.families.babi.original_tasks import concat_blocks, original_task, seen_in

    numbers = GROUPS[group]
    words, code = _plain_words(recipe.vocabulary), recipe.language
    tasks = {f"task-{number}": original_task(number, words, code=code) for number in numbers}
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test, mix=recipe.mix)
    mixed = words_in(recipe.vocabulary, code)
    if recipe.files:
        from taskloom.families.babi.files import released_rows

    def draw(split: str) -> Iterable[Row]:
        if split == "mix":
            return _TaskPrefix(_mix_blocks(group, seed, "test", recipe.mix, mixed, seen_in(numbers, False)), "mix/")
        if recipe.files:
            return released_rows(recipe.files, numbers, split, splits[split] or 0)
        return concat_blocks(numbers, words, code, seed, split, splits[split] or 0, where)

    if recipe.mix:
        tasks = _renamed(tasks, _mix_tasks(group, mixed, where, code))
    return Parts(tasks, splits, draw)


def inject(group: str, recipe: InjectRecipe, seed: int, where: str) -> Parts:
    """The same as concat(T) with further questions, and mix(T)."""
    from taskloom.families.babi.original_tasks import INJECTED, concat_blocks, inject_blocks, original_task, seen_in

    numbers = GROUPS[group]
    words, code = _plain_words(recipe.vocabulary), recipe.language
    tasks = {f"task-{number}": original_task(number, words, code=code) for number in numbers}
    for number in numbers:
        for question in INJECTED.get(number, ()):
            tasks[f"task-{number}-{question}"] = original_task(number, words, question, code=code)
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test, mix=recipe.mix)
    share = recipe.originals / recipe.train if recipe.train else 1 / 3
    mixed = words_in(recipe.vocabulary, code)

    def draw(split: str) -> Blocks:
        if split == "mix":
            return _TaskPrefix(_mix_blocks(group, seed, "test", recipe.mix, mixed, seen_in(numbers, True)), "mix/")
        size = splits[split] or 0
        if split == "test":  # the paper tests on the original questions
            return concat_blocks(numbers, words, code, seed, split, size, where)
        return inject_blocks(numbers, words, code, seed, split, size, share, where)

    if recipe.mix:
        tasks = _renamed(tasks, _mix_tasks(group, mixed, where, code))
    return Parts(tasks, splits, draw)


def inoculate(group: str, recipe: InoculateRecipe, seed: int, where: str) -> Parts:
    """Doses of mix(T) to train on; dev and test are mix(T) itself."""
    words = words_in(recipe.vocabulary, recipe.language)
    tasks = _mix_tasks(group, words, where, recipe.language)
    splits = _splits(train=recipe.dose * len(tasks), dev=recipe.dev, test=recipe.test)
    cells = MIX[group]

    def draw(split: str) -> Blocks:
        size = splits[split] or 0
        if split != "train":
            return _mix_blocks(group, seed, split, size, words, SeenCells.of(DIVERSE[group]))
        source = CellSource(cells, words, ("mix", group, seed), "dose", where, SeenCells.of(DIVERSE[group]))
        return source.blocks(size, _dose_rota(cells))

    return Parts(tasks, splits, draw)


def _dose_rota(cells: Sequence[CellSpec]) -> list[int]:
    """One question of each type in turn, so that a smaller dose is the first part of a larger one."""
    names = list(dict.fromkeys(cell.task for cell in cells))
    turns = {name: [index for index, cell in enumerate(cells) if cell.task == name] for name in names}
    length = lcm(*(len(indices) for indices in turns.values()))
    return [turns[name][number % len(turns[name])] for number in range(length) for name in names]


def rephrase(group: str, recipe: SplitRecipe, seed: int, where: str) -> Parts:
    """Yes-no questions answered yes and their twins; sizes count questions, two to a pair."""
    words = words_in(recipe.vocabulary, recipe.language)
    cells = [cell for cell in MIX[group] if cell.task == "yes-no"]
    shown = [cell for cell in MIX[group] if cell.task in ("yes-no", "where-person")]
    tasks = cell_tasks(shown, words, ("mix", group), where, "rephrase", code=recipe.language)
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test)

    def draw(split: str) -> Blocks:
        source = CellSource(cells, words, ("rephrase", group, seed), split, where, SeenCells.of(DIVERSE[group]))
        return source.twins(splits[split] or 0)

    return Parts(tasks, splits, draw)


def task(group: str, recipe: TaskRecipe, seed: int, where: str) -> Parts:
    """One of the twenty original tasks, by its number."""
    from taskloom.families.babi.original_tasks import original_task, task_blocks

    number = int(group)
    words, code = recipe.vocabulary, recipe.language
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test)
    tasks = {f"task-{number}": original_task(number, words, code=code)}
    return Parts(tasks, splits, lambda split: task_blocks(number, words, code, seed, split, splits[split] or 0, where))


def world(_group: str, recipe: FluentRecipe, seed: int, where: str) -> Parts:
    """A world of any sorts."""
    from taskloom.families.babi.fluent_suites import WorldSource

    source = WorldSource(recipe, where)
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test)
    notes = {"left out because they are rare": source.notes} if source.notes else {}
    key = content_hash(replace(recipe, train=0, dev=0, test=1, language="en"))
    return Parts(source.tasks(), splits, lambda split: source.blocks(split, splits[split] or 0, seed, key), notes)


# -- custom -------------------------------------------------------------------------------------------


def custom(_group: str, recipe: CustomRecipe, seed: int, where: str) -> Parts:
    """Whatever the recipe says, or a configuration of the kit."""
    from taskloom.families.babi.extra_concepts import ExtraConceptRows, extra_tasks

    words: list[Vocabulary]
    notes: dict[str, Any] = {}
    splits = _splits(train=recipe.train, dev=recipe.dev, test=recipe.test)
    world = compile_world(recipe.world)
    if recipe.config:
        from taskloom.families.babi.kit import read_config

        kit = read_config(recipe.config)
        cells = kit.cells
        given = kit.vocabularies if recipe.vocabulary == DYNA else [recipe.vocabulary] * len(cells)
        words = [words_in(each, recipe.language) for each in given]
        splits = {name: max(1, round(size * recipe.scale)) for name, size in kit.splits.items()}
        notes["ignored settings"] = kit.notes
        where = recipe.config
    else:
        cells = custom_cells(recipe)
        words = [words_in(recipe.vocabulary, recipe.language)] * len(cells)
    if recipe.world.events or recipe.world.questions:
        from taskloom.families.babi.parse import check_words

        check_words(recipe, words[0] if words else recipe.vocabulary, world, where)
    kept, spoken, refused = _feasible(cells, words, world, where, recipe.starved if not recipe.config else "skip")
    if refused:
        notes["left out because nothing can meet them"] = refused
    # The whole recipe is part of the key, so that recipes that differ share no stories.
    key: tuple[Key, ...] = ("custom", recipe.fingerprint(), seed)
    code = recipe.language
    tasks = cell_tasks(kept, spoken, key, where, "custom", world=world, code=code) | extra_tasks(recipe.also)

    def draw(split: str) -> Blocks:
        size = splits[split] or 0
        if recipe.also:
            return ExtraConceptRows(
                kept, recipe.also, words_in(recipe.vocabulary, code), key, split, where, recipe.length
            ).blocks(size)
        return CellSource(kept, spoken, key, split, where, None, world).blocks(size)

    return Parts(tasks, splits, draw, notes)


def custom_cells(recipe: CustomRecipe) -> list[CellSpec]:
    """The cells of a recipe, one per question type."""
    own = list(recipe.world.questions)
    names = (*recipe.every_event(), *recipe.constructs)
    spoken = {name: 1.0 for name, event in recipe.world.events.items() if event.pronoun}
    concepts = Concepts(
        {name: recipe.weights.get(name, 1.0) for name in names}, {**spoken, **recipe.coref}, recipe.affirm
    )
    return [
        CellSpec(
            question,
            concepts,
            (len(QUESTION_KINDS) + own.index(question),) if question in own else question_kinds(question),
            recipe.support,
            recipe.length,
            recipe.requires,
            recipe.paths,
            recipe.per_signature,
            recipe.per_story,
            exact=recipe.exact,
            double=recipe.double,
            distractors=recipe.distractors,
            mentions=recipe.mentions,
            gap=recipe.gap if recipe.ask == "inside" else 0,
            share=recipe.shares.get(question, 1.0),
        )
        for question in recipe.every_question()
    ]


def _feasible(
    cells: Sequence[CellSpec], words: Sequence[Vocabulary], world: WorldProgram, where: str, starved: str
) -> tuple[list[CellSpec], list[Vocabulary], list[str]]:
    """The cells that can be met with their words, and descriptions of those that cannot (or an error)."""
    kept: list[CellSpec] = []
    spoken: list[Vocabulary] = []
    refused: list[str] = []
    for cell, each in zip(cells, words, strict=True):
        try:
            Sampler(cell, len(each.persons), len(each.objects), len(each.places), world=world, where=where)
        except StarvedError as error:
            if starved == "error" or len(cells) == 1:
                raise
            refused.append(error.message)
        else:
            kept.append(cell)
            spoken.append(each)
    if not kept and cells:
        raise StarvedError("no sub-task can be met", where=where, hint="; ".join(refused[:3]))
    return kept, spoken, refused


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
        words = words_in(recipe.vocabulary, recipe.language)
        return BabiLattice(where, custom_cells(recipe), words, None, compile_world(recipe.world))
    if not isinstance(recipe, SplitRecipe):
        raise UserError(f"{where} has no lattice of combinations to search")
    words = words_in(recipe.vocabulary, recipe.language)
    specs = story_cells(MIX[group], recipe, where)
    seen = seen_in(GROUPS[group], kind == "inject") if kind in ("concat", "inject") else SeenCells.of(DIVERSE[group])
    if kind == "diverse":
        specs = [*story_cells(DIVERSE[group], recipe, where), *specs]
    if kind == "rephrase":
        specs = [spec for spec in specs if spec.task in ("yes-no", "where-person")]
    return BabiLattice(where, specs, words, seen)
