"""`api/NAME`: a model on one server or on several; `endpoints.toml` gives well-known ones names of their own."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from math import fsum, isfinite
from pathlib import PurePath
from typing import Annotated, Any, ClassVar, Literal, TypeAlias
from urllib.parse import urlsplit

import msgspec

from taskloom.core import Count, Positive, Recipe, UserError, digest, resolve
from taskloom.core.encoding import Message, Prompt
from taskloom.core.model import Belief, Generation, Identity, Limits, Model, Output, Price, Provider, Request
from taskloom.core.secrets import learn, learn_options, public_address, public_options, scrub
from taskloom.models.batches import BATCHES, Desk, batched
from taskloom.models.chat import split_thinking
from taskloom.models.client import Client, converse
from taskloom.models.likelihood import candidate_logprobs
from taskloom.models.prices import cost_of, price_of
from taskloom.models.provider import ProviderRecord
from taskloom.models.wires import CHAT, COMPLETIONS, WIRES
from taskloom.models.wires.wire import Reply, Wire

TOP = 20
"""The most alternatives that chat endpoints give."""

_DROPPED = "the server sent no log-probabilities this time"
_PROBE = "one two three"


def split_texts(prompt: Prompt, answer: str) -> tuple[str, str]:
    """The prompt and the answer as they are sent. Blanks between them belong to the answer, as tokenizers have it."""
    text = prompt.text.rstrip(" ")
    gap = "" if text.endswith("\n") or not text or answer.startswith((" ", "\n")) else " "
    return text, gap + answer


def echo_body(model: str, text: str) -> dict[str, Any]:
    """A request that has a text scored. Some servers refuse to generate nothing, so one token is, and is ignored."""
    return {"model": model, "prompt": text, "max_tokens": 1, "echo": True, "logprobs": 1, "temperature": 0}


def score_echo(reply: Reply, prompt: str, answer: str) -> tuple[list[str], list[float]] | str:
    """The tokens of an answer with their log-probabilities, or a sentence that says why there are none."""
    if reply.state == "failed":
        return reply.error
    if not reply.scores:
        return _DROPPED
    offsets = [item.offset for item in reply.scores]
    if any(offset is None for offset in offsets):
        offsets = _offsets([item.token for item in reply.scores])
    begin, end = len(prompt), len(prompt) + len(answer)
    chosen = [(item, at) for item, at in zip(reply.scores, offsets, strict=True) if begin <= (at or 0) < end]
    if not chosen or chosen[0][1] != begin:
        return "the server joins the end of the prompt and the answer into one token, so the answer has no score"
    values = [item.logprob for item, _ in chosen]
    if not all(value is not None and isfinite(value) for value in values):
        return "the server sent log-probabilities that are not numbers"
    return [item.token for item, _ in chosen], [value for value in values if value is not None]


def _offsets(tokens: Sequence[str]) -> list[int | None]:
    """Where tokens begin, where the server does not say it: one after the other."""
    at, found = 0, []
    for token in tokens:
        found.append(at)
        at += len(token)
    return list(found)


class _Waiting(msgspec.Struct):
    """A request whose answers are under way."""

    answers: list[str]
    logprobs: dict[str, float] = {}
    tokens: dict[str, tuple[int | str, ...]] = {}
    errors: list[str] = []
    left: int = 0


def echo_beliefs(
    client: Client, model: str, asked: Iterable[tuple[Request, Sequence[str]]], extra: dict[str, Any]
) -> Iterator[list[tuple[int, Belief]]]:
    """Beliefs through `/completions` with `echo`, which scores a prompt with an answer: one request for each answer."""
    under_way: dict[int, tuple[int, str, str, str]] = {}
    waiting: dict[int, _Waiting] = {}
    empty: list[tuple[int, Belief]] = []

    def bodies() -> Iterator[dict[str, Any]]:
        number = 0
        for place, (request, answers) in enumerate(asked):
            if not answers:
                empty.append((place, Belief(ended=False)))
                continue
            # Known in full before the first is sent: its reply may come before the next is drawn.
            waiting[place] = _Waiting(list(answers), left=len(answers))
            for answer in answers:
                prompt, text = split_texts(request.prompt, answer)
                under_way[number] = (place, answer, prompt, text)
                number += 1
                yield {**echo_body(model, prompt + text), **extra}

    for group in converse(client, "/completions", bodies(), COMPLETIONS):
        ready = []
        for number, reply in group:
            place, answer, prompt, text = under_way.pop(number)
            state = waiting[place]
            found = score_echo(reply, prompt, text)
            if isinstance(found, str):
                state.errors.append(found)
            else:
                state.tokens[answer], state.logprobs[answer] = tuple(found[0]), fsum(found[1])
            state.left -= 1
            if not state.left:
                ready.append((place, _finished(waiting.pop(place))))
        if ready:
            yield ready
    if empty:
        yield empty


def _finished(state: _Waiting) -> Belief:
    if state.errors:
        return Belief(error=state.errors[0])
    in_order = {text: state.logprobs[text] for text in state.answers}
    return Belief(in_order, {text: state.tokens[text] for text in in_order}, ended=False)


def chat_body(body: dict[str, Any], length_key: str) -> dict[str, Any]:
    """A chat request that asks for the likeliest first tokens instead of an answer."""
    kept = {key: value for key, value in body.items() if key not in ("seed", "top_p", "stop")}
    return {**kept, length_key: 1, "temperature": 0, "logprobs": True, "top_logprobs": TOP}


def chat_belief(reply: Reply, answers: Sequence[str]) -> Belief:
    """What a chat tells: the likeliest first tokens, so answers of one token, with a blank in front if need be."""
    if reply.state == "failed":
        return Belief(error=reply.error)
    if not reply.scores:
        return Belief(error=_DROPPED)
    top = {**reply.scores[0].top}
    if reply.scores[0].logprob is not None:
        top.setdefault(reply.scores[0].token, reply.scores[0].logprob)
    logprobs: dict[str, float] = {}
    for answer in answers:
        spelled = answer if answer in top else f" {answer}"
        if spelled not in top:
            return Belief(
                error=f"{answer!r} is not among the {len(top)} most likely first tokens that the server returns; "
                "-M mode=completions scores any answer if the server echoes prompts"
            )
        logprobs[answer] = top[spelled]
    return Belief(logprobs, {answer: (answer,) for answer in answers}, ended=False)


def probe(client: Client, wire: Wire, model: str, extra: dict[str, Any], length_key: str, where: str) -> None:
    """Have one short text scored, to know before a run whether the server can.

    Raises:
        UserError: It cannot, with what it said.
    """
    if wire is COMPLETIONS:
        path, body = "/completions", echo_body(model, _PROBE)
    else:
        messages = [{"role": "user", "content": _PROBE}]
        path, body = "/chat/completions", chat_body({"model": model, "messages": messages}, length_key)
    [(_, reply)] = next(converse(client, path, [{**body, **extra}], wire))
    usable = reply.scores is not None and any(item.logprob is not None for item in reply.scores)
    if wire is COMPLETIONS:
        found = score_echo(reply, _PROBE[:3], _PROBE[3:]) if usable else _DROPPED
        usable = not isinstance(found, str)
    if usable:
        return
    said = f": {reply.error}" if reply.error else ""
    other = "chat" if wire is COMPLETIONS else "completions"
    raise UserError(
        f"the server does not provide log-probabilities on {path}{said}",
        where=where,
        hint=f"-M mode={other}, another server (vLLM echoes prompts), or --answer-by generate",
    )


class APIEndpoint(msgspec.Struct, frozen=True, kw_only=True):
    """Where a provider's models are.

    Attributes:
        name: The provider: the part of a model's name before the slash.
        title: One line for lists.
        url: The address up to and with `/v1`, unless the options or `url_variable` name another.
        url_variable: The environment variable that may hold the address.
        key_variable: The environment variable that holds the key; "" for servers without keys.
        needs_key: Whether nothing can be asked at `url` without a key.
        mode: How it is asked, unless the options say otherwise: the name of a wire format.
        options: Defaults of this endpoint that differ from those of `APIOptions`.
        beginnings: How the names of its models begin, where that tells the provider.
    """

    name: str
    title: str
    url: str
    url_variable: str = ""
    key_variable: str = ""
    needs_key: bool = True
    mode: str = "chat"
    options: dict[str, Any] = {}
    beginnings: tuple[str, ...] = ()


ANY = APIEndpoint(
    name="api",
    title="a model on an OpenAI-compatible server; -M base_url=…, -M api_key=… or OPENAI_*",
    url="https://api.openai.com/v1",
    url_variable="OPENAI_BASE_URL",
    key_variable="OPENAI_API_KEY",
)


_Amount: TypeAlias = Annotated[float, msgspec.Meta(ge=0)]


class APIOptions(Recipe, frozen=True, kw_only=True):
    """Options of models on servers, given as `-M key=value`.

    Attributes:
        base_url: The address of the endpoint, including `/v1` (default: the provider's). A list of addresses is used
            as one server: each takes as much as it can carry, and one that fails is left alone for a while.
        api_key: The key (default: the provider's environment variable). It is never logged, shown or stored.
        mode: "chat" sends messages, "completions" the plain text; "responses" (OpenAI), "messages" (Anthropic) and
            "gemini" (Google) are these providers' own formats. "" is the provider's usual one.
        concurrency: The maximum number of parallel requests at one address; reduced when the server answers 429.
        timeout: Seconds one request may take in all, however slowly its answer arrives.
        patience: How many seconds to keep retrying a request before it counts as failed (default: 300, but 10 for an
            address at which no server has answered yet).
        malformed: How often a malformed answer is asked for again before it counts as failed.
        twice: Ask the last requests at a faster address as well and take the first answer, so that a slow server does
            not hold up the end. "auto" does it where there are several addresses.
        price_in: Price of a million prompt tokens, for the cost.
        price_out: Price of a million answer tokens.
        price_cached: Price of a million prompt tokens that come from the server's cache (default: `price_in`).
        prices: A table of prices of your own (TOML), instead of the one that comes along.
        window: The model's window in tokens, if known; 0 if not.
        length_key: The name of the field for the longest answer; newer endpoints expect max_completion_tokens.
        system: A system prompt of your own, in front of the protocol's.
        effort: How hard the model is to think, where the server takes it: low, medium, high.
        thinking: A budget of thinking tokens, on top of the longest answer; 0 leaves it to the server.
        keep_thinking: Leave `<think>` blocks in the answer instead of moving them to `raw`.
        batch: Hand requests in as a batch (OpenAI, Anthropic): half the price, answers within a day. The same command
            fetches them.
        batch_wait: Seconds to wait for a batch before giving up for now.
        omit: Fields not to send, for models that reject them: `omit=[temperature, top_p, seed]`.
        extra: More fields of the request body, for example `extra.reasoning_effort=low`.
    """

    base_url: str | tuple[str, ...] = ""
    api_key: str = ""
    mode: Literal["", "chat", "completions", "responses", "messages", "gemini"] = ""
    concurrency: Positive = 8
    timeout: Annotated[float, msgspec.Meta(gt=0)] = 120.0
    patience: _Amount | None = None
    malformed: Count = 3
    twice: Literal["auto", "always", "never"] = "auto"
    price_in: _Amount | None = None
    price_out: _Amount | None = None
    price_cached: _Amount | None = None
    prices: str = ""
    window: Count = 0
    length_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    system: str = ""
    effort: str = ""
    thinking: Count = 0
    keep_thinking: bool = False
    batch: bool = False
    batch_wait: float = 0.0
    omit: tuple[str, ...] = ()
    extra: dict[str, Any] = {}


class APIModel(Model):
    """A model on a server: text, token counts and cost, and log-probabilities where the server has them."""

    abilities: ClassVar[frozenset[str]] = frozenset({"generate"})

    def __init__(self, name: str, options: APIOptions, endpoint: APIEndpoint = ANY) -> None:
        self._name = name
        self.options = options
        self.wire = WIRES[options.mode or endpoint.mode]
        self.nature = self.wire.nature
        shown = f"{endpoint.name}/{name}"
        urls, key = _addresses(options, endpoint), _key(options, endpoint)
        if urls == [endpoint.url] and endpoint.needs_key and not key:
            raise _unreachable(shown, endpoint)
        learn(key, "api_key")
        for url in urls:
            learn_options({"base_url": url, "extra": options.extra})
            _refuse_two_secrets(url, key)
        if (options.effort or options.thinking) and self.wire.reasoning is None:
            raise UserError(f"-M mode={self.wire.name} has no field for effort or thinking", where=shown)
        self.client = Client(urls, key, options)
        self.limits = Limits(window=options.window or None, batch=max(64, 8 * self.client.places))
        shown_urls = [public_address(url) for url in urls]
        settings: dict[str, Any] = {
            "base_url": shown_urls[0] if len(urls) == 1 else sorted(shown_urls),
            "mode": self.wire.name,
        }
        for field in ("extra", "omit", "keep_thinking", "system", "effort", "thinking"):
            if value := getattr(options, field):
                settings[field] = public_options(value) if field == "extra" else value
        self.identity = Identity(shown, settings=settings)
        self.price = _price(options, endpoint.name, name)
        self._gives_logprobs = False

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        outputs = dict(pair for group in self.stream(requests, generation) for pair in group)
        return [outputs[index] for index in range(len(requests))]

    def stream(self, requests: Iterable[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
        """Answers as they arrive, out of one queue: requests are drawn as places at the server come free."""
        if generation.beams > 1:
            raise UserError(f"{self.identity.name} has no beam search, because servers offer none", where="--beams")
        bodies = (self._body(request.prompt, generation, request.sample) for request in requests)
        for group in self._replies(bodies):
            yield [(index, self._output(reply)) for index, reply in group]

    def _replies(self, bodies: Iterator[dict[str, Any]]) -> Iterator[list[tuple[int, Reply]]]:
        path, options = self.wire.path(self._name), self.options
        if not options.batch:
            return converse(self.client, path, bodies, self.wire)
        address, *others = self.client.addresses
        if self.wire.name not in BATCHES or others:
            reason = (
                "several addresses have no batch of their own" if others else f"mode {self.wire.name} has no batches"
            )
            raise UserError(reason, where="--batch", hint=f"batches: {', '.join(BATCHES)}, at one address")
        desk = Desk(address.url, self.wire.headers(address.key), options.timeout, self.client.patience)
        return batched(desk, path, bodies, self.wire, options.batch_wait)

    def require(self, ability: str, purpose: str) -> None:
        """Ask the server itself whether it gives log-probabilities: names and versions do not tell."""
        if ability != "logprobs":
            super().require(ability, purpose)
        elif not self._gives_logprobs:
            if self.wire not in (CHAT, COMPLETIONS):
                raise UserError(
                    f"-M mode={self.wire.name} gives no log-probabilities",
                    where=self.identity.name,
                    hint="-M mode=chat or -M mode=completions, where the server has them",
                )
            probe(self.client, self.wire, self._name, self._extra, self.options.length_key, self.identity.name)
            self._gives_logprobs = True

    @property
    def _extra(self) -> dict[str, Any]:
        return {key: value for key, value in self.options.extra.items() if key != "logprobs"}

    def beliefs(
        self, asked: Iterable[tuple[Request, Sequence[str]]], *, end: bool | None = None
    ) -> Iterator[list[tuple[int, Belief]]]:
        if end:
            raise UserError(
                f"{self.identity.name} cannot score the end of an answer, because servers echo only what is sent"
            )
        if self.wire is COMPLETIONS:
            yield from echo_beliefs(self.client, self._name, asked, self._extra)
            return
        wanted: dict[int, Sequence[str]] = {}

        def bodies() -> Iterator[dict[str, Any]]:
            for place, (request, answers) in enumerate(asked):
                wanted[place] = answers
                yield chat_body(self._body(request.prompt, Generation()), self.options.length_key)

        for group in converse(self.client, "/chat/completions", bodies(), CHAT):
            yield [(place, chat_belief(reply, wanted.pop(place))) for place, reply in group]

    def logprobs(self, prompts: Sequence[Prompt], candidates: Sequence[Sequence[str]]) -> list[list[float]]:
        """The log-probability of each candidate, the end of the answer not counted.

        Raises:
            UserError: The server does not tell one of them.
        """
        self.require("logprobs", "log-probabilities")
        return candidate_logprobs(self, prompts, candidates)

    def _body(self, prompt: Prompt, generation: Generation, sample: int = 0) -> dict[str, Any]:
        options = self.options
        if options.system:
            prompt = _with_system(prompt, options.system)
        body = self.wire.body(self._name, prompt, generation, _seed(generation.seed, sample))
        if prompt.schema and self.wire.schema is not None:
            body = _merged(body, self.wire.schema(msgspec.json.decode(prompt.schema)))
        if self.wire.reasoning is not None and (options.effort or options.thinking):
            body = _merged(body, self.wire.reasoning(body, options.effort, options.thinking))
        if options.length_key != "max_tokens" and "max_tokens" in body:
            body[options.length_key] = body.pop("max_tokens")
        kept = {key: value for key, value in body.items() if key not in options.omit}
        return _merged(kept, options.extra)

    def _output(self, reply: Reply) -> Output:
        # A server may repeat the headers it was sent, in an answer as well as in an error.
        reply = msgspec.structs.replace(reply, text=scrub(reply.text), reasoning=scrub(reply.reasoning))
        answer, raw, thought = split_thinking(reply.text)
        if reply.reasoning:
            raw, thought = _thinking_aloud(reply), "\n".join(filter(None, (reply.reasoning, thought)))
        if self.options.keep_thinking:
            answer, raw, thought = _thinking_aloud(reply), "", ""
        return Output(
            answer.strip(),
            reply.state,
            reply.error,
            prompt_tokens=reply.usage.prompt,
            output_tokens=reply.usage.output,
            # By the prices given or known; else what the server says.
            cost=reply.usage.cost if self.price is None else cost_of(self.price, reply.usage, batch=self.options.batch),
            raw=raw,
            reasoning=thought,
            cached_tokens=reply.usage.cached,
            reasoning_tokens=reply.usage.reasoning,
            billed_tokens=reply.usage.billed,
            server_cost=reply.usage.cost,
            served=scrub(PurePath(reply.served[0]).name if reply.served[0][:1] == "/" else reply.served[0]),
            fingerprint=scrub(reply.served[1]),
        )


def _price(options: APIOptions, provider: str, name: str) -> Price | None:
    """The price that the user gives, else that of a table."""
    given = (options.price_in, options.price_out, options.price_cached)
    price = price_of(provider, name, options.prices) if given == (None, None, None) else None
    if price is None and given != (None, None, None):
        price = Price(input=given[0] or 0.0, output=given[1] or 0.0, cached=given[2])
    beside = len(options.system.encode("utf-8", "replace"))
    return None if price is None else msgspec.structs.replace(price, beside=beside, thinking=options.thinking)


def _with_system(prompt: Prompt, system: str) -> Prompt:
    """The prompt with a system's words in front of those it has."""
    messages = prompt.messages or (Message("user", prompt.text),)
    return msgspec.structs.replace(prompt, messages=(Message("system", system), *messages))


def _merged(body: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """A body with more fields; tables in it are merged, not replaced."""
    merged = dict(body)
    for key, value in more.items():
        old = merged.get(key)
        merged[key] = _merged(old, value) if isinstance(old, dict) and isinstance(value, Mapping) else value
    return merged


def _seed(seed: int, sample: int) -> int:
    """The seed of one of several draws; the first has the run's own."""
    return int.from_bytes(digest("sample", seed, sample)[:4], "big") >> 1 if sample else seed


def _thinking_aloud(reply: Reply) -> str:
    """The whole of what a model said, thinking that was sent apart put in front of it."""
    if not reply.reasoning:
        return reply.text
    unfinished = reply.state == "truncated" and not reply.text
    return f"<think>{reply.reasoning}" + ("" if unfinished else f"</think>{reply.text}")


def _addresses(options: APIOptions, endpoint: APIEndpoint) -> list[str]:
    given = options.base_url or os.environ.get(endpoint.url_variable) or endpoint.url
    urls = [url.rstrip("/") for url in ([given] if isinstance(given, str) else given)]
    for url in urls:
        if not _is_http(url):
            raise UserError(
                f"{public_address(url)!r} is not an http address",
                where="-M base_url",
                hint="an address looks like http://127.0.0.1:8000/v1",
            )
        if urlsplit(url).query or urlsplit(url).fragment:
            raise UserError(
                f"the address ends in a query (?…), so no path can be appended: {public_address(url)}",
                where="-M base_url",
                hint="pass keys as -M api_key=… and more fields as -M extra.KEY=VALUE",
            )
    if len(set(urls)) < len(urls):
        raise UserError("an address stands twice in the list", where="-M base_url", hint="raise -M concurrency instead")
    return urls


def _unreachable(shown: str, endpoint: APIEndpoint) -> UserError:
    """An error for a provider without a key; where any server may be meant, first for a server without an address."""
    if endpoint.url_variable and endpoint.name == ANY.name:
        model = shown.partition("/")[2]
        return UserError(
            f"{shown} needs the address of its server",
            hint=f"-M base_url=http://127.0.0.1:8000/v1, or set {endpoint.url_variable}; "
            f"a model of OpenAI is openai/{model}",
        )
    return UserError(
        f"{shown} needs a key",
        hint=f"export {endpoint.key_variable}=…, or -M base_url=http://127.0.0.1:8000/v1 for your own server",
    )


def _key(options: APIOptions, endpoint: APIEndpoint) -> str:
    # Keys read from files end in a newline, which no header can carry.
    key = (options.api_key or os.environ.get(endpoint.key_variable, "")).strip()
    if not (key.isascii() and key.isprintable()):
        where = " or ".join(filter(None, ("-M api_key", endpoint.key_variable)))
        raise UserError("the key contains characters that are not allowed in a header", where=where)
    return key


def _refuse_two_secrets(url: str, key: str) -> None:
    """A header holds one of them; the other would be ignored, and it would be unclear which one counted."""
    if key and "@" in urlsplit(url).netloc:
        raise UserError(
            "the address contains a name and password, and there is also a key",
            where=f"-M base_url ({public_address(url)})",
            hint="leave one of them out; with a password in the address, unset the variable that holds the key",
        )


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half an address in brackets
        return False


def endpoint_provider(
    endpoint: APIEndpoint, make: Callable[[str, Any, APIEndpoint], Model], options: Recipe
) -> Provider:
    """Opens the models of one endpoint."""
    return ProviderRecord(
        endpoint.name,
        {"NAME": endpoint.title},
        resolve(options, endpoint.options, where=endpoint.name),
        lambda name, given: make(name, given, endpoint),
        recognises=lambda name: name.startswith(endpoint.beginnings),
        trains=False,
    )


PROVIDER = endpoint_provider(ANY, APIModel, APIOptions())
