"""Folders with an adapter of peft's (LoRA, soft prompt) beside its model, as `taskloom export model` writes them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
from torch import nn
from torch.nn import functional

from taskloom.core import UserError, missing_extra
from taskloom.core.decode import decode_json, decoding, read_bytes
from taskloom.models.load import HFOptions, LoadedModel, load
from taskloom.models.runtime import file_hash


class PromptedEmbedding(nn.Module):  # type: ignore[misc]
    """An input embedding with a second table for ids beyond its own."""

    def __init__(self, inner: Any, table: Any) -> None:
        super().__init__()
        self.inner = inner
        self.table = nn.Parameter(table)
        self.size = int(inner.num_embeddings)

    @property
    def weight(self) -> Any:
        """The vocabulary's own rows (a model may tie its output layer to them)."""
        return self.inner.weight

    @property
    def num_embeddings(self) -> int:
        return self.size

    def forward(self, ids: Any) -> Any:
        virtual = ids >= self.size
        if not virtual.any():
            return self.inner(ids)
        vectors = self.inner(ids.masked_fill(virtual, 0))
        # By their places rather than by the mask: its gradient costs a third.
        places = virtual.flatten().nonzero().squeeze(1)
        own = functional.embedding(ids.flatten()[places] - self.size, self.table.flatten(0, 1))
        return vectors.flatten(0, -2).index_copy(0, places, own.to(vectors.dtype)).view(vectors.shape)


def embedding_owner(module: Any) -> Any:
    """The part of a model that reads prompts: the encoder where there is one."""
    return module.get_encoder() if getattr(module.config, "is_encoder_decoder", False) else module


_CONFIG, _WEIGHTS = "adapter_config.json", "adapter_model.safetensors"


class _AdapterConfig(msgspec.Struct):
    """What has to be known of an adapter before it is opened."""

    peft_type: str
    base_model_name_or_path: str | None = None
    num_virtual_tokens: int | None = None


def is_adapter(folder: Path) -> bool:
    """Whether a folder holds an adapter and no whole model."""
    return (folder / _CONFIG).is_file() and not (folder / "config.json").is_file()


def load_adapter(name: str, folder: Path, options: HFOptions) -> LoadedModel:
    """The model of an adapter with the adapter in it.

    Raises:
        UserError: The adapter is of another kind, damaged, or lacks its model.
    """
    data = read_bytes(folder / _CONFIG)
    config = decode_json(data, where=folder / _CONFIG, type=_AdapterConfig, what="the description of the adapter")
    if not (folder / _WEIGHTS).is_file():
        raise UserError(f"contains an adapter without {_WEIGHTS}", where=str(folder))
    base = folder / (config.base_model_name_or_path or "")
    if not config.base_model_name_or_path or not base.is_dir():
        raise UserError(
            "contains an adapter but not its base model",
            where=str(folder),
            hint=f"put the model into {folder / 'base'} and set base_model_name_or_path to it in {_CONFIG}",
        )
    loaded = load(str(base), options)
    if config.peft_type == "LORA":
        _merge(loaded, folder)
    elif config.peft_type == "PROMPT_TUNING":
        _prompt(loaded, folder)
    else:
        raise UserError(f"adapters of the kind {config.peft_type} are not read; LORA and PROMPT_TUNING are", where=name)
    loaded.name = name
    loaded.weights = file_hash(folder / _WEIGHTS, folder / _CONFIG)[:16] + loaded.weights[:16]
    loaded.settings = {**loaded.settings, "adapter": config.peft_type}
    return loaded


def _merge(loaded: LoadedModel, folder: Path) -> None:
    try:
        import peft
    except ImportError:
        raise missing_extra("peft", "train", "an adapter") from None
    try:
        wrapped: Any = peft.PeftModel.from_pretrained(loaded.module, str(folder))
    except (RuntimeError, ValueError, OSError) as error:
        raise UserError(f"the adapter does not fit its model: {str(error)[:200]}", where=str(folder)) from None
    loaded.module = wrapped.merge_and_unload().eval()


def _prompt(loaded: LoadedModel, folder: Path) -> None:
    from safetensors.torch import load_file

    with decoding(folder / _WEIGHTS, "the soft prompt"):
        table = load_file(folder / _WEIGHTS)["prompt_embeddings"]
    owner = embedding_owner(loaded.module)
    inner = owner.get_input_embeddings()
    if table.shape[-1] != inner.weight.shape[-1]:
        raise UserError(
            f"the soft prompt has vectors of {table.shape[-1]}, its model of {inner.weight.shape[-1]}",
            where=str(folder),
        )
    owner.set_input_embeddings(PromptedEmbedding(inner, table.to(inner.weight.device).unsqueeze(0)))
    loaded.prefix = tuple(range(inner.num_embeddings, inner.num_embeddings + len(table)))
