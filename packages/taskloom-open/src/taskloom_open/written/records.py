"""Task records and the blueprints that they become.

A record says what is drawn, what is shown, what the answer is, and how a reader finds the answer in what is shown. The
last is a solution of its own: every item that is drawn is solved from its text alone, and an item whose two answers
differ stops the collection.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache, lru_cache, partial
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from taskloom.author import Blueprint
from taskloom.core import AnswerKind, Items, UserError
from taskloom.core.decode import read_toml
from taskloom_open.archives import read_table
from taskloom_open.kit import BlueprintNotes, Part, WorkedItem, define, part_of, part_of_unit, rows, unit
from taskloom_open.written.formula import UnsuitableError, formula, template
from taskloom_open.written.tools import TOOLS

_FOLDER = Path(__file__).parent
_ATTEMPTS = 400


class TaskRecord(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One task as it is written down.

    Attributes:
        category: Its type.
        domains: Its domains.
        definition: The instruction.
        table: The source that it is mostly made of; "" for words and numbers of our own.
        draw: Lines that bind names to what is drawn; an `assert` rejects an item.
        input: The text of the item, with formulas in braces.
        answer: The answer; a list holds every acceptable text, the canonical one first.
        solve: The answer as a reader of `text` finds it.
        why: Why the answer is right, with formulas in braces; `it` is the answer.
        wrong: An answer that a careless reader might give.
        why_wrong: What is wrong with it; `it` is the wrong answer.
        labels: The closed set of answers.
        several: Whether the answer is a set of items in any order.
        scorer: The scorer, where the kind of answer does not decide.
        language: The language of the inputs.
        output_language: The language of the answers, if different.
        languages: Languages that the task is copied into; {language} in the definition names each.
        instruction: The language of the definition and of the explanations.
    """

    category: str
    domains: list[str]
    definition: str
    table: str = ""
    draw: str = ""
    input: str
    answer: str
    solve: str
    why: str
    wrong: str
    why_wrong: str
    labels: list[str] = []
    several: bool = False
    scorer: str | None = None
    language: str = "English"
    output_language: str | None = None
    languages: list[str] = []
    instruction: str = "English"
    version: str = "1"


@lru_cache(maxsize=1)
def task_records() -> dict[str, TaskRecord]:
    """Every record by name.

    Raises:
        UserError: A file is no list of records, or two records have one name.
    """
    found: dict[str, TaskRecord] = {}
    for path in sorted(_FOLDER.glob("tasks/*.toml")):
        for name, record in read_toml(path, type=dict[str, TaskRecord]).items():
            if name in found:
                raise UserError(f"two tasks are called {name!r}", where=str(path))
            found[name] = record
    return found


class _Bank(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Words of our own: the names of their fields, and rows."""

    fields: list[str]
    rows: list[list[Any]]


@lru_cache(maxsize=1)
def _banks() -> dict[str, list[dict[str, Any]]]:
    held = read_toml(_FOLDER / "banks.toml", type=dict[str, _Bank])
    return {
        name: [
            {"id": f"{name}:{place}", **dict(zip(bank.fields, row, strict=True))} for place, row in enumerate(bank.rows)
        ]
        for name, bank in held.items()
    }


def _as_row(one: Any) -> dict[str, Any]:
    return {"id": one.id, "text": one.text, "language": one.language, **one.more}


class _View(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Rows of a table under a name of their own: those that a condition keeps."""

    table: str
    where: str


@lru_cache(maxsize=1)
def _views() -> dict[str, _View]:
    return read_toml(_FOLDER / "views.toml", type=dict[str, _View])


@lru_cache(maxsize=512)
def _material(name: str, part: Part, language: str, where: str) -> tuple[dict[str, Any], ...]:
    """The rows of a bank, view or table that a category may use and that a condition keeps."""
    banks, view = _banks(), _views().get(name)
    if view is not None:
        held = list(_material(view.table, part, language, view.where))
    elif name in banks:
        held = [row for place, row in enumerate(banks[name]) if ("b" if place % 5 in (1, 3) else "a") == part]
    else:
        held = [_as_row(one) for one in rows(name, part, language)]
    if where:
        test, names = formula(where), {**TOOLS, "look": partial(_looked_up, language)}
        held = [row for row in held if test({**names, "row": row})]
    if not held:
        raise UserError(f"nothing of {name!r} in {language} is left where {where or 'nothing'} is asked for")
    return tuple(held)


@lru_cache(maxsize=256)
def _index(name: str, field: str, language: str) -> Mapping[Any, list[dict[str, Any]]]:
    """The rows of both parts by a value of a field, or by each of several."""
    banks = _banks()
    held = banks[name] if name in banks else [_as_row(one) for one in read_table(name) if one.language == language]
    found: dict[Any, list[dict[str, Any]]] = {}
    for row in held:
        value = row.get(field)
        for one in value if isinstance(value, list) else [value]:
            if not isinstance(one, list | dict):
                found.setdefault(one, []).append(row)
    return found


class _Drawing:
    """What the formulas of one item may draw, and what they have drawn."""

    def __init__(self, record: TaskRecord, language: str, rng: Random) -> None:
        self.record, self.language, self.rng = record, language, rng
        self.part = part_of(record.category)
        self.used: list[str] = []

    def rows(self, count: int, table: str = "", where: str = "", language: str = "") -> list[dict[str, Any]]:
        """Different rows."""
        name = table or self.record.table
        held = _material(name, self.part, language or self.language, where)
        if len(held) < count:
            raise UserError(f"{name!r} has {len(held)} rows where {count} are asked for")
        found = self.rng.sample(held, count)
        name = _views()[name].table if name in _views() else name
        own = name == self.record.table
        self.used += [unit(name, row["id"]) if own else f"{name}/{unit(name, row['id'])}" for row in found]
        return found

    def row(self, table: str = "", where: str = "", language: str = "") -> dict[str, Any]:
        """One row."""
        return self.rows(1, table, where, language)[0]

    def linked(self, ids: list[str]) -> list[dict[str, Any]]:
        """The rows of the record's own table that have these ids and may be used."""
        found = [row for one in ids for row in _looked_up(self.language, self.record.table, "id", one)]
        known = [
            row for row in found if part_of_unit(self.record.table, unit(self.record.table, row["id"])) == self.part
        ]
        self.used += [unit(self.record.table, row["id"]) for row in known]
        return known

    def same(self, row: dict[str, Any], table: str, language: str) -> dict[str, Any]:
        """The row of the same id in another language."""
        found = [one for one in _material(table, self.part, language, "") if one["id"] == row["id"]]
        if not found:
            raise UnsuitableError
        return found[0]

    def names(self) -> dict[str, Any]:
        """Everything that a drawing formula knows."""
        return {
            **TOOLS,
            "rows": self.rows,
            "row": self.row,
            "same": self.same,
            "linked": self.linked,
            "look": partial(_looked_up, self.language),
            "number": self.rng.randint,
            "pick": self.rng.choice,
            "sample": lambda items, count: self.rng.sample(list(items), count),
            "shuffled": lambda items: self.rng.sample(list(items), len(list(items))),
            "chance": lambda share: self.rng.random() < share,
        }


def _answer(record: TaskRecord, value: Any) -> str | tuple[str, ...] | Items:
    if record.several:
        return Items((tuple(str(one) for one in value),))
    if isinstance(value, list | tuple):
        return tuple(dict.fromkeys(str(one) for one in value))
    return str(value)


def _first(answer: str | tuple[str, ...] | Items) -> str:
    return answer.canonical() if isinstance(answer, Items) else answer if isinstance(answer, str) else answer[0]


def _accepts(answer: str | tuple[str, ...] | Items, said: str) -> bool:
    """Whether a text is among the acceptable ones; a set of items in any order."""
    if isinstance(answer, Items):
        return sorted(said.split(answer.separator)) == sorted(answer.alternatives[0])
    squeezed = " ".join(said.split())
    return any(squeezed == " ".join(one.split()) for one in ((answer,) if isinstance(answer, str) else answer))


def _looked_up(language: str, table: str, field: str, value: Any) -> list[dict[str, Any]]:
    """The rows of both parts of a table that have a value in a field."""
    return list(_index(table, field, language).get(value, ()))


def solved(record: TaskRecord, language: str, text: str) -> str | tuple[str, ...] | Items:
    """The answer that a reader finds in the text of an item."""
    look = partial(_looked_up, language)
    return _answer(record, formula(record.solve)({**TOOLS, "text": text, "look": look}))


def _made(name: str, record: TaskRecord, language: str, rng: Random, key: int) -> WorkedItem:
    for _ in range(_ATTEMPTS):
        drawing = _Drawing(record, language, rng)
        names = drawing.names()
        try:
            formula(record.draw)(names)
            text = template(record.input)(names)
            answer = _answer(record, formula(record.answer)(names))
            wrong = _answer(record, formula(record.wrong)(names))
        except UnsuitableError:
            continue
        except (ValueError, IndexError, KeyError, TypeError, AttributeError, ZeroDivisionError) as error:
            raise UserError(f"a formula fails: {type(error).__name__}: {error}", where=f"task {name}") from error
        found = solved(record, language, text)
        if not (_accepts(answer, _first(found)) and _accepts(found, _first(answer))):
            raise UserError(
                f"{text!r}: the record says {_first(answer)!r}, its solution {_first(found)!r}", where=f"task {name}"
            )
        spoilt = "" if _accepts(answer, _first(wrong)) else _first(wrong)
        why = template(record.why)({**names, "it": _first(answer)})
        why_wrong = template(record.why_wrong)({**names, "it": spoilt})
        return WorkedItem(text, answer, why, spoilt, why_wrong, tuple(dict.fromkeys(drawing.used)))
    raise UserError(f"no item out of {_ATTEMPTS} is suitable", where=f"task {name}")


def _kind(record: TaskRecord) -> AnswerKind:
    return "items" if record.several else "label" if record.labels else "text"


def blueprint_of(name: str, record: TaskRecord, language: str = "") -> Blueprint:
    """The task of a record.

    Args:
        name: The record's name.
        record: The record.
        language: The language of its inputs; the record's own, or the first of its languages, by default.
    """
    language = language or (record.languages or [record.language])[0]
    return define(
        name,
        partial(_made, name, record, language),
        table=record.table,
        labels=tuple(record.labels),
        language=language,
        output_language=record.output_language,
        scorer=record.scorer or ("items" if record.several else None if record.labels else "exact"),
        kind=_kind(record),
        suffix=None if record.languages else "",
        notes=BlueprintNotes(record.category, record.domains, record.definition, record.version),
        instruction=record.instruction,
        solve=lambda text: solved(record, language, text),
    )


@cache
def _written() -> tuple[Blueprint, ...]:
    return tuple(
        blueprint_of(name, record, language)
        for name, record in task_records().items()
        for language in record.languages or [record.language]
    )


def written() -> Iterator[Blueprint]:
    """Every task that is written as a record."""
    yield from _written()
