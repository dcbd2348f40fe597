"""Write the table of paper-scale settings into docs/studies.md, from the records in src/taskloom/studies/settings.

python scripts/build_settings.py           writes the page
python scripts/build_settings.py --check   fails where the page is not what would be written
"""

from __future__ import annotations

import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from taskloom.adapt.make import make_adaptation
from taskloom.core.catalog import STUDIES
from taskloom.core.study import Table
from taskloom.studies.experiment import PaperWords, paper_records
from taskloom.studies.grid import GridRecipe, shown

PAGE = Path(__file__).resolve().parent.parent / "docs" / "studies.md"
BEGIN, END = "<!-- settings: begin -->", "<!-- settings: end -->"


def our_setting(words: PaperWords, paper_scale: GridRecipe | None) -> Any:
    """The setting that words are about, as plain data: of a study at paper scale, or of a training recipe."""
    head, _, rest = words.key.partition(".")
    if head == "training":
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
    for field in ("model_options", "options", "run"):
        name, found, rest = key.removeprefix("learners.").rpartition(f".{field}")
        if found:
            return ["learners", name, field, *filter(None, rest.strip(".").split("."))]
    raise ValueError(f"{key} names no setting of a learner")


def settings_tables() -> list[Table]:
    """The settings of paper scale beside the paper's words, a table for each paper."""
    tables = []
    for paper in paper_records().values():
        rows = []
        for words in paper.words:
            recipe = STUDIES.get(words.studies[0]).scales["paper"] if words.studies else None
            ours = shown(our_setting(words, recipe)) or "as the suite has it"
            about = ", ".join(words.studies) or f"-A recipe={words.key.split('.')[1]}"
            key = words.key if words.studies else " ".join(words.key.split(".")[2:]) or "finetune"
            rows.append((about, key, f"{words.paper} ({words.where})", ours, words.why))
        columns = ("study", "setting", "the paper", "here, at paper scale", "why they differ")
        tables.append(Table(paper.citation, columns, tuple(rows)))
    return tables


def main() -> int:
    """Write or check the page."""
    text = PAGE.read_text(encoding="utf-8")
    head, _, rest = text.partition(BEGIN)
    _, _, tail = rest.partition(END)
    parts = []
    for table in settings_tables():
        cells = [
            " | ".join("" if cell is None else str(cell).replace("|", "\\|") for cell in row) for row in table.rows
        ]
        lines = [
            f"| {' | '.join(table.columns)} |",
            f"|{' --- |' * len(table.columns)}",
            *(f"| {row} |" for row in cells),
        ]
        parts.append(f"### {table.title}\n\n" + "\n".join(lines))
    wanted = f"{head}{BEGIN}\n\n" + "\n\n".join(parts) + f"\n\n{END}{tail}"
    if "--check" in sys.argv:
        if text != wanted:
            print("docs/studies.md is not up to date; run: python scripts/build_settings.py", file=sys.stderr)
        return int(text != wanted)
    PAGE.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
