"""Several people judge from one queue: nothing is lost or judged twice, and what they say counts."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from taskloom import open_suite
from taskloom.core import UserError
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.views.judging import FILE, Judged, JudgeStore
from toy import FAMILY


@pytest.fixture
def desk(tmp_path, client_of):
    suite = FAMILY.open("all", 1, {"test": 60})
    launch(suite, tmp_path / "runs/constant", RunSettings(model="mock/constant", model_options={"answer": "3"}))
    prose = {"answer": "It may well be three, or perhaps it is something else?"}
    launch(suite, tmp_path / "runs/prose", RunSettings(model="mock/constant", model_options=prose, reader="lenient"))
    return client_of(tmp_path)


def queue(client, kind="compare", run="runs/constant", **more):
    answer = client.post("/api/judge/new", {"runs": [run], "kind": kind, **more})
    assert answer.status == 200, answer.text
    return answer.json["form"]


def judge(client, form, rater, most=1000):
    """Judge until nothing is left, as a page does; the items in order."""
    seen = []
    while len(seen) < most:
        found = client.ask("/api/judge/next", {"form": form, "rater": rater}).json
        item = found["item"]
        if item is None:
            break
        seen.append(item["id"])
        wanted = item["texts"][0]["text"].rpartition("write ")[2].rstrip(".")
        answers = {q["name"]: q["choices"][0] if q["choices"] else wanted for q in item["questions"]}
        kept = client.post("/api/judge", {"form": form, "rater": rater, "item": item["id"], "answers": answers})
        assert kept.status == 200, kept.text
    return seen


def test_a_fifth_has_two_judges_and_the_rest_one(desk):
    form = queue(desk)
    first, second = judge(desk, form, "ann"), judge(desk, form, "bob")
    items = len(desk.app.judging.form(form)[0].items)
    own = [item for item in first if not item.startswith("check-")]
    assert len(own) == len(set(own)) == items
    shared = [item for item in second if not item.startswith("check-")]
    assert 0 < len(shared) <= -(-items // 5) and set(shared) <= set(own)
    page = desk.ask("/judge/results", {"form": form}).text
    assert "Krippendorff" in page and "ann" in page and "Checks of attention" in page


def test_two_people_at_once_never_have_the_same_item(desk):
    form = queue(desk)
    store = desk.app.judging
    items = len(store.form(form)[0].items)
    held: dict[str, list[str]] = {"ann": [], "bob": []}

    def work(name):
        for _ in range(items):
            item = store.next_item(form, name)["item"]
            if item is None:
                return
            held[name].append(item.id)
            answers = {q.name: q.choices[0] if q.choices else "x" for q in item.questions}
            store.answer(Judged(form, name, item.id, answers))

    threads = [threading.Thread(target=work, args=(name,)) for name in held]
    [thread.start() for thread in threads]
    [thread.join(60) for thread in threads]
    twice = {one for one in held["ann"] if one in held["bob"] and not one.startswith("check-")}
    shared = {item.id for place, item in enumerate(store.form(form)[0].items) if place < 0.2 * items}
    assert twice <= shared
    assert {one.item for one in store.answers(form)} == {item.id for item in store.form(form)[0].items}
    assert store.proved()


def test_attention_is_counted(desk):
    form = queue(desk)
    store = desk.app.judging
    judge(desk, form, "ann")
    checks = store.attention(form).rows
    assert checks[0][0] == "ann" and checks[0][1] == checks[0][2] > 0


def test_nothing_can_be_changed_and_the_chain_tells(desk, tmp_path):
    form = queue(desk)
    judge(desk, form, "ann", 3)
    connection = sqlite3.connect(tmp_path / FILE)
    for statement in ("UPDATE answers SET answer = 'x'", "DELETE FROM answers"):
        with pytest.raises(sqlite3.DatabaseError, match="kept"):
            connection.execute(statement)
    connection.rollback()
    assert desk.app.judging.proved()
    connection.execute("DROP TRIGGER answers_stay")
    connection.execute("UPDATE answers SET answer = 'both alike' WHERE number = 1")
    connection.commit()
    assert not desk.app.judging.proved()


def test_what_is_said_later_counts_and_everything_is_exported(desk):
    form = queue(desk)
    item = desk.ask("/api/judge/next", {"form": form, "rater": "ann"}).json["item"]
    for choice in ("A is better", "B is better"):
        answers = {"better": choice}
        assert (
            desk.post("/api/judge", {"form": form, "rater": "ann", "item": item["id"], "answers": answers}).status
            == 200
        )
    assert [one.answer for one in desk.app.judging.answers(form)] == ["B is better"]
    lines = [json.loads(line) for line in desk.ask("/api/judge/export", {"form": form}).body.splitlines()]
    assert [line["answer"] for line in lines] == ["A is better", "B is better"] and len(
        {line["hash"] for line in lines}
    ) == 2


@pytest.mark.parametrize("change", [
    {"rater": " "}, {"rater": "x" * 61}, {"item": "nope"}, {"answers": {"better": "C"}}, {"answers": {"other": "x"}},
    {"answers": {}}, {"form": "nope"}, {"more": 1},
])  # fmt: skip
def test_what_was_not_offered_is_refused(desk, change):
    form = queue(desk)
    item = desk.ask("/api/judge/next", {"form": form, "rater": "ann"}).json["item"]
    given = {"form": form, "rater": "ann", "item": item["id"], "answers": {"better": "A is better"}}
    assert desk.post("/api/judge", {**given, **change}).status == 400
    assert not desk.app.judging.answers(form)


def test_people_who_answer_become_a_run(desk, tmp_path):
    launch(open_suite("babi/task-1"), tmp_path / "runs/story", RunSettings(model="mock/majority", limit=5))
    form = queue(desk, "answer", "runs/story", tasks=2, instances=3)
    judge(desk, form, "ann")
    assert desk.post("/api/judge/apply", {"form": form}).status == 200
    rows = {row["run"]: row for row in desk.ask("/api/runs").json["runs"]}
    assert rows[f"runs/people-{form}"]["model"].startswith("human/")


def test_people_read_what_no_reader_could(desk):
    form = queue(desk, "read", "runs/prose", tasks=1, instances=3)
    for rater in ("ann",):
        while (item := desk.ask("/api/judge/next", {"form": form, "rater": rater}).json["item"]) is not None:
            given = {"form": form, "rater": rater, "item": item["id"], "answers": {"answer": "three"}}
            assert desk.post("/api/judge", given).status == 200
    assert desk.post("/api/judge/apply", {"form": form}).status == 200
    assert "people: answers in " in desk.ask("/findings", {"run": "runs/prose"}).text


def test_a_reading_that_people_dispute_is_not_kept(desk):
    form = queue(desk, "read", "runs/prose", tasks=1, instances=5)
    first = desk.ask("/api/judge/next", {"form": form, "rater": "ann"}).json["item"]["id"]
    for rater, said in (("ann", "three"), ("ben", "four")):
        given = {"form": form, "rater": rater, "item": first, "answers": {"answer": said}}
        assert desk.post("/api/judge", given).status == 200
    said = desk.post("/api/judge/apply", {"form": form}).json["said"]
    assert said == "0 readings stand beside the run; 1 are disputed"
    assert "people: " not in desk.ask("/findings", {"run": "runs/prose"}).text


WRITER = """
import sys
from taskloom.views.judging import Judged, JudgeStore
from pathlib import Path
store = JudgeStore(Path(sys.argv[1]))
while (item := store.next_item(sys.argv[2], sys.argv[3])["item"]) is not None:
    answers = {q.name: q.choices[0] if q.choices else "x" for q in item.questions}
    store.answer(Judged(sys.argv[2], sys.argv[3], item.id, answers))
    print(item.id, flush=True)
"""


def test_a_server_that_is_killed_loses_nothing_it_has_acknowledged(desk, tmp_path):
    form = queue(desk)
    source = Path(__file__).resolve().parents[2] / "src"
    command = [sys.executable, "-c", WRITER, str(tmp_path / FILE), form, "ann"]
    acknowledged = []
    environment = {**os.environ, "PYTHONPATH": str(source)}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as process:
        for line in process.stdout:
            acknowledged.append(line.strip())
            if len(acknowledged) == 7:
                process.send_signal(signal.SIGKILL)
    kept = {one.item for one in desk.app.judging.answers(form)} | {
        one.item for one in desk.app.judging.answers(form, checks=True)
    }
    assert set(acknowledged) <= kept and desk.app.judging.proved()


def test_a_form_without_items_is_said(desk, tmp_path):
    answer = desk.post("/api/judge/new", {"runs": ["runs/constant"], "kind": "read"})
    assert answer.status == 400 and "nothing to judge" in answer.text
    assert desk.post("/api/judge/new", {"runs": [], "kind": "compare"}).status == 400
    with pytest.raises(UserError, match="form"):
        JudgeStore(tmp_path / "none.sqlite").form("x")
