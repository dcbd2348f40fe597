"""A killed adaptation goes on where it was, to the same end; what is broken says so."""

from __future__ import annotations

import os
import time
from multiprocessing import get_context

import pytest

from taskloom.adapt import AdaptationError, make_adaptation
from taskloom.adapt.curves import read_curve
from taskloom.adapt.lane import read_result
from taskloom.adapt.train import lane_directory
from taskloom.core import UserError
from taskloom.models.tensors import load_tensors
from taskloom.store.atomic import half_name

pytestmark = pytest.mark.train

torch = pytest.importorskip("torch")
OPTIONS = {
    "batch": 4,
    "epochs": 12,
    "evaluate_epochs": 1,
    "max_output": 4,
    "learning_rate": 0.01,
    "warmup": 5,
    "schedule": "linear",
}


def start(adapt, kind, options, folder, tasks=1):
    """An adaptation in a process of its own; a fork, because importing torch again costs more than the test."""

    def child():
        os.environ["TASKLOOM_PROGRESS"] = "off"
        adapt(make_adaptation(kind, options), folder, tasks)

    process = get_context("fork").Process(target=child)
    process.start()
    return process


def kill_after(process, curve, points):
    """Kill the process as soon as its curve has so many points."""
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.is_alive():
        if curve.exists() and curve.read_bytes().count(b"\n") >= points:
            process.kill()
            process.join()
            return
        time.sleep(0.002)
    process.kill()
    process.join()
    raise AssertionError(f"the process ended with {process.exitcode} before it could be killed")


@pytest.fixture
def adapt(pairs, small_model, plain):
    """Runs an adaptation of the same small model to the same small suite."""

    def run(adaptation, folder, tasks=1):
        suite = pairs(tasks=tasks, train=12)
        return adaptation.adapt(small_model("t5", suite), suite, plain, folder, seed=9)

    return run


def keys(folder):
    return [point.key() for point in read_curve(folder / "curve.jsonl")]


@pytest.mark.parametrize(("kind", "more"), [("finetune", {"dropout": True}), ("prompt-tune", {"optimiser": "sgd"})])
def test_a_killed_adaptation_continues_to_the_same_curve(kind, more, adapt, tmp_path):
    options = {**OPTIONS, **more, "checkpoint_minutes": 0.0}
    adaptation = make_adaptation(kind, options)
    adapt(adaptation, tmp_path / "whole")
    kill_after(start(adapt, kind, options, tmp_path / "killed"), tmp_path / "killed" / "curve.jsonl", 4)
    left = len(read_curve(tmp_path / "killed" / "curve.jsonl"))
    assert 4 <= left < 13
    assert read_result(tmp_path / "killed") is None
    adapt(adaptation, tmp_path / "killed")
    assert keys(tmp_path / "killed") == keys(tmp_path / "whole")
    one, two = (load_tensors(tmp_path / folder / "weights.safetensors") for folder in ("whole", "killed"))
    assert one[2] == two[2]
    assert not (tmp_path / "killed" / "checkpoint.safetensors").exists()
    walls = [point.wall for point in read_curve(tmp_path / "killed" / "curve.jsonl")]
    assert walls == sorted(walls)


def test_many_lanes_continue_too(adapt, pairs, tmp_path):
    options = {**OPTIONS, "per_task": True, "tokens": 3, "learning_rate": 0.1, "checkpoint_minutes": 0.0}
    adaptation = make_adaptation("prompt-tune", options)
    adapt(adaptation, tmp_path / "whole", tasks=3)
    last = lane_directory(tmp_path / "killed", "pairs-2") / "curve.jsonl"
    kill_after(start(adapt, "prompt-tune", options, tmp_path / "killed", tasks=3), last, 3)
    adapt(adaptation, tmp_path / "killed", tasks=3)
    for task in pairs(tasks=3).tasks:
        folders = [lane_directory(tmp_path / name, task) for name in ("whole", "killed")]
        assert keys(folders[0]) == keys(folders[1])


def test_a_checkpoint_between_evaluations_changes_nothing(pairs, small_model, plain, tmp_path):
    suite = pairs(train=12)
    often = make_adaptation("finetune", {**OPTIONS, "checkpoint_minutes": 0.0})
    seldom = make_adaptation("finetune", OPTIONS)
    often.adapt(small_model("t5", suite), suite, plain, tmp_path / "often", seed=9)
    seldom.adapt(small_model("t5", suite), suite, plain, tmp_path / "seldom", seed=9)
    assert keys(tmp_path / "often") == keys(tmp_path / "seldom")


@pytest.mark.parametrize("update", [3, pytest.param(36, marks=pytest.mark.proof)])
def test_killed_between_an_evaluation_and_its_checkpoint(update, pairs, small_model, plain, tmp_path, monkeypatch):
    from taskloom.adapt.lane import Lane

    suite = pairs(tasks=2, train=12)
    often = make_adaptation("lora", {**OPTIONS, "per_task": True, "checkpoint_minutes": 0.0})
    record = Lane.record

    def die(self, point, tensors):
        record(self, point, tensors)
        if point.update == update:
            raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Lane, "record", die)
        with pytest.raises(KeyboardInterrupt):
            often.adapt(small_model("t5", suite), suite, plain, tmp_path / "broken", seed=9)
    for name in ("broken", "whole"):
        often.adapt(small_model("t5", suite), suite, plain, tmp_path / name, seed=9)
    for task in suite.tasks:
        broken, whole = (lane_directory(tmp_path / name, task) for name in ("broken", "whole"))
        assert keys(broken) == keys(whole)


def test_another_seed_gives_another_curve(pairs, small_model, plain, tmp_path):
    suite = pairs(train=12)
    for seed in (0, 1):
        make_adaptation("finetune", OPTIONS).adapt(
            small_model("t5", suite), suite, plain, tmp_path / str(seed), seed=seed
        )
    assert keys(tmp_path / "0") != keys(tmp_path / "1")


def broken_off(suite, model, plain, folder, monkeypatch):
    """An adaptation that ended in the middle, with a checkpoint."""
    from taskloom.adapt.loop import Loop

    step = Loop.step

    def stop(self):
        if self.updates == 7:
            raise KeyboardInterrupt
        step(self)

    with monkeypatch.context() as patch:
        patch.setattr(Loop, "step", stop)
        with pytest.raises(KeyboardInterrupt):
            make_adaptation("finetune", {**OPTIONS, "checkpoint_minutes": 0.0}).adapt(
                model, suite, plain, folder, seed=9
            )


@pytest.mark.parametrize("damage", ["cut", "flipped", "foreign", "facts", "header"])
def test_a_corrupt_checkpoint_is_an_error_that_says_what_to_do(
    damage, pairs, small_model, plain, tmp_path, monkeypatch
):
    suite = pairs(train=12)
    broken_off(suite, small_model("t5", suite), plain, tmp_path, monkeypatch)
    path = tmp_path / "checkpoint.safetensors"
    data = bytearray(path.read_bytes())
    if damage == "cut":
        path.write_bytes(data[: len(data) // 2])
    elif damage == "flipped":
        data[-100] ^= 1
        path.write_bytes(data)
    elif damage == "facts":  # the update to continue at, in the header beside the tensors
        path.write_bytes(data.replace(b":7,", b":3,", 1))
    elif damage == "header":
        path.write_bytes(data.replace(b"facts_hash", b"facts_hush", 1))
    else:
        from safetensors.torch import save_file

        save_file({"x": torch.zeros(2)}, path)
    with pytest.raises(AdaptationError, match=r"remove .* to start this adaptation again") as caught:
        make_adaptation("finetune", OPTIONS).adapt(small_model("t5", suite), suite, plain, tmp_path, seed=9)
    assert "checkpoint.safetensors" in str(caught.value)


def test_a_curve_that_lost_points_is_told(pairs, small_model, plain, tmp_path, monkeypatch):
    suite = pairs(train=12)
    broken_off(suite, small_model("t5", suite), plain, tmp_path, monkeypatch)
    path = tmp_path / "curve.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    with pytest.raises(AdaptationError, match="2 points but the checkpoint expects 3"):
        make_adaptation("finetune", OPTIONS).adapt(small_model("t5", suite), suite, plain, tmp_path, seed=9)


def test_a_lost_best_checkpoint_is_told_and_not_replaced_by_another(pairs, small_model, plain, tmp_path):
    suite = pairs(train=12)
    short = make_adaptation("finetune", {**OPTIONS, "epochs": 1})
    short.adapt(small_model("t5", suite), suite, plain, tmp_path, seed=9)
    (tmp_path / "weights.safetensors").unlink()
    with pytest.raises(AdaptationError, match=r"weights\.safetensors: the checkpoint is missing"):
        short.adapt(small_model("t5", suite), suite, plain, tmp_path, seed=9)


def test_two_processes_do_not_adapt_into_one_folder(adapt, tmp_path):
    folder = tmp_path / "shared"
    process = start(adapt, "finetune", {**OPTIONS, "epochs": 4000}, folder)
    try:
        deadline = time.monotonic() + 60
        while not (folder / "curve.jsonl").exists() and time.monotonic() < deadline:
            time.sleep(0.01)
        with pytest.raises(UserError, match="another process is writing here"):
            adapt(make_adaptation("finetune", {**OPTIONS, "epochs": 4000}), folder)
    finally:
        process.kill()
        process.join()
    half = folder / half_name("checkpoint.safetensors")  # as a process leaves it that is killed while it writes
    half.write_bytes(b"half")
    with pytest.raises(UserError, match="contains another adaptation"):
        adapt(make_adaptation("finetune", OPTIONS), folder)
    assert not half.exists()


def test_a_folder_of_another_adaptation_is_refused(pairs, small_model, plain, tmp_path, monkeypatch):
    suite = pairs(train=12)
    broken_off(suite, small_model("t5", suite), plain, tmp_path, monkeypatch)
    other = make_adaptation("finetune", {**OPTIONS, "batch": 5})
    with pytest.raises(UserError, match=r"differs in adaptation\.batch"):
        other.adapt(small_model("t5", suite), suite, plain, tmp_path, seed=9)
    with pytest.raises(UserError, match=r"differs in seed"):
        make_adaptation("finetune", OPTIONS).adapt(small_model("t5", suite), suite, plain, tmp_path, seed=8)
    with pytest.raises(UserError, match=r"differs in model\.weights"):
        make_adaptation("finetune", OPTIONS).adapt(small_model("t5", suite, seed=1), suite, plain, tmp_path, seed=9)


def test_a_loss_that_is_not_a_number_stops_and_keeps_what_was_learned(pairs, small_model, plain, tmp_path):
    suite = pairs(train=12)
    wild = make_adaptation("finetune", {**OPTIONS, "optimiser": "sgd", "learning_rate": 1e30, "warmup": 0})
    with pytest.raises(AdaptationError, match=r"the (loss|gradient) became (nan|inf)[\s\S]*smaller -A learning_rate"):
        wild.adapt(small_model("t5", suite), suite, plain, tmp_path, seed=9)
    assert read_result(tmp_path).state == "diverged"
    assert (tmp_path / "weights.safetensors").exists()
    assert not (tmp_path / "model.json").exists()


def test_out_of_memory_backs_off_to_the_same_result(pairs, small_model, plain, tmp_path, monkeypatch):
    from taskloom.adapt.readers import TextReader

    suite = pairs(train=12)
    options = {**OPTIONS, "epochs": 3, "dropout": False, "batch": 6}
    roomy = make_adaptation("finetune", options)
    roomy.adapt(small_model("t5", suite), suite, plain, tmp_path / "roomy", seed=9)
    plainly = TextReader.losses
    sizes = []

    def cramped(self, batch, prefixes):
        sizes.append(len(batch))
        if len(batch) > 2:
            raise torch.cuda.OutOfMemoryError("out of memory")
        return plainly(self, batch, prefixes)

    monkeypatch.setattr(TextReader, "losses", cramped)
    roomy.adapt(small_model("t5", suite), suite, plain, tmp_path / "cramped", seed=9)
    assert sizes[:2] == [6, 3]
    assert max(sizes[2:]) == 1
    full, pieces = (load_tensors(tmp_path / name / "weights.safetensors")[0] for name in ("roomy", "cramped"))
    for name in full:
        torch.testing.assert_close(full[name], pieces[name], atol=2e-3, rtol=2e-2)

    def hopeless(self, batch, prefixes):
        raise RuntimeError("DefaultCPUAllocator: can't allocate memory: you tried to allocate 1 bytes")

    monkeypatch.setattr(TextReader, "losses", hopeless)
    with pytest.raises(AdaptationError, match="one example alone does not fit"):
        roomy.adapt(small_model("t5", suite), suite, plain, tmp_path / "hopeless", seed=9)


def _extra(tensors):
    tensors["change/foreign"] = torch.zeros(2)


def _lacking(tensors):
    tensors.pop(next(name for name in tensors if name.startswith("change/")))


def _reshaped(tensors):
    name = next(name for name in tensors if name.startswith("change/"))
    tensors[name] = torch.zeros(3, 3)


def _other_optimiser(tensors):
    tensors["optimiser/999/exp_avg"] = torch.zeros(2)


def _misshapen_optimiser(tensors):
    name = next(name for name in tensors if name.endswith("/exp_avg"))
    tensors[name] = torch.zeros([size + 1 for size in tensors[name].shape])


@pytest.mark.parametrize("foreign", [_extra, _lacking, _reshaped, _other_optimiser, _misshapen_optimiser])
def test_a_whole_checkpoint_with_foreign_tensors_is_reported(foreign, adapt, tmp_path, monkeypatch):
    """Its hash is right, so nothing is damaged; what it holds belongs to another adaptation."""
    from taskloom.adapt.loop import Loop
    from taskloom.models.tensors import save_tensors

    adaptation = make_adaptation("finetune", {**OPTIONS, "checkpoint_minutes": 0.0})

    def stop(self, really=Loop.step):
        if self.updates == 4:
            raise KeyboardInterrupt
        really(self)

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(Loop, "step", stop)
        adapt(adaptation, tmp_path)
    path = tmp_path / "checkpoint.safetensors"
    tensors, facts, _ = load_tensors(path)
    foreign(tensors)
    save_tensors(path, tensors, facts)
    with pytest.raises(AdaptationError, match="another adaptation") as caught:
        adapt(adaptation, tmp_path)
    assert f"remove {tmp_path}" in str(caught.value)
