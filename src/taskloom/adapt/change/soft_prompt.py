"""Soft prompts: a few new vocabulary entries in front of every input, everything else frozen.

The entries are real token ids beyond the vocabulary. A layer over the model's input embedding looks
those ids up in a table of its own, so padding, masks, caches and decoding need to know nothing of it.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import torch

from taskloom.adapt.change.base import WeightChange
from taskloom.adapt.change.low_rank import BASE
from taskloom.core import UserError, keyed_random
from taskloom.models.prompted import PromptedEmbedding, embedding_owner
from taskloom.store.atomic import write_atomically


class SoftPrompts(WeightChange):
    """One soft prompt per lane.

    Args:
        module: The model; all its parameters are frozen.
        lanes: How many prompts.
        tokens: Virtual tokens per prompt.
        first_rows: The initial vectors are those of random tokens among this many first rows of the vocabulary,
            which in most vocabularies are the frequent ones (Lester et al., 2021).
        seed: The seed of the choice.
    """

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

    def export(self, folder: Path, model: Any, lane: int = 0) -> None:
        """Write a lane as an adapter that `peft.PeftModel.from_pretrained` reads."""
        from safetensors.torch import save

        folder.mkdir(parents=True, exist_ok=True)
        two_parts = model.architecture == "encoder-decoder"
        config = {
            "peft_type": "PROMPT_TUNING",
            "task_type": "SEQ_2_SEQ_LM" if two_parts else "CAUSAL_LM",
            "base_model_name_or_path": BASE,
            "num_virtual_tokens": self.tokens,
            "token_dim": int(self._embedding.table.shape[-1]),
            # Only the encoder reads the prompt, as in Lester et al.; peft would count the decoder too.
            "num_transformer_submodules": 1,
            "prompt_tuning_init": "RANDOM",
            "inference_mode": True,
        }
        write_atomically(
            folder / "adapter_model.safetensors",
            save({"prompt_embeddings": self._embedding.table.detach()[lane].cpu().clone()}),
        )
        write_atomically(folder / "adapter_config.json", msgspec.json.format(msgspec.json.encode(config)))
