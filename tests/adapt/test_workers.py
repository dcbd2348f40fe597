"""Several processes train what one process trains, started by the lines that the documentation gives."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from taskloom.adapt.curves import read_curve
from taskloom.adapt.workers import Workers
from taskloom.cli.main import main
from taskloom.core import UserError
from taskloom.models.tensors import load_tensors

ROOT = Path(__file__).resolve().parents[2]
SETTINGS = (
    "shots=24",
    "batch=6",
    "updates=12",
    "evaluate_updates=4",
    "evaluate_limit=10",
    "max_output=4",
    "dropout=false",
)
RUN = ["run", "taskbench/random-seed0[eng]", "--model", "tiny/t5-1m", "-M", "tokenizer=words", "--limit", "8"]
RUN += ["--adapt", "finetune", *(word for setting in SETTINGS for word in ("-A", setting)), "-o"]


def test_one_process_shares_with_nobody():
    workers = Workers()
    assert (workers.count, workers.main, workers.share([1, 2, 3]), workers.add([1.0])) == (1, True, [1, 2, 3], [1.0])
    assert workers.merge(workers.collect([1, 2])) == [1, 2]


@pytest.mark.parametrize("count", ["abc", "0", "-2"])
def test_a_number_of_processes_that_is_none_is_refused(count, monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", count)
    with pytest.raises(
        UserError, match=f"WORLD_SIZE: '{count}' is not a number of processes[\\s\\S]*accelerate launch"
    ):
        Workers()


@pytest.mark.train
def test_processes_without_an_address_are_refused_in_a_sentence(monkeypatch):
    pytest.importorskip("accelerate")
    monkeypatch.delenv("MASTER_ADDR", raising=False)
    for name, value in (("WORLD_SIZE", "2"), ("RANK", "1"), ("LOCAL_RANK", "1")):
        monkeypatch.setenv(name, value)
    with pytest.raises(UserError, match="cannot find each other"):
        Workers()


def documented(case: str) -> list[str]:
    """The launcher's part of a line of the table in docs/adaptation.md."""
    text = (ROOT / "docs" / "adaptation.md").read_text()
    found = re.search(rf"^\| {case} \| `(accelerate launch .*?) -m taskloom run", text, re.MULTILINE)
    assert found, case
    return found[1].split()[2:]


def start(launcher: list[str], folder: Path) -> subprocess.Popen[str]:
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    # A store of its own for each run: what one process trained must not pass for what several would.
    store = str(folder.parent / "adaptations")
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "TASKLOOM_ADAPTATIONS": store}
    command = [sys.executable, *launcher, "-m", "taskloom", *RUN, str(folder)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def launch(launchers: list[list[str]], folder: Path) -> list[str]:
    """Run one launcher per machine, all at once; what each printed."""
    processes = [start(launcher, folder) for launcher in launchers]
    try:
        printed = [process.communicate(timeout=400) for process in processes]
    finally:
        for process in processes:
            process.kill()
    assert [process.returncode for process in processes] == [0] * len(processes), [err[-3000:] for _, err in printed]
    return [out for out, _ in printed]


@pytest.fixture(scope="module")
def alone(tmp_path_factory) -> Path:
    """What one process trains: this one."""
    torch = pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("alone") / "run"
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TASKLOOM_ADAPTATIONS", str(folder.parent / "adaptations"))
        torch.set_num_threads(1)
        assert main([*RUN, str(folder)]) == 0
    return folder


def free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


@pytest.mark.train
@pytest.mark.proof  # launchers and their processes, each of which loads torch
@pytest.mark.parametrize(
    ("case", "machines", "processes"),
    [
        ("one adaptation on 4 GPUs", 1, 2),
        ("one adaptation on 2 machines of 4", 2, 2),
        ("one adaptation on 2 machines of 4", 2, 4),
        ("a model larger than one GPU", 1, 2),
    ],
)
def test_the_documented_lines_train_what_one_process_trains(case, machines, processes, alone, tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("accelerate")
    # Without GPUs the processes compute on the CPU; there are fewer of them, and both machines are this one.
    values = {"IP": "127.0.0.1", "29500": free_port()}
    line = [values.get(word, word) for word in documented(case)]
    line[line.index("--num_processes") + 1] = str(processes)
    lines = [[str(rank) if word == "R" else word for word in line] for rank in range(machines)]
    printed = launch([["-m", "accelerate.commands.launch", *line] for line in lines], tmp_path / "run")
    assert sum("metric:" in out for out in printed) == 1, "one process prints the table, the others are silent"
    tensors = [load_tensors(folder / "adaptation" / "weights.safetensors")[0] for folder in (alone, tmp_path / "run")]
    for name in tensors[0]:
        torch.testing.assert_close(tensors[0][name], tensors[1][name], atol=2e-3, rtol=2e-2)
    curves = [read_curve(folder / "adaptation" / "curve.jsonl") for folder in (alone, tmp_path / "run")]
    assert [point.scores for point in curves[0]] == [point.scores for point in curves[1]]
    losses = [[point.loss for point in curve[1:]] for curve in curves]
    assert losses[0] == pytest.approx(losses[1], rel=1e-4)
    assert losses[0] != losses[1], "the sums were added in another order, or it was one process after all"
