"""The folder of a study: tables as CSV and Markdown, figures, and everything together in `study.json`.

All files lie side by side and are listed by name and hash (`store.outputs`): a later result replaces only those, and a
file that Taskloom did not write is never overwritten.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core.csv_table import encode_csv
from taskloom.core.study import Table
from taskloom.figures import Figure
from taskloom.store.atomic import clear_halves, lock_folder
from taskloom.store.ownership import refuse_foreign, remove_stale, write_ours
from taskloom.studies.findings import Findings

STUDY = "study.json"
GUESSING = "nowhere known to do better than guessing"
"""What the first line of a study says of a model, where it is so."""
FORMAT = 1


class StudyResult(msgspec.Struct, frozen=True, kw_only=True):
    """What came of a study.

    Attributes:
        study: Its name.
        question: What it answers.
        paper: Whose tables and figures it repeats.
        scale: smoke, tiny, paper, or "" for settings of one's own.
        seed: The first data seed.
        recipe: Every setting.
        cut: In what it falls short of the paper's scale.
        runs: The folders of its runs on the shelf.
        found: How many of them were there before.
        done: How many were carried out.
        findings: Tables, figures, checks and sentences.
    """

    study: str
    question: str
    paper: str = ""
    scale: str = ""
    seed: int = 0
    recipe: dict[str, Any] = {}
    cut: list[str] = []
    runs: list[str] = []
    found: int = 0
    done: int = 0
    findings: Findings

    def markdown(self) -> str:
        """Everything but the figures, for people."""
        found = self.findings
        notice = [f"**{line}**" for line in found.sentences if GUESSING in line]
        parts = [f"## {self.study}", *notice, self.question + (f" ({self.paper})" if self.paper else "")]
        parts += [table.markdown() for table in found.tables]
        if found.checks:
            parts.append("### What was expected\n\n" + "\n".join(f"- {check.line()}" for check in found.checks))
        if found.sentences:
            parts.append("### What can be said\n\n" + "\n".join(f"- {line}" for line in found.sentences))
        if self.cut:
            parts.append("### What was cut\n\n" + "\n".join(f"- {line}" for line in self.cut))
        return "\n\n".join(parts)

    def plain(self) -> dict[str, Any]:
        """The result as plain data: the same for the same runs, on any machine."""
        found = self.findings
        return {
            "format": FORMAT,
            **{name: getattr(self, name) for name in ("study", "question", "paper", "scale", "seed", "recipe", "cut")},
            "runs": self.runs,
            "tables": [msgspec.to_builtins(table) for table in found.tables],
            "figures": [_described(figure, stem) for stem, figure in _stems("figure", found.figures)],
            "checks": [msgspec.to_builtins(check) for check in found.checks],
            "sentences": list(found.sentences),
        }


def _described(figure: Figure, stem: str) -> dict[str, Any]:
    return {"file": stem, "title": figure.title, "caption": figure.caption}


def _stems(kind: str, things: Any) -> list[tuple[str, Any]]:
    """A file name for each table or figure: its number, and its title in letters that every disk can hold."""
    found = []
    for number, thing in enumerate(things, start=1):
        words = re.sub(r"[^a-z0-9]+", "-", thing.title.lower()).strip("-")[:48].rstrip("-")
        found.append((f"{kind}-{number}-{words}" if words else f"{kind}-{number}", thing))
    return found


def table_csv(table: Table) -> bytes:
    """A table as CSV; what is missing is empty."""
    return encode_csv(table.columns, table.rows).encode()


def _files(result: StudyResult) -> dict[str, bytes]:
    files = {f"{stem}.csv": table_csv(table) for stem, table in _stems("table", result.findings.tables)}
    for stem, figure in _stems("figure", result.findings.figures):
        files |= {f"{stem}.{ending}": data for ending, data in figure.files().items()}
    files["study.md"] = (result.markdown() + "\n").encode()
    files[STUDY] = msgspec.json.format(msgspec.json.encode(result.plain())) + b"\n"
    return files


def write_study(result: StudyResult, folder: Path, pages: Mapping[str, bytes] | None = None) -> list[Path]:
    """Write the folder of a study; what an earlier result left there and this one does not have goes.

    Args:
        result: What came of the study.
        folder: Its folder.
        pages: Further files to write with it, by name.

    Raises:
        UserError: A file in the way was not written by Taskloom, or was changed since; nothing is written then.
    """
    files = {**_files(result), **(pages or {})}
    with lock_folder(folder):
        clear_halves(folder)
        for name in files:
            refuse_foreign(folder / name)
        for name, data in files.items():
            write_ours(folder / name, data)
        for kind in ("table", "figure"):
            remove_stale(folder, f"{kind}-*", files)
    return [folder / name for name in files]
