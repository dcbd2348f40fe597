"""Low-rank additions (LoRA, Hu et al., 2021) for one lane or many.

A linear layer gives `W x + scale * B A x`, with A and B of its row's lane. For one lane this is what
peft computes, and `export` writes it in peft's format. Training many lanes in one batch is what peft
does not do, hence the layer of our own.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import torch
from torch import nn

from taskloom.adapt.change.base import WeightChange
from taskloom.core import UserError
from taskloom.models.runtime import seeded
from taskloom.store.atomic import write_atomically

BASE = "base"
"""The folder beside an exported adapter that holds the model it belongs to."""

_PEFT_TASKS = {
    "encoder-decoder": "SEQ_2_SEQ_LM",
    "decoder": "CAUSAL_LM",
    "classifier": "SEQ_CLS",
    "reader": "QUESTION_ANS",
}


class _RowLanes:
    """Which lane each row of the batch belongs to, shared by all layers of a model."""

    def __init__(self) -> None:
        self.only: int | None = 0
        """The lane of all rows, where they have one in common."""
        self.index: Any = None
        """The lane of each row."""
        self.groups: Any = None
        """The lanes in order, where the rows come lane by lane and equally many of each."""


class LaneLinear(nn.Module):  # type: ignore[misc]
    """A linear layer with a low-rank addition per lane."""

    def __init__(self, base: Any, rows: _RowLanes, down: Any, up: Any, scale: float) -> None:
        super().__init__()
        self.base = base
        self.rows = rows
        self.down = nn.Parameter(down)
        self.up = nn.Parameter(up)
        self.scale = scale

    @property
    def weight(self) -> Any:
        """The frozen weight (some models look at its type)."""
        return self.base.weight

    def forward(self, x: Any) -> Any:
        """The frozen layer's output plus the lane's own part."""
        down, up = self.down, self.up
        given = x.to(down.dtype)
        if self.rows.only is not None:
            down, up = down[self.rows.only], up[self.rows.only]
        elif self.rows.groups is not None:
            down, up = down[self.rows.groups], up[self.rows.groups]
            given = given.reshape(down.shape[0], -1, x.shape[-1])
        else:
            down, up = down[self.rows.index], up[self.rows.index]
            given = given.reshape(x.shape[0], -1, x.shape[-1])
        added = (given @ down.transpose(-1, -2)) @ up.transpose(-1, -2)
        out = self.base(x)
        return out + (self.scale * added).reshape(out.shape).to(out.dtype)


def _is_turned(layer: Any) -> bool:
    """Whether it keeps its linear weights the other way round, as GPT-2's layers do."""
    return type(layer).__name__ == "Conv1D"


def _is_linear(layer: Any) -> bool:
    return isinstance(layer, nn.Linear) or _is_turned(layer)


def default_targets(model_type: str) -> tuple[str, ...]:
    """The layers LoRA goes into by default, as peft has them for this kind of model."""
    from peft.utils.constants import TRANSFORMERS_MODELS_TO_LORA_TARGET_MODULES_MAPPING as KNOWN

    if model_type not in KNOWN:
        raise UserError(
            f"the layers for LoRA are not known for a {model_type!r} model",
            hint="name them: -A 'layers=[q_proj, v_proj]'",
        )
    return tuple(KNOWN[model_type])


class LowRank(WeightChange):
    """Low-rank additions to the named linear layers.

    Args:
        module: The model; all its parameters are frozen.
        lanes: How many independent additions.
        rank: Their rank.
        alpha: The addition is multiplied by alpha / rank.
        layers: Last parts of the names of the layers; empty for peft's choice.
        seed: The seed of the initial values.
        head: Train the layers outside the model's body as well: a classifier's head is new and has to learn.
    """

    def __init__(
        self,
        module: Any,
        *,
        lanes: int,
        rank: int,
        alpha: float,
        layers: Sequence[str],
        seed: int,
        head: bool = False,
    ) -> None:
        for parameter in module.parameters():
            parameter.requires_grad_(False)
        self.lanes = lanes
        self._module = module
        self._rows = _RowLanes()
        self._rank, self._alpha = rank, alpha
        self._targets = tuple(layers) or default_targets(module.config.model_type)
        body = f"{module.base_model_prefix}."
        self._head = {
            name: parameter.requires_grad_(True)
            for name, parameter in module.named_parameters()
            if head and not name.startswith(body)
        }
        self.whole = frozenset(self._head)
        self._layers: dict[str, LaneLinear] = {}
        linear = {name: part for name, part in module.named_modules() if _is_linear(part)}
        names = {name.rpartition(".")[2] for name in linear}
        # A named layer is meant; of peft's choice a model may lack some, but not all.
        odd = [layer for layer in self._targets if layer not in names]
        if odd if layers else len(odd) == len(self._targets):
            raise UserError(
                f"no linear layer is called {' or '.join(odd)}",
                where="-A layers",
                hint=f"known: {', '.join(sorted(names))}",
            )
        for name, base in linear.items():
            if name.rpartition(".")[2] in self._targets:
                self._layers[name] = self._wrap(module, name, base, seed)

    def _wrap(self, module: Any, name: str, base: Any, seed: int) -> LaneLinear:
        outputs, inputs = base.weight.shape
        if _is_turned(base):
            outputs, inputs = inputs, outputs
        bound = 1.0 / inputs**0.5
        with seeded("lora", seed, name):
            down = torch.empty(self._rank, inputs).uniform_(-bound, bound)
        # At least single precision: steps of an optimiser vanish in bfloat16.
        device, dtype = base.weight.device, torch.promote_types(base.weight.dtype, torch.float32)
        layer = LaneLinear(
            base,
            self._rows,
            down.to(device, dtype).unsqueeze(0).repeat(self.lanes, 1, 1),
            torch.zeros(self.lanes, outputs, self._rank, device=device, dtype=dtype),
            self._alpha / self._rank,
        )
        parent, _, child = name.rpartition(".")
        setattr(module.get_submodule(parent), child, layer)
        return layer

    def parameters(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, layer in self._layers.items():
            found[f"{name}.down"] = layer.down
            found[f"{name}.up"] = layer.up
        return {**found, **self._head}

    def select(self, rows: Sequence[int]) -> None:
        device = next(iter(self._layers.values())).down.device
        self._rows.only = rows[0] if len(set(rows)) == 1 else None
        self._rows.index = torch.tensor(list(rows), device=device)
        lanes = list(dict.fromkeys(rows))
        each, rest = divmod(len(rows), len(lanes))
        even = not rest and list(rows) == [lane for lane in lanes for _ in range(each)]
        # One product per lane instead of one per row, with one copy of each lane's tensors.
        self._rows.groups = torch.tensor(lanes, device=device) if even else None

    def select_all(self, lane: int) -> None:
        self._rows.only = lane

    def remove(self) -> None:
        for name, layer in self._layers.items():
            parent, _, child = name.rpartition(".")
            setattr(self._module.get_submodule(parent), child, layer.base)

    def absorb(self, model: Any) -> None:
        with torch.no_grad():
            for layer in self._layers.values():
                added = layer.scale * (layer.up[0] @ layer.down[0])
                added = added.T if _is_turned(layer.base) else added
                layer.base.weight.add_(added.to(layer.base.weight.dtype))
        self.remove()

    def export(self, folder: Path, model: Any, lane: int = 0) -> None:
        """Write a lane as an adapter that `peft.PeftModel.from_pretrained` reads."""
        from safetensors.torch import save

        folder.mkdir(parents=True, exist_ok=True)
        tensors = {f"base_model.model.{name}": value.detach().cpu().clone() for name, value in self._head.items()}
        for name, layer in self._layers.items():
            tensors[f"base_model.model.{name}.lora_A.weight"] = layer.down.detach()[lane].cpu().clone()
            tensors[f"base_model.model.{name}.lora_B.weight"] = layer.up.detach()[lane].cpu().clone()
        config = {
            "peft_type": "LORA",
            "task_type": _PEFT_TASKS[model.architecture],
            "base_model_name_or_path": BASE,
            "r": self._rank,
            "lora_alpha": self._alpha,
            "lora_dropout": 0.0,
            "bias": "none",
            "fan_in_fan_out": any(_is_turned(layer.base) for layer in self._layers.values()),
            "target_modules": sorted(self._targets),
            "modules_to_save": sorted({name.partition(".")[0] for name in self._head}) or None,
        }
        write_atomically(folder / "adapter_model.safetensors", save(tensors))
        write_atomically(folder / "adapter_config.json", msgspec.json.format(msgspec.json.encode(config)))
