"""Pieces of a page: what is escaped, what is allowed to run, and what is refused."""

from __future__ import annotations

import base64
import re
from hashlib import sha256

import pytest

from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.report import html
from taskloom.report.html import (
    Link,
    card,
    chooser,
    data_block,
    drawing,
    figure,
    heading,
    page,
    part,
    policy,
    safe_json,
)


def test_a_page_allows_its_own_scripts_and_no_others():
    one = base64.b64encode(sha256(b"let a;").digest()).decode()
    assert f"script-src 'sha256-{one}' 'sha256-" in policy(["let a;", "let b;"])
    assert "script-src 'none'" in policy([]) and "default-src 'none'" in policy([])


def test_a_page_holds_what_it_is_made_of():
    text = page("T & t", "lead", part("note", "<b>"), "foot", ("state.js",), [Link("here", "There")], ("judge.css",))
    assert "<title>T &amp; t</title>" in text and "lead" in text and "&lt;b&gt;" in text and "foot" in text
    assert 'href="#here"' in text and html.GENERATOR in text and text.endswith("\n")
    scripts = re.findall(r"<script>(.*?)</script>", text, re.S)
    assert len(scripts) == 1 and "sha256-" + base64.b64encode(sha256(scripts[0].encode()).digest()).decode() in text
    judge = (html.files("taskloom.report") / "static" / "judge.css").read_text("utf-8")
    assert judge in text and judge not in page("T", "", part("note", ""), "")
    assert len(re.findall(r"<script>", page("T", "", part("note", ""), ""))) == len(html.SCRIPTS)


def test_a_piece_that_no_template_has():
    with pytest.raises(LookupError, match="no template has a macro 'nothing'"):
        part("nothing")
    assert "<h3" in str(heading(3, "x", "y")) and 'id="y"' in str(heading(3, "x", "y"))
    assert "x" in str(card("x"))


def test_words_of_a_drawing_are_only_words():
    for harmless in (
        "<text>a&lt;script</text>",
        '<g aria-label="x onload= y"/>',
        '<use href="#a"/>',
    ):
        assert str(drawing(f"<svg>{harmless}</svg>")) == f"<svg>{harmless}</svg>"
    for odd in (
        "<foreignObject/>",
        '<image href="http://x"/>',
        "<set/>",
        '<g onclick="x"/>',
        '<x href="javascript:y"/>',
    ):
        with pytest.raises(ValueError, match="could run or load"):
            drawing(f"<svg>{odd}</svg>")


def test_data_cannot_end_the_script_it_stands_in():
    assert safe_json("</script>&\u2028") == '"\\u003c/script\\u003e\\u0026\\u2028"'
    assert str(data_block({"a": [1, "<"]})) == '{"a":[1,"\\u003c"]}'


def test_a_figure_has_a_caption_of_its_own_or_that_of_the_page():
    plot = IntervalPlot(title="F", points=(IntervalPoint("x", 0.5, 0.4, 0.6, 9),), caption="its own")
    assert "its own" in str(figure(plot, "a")) and str(figure(plot, "a")).count("<svg") == 2
    assert "another" in str(figure(plot, "a", "another"))


def test_several_panes_are_chosen_from():
    panes = [("one", part("note", "1")), ("two", part("note", "2"))]
    text = str(chooser("anchor", "label", panes))
    assert "anchor" in text and "label" in text and "one" in text and "two" in text
    assert chooser("anchor", "label", []) == "" and chooser("anchor", "label", panes[:1]) == panes[0][1]


def test_templates_escape_by_default():
    environment = html.template_environment()
    assert environment.autoescape is True and environment.auto_reload is False
