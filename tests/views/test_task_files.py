"""Suites from a user's own file: offered, and run only after a person has said so."""

from __future__ import annotations

import pytest

TASKS = """
from pathlib import Path
from random import Random

from taskloom import task

Path({mark!r}).touch()


@task(definition="Add the two numbers.", right=[("1 1", 2, "One and one are two.")])
def total(rng: Random) -> tuple[str, int]:
    one, two = rng.randrange(90), rng.randrange(90)
    return f"{{one}} {{two}}", one + two
"""


@pytest.fixture
def desk(tmp_path, client_of):
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "sums.py").write_text(TASKS.format(mark=str(tmp_path / "ran")))
    (tmp_path / "plain.py").write_text("def answer(prompt):\n    return 'Answer: 3'\n")
    return client_of(tmp_path)


def test_a_task_file_is_offered_and_not_run(desk, tmp_path):
    page = desk.ask("/").text
    assert '<option value="own/sums.py">a task file below this folder' in page
    assert '<option value="file:plain.py">' in page and '<option value="file:own/sums.py">' not in page
    asked = {"model": {"kind": "named", "name": "mock/majority"}, "suite": "own/sums.py", "budget": 10}
    for refused in (desk.ask("/api/examples", {"suite": "own/sums.py"}), desk.post("/api/jobs", asked)):
        assert refused.status in (400, 404) and "runs its code" in refused.json["error"]
    assert desk.ask("/api/examples", {"suite": "plain.py", "code": "1"}).status == 404
    assert not (tmp_path / "ran").exists()


def test_a_file_that_cannot_be_read_offers_nothing(desk, tmp_path):
    (tmp_path / "gone.py").symlink_to(tmp_path / "nowhere.py")
    (tmp_path / "long.py").write_text("import taskloom\n@taskloom.task\n" + "#" * 2_000_000)
    page = desk.ask("/")
    assert page.status == 200 and "own/sums.py" in page.text
    assert not any(f'<option value="{name}.py">a task file' in page.text for name in ("gone", "long"))


def test_nothing_runs_where_everything_is_read_only(tmp_path, desk, client_of):
    refused = client_of(tmp_path, read_only=True).ask("/api/examples", {"suite": "own/sums.py", "code": "1"})
    assert refused.status == 404 and not (tmp_path / "ran").exists()


def test_a_task_file_that_may_run_is_drawn_from_and_asked(desk, tmp_path):
    shown = desk.ask("/api/examples", {"suite": "own/sums.py", "code": "1"})
    assert shown.status == 200, shown.text
    assert (tmp_path / "ran").exists() and shown.json["examples"][0]["answer"].isdecimal()
    asked = {"model": {"kind": "named", "name": "mock/oracle"}, "suite": "own/sums.py", "run_code": True}
    tested = desk.post("/api/test", asked)
    assert tested.status == 200 and tested.json["score"] == 1.0, tested.text
