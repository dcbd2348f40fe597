"""The application in a real browser: every control clicked, axe on every page, hostile text, and a server that dies.

Chromium of the machine (Debian: apt install chromium). Where `TASKLOOM_BROWSER=required` is set, as in continuous
integration, a machine without one fails instead of skipping.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from browser import needed_chromium
from pronouns import answer
from servers import said, serving
from taskloom import open_suite
from taskloom.cli.main import main
from taskloom.core import AnyOf, Instance, Instruction, Row, Suite, Task
from taskloom.core.serving import open_port
from taskloom.run.results import load_run, write_results
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.run.session import RunSettings as Settings
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings
from taskloom.views.pages import export_site

TOKEN = "browser-token-4711"
ROOT = Path(__file__).resolve().parents[2]
HOSTILE = """"><img src=x onerror="window.__ran=1"><script>window.__ran=1</script>'`${1}{{7*7}}\u202e"""
DESK, PHONE = {"width": 1280, "height": 900}, {"width": 390, "height": 844}


@pytest.fixture(scope="module")
def chromium():
    from playwright.sync_api import sync_playwright

    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=needed_chromium(), args=["--no-sandbox", "--disable-gpu"])
        yield opened
        opened.close()


class Server:
    """`taskloom serve` as a process that can be killed and started again at the same place."""

    def __init__(self, folder):
        listener = open_port("127.0.0.1", 0)
        self.port = listener.getsockname()[1]
        listener.close()
        self.folder, self.address = folder, f"http://127.0.0.1:{self.port}"
        self.start()

    def start(self):
        command = [sys.executable, "-m", "taskloom", "serve", str(self.folder), "--port", str(self.port)]
        environment = {**os.environ, "PYTHONPATH": str(ROOT / "src"), "TASKLOOM_TOKEN": TOKEN}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        assert self.process.stdout.readline().startswith(self.address)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def hostile_suite():
    rows = [Row("t", Instance(f"{n}{HOSTILE}", f"{HOSTILE} {n}", AnyOf((HOSTILE,)), {"facet": HOSTILE, "size": n % 3}))
            for n in range(12)]  # fmt: skip
    task = Task("t", Instruction(HOSTILE))
    return Suite("x/hostile", {}, 1, {"t": task}, {"test": 12}, lambda split: iter(rows), {"facet": str, "size": int})


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two runs of stories, a probe, hostile text in every field, and a model to ask."""
    place = tmp_path_factory.mktemp("served")
    for model in ("majority", "oracle"):
        launch(open_suite("babi/mix-t2"), place / "runs" / model, RunSettings(model=f"mock/{model}", limit=60))
    odd = RunSettings(model="mock/constant", model_options={"answer": HOSTILE})
    launch(hostile_suite(), place / "runs" / "a<b>\"c'", odd)
    for path in (place / "runs").iterdir():
        write_results(load_run(path))
    probe_model(open_suite("babi/mix-t2"), place / "probes/deaf", Settings(model=answer), SearchSettings(budget=150))
    shutil.copy(ROOT / "tests/pronouns.py", place / "planted.py")
    assert main(["study", "seti/samples", "-o", str(place / "study")]) == 0
    return place


@pytest.fixture(scope="module")
def server(folder, chromium):
    opened = Server(folder)
    yield opened
    opened.kill()


@pytest.fixture
def visit(server, chromium):
    """Opens a page; at the end no script has failed, nothing foreign has run and nothing was blocked."""
    contexts, troubles = [], []

    def open_page(path, size=DESK, scheme="light"):
        context = chromium.new_context(viewport=size, color_scheme=scheme, accept_downloads=True)
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.address)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: troubles.append(str(error)))
        page.on("dialog", lambda dialog: troubles.append(dialog.message))
        page.on("console", lambda line: troubles.append(line.text) if "Content Security" in line.text else None)
        page.goto(f"{server.address}{path}{'&' if '?' in path else '?'}token={TOKEN}")
        return page

    yield open_page
    ran = [page.evaluate("window.__ran ?? null") for context in contexts for page in context.pages]
    for context in contexts:
        context.close()
    assert not troubles and not any(ran), troubles


def until(page, holds, seconds=60.0):
    """Wait until something holds of a page; it is asked again and again, because its policy forbids to wait inside."""
    end = time.monotonic() + seconds
    while not (found := holds()):
        assert time.monotonic() < end, page.inner_text("body")[:2000]
        page.wait_for_timeout(50)
    return found


def counted(page):
    return page.locator("[data-count]").inner_text()


def settle(page):
    """Wait until the table of samples, where there is one, has its rows."""
    if page.locator("[data-count]").count():
        until(page, lambda: re.search("record|question", counted(page)))


RUN = "/samples?run=runs%2Fmajority"
BOTH = f"{RUN}&run=runs%2Foracle&pair=1&cols=outcome@1,outcome@2,task,expected"
PAGES = {
    "ask": "/", "runs": "/runs", "probe": "/findings?run=probes%2Fdeaf", "run": "/findings?run=runs%2Fmajority",
    "samples": f"{RUN}&by=question,outcome&row=3", "pairs": BOTH, "judge": "/judge",
    "compare": "/compare?a=runs%2Fmajority&b=runs%2Foracle", "study": "/study?name=study",
    "mistake": "/study?name=gone",
}  # fmt: skip


RARE = [pytest.param(look, marks=pytest.mark.proof) for look in ("desk-dark", "phone-light")]
LOOKS = ["desk-light", "phone-dark", *RARE]


def size_and_scheme(look):
    size, _, scheme = look.partition("-")
    return {"desk": DESK, "phone": PHONE}[size], scheme


@pytest.mark.parametrize("look", LOOKS)
@pytest.mark.parametrize("name", PAGES)
def test_axe_finds_nothing(visit, name, look):
    page = visit(PAGES[name], *size_and_scheme(look))
    if name == "ask":
        page.wait_for_selector("[data-examples] .answer")
    settle(page)
    assert_accessible(page)


@pytest.mark.parametrize("look", ["desk-light", pytest.param("phone-dark", marks=pytest.mark.proof), *RARE])
def test_axe_finds_nothing_on_exported_pages(visit, folder, tmp_path, look):
    export_site([folder], tmp_path)
    kinds = {re.sub(r"-.*", "", path.stem): path for path in sorted(tmp_path.glob("*.html"))}
    assert set(kinds) == {"index", "run", "samples", "pair"}
    for path in kinds.values():
        page = visit("/runs", *size_and_scheme(look))
        page.goto(path.as_uri())
        page.wait_for_load_state()
        assert_accessible(page)


def assert_accessible(page):
    from axe_playwright_python.sync_playwright import Axe

    found = Axe().run(page).response["violations"]
    told = [f"{one['id']}: {one['help']}: {[node['html'][:150] for node in one['nodes'][:3]]}" for one in found]
    assert not told, told
    wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    assert wide <= 1, f"the page is {wide} pixels wider than the screen"


def test_samples_are_filtered_sorted_grouped_and_gone_through(visit):
    page = visit(RUN)
    settle(page)
    count = page.locator("[data-count]")
    assert count.inner_text() == "120 records"
    assert page.locator(".grid-row > div").first.bounding_box()["width"] > 20
    page.select_option("[name=outcome]", "wrong")
    until(page, lambda: " of 120 records" in counted(page))
    wrong = int(count.inner_text().split()[0])
    assert set(page.locator(".grid-row > div:nth-child(2)").all_inner_texts()) == {"✗ wrong"}
    page.fill("[name=q]", "kitchen outcome=wrong")
    until(page, lambda: not counted(page).startswith(f"{wrong} "))
    assert "q=kitchen+outcome%3Dwrong" in page.url
    page.fill("[name=q]", "")
    until(page, lambda: counted(page) == "120 records")
    page.select_option("[name=by]", "question")
    page.wait_for_selector("[data-groups] .chip")
    page.locator("[data-groups] .chip").first.click()
    until(page, lambda: " of 120 records" in counted(page))
    page.fill("[name=q]", "")
    page.select_option("[name=column]", "support_size")
    page.wait_for_selector("[role=columnheader]:has-text('support_size')")
    page.locator("[role=columnheader] button", has_text="support_size").click()
    page.wait_for_selector("[aria-sort=ascending]")
    page.wait_for_timeout(300)
    shown = [int(text) for text in page.locator(".grid-row > div:last-child").all_inner_texts()]
    assert shown == sorted(shown)
    page.locator("[data-body]").focus()
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.wait_for_selector(".detail .sample")
    assert page.locator(".grid-row[aria-selected=true]").count() == 1 and "row=" in page.url
    address = page.url
    page.reload()
    page.wait_for_selector(".detail .sample")
    assert page.url == address
    page.click("[data-queue=unparsed]")
    until(page, lambda: counted(page).startswith("0 of"))
    with page.expect_download() as download:
        page.click("[data-csv]")
    assert download.value.suggested_filename == "samples.csv"


def test_runs_are_lined_up(visit):
    page = visit(RUN + "&run=runs%2Foracle")
    settle(page)
    page.check("[name=pair]")
    until(page, lambda: "questions" in counted(page))
    page.click("[data-differ]")
    until(page, lambda: " of 120 questions" in counted(page))
    cells = page.locator(".grid-row").first.locator("div").all_inner_texts()
    assert cells[1:3] == ["✗ wrong", "✓ right"]


def test_two_ticked_runs_are_compared(visit):
    page = visit("/runs")
    for run in ("runs/majority", "runs/oracle"):
        page.check(f"[data-compare='{run}']")
    page.click("[data-compare-bar] button")
    page.wait_for_selector("text=runs/oracle right, runs/majority not")
    page.click("text=runs/oracle right, runs/majority not")
    settle(page)
    assert page.locator(".grid-row").count() > 0


def test_tables_and_figures_can_be_taken_away(visit):
    page = visit(PAGES["probe"])
    for kind in ("csv", "svg", "png"):
        with page.expect_download() as download:
            page.locator(f"[data-figure] [data-save={kind}]:visible").first.click()
        assert download.value.suggested_filename.endswith("." + kind)
    page.locator("[data-figure] [data-save=table]:visible").first.click()
    assert page.locator("figure .data table").count() == 1
    page.locator("[data-copy]:visible").first.click()
    until(page, lambda: "copied the sentence" in page.locator("[data-status]").text_content())
    assert re.match(r"\S+ on babi/mix-t2, probed, protocol \w+: ", page.evaluate("navigator.clipboard.readText()"))
    runs = visit("/runs")
    runs.locator("[data-save=markdown]").first.click()
    until(runs, lambda: "Markdown" in runs.locator("[data-status]").text_content())
    assert runs.evaluate("navigator.clipboard.readText()").startswith("| rank ")
    before = runs.evaluate("getComputedStyle(document.body).backgroundColor")
    runs.click("[data-theme-button]")
    runs.click("[data-theme-button]")
    assert runs.evaluate("getComputedStyle(document.body).backgroundColor") != before


def test_a_cell_of_the_matrix_opens_its_samples(visit):
    page = visit(PAGES["probe"])
    cell = page.locator("[data-figure] a[href^='/samples']:visible").first
    told = cell.get_attribute("aria-label")
    cell.click()
    settle(page)
    asked = int(re.search(r"n = (\d+)", told)[1])
    assert int(page.locator("[data-count]").inner_text().split()[0]) >= asked > 0


def test_three_actions_from_an_address_to_the_pair(visit):
    def reply(handler, body, count):
        handler.send(said(answer("[user]\n" + body["messages"][-1]["content"])))

    with serving(reply) as model:
        page = visit("/")
        page.fill("[name=url]", model.url)
        page.fill("[name=name]", "planted")
        page.click(".start")
        page.wait_for_selector(".job .state.finished", timeout=170_000)
    assert "falls to" in page.locator(".job .said").first.inner_text()
    assert page.locator(".job details[open] .side-by-side .answer").count() >= 2
    page.click("text=All findings")
    page.wait_for_selector("text=The answer")


def test_a_model_below_the_folder_is_tested(visit):
    page = visit("/", PHONE)
    page.check("[value=found]")
    page.select_option("[name=found]", "file:planted.py")
    page.click("[data-test]")
    page.wait_for_selector("[data-tested] .answer", timeout=120_000)
    assert "raw answer" in page.locator("[data-tested]").inner_text()
    page.fill("[name=suite]", "no/such")
    page.locator("[name=suite]").blur()
    page.wait_for_selector("[data-examples] .warning")
    page.click(".start")
    until(page, lambda: "suite" in page.locator("[data-problem]").inner_text())


def test_two_people_judge_and_the_results_are_there(visit):
    page = visit("/judge")
    page.select_option("[name=runs]", "runs/majority")
    page.fill("[name=instances]", "4")
    page.click(".start")
    page.wait_for_selector("text=items judged by 0 people")
    page.click("text=Judge >> nth=-1")
    address = page.url
    other = visit(address[address.index("/judge") :])
    seen = []
    for one, name in ((page, "ann"), (other, "bob")):
        one.fill("[name=rater]", name)
        one.locator("[name=rater]").blur()
        one.wait_for_selector("[data-questions] fieldset")
        assert_accessible(one)
        seen.append(one.locator("[data-texts]").inner_text())
    for one in (page, other):
        one.keyboard.press("1")
        one.click("[data-next]")
        until(one, lambda one=one: one.locator("[data-progress]").inner_text().startswith("1 judged"))
    page.goto(page.url.replace("rate", "results"))
    page.wait_for_selector("text=Krippendorff")
    assert_accessible(page)
    assert "ann" in page.inner_text("main") and "bob" in page.inner_text("main")


@pytest.mark.parametrize("path", ["/runs", "/findings", "/samples", "/compare"])
def test_hostile_text_stays_text(visit, path):
    from urllib.parse import urlencode

    name = "runs/a<b>\"c'"
    values = {"a": name, "b": name} if path == "/compare" else {"run": name, "by": "facet", "row": "1", "q": HOSTILE}
    page = visit(f"{path}?{urlencode(values)}")
    page.wait_for_timeout(400)
    if path == "/samples":
        page.fill("[name=q]", "")
        settle(page)
        page.wait_for_selector("[data-groups] .chip")
        page.locator("[data-groups] .chip").first.click()
        until(page, lambda: counted(page).startswith("12"))
        page.keyboard.press("Escape")
        page.locator(".grid-row").first.click()
        page.wait_for_selector(".detail .sample")
        assert "onerror" in page.locator(".detail").inner_text()
    assert page.locator("img[src=x]").count() == 0


def test_a_page_goes_on_by_itself_when_its_server_comes_back(visit, server, folder):
    page = visit("/runs")
    page.wait_for_timeout(300)
    server.kill()
    page.wait_for_selector(".offline", timeout=30_000)
    launch(open_suite("babi/task-1"), folder / "runs/later", RunSettings(model="mock/oracle", limit=5))
    server.start()
    page.wait_for_selector(".offline", state="detached", timeout=60_000)
    page.wait_for_selector("text=runs/later", timeout=60_000)
    assert "runs/later" in page.locator("main").inner_text()


@pytest.mark.proof
def test_a_killed_server_takes_its_probe_along_and_continues_it(visit, server, folder):
    slow = (
        (folder / "planted.py")
        .read_text()
        .replace("    lines =", "    import time\n    time.sleep(0.05)\n    lines =", 1)
    )
    (folder / "slow.py").write_text(slow)
    page = visit("/")
    page.check("[value=found]")
    page.select_option("[name=found]", "file:slow.py")
    page.click(".start")
    until(page, lambda: re.search(r"[1-9]\d* of at most 200", page.inner_text("#jobs")), 120)
    server.kill()
    end = time.monotonic() + 60
    run = folder / "probes/slow-mix-t2"
    from taskloom.views.library import Library

    library = Library([folder])
    while library.state(library.place("probes/slow-mix-t2")) == "running" and time.monotonic() < end:
        time.sleep(0.2)
    logged = sum(path.read_bytes().count(b"\n") for path in (run / "log").glob("*.jsonl"))
    assert logged > 0
    server.start()
    page.wait_for_selector(".offline", state="detached", timeout=60_000)
    page.goto(server.address + "/findings?run=probes%2Fslow-mix-t2")
    page.wait_for_selector("text=stopped")
    assert load_run(run).records
