"""The pieces of the page. Everything that comes from outside goes through `escape`."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files
from typing import Any

import msgspec

from taskloom.report.figures import COLOURS
from taskloom.run.results import Group
from taskloom.score.stats import Estimate
from taskloom.studies.base import Table

__all__ = ["card", "chooser", "figure", "headline_table", "page", "plain_table", "safe_json", "samples_browser"]


def page(title: str, lead: str, body: str, footer: str) -> str:
    """The whole document, style and script inside."""
    folder = files("taskloom.report")
    style = folder.joinpath("page.css").read_text(encoding="utf-8")
    script = folder.joinpath("page.js").read_text(encoding="utf-8")
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; "
        "script-src 'unsafe-inline'; img-src data:\">"
        f"<title>{escape(title)}</title><style>{style}</style></head><body><main>"
        f'<header class="top"><h1>{escape(title)}</h1><p class="lead">{lead}</p></header>'
        f"{body}<footer>{footer}</footer></main><script>{script}</script></body></html>\n"
    )


def card(*parts: str) -> str:
    """A white box."""
    return f'<div class="card">{"".join(parts)}</div>'


def figure(svg: str, caption: str = "", *, narrow: bool = False) -> str:
    """A drawn figure with its caption."""
    note = f"<figcaption>{caption}</figcaption>" if caption else ""
    return f"<figure{' class=narrow' if narrow else ''}>{svg}{note}</figure>"


def chooser(label: str, panes: Sequence[tuple[str, str]]) -> str:
    """Several panes, one shown at a time. Without a script all of them are shown."""
    if not panes:
        return ""
    options = "".join(f"<option value={index}>{escape(name)}</option>" for index, (name, _) in enumerate(panes))
    shown = "".join(f"<div data-pane={index}>{content}</div>" for index, (_, content) in enumerate(panes))
    return (
        f'<div data-chooser><label class="chooser"><span>{escape(label)}</span><select>{options}</select></label>'
        f"{shown}</div>"
    )


def _strip(estimate: Estimate, colour: str) -> str:
    """A small picture of a score and its interval inside a table cell."""
    low, high = 100 * estimate.low, 100 * estimate.high
    dot = (
        ""
        if estimate.value != estimate.value
        else f'<b style="left:{100 * estimate.value:.1f}%;background:{colour}"></b>'
    )
    return f'<div class="strip"><i style="left:{low:.1f}%;width:{high - low:.1f}%;background:{colour}"></i>{dot}</div>'


def headline_table(groups: Sequence[Group], first_column: str, *, coloured: bool = True) -> str:
    """Scores with intervals and every denominator."""
    head = (
        f"<tr><th>{escape(first_column)}</th><th class=number>score</th><th>95 % interval</th><th></th>"
        "<th class=number>n</th><th class=number>truncated</th><th class=number>failed</th>"
        "<th class=number>unparsed</th></tr>"
    )
    rows = []
    for index, group in enumerate(groups):
        estimate = group.estimate
        value = "–" if estimate.value != estimate.value else f"{estimate.value:.3f}"
        colour = COLOURS[index % len(COLOURS)] if coloured else COLOURS[0]
        counts = "".join(
            f"<td class=number>{count:,}</td>" for count in (estimate.n, group.truncated, group.errored, group.unparsed)
        )
        rows.append(
            f"<tr><td class=name>{escape(group.name)}</td><td class=number><b>{value}</b></td>"
            f"<td class=number>{estimate.low:.3f} – {estimate.high:.3f}</td>"
            f"<td>{_strip(estimate, colour)}</td>{counts}</tr>"
        )
    return f'<div class="scroll"><table>{head}{"".join(rows)}</table></div>'


def plain_table(table: Table) -> str:
    """A study's table."""
    head = "".join(f"<th>{escape(name)}</th>" for name in table.columns)
    rows = "".join("<tr>" + "".join(f"<td>{escape(_cell(cell))}</td>" for cell in row) + "</tr>" for row in table.rows)
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return f'<h3>{escape(table.title)}</h3><div class="scroll"><table><tr>{head}</tr>{rows}</table></div>{note}'


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


def samples_browser(samples: Sequence[dict[str, Any]]) -> str:
    """The browser of samples: filter by task, outcome and words; five to a page."""
    return (
        '<div class="card" data-samples><div class="chooser">'
        '<select name="task" aria-label="task"><option value="">all tasks</option></select>'
        '<select name="which" aria-label="outcome"><option value="all">all</option>'
        '<option value="wrong">some run is wrong</option><option value="right">all are right</option>'
        '<option value="differ">runs differ</option><option value="odd">failed, cut or unparsed</option></select>'
        '<input type="search" name="search" placeholder="search text" aria-label="search">'
        '<button type="button">‹ before</button><button type="button">next ›</button>'
        '<span class="note" data-count></span></div><div data-list></div>'
        f'<script type="application/json">{safe_json(list(samples))}</script></div>'
    )
