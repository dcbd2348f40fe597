"""The shapes of the tiny models (`zoo.toml`), and their weights drawn from a seed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec

from taskloom.core.decode import read_toml
from taskloom.models.load import Architecture
from taskloom.models.runtime import import_transformers, seeded

_HEAD = 32
_BIAS_SPREAD = 1.5
"""Relative-attention biases drawn this wide let a small T5 learn to copy in a third of the steps (measured)."""


class NetworkKind(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of tiny transformer; `zoo.toml` explains the fields."""

    title: str
    architecture: Architecture
    config: str
    network: str
    sizes: dict[str, str]
    fixed: dict[str, float | int]
    unset: tuple[str, ...] = ()


class NetworkShape(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The size of a tiny transformer; heads are 32 wide."""

    kind: str
    width: int
    layers: int
    decoder_layers: int
    inner: int


class _Zoo(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    kinds: dict[str, NetworkKind]
    shapes: dict[str, NetworkShape]


_ZOO = read_toml(Path(__file__).with_name("zoo.toml"), type=_Zoo)
SHAPES = _ZOO.shapes


def kind_of(name: str) -> NetworkKind:
    """The kind of a tiny transformer."""
    return _ZOO.kinds[SHAPES[name].kind]


def build_module(name: str, *, vocabulary: int, window: int, dropout: float, seed: int) -> Any:
    """A module of a tiny shape with weights that depend on its name, vocabulary size and seed alone."""
    transformers = import_transformers(f"tiny/{name}")
    kind, shape = kind_of(name), msgspec.to_builtins(SHAPES[name])
    values = {"vocabulary": vocabulary, "window": window, "short_window": min(window, 512), "dropout": dropout}
    values |= {**shape, "head": _HEAD, "heads": shape["width"] // _HEAD}
    sizes = {field: values[value] for field, value in kind.sizes.items()}
    with seeded("tiny", name, vocabulary, seed):
        config = getattr(transformers, kind.config)(**sizes, **kind.fixed, **dict.fromkeys(kind.unset))
        module = getattr(transformers, kind.network)(config)
        for key, parameter in module.named_parameters():
            if key.endswith("relative_attention_bias.weight"):
                parameter.data.normal_(0.0, _BIAS_SPREAD)
    return module.eval()
