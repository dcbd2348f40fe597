"""Checkpoints prove their bytes, and other people can read them."""

from __future__ import annotations

import os
import stat

import pytest

from taskloom.core import UserError
from taskloom.core.model import open_model

torch = pytest.importorskip("torch")

from taskloom.models.tensors import load_tensors, save_tensors  # noqa: E402
from taskloom.models.tiny.pretrain import (  # noqa: E402
    Pretraining,
    TrainingState,
    pretrain,
)

SMALL = Pretraining(steps=1, batch=2, length=16, texts=200, parts=("sentences",))


def flip(path, place):
    data = bytearray(path.read_bytes())
    data[place] ^= 4
    path.write_bytes(bytes(data))


def test_every_flipped_byte_of_a_checkpoint_is_found_or_changes_nothing(tmp_path):
    file = tmp_path / "c.safetensors"
    save_tensors(file, {"a": torch.arange(5.0), "b": torch.ones(2, 2)}, {"step": 3})
    whole, intact = file.read_bytes(), load_tensors(file)
    for place in range(len(whole)):
        flip(file, place)
        try:
            found = load_tensors(file)
        except UserError:
            pass
        else:
            assert found[1:] == intact[1:] and all(torch.equal(found[0][key], intact[0][key]) for key in intact[0])
        file.write_bytes(whole)


def test_pretraining_does_not_go_on_from_a_damaged_checkpoint(tmp_path, caplog):
    module = torch.nn.Linear(4, 3)
    optimiser = torch.optim.AdamW(module.parameters())
    TrainingState(tmp_path / "state", module, optimiser).write(7)
    (file,) = tmp_path.iterdir()
    assert TrainingState(tmp_path / "state", module, optimiser).restore() == 7
    flip(file, file.stat().st_size - 5)
    assert TrainingState(tmp_path / "state", module, optimiser).restore() == 0
    assert "left aside" in caplog.text


def test_a_pretrained_model_that_was_changed_is_refused(tmp_path):
    folder, _ = pretrain("gpt-1m", SMALL, 0, tmp_path / "model")
    assert open_model("tiny/gpt-1m", {"pretrained": str(folder)}).identity.weights
    for name in ("model.safetensors", "config.json", "tokenizer.json", "pretrain.json"):
        whole = (folder / name).read_bytes()
        flip(folder / name, len(whole) // 2)
        with pytest.raises(UserError):
            open_model("tiny/gpt-1m", {"pretrained": str(folder)})
        (folder / name).write_bytes(whole)


def test_weights_have_the_rights_of_other_files(tmp_path):
    before = os.umask(0o022)
    try:
        open_model("tiny/gpt-1m").save(tmp_path / "gpt-1m")
    finally:
        os.umask(before)
    found = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.rglob("*.*") if path.is_file()}
    assert "model.safetensors" in found and set(found.values()) == {0o644}, found
