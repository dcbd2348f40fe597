"""The pieces of a page, rendered by templates that escape by default.

Text goes in as text, whoever wrote it. Markup is what a template rendered, a drawing that `drawing` has looked
through, or a JSON block from `data_block`; nothing else is trusted. A page runs only the scripts that it was
made with: its policy lists their hashes, and allows neither other inline scripts nor `eval`.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom import __version__
from taskloom.core import missing_extra
from taskloom.core.study import Table
from taskloom.report.figures import COLOURS
from taskloom.run.results import Group

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup

__all__ = [
    "GENERATOR", "card", "chooser", "data_block", "drawing", "figure", "headline_table", "page", "part", "plain_table",
    "policy", "safe_json", "samples_browser",
]  # fmt: skip

GENERATOR = f"Taskloom {__version__}"
_FORBIDDEN = re.compile(
    r"<\s*/?\s*(?:script|foreignobject|iframe|object|embed|animate\w*|set|handler|a)\b|\son\w+\s*=|"
    r"(?:href|src)\s*=\s*[\"'](?!#|data:image/png)|<!entity|<\?xml-stylesheet|javascript:",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"aria-label=\"[^\"]*\"|>[^<]*<|<!--.*?-->", re.DOTALL)


@cache
def _environment() -> Environment:
    try:
        from jinja2 import Environment, PackageLoader, StrictUndefined
    except ImportError:
        raise missing_extra("jinja2", "report", "a report") from None
    return Environment(
        loader=PackageLoader("taskloom.report"), autoescape=True, undefined=StrictUndefined, auto_reload=False
    )


def part(name: str, *values: Any) -> Markup:
    """A piece of a page: the macro of that name in `templates/parts.html`, its values escaped."""
    module: Any = _environment().get_template("parts.html").module
    rendered: Markup = getattr(module, name)(*values)
    return rendered


def policy(scripts: Sequence[str]) -> str:
    """The content security policy of a page with these inline scripts, and no others."""
    hashes = [f"'sha256-{base64.b64encode(sha256(text.encode()).digest()).decode()}'" for text in scripts]
    allowed = " ".join(hashes) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


def page(title: str, lead: str, body: Markup, footer: str, scripts: Sequence[str] = ("page.js",)) -> str:
    """The whole document, style and scripts inside.

    Args:
        title: Its heading.
        lead: One sentence below it.
        body: Rendered pieces.
        footer: The small print.
        scripts: Files of this package; the policy of the page allows these and no others.
    """
    from markupsafe import Markup

    folder = files("taskloom.report")
    style = folder.joinpath("page.css").read_text(encoding="utf-8")
    texts = [folder.joinpath(name).read_text(encoding="utf-8") for name in scripts]
    return _environment().get_template("page.html").render(
        title=title, lead=lead, body=body, footer=footer, generator=GENERATOR, policy=policy(texts),
        style=Markup(style), scripts=[Markup(text) for text in texts],  # noqa: S704 - files of this package
    ) + "\n"  # fmt: skip


def drawing(svg: str) -> Markup:
    """A drawn figure as markup, once it is sure that nothing in it could run or load anything.

    Raises:
        ValueError: There is.
    """
    from markupsafe import Markup

    # What stands between tags and in labels is text, whatever it says.
    tags = _QUOTED.sub(lambda found: ">" + "<" if found[0].startswith(">") else "", svg)
    if _FORBIDDEN.search(tags):
        raise ValueError("the drawing holds something that could run or load")
    return Markup(svg)  # noqa: S704 - looked through above


def card(*parts: Markup | str) -> Markup:
    """A white box."""
    return part("card", parts)


def figure(svg: str, caption: str | Markup = "", *, narrow: bool = False) -> Markup:
    """A drawn figure with its caption."""
    return part("figure", drawing(svg), caption, narrow)


def chooser(label: str, panes: Sequence[tuple[str, Markup]]) -> Markup | str:
    """Several panes, one shown at a time. Without a script all of them are shown."""
    return part("chooser", label, panes) if panes else ""


def headline_table(groups: Sequence[Group], first_column: str, *, coloured: bool = True) -> Markup:
    """Scores with intervals and every denominator."""
    rows = []
    for index, group in enumerate(groups):
        estimate = group.estimate
        missing = estimate.value != estimate.value
        rows.append(
            {
                "name": group.name,
                "value": "–" if missing else f"{estimate.value:.3f}",
                "interval": f"{estimate.low:.3f} – {estimate.high:.3f}",
                "low": f"{100 * estimate.low:.1f}",
                "width": f"{100 * (estimate.high - estimate.low):.1f}",
                "place": None if missing else f"{100 * estimate.value:.1f}",
                "colour": COLOURS[index % len(COLOURS)] if coloured else COLOURS[0],
                "counts": [f"{n:,}" for n in (estimate.n, group.truncated, group.errored, group.unparsed)],
            }
        )
    return part("headline_table", first_column, rows)


def plain_table(table: Table) -> Markup:
    """A study's table."""
    rows = [[_cell(cell) for cell in row] for row in table.rows]
    return part("plain_table", table.title, table.columns, rows, table.note)


def _cell(cell: Any) -> str:
    if cell is None:
        return "–"
    if isinstance(cell, float):
        return f"{cell:.3f}"
    return str(cell)


def safe_json(value: Any) -> str:
    """JSON that cannot end the script element it stands in, whatever a model said."""
    text = msgspec.json.encode(value).decode()
    for character in ("<", ">", "&", "\u2028", "\u2029"):
        text = text.replace(character, f"\\u{ord(character):04x}")
    return text


def data_block(value: Any) -> Markup:
    """Data for a script, to stand inside `<script type="application/json">`."""
    from markupsafe import Markup

    return Markup(safe_json(value))  # noqa: S704 - no sign is left in it that HTML knows


def samples_browser(samples: Sequence[dict[str, Any]]) -> Markup:
    """The browser of samples: filter by task, outcome and words; five to a page."""
    return part("samples_browser", data_block(list(samples)))
