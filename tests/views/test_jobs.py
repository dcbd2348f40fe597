"""Starting, watching, stopping and continuing a probe; and where the key is not."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

import pytest

from pronouns import answer
from servers import said, serving
from taskloom.studies.frontier.claims import load_frontier

SECRET = "sk-planted-4711-0815-do-not-keep"
ASK = {"model": {"kind": "file", "name": "planted.py"}, "suite": "babi/mix-t2", "budget": 200}


@pytest.fixture
def desk(tmp_path, client_of):
    shutil.copy(Path(__file__).parents[1] / "pronouns.py", tmp_path / "planted.py")
    client = client_of(tmp_path)
    yield client
    client.app.jobs.close()


def wait(client, *states, seconds=120):
    end = time.monotonic() + seconds
    while client.app.jobs.list()[0].state not in states and time.monotonic() < end:
        time.sleep(0.1)
    return client.app.jobs.list()[0]


def test_a_probe_from_the_first_click_to_the_pair(desk, tmp_path):
    tested = desk.post("/api/test", ASK)
    assert tested.status == 200 and tested.json["raw"].startswith("Answer:") and "Where is" in tested.json["prompt"]
    job = desk.post("/api/jobs", ASK).json
    assert job["run"] == "probes/planted-mix-t2"
    assert wait(desk, "finished", "failed").state == "finished", desk.app.jobs.list()[0].problem
    found = load_frontier(tmp_path / job["run"])
    assert any("coref" in claim.cell and claim.proved for claim in found.claims)
    page = desk.ask("/").text
    assert "where-person: masters move" in page and "The same item without and with it" in page
    assert desk.ask("/findings", {"run": job["run"]}).status == 200
    assert "taskloom probe babi/mix-t2" in (tmp_path / job["run"] / "run.json").read_text()


def test_settings_of_a_suite_are_heeded(desk):
    asked = {**ASK, "suite": "seti/task1-trivial", "recipe": {"lexical": 40, "few": 0}}
    shown = desk.ask("/api/examples", {"suite": asked["suite"], "recipe": '{"lexical": 40}'})
    assert shown.status == 200 and shown.json["recipe"]["lexical"] == 40
    assert desk.post("/api/test", asked).status == 200


def test_a_key_is_in_no_file_page_or_answer(client_of, tmp_path):
    def reply(handler, body, count):
        handler.send(said(answer("[user]\n" + body["messages"][-1]["content"])))

    with serving(reply) as server:
        client = client_of(tmp_path)
        asked = {
            "model": {"kind": "address", "name": "planted", "url": server.url},
            "suite": "babi/mix-t2",
            "key": SECRET,
        }
        tested = client.post("/api/test", asked)
        assert tested.status == 200, tested.text
        job = client.post("/api/jobs", {**asked, "budget": 30})
        assert wait(client, "finished", "failed").state == "finished"
        assert any(SECRET in (authorization or "") for _, _, authorization in server.seen)
    said_by_pages = [client.ask(path, {"run": "probes/planted-mix-t2"}).body for path in ("/", "/runs", "/findings")]
    everything = [*said_by_pages, tested.body, job.body, *(p.read_bytes() for p in tmp_path.rglob("*") if p.is_file())]
    assert not any(SECRET.encode() in data for data in everything)


def test_a_stopped_probe_goes_on_where_it_was(desk, tmp_path, client_of):
    hold = tmp_path / "hold"
    hold.touch()
    waits = f"    import pathlib, time\n    time.sleep(0.5 if pathlib.Path({str(hold)!r}).exists() else 0)\n    lines ="
    model = tmp_path / "planted.py"
    model.write_text(model.read_text().replace("    lines =", waits, 1))
    run = desk.post("/api/jobs", {**ASK, "budget": 120}).json["run"]
    end = time.monotonic() + 90
    while desk.app.jobs.list()[0].state == "running" and not desk.app.jobs.list()[0].asked and time.monotonic() < end:
        time.sleep(0.05)
    stopped = desk.post("/api/jobs/stop", {"run": run})
    assert stopped.status == 200, desk.app.jobs.list()[0]
    assert wait(desk, "stopped", "failed").state == "stopped"
    logged = sum(path.read_bytes().count(b"\n") for path in (tmp_path / run / "log").glob("*.jsonl"))
    assert logged > 0 and not (tmp_path / run / "frontier.json").exists()
    assert desk.post("/api/jobs/stop", {"run": run}).status == 400
    # Another server, or this one after it was started again, offers to go on.
    assert f'data-continue="{run}"' in client_of(tmp_path).ask("/").text
    hold.unlink()
    assert desk.post("/api/jobs/continue", {"run": run}).status == 200
    assert wait(desk, "finished", "failed").state == "finished"
    assert load_frontier(tmp_path / run).asked >= logged


def test_work_ends_with_its_server(tmp_path):
    from taskloom.views.jobs import Worker
    from taskloom.views.offers import ChosenModel, ProbeRequest
    from taskloom.views.worker import Work

    slow = "import time\ndef answer(prompt):\n    time.sleep(0.2)\n    return 'Answer: garden'\n"
    (tmp_path / "slow.py").write_text(slow)
    asked = ProbeRequest(ChosenModel("file", "slow.py"), "babi/mix-t2", budget=5000)
    process = Worker(Work("probe", asked, (str(tmp_path),), folder=str(tmp_path / "probe")))
    end = time.monotonic() + 90
    while not list((tmp_path / "probe").glob("log/*.jsonl")) and time.monotonic() < end:
        time.sleep(0.1)
    process.stdin.close()  # as when the server is killed
    try:
        assert process.wait(60) == 130
    except subprocess.TimeoutExpired:
        process.kill()
        raise


@pytest.mark.parametrize(("change", "said"), [
    ({"suite": "../planted.py"}, "suite"), ({"suite": "/etc"}, "suite"), ({"suite": "planted.py"}, "suite"),
    ({"model": {"kind": "file", "name": "../../etc/passwd"}}, "no such model"),
    ({"model": {"kind": "file", "name": "/etc/passwd"}}, "no such model"),
    ({"model": {"kind": "named", "name": "hf/../x"}}, "packaged"),
    ({"model": {"kind": "address", "name": "m", "url": "file:///etc/passwd"}}, "http"),
    ({"model": {"kind": "address", "name": "", "url": "http://127.0.0.1:9"}}, "name"),
    ({"budget": 0}, "questions"), ({"more": 1}, "more"), ({"model": "x"}, "object"),
])  # fmt: skip
def test_what_must_not_be_asked_is_refused(desk, tmp_path, change, said):
    answer = desk.post("/api/jobs", {**ASK, **change})
    assert answer.status == 400 and said in answer.text
    assert not (tmp_path / "probes").exists()


def test_examples_of_a_suite_come_with_its_settings(client):
    found = client.ask("/api/examples", {"suite": "babi/mix-t2"}).json
    assert found["cells"] == 10 and len(found["examples"]) == 2 and found["characters"] > 50
    other = client.ask("/api/examples", {"suite": "babi/mix-t2", "seed": "7"}).json
    assert other["examples"] != found["examples"]
    assert client.ask("/api/examples", {"suite": "tests/views/planted.py"}).status == 404
