"""Any suite as Super-NaturalInstructions task files, and back again without loss.

`tasks/*.json` and `splits/` hold what the published schema knows, so any tool that reads Super-NI reads them. What the
schema has no place for (scorers, facets, targets that are no plain texts, the order of rows) stands beside it in
`taskloom/`, one file per task; `read_suite` puts both together again. `scaffold_task` writes one file to begin with.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import (
    AnswerKind,
    AnyOf,
    Facet,
    FacetType,
    Instance,
    Row,
    Suite,
    Targets,
    Task,
    UserError,
    acceptable_texts,
    content_hash,
    keyed_random,
    track,
)
from taskloom.core.decode import read_json
from taskloom.families.superni.collection import KEYS, decode_instances, read_header
from taskloom.store.atomic import whole_folder

MOST_INSTANCES = 6500
"""Of each task and split: the published collection keeps no more."""
FORMAT = 1

_TYPES: dict[str, FacetType] = {"str": str, "int": int, "float": float, "bool": bool, "tuple": tuple[str, ...]}
_FIRST_SPLITS = ("test", "dev")


class _Rest(msgspec.Struct, frozen=True, omit_defaults=True):
    """What the schema cannot hold of one instance."""

    split: str
    place: int
    name: str
    targets: Targets | None = None
    facets: dict[str, Facet] = {}
    parts: dict[str, str] = {}
    details: dict[str, Any] = {}


class _TaskRest(msgspec.Struct, frozen=True):
    """What the schema cannot hold of one task."""

    name: str
    kind: AnswerKind
    scorer: str
    labels: tuple[str, ...]
    reader: str
    facets: dict[str, Facet]
    version: str
    instances: list[_Rest]


_KEPT = ("name", "kind", "scorer", "labels", "reader", "facets", "version")


class _Manifest(msgspec.Struct, frozen=True):
    """What the schema cannot hold of a suite: enough to rebuild it, and the file of each task."""

    format: int
    name: str
    recipe: dict[str, Any]
    seed: int
    splits: dict[str, int]
    facets: dict[str, str]
    apart: str
    pool: str | None
    notes: dict[str, Any]
    files: dict[str, str]


def _file_names(suite: Suite) -> dict[str, str]:
    """A published-style file name for every task, numbered so that names stay unique."""
    width = max(3, len(str(len(suite.tasks))))
    return {
        name: f"task{number:0{width}d}_{re.sub(r'[^A-Za-z0-9.]+', '_', f'{suite.family}_{name}').strip('_').lower()}"
        for number, name in enumerate(suite.tasks, 1)
    }


def write_suite(
    suite: Suite,
    folder: Path,
    *,
    splits: list[str] | None = None,
    limit: int | None = None,
    beside: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Write a suite as task files.

    Args:
        suite: Any suite.
        folder: A new or empty folder.
        splits: Only these splits; all by default.
        limit: At most this many rows of each split; needed where one never ends.
        beside: Further texts by file name. The folder appears with everything in it, or not at all.

    Returns:
        The file name (without `.json`) of each task.

    Raises:
        UserError: The folder holds something already.
    """
    with whole_folder(folder) as scratch:
        for name, text in (beside or {}).items():
            (scratch / name).write_text(text, encoding="utf-8")
        return _write_files(suite, scratch, splits, limit)


def _write_files(suite: Suite, folder: Path, splits: list[str] | None, limit: int | None) -> dict[str, str]:
    files = _file_names(suite)
    rows: dict[str, list[tuple[Instance, _Rest]]] = {name: [] for name in suite.tasks}
    sizes: dict[str, int] = {}
    order = sorted(
        splits or suite.splits, key=lambda split: _FIRST_SPLITS.index(split) if split in _FIRST_SPLITS else 9
    )
    for split in order:
        sizes[split] = 0
        counts = dict.fromkeys(suite.tasks, 0)
        size = min((number for number in (suite.splits[split], limit) if number is not None), default=None)
        for name, instance in track(suite.rows(split, limit=limit), f"drawing {split}", size, unit="row"):
            if counts[name] < MOST_INSTANCES:
                counts[name] += 1
                rows[name].append((instance, _rest(split, sizes[split], instance)))
                sizes[split] += 1
    # Tasks that the chosen rows do not ask have nothing to write.
    rows = {name: held for name, held in rows.items() if held}
    files = {name: file for name, file in files.items() if name in rows}
    for part in ("tasks", "taskloom", "splits/default"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    for name in files:
        task = suite.tasks[name]
        _write_json(folder / "tasks" / f"{files[name]}.json", _published(suite, task, files[name], rows[name]))
        kept = {field: getattr(task, field) for field in _KEPT}
        rest = _TaskRest(**kept, instances=[one for _, one in rows[name]])
        _write_json(folder / "taskloom" / f"{files[name]}.json", rest)
    _write_splits(folder, files, {name: {one.split for _, one in held} for name, held in rows.items()})
    manifest = _Manifest(
        FORMAT,
        suite.name,
        dict(suite.recipe),
        suite.seed,
        {split: sizes[split] for split in suite.splits if split in sizes},
        {key: getattr(kind, "__name__", str(kind)) for key, kind in suite.facets.items()},
        suite.apart,
        suite.pool if suite.pool in sizes else None,
        dict(suite.notes),
        files,
    )
    _write_json(folder / "taskloom" / "suite.json", manifest)
    return files


def _rest(split: str, place: int, instance: Instance) -> _Rest:
    targets = None if type(instance.targets) is AnyOf else instance.targets
    return _Rest(split, place, instance.id, targets, instance.facets, instance.parts, instance.details)


def _named(value: Facet) -> list[str]:
    return [value] if isinstance(value, str) else list(value) if isinstance(value, tuple) else []


def _published(suite: Suite, task: Task, file: str, rows: list[tuple[Instance, _Rest]]) -> dict[str, Any]:
    """The fourteen keys of a published file, in their order."""
    language = str(task.facets.get("language") or "English")
    instruction = task.instruction
    examples = [
        [{key: value for key, value in msgspec.to_builtins(example).items() if value is not None} for example in shown]
        for shown in (instruction.positive, instruction.negative)
    ]
    number = file.partition("_")[0]
    values: dict[str, Any] = {
        "contributors": ["Taskloom"],
        "source": [str(task.facets.get("source") or suite.name) if suite.family == "superni" else suite.name],
        "url": [],
        "categories": [str(task.facets.get("category") or suite.family)],
        "reasoning": [],
        "definition": [instruction.definition],
        "input_language": language.split(", "),
        "output_language": str(task.facets.get("output_language") or language).split(", "),
        "instruction_language": [str(task.facets.get("instruction_language") or "English")],
        "domains": _named(task.facets.get("domains")) or ["Miscellaneous"],
        "positive": examples[0],
        "negative": examples[1],
        "instances": [
            {
                "id": f"{number}-{content_hash((task.name, rest.split, instance.id))}",
                "input": instance.input,
                "output": list(acceptable_texts(instance.targets)),
            }
            for instance, rest in rows
        ],
        "license": ["Apache-2.0"],
    }
    return {KEYS[key]: values[key] for key in KEYS}


def _write_splits(folder: Path, files: dict[str, str], splits: dict[str, set[str]]) -> None:
    """A task with test instances is a test task; the published lists know no task in both."""
    for part, chosen in {
        "test": [name for name, held in splits.items() if "test" in held],
        "train": [name for name, held in splits.items() if "test" not in held],
        "excluded": [],
    }.items():
        text = "".join(f"{files[name]}\n" for name in chosen)
        (folder / "splits" / "default" / f"{part}_tasks.txt").write_text(text, "utf-8", newline="\n")


def _write_json(path: Path, value: Any) -> None:
    path.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=4))


def is_written_suite(folder: Path) -> bool:
    """Whether `write_suite` made the folder."""
    return (folder / "taskloom" / "suite.json").is_file()


def read_suite(folder: Path) -> Suite:
    """The suite that `write_suite` wrote: the same tasks and, split by split, the same rows in the same order.

    Raises:
        UserError: The folder was not written by `write_suite`, or a file of it is missing or damaged.
    """
    manifest = read_json(folder / "taskloom" / "suite.json", type=_Manifest)
    if manifest.format != FORMAT:
        raise UserError(f"written in format {manifest.format}, this version reads {FORMAT}", where=str(folder))
    tasks: dict[str, Task] = {}
    rows: dict[str, list[tuple[int, Row]]] = {split: [] for split in manifest.splits}
    for name, file in manifest.files.items():
        rest = read_json(folder / "taskloom" / f"{file}.json", type=_TaskRest)
        path = folder / "tasks" / f"{file}.json"
        header, raws = read_header(path)
        if len(raws) != len(rest.instances):
            raise UserError(f"{len(raws)} instances, {len(rest.instances)} expected", where=str(path))
        tasks[name] = Task(instruction=header.instruction(), **{field: getattr(rest, field) for field in _KEPT})
        for record, more in zip(decode_instances(path, raws, range(len(raws))), rest.instances, strict=True):
            targets = more.targets or AnyOf(record.outputs())
            instance = Instance(more.name, record.input, targets, more.facets, more.parts, more.details)
            rows[more.split].append((more.place, Row(name, instance)))
    ordered = {split: [row for _, row in sorted(held, key=lambda pair: pair[0])] for split, held in rows.items()}

    def draw(split: str) -> Iterator[Row]:
        return iter(ordered[split])

    return Suite(
        name=manifest.name,
        recipe=manifest.recipe,
        seed=manifest.seed,
        tasks=tasks,
        splits=manifest.splits,
        draw=draw,
        facets={key: _TYPES[kind] for key, kind in manifest.facets.items()},
        apart=manifest.apart,  # type: ignore[arg-type]
        pool=manifest.pool,
        notes=manifest.notes,
    )


_INSTANCES = 120
"""Of a task file to begin with, which is small, complete, and without findings of the linter that matter."""


def _sample_instances(words: list[str], number: str) -> list[dict[str, Any]]:
    """A made-up task that works, so that every key can be seen in use: words in the opposite order."""
    instances: dict[str, dict[str, Any]] = {}
    rng = keyed_random("superni/scaffold", number)
    while len(instances) < _INSTANCES:
        drawn = rng.sample(words, 4)
        text = ", ".join(drawn)
        if text not in instances:
            name = f"task{number}-{rng.getrandbits(128):032x}"
            instances[text] = {"id": name, "input": text, "output": [", ".join(reversed(drawn))]}
    return list(instances.values())


def scaffold_task(name: str, folder: Path) -> Path:
    """Write `folder/NAME.json`, a worked task to be rewritten piece by piece.

    Args:
        name: `task123_words`; a number is put in front where it is missing.
        folder: Where the file goes; made if need be.

    Raises:
        UserError: The file exists, or the name has no letters.
    """
    words = re.sub(r"[^a-z0-9.\-]+", "_", name.lower().removesuffix(".json")).strip("_")
    if not re.search("[a-z]", words.removeprefix("task")):
        raise UserError(f"{name!r} does not describe the task", hint="taskloom new task-file capital_of_country")
    if not re.match(r"task\d+_", words):
        words = f"task001_{words}"
    path = folder / f"{words}.json"
    if path.exists():
        raise UserError("the file already exists", where=str(path), hint="choose another name or folder")
    number = words.removeprefix("task").partition("_")[0]
    task: dict[str, Any] = read_json(Path(__file__).with_name("scaffold.json"))  # its instances are words to draw from
    task["Instances"] = _sample_instances(task["Instances"], number)
    folder.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(task), indent=4))
    return path
