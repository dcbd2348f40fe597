"""Models behind one interface, whether they are mocks, local weights or a server."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, ClassVar, Literal, NoReturn, TypeAlias

import msgspec

from taskloom.core.calls import CallError, Explained, explained, explained_late
from taskloom.core.display import clipped, html_table
from taskloom.core.encoding import Prompt, Tokenizer
from taskloom.core.errors import UserError, nearest
from taskloom.core.instance import Instance
from taskloom.core.recipe import Recipe
from taskloom.core.registry import Declared
from taskloom.core.suite import Suite
from taskloom.core.task import Task


class Generation(Explained, Recipe, frozen=True, kw_only=True):
    """How text is generated. Part of every cache key.

    Attributes:
        max_tokens: Maximum tokens of an answer; a longer one is cut and marked as truncated.
        temperature: 0 always takes the most likely token; above 0, tokens are sampled.
        top_p: The share of the probability mass to sample from.
        beams: The number of beams in beam search; 1 is no beam search.
        stop: Strings that end an answer; they are not part of it.
        seed: The seed for sampling.
    """

    max_tokens: int = 64
    temperature: float = 0.0
    top_p: float = 1.0
    beams: int = 1
    stop: tuple[str, ...] = ()
    seed: int = 0

    def __post_init__(self) -> None:
        if self.max_tokens < 1:
            raise ValueError(f"max_tokens must be 1 or more, not {self.max_tokens}")
        # Written so that "not a number" fails too: it would be null in the log and stop the run from being continued.
        if not 0 <= self.temperature < float("inf"):
            raise ValueError(f"temperature must be 0 or more and finite, not {self.temperature}")
        if not 0 < self.top_p <= 1:
            raise ValueError(f"top_p must be above 0 and at most 1, not {self.top_p}")
        if self.beams < 1:
            raise ValueError(f"beams must be 1 or more, not {self.beams}")
        if self.beams > 1 and self.temperature:
            raise ValueError("beam search takes the most likely tokens, so it requires temperature 0")


class Identity(Explained, msgspec.Struct, frozen=True):
    """Everything that distinguishes one model from another in logs and cache keys."""

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


class Request(Explained, msgspec.Struct, frozen=True, gc=False):
    """One question to a model. Models read `prompt`; only mocks and label classifiers look further.

    `sample` numbers several sampled answers to the same question.
    """

    prompt: Prompt
    task: Task
    instance: Instance
    sample: int = 0


class Output(Explained, msgspec.Struct, frozen=True, omit_defaults=True, gc=False):
    """One answer. A failure is data, not an exception: the run continues and the record says what happened.

    `text` is the answer; `raw` keeps the full output if that is longer, else ""; `reasoning` is the model's
    reasoning, if it is given separately. `cost` is by the prices given, `server_cost` what the server says it charges;
    `billed_tokens` counts all exchanges that the answer took. `served` and `fingerprint` are the names of model and
    snapshot that the server answered under.
    """

    text: str
    state: Literal["complete", "truncated", "failed"] = "complete"
    error: str = ""
    prompt_tokens: int | None = None
    output_tokens: int | None = None
    cost: float | None = None
    raw: str = ""
    reasoning: str = ""
    shown: str = ""
    """What the model read, where another tool asked it; else the prompt of the request."""
    likelihood: dict[str, float] = {}
    """The log-probability of each candidate, normalised as the run says, where answers are chosen by likelihood."""
    mass: dict[str, float] = {}
    """The probability of all acceptable answers together (`all`), of the likeliest one (`best`), and of each part of a
    union by its name, where it was asked for."""
    cached_tokens: int | None = None
    reasoning_tokens: int | None = None
    billed_tokens: int | None = None
    server_cost: float | None = None
    served: str = ""
    fingerprint: str = ""


class Price(Explained, msgspec.Struct, frozen=True, kw_only=True):
    """What a model costs, in dollars per million tokens.

    Attributes:
        input: Prompt tokens.
        output: Answer tokens, thinking included.
        cached: Prompt tokens read from the provider's cache; None for the price of others.
        written: Prompt tokens written to that cache; None for the price of others.
        batch: The share of the price that a batch costs.
        dated: When the price was looked up; "" for prices that the user gave.
        beside: Prompt tokens of every request besides its own: a system prompt of the user's.
        thinking: Answer tokens that a request may use beyond its limit.
    """

    input: float = 0.0
    output: float = 0.0
    cached: float | None = None
    written: float | None = None
    batch: float = 1.0
    dated: str = ""
    beside: int = 0
    thinking: int = 0


class Belief(Explained, msgspec.Struct, frozen=True):
    """The log-probabilities that a model gives to some answers to one request.

    Attributes:
        logprobs: The natural log-probability of each answer.
        tokens: How the model spells each answer, so that overlaps can be seen; empty for classifiers,
            whose labels are whole.
        ended: Whether the end of the answer is part of it: "new" then excludes "new york".
        error: Why there are none.
    """

    logprobs: dict[str, float] = {}
    tokens: dict[str, tuple[int | str, ...]] = {}
    ended: bool = True
    error: str = ""


Nature: TypeAlias = Literal["chat", "base", "classifier", "memory", "span", "baseline"]
"""What a model is, for the choice of a protocol: "baseline" for those that read the row rather than the prompt."""


class Model(Explained, Declared):
    """A model that answers requests.

    Attributes:
        identity: Name, revision, hash of weights, settings.
        limits: Window and batch size.
        abilities: What it can do: "generate", "logprobs", "train".
        nature: The kind of model, for choosing a protocol.
        tokenizer: For length limits and context windows, if the model has one.
        cacheable: Whether identity, generation and prompt fully determine the answer.
        reproducible: Whether identity and row determine the answer, so that a finished run may stand for another.
        source: The name and options it was opened with, if it was opened by name.
    """

    sort = "model"

    identity: Identity
    limits: Limits = Limits()
    abilities: ClassVar[frozenset[str]] = frozenset({"generate"})
    tokenizer: Tokenizer | None = None
    nature: Nature = "base"
    cacheable: bool = True
    reproducible: bool = True
    price: Price | None = None
    source: tuple[str, dict[str, Any]] | None = None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if (own := vars(cls).get("generate")) is not None:
            cls.generate = explained_late(own)  # type: ignore[method-assign]

    def __repr__(self) -> str:
        return f"<Model {self.identity.name}: can {', '.join(sorted(self.abilities))}>"

    def _repr_html_(self) -> str:
        from taskloom.core.secrets import scrub

        known = [("revision", self.identity.revision), *self.identity.settings.items()]
        rows = [("can", ", ".join(sorted(self.abilities))), ("asked as", self.nature), *known]
        return html_table(self.identity.name, ("", ""), [(name, scrub(str(value))) for name, value in rows if value])

    def __call__(self, *args: object, **options: object) -> NoReturn:
        """A model is not called: `run_suite` asks it, and keeps every answer.

        Raises:
            CallError: Always.
        """
        hint = 'run_suite(suite, model=model, folder="runs/mine"); model.generate([Request(…)], Generation()) by hand'
        raise CallError("a model is not called, it is asked", where=self.identity.name, hint=hint)

    def prepare(self, suite: Suite) -> None:
        """Look at the suite before a run. Only mocks that imitate a trained model use it."""

    def render(self, prompt: Prompt) -> str:
        """The exact text the model reads: the prompt, after the model's chat template if it has one."""
        return prompt.text

    def length(self, prompt: Prompt) -> int | None:
        """The number of tokens of a prompt as the model reads it; None if it is unknown."""
        return None if self.tokenizer is None else len(self.tokenizer.encode(self.render(prompt)))

    @abstractmethod
    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        """One output per request, in order."""

    def stream(self, requests: Iterable[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
        """Outputs with the indices of their requests, in groups, as soon as each group is ready.

        Requests are drawn only as they are needed, so they may be endless. A server's models override
        this: they draw the next request whenever one is answered, and so never wait for the slowest.
        """
        waiting, start = iter(requests), 0
        while chunk := list(islice(waiting, self.limits.batch)):
            for group in self.answer_batch(chunk, generation):
                yield [(start + place, output) for place, output in group]
            start += len(chunk)

    def answer_batch(self, requests: Sequence[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
        """Like `stream`, for as many requests as the model takes at once."""
        outputs = self.generate(requests, generation)
        if len(outputs) != len(requests):
            # It is unknown which answers are missing, so none of them can be trusted to its question.
            missing = f"the model gave {len(outputs)} outputs for {len(requests)} requests"
            outputs = [Output("", "failed", missing)] * len(requests)
        yield list(enumerate(outputs))

    def logprobs(self, prompts: Sequence[Prompt], candidates: Sequence[Sequence[str]]) -> list[list[float]]:
        """The natural log-probability of each candidate as the continuation of its prompt."""
        raise UserError(
            f"model {self.identity.name} does not provide log-probabilities",
            hint="use an hf/, tiny/ or packaged/ model instead",
        )

    def beliefs(
        self, asked: Iterable[tuple[Request, Sequence[str]]], *, end: bool | None = None
    ) -> Iterator[list[tuple[int, Belief]]]:
        """The likelihoods of given answers, with the indices of the requests, as they become available.

        Args:
            asked: Requests with the answers to weigh; drawn as they are needed.
            end: Whether the end of an answer belongs to it; None leaves that to the model.
        """
        waiting, start = iter(asked), 0
        while chunk := list(islice(waiting, self.limits.batch)):
            found = self.weigh([request for request, _ in chunk], [answers for _, answers in chunk], end=end)
            yield [(start + place, belief) for place, belief in enumerate(found)]
            start += len(chunk)

    def weigh(
        self, requests: Sequence[Request], answers: Sequence[Sequence[str]], *, end: bool | None = None
    ) -> list[Belief]:
        """Like `beliefs`, for as many requests as the model takes at once."""
        rows = self.logprobs([request.prompt for request in requests], answers)
        return [
            Belief(dict(zip(texts, row, strict=True)), ended=True) for texts, row in zip(answers, rows, strict=True)
        ]

    def form_for(self, ability: str) -> Model:
        """The form of this model that has an ability, where it has several forms; itself otherwise.

        Weights that a server on this machine holds answer fast and cannot be trained; the same weights in this process
        can. They are different models, with identities of their own.
        """
        return self

    def require(self, ability: str, purpose: str) -> None:
        """Reject an impossible request before anything runs."""
        if ability not in self.abilities:
            raise unable(self.identity.name, ability, purpose)

    def close(self) -> None:
        """Release connections, files and memory."""


class Provider(Declared):
    """Opens models by name: the part before the slash is registered, the provider interprets the rest."""

    sort = "provider"
    trains: bool = True
    """Whether its models may be trained here; False spares opening one to learn that it cannot be."""

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {clipped(', '.join(self.names()), 80)}>"

    @abstractmethod
    def names(self) -> Mapping[str, str]:
        """Known model names (without the provider) with one line each."""

    @abstractmethod
    def options(self, name: str) -> Recipe:
        """The options of a model of that name, with their defaults."""

    @abstractmethod
    def open(self, name: str, options: Mapping[str, Any]) -> Model:
        """The model of that name. Options come from `-M key=value`."""

    def recognises(self, name: str) -> bool:
        """Whether a name without a provider can only mean a model of this one, as `gpt-…` or `FILE.gguf` do."""
        return False


_LIST = "taskloom list models shows all"


def unable(name: str, ability: str, purpose: str) -> UserError:
    """An error for a model that cannot do what is needed, with those that can."""
    from taskloom.core.catalog import MODELS

    able = ", ".join(f"{provider}/…" for provider in MODELS if MODELS.get(provider).trains)
    hint = f"{able} can; {_LIST}" if ability == "train" else None
    return UserError(f"{purpose} needs a model that can {ability}; {name} cannot", hint=hint)


def ensure_trainable(name: str, purpose: str) -> None:
    """Refuse a model that cannot be trained before it is opened, which may take a key, a server or a download."""
    from taskloom.core.catalog import MODELS

    name = full_model_name(name)
    if not MODELS.get(name.partition("/")[0]).trains:
        raise unable(name, "train", purpose)


def full_model_name(name: str) -> str:
    """The name with its provider, which may be left out where the name tells it.

    Raises:
        UserError: No provider recognises the name.

    Example:
        >>> from taskloom.core.model import full_model_name
        >>> full_model_name("claude-opus-4")
        'anthropic/claude-opus-4'
    """
    from taskloom.core.catalog import MODELS, list_models

    head = name.partition("/")[0]
    if head in ("http:", "https:"):
        raise UserError("this is an address, not the name of a model", where=name,
                        hint=f"--model api/NAME -M base_url={name}")  # fmt: skip
    if head in MODELS:
        return name
    for provider in MODELS:
        if MODELS.get(provider).recognises(name):
            return f"{provider}/{name}"
        for meant in (name.lower(), f"{name.lower()}-…", re.sub(r"(?<=[a-z])(?=[3-9])", "-", name.lower(), count=1)):
            if MODELS.get(provider).recognises(meant):
                raise UserError(f"unknown model {name!r}; did you mean {provider}/{meant}?", hint=_LIST)
    from taskloom.core.folders import other_kind

    raise other_kind(name, "model") or _unknown_model(name, list_models())


def provided(name: str) -> str:
    """The name with its provider; nothing where no provider recognises it."""
    try:
        return full_model_name(name)
    except UserError:
        return ""


def _unknown_model(name: str, known: Mapping[str, str]) -> UserError:
    """Name the model that was meant, or every way to a model of that name."""
    from taskloom.core.catalog import MODELS

    head, *rest = re.split("[/:]", name, maxsplit=1)
    word = re.sub(r"\W", "", head).lower()
    providers = [full.partition("/")[0] for full in known]
    told = [
        full.partition("/")[0]
        for full, line in known.items()
        for name_said in re.findall("[A-Z][a-z]+(?: [A-Z][a-z]+)*", line)
        if name_said.replace(" ", "").lower() == word
    ]
    close = nearest(head, providers, 1, cutoff=0.8) if "/" in name else []
    serving = [f"{one}/{rest[0]} asks {one}; " for one in MODELS if rest and MODELS.get(one).recognises(rest[0])]
    meant = [head] if head in providers else close or told
    if meant and rest:
        return UserError(f"unknown model {name!r}; did you mean {f'{meant[0]}/{rest[0]}'!r}?", hint=_LIST)
    if not rest and (close := nearest(name, [*providers, *known], cutoff=0.7)):
        return UserError(f"unknown model {name!r}; did you mean {' or '.join(map(repr, close))}?", hint=_LIST)
    owned = name if "/" in name else f"OWNER/{name}"
    return UserError(
        f"unknown provider {head!r} of model {name!r}" if "/" in name else f"{name!r} does not say who serves it",
        hint=f"{''.join(serving)}hf/{name} loads it from the hub; "
        f"ollama/{name} or vllm/{name} asks a server on this machine; "
        f"openrouter/{owned} asks OpenRouter, litellm/{owned} further providers; "
        f"api/{rest[0] if '/' in name else name} -M base_url=URL asks any other server; {_LIST}",
    )


@explained
def open_model(name: str, options: Mapping[str, Any] | None = None) -> Model:
    """Open `provider/name`, for example `mock/oracle` or `hf/./checkpoint`.

    Example:
        >>> from taskloom import open_model
        >>> open_model("mock/oracle")
        <Model mock/oracle: can generate>
    """
    from taskloom.core.catalog import MODELS
    from taskloom.core.secrets import learn_options, learn_words, scrub

    learn_options(options or {})
    learn_words([name])
    if scrub(name) != name:
        # A name is written into every file of a run, so it cannot be hidden there.
        raise UserError(f"the name of the model contains a secret: {name}", hint="pass keys as -M api_key=…")
    name = full_model_name(name)
    provider_name, slash, rest = name.partition("/")
    provider = MODELS.get(provider_name)
    if not slash or not rest:
        names = [f"{provider_name}/{known}" for known in [*provider.names(), "NAME"]]
        known = ", ".join([*dict.fromkeys(names)][:5])
        raise UserError(f"{name!r} names a provider, not a model", hint=f"a model is {known}; {_LIST}")
    model = provider.open(rest, options or {})
    model.source = (name, dict(options or {}))
    return model
