"""`zest/multitask`: ZEST together with other question answering data, each sampled at the same rate.

The row "ZEST + MTL" of the paper's Table 3: training rows come from all data sets by turns (appendix C.1), development
and test rows from ZEST alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import ClassVar, Literal, NamedTuple

import msgspec

from taskloom.core import (
    Blocks,
    Boolean,
    Example,
    Instance,
    Instruction,
    Permutation,
    Recipe,
    Row,
    Suite,
    Task,
    UniformBlocks,
    UserError,
)
from taskloom.core.blocks import BLOCK_ROWS
from taskloom.families.zest.describe import LABELS, shown_input
from taskloom.families.zest.generate import fictional_suite
from taskloom.families.zest.load import file_suite
from taskloom.families.zest.other_qa import READERS, OtherQuestion, read_questions
from taskloom.families.zest.recipe import FictionalRecipe, ZestFileRecipe


class MultitaskRecipe(Recipe, frozen=True, kw_only=True):
    """ZEST and other data.

    Attributes:
        path: Published ZEST files, as for `zest/file`; none for generated tasks.
        boolq: The published train.jsonl of BoolQ (also in the SuperGLUE layout).
        multirc: The published train file of MultiRC, or its train.jsonl in the SuperGLUE layout.
        record: The train.json of ReCoRD, or its train.jsonl in the SuperGLUE layout.
        squad: The train-v1.1.json of SQuAD.
        size: Training rows; 0 for as many as one pass over ZEST needs.
        scorer: `zest/official` or `zest/fair`.
    """

    file_keys: ClassVar[tuple[str, ...]] = ("path", "boolq", "multirc", "record", "squad")

    path: str = ""
    boolq: str = ""
    multirc: str = ""
    record: str = ""
    squad: str = ""
    size: int = 0
    scorer: Literal["zest/fair", "zest/official"] = "zest/official"

    def __post_init__(self) -> None:
        if self.size < 0:
            raise ValueError(f"size must be 0 or more, not {self.size}")


class _TaskSource(NamedTuple):
    """A data set as rows by number."""

    name: str
    size: int
    row: Callable[[int], Row]


def multitask_suite(recipe: MultitaskRecipe, seed: int) -> Suite:
    """The suite of a recipe.

    Raises:
        UserError: No other data set is named, a file is not of its layout, or ZEST has no training split.
    """
    named = {name: str(getattr(recipe, name)) for name in READERS if getattr(recipe, name)}
    if not named:
        raise UserError(
            "zest/multitask needs at least one file of another data set",
            where="zest/multitask: boolq, multirc, record, squad",
            hint="-T boolq=train.jsonl -T squad=train-v1.1.json",
        )
    zest = _zest(recipe, seed)
    if "train" not in zest.splits:
        raise UserError("ZEST has no training split here", where=recipe.path, hint="a folder with train.jsonl")
    others = {name: read_questions(name, path) for name, path in named.items()}
    sources = [_zest_source(zest), *(_source(name, asked) for name, asked in others.items())]
    size = recipe.size or sources[0].size * len(sources)

    def draw(split: str) -> Blocks | Iterator[Row]:
        if split != "train":
            return iter(zest.draw(split))
        return UniformBlocks(lambda block: _block(sources, seed, block), size, where="zest/multitask: train")

    kept = {split: count for split, count in zest.splits.items() if split in ("dev", "test")}
    return Suite(
        name="zest/multitask",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks={**zest.tasks, **{name: _task(name, recipe.scorer) for name in others}},
        splits={"train": size, **kept},
        draw=draw,
        facets=zest.facets,
        apart="pairs",
        pool=None,
        notes={"questions": {source.name: source.size for source in sources}},
    )


def _zest(recipe: MultitaskRecipe, seed: int) -> Suite:
    if recipe.path:
        return file_suite(ZestFileRecipe(path=recipe.path, scorer=recipe.scorer), seed)
    return fictional_suite("fictional", FictionalRecipe(scorer=recipe.scorer), seed)


def _zest_source(suite: Suite) -> _TaskSource:
    drawn = suite.draw("train")
    if isinstance(drawn, Blocks):
        assert drawn.size is not None
        return _TaskSource("zest", drawn.size, drawn.row)
    rows = list(drawn)
    return _TaskSource("zest", len(rows), rows.__getitem__)


def _source(name: str, asked: list[OtherQuestion]) -> _TaskSource:
    def row(number: int) -> Row:
        one = asked[number]
        answer = one.targets.canonical() if isinstance(one.targets, Boolean) else "value"
        return Row(
            name,
            Instance(
                id=one.id,
                input=shown_input(one.passage, one.question, "both"),
                targets=one.targets,
                facets={"answer": answer, "words": len(one.passage.split())},
                parts={"passage": one.passage, "question": one.question},
            ),
        )

    return _TaskSource(name, len(asked), row)


def _block(sources: list[_TaskSource], seed: int, block: int) -> Iterator[Row]:
    """Rows of a block: the data sets by turns, each in a new order on every pass through it."""
    for index in range(block * BLOCK_ROWS, (block + 1) * BLOCK_ROWS):
        turn, which = divmod(index, len(sources))
        source = sources[which]
        again, place = divmod(turn, source.size)
        row = source.row(Permutation(source.size, "zest", "multitask", seed, source.name, again)(place))
        if again:
            row = Row(row.task, msgspec.structs.replace(row.instance, id=f"{row.instance.id}-pass-{again + 1}"))
        yield row


_HOW = {
    "boolq": ("Answer a question about a passage with yes or no.", True),
    "multirc": ("Say whether a suggested answer to a question about a passage is right: yes or no.", True),
    "record": ("Name the entity of a passage that fills a gap, written @placeholder, in a sentence.", False),
    "squad": ("Answer a question about a passage with a few words of the passage.", False),
}
_SHOWN = "The reading room opened in 1931 and belongs to the parish."
_EXAMPLES = {
    "boolq": ("Does the reading room belong to the parish?", "yes", "no", "The passage says so."),
    "multirc": ("When did the room open? Is the answer: 1931?", "yes", "no", "The year is given."),
    # Several words, so that a prompt derived from the examples does not ask for one.
    "record": ("Which entity stands for @placeholder: @placeholder owns the room.", "the parish", "1931", "The owner."),
    "squad": ("Who owns the reading room?", "the parish", "1931", "The owner is asked for."),
}


def _task(name: str, scorer: str) -> Task:
    definition, closed = _HOW[name]
    asked, right, wrong, why = _EXAMPLES[name]
    text = shown_input(_SHOWN, asked, "both")
    instruction = Instruction(definition, (Example(text, right, why),), (Example(text, wrong, why),))
    return Task(
        name,
        instruction,
        "label" if closed else "text",
        scorer,
        LABELS[:2] if closed else (),
        facets={"family": "zest", "category": "other data", "language": "en", "domain": name},
    )
