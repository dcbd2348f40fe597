"""Records are values: nobody changes them after they are made, and options are given by name."""

from __future__ import annotations

import dataclasses
import inspect
from importlib import import_module
from pathlib import Path

import msgspec
import pytest

from taskloom.core import Recipe

SOURCE = Path(__file__).parent.parent / "src" / "taskloom"
ROOMS = ("core", "store", "encode", "score", "protocol", "ask", "rl", "run", "figures", "report")
PATHS = [*(path for room in ROOMS for path in sorted((SOURCE / room).rglob("*.py"))), SOURCE / "studies" / "sweep.py"]
FILES = [path.relative_to(SOURCE).as_posix() for path in PATHS]

MUTABLE = {
    "run.session.Session": "the state of a run that goes on",
}
BY_NAME = {
    "run.record.Record", "run.plan.Plan", "run.session.RunSettings",
    "studies.sweep.FinishedJob", "studies.sweep.Job",
}  # fmt: skip
"""Records of many fields of the same type, which would be mistaken for each other by their places."""


def records(file: str) -> dict[str, type]:
    """The records that a file defines, by their names."""
    module = import_module(".".join(("taskloom", *Path(file.removesuffix("/__init__.py")).with_suffix("").parts)))
    return {
        f"{value.__module__}.{value.__qualname__}".removeprefix("taskloom."): value
        for value in vars(module).values()
        if isinstance(value, type)
        and value.__module__ == module.__name__
        and (issubclass(value, msgspec.Struct) or dataclasses.is_dataclass(value))
    }


@pytest.mark.parametrize("file", FILES)
def test_records_are_immutable_and_options_have_names(file):
    for name, record in records(file).items():
        struct = issubclass(record, msgspec.Struct)
        frozen = record.__struct_config__.frozen if struct else record.__dataclass_params__.frozen
        assert frozen != (name in MUTABLE), name
        by_place = [
            field.name
            for field in inspect.signature(record).parameters.values()
            if field.kind is not inspect.Parameter.KEYWORD_ONLY
        ]
        if issubclass(record, Recipe):
            assert record.__struct_config__.forbid_unknown_fields, f"{name}: a mistyped option passes for none"
            assert not by_place, f"{name}: {by_place}"
        elif name in BY_NAME:
            assert not by_place, f"{name}: {by_place}"


def test_exceptions_exist():
    found = {name for file in FILES for name in records(file)}
    assert found >= set(MUTABLE) | BY_NAME
