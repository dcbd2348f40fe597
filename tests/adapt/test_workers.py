"""Two processes train what one process trains."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from taskloom.adapt import make_adaptation
from taskloom.adapt.checkpoint import load_tensors
from taskloom.adapt.curves import read_curve
from taskloom.adapt.workers import Workers

HERE = Path(__file__).resolve().parent
OPTIONS = {"batch": 6, "epochs": 3, "max_output": 4, "learning_rate": 0.01, "dropout": False}

CHILD = """
import sys, os
sys.path.insert(0, {here!r})
from conftest import make_model, make_pairs
from pathlib import Path
from taskloom.adapt import make_adaptation
from taskloom.encode.base import make_encoding
suite = make_pairs(train=12)
model = make_adaptation("finetune", {options!r}).adapt(
    make_model("t5", suite), suite, make_encoding("plain"), Path({folder!r}), seed=4
)
Path({folder!r}, "weights-" + os.environ["RANK"]).write_text(model.identity.weights)
"""


def test_one_process_shares_with_nobody():
    workers = Workers()
    assert (workers.count, workers.main, workers.share([1, 2, 3]), workers.add([1.0])) == (1, True, [1, 2, 3], [1.0])
    assert workers.merge(workers.collect([1, 2])) == [1, 2]


@pytest.mark.train
@pytest.mark.slow
def test_two_processes_equal_one(pairs, small_model, plain, tmp_path):
    torch = pytest.importorskip("torch")
    pytest.importorskip("accelerate")
    suite = pairs(train=12)
    make_adaptation("finetune", OPTIONS).adapt(small_model("t5", suite), suite, plain, tmp_path / "one", seed=4)
    script = tmp_path / "train.py"
    script.write_text(CHILD.format(here=str(HERE), options=OPTIONS, folder=str(tmp_path / "two")))
    # What `accelerate launch --multi_gpu` starts, on a machine without GPUs.
    command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc_per_node", "2", str(script)]
    paths = os.pathsep.join([str(HERE.parents[1] / "src"), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": paths, "OMP_NUM_THREADS": "1", "TASKLOOM_PROGRESS": "off"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=500, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    alone, both = (load_tensors(tmp_path / name / "final.safetensors")[0] for name in ("one", "two"))
    for name in alone:
        torch.testing.assert_close(alone[name], both[name], atol=2e-3, rtol=2e-2)
    curves = [read_curve(tmp_path / name / "curve.jsonl") for name in ("one", "two")]
    assert [point.scores for point in curves[0]] == [point.scores for point in curves[1]]
    weights = {(tmp_path / "two" / f"weights-{rank}").read_text() for rank in (0, 1)}
    assert len(weights) == 1
