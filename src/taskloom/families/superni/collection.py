"""A collection of task files, opened lazily: headers from an index, instances on request."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import Literal

from taskloom.core import UserError, unknown_name
from taskloom.core.decode import read_json, read_lines
from taskloom.families.superni.index import Damage, build_index
from taskloom.families.superni.schema import Header, InstanceRecord, decode_instances, read_header

HOW_TO_GET = (
    "git clone https://github.com/allenai/natural-instructions, then pass -T path=natural-instructions; "
    "superni/embedded needs no download"
)


class Collection:
    """Tasks of a folder in the published layout.

    Args:
        root: A folder with `tasks/*.json` (and perhaps `splits/` and `doc/`), or a folder of task files.
        skip: Leave damaged files and instances out instead of refusing to draw from them.

    Attributes:
        headers: Everything but the instances, by task name.
        damaged: Files that are no tasks, with the reason. The others are not affected.
        quarantine: Instances that cannot be used, with the reason, by task and index.
    """

    def __init__(self, root: Path, *, skip: bool = False) -> None:
        self.root = root
        self.skip = skip
        self.folder = root / "tasks" if (root / "tasks").is_dir() else root
        entries = build_index(self.folder)
        self.headers: dict[str, Header] = {}
        self.damaged: dict[str, Damage] = {}
        self.quarantine: dict[str, dict[int, str]] = {
            name: entry.instances for name, entry in entries.items() if entry.instances
        }
        for name, entry in entries.items():
            if entry.header is not None:
                self.headers[name] = entry.header
            elif entry.damage is not None:
                self.damaged[name] = entry.damage
        if not entries:
            raise UserError("no task files (*.json) here", where=str(self.folder), hint=HOW_TO_GET)

    def __len__(self) -> int:
        return len(self.headers)

    def header(self, name: str) -> Header:
        """The header of one task.

        Raises:
            UserError: No such task, or its file is damaged.
        """
        if name in self.damaged:
            raise self.damaged[name].error()
        if name not in self.headers:
            raise unknown_name("task", name, self.headers, where=str(self.folder))
        return self.headers[name]

    def refuse_damage(self) -> None:
        """Stop at the first damaged file or instance.

        Raises:
            UserError: There is one.
        """
        for damage in self.damaged.values():
            raise damage.error()
        for name, bad in self.quarantine.items():
            index, reason = next(iter(bad.items()))
            raise UserError(
                f"Instances[{index}]: {reason}", where=str(self.path(name)), hint="-T damaged=skip leaves it out"
            )

    def path(self, name: str) -> Path:
        """The file of a task."""
        return self.folder / f"{name}.json"

    def instances(self, name: str, indices: range | list[int] | None = None) -> list[InstanceRecord]:
        """The instances of one task, or some of them; no other file is touched.

        Args:
            name: The task.
            indices: Which ones, beyond the end allowed; all of them by default.
        """
        self.header(name)
        _, raws = read_header(self.path(name))
        chosen = range(len(raws)) if indices is None else [index for index in indices if index < len(raws)]
        return decode_instances(self.path(name), raws, self.usable(name, chosen))

    def usable(self, name: str, indices: Sequence[int]) -> list[int]:
        """The indices without those of damaged instances, where these are skipped."""
        bad = self.quarantine.get(name, {}) if self.skip else {}
        return [index for index in indices if index not in bad]

    def losses(self, names: Iterable[str]) -> str:
        """What was left out among some tasks, in one sentence; "" where nothing was."""
        if not self.skip:
            return ""
        names = list(dict.fromkeys(names))
        files = sorted(name for name in names if name in self.damaged)
        bad = {name: len(self.quarantine[name]) for name in names if name in self.quarantine}
        parts = []
        if files:
            parts.append(f"{len(files)} damaged file{'s' if len(files) > 1 else ''} ({_some(files)})")
        if bad:
            count = sum(bad.values())
            parts.append(
                f"{count} damaged instance{'s' if count > 1 else ''} of {len(bad)} tasks ({_some(sorted(bad))})"
            )
        return f"Left out: {' and '.join(parts)}." if parts else ""

    def iterate(self) -> Iterator[tuple[str, list[InstanceRecord]]]:
        """Every task with all its instances, one file in memory at a time."""
        for name in self.headers:
            yield name, self.instances(name)

    def split_names(self, track: str, part: str) -> list[str] | None:
        """The task names of `splits/TRACK/PART_tasks.txt`, or None where there is no such list."""
        path = self.root / "splits" / track / f"{part}_tasks.txt"
        if not path.exists():
            return None
        lines = list(read_lines(path))
        return [line.strip().removesuffix(".json") for line in lines if line.strip()]

    @property
    def known(self) -> set[str]:
        """The tasks that may be asked for: those of sound files, and damaged ones unless they are skipped."""
        return set(self.headers) if self.skip else self.headers.keys() | self.damaged.keys()

    @cached_property
    def domain_map(self) -> Mapping[str, tuple[str, ...]]:
        """Domains as written to the broader ones of `doc/domains_map.json`; empty where there is no such file."""
        return self._map("domains_map.json")

    @cached_property
    def category_map(self) -> Mapping[str, tuple[str, ...]]:
        """Older category names to those of `doc/categories_map.json`; empty where there is no such file."""
        return self._map("categories_map.json")

    def domains(self, name: str) -> tuple[str, ...]:
        """The domains of a task, mapped where a map is at hand, each once."""
        written = self.header(name).domains
        return tuple(dict.fromkeys(broad for domain in written for broad in self.domain_map.get(domain, (domain,))))

    def _map(self, file: str) -> dict[str, tuple[str, ...]]:
        path = self.root / "doc" / file
        if not path.exists():
            return {}
        table: dict[str, list[str] | str] = read_json(path, type=dict[str, list[str] | str])
        return {key: (value,) if isinstance(value, str) else tuple(value) for key, value in table.items()}


def _some(names: list[str]) -> str:
    return ", ".join(names[:3]) + (" …" if len(names) > 3 else "")


def open_collection(path: str, damaged: Literal["stop", "skip"] = "stop") -> Collection:
    """Open the collection at a path.

    Args:
        path: Its folder.
        damaged: What to do about damaged files and instances: stop with the reason, or leave them out.

    Raises:
        UserError: No path, or nothing there (with how to get the published collection).
    """
    if not path:
        raise UserError("this suite needs the path of a Super-NaturalInstructions collection", hint=HOW_TO_GET)
    root = Path(path).expanduser()
    if not root.is_dir():
        raise UserError("no such folder", where=path, hint=HOW_TO_GET)
    return Collection(root, skip=damaged == "skip")
