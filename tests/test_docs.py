"""Pages that teach: every command and every block of Python runs and prints what the page says."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from shutil import copytree, which

import pytest
from benchmarks.release import reading_server

from pages import PAGES, blocks, run_page

ROOT = Path(__file__).resolve().parent.parent
MOST_LINES = {"a task": 12, "a scorer": 10, "a family": 40}


@pytest.mark.train
@pytest.mark.parametrize("page", PAGES)
def test_a_page_does_what_it_says(page, tmp_path, monkeypatch, own_registries):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)  # as in a script or a shell that was started here
    for name in ("my_tasks", "my_task", "my_family"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.setenv("TASKLOOM_CACHE", str(tmp_path / "cache"))
    with reading_server() as url:
        monkeypatch.setenv("OPENAI_BASE_URL", url)
        monkeypatch.setenv("OPENAI_API_KEY", "of-no-use-elsewhere")
        assert run_page(ROOT / page) > 0


@pytest.mark.parametrize(("what", "most"), MOST_LINES.items())
def test_things_of_ones_own_are_as_short_as_the_how_to_page_says(what, most):
    """From import to score: a task in 12 lines, a scorer in 10, a family in 40."""
    text = (ROOT / "docs/howto.md").read_text("utf-8")
    section = re.search(rf"^## Write {what} of your own\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert section
    code = re.search(r"^```python\n(.*?)^```", section[1], re.MULTILINE | re.DOTALL)
    assert code
    lines = [line for line in code[1].splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(lines) <= most


@pytest.mark.parametrize(
    ("what", "most"), [("An atom", 10), ("An operator", 25), ("A kind of answer", 20), ("A task with skills", 15)]
)
def test_extensions_are_as_short_as_they_are_meant_to_be(what, most):
    """Each in one file; of several records in a file, the first is counted."""
    text = (ROOT / "docs/extend.md").read_text("utf-8")
    section = re.search(rf"^## {what}\n(.*?)(?=^## )", text, re.MULTILINE | re.DOTALL)
    assert section
    code = re.search(r"^```python\n(.*?)^```", section[1], re.MULTILINE | re.DOTALL)
    assert code
    first = re.split(r"^(?:taskloom\.)?register\(.*$", code[1], maxsplit=1, flags=re.MULTILINE)
    lines = [line for line in first[0].splitlines() if line.strip() and not line.lstrip().startswith("#")]
    assert len(lines) + (len(first) > 1) <= most


def test_links_between_pages_lead_somewhere():
    wrong = []
    for page in [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        prose = re.sub(r"^```.*?^```|`[^`]*`", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
        for target in re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", prose):
            if not target.startswith(("http:", "https:", "mailto:")) and not (page.parent / target).exists():
                wrong.append(f"{page.name}: {target}")
    assert wrong == []


def test_the_reference_is_made_from_the_docstrings_as_they_are():
    from scripts.build_reference import reference

    pages = reference()
    assert {path: (ROOT / "docs" / path).read_text("utf-8") for path in pages} == pages
    kept = {f"reference/{path.name}" for path in (ROOT / "docs/reference").iterdir() if "taskloom." not in path.name}
    assert kept == set(pages) - {"reference.md"}


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """Sphinx warns of links, anchors and pictures that are not there and of pages without a place in the navigation."""
    tmp_path = tmp_path_factory.mktemp("site")
    copytree(ROOT / "docs", tmp_path / "docs")
    for name in (
        "CHANGELOG.md",
        "CONTRIBUTING.md",
        "SECURITY.md",
        "README.md",
        "examples",
        "packages",
        "tests",
        "src",
        "scripts",
    ):
        (tmp_path / name).symlink_to(ROOT / name)
    command = [sys.executable, "-m", "sphinx", "-W", "-q", "-b", "html", tmp_path / "docs", tmp_path / "site"]
    ours = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    made = subprocess.run(command, check=False, capture_output=True, text=True, env=ours)
    assert made.returncode == 0, made.stderr[-2000:]
    return tmp_path / "site"


def test_the_site_is_built_without_a_warning(site):
    assert "coref" in (site / "glossary.html").read_text("utf-8")


ASKED = {
    "which seeds were used": "suites",
    "combining several tasks": "weave",
    "judging with another llm": "faq",
    "getting started": "tutorial",
    "what is taskloom": "index",
    "what can it not do yet": "faq",
    "shell completions": "install",
    "batch api half price": "models",
    "multi-hop questions": "babi",
}
"""Questions, each with a page that must be among the first three: by stems, not by the letters of its words."""


@pytest.mark.skipif(which("node") is None, reason="the search of the site runs in a browser, or in Node")
def test_the_search_of_the_site_finds_what_is_asked(site):
    scripts = "".join(
        (site / "_static" / name).read_text("utf-8") for name in ("language_data.js", "sections.js", "search.js")
    )
    program = (
        "globalThis.window = globalThis; globalThis.document = { addEventListener() {} };"
        f"{scripts};const pages = (text) => findSections(text).slice(-3).map((one) => one[0]);"
        f"console.log(JSON.stringify({json.dumps(list(ASKED))}.map(pages)));"
    )
    (site / "ask.js").write_text(program, "utf-8")
    done = subprocess.run(["node", site / "ask.js"], check=True, capture_output=True, text=True)
    found = dict(zip(ASKED, json.loads(done.stdout), strict=True))
    assert {text: pages for text, pages in found.items() if ASKED[text] not in pages} == {}


def test_the_notebook_runs(tmp_path, monkeypatch, own_registries):
    monkeypatch.chdir(tmp_path)
    notebook = json.loads((ROOT / "docs/tour.ipynb").read_text("utf-8"))
    namespace: dict[str, object] = {}
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(cells) >= 6
    for number, cell in enumerate(cells):
        exec(compile("".join(cell["source"]), f"cell {number}", "exec"), namespace)
        assert cell["outputs"], f"cell {number} shows nothing: run the notebook before committing it"


def test_every_block_of_a_page_that_teaches_is_run():
    """A console block of several lines needs prompts, or none of it would be run."""
    for page in PAGES:
        for block in blocks(ROOT / page):
            if block.language == "console":
                assert block.text.startswith("$ "), f"{page}:{block.line}"


@pytest.mark.proof
def test_type_checkers_see_what_the_tutorial_uses(tmp_path):
    """As a user's code is checked, without the settings of this repository; mypy reads the whole package for it."""
    found = [block.text for name in ("README.md", "docs/tutorial.md") for block in blocks(ROOT / name)
             if block.language == "python"]  # fmt: skip
    for number, text in enumerate(found):
        (tmp_path / f"block_{number}.py").write_text(text)
    files = sorted(map(str, tmp_path.glob("*.py")))
    options = ["--config-file", os.devnull, "--check-untyped-defs", "--cache-dir", str(tmp_path / "cache")]
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}
    command = [sys.executable, "-m", "mypy", *options, *files]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert files and done.returncode == 0, done.stdout


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.py")), ids=lambda path: path.stem)
def test_every_example_loads(path):
    code = "import runpy, sys; runpy.run_path(sys.argv[1])"
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "src")}
    done = subprocess.run(
        [sys.executable, "-c", code, path], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
