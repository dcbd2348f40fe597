"""A report as its reader gets it, word for word: texts, tables, anchors and the numbers behind the figures.

`page.txt` is what the page of these runs says; see `tests/approved.py`.
"""

from __future__ import annotations

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import taskloom
from approved import approved
from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task
from taskloom.core.study import Table
from taskloom.report import samples
from taskloom.report.build import build_report
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings

LINES = frozenset(
    re.findall(
        r"\w+",
        """p div h1 h2 h3 h4 tr section figure figcaption li details summary table nav caption footer header main label
        select pre""",
    )
)
HIDDEN = frozenset({"svg", "style", "template"})


class Visible(HTMLParser):
    """The lines of a page, with anchors and links; data for scripts as rows of numbers, drawings left out."""

    def __init__(self) -> None:
        super().__init__()
        self.lines = [""]
        self._hidden, self._data = 0, False

    def handle_starttag(self, tag, attrs):
        held = dict(attrs)
        self._hidden += tag in HIDDEN
        self._data = tag == "script" and held.get("type") == "application/json"
        self._hidden += tag == "script" and not self._data
        if tag in LINES:
            self.lines.append("#" * int(tag[1]) + " " if tag in ("h1", "h2", "h3", "h4") else "")
        if not self._hidden:
            self.lines[-1] += "".join(
                f"[{name}={held[name]}]" for name in ("id", "href", "data-value") if held.get(name)
            )
            self.lines[-1] += " | " if tag in ("td", "th") else ""

    def handle_endtag(self, tag):
        self._hidden -= tag in HIDDEN or (tag == "script" and not self._data)
        self._data = False if tag == "script" else self._data

    def handle_data(self, data):
        if self._data:
            # The last digits of a number may differ from machine to machine.
            numbers = json.dumps(json.loads(data, parse_float=lambda text: f"{float(text):.4g}"), ensure_ascii=False)
            self.lines += [numbers[:2000], ""]
        elif not self._hidden:
            self.lines[-1] += re.sub(r"\s+", " ", data)


def visible(path: Path) -> str:
    """What a page says, without what differs from run to run: versions, hashes, the times of day."""
    reader = Visible()
    reader.feed(path.read_text("utf-8"))
    kept = [line.strip() for line in reader.lines if line.strip() and not line.strip().startswith("plan: ")]
    return "\n".join(kept).replace(taskloom.__version__, "VERSION") + "\n"


def suite(name: str, right, split: str = "test", rows: int = 36) -> Suite:
    """Questions about two tasks, answered by yes or no."""
    labels = ("yes", "no")
    tasks = {key: Task(key, Instruction("Say it."), "label", "label", labels) for key in ("even", "odd")}
    held = [
        Row(("even", "odd")[n % 2], Instance(str(n), f"q {n}", AnyOf((labels[right(n)],)), {
            "depth": "deep" if n % 5 < 2 else "flat", "side": "abc"[n % 3], "novel": n % 4 == 0, "number": n % 7,
        }))
        for n in range(rows)
    ]  # fmt: skip
    kinds: dict[str, type] = {"depth": str, "side": str, "novel": bool, "number": int}
    return Suite(name, {}, 1, tasks, {split: rows}, lambda asked: iter(held), kinds, "pairs")


def written(folder: Path) -> str:
    """The text of a report on five runs."""
    half, rest = suite("x/half", lambda n: n % 3 == 0), suite("x/rest", lambda n: n % 5 == 0, "dev")
    asked = [
        (half, RunSettings(model="mock/constant", model_options={"answer": "yes"})),
        (half, RunSettings(model="mock/random")),
        (half, RunSettings(model="mock/random", run_seed=1)),
        (half, RunSettings(model="mock/flaky", model_options={"fail": 0.2}, limit=11)),
        (rest, RunSettings(model="mock/constant", model_options={"answer": "yes"})),
    ]  # fmt: skip
    folders = [folder / str(number) for number in range(len(asked))]
    for (made, settings), place in zip(asked, folders, strict=True):
        launch(made, place, settings)
    table = Table("Costs & more", ("what", "share", "n"), (("a", 0.25, 1200), ("b", None, 3)), "As measured.")
    build_report(folders, folder / "page.html", tables=[table])
    return visible(folder / "page.html")


def test_the_page_says_what_it_said(tmp_path):
    approved(Path(__file__).parent / "page.txt", written(tmp_path))


def test_samples_on_pages_of_their_own(tmp_path, monkeypatch):
    monkeypatch.setattr(samples, "MOST_INSIDE", 30)
    monkeypatch.setattr(samples, "PER_PAGE", 15)
    monkeypatch.setattr(samples, "BLOCK", 10)
    made = suite("x/half", lambda n: n % 3 == 0)
    launch(made, tmp_path / "a", RunSettings(model="mock/constant", model_options={"answer": "yes"}))
    launch(made, tmp_path / "b", RunSettings(model="mock/constant", model_options={"answer": "no"}, limit=10))
    build_report([tmp_path / "a", tmp_path / "b"], tmp_path / "page.html")
    told = visible(tmp_path / "page.html")
    rows = [line for line in told.splitlines() if "page-samples/" in line]
    # Both runs are asked ten questions of each task and never agree; the first has every third one of the rest wrong.
    assert [re.sub(r"\[[^]]*\]", "", row).strip() for row in rows[-3:]] == [
        "| 1 to 15 | 15 | 15 | 15 | 0", "| 16 to 30 | 15 | 8 | 5 | 0", "| 31 to 36 | 6 | 2 | 0 | 0",
    ]  # fmt: skip
    first, middle, last = (visible(path) for path in sorted((tmp_path / "page-samples").glob("*.html")))
    assert "Questions 1 to 15 of 36." in first and "Questions 31 to 36 of 36." in last
    assert "next page" in first and "page before" not in first and "page before" in last and "next page" not in last
    assert "[href=s0-0001.html]" in middle and "[href=s0-0003.html]" in middle and "[href=../page.html]" in middle
