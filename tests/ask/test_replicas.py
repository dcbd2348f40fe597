"""Copies of a model in other processes: the same records as one process gives, also when a copy is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from taskloom.ask import asking_elsewhere, open_replicas
from taskloom.core import UserError, open_suite
from taskloom.core.execute import EXTENSIONS, load_extensions
from taskloom.core.model import Generation
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.studies.frontier.run import probe_model
from taskloom.studies.frontier.search import SearchSettings


@pytest.fixture
def slow(tmp_path, monkeypatch) -> Path:
    """The provider `slow/` here and in every process that is started."""
    monkeypatch.setenv(EXTENSIONS, str(Path(__file__).with_name("slow_model.py")))
    load_extensions()
    return tmp_path


def contents(folder: Path) -> dict[str, bytes]:
    """Everything a run keeps but the plan and the list of files, which name the command and the folder."""
    own = ("run.json", ".taskloom-files.json")
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name not in own}


class Assassin(threading.Thread):
    """Kills the first process that wrote into the diary, once it has written a few lines."""

    def __init__(self, diary: Path, lines: int = 6) -> None:
        super().__init__(daemon=True)
        self._diary, self._lines = diary, lines
        self.killed = 0
        self.start()

    def run(self) -> None:
        while True:
            lines = self._diary.read_text().splitlines() if self._diary.exists() else []
            if len(lines) >= self._lines:
                self.killed = int(lines[0].split()[0])
                os.kill(self.killed, signal.SIGKILL)
                return
            time.sleep(0.01)


def settings(**options) -> RunSettings:
    return RunSettings(model="slow/one", model_options=options, cache=False, limit=40)


def check_killed(slow: Path, **where) -> None:
    suite, diary = open_suite("babi/task-1"), slow / "diary"
    launch(suite, slow / "one", settings())
    thread = Assassin(diary)
    with asking_elsewhere(**where):
        outcome = launch(suite, slow / "two", settings(diary=str(diary), seconds=0.02))
    thread.join()
    assert (outcome.scored, outcome.errored) == (40, 0)
    asked = [line.split() for line in diary.read_text().splitlines()]
    pids = {int(pid) for pid, _ in asked}
    assert thread.killed in pids and os.getpid() not in pids and len(pids) >= 2
    # At most the killed worker's two blocks of four were asked again.
    assert len({question for _, question in asked}) == 40 and len(asked) <= 48
    assert contents(slow / "one") == contents(slow / "two")


def test_processes_give_the_records_of_one_and_survive_a_kill(slow):
    check_killed(slow, replicas=2)


def test_a_probe_asks_the_same_whoever_answers(slow):
    suite, search = open_suite("babi/mix-t2"), SearchSettings(budget=60)
    one = probe_model(suite, slow / "one", RunSettings(model="slow/one"), search)
    with asking_elsewhere(replicas=2):
        two = probe_model(suite, slow / "two", RunSettings(model="slow/one"), search)
    assert one == two and one.asked > 20
    assert contents(slow / "one") == contents(slow / "two")


def test_a_request_that_kills_every_worker_fails_alone(slow):
    suite = open_suite("babi/task-1")
    rows = list(zip(range(12), suite.rows("test"), strict=False))
    word = rows[5][1].instance.input.splitlines()[0]
    broken = sum(word in row.instance.input for _, row in rows[:12])
    with asking_elsewhere(replicas=1):
        outcome = launch(suite, slow / "run", RunSettings(
            model="slow/one", model_options={"broken": word}, cache=False, limit=12, batch_size=1
        ))  # fmt: skip
    assert broken and (outcome.errored, outcome.scored) == (broken, 12 - broken)


def test_what_cannot_be_opened_or_trained_is_refused(slow):
    with pytest.raises(UserError, match="unknown"):
        open_replicas("slow/one", {"speed": 3}, replicas=1)
    model = open_replicas("mock/majority", replicas=1)
    try:
        assert model.identity.name == "mock/majority"
        with pytest.raises(UserError, match="adapted in one process"):
            model.form_for("train")
        assert model.generate([], Generation()) == []
    finally:
        model.close()


ORPHAN = """
import sys, time
from taskloom.ask import open_replicas
if __name__ == "__main__":
    model = open_replicas("slow/one", {"diary": sys.argv[1], "seconds": 0.05}, replicas=1)
    from taskloom import open_suite
    from taskloom.run.runner import launch
    from taskloom.run.session import RunSettings
    launch(open_suite("babi/task-1"), sys.argv[2], RunSettings(model="slow/one", cache=False), model=model)
"""


def test_workers_end_with_the_process_that_asks(slow):
    script, diary = slow / "orphan.py", slow / "diary"
    script.write_text(ORPHAN)
    driver = subprocess.Popen([sys.executable, str(script), str(diary), str(slow / "run")])
    while not diary.exists() or not diary.read_text().endswith("\n"):
        time.sleep(0.02)
        assert driver.poll() is None
    worker = int(diary.read_text().split()[0])
    driver.kill()
    driver.wait()
    deadline = time.monotonic() + 60
    while Path(f"/proc/{worker}").exists() and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not Path(f"/proc/{worker}").exists()


@pytest.mark.slow
def test_a_cluster_gives_the_records_of_one_process_and_survives_a_kill(slow, monkeypatch):
    pytest.importorskip("ray")
    if " " in sys.prefix:
        pytest.skip("Ray cannot start workers from a path that contains spaces")
    monkeypatch.delenv("RAY_ADDRESS", raising=False)
    monkeypatch.setenv("RAY_worker_niceness", "0")
    check_killed(slow, engine="ray", replicas=2)
