"""The files of a checkpoint folder: safetensors that transformers will find, or a sentence about what is wrong."""

from __future__ import annotations

from pathlib import Path

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import read_json

__all__ = ["weight_files"]

_UNSAFE = (".bin", ".pt", ".pth", ".pkl", ".ckpt", ".h5", ".msgpack")
_WEIGHTS = "model.safetensors"


class _Index(msgspec.Struct):
    """Which file holds which weight, where weights are spread over several."""

    weight_map: dict[str, str]


def weight_files(folder: Path) -> list[Path]:
    """The safetensors files of a folder that looks like a checkpoint.

    Raises:
        UserError: No config, no weights, pickled ones only, or a file of several missing.
    """
    if not (folder / "config.json").is_file():
        adapter = (folder / "adapter_config.json").is_file()
        message = (
            "contains an adapter, not a whole model"
            if adapter
            else "contains no config.json, so it is not a checkpoint"
        )
        raise UserError(message, where=str(folder))
    files = sorted(file for file in folder.glob("*.safetensors") if file.is_file())
    if files:
        _check_names(folder, {file.name for file in files})
        return files
    unsafe = sorted(file.name for file in folder.iterdir() if file.suffix in _UNSAFE)
    if unsafe:
        raise UserError(
            f"only {', '.join(unsafe)} found; pickled weights can run code and are not supported",
            where=str(folder),
            hint="save it again with model.save_pretrained(folder), which writes safetensors",
        )
    raise UserError("contains no *.safetensors, so there are no weights", where=str(folder))


def _check_names(folder: Path, there: set[str]) -> None:
    """Refuse weights that transformers would not find: of another name, or with a part missing."""
    index = folder / f"{_WEIGHTS}.index.json"
    if _WEIGHTS in there:
        return
    if not index.is_file():
        raise UserError(f"holds {', '.join(sorted(there))}, but no {_WEIGHTS}", where=str(folder))
    parts = set(read_json(index, type=_Index).weight_map.values())
    if missing := sorted(parts - there):
        raise UserError(f"lacks {', '.join(missing)}", where=str(folder), hint=f"{index.name} names it as a part")
