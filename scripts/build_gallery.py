"""Build docs/gallery.md, or with a suite's name the gallery of that suite as one HTML page.

python scripts/build_gallery.py                                    docs/gallery.md
python scripts/build_gallery.py --check                            says whether that page is up to date
python scripts/build_gallery.py superni/open gallery.html          every task, with search
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from taskloom.core import Instance, Suite, Task, acceptable_texts, open_suite
from taskloom.families.superni.embedded.words import TEST_CATEGORIES

OUT = Path(__file__).parent.parent / "docs" / "gallery.md"
_SHOWN = 3
_LONGEST = 700


def gallery_page() -> str:
    """Every category of the embedded collection, as Markdown."""
    suite = open_suite("superni/embedded", options={"instances": _SHOWN, "dev_instances": 0})
    categories: dict[str, list[Task]] = {}
    for task in suite.tasks.values():
        categories.setdefault(str(task.facets["category"]), []).append(task)
    # Of each category the first task of each language is shown in full.
    languages = {_told(task): task.name for task in reversed(list(suite.tasks.values()))}
    spanish = sum(task.facets["instruction_language"] == "Spanish" for task in suite.tasks.values())
    return _rendered(
        "gallery.txt", suite, categories=dict(sorted(categories.items())), full=set(languages.values()),
        spanish=spanish, tested=TEST_CATEGORIES, shown=_SHOWN, fenced=_fenced,
    )  # fmt: skip


def gallery_html(suite: Suite) -> str:
    """Every task of a suite, searched by type, language, domain and words; all text from outside is escaped."""
    fields = {name: _fields(task) for name, task in suite.tasks.items()}
    keys = ("type", "language", "domain")
    choices = {key: sorted({value for own in fields.values() for value in own[key]}) for key in keys}
    return _rendered("gallery.html", suite, fields=fields, choices=choices)


def _rendered(template: str, suite: Suite, **values: Any) -> str:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    instances: dict[str, list[Instance]] = {name: [] for name in suite.tasks}
    for split in suite.splits:
        for row in suite.rows(split):
            if len(instances[row.task]) < _SHOWN:
                instances[row.task].append(row.instance)
    loader = FileSystemLoader(Path(__file__).parent / "data")
    environment = Environment(
        loader=loader, autoescape=template.endswith(".html"), undefined=StrictUndefined, keep_trailing_newline=True
    )
    page = environment.get_template(template)
    return page.render(suite=suite, instances=instances, short=_short, asked=_asked, **values)


def _told(task: Task) -> tuple[Any, Any]:
    return task.facets["category"], task.facets["instruction_language"]


def _fields(task: Task) -> dict[str, list[str]]:
    spoken = [name for key in ("language", "output_language") for name in str(task.facets.get(key) or "").split(", ")]
    domains = task.facets.get("domains") or ()
    return {
        "type": [str(task.facets.get("category") or "")],
        "language": sorted({name for name in spoken if name}),
        "domain": list(domains) if isinstance(domains, tuple) else [str(domains)],
    }


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"


def _asked(instance: Instance) -> str:
    return f"{_short(instance.input)}\n→ {' | '.join(acceptable_texts(instance.targets)[:3])}"


def _fenced(text: str) -> str:
    """A code block; the fence is longer than any run of backticks inside."""
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"


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
