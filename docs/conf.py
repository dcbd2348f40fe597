"""The documentation site: `make docs` builds it into out/docs.

The pages are the Markdown files of this folder, which also read well where they lie; the site adds navigation, a search
that works without a server, and light and dark colours.
"""

import json
import re
import sys
from collections import Counter
from functools import cache
from pathlib import Path

from docutils import nodes
from sphinx.errors import ExtensionError
from sphinx.search.en import SearchEnglish

from taskloom import __version__
from taskloom.cli.main import GROUPS
from taskloom.cli.options import arguments_of, read_command
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
smartquotes_action = "q"  # options keep their two dashes
html_theme = "furo"
html_title = f"Taskloom {__version__}"
html_static_path = ["_static"]
html_js_files = ["accessible.js"]
html_copy_source = False
html_show_sourcelink = False
html_theme_options = {"navigation_with_keys": True}


def setup(app):
    """Pages that are made from the source: the glossary, and one for each package; and the index of the search."""
    app.connect("builder-inited", _write_pages)
    app.connect("html-page-context", _search_scripts)
    app.connect("build-finished", _write_index)


def _search_scripts(app, name, *_):
    if name == "search":
        app.add_js_file("sections.js")
        app.add_js_file("search.js")


LISTS = {"gallery": 0.5, "seti_samples": 0.2, "glossary": 0.5, "migration": 0.7, "benchmarks": 0.7, "design": 0.7}
"""Pages that list more than they explain come after those that explain."""


_stem = cache(SearchEnglish({}).stem)


def words(text):
    """The stems of the words of a text; `search.js` takes the same stemmer, which Sphinx puts into every site."""
    return [_stem(word) for word in re.findall(r"[a-z0-9]+", text.lower())]


def _write_index(app, error):
    """Every section with its words: Sphinx's own search looks for whole pages that have all words of a question."""
    if error or app.builder.name != "html":
        return
    pages, sections, terms, asked = [], [], {}, _asked(Path(app.srcdir))

    def add(counts, anchor, heading):
        for word, count in counts.items():
            terms.setdefault(word, []).extend((len(sections), count))
        sections.append([len(pages) - 1, anchor, heading, counts.total()])

    for name in sorted(app.env.found_docs):
        weight = LISTS.get(name, 0.7 if name.startswith("reference") else 1.0)
        title = app.env.titles[name].astext()
        pages.append([name, title, weight])
        for section in app.env.get_doctree(name).findall(nodes.section):
            above = [node for node in _parents(section) if isinstance(node, nodes.section)]
            heading = _title(section)
            own = [child.astext() for child in section.children if not isinstance(child, nodes.section | nodes.title)]
            counts = Counter(words(" ".join(own)))
            for text, times in (
                (heading, 6),
                (title, 4),
                (name.rpartition("/")[2], 4),
                *((_title(n), 2) for n in above),
            ):
                for word in set(words(text)):
                    counts[word] += times
            add(counts, section["ids"][0] if above else "", heading)
        for phrase in filter(None, asked.pop(name, "").split("; ")):
            add(Counter(words(f"{phrase} {title}")), "", phrase)
    if asked:
        raise ExtensionError(f"asked.txt names pages that are not there: {', '.join(asked)}")
    found = json.dumps(
        {"pages": pages, "sections": sections, "terms": terms, "same": _same(Path(app.srcdir))}, separators=(",", ":")
    )
    (Path(app.outdir) / "_static" / "sections.js").write_text(f"const SECTIONS = {found};\n", "utf-8")


def _asked(folder):
    """What people look for on each page, in their words; a page that is not there is a mistake."""
    lines = (folder / "asked.txt").read_text("utf-8").splitlines()
    return {page: text for page, _, text in (line.partition(": ") for line in lines if not line.startswith("#"))}


def _same(folder):
    """For each word that people type, the words of the pages that mean the same."""
    found = {}
    for line in (folder / "synonyms.txt").read_text("utf-8").splitlines():
        own, _, typed = line.partition("<")
        for word in words(typed) if not line.startswith("#") else ():
            found.setdefault(word, []).extend(each for each in words(own) if each != word)
    return found


def _parents(node):
    while node.parent is not None:
        node = node.parent
        yield node


def _title(section):
    return section.next_node(nodes.title).astext()


def _write_pages(app):
    sys.path.insert(0, str(Path(app.srcdir).parent))
    from scripts.build_reference import module_pages

    made = {"glossary.md": glossary(), "reference/taskloom.commands.md": command_line()}
    for path, text in {**made, **module_pages()}.items():
        (Path(app.srcdir) / path).write_text(text, "utf-8")


def command_line() -> str:
    """Every command with its examples and options, as `--help` shows them."""
    lines = ["# The command line", "", "Every command, as `taskloom COMMAND --help` shows it."]
    for group, verbs in GROUPS.items():
        lines += ["", f"## To {group}"]
        for verb, about in verbs.items():
            command = read_command(verb)
            lines += ["", f"### taskloom {verb}", "", f"{about[0].upper()}{about[1:]}.", ""]
            lines += ["```", *(line.strip() for line in command.examples.strip().splitlines()), "```", ""]
            lines += [f"- `{_typed(one)}`: {_plain(one.help)}" for one in arguments_of(command)]
    return "\n".join(lines) + "\n"


def _typed(argument):
    value = argument.settings().get("metavar") or argument.names[-1].strip("-").upper()
    value = "" if argument.kind == "flag" else value
    names = ", ".join(argument.names) if argument.names[0].startswith("-") else ""
    return f"{names} {value}".strip()


def _plain(text):
    return re.sub(r"([*_<|])", r"\\\1", text)


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
