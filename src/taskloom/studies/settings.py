"""Settings of studies as data: a file for each paper, and the paper's words for every setting of its own scale.

`settings/NAME.toml` has the settings that the studies of a paper share at each scale, those of each study on top, and
`words`: what the paper says about a setting, where, what that amounts to here, and why ours differs where it does.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from taskloom.core.study import Table
from taskloom.studies.grid import SCALES, GridRecipe, Scale, shown


class PaperWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a paper says about a setting.

    Attributes:
        studies: The studies that it holds for; empty for a training recipe.
        key: The setting: `models`, `learners.*.options.epochs`, or `training.NAME` for a recipe of `-A recipe=NAME`.
        paper: What the paper says, in our words or few of its own.
        where: The section, table or figure.
        value: What the words amount to as a setting; of a training recipe, by option.
        why: Why ours differs; empty where it does not.
    """

    studies: tuple[str, ...] = ()
    key: str
    paper: str
    where: str
    value: Any
    why: str = ""


class StudyRecord(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A study: its question and its own settings at each scale; `like` names another whose settings it has."""

    question: str
    like: str = ""
    smoke: dict[str, Any] = {}
    tiny: dict[str, Any] = {}
    paper: dict[str, Any] = {}


class PaperRecords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The studies of one paper."""

    citation: str
    studies: dict[str, StudyRecord]
    words: tuple[PaperWords, ...] = ()
    shared: dict[str, dict[str, Any]] = {}


@cache
def paper_records() -> dict[str, PaperRecords]:
    """The studies of every paper, by the name of its file."""
    folder = files("taskloom.studies").joinpath("settings")
    pages = {entry.name.removesuffix(".toml"): entry for entry in folder.iterdir() if entry.name.endswith(".toml")}
    return {
        name: msgspec.convert(tomllib.loads(pages[name].read_text(encoding="utf-8")), PaperRecords)
        for name in sorted(pages)
    }


def paper_of(study: str) -> PaperRecords:
    """The paper that a study repeats."""
    return next(paper for paper in paper_records().values() if study in paper.studies)


def scales_of(study: str, kind: type[GridRecipe]) -> dict[Scale, GridRecipe]:
    """The settings of a study at every scale."""
    paper = paper_of(study)
    record = paper.studies[paper.studies[study].like or study]

    def recipe(scale: Scale) -> GridRecipe:
        own = getattr(record, scale)
        shared = {key: value for key, value in paper.shared.get(scale, {}).items() if key in kind.__struct_fields__}
        learners = {**shared.get("learners", {}), **own.get("learners", {})}
        return msgspec.convert({**shared, **own, "learners": learners}, kind)

    return {scale: recipe(scale) for scale in SCALES}


def our_setting(words: PaperWords, paper_scale: GridRecipe | None) -> Any:
    """The setting that words are about, as plain data: of a study at paper scale, or of a training recipe."""
    head, _, rest = words.key.partition(".")
    if head == "training":
        from taskloom.adapt.make import make_adaptation

        name, _, adaptation = rest.partition(".")
        made = make_adaptation(adaptation or "finetune", {"recipe": name})
        return {option: getattr(made, option) for option in words.value}
    found: Any = msgspec.json.decode(msgspec.json.encode(paper_scale))
    for name in _steps(words.key):
        found = found.get(name, "") if isinstance(found, Mapping) else ""
    return found


def _steps(key: str) -> list[str]:
    """The names that lead to a setting; those of learners hold dots and blanks of their own."""
    if not key.startswith("learners."):
        return key.split(".")
    name, _, rest = key.removeprefix("learners.").rpartition(".options")
    if not name:
        name, rest = key.removeprefix("learners.").removesuffix(".run"), ""
        return ["learners", name, "run"]
    return ["learners", name, "options", *rest.strip(".").split(".")]


def all_words() -> Iterator[tuple[str, PaperWords]]:
    """Every sentence of every paper, with the paper's citation."""
    for paper in paper_records().values():
        yield from ((paper.citation, words) for words in paper.words)


def settings_tables() -> list[Table]:
    """The settings of paper scale beside the paper's words, a table for each paper."""
    from taskloom.core.catalog import STUDIES

    tables = []
    for paper in paper_records().values():
        rows = []
        for words in paper.words:
            recipe = STUDIES.get(words.studies[0]).scales["paper"] if words.studies else None  # type: ignore[attr-defined]
            ours = shown(our_setting(words, recipe)) or "as the suite has it"
            about = ", ".join(words.studies) or f"-A recipe={words.key.split('.')[1]}"
            key = words.key if words.studies else " ".join(words.key.split(".")[2:]) or "finetune"
            rows.append((about, key, f"{words.paper} ({words.where})", ours, words.why))
        columns = ("study", "setting", "the paper", "here, at paper scale", "why they differ")
        tables.append(Table(paper.citation, columns, tuple(rows)))
    return tables
