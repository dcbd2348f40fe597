"""Which runs are ranked against each other, which are not and why, and what a row says while its run goes on."""

from __future__ import annotations

import re
import shutil

from taskloom.run.log import RunLog
from taskloom.run.results import load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from toy import FAMILY


def test_only_like_is_ranked_with_like(client):
    sections = client.ask("/api/runs").json["sections"]
    ranked = [{row["run"] for row in section["rows"]} for section in sections]
    assert {"runs/oracle", "runs/constant"} in ranked  # the flaky run has fewer answers, the other one another seed
    assert {"runs/other-seed"} in ranked and {"runs/flaky"} in ranked
    apart = {section["rows"][0]["run"]: section["apart"] for section in sections}
    assert "questions" in apart["runs/other-seed"] and "answers" in apart["runs/flaky"]


def test_a_rank_is_what_the_intervals_allow(client):
    rows = {row["run"]: row for section in client.ask("/api/runs").json["sections"] for row in section["rows"]}
    best, other = rows["runs/oracle"], rows["runs/constant"]
    assert (best["best"], best["worst"], other["best"], other["worst"]) == (1, 1, 2, 2)
    assert best["proof"]["records"] and best["proof"]["plan"]


def test_the_numbers_are_those_of_the_run(client, shelf):
    row = next(row for row in client.ask("/api/runs").json["runs"] if row["run"] == "runs/constant")
    group = load_run(shelf / "runs/constant").overall()
    assert (row["value"], row["low"], row["high"], row["n"]) == (*group.estimate[:3], group.estimate.n)


def test_numbers_that_are_not_about_these_records_are_not_shown(client_of, shelf, tmp_path):
    shutil.copytree(shelf / "runs/constant", tmp_path / "constant")
    results = tmp_path / "constant/results.json"
    results.write_bytes((shelf / "runs/oracle/results.json").read_bytes())
    row = client_of(tmp_path).ask("/api/runs").json["runs"][0]
    assert row["value"] == load_run(shelf / "runs/constant").overall().estimate.value


def test_a_row_follows_a_run_that_goes_on(client_of, tmp_path, shelf):
    records = list(load_run(shelf / "runs/constant").records)
    files = shutil.ignore_patterns("*.parquet", "manifest-*", "results.json")
    shutil.copytree(shelf / "runs/constant", tmp_path / "run", ignore=files)
    client = client_of(tmp_path)
    with RunLog(tmp_path / "run") as log:
        for before, until in ((0, 10), (10, 25), (25, 60)):
            log.append(records[before:until])
            row = client.ask("/api/runs").json["runs"][0]
            assert (row["state"], row["n"]) == ("running", until)
            table = client.ask("/api/rows", {"run": "run", "cols": "id", "count": "500"}).json
            assert table["columns"]["id"] == [record.id for record in records[:until]]
    assert client.ask("/api/runs").json["runs"][0]["state"] == "stopped"


def test_a_damaged_run_does_not_cost_the_page(client_of, shelf, tmp_path):
    shutil.copytree(shelf / "runs/constant", tmp_path / "good")
    shutil.copytree(shelf / "runs/constant", tmp_path / "bad")
    (tmp_path / "bad/run.json").write_text("{")
    (tmp_path / "bad/results.json").unlink()
    client = client_of(tmp_path)
    assert client.ask("/runs").status == 200
    problems = {row["run"]: row["problem"] for row in client.ask("/api/runs").json["runs"]}
    assert not problems["good"] and problems["bad"]


def test_pages_say_what_they_show(client):
    assert "runs/constant" in client.ask("/runs").text
    page = client.ask("/findings", {"run": "runs/constant"}).text
    assert "Scores by facet" in page and "/samples?run=runs%2Fconstant" in page
    pair = client.ask("/compare", {"a": "runs/constant", "b": "runs/oracle"}).text
    assert "runs/oracle right, runs/constant not:" in pair and "The difference by facet" in pair
    assert client.ask("/samples").status == 303
    assert client.ask("/findings", {"run": "nope"}).status == 404


def test_the_difference_by_facet_counts_a_question_once_however_often_it_was_asked(client_of, tmp_path):
    suite = FAMILY.open("all", 1, {"test": 20})
    for name in ("random", "oracle"):
        settings = RunSettings(model=f"mock/{name}", samples=3, generation={"temperature": 1.0})
        launch(suite, tmp_path / name, settings)
    page = client_of(tmp_path).ask("/compare", {"a": "random", "b": "oracle"}).text
    table = page[page.index("minus random by ") :]
    counts = re.findall(r"<td[^>]*>(\d+)</td></tr>", table[: table.index("</table>")])
    assert counts and sum(map(int, counts)) == len(list(suite.rows("test")))
