"""The pieces of a page, rendered by templates that escape by default.

Text goes in as text, also that of models and users. Markup is what a template rendered, a drawing that `drawing` has
looked through, or a JSON block from `data_block`; nothing else is trusted. A page runs only the scripts that it was
made with: its policy lists their hashes, and allows neither other inline scripts nor `eval`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Mapping, Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from math import isnan
from typing import Any, NamedTuple
from uuid import NAMESPACE_URL, uuid5

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from taskloom import __version__
from taskloom.core.study import Table
from taskloom.figures import COLOURS, NARROW, Figure
from taskloom.run.results import Group

GENERATOR = f"Taskloom {__version__}"
SCRIPTS = ("state.js", "tables.js", "figures.js", "heat.js", "samples.js")
_FORBIDDEN = re.compile(
    r"<\s*/?\s*(?:script|foreignobject|iframe|object|embed|animate\w*|set|handler)\b|\son\w+\s*=|"
    r"(?:href|src)\s*=\s*[\"'](?!#|/(?![/\\])|\./|data:image/png)|<!entity|<\?xml-stylesheet|javascript:",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"aria-label=\"[^\"]*\"|>[^<]*<|<!--.*?-->", re.DOTALL)


class Link(msgspec.Struct, frozen=True):
    """An entry of the page's navigation: an anchor of this page, or another page where an address is given."""

    anchor: str
    text: str
    address: str = ""

    @property
    def href(self) -> str:
        """Where it leads."""
        return self.address or f"#{self.anchor}"


@cache
def template_environment() -> Environment:
    """The templates of the report, which escape what they are given."""
    return Environment(
        loader=PackageLoader("taskloom.report"), autoescape=True, undefined=StrictUndefined, auto_reload=False
    )


def part(name: str, *values: Any) -> Markup:
    """A piece of a page: the macro of that name in the templates, its values escaped."""
    for template in ("parts.html", "tables.html", "studies.html", "judge.html", "app.html"):
        module: Any = template_environment().get_template(template).module
        if hasattr(module, name):
            rendered: Markup = getattr(module, name)(*values)
            return rendered
    raise LookupError(f"no template has a macro {name!r}")


def policy(scripts: Sequence[str]) -> str:
    """The content security policy of a page with these inline scripts, and no others."""
    hashes = [f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts]
    allowed = " ".join(hashes) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def page(
    title: str,
    lead: str,
    body: Markup,
    footer: str,
    scripts: Sequence[str] = SCRIPTS,
    links: Sequence[Link] = (),
    styles: Sequence[str] = (),
    *,
    current: str = "",
    served: bool = False,
) -> str:
    """The whole document, style and scripts inside; or linked, where a server has them.

    The policy of the page allows `scripts`, files of this package, and no others; `links` is the navigation, and
    `current` its entry for this page. A page that is `served` gets style, scripts and policy from the server.
    """
    sheets = ("page.css", "figures.css", *styles)
    texts = [] if served else list(map(static_file, scripts))
    style = "" if served else "".join(map(static_file, sheets))
    return template_environment().get_template("page.html").render(
        title=title, lead=lead, body=body, footer=footer, links=links, generator=GENERATOR, current=current,
        policy="" if served else policy(texts), sheets=sheets if served else (), linked=scripts if served else (),
        style=Markup(style), scripts=[Markup(text) for text in texts],  # noqa: S704 - files of this package
    ) + "\n"  # fmt: skip


@cache
def static_file(name: str) -> str:
    """A style sheet or script of this package."""
    return files("taskloom.report").joinpath("static", name).read_text(encoding="utf-8")


def drawing(svg: str) -> Markup:
    """A drawn figure as markup; refused with a ValueError if anything in it could run or load something."""
    # What stands between tags and in labels is only text.
    tags = _QUOTED.sub(lambda found: ">" + "<" if found[0].startswith(">") else "", svg)
    if _FORBIDDEN.search(tags):
        raise ValueError("the drawing contains something that could run or load")
    return Markup(svg)  # noqa: S704 - looked through above


def canary(identity: str) -> str:
    """A sentence with a string that no other page has, by which published data can be found in a training corpus."""
    return f"Not for training: canary {uuid5(NAMESPACE_URL, f'taskloom:{identity}')}."


def slug(text: str) -> str:
    """A text as part of an anchor or a file's name: letters, digits and dashes."""
    return re.sub(r"[^a-z0-9]+", "-", text.lower()).strip("-")[:60] or "x"


def heading(level: int, text: str, anchor: str) -> Markup:
    """A heading with a link to itself."""
    return part("heading", level, text, anchor)


def card(*parts: Markup | str) -> Markup:
    """A box."""
    return part("card", parts)


def figure(drawn: Figure, anchor: str, caption: str | Markup = "") -> Markup:
    """A figure for desk and phone with its caption, its data, and ways to take them away."""
    data = {"title": drawn.title, "columns": drawn.columns(), "rows": drawn.rows()}
    wide, narrow = drawing(drawn.svg()), drawing(drawn.svg(NARROW))
    return part("figure", anchor, drawn.title, wide, narrow, caption or drawn.caption, data_block(data))


def chooser(anchor: str, label: str, panes: Sequence[tuple[str, Markup]]) -> Markup | str:
    """Several panes, one shown at a time. Without a script all of them are shown."""
    if not panes:
        return ""
    return part("chooser", anchor, label, panes) if len(panes) > 1 else panes[0][1]


def safe_json(value: Any) -> str:
    """JSON that cannot end the script element it stands in, even with the words of a model inside."""
    text = msgspec.json.encode(value).decode()
    for character in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def data_block(value: Any) -> Markup:
    """Data for a script, to stand inside `<script type="application/json">`."""
    return Markup(safe_json(value))  # noqa: S704 - no sign is left in it that HTML knows


FOLDED = 30
"""Rows that a long table shows before it is unfolded."""
_MISSING = "–"


class TableCell(NamedTuple):
    """A cell: what it says, what it sorts by where that is a number, and where it leads."""

    text: str
    number: str = ""
    link: str = ""


def strip_table(
    anchor: str,
    caption: str,
    columns: Sequence[str],
    rows: Sequence[tuple[Sequence[str], Group, int]],
) -> Markup:
    """Scores with their intervals as strips, and every denominator; each row with its names and place of its colour."""
    shown = [(names, group, group.estimate, COLOURS[place % len(COLOURS)]) for names, group, place in rows]
    return part("strips", anchor, caption, columns, shown, FOLDED if len(shown) > FOLDED else 0)


def plain_table(
    anchor: str,
    caption: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[TableCell]],
    note: str = "",
    folded: int = 0,
    titled: bool = False,
) -> Markup:
    """Any table; `titled` where the caption is a title and not a sentence about the numbers."""
    numeric = [is_numeric_column([row[place] for row in rows]) for place in range(len(columns))]
    return part("plain", anchor, caption, columns, rows, numeric, note, folded if len(rows) > folded else 0, titled)


def is_numeric_column(column: Sequence[TableCell]) -> bool:
    """Whether a column holds numbers: its heading and its missing cells then stand above and below them."""
    return any(cell.number for cell in column) and all(cell.number or cell.text == _MISSING for cell in column)


def study_table(anchor: str, table: Table, links: Mapping[str, str] | None = None) -> Markup:
    """A study's table; a cell that is one of the names in `links` leads there."""
    led = links or {}
    rows = [[html_cell(cell)._replace(link=led.get(str(cell), "")) for cell in row] for row in table.rows]
    return plain_table(anchor, table.title, table.columns, rows, table.note, FOLDED, titled=True)


def html_cell(cell: Any) -> TableCell:
    """A value as a table shows and sorts it."""
    if cell is None or (isinstance(cell, float) and isnan(cell)):
        return TableCell(_MISSING)
    if isinstance(cell, bool):
        return TableCell("yes" if cell else "no")
    if isinstance(cell, float):
        return TableCell(f"{cell:.3f}", repr(cell))
    if isinstance(cell, int):
        return TableCell(f"{cell:,}", str(cell))
    return TableCell(str(cell))
