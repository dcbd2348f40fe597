"""Every control of the page, clicked in a real browser: what it says it does, it does."""

from __future__ import annotations

import csv
import io
import re

import pytest

from taskloom.report.build import build_report
from taskloom.run.results import load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from toy import FAMILY

DRAWN = """(async () => {
  for (let turn = 0; turn < 100 && !document.querySelector(".sample"); turn++)
    await new Promise((done) => setTimeout(done, 50));
  return document.querySelectorAll(".sample").length;
})()"""
SAVED = """
  window.saved = [];
  URL.createObjectURL = (blob) => { saved.push(blob); return "blob:x"; };
  HTMLAnchorElement.prototype.click = function () { saved.push(this.download); };
  window.printed = 0;
  window.print = () => {
    printed += document.querySelectorAll("figure.printed").length;
    dispatchEvent(new Event("afterprint"));
  };
"""


@pytest.fixture(scope="module")
def report(tmp_path_factory, many):
    folder = tmp_path_factory.mktemp("controls")
    suite = FAMILY.open("all", 1, {"test": 90})
    made = []
    for name, options in (("oracle", {}), ("constant", {"answer": "3"}), ("flaky", {"fail": 0.2})):
        launch(suite, folder / name, RunSettings(model=f"mock/{name}", model_options=options))
        made.append(load_run(folder / name))
    launch(many, folder / "many", RunSettings(model="mock/oracle"))
    made.append(load_run(folder / "many"))
    build_report(
        made, folder / "page.html", facets=["size", "share", "composition"], heat=[("share", "size"), ("task", "tags")]
    )
    return folder / "page.html"


def test_choosers_show_one_pane_and_are_kept_in_the_address(report, browser):
    chosen = """[...document.querySelectorAll("[data-chooser]")].map((chooser) => {
      const select = chooser.querySelector("select");
      select.value = String(select.options.length - 1);
      select.dispatchEvent(new Event("change"));
      return [...chooser.children].filter((child) => child.dataset.pane !== undefined && !child.hidden).length === 1
        && location.hash.includes(chooser.dataset.chooser);
    })"""
    seen = browser.open(report, chosen, "location.hash")
    assert seen.harmless, seen
    assert seen.values[0] and all(seen.values[0])
    again = browser.open(f"{report.as_uri()}{seen.values[1]}", """[...document.querySelectorAll("[data-chooser]")]
      .map((chooser) => chooser.querySelector("select").selectedIndex)""")  # fmt: skip
    assert all(place > 0 for place in again.values[0]), "a linked view opens as it was"


def test_tables_sort_by_every_heading_and_unfold(report, browser):
    sort = """[...document.querySelectorAll("[data-table] button.sort")].every((button) => {
      button.click();
      const up = button.parentElement.getAttribute("aria-sort") === "ascending";
      button.click();
      return up && button.parentElement.getAttribute("aria-sort") === "descending";
    })"""
    numbers = """(() => {
      const table = document.querySelector("#s0-score-table table");
      const head = [...table.tHead.rows[0].cells].findIndex((cell) => cell.textContent.startsWith("score"));
      table.tHead.rows[0].cells[head].querySelector("button").click();
      return [...table.tBodies[0].rows].map((row) => Number(row.cells[head].textContent));
    })()"""
    unfold = """(() => {
      const button = [...document.querySelectorAll("[data-unfold]")].find((each) => !each.hidden);
      const rows = () => button.closest("[data-table]").querySelectorAll("tbody tr:not([hidden])").length;
      const before = rows(); button.click(); const open = rows(); button.click();
      return [before, open, rows()];
    })()"""
    seen = browser.open(report, sort, numbers, unfold)
    assert seen.harmless, seen
    assert seen.values[0]
    assert seen.values[1] == sorted(seen.values[1])
    before, unfolded, after = seen.values[2]
    assert before == after == 30 < unfolded


def test_every_figure_can_be_taken_away(report, browser):
    click = (
        SAVED
        + """(async () => {
      const kinds = {};
      for (const button of document.querySelectorAll("[data-save]")) {
        button.click();
        kinds[button.dataset.save] = (kinds[button.dataset.save] || 0) + 1;
      }
      const texts = await Promise.all(saved.filter((each) => each instanceof Blob).map((blob) => blob.text()));
      const figures = document.querySelectorAll("[data-figure], [data-heat]").length;
      return { kinds, figures, texts, names: saved.filter((each) => typeof each === "string"), printed,
        tables: document.querySelectorAll(".data table").length,
        drawn: document.querySelectorAll("[data-figure]").length };
    })()"""
    )
    seen = browser.open(report, click)
    assert seen.harmless, seen
    found = seen.values[0]
    assert found["kinds"]["svg"] == found["kinds"]["pdf"] == found["figures"] == found["printed"] > 4
    assert found["kinds"]["csv"] > found["figures"], "tables can be taken away, too"
    assert found["tables"] == found["drawn"] == found["kinds"]["table"]
    drawings = [text for text in found["texts"] if text.startswith("<?xml")]
    assert len(drawings) == found["figures"]
    assert not any("var(" in text for text in drawings), "a file of its own knows no page"
    for text in found["texts"]:
        if not text.startswith("<?xml"):
            header, *rows = text.splitlines()
            assert header.count(",") >= 1 and rows
            cells = [cell for row in csv.reader(io.StringIO(text, newline="")) for cell in row]
            formulas = [cell for cell in cells if cell[:1] in tuple("=+-@")]
            assert all(float(cell.rstrip("%")) is not None for cell in formulas), "numbers only"


def test_heat_maps_sort_fold_and_lead_to_samples(report, browser):
    sort = """[...document.querySelectorAll("[data-heat]")].map((figure) => {
      const names = () => [...figure.querySelectorAll("tbody th")].map((cell) => cell.textContent).join("|");
      const select = figure.querySelector("[name=sort]");
      return new Set([...select.options].map((option) => {
        select.value = option.value; select.dispatchEvent(new Event("change")); return names();
      })).size;
    })"""
    fold = """(() => {
      const button = [...document.querySelectorAll("[data-fold]")].find((each) => !each.hidden);
      const figure = button.closest("figure");
      const rows = () => figure.querySelectorAll("tbody tr").length;
      const before = rows(); button.click(); return [before, rows()];
    })()"""
    lead = """(async () => {
      const cell = document.querySelector("[data-heat] td button");
      cell.click();
      await new Promise((done) => setTimeout(done, 500));
      const chip = document.querySelector("[data-samples] [data-facet]");
      const said = [chip.hidden, document.querySelector("[data-count]").textContent, cell.title];
      chip.click();
      await new Promise((done) => setTimeout(done, 500));
      return [...said, chip.hidden];
    })()"""
    seen = browser.open(report, sort, fold, DRAWN, lead)
    assert seen.harmless, seen
    assert max(seen.values[0]) > 1
    before, unfolded = seen.values[1]
    assert before == 24 < unfolded
    hidden, count, title, gone = seen.values[3]
    assert (hidden, gone) == (False, True)
    of_cell = int(re.search(r"n = (\d+)", title)[1])
    assert f"of {of_cell} " in count or f"of {of_cell}" in count


def test_the_browser_of_samples_filters_searches_and_turns_pages(report, browser):
    use = """(async () => {
      const holder = document.querySelector("[data-samples]");
      const count = () => holder.querySelector("[data-count]").textContent;
      const settle = () => new Promise((done) => setTimeout(done, 400));
      const set = async (name, value) => {
        const control = holder.querySelector(`[name=${name}]`);
        control.value = value;
        control.dispatchEvent(new Event("input"));
        await settle();
        return count();
      };
      const [before, after] = holder.querySelectorAll("[data-step]");
      const seen = { first: count() };
      after.click(); await settle(); seen.second = count();
      before.click(); await settle(); seen.back = count();
      for (const which of ["wrong", "right", "differ", "odd", "all"]) seen[which] = await set("which", which);
      seen.task = await set("task", "0"); await set("task", "");
      seen.none = await set("search", "nothing says this"); seen.all_again = await set("search", "");
      seen.cards = holder.querySelectorAll(".sample:first-child .answer").length;
      seen.link = holder.querySelector(".sample:nth-child(3) a").getAttribute("href");
      return seen;
    })()"""
    seen = browser.open(report, DRAWN, use)
    assert seen.harmless, seen
    found = seen.values[1]
    assert found["first"] == found["back"] == found["all_again"] == "1–5 of 90"
    assert found["second"].startswith("6–10")
    assert found["none"].startswith("none match")
    number = {key: _chosen(found[key]) for key in ("wrong", "right", "differ", "odd", "task")}
    assert number["wrong"] + number["right"] == 90
    assert 0 < number["odd"] < number["wrong"]
    assert 0 < number["task"] < 90
    assert found["cards"] == 3, "answers of all runs stand side by side"
    linked = browser.open(
        f"{report.as_uri()}{found['link']}", DRAWN, "document.querySelector('[data-count]').textContent"
    )
    assert linked.values[1].startswith("3–")


def _chosen(count: str) -> int:
    """How many samples a count like "1–5 of 30 (of 90)" speaks of."""
    return 0 if count.startswith("none") else int(re.search(r"of ([\d,]+)", count)[1])


def test_colours_can_be_chosen_and_the_page_fits_a_phone(report, browser):
    # The choice is kept, so another test may have left one.
    theme = """(() => {
      const button = document.querySelector("[data-theme-button]"), root = document.documentElement;
      while (root.dataset.theme) button.click();
      return [1, 2, 3].map(() => {
        button.click();
        return [root.dataset.theme, getComputedStyle(document.body).backgroundColor];
      });
    })()"""
    named = """[...document.querySelectorAll("button, select, input, a[href]")].filter((control) =>
      !control.hidden && !control.getAttribute("aria-label") && !control.textContent.trim()
      && !control.closest("label")).length"""
    wide = """(() => { document.body.style.width = "390px"; return [...document.querySelectorAll("main > *, .card")]
      .filter((node) => node.scrollWidth > 392).map((node) => node.className).join(); })()"""
    seen = browser.open(report, theme, named, wide)
    assert seen.harmless, seen
    (light, white), (dark, black), (system, _) = seen.values[0]
    assert (light, dark, system) == ("light", "dark", "")
    assert white != black
    assert seen.values[1] == 0, "every control has a name"
    assert seen.values[2] == ""


def test_words_facets_outcome_and_page_of_the_samples_are_kept_in_the_address(report, browser):
    counted = "document.querySelector('[data-samples] [data-count]').textContent"
    search = f"""(async () => {{
      const node = document.querySelector("[data-samples]");
      const wait = () => new Promise((done) => setTimeout(done, 400));
      await wait();
      const all = {counted};
      const type = async (text) => {{
        node.querySelector("[name=search]").value = text;
        node.querySelector("[name=search]").dispatchEvent(new Event("input"));
        await wait();
        return [{counted}, node.querySelector("[data-facet]").hidden, node.querySelector("[data-facet]").textContent];
      }};
      const task = document.querySelector(".sample .tag.strong").textContent;
      const both = await type("task=" + task);
      const none = await type("task=" + task + " nosuchword");
      const alone = await type("task=" + task);
      node.querySelector("[name=which]").value = "wrong";
      node.querySelector("[name=which]").dispatchEvent(new Event("input"));
      await wait();
      return [all, both, none, {counted}, location.hash];
    }})()"""
    seen = browser.open(report, DRAWN, search)
    assert seen.harmless, seen
    whole, (some, hidden, chip), (none, _, _), wrong, address = seen.values[1]
    assert "(of " not in whole and "(of " in some and not hidden and chip.startswith("task = ")
    assert none.startswith("none match"), "all words must occur"
    again = browser.open(f"{report.as_uri()}{address}", DRAWN, counted)
    assert again.values[1] == wrong, "a linked view opens as it was"
