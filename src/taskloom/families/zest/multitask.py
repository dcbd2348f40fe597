"""`zest/multitask`: ZEST together with other question answering data, each sampled at the same rate.

The row "ZEST + MTL" of the paper's Table 3: training rows come from all data sets by turns (appendix C.1), development
and test rows from ZEST alone. BoolQ, MultiRC, ReCoRD and SQuAD 1.1 are read from their published files, which are not
shipped; name the files if you have them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from taskloom.core import (
    AnyOf,
    Blocks,
    Boolean,
    Permutation,
    Row,
    Suite,
    Targets,
    UniformBlocks,
    UserError,
)
from taskloom.core.blocks import BLOCK_ROWS
from taskloom.core.decode import decode_loose_json, read_loose_jsonl, read_text
from taskloom.core.instance import Facet
from taskloom.families.zest import generate, load
from taskloom.families.zest.describe import passage_row
from taskloom.families.zest.load import form_task
from taskloom.families.zest.recipe import FictionalRecipe, MultitaskRecipe, SquadRecipe, ZestFileRecipe

_YES_NO = ("yes", "no")


class _TaskSource(NamedTuple):
    """A data set as rows by number."""

    name: str
    size: int
    row: Callable[[int], Row]


def build_suite(name: str, recipe: MultitaskRecipe | SquadRecipe, seed: int) -> Suite:
    """The suite of a recipe.

    Raises:
        UserError: No other data set is named, a file is not of its layout, or ZEST has no training split.
    """
    if isinstance(recipe, SquadRecipe):
        return _squad_suite(recipe, seed)
    named = {name: str(getattr(recipe, name)) for name in _LAYOUTS if getattr(recipe, name)}
    if not named:
        raise UserError(
            "zest/multitask needs at least one file of another data set",
            where="zest/multitask: boolq, multirc, record, squad",
            hint="-T boolq=train.jsonl -T squad=train-v1.1.json",
        )
    if recipe.path:
        zest = load.build_suite("file", ZestFileRecipe(path=recipe.path, scorer=recipe.scorer), seed)
    else:
        zest = generate.build_suite("fictional", FictionalRecipe(scorer=recipe.scorer), seed)
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
        tasks={**zest.tasks, **{name: form_task(name, name, recipe.scorer, {"domain": name}) for name in others}},
        splits={"train": size, **kept},
        draw=draw,
        facets=zest.facets,
        apart="pairs",
        pool=None,
        notes={"questions": {source.name: source.size for source in sources}},
    )


def _squad_suite(recipe: SquadRecipe, seed: int) -> Suite:
    named = {split: str(getattr(recipe, split)) for split in recipe.file_keys if getattr(recipe, split)}
    if "test" not in named:
        hint = "-T train=train-v1.1.json -T test=dev-v1.1.json"
        raise UserError("zest/squad needs a file to ask", where="zest/squad: test", hint=hint)
    sources = {split: _source("squad", read_questions("squad", path)) for split, path in named.items()}
    return Suite(
        name="zest/squad",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks={"squad": form_task("squad", "squad", recipe.scorer, {"domain": "squad"})},
        splits={split: source.size for split, source in sources.items()},
        draw=lambda split: map(sources[split].row, range(sources[split].size)),
        apart="pairs",
        pool="train" if "train" in sources else None,
    )


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
        facets: dict[str, Facet] = {"answer": answer, "words": len(one.passage.split())}
        return passage_row(name, one.id, one.passage, one.question, one.targets, facets)

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


# ------------------------------------------------------------------------- published files


class OtherQuestion(NamedTuple):
    """A question about a passage with its acceptable answers."""

    id: str
    passage: str
    question: str
    targets: Targets


def _get(value: Any, key: str, kind: type | tuple[type, ...], where: str) -> Any:
    """A key of an object, checked."""
    found = value.get(key) if isinstance(value, Mapping) else None
    if not isinstance(found, kind) or (isinstance(found, bool) and kind is int):
        names = " or ".join(one.__name__ for one in (kind if isinstance(kind, tuple) else (kind,)))
        raise UserError(f"`{key}` is missing or not of type {names}", where=where)
    return found


def _spans(question: Any, where: str, missing: str) -> Targets:
    """The different texts of a question's answers."""
    texts = [str(_get(answer, "text", str, where)) for answer in _get(question, "answers", list, where)]
    if not texts:
        raise UserError(missing, where=where)
    return AnyOf(tuple(dict.fromkeys(texts)))


def _boolq(path: Path) -> Iterator[OtherQuestion]:
    """BoolQ: question, passage and a truth value a line (`answer`, or `label` in the SuperGLUE layout)."""
    for number, (_, where, row) in enumerate(read_loose_jsonl(path)):
        key = "answer" if isinstance(row, Mapping) and "answer" in row else "label"
        truth = _get(row, key, bool, where)
        question = _get(row, "question", str, where).strip().rstrip("?")
        yield OtherQuestion(
            f"boolq-{row.get('idx', number)}", _get(row, "passage", str, where), f"{question}?", Boolean(truth, _YES_NO)
        )


def _data_or_lines(path: Path) -> list[tuple[str, Any]]:
    """The rows of a file that is one object with `data`, or JSONL as in SuperGLUE, each with its place."""
    text = read_text(path).lstrip()
    whole = decode_loose_json(text, where=path) if text.startswith("{") and "\n{" not in text else None
    if not isinstance(whole, Mapping) or "data" not in whole:
        return [(where, row) for _, where, row in read_loose_jsonl(path)]
    rows = _get(whole, "data", list, f"{path}: the file")
    return [(f"{path}: data[{at}]", row) for at, row in enumerate(rows)]


_SENTENCE_MARKS = re.compile(r"<b>Sent \d+: </b>|<br>")


def _multirc(path: Path) -> Iterator[OtherQuestion]:
    """MultiRC: is a candidate a right answer? One row for each candidate of each question of each passage.

    Its own layout numbers the sentences of a `paragraph` and says `isAnswer`; SuperGLUE has a `passage` and `label`.
    """
    for number, (where, row) in enumerate(_data_or_lines(path)):
        own = isinstance(row, Mapping) and "paragraph" in row
        passage = _get(row, "paragraph" if own else "passage", dict, where)
        text = " ".join(_SENTENCE_MARKS.sub(" ", _get(passage, "text", str, where)).split())
        for at, question in enumerate(_get(passage, "questions", list, where)):
            asked = _get(question, "question", str, where)
            for turn, answer in enumerate(_get(question, "answers", list, where)):
                label = _get(answer, "isAnswer" if own else "label", (int, bool), where)
                claim = f"{asked.strip()} Is the answer: {_get(answer, 'text', str, where).strip()}?"
                name = f"{row.get('id' if own else 'idx', number)}-{question.get('idx', at)}-{answer.get('idx', turn)}"
                yield OtherQuestion(f"multirc-{name}", text, claim, Boolean(bool(label), _YES_NO))


def _record(path: Path) -> Iterator[OtherQuestion]:
    """ReCoRD: which entity of the passage fills the gap (@placeholder)? Its own layout or that of SuperGLUE."""
    for number, (where, row) in enumerate(_data_or_lines(path)):
        passage = _get(row, "passage", dict, where)
        shown = _get(passage, "text", str, where).replace("\n@highlight\n", " ")
        for at, query in enumerate(_get(row, "qas", list, where)):
            answers = _spans(query, where, "a query without answers")
            name = f"record-{query.get('id', query.get('idx', f'{number}-{at}'))}"
            question = f"Which entity stands for @placeholder: {_get(query, 'query', str, where).strip()}"
            yield OtherQuestion(name, shown, question, answers)


def _squad(path: Path) -> Iterator[OtherQuestion]:
    """SQuAD 1.1: spans of paragraphs. Version 2 has questions without answers and is refused."""
    whole = decode_loose_json(read_text(path), where=path)
    for number, article in enumerate(_get(whole, "data", list, f"{path}: the file")):
        for at, paragraph in enumerate(_get(article, "paragraphs", list, f"{path}: data[{number}]")):
            where = f"{path}: data[{number}].paragraphs[{at}]"
            context = _get(paragraph, "context", str, where)
            for question in _get(paragraph, "qas", list, where):
                answers = _spans(question, where, "a question without answers: this is SQuAD 2.0, not version 1.1")
                text = _get(question, "question", str, where).strip()
                name = f"squad-{_get(question, 'id', str, where)}"
                yield OtherQuestion(name, context, text, answers)


_LAYOUTS: dict[str, tuple[Callable[[Path], Iterator[OtherQuestion]], str]] = {
    "boolq": (_boolq, "one object a line with `question`, `passage` and `answer` (`label` in SuperGLUE)"),
    "multirc": (
        _multirc,
        "`data` with `paragraph`s and `isAnswer`, or in SuperGLUE one object a line with `passage` and `label`",
    ),
    "record": (_record, "`data` with `passage` and `qas`, or in SuperGLUE one such object a line"),
    "squad": (_squad, "version 1.1: `data` with `paragraphs`, each with `context` and `qas`"),
}


def read_questions(name: str, path: str | Path) -> list[OtherQuestion]:
    """All questions of a published file.

    Args:
        name: boolq, multirc, record or squad.
        path: The file.

    Raises:
        UserError: The file cannot be read or is not of that layout, with the place.
    """
    file = Path(path).expanduser()
    reader, layout = _LAYOUTS[name]
    try:
        found = list(reader(file))
    except UserError as error:
        error.hint = error.hint or f"-T {name}= reads the training file as published: {layout}"
        raise
    if not found:
        raise UserError(f"there is no question of {name} here", where=str(file))
    twice = {one.id for one in found}
    if len(twice) < len(found):
        raise UserError(f"{len(found) - len(twice)} questions share an id with another", where=str(file))
    return found
