"""What every model held in this process has in common, whatever it is made of."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from msgspec.structs import replace

from taskloom.core import Suite, UserError, content_hash
from taskloom.core.display import printable
from taskloom.core.encoding import Prompt
from taskloom.core.model import Identity, Limits, Model, Request
from taskloom.models.likelihood import candidate_logprobs
from taskloom.models.load import Architecture
from taskloom.models.runtime import BatchSizer, import_torch, state_hash


@dataclass(frozen=True)
class LaneChoice:
    """Which of a model's adaptations each request is for.

    Attributes:
        lane: The number of the adaptation that a request is for.
        prefix: The token ids of an adaptation that stand in front of its prompts.
        select: Says which adaptation each row of the next pass through the module belongs to.
    """

    lane: Callable[[Request], int]
    prefix: Callable[[int], tuple[int, ...]]
    select: Callable[[Sequence[int]], None]


def grown_state(old: Any, new: Any) -> dict[str, Any]:
    """The weights of a network that grew: the old ones where there were some, the fresh ones in new rows."""
    state = {name: tensor.clone() for name, tensor in new.state_dict().items()}
    for name, tensor in old.state_dict().items():
        state[name][tuple(slice(0, size) for size in tensor.shape)] = tensor
    return state


def tokenizer_hash(tokenizer: Any) -> str:
    """A hash of how a tokenizer cuts texts and of its chat template: other tokens are another model."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    cut = backend.to_str() if backend is not None else tokenizer.get_vocab()
    return content_hash((cut, getattr(tokenizer, "chat_template", None)))[:16]


def learned_places(module: Any) -> int | None:
    """How many places a model has a vector for, None where places are computed and nothing ends."""
    torch = import_torch()
    for name, part in module.named_modules():
        last = name.rpartition(".")[2]
        if isinstance(part, torch.nn.Embedding) and (last == "wpe" or ("position" in last and "relative" not in last)):
            # BART's family counts from an offset, RoBERTa's from behind the place of padding.
            padding = part.padding_idx
            first = getattr(part, "offset", None) or (0 if padding is None else padding + 1)
            return int(part.weight.shape[0]) - int(first)
    return None


def window_of(module: Any, wanted: int = 0) -> int | None:
    """The most tokens a model can place, None where positions are relative and nothing breaks.

    Args:
        module: The model.
        wanted: The window somebody asks for; 0 for the model's own.

    Raises:
        UserError: The model has no vectors for as many places.
    """
    places = learned_places(module) if wanted else None
    if places is not None and wanted > places:
        raise UserError(
            f"a window of {wanted:,} tokens, but the model has {places:,} positions",
            where="-M window",
            hint=f"-M window={places} at most; the default is the model's own",
        )
    if wanted:
        return wanted
    config = module.config
    tables = [part for name, part in module.named_modules() if name.endswith("position_embeddings")]
    if getattr(config, "relative_attention_num_buckets", None) and not tables:
        return None
    for key in ("max_position_embeddings", "n_positions", "max_sequence_length"):
        value = getattr(config, key, None)
        if isinstance(value, int) and value > 0:
            # RoBERTa and its kin keep the first places for padding and count text from there.
            first = [part.padding_idx for part in tables if getattr(part, "padding_idx", None) is not None]
            return value - (first[0] + 1 if first else 0)
    return None


class HFTokenizer:
    """A transformers tokenizer as length rules and windows want it."""

    def __init__(self, tokenizer: Any) -> None:
        self._tokenizer = tokenizer

    def encode(self, text: str) -> list[int]:
        """Token ids with the special tokens the model expects around a text."""
        ids: list[int] = self._tokenizer(printable(text)).input_ids
        return ids

    def decode(self, ids: list[int]) -> str:
        """The text of token ids, special tokens left out and blanks as they are."""
        return str(self._tokenizer.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False))


class LocalModel(Model):
    """A torch module that answers, scores and can be trained.

    Training needs three things of it: `module`, `collate` (a batch whose `module(**batch).loss` is the
    loss to minimise) and `refresh` (a new identity once the weights have changed).

    Attributes:
        module: The torch module. Train it freely; it is in evaluation mode whenever the model answers.
        architecture: "encoder-decoder", "decoder", "classifier" or "reader" (of answers in passages).
        prefix: Token ids put in front of every prompt: those of a soft prompt, where the model has one.
        choice: Chooses the adaptation by request, where one batch asks several.
        tokenizer_hf: The transformers tokenizer, or None for models with a vocabulary of their own.
        sizer: Decides batch sizes and remembers when memory ran out.
        change: What an adaptation put into the module and could take out again; None for a model as it was opened.
    """

    abilities: ClassVar[frozenset[str]] = frozenset({"generate", "logprobs", "train"})
    limits = Limits(batch=256)
    module: Any
    architecture: Architecture
    tokenizer_hf: Any = None
    prefix: tuple[int, ...] = ()
    choice: LaneChoice | None = None
    sizer: BatchSizer
    change: Any = None

    @property
    def device(self) -> Any:
        """Where the weights live."""
        return next(self.module.parameters()).device

    @abstractmethod
    def collate(self, requests: Sequence[Request], answers: Sequence[str]) -> dict[str, Any]:
        """A training batch on the model's device: inputs and `labels`.

        Raises:
            UserError: An answer the model cannot give: a label it does not know, a word outside its
                vocabulary, a prompt beyond its window.
        """

    @abstractmethod
    def save(self, directory: Path) -> None:
        """Write the model so that it can be opened again; safetensors only."""

    def logprobs(
        self, prompts: Sequence[Prompt], candidates: Sequence[Sequence[str]], *, end: bool | None = None
    ) -> list[list[float]]:
        """The natural log-probability of each candidate as the answer to its prompt; `end` as for `beliefs`."""
        return candidate_logprobs(self, prompts, candidates, end=end)

    def prepared(self) -> dict[str, Any]:
        """What the model took from the suite it was prepared for (vocabulary, labels), as plain data."""
        return {}

    def restore(self, prepared: dict[str, Any]) -> None:
        """Prepare the model as it was when `prepared` was written down."""
        if prepared:
            raise UserError(f"{self.identity.name} takes no vocabulary from suites", where=", ".join(prepared))

    def new_in(self, suite: Suite, splits: Sequence[str]) -> dict[str, Any]:
        """What a suite has that the model was not prepared for, in the form of `prepared`.

        Args:
            suite: The suite it is to be trained on.
            splits: The splits of it; new labels are the answers there.
        """
        return {}

    def extend(self, prepared: dict[str, Any]) -> None:
        """Grow to take in new words and labels; what was learned of the old ones stays."""

    def redraw(self, restart: int) -> None:
        """Draw the weights that are random at the start anew, for another try from another beginning."""

    def refresh(self, **settings: Any) -> Identity:
        """Take a new identity after the weights have changed, with more settings if given."""
        weights = state_hash(self.module.state_dict())
        self.identity = replace(self.identity, weights=weights, settings={**self.identity.settings, **settings})
        return self.identity

    def release(self) -> None:
        """Give cached memory back to the device."""
        torch = import_torch()
        if self.device.type == "cuda":
            torch.cuda.empty_cache()
