"""Hostile bundles, runs and studies in a real browser: nothing of theirs runs, loads, or tries to."""

from __future__ import annotations

import os
import subprocess
import sys
from copy import copy
from urllib.parse import urlsplit

import msgspec
import pytest
from scripts.build_gallery import gallery_html

from browser import CANARY
from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task, UserError
from taskloom.core.study import Table
from taskloom.figures import IntervalPlot, IntervalPoint
from taskloom.report.build import build_report
from taskloom.report.html import drawing, page, part, policy
from taskloom.report.studies import form_page, study_page
from taskloom.run.results import load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store.bundle import Bundle, check_bundle
from taskloom.store.write import write_bundle
from taskloom.studies.findings import Check, Findings, StudyResult
from taskloom.studies.judgement.forms import make_form

SET = f"window.{CANARY}=1"
PAYLOADS = [
    f"</script><script>{SET}</script>",
    f"<script>{SET}</script>",
    f'<img src="http://127.0.0.1:9/x" onerror="{SET}">',
    f'"><svg onload="{SET}">',
    f"' onmouseover='{SET}' x='",
    f"</title></style></textarea><script>{SET}</script>",
    f"<iframe srcdoc='<script>parent.{CANARY}=1</script>'></iframe>",
    f"<a href='javascript:{SET}' autofocus onfocus='{SET}'>x</a>",
    f"{{{{ 7*7 }}}}{{% if 1 %}}<script>{SET}</script>{{% endif %}}",
    f"<math><mtext></p><style><img src=x onerror={SET}></style>",
    f"]]><script>{SET}</script><!--",
    f"<base href=http://127.0.0.1:9/><object data='javascript:{SET}'>",
    f"\u2028<script>{SET}</script>\u2029",
]
ALL = "".join(PAYLOADS)
CLICKS = """(async () => {
  window.print = () => dispatchEvent(new Event("afterprint"));
  for (const select of document.querySelectorAll("select"))
    for (const option of select.options) {
      select.value = option.value;
      select.dispatchEvent(new Event("change")); select.dispatchEvent(new Event("input"));
    }
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (const search of document.querySelectorAll("input")) {
    search.value = "x"; search.dispatchEvent(new Event("input"));
    search.value = ""; search.dispatchEvent(new Event("input"));
  }
  for (let turn = 0; turn < 4; turn++) for (const button of document.querySelectorAll("button")) button.click();
  for (const node of document.querySelectorAll("*")) node.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
  for (const select of document.querySelectorAll("select")) {
    select.selectedIndex = 0; select.dispatchEvent(new Event("input"));
  }
  // The last search is answered when every block was unpacked.
  for (let turn = 0; turn < 100 && !document.querySelector(".sample"); turn++)
    await new Promise((done) => setTimeout(done, 50));
  return document.querySelectorAll(".sample").length;
})()"""


CLICKS_ALONE = CLICKS.replace("turn < 100 && !document", "turn < 3 && !document")
"""For pages without samples."""
LOOKS = """(async () => {
  for (let turn = 0; turn < 60 && !document.body.innerText.includes("7*7"); turn++)
    await new Promise((done) => setTimeout(done, 50));
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (const node of document.querySelectorAll("*")) node.dispatchEvent(new MouseEvent("mouseover", {bubbles: true}));
})()"""
"""For pages whose buttons lead to others."""


def hostile_suite(payloads: list[str]) -> Suite:
    """A suite with payloads wherever a bundle has room for text."""
    names = [f"task {index} {text}" for index, text in enumerate(payloads)]
    tasks = {name: Task(name, Instruction(text)) for name, text in zip(names, payloads, strict=True)}
    rows = [
        Row(name, Instance(f"{number}{text}", f"{text} {number}", AnyOf((text,)), {"f": text, f"g{text}": number}))
        for name, text in zip(names, payloads, strict=True)
        for number in range(2)
    ]
    facets: dict[str, type] = {"f": str, **{f"g{text}": int for text in payloads}}
    notes = {"published": {"source": ALL, "scores": {ALL: 0.5, "x": "not a number"}}}
    return Suite(f"x/{ALL}", {ALL: ALL}, 3, tasks, {"test": len(rows)}, lambda split: iter(rows), facets, "pairs",
                 notes=notes)  # fmt: skip


@pytest.fixture(scope="module")
def hostile_runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("hostile")
    write_bundle(hostile_suite(PAYLOADS), folder / "bundle")
    assert list(check_bundle(folder / "bundle")) == []
    suite = Bundle(folder / "bundle").suite()
    made = []
    unread = {"answer": f"Who knows? {ALL}?"}
    for name, model, options, protocol in (
        ("a", "mock/oracle", {}, None), ("b", "mock/constant", {"answer": ALL}, None),
        ("c", "mock/constant", unread, "chat"),
    ):  # fmt: skip
        settings = RunSettings(model=model, model_options=options, command=f"taskloom run {ALL}")
        settings = settings if protocol is None else msgspec.structs.replace(settings, protocol=protocol)
        launch(suite, folder / name, settings)
        made.append(load_run(folder / name))
    return made


def test_nothing_of_a_hostile_bundle_runs(hostile_runs, browser, tmp_path):
    table = Table(ALL, (ALL, "b"), ((ALL, None), (1.5, ALL)), ALL)
    build_report(hostile_runs, tmp_path / "page.html", title=ALL, tables=[table])
    seen = browser.open(tmp_path / "page.html", CLICKS, "document.title")
    assert seen.harmless, seen
    assert seen.values[0] > 0, "the page's own script shows samples"
    assert seen.values[1].startswith("</script><script>"), "hostile text is shown as text"
    assert "{{ 7*7 }}" in seen.values[1]


def test_nothing_of_a_hostile_study_runs(browser, tmp_path):
    point = IntervalPoint(ALL, 0.5, 0.4, 0.6, 9)
    found = Findings(
        tables=[Table(ALL, (ALL, "b"), ((ALL, None), (1.5, ALL)), ALL)],
        figures=[IntervalPlot(title=ALL, points=(point,), caption=ALL)],
        checks=[Check(ALL, "holds", ALL, ALL), Check(ALL, "cannot tell", ALL)],
        sentences=[ALL],
    )
    result = StudyResult(study=ALL, question=ALL, paper=ALL, scale=ALL, cut=[ALL], runs=[ALL], findings=found)
    (tmp_path / "study.html").write_text(study_page(result))
    assert browser.open(tmp_path / "study.html", CLICKS_ALONE).harmless


@pytest.mark.parametrize("kind", ["compare", "instructions", "answer", "read"])
def test_nothing_of_a_hostile_form_runs(kind, hostile_runs, browser, tmp_path):
    runs = {"answer": hostile_runs[:1], "read": hostile_runs[2:]}.get(kind, hostile_runs[:2])
    form, _ = make_form(runs, kind, instances=2)
    (tmp_path / "form.html").write_text(form_page(form))
    seen = browser.open(tmp_path / "form.html", CLICKS_ALONE)
    assert seen.harmless, seen


def test_nothing_of_a_hostile_run_runs_in_the_application(hostile_runs, browser):
    runs = hostile_runs[0].folder.parent
    command = [sys.executable, "-m", "taskloom", "serve", str(runs), "--read-only"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env={**os.environ}) as process:
        address = urlsplit(process.stdout.readline().strip())
        own = f"{address.scheme}://{address.netloc}/"
        try:
            for page in (
                "runs?",
                "findings?run=b&",
                "findings?run=c&",
                "samples?run=b&",
                "samples?run=c&",
                "compare?a=a&b=b&",
            ):
                seen = browser.open(f"{own}{page}{address.query}", LOOKS, "document.body.innerText")
                assert seen.ran is None and not seen.dialogs and "{{ 7*7 }}" in seen.values[1], (page, seen)
                assert [one for one in seen.requests if not one.startswith((own, "data:", "blob:"))] == [], page
        finally:
            process.terminate()


def test_nothing_of_a_hostile_gallery_runs(browser, tmp_path):
    (tmp_path / "gallery.html").write_text(gallery_html(hostile_suite(PAYLOADS)))
    seen = browser.open(tmp_path / "gallery.html", CLICKS_ALONE)
    assert seen.harmless, seen


def test_an_edited_run_is_no_better(hostile_runs, browser, tmp_path):
    """Runs are files, too: states, errors and identities of a record may say anything."""
    plan = msgspec.structs.replace(hostile_runs[0].plan, notes={"published": [ALL]}, command=ALL)
    run = copy(hostile_runs[0])
    run.plan = plan
    build_report([run, hostile_runs[1]], tmp_path / "page.html")
    seen = browser.open(tmp_path / "page.html", CLICKS)
    assert seen.harmless, seen


@pytest.mark.parametrize("payload", PAYLOADS)
def test_the_policy_stops_what_would_get_through(payload, browser, tmp_path):
    """The second wall: markup that somebody forgot to escape still runs nothing."""
    from markupsafe import Markup

    text = page("t", "l", Markup(payload + "<p id=end></p>"), "f", scripts=())
    (tmp_path / "page.html").write_text(text, encoding="utf-8")
    seen = browser.open(tmp_path / "page.html")
    assert seen.ran is None
    assert seen.dialogs == []


def test_the_harness_notices_what_runs(browser, tmp_path):
    (tmp_path / "page.html").write_text(f"<script>{SET}; alert(2); fetch('http://127.0.0.1:9/x')</script>")
    seen = browser.open(tmp_path / "page.html")
    assert (seen.ran, seen.dialogs) == (1, ["2"])
    assert seen.requests == ["http://127.0.0.1:9/x"]


def test_the_policy_names_scripts_by_hash():
    text = policy(["let a = 1;"])
    scripts = next(part for part in text.split("; ") if part.startswith("script-src"))
    assert "sha256-" in scripts
    assert "unsafe" not in scripts


def test_templates_escape_by_default():
    assert "<script>" not in part("note", ALL)
    assert "<script>" not in part("card", [ALL])


@pytest.mark.parametrize("svg", [
    "<svg><script>1</script></svg>",
    '<svg onload="1"></svg>',
    "<svg><foreignObject></foreignObject></svg>",
    '<svg><image href="http://x"/></svg>',
    '<svg><a href="https://x">y</a></svg>',
    '<svg><a href="//x">y</a></svg>',
    '<svg><a href="/\\\\x">y</a></svg>',
    '<svg><a href="javascript:1">y</a></svg>',
])  # fmt: skip
def test_drawings_that_could_run_are_refused(svg):
    with pytest.raises(ValueError, match="could run"):
        drawing(svg)


def test_drawings_with_hostile_labels_are_not():
    assert drawing(IntervalPlot(title=ALL, points=(IntervalPoint(ALL, 0.5, 0.1, 0.9, 2, ALL),)).svg())


def test_a_page_of_somebody_else_is_not_overwritten(hostile_runs, tmp_path):
    path = tmp_path / "report.html"
    path.write_text("<html>my thesis</html>")
    with pytest.raises(UserError, match="not written by Taskloom"):
        build_report(hostile_runs, path)
    assert path.read_text() == "<html>my thesis</html>"
    path.unlink()
    build_report(hostile_runs[:1], path)
    build_report(hostile_runs[:1], path)
