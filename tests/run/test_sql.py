"""Queries over runs see what the records say, whether a run is one sealed part, several, or still going on."""

from __future__ import annotations

import json

import pytest

from records import torn_log
from taskloom import UserError, load_run, open_suite, run_suite
from taskloom.cli.main import main
from taskloom.run.frames import query_runs
from taskloom.run.record import decode_record

pytest.importorskip("duckdb")
_FLAKY = {"fail": 0.2, "empty": 0.2, "truncate": 0.0, "rubbish": 0.1, "stall": 0.0}


@pytest.fixture(scope="module", params=["sealed", "asked again", "open"])
def run(request, tmp_path_factory):
    folder = tmp_path_factory.mktemp("run") / "it's"
    suite = open_suite("babi/mix-t7", options={"test": 20})
    for _ in range(2 if request.param == "asked again" else 1):
        run_suite(suite, model="mock/flaky", model_options=_FLAKY, folder=folder, protocol="chat", cache=False)
    if request.param == "open":
        torn_log(folder, 30, b"torn")
    return load_run(folder)


def test_a_query_says_what_the_records_say(run):
    found = run.sql('select *, support_size as size, "facet:question" as kind from records').to_pylist()
    records = list(run.records)
    assert len(found) == len(records)
    for row, record in zip(sorted(found, key=lambda row: row["index"]), records, strict=True):
        assert (row["score"], row["answer"], row["raw"]) == (record.score, record.answer, record.raw)
        assert (row["question"], row["row"], row["prompt"]) == (record.question, record.row, record.prompt)
        assert (row["size"], row["kind"]) == (str(record.facets["support_size"]), record.facets["question"])
        assert row["run"] == run.name


def test_several_runs_are_one_table(run, tmp_path):
    other = run_suite(open_suite("seti/task1-trivial"), model="mock/oracle", folder=tmp_path, limit=2)
    found = query_runs([run, other], "select run, count(*) as n from records group by run order by n")
    assert {row["run"]: row["n"] for row in found.to_pylist()} == {
        run.name: len(run.records),
        other.name: len(other.records),
    }


@pytest.mark.parametrize(
    "query", ["select nothing_of_the_kind from records", "selct", "attach 'x.db'", "select 1; select 2", ""]
)
def test_what_is_no_query_is_refused_in_a_sentence(run, query):
    with pytest.raises(UserError, match="query"):
        run.sql(query)


def test_on_the_command_line(run, tmp_path, capsys):
    assert main(["sql", str(run.folder), "select count(*) as n from records", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"n": len(run.records)}
    assert main(["sql", str(run.folder), "select state, count(*) as n from records group by 1"]) == 0
    assert "| state" in capsys.readouterr().out
    assert main(["export", "records", str(run.folder), "-o", str(tmp_path)]) == 0
    (path,) = tmp_path.glob("*.jsonl")
    assert [decode_record(line) for line in path.read_bytes().splitlines()] == list(run.records)
