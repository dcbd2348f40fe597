"""Texts for terminals and notebooks: cut, coloured, escaped."""

from __future__ import annotations

import io

import pytest

from taskloom.core.display import clipped, html_table, paint, printable


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_long_texts_are_cut_to_the_letter():
    assert clipped("a\n  b") == "a b"
    assert clipped("x" * 160) == "x" * 160
    assert clipped("x" * 161) == "x" * 159 + "…"
    assert (clipped("abcd", 4), clipped("abcde", 4), clipped(12345, 3)) == ("abcd", "abc…", "12…")


def test_half_characters_become_visible():
    assert printable("plain") == "plain"
    assert printable("é\ud800") == "é\\ud800"


@pytest.mark.parametrize(
    ("name", "value", "coloured"), [("X", "", True), ("NO_COLOR", "1", False), ("TERM", "dumb", False)]
)
def test_colours_only_where_they_are_wanted(monkeypatch, name, value, coloured):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(name, value)
    shown = paint("text", "red", Terminal())
    assert shown.endswith("mtext\x1b[0m") == coloured
    assert (shown == "text") != coloured
    assert paint("text", "red", io.StringIO()) == "text"


def test_tables_for_notebooks_escape_what_they_show():
    table = html_table("<t>", ("a&b",), [("<x>",)])
    assert "&lt;t&gt;" in table and "a&amp;b" in table and "&lt;x&gt;" in table and "<x>" not in table
    assert "<caption" not in html_table("", ("a",), [])


def test_the_colours_of_a_terminal(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    shown = [paint("text", colour, Terminal()) for colour in ("red", "green", "yellow")]
    assert shown == ["\x1b[31mtext\x1b[0m", "\x1b[32mtext\x1b[0m", "\x1b[33mtext\x1b[0m"]
