"""The tensors that training may touch, for one adaptation or for many side by side.

A *lane* is one independent adaptation. Soft prompts and low-rank additions are small, so the tensors of
many lanes are stacked along a first dimension and trained through one frozen model in one batch: row i
of a batch belongs to lane `rows[i]` and its gradient reaches no other tensors. Optimisers that work
element by element then do for each lane exactly what they would do for it alone.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import torch
from torch import nn

from taskloom.adapt.store import ADAPTED_MODEL
from taskloom.core import UserError, keyed_random
from taskloom.core.model import Request
from taskloom.models.adapter import PromptedEmbedding, embedding_owner
from taskloom.models.local import LaneChoice
from taskloom.models.runtime import seeded
from taskloom.models.tensors import first_difference, local, whole
from taskloom.store.atomic import write_atomically

_PEFT_TASKS = {
    "encoder-decoder": "SEQ_2_SEQ_LM",
    "decoder": "CAUSAL_LM",
    "classifier": "SEQ_CLS",
    "reader": "QUESTION_ANS",
}


def _wide(tensor: Any) -> Any:
    return torch.promote_types(tensor.dtype, torch.float32)


class WeightChange(ABC):
    """Tensors on top of (or inside) a module.

    Attributes:
        lanes: How many independent adaptations.
        whole: Names of tensors that are not stacked by lane; only a change with one lane has any.
        adapter: What it is called as an adapter beside its model; "" where it is none.
    """

    lanes: int = 1
    whole: frozenset[str] = frozenset()
    adapter: ClassVar[str] = ""

    @abstractmethod
    def parameters(self) -> dict[str, Any]:
        """The trained parameters by name, in a fixed order."""

    def prefix(self, lane: int) -> tuple[int, ...]:
        """Token ids to put in front of every input of a lane."""
        return ()

    def select(self, rows: Sequence[int]) -> None:  # noqa: B027 - only lanes inside layers need it
        """Say which lane each row of the next forward pass belongs to."""

    def select_all(self, lane: int) -> None:  # noqa: B027 - only lanes inside layers need it
        """Say that all rows from now on belong to one lane."""

    def remove(self) -> None:  # noqa: B027 - a change of the weights themselves stays
        """Take the change out of the module again."""

    def settle(self, model: Any, lane: int) -> None:
        """From now on the model answers as the lane has adapted it."""
        model.prefix = self.prefix(lane)
        self.select_all(lane)

    @contextmanager
    def answering(self, model: Any, lane: int) -> Iterator[None]:
        """Inside the block the model answers as the lane has adapted it."""
        before = model.prefix
        self.settle(model, lane)
        try:
            yield
        finally:
            model.prefix = before

    @contextmanager
    def answering_each(self, model: Any, lane: Callable[[Request], int]) -> Iterator[None]:
        """Inside the block the model answers each request as the lane of its own has adapted it, in shared batches."""
        model.choice = LaneChoice(lane, self.prefix, self.select)
        try:
            yield
        finally:
            model.choice = None

    def tensors(self, lane: int) -> dict[str, Any]:
        """A lane's tensors, as they are written to its checkpoints."""
        return {
            name: self._part(name, whole(parameter.detach()), lane) for name, parameter in self.parameters().items()
        }

    def load(self, lane: int, tensors: Mapping[str, Any]) -> None:
        """Put a lane's tensors back.

        Raises:
            ValueError: They do not fit this model.
        """
        with torch.no_grad():
            own = {name: self._part(name, parameter, lane) for name, parameter in self.parameters().items()}
            if problem := first_difference(tensors, own):
                raise ValueError(problem)
            for name, place in own.items():
                place.copy_(tensors[name])

    def _part(self, name: str, tensor: Any, lane: int) -> Any:
        return tensor if name in self.whole else tensor[lane]

    def absorb(self, model: Any) -> None:  # noqa: B027 - a change of the weights themselves is part of them already
        """Make the first lane part of the model's weights and leave nothing else behind.

        Raises:
            UserError: It is nothing that weights can hold.
        """

    def export(self, folder: Path, model: Any, lane: int = 0) -> None:
        """Write a lane as an adapter that `peft.PeftModel.from_pretrained` reads."""
        from safetensors.torch import save

        config, tensors = self._peft(model, lane)
        config |= {"task_type": _PEFT_TASKS[model.architecture], "base_model_name_or_path": ADAPTED_MODEL}
        folder.mkdir(parents=True, exist_ok=True)
        plain = {name: value.detach().cpu().clone() for name, value in tensors.items()}
        write_atomically(folder / "adapter_model.safetensors", save(plain))
        write_atomically(folder / "adapter_config.json", msgspec.json.format(msgspec.json.encode(config)))

    def _peft(self, model: Any, lane: int) -> tuple[dict[str, Any], dict[str, Any]]:
        """The description of the adapter as peft has it, and its tensors."""
        raise NotImplementedError(f"{type(self).__name__} is no adapter")

    def norms(self) -> Any:
        """The norm of the gradient of each lane."""
        # Half precision overflows when squares are added up; doubles hold every kind of gradient.
        total = torch.zeros(self.lanes, dtype=torch.float64)
        for name, parameter in self.parameters().items():
            if parameter.grad is not None:
                grad = local(parameter.grad).flatten(0 if name in self.whole else 1)
                total += torch.linalg.vector_norm(grad, dim=-1, dtype=_wide(grad)).to("cpu", torch.float64).pow(2)
        return total.sqrt()

    def scale_gradients(self, factors: Any) -> None:
        """Multiply the gradient of each lane by a factor."""
        for name, parameter in self.parameters().items():
            if parameter.grad is not None:
                shape = (1 if name in self.whole else -1, *[1] * (parameter.dim() - 1))
                grad = local(parameter.grad)
                grad.mul_(factors.to(grad).reshape(shape))

    def keep(self, lanes: Sequence[int], optimiser: Any) -> None:
        """Go on with these lanes only; the others' tensors and optimiser state are let go."""
        if self.whole:
            raise ValueError("a change of whole weights has one lane")
        for parameter in self.parameters().values():
            index = torch.tensor(list(lanes), dtype=torch.long, device=parameter.device)
            state = optimiser.state.get(parameter, {})
            for key, value in state.items():
                if value.dim() and value.shape[0] == self.lanes:
                    state[key] = value[index].clone()
            grad = None if parameter.grad is None else parameter.grad[index].clone()
            parameter.grad = None
            parameter.data = parameter.data[index].clone()
            parameter.grad = grad
        self.lanes = len(lanes)


class FullChange(WeightChange):
    """All parameters of a module. One lane: two trainings cannot share the weights they change."""

    def __init__(self, module: Any) -> None:
        for parameter in module.parameters():
            parameter.requires_grad_(True)
        self._parameters = dict(module.named_parameters())
        self.whole = frozenset(self._parameters)

    def parameters(self) -> dict[str, Any]:
        return self._parameters


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
    """Low-rank additions to the linear layers of a frozen model, as `Lora` describes them, one set per lane.

    With `head`, the layers outside the model's body are trained as well: a classifier's head is new and has to learn.
    """

    adapter = "LoRA"

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

    def _peft(self, model: Any, lane: int) -> tuple[dict[str, Any], dict[str, Any]]:
        tensors = {f"base_model.model.{name}": value for name, value in self._head.items()}
        for name, layer in self._layers.items():
            tensors[f"base_model.model.{name}.lora_A.weight"] = layer.down[lane]
            tensors[f"base_model.model.{name}.lora_B.weight"] = layer.up[lane]
        config = {
            "peft_type": "LORA",
            "r": self._rank,
            "lora_alpha": self._alpha,
            "lora_dropout": 0.0,
            "bias": "none",
            "fan_in_fan_out": any(_is_turned(layer.base) for layer in self._layers.values()),
            "target_modules": sorted(self._targets),
            "modules_to_save": sorted({name.partition(".")[0] for name in self._head}) or None,
        }
        return config, tensors


class SoftPrompts(WeightChange):
    """A soft prompt per lane in front of the inputs of a frozen model, as `PromptTune` describes it.

    The initial vectors are those of random tokens among the first rows of the vocabulary, which in most vocabularies
    are the frequent ones (Lester et al., 2021).
    """

    adapter = "soft prompt"

    def __init__(self, module: Any, *, lanes: int, tokens: int, first_rows: int, seed: int) -> None:
        for parameter in module.parameters():
            parameter.requires_grad_(False)
        self._owner = embedding_owner(module)
        inner = self._owner.get_input_embeddings()
        rows = min(first_rows, inner.num_embeddings)
        random = keyed_random("soft-prompt", seed)
        chosen = random.sample(range(rows), tokens) if tokens <= rows else random.choices(range(rows), k=tokens)
        with torch.no_grad():
            start = inner(torch.tensor(chosen, device=inner.weight.device))
        start = start.to(torch.promote_types(start.dtype, torch.float32))
        self._inner = inner
        self._embedding = PromptedEmbedding(inner, start.unsqueeze(0).repeat(lanes, 1, 1))
        self._owner.set_input_embeddings(self._embedding)
        self.lanes = lanes
        self.tokens = tokens

    def remove(self) -> None:
        self._owner.set_input_embeddings(self._inner)

    def parameters(self) -> dict[str, Any]:
        return {"prompt": self._embedding.table}

    def prefix(self, lane: int) -> tuple[int, ...]:
        first = self._embedding.size + lane * self.tokens
        return tuple(range(first, first + self.tokens))

    def absorb(self, model: Any) -> None:
        raise UserError(
            "a soft prompt is not part of the weights, so the model cannot be trained further",
            where=model.identity.name,
            hint="start from a fine-tuned or LoRA run, or from the model itself",
        )

    def _peft(self, model: Any, lane: int) -> tuple[dict[str, Any], dict[str, Any]]:
        config = {
            "peft_type": "PROMPT_TUNING",
            "num_virtual_tokens": self.tokens,
            "token_dim": int(self._embedding.table.shape[-1]),
            # Only the encoder reads the prompt, as in Lester et al.; peft would count the decoder too.
            "num_transformer_submodules": 1,
            "prompt_tuning_init": "RANDOM",
        }
        return config, {"prompt_embeddings": self._embedding.table[lane]}
