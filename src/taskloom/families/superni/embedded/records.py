"""Tasks as records: the texts of a task stand in a TOML file, its maker and solver in the module of the same name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import TypeAlias

import msgspec

from taskloom.author import Blueprint, Item
from taskloom.core import AnswerKind, FacetType

TaskCode: TypeAlias = tuple[Callable[[Random], str], Callable[[str], str]]
"""The maker of a task's inputs, and the solver that answers them."""

COLUMNS: dict[str, FacetType] = {"input_words": int}


class TaskTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the TOML file says about a task.

    Attributes:
        category: The kind of task, by its published name.
        domains: What it is about, by the published names of domains.
        skills: The material it works on and what is done with it. Tasks with the same skills are one cell of the
            collection's lattice; a task whose skills are all asked for by a larger one is a part of it.
        definition: Everything a person needs to know to do the task. Lines are joined.
        right: Positive examples: input and explanation; the output is the solver's.
        wrong: Negative examples: input, wrong output and explanation.
        labels: The closed set of answers, if there is one.
        kind: The form of the answers, where it is neither a label nor a text.
        language: The language of the inputs.
        output_language: The language of the answers, if different.
        instruction_language: The language of definition and explanations.
    """

    category: str
    domains: tuple[str, ...]
    skills: tuple[str, ...]
    definition: str
    right: tuple[tuple[str, str], ...]
    wrong: tuple[tuple[str, str, str], ...]
    labels: tuple[str, ...] = ()
    kind: AnswerKind | None = None
    language: str = "English"
    output_language: str | None = None
    instruction_language: str = "English"


def read_records(module: str, code: Mapping[str, TaskCode]) -> dict[str, TaskTexts]:
    """The records of a module, in the order of its TOML file.

    Raises:
        ValueError: A record has no maker and solver, or the other way round.
        msgspec.ValidationError: A record lacks something, or has something unknown.
    """
    page = Path(__file__).with_name(f"{module}.toml").read_bytes()
    records = msgspec.toml.decode(page, type=dict[str, TaskTexts])
    if lonely := records.keys() ^ code.keys():
        raise ValueError(f"{module}: {', '.join(sorted(lonely))}: in only one of {module}.toml and {module}.py")
    return records


def blueprint_of(name: str, record: TaskTexts, code: TaskCode) -> Blueprint:
    """The task of a record with its code; its items say how long they are."""
    make, solve = code

    def measured(rng: Random) -> Item:
        text = make(rng)
        return Item(text, None, {"input_words": len(text.split())})

    return Blueprint(
        measured,
        solve=solve,
        name=name,
        definition=" ".join(record.definition.split()),
        right=record.right,
        wrong=record.wrong,
        category=record.category,
        labels=record.labels,
        kind=record.kind,
        language=record.language,
        output_language=record.output_language,
        instruction_language=record.instruction_language,
        columns=COLUMNS,
        facets={
            "family": "superni",
            "derives_from": "superni/embedded",
            "source": f"Taskloom, {record.category.lower()}",
            "domains": record.domains,
            "skills": tuple(sorted(record.skills)),
        },
        version="3",
        balanced=bool(record.labels),
    )
