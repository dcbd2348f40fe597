"""What a server says of itself and of its bill is kept with every record, and warned of where it differs."""

from __future__ import annotations

from hashlib import sha256

import msgspec
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.servers import said, serving

from taskloom import UserError, load_run, open_suite, run_suite
from taskloom.cli.main import main
from taskloom.run.results import run_results
from taskloom.run.sealed import latest_seal
from taskloom.studies.contrasts import contrast_runs, gate_run


def billed(snapshot, *prints):
    """A server of one snapshot whose fingerprints take turns."""

    def answer(handler, body, count):
        usage = {
            "prompt_tokens": 11, "completion_tokens": 7, "prompt_tokens_details": {"cached_tokens": 4},
            "completion_tokens_details": {"reasoning_tokens": 5}, "cost": 0.25,
        }  # fmt: skip
        told = {"model": snapshot, "system_fingerprint": prints[count % len(prints)], "usage": usage}
        handler.send({**said("garden"), **told})

    return answer


def asked(folder, answer, **more):
    with serving(answer) as server:
        options = {"base_url": server.url, "price_in": 1.0, "price_out": 2.0, **more}
        return run_suite(
            open_suite("babi/task-1"), model="api/m", model_options=options, folder=folder, limit=6, cache=False
        )


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("served")
    return {
        "may": asked(folder / "may", billed("m-2026-05", "fp_1")),
        "june": asked(folder / "june", billed("m-2026-06", "fp_1")),
        "mixed": asked(folder / "mixed", billed("m-2026-05", "fp_1", "fp_2")),
        "mock": run_suite("babi/task-1", model="mock/oracle", folder=folder / "mock", limit=6),
    }


def test_a_record_keeps_the_servers_words(runs):
    record = runs["may"].records[0]
    assert (record.served, record.fingerprint) == ("m-2026-05", "fp_1")
    expected = {"prompt": 11, "output": 7, "cached": 4, "reasoning": 5, "billed": 18, "charged": 0.25}
    assert {key: value for key, value in record.tokens.items() if key != "cost"} == expected
    assert runs["may"].columns.column("cached_tokens").to_pylist() == [4.0] * 6
    assert runs["may"].usage()["charged"] == pytest.approx(1.5)
    assert run_results(runs["may"])["served"] == ["m-2026-05 (fp_1)"]
    assert runs["mock"].served() == [] and runs["mock"].usage() == {}


def test_equal_answers_of_other_snapshots_have_equal_chains(runs):
    seals = [latest_seal(runs[name].folder) for name in ("may", "june")]
    assert seals[0].chain == seals[1].chain


def test_gate_and_compare_warn(runs, capsys):
    within = gate_run(runs["mixed"], minimum=0.0).warnings
    assert len(within) == 1 and "m-2026-05 (fp_1), m-2026-05 (fp_2)" in within[0]
    between = gate_run(runs["june"], baseline=runs["may"], max_drop=0.5).warnings
    assert len(between) == 1 and "m-2026-05 (fp_1) there, m-2026-06 (fp_1) here" in between[0]
    assert gate_run(runs["may"], baseline=runs["may"], max_drop=0.5).warnings == ()
    assert gate_run(runs["may"], baseline=runs["mock"], max_drop=0.5).warnings == ()
    assert any(line.startswith("Warning: ") for line in contrast_runs(runs["may"], runs["june"]).sentences())
    assert main(["gate", str(runs["mixed"].folder), "--min", "0"]) == 0
    assert "warning: " in capsys.readouterr().out


def test_a_part_of_an_older_version_lacks_the_columns(runs, tmp_path):
    """Sealed before these columns were there: they read as nothing."""
    part = runs["may"].columns.parts[0]
    name = part.files.files["answers"][0]
    table = pq.read_table(part.folder / name).drop_columns(["served", "fingerprint", "cached_tokens", "server_cost"])
    for path in part.folder.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    pq.write_table(table, tmp_path / name)
    with pytest.raises(UserError, match="changed after it was written"):
        load_run(tmp_path).usage()
    digits = sha256((tmp_path / name).read_bytes()).hexdigest()
    seal = latest_seal(tmp_path)
    files = {**seal.parts[0].files, "answers": (name, digits)}
    parts = (msgspec.structs.replace(seal.parts[0], files=files),)
    seal = msgspec.structs.replace(seal, parts=parts).summed()
    (tmp_path / "manifest-000001.json").write_bytes(msgspec.json.encode(seal))
    older = load_run(tmp_path)
    assert older.served() == [] and "charged" not in older.usage() and older.usage()["prompt"] == 66
    assert older.records[0].served == "" and "cached" not in older.records[0].tokens
    assert older.columns.column("server_cost").type == pa.float64()
