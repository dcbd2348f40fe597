"""Build docs/gallery.md, or with a suite's name the gallery of that suite as one HTML page.

python scripts/build_gallery.py                                    docs/gallery.md
python scripts/build_gallery.py --check                            says whether that page is up to date
python scripts/build_gallery.py superni/open gallery.html          every task, with search
"""

from __future__ import annotations

import sys
from pathlib import Path

from taskloom.core import open_suite
from taskloom.families.superni.gallery import gallery_html, gallery_page

OUT = Path(__file__).parent.parent / "docs" / "gallery.md"


def main() -> None:
    if sys.argv[1:] == ["--check"]:
        if not OUT.exists() or OUT.read_text("utf-8") != gallery_page():
            raise SystemExit(f"{OUT.name} is out of date: python scripts/build_gallery.py writes it anew")
        return
    if len(sys.argv) == 3:
        suite = open_suite(sys.argv[1], options={"instances": 3} if sys.argv[1].startswith("superni/") else None)
        out, page = Path(sys.argv[2]), gallery_html(suite)
    else:
        out, page = OUT, gallery_page()
    out.write_text(page, encoding="utf-8")
    print(f"{out}: {page.count(chr(10)):,} lines")


if __name__ == "__main__":
    main()
