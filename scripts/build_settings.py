"""Write the table of paper-scale settings into docs/studies.md, from the records in src/taskloom/studies/settings.

python scripts/build_settings.py           writes the page
python scripts/build_settings.py --check   fails where the page is not what would be written
"""

from __future__ import annotations

import sys
from pathlib import Path

from taskloom.studies.papers import settings_tables

PAGE = Path(__file__).resolve().parent.parent / "docs" / "studies.md"
BEGIN, END = "<!-- settings: begin -->", "<!-- settings: end -->"


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
