"""The documentation site: `make docs` builds it into out/docs.

The pages are the Markdown files of this folder, which also read well where they lie; the site adds navigation, a search
that works without a server, and light and dark colours.
"""

import sys
from pathlib import Path

from taskloom import __version__
from taskloom.core.catalog import FAMILIES

project = "Taskloom"
author = "The Taskloom authors"
copyright = author
version = release = __version__
extensions = ["myst_parser"]
exclude_patterns = ["README.md"]  # the list of pages for those who read them in the repository
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
suppress_warnings = ["misc.highlighting_failure"]  # signatures have "…" where a default cannot be written
highlight_language = "text"
html_theme = "furo"
html_title = f"Taskloom {__version__}"
html_static_path = ["_static"]
html_js_files = ["accessible.js"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}


def setup(app):
    """Write what is made from the source before the pages are read: the glossary, and a page for each package."""
    app.connect("builder-inited", _write_pages)


def _write_pages(app):
    sys.path.insert(0, str(Path(app.srcdir).parent))
    from scripts.build_reference import module_pages

    for path, text in {"glossary.md": glossary(), **module_pages()}.items():
        (Path(app.srcdir) / path).write_text(text, "utf-8")


def glossary() -> str:
    """Every atom, question and facet of every family: its name, what it means, and how it looks."""
    lines = ["# Glossary", "", "The names that findings, tables and facets use, family by family."]
    for name, family in FAMILIES.items():
        for kind, words in family.glossary.items():
            lines += [
                "",
                f"## {name}: {kind}",
                "",
                "| name | in plain words | meaning | example |",
                "| - | - | - | - |",
            ]
            for atom, plain in words.items():
                cells = (f"`{atom}`", plain.name, plain.sentence, plain.example)
                lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    return "\n".join(lines) + "\n"
