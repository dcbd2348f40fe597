"""Write docs/gallery.md: every embedded category with a task, its instruction and instances as a reader sees them.

python scripts/build_gallery.py            writes the page
python scripts/build_gallery.py --check    says whether the page is up to date
"""

from __future__ import annotations

import sys
from pathlib import Path

from taskloom.families.superni.gallery import gallery_page

PAGE = Path(__file__).parents[1] / "docs" / "gallery.md"


def main(argument: str = "") -> None:
    page = gallery_page()
    if argument == "--check":
        if not PAGE.exists() or PAGE.read_text("utf-8") != page:
            raise SystemExit(f"{PAGE.name} is out of date: python scripts/build_gallery.py writes it anew")
        return
    PAGE.write_text(page, "utf-8", newline="\n")
    print(f"{PAGE}: {len(page.splitlines()):,} lines")


if __name__ == "__main__":
    main(*sys.argv[1:])
