"""Runs, frontiers and comparisons in a notebook: the pages' own views, in a frame that cannot reach out."""

from __future__ import annotations

from html import unescape

import pytest

import taskloom


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    folder = tmp_path_factory.mktemp("notebook")
    one, two = (
        taskloom.run_suite("babi/mix-t2", model=f"mock/{name}", folder=folder / name, limit=20)
        for name in ("majority", "random")
    )
    found = taskloom.probe("babi/mix-t2", model="mock/majority", folder=folder / "probe", budget=40)
    return {"run": one, "frontier": found, "contrast": taskloom.compare(one, two),
            "moved": taskloom.compare(folder / "probe", folder / "probe")}  # fmt: skip


@pytest.mark.parametrize("name", ["run", "frontier", "contrast", "moved"])
def test_what_is_said_stands_in_a_frame(shown, name):
    frame = shown[name]._repr_html_()
    assert frame.startswith("<iframe ") and 'sandbox="allow-scripts allow-downloads"' in frame
    page = unescape(frame.partition('srcdoc="')[2].partition('"')[0])
    assert "Content-Security-Policy" in page and page.rstrip().endswith("</html>")
    said = [] if name == "run" else shown[name].sentences()[:1]
    assert all(text in unescape(page) for text in said)
    if name in ("run", "frontier"):
        assert "data-figure" in page and "data-copy=" in page


def test_a_page_in_a_frame_works(shown, browser, tmp_path):
    page = tmp_path / "notebook.html"
    page.write_text("<!doctype html><meta charset=utf-8>" + shown["frontier"]._repr_html_())
    seen = browser.open(page)
    assert seen.harmless and not seen.errors, seen
