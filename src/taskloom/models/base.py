"""Models behind one interface, whether they are mocks, local weights or a server."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, ClassVar, Literal, Protocol

import msgspec

from taskloom.core import Instance, Recipe, Suite, Task, UserError
from taskloom.core.catalog import MODELS
from taskloom.encode.base import Prompt, Tokenizer

__all__ = ["Generation", "Identity", "Limits", "Model", "Output", "Provider", "Request", "open_model"]


class Generation(Recipe, frozen=True, kw_only=True):
    """How text is generated. Part of every cache key.

    Attributes:
        max_tokens: Tokens of an answer; one that would go on is cut and marked as truncated.
        temperature: 0 takes the likeliest token each time; above 0 tokens are drawn.
        top_p: The share of probability that tokens are drawn from.
        stop: Texts that end an answer; they are not part of it.
        seed: The seed of the draws.
    """

    max_tokens: int = 64
    temperature: float = 0.0
    top_p: float = 1.0
    stop: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens is 1 or more, not {self.max_tokens}")
        # Written so that "not a number" fails too: it would be null in the log and stop the run from being continued.
        if not 0 <= self.temperature < float("inf"):
            raise ValueError(f"temperature is 0 or more and finite, not {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p is above 0 and at most 1, not {self.top_p}")


class Identity(msgspec.Struct, frozen=True):
    """Everything that tells one model from another in logs and cache keys."""

    name: str
    revision: str = ""
    weights: str = ""
    settings: dict[str, Any] = {}


class Limits(msgspec.Struct, frozen=True):
    """`window`: tokens of prompt and answer together, None where unknown. `batch`: requests per call.

    `apart`: prompt and answer have a window each, as in encoder-decoder models.
    """

    window: int | None = None
    batch: int = 32
    apart: bool = False


class Request(msgspec.Struct, frozen=True):
    """One question to a model. Models read `prompt`; only mocks and label classifiers look further."""

    prompt: Prompt
    task: Task
    instance: Instance


class Output(msgspec.Struct, frozen=True):
    """One answer. A failure is data, not an exception: the run goes on and the record says what happened.

    `text` is the answer; `raw` keeps every word the model said where that is more (its thinking), else "".
    """

    text: str
    state: Literal["complete", "truncated", "failed"] = "complete"
    error: str = ""
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    raw: str = ""


class Model(ABC):
    """A model that answers requests.

    Attributes:
        identity: Name, revision, hash of weights, settings.
        limits: Window and batch size.
        abilities: What it can do: "generate", "logprobs", "train".
        tokenizer: For length rules and windows, where the model has one.
        cacheable: Whether the answer follows from identity, generation and prompt alone.
    """

    identity: Identity
    limits: Limits = Limits()
    abilities: ClassVar[frozenset[str]] = frozenset({"generate"})
    tokenizer: Tokenizer | None = None
    cacheable: bool = True

    def prepare(self, suite: Suite) -> None:  # noqa: B027 - most models need nothing
        """Look at the suite before a run. Only mocks that imitate a trained model do anything here."""

    def render(self, prompt: Prompt) -> str:
        """The very text the model reads: the prompt, put through the model's chat template where it has one."""
        return prompt.text

    @abstractmethod
    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        """One output per request, in order."""

    def stream(self, requests: Sequence[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
        """Outputs with the places of their requests, in groups, each as soon as it is there.

        Models whose answers come one by one (a server's) override this, so that each is logged at once.
        """
        outputs = self.generate(requests, generation)
        if len(outputs) != len(requests):
            # Nobody can tell which answers are missing, so none of them can be trusted to its question.
            missing = f"the model gave {len(outputs)} outputs for {len(requests)} requests"
            outputs = [Output("", "failed", missing)] * len(requests)
        yield list(enumerate(outputs))

    def logprobs(self, prompts: Sequence[Prompt], candidates: Sequence[Sequence[str]]) -> list[list[float]]:
        """The natural log-probability of each candidate as the continuation of its prompt."""
        raise UserError(
            f"model {self.identity.name} gives no log-probabilities",
            hint="use an hf/, tiny/ or packaged/ model for what needs them",
        )

    def require(self, ability: str, purpose: str) -> None:
        """Refuse an impossible pair before anything runs."""
        if ability not in self.abilities:
            able = ", ".join(sorted(self.abilities))
            raise UserError(f"{purpose} needs a model that can {ability}; {self.identity.name} can {able}")

    def close(self) -> None:  # noqa: B027 - most models hold nothing
        """Give back connections, files and memory."""


class Provider(Protocol):
    """Opens models by name: the part of a model string before the slash is registered, the rest is its own."""

    def names(self) -> Mapping[str, str]:
        """Known model names (without the provider) with one line each."""
        ...

    def options(self, name: str) -> Recipe:
        """What a model of that name can be told, with the defaults."""
        ...

    def open(self, name: str, options: Mapping[str, Any]) -> Model:
        """The model of that name. Options come from `-M key=value`."""
        ...


def open_model(name: str, options: Mapping[str, Any] | None = None) -> Model:
    """Open `provider/name`, for example `mock/oracle` or `hf/./checkpoint`."""
    provider_name, slash, rest = name.partition("/")
    provider: Provider = MODELS.get(provider_name)
    if not slash or not rest:
        known = ", ".join(f"{provider_name}/{known}" for known in provider.names())
        raise UserError(f"{name!r} names a provider, not a model", hint=f"known: {known}" if known else None)
    return provider.open(rest, options or {})
