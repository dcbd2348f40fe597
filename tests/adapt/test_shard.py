"""A model spread over two processes on the CPU trains what one process trains, killed half way or not."""

from __future__ import annotations

import os
import socket
from multiprocessing import get_context

import pytest

from taskloom.adapt import make_adaptation
from taskloom.adapt.checkpoint import load_tensors
from taskloom.adapt.curves import read_curve
from taskloom.core import UserError

pytestmark = pytest.mark.train

torch = pytest.importorskip("torch")
OPTIONS = {
    "batch": 5,
    "updates": 6,
    "evaluate_updates": 3,
    "max_output": 4,
    "clip": 0.5,
    "dropout": False,
    "keep": "last",
    "learning_rate": 0.01,
}


def _free_port() -> str:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return str(probe.getsockname()[1])


def _together(work, folder, count=2):
    """Run work in processes that know of each other, as a launcher with --use_fsdp starts them."""
    port = _free_port()

    def child(rank):
        # The threads that earlier tests started do not survive the fork; work on them would never end.
        torch.set_num_threads(1)
        os.environ.update(
            MASTER_ADDR="127.0.0.1", MASTER_PORT=port, WORLD_SIZE=str(count), RANK=str(rank), LOCAL_RANK=str(rank),
            ACCELERATE_USE_FSDP="true", TASKLOOM_PROGRESS="off",
        )  # fmt: skip
        work()

    processes = [get_context("fork").Process(target=child, args=(rank,)) for rank in range(count)]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        process.kill()
    return [process.exitcode for process in processes]


@pytest.mark.parametrize("kind", ["t5", "gpt"])
def test_two_processes_with_half_a_model_each_train_what_one_trains(kind, pairs, small_model, plain, tmp_path):
    pytest.importorskip("accelerate")
    suite = pairs(train=13)  # batches of 5, 5 and 3: one process has a row more than the other

    def adapt(folder, **more):
        model = small_model(kind, suite)
        model.module.double()
        return make_adaptation("finetune", {**OPTIONS, **more}).adapt(model, suite, plain, folder, seed=2)

    def interrupted():
        from taskloom.adapt.loop import Loop

        def step(self, really=Loop._step):
            assert all(p.to_local().numel() < p.numel() for p in self.change.parameters().values() if p.numel() > 32)
            if self._update == 4:
                os._exit(3)
            really(self)

        Loop._step = step
        adapt(tmp_path / "two", checkpoint_minutes=0.0)

    adapt(tmp_path / "one")
    assert _together(interrupted, tmp_path) == [3, 3]
    assert (tmp_path / "two" / "checkpoint.safetensors").is_file()
    assert _together(lambda: adapt(tmp_path / "two", checkpoint_minutes=0.0), tmp_path) == [0, 0]
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
