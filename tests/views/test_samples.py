"""The table of samples against a plain loop over the records: filter, sort, group, search, pairs."""

from __future__ import annotations

import csv
import io
import time

import pytest

from taskloom.run.results import load_run


@pytest.fixture(scope="module")
def records(shelf):
    return {name: list(load_run(shelf / "runs" / name).records) for name in ("oracle", "constant", "flaky")}


def rows(client, *runs, **values):
    pairs = [("run", f"runs/{run}") for run in runs] + list(values.items())
    answer = client.ask("/api/rows", [*pairs, ("count", "500")])
    assert answer.status == 200, answer.text
    return answer.json


def test_every_record_is_there_once(client, records):
    found = rows(client, "oracle", "constant", cols="id,run,score")
    assert found["total"] == found["all"] == len(records["oracle"]) + len(records["constant"])
    expected = [(record.id, f"runs/{name}") for name in ("oracle", "constant") for record in records[name]]
    assert list(zip(found["columns"]["id"], found["columns"]["run"], strict=True)) == expected


def test_outcomes_are_those_of_the_records(client, records):
    found = rows(client, "flaky", cols="id,outcome", q="outcome=failed")
    assert found["columns"]["id"] == [record.id for record in records["flaky"] if record.state == "errored"]
    assert found["total"] > 0
    right = rows(client, "constant", cols="id", q="score>=1")
    assert right["columns"]["id"] == [record.id for record in records["constant"] if (record.score or 0) >= 1]


def test_facets_filter_and_sort(client, records):
    sizes = [record.facets["size"] for record in records["constant"]]
    wanted = sorted({str(size) for size in sizes})[0]
    found = rows(client, "constant", cols="size", q=f"size={wanted}")
    assert found["total"] == sum(str(size) == wanted for size in sizes) > 0
    ordered = rows(client, "constant", cols="size,score", sort="-size,score")["columns"]
    keyed = list(zip(ordered["size"], ordered["score"], strict=True))
    # A failed instance has no score and comes first.
    expected = sorted(sorted(keyed, key=lambda pair: pair[1]), key=lambda pair: pair[0], reverse=True)
    assert keyed == expected and len({size for size, _ in keyed}) > 1


def test_words_are_looked_for_in_prompts_and_answers_alone(client, records):
    word = records["constant"][3].prompt.split()[-1]
    texts = [(record.prompt + "\0" + record.raw).lower() for record in records["constant"]]
    assert rows(client, "constant", q=f'"{word}"')["total"] == sum(word.lower() in text for text in texts) > 0
    assert rows(client, "constant", q="no-such-word-anywhere")["total"] == 0
    assert rows(client, "constant", q="/[0-9]+/")["total"] == sum(any(c.isdigit() for c in text) for text in texts)
    assert rows(client, "constant", q=f'-"{word}"')["total"] == sum(word.lower() not in text for text in texts)


def test_an_expression_that_cannot_be_read_is_said(client):
    answer = client.ask("/api/rows", {"run": "runs/oracle", "q": "/(/"})
    assert answer.status == 404 and "regular expression" in answer.json["error"]


def test_an_expression_that_would_take_for_ever_elsewhere_does_not(client):
    begun = time.process_time()
    assert rows(client, "constant", q="/(a|a)*(a|a)*(a|a)*$b/")["complete"]
    assert time.process_time() - begun < 20


def test_groups_add_up(client, records):
    answer = client.ask("/api/group", {"run": "runs/flaky", "by": "size,outcome"})
    groups = answer.json["groups"]
    assert sum(group["n"] for group in groups) == len(records["flaky"])
    for group in groups:
        own = [r for r in records["flaky"] if str(r.facets["size"]) == group["names"][0]]
        scores = [r.score for r in own if r.score is not None and (r.score >= 1) == (group["names"][1] == "right")]
        if group["names"][1] == "right":
            assert group["n"] == len(scores) and group["value"] == 1


def test_runs_are_lined_up_by_question(client, records):
    found = rows(client, "oracle", "constant", pair="1", cols="id,outcome@1,outcome@2", q="outcomes=differ")
    by_id = {record.id: record for record in records["constant"]}
    expected = [r.id for r in records["oracle"] if (by_id[r.id].score or 0) < 1]
    assert found["columns"]["id"] == expected
    assert set(found["columns"]["outcome@1"]) == {"right"} and "right" not in found["columns"]["outcome@2"]


def test_a_sample_is_the_record_as_it_stands(client, records):
    answer = client.ask("/api/sample", [("run", "runs/constant"), ("row", "7")]).json
    assert answer["records"][0]["id"] == records["constant"][7].id
    assert answer["records"][0]["prompt"] == records["constant"][7].prompt
    both = client.ask("/api/sample", [("run", "runs/oracle"), ("run", "runs/constant"), ("pair", "1"), ("row", "0")])
    assert both.json["runs"] == ["runs/oracle", "runs/constant"]
    assert len({record["question"] for record in both.json["records"]}) == 1


def test_the_view_can_be_taken_away(client, records):
    answer = client.ask("/api/csv", {"run": "runs/flaky", "q": "outcome=failed", "cols": "id,outcome"})
    lines = list(csv.reader(io.StringIO(answer.text)))
    assert lines[0] == ["id", "outcome"]
    assert len(lines) - 1 == sum(record.state == "errored" for record in records["flaky"])


@pytest.mark.parametrize(("path", "values", "said"), [
    ("/api/rows", {"run": "runs/nope"}, "nope"), ("/api/rows", {}, "no run"),
    ("/api/rows", {"run": "runs/oracle", "q": "siz=1"}, "size"),
    ("/api/rows", {"run": "runs/oracle", "start": "-1"}, "whole"),
    ("/api/rows", {"run": "runs/oracle", "sort": "nothing"}, "nothing"),
    ("/api/group", {"run": "runs/oracle", "by": "x"}, "x"),
    ("/api/sample", {"run": "runs/oracle", "row": "999999"}, "999999"),
    ("/api/rows", {"run": "runs/oracle", "q": "size>x"}, "number"),
])  # fmt: skip
def test_what_does_not_exist_is_said(client, path, values, said):
    answer = client.ask(path, values)
    assert answer.status == 404 and said in answer.body.decode()
