"""A model spread over two processes on the CPU trains what one process trains, killed half way or not."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from adapt.sharded import train
from taskloom.adapt import make_adaptation
from taskloom.adapt.curves import read_curve
from taskloom.core import UserError
from taskloom.models.tensors import load_tensors

pytestmark = pytest.mark.train

torch = pytest.importorskip("torch")


def _free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def _together(*arguments: object, count: int = 2) -> list[int]:
    """Run processes that know of each other, as a launcher with --use_fsdp starts them."""
    port, processes = _free_port(), []
    command = [sys.executable, str(Path(__file__).with_name("sharded.py")), *map(str, arguments)]
    shared = {"PYTHONPATH": os.pathsep.join(sys.path), "TASKLOOM_PROGRESS": "off", "OMP_NUM_THREADS": "1"}
    for rank in range(count):
        known = {
            "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": port, "WORLD_SIZE": str(count), "RANK": str(rank),
            "LOCAL_RANK": str(rank), "ACCELERATE_USE_FSDP": "true",
        }  # fmt: skip
        processes.append(subprocess.Popen(command, env={**os.environ, **shared, **known}))
    try:
        return [process.wait(240) for process in processes]
    finally:
        for process in processes:
            process.kill()


@pytest.mark.proof  # five processes that load torch
@pytest.mark.parametrize("kind", ["t5", "gpt"])
def test_two_processes_with_half_a_model_each_train_what_one_trains(kind, tmp_path):
    pytest.importorskip("accelerate")
    train(kind, tmp_path / "one", checkpoint_minutes=0.0)  # this process is the one that knows of no other
    assert _together(kind, tmp_path / "two", 4) == [3, 3]
    assert (tmp_path / "two" / "checkpoint.safetensors").is_file()
    assert _together(kind, tmp_path / "two") == [0, 0]
    (one, *_), (two, *_) = (load_tensors(tmp_path / name / "weights.safetensors") for name in ("one", "two"))
    assert one.keys() == two.keys()
    for name in one:
        torch.testing.assert_close(two[name], one[name], atol=1e-7, rtol=1e-6)
    curves = [read_curve(tmp_path / name / "curve.jsonl") for name in ("one", "two")]
    assert [point.scores for point in curves[0]] == [point.scores for point in curves[1]]
    losses = [[point.loss for point in curve[1:]] for curve in curves]
    assert losses[0] == pytest.approx(losses[1], rel=1e-6)


def test_only_fine_tuning_is_sharded(pairs, small_model, plain, tmp_path, monkeypatch):
    from taskloom.adapt.workers import Workers

    monkeypatch.setattr(Workers, "__init__", lambda self: self.__dict__.update(count=2, rank=0, sharded=True))
    suite = pairs()
    with pytest.raises(UserError, match="sharding .* is for fine-tuning"):
        make_adaptation("lora").adapt(small_model("t5", suite), suite, plain, tmp_path, seed=0)
