"""`api/NAME`: a model behind any OpenAI-compatible endpoint."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from queue import SimpleQueue
from typing import Any, Literal, TypeVar
from urllib.parse import urlsplit

from taskloom.core import Recipe, UserError, missing_extra, resolve
from taskloom.encode.base import Prompt
from taskloom.models.base import Generation, Identity, Limits, Model, Output, Request
from taskloom.models.chat import split_thinking
from taskloom.models.client import Client, Reply
from taskloom.models.secrets import public_address

__all__ = ["PROVIDER", "APIModel", "APIOptions", "APIProvider"]

T = TypeVar("T")

_DEFAULT_URL = "https://api.openai.com/v1"
_MILLION = 1_000_000


class APIOptions(Recipe, frozen=True, kw_only=True):
    """Options of `api/…`, given as `-M key=value`.

    Attributes:
        base_url: Where the endpoint is, up to and with `/v1`; else OPENAI_BASE_URL, else OpenAI.
        api_key: The key; else OPENAI_API_KEY. It is never logged, shown or stored.
        mode: "chat" sends messages, "completions" the plain text.
        concurrency: The most requests at once; fewer are sent when the server answers 429.
        timeout: Seconds one request may take in all, however slowly its answer drips in.
        patience: Seconds a request is tried again for before it counts as failed; a server may go away
            for a minute and return.
        liars: How often a malformed answer is asked for again before it counts as failed.
        price_in: Price of a million prompt tokens, for the cost.
        price_out: Price of a million answer tokens.
        window: The model's window in tokens, if known; 0 if not.
        length_key: The name of the field for the longest answer; newer endpoints want max_completion_tokens.
        keep_thinking: Leave `<think>` blocks in the answer instead of moving them to `raw`.
        extra: More fields of the request body, for example `extra.reasoning_effort=low`.
    """

    base_url: str = ""
    api_key: str = ""
    mode: Literal["chat", "completions"] = "chat"
    concurrency: int = 8
    timeout: float = 120.0
    patience: float = 300.0
    liars: int = 3
    price_in: float | None = None
    price_out: float | None = None
    window: int = 0
    length_key: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    keep_thinking: bool = False
    extra: dict[str, Any] = {}

    def __post_init__(self) -> None:
        if min(self.price_in or 0, self.price_out or 0, self.window) < 0:
            raise ValueError("prices and window are 0 or more")
        if self.concurrency < 1 or self.timeout <= 0 or self.patience < 0 or self.liars < 0:
            raise ValueError("concurrency is 1 or more, timeout above 0, patience and liars 0 or more")


class APIModel(Model):
    """A model on a server. It gives text, token counts and cost, but no log-probabilities.

    Args:
        name: The name the server knows the model by.
        options: Endpoint, key, pace and patience.
    """

    def __init__(self, name: str, options: APIOptions) -> None:
        self._name = name
        self.options = options
        url = (options.base_url or os.environ.get("OPENAI_BASE_URL") or _DEFAULT_URL).rstrip("/")
        # Keys read from files end in a newline, which no header can carry.
        key = (options.api_key or os.environ.get("OPENAI_API_KEY", "")).strip()
        if not _is_http(url):
            raise UserError(f"{public_address(url)!r} is no http address", where="-M base_url")
        if not (key.isascii() and key.isprintable()):
            raise UserError("the key has signs that no header can carry", where="-M api_key or OPENAI_API_KEY")
        if url == _DEFAULT_URL and not key:
            raise UserError(
                f"api/{name} needs a key",
                hint="set OPENAI_API_KEY, or -M base_url=http://127.0.0.1:8000/v1 for a server of your own",
            )
        try:
            import httpx  # noqa: F401 - say what is missing before anything runs
        except ImportError:
            raise missing_extra("httpx", "web", f"api/{name}") from None
        self.client = Client(
            url,
            key,
            concurrency=options.concurrency,
            timeout=options.timeout,
            patience=options.patience,
            liars=options.liars,
        )
        self.limits = Limits(window=options.window or None, batch=max(64, 8 * options.concurrency))
        settings: dict[str, Any] = {"base_url": public_address(url), "mode": options.mode}
        if options.extra:
            settings["extra"] = options.extra
        if options.keep_thinking:
            settings["keep_thinking"] = True
        self.identity = Identity(f"api/{name}", settings=settings)

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        replies = _run(self._send(requests, generation))
        return [self._output(reply) for reply in replies]

    def stream(self, requests: Sequence[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
        arrived: SimpleQueue[tuple[int, Reply] | BaseException | None] = SimpleQueue()

        def work() -> None:
            try:
                asyncio.run(self._send(requests, generation, lambda index, reply: arrived.put((index, reply))))
                arrived.put(None)
            except BaseException as error:  # noqa: BLE001 - handed on to the caller below
                arrived.put(error)

        # A daemon, so that Ctrl-C ends the program without waiting for slow answers; what came is logged.
        threading.Thread(target=work, daemon=True).start()
        while (item := arrived.get()) is not None:
            if isinstance(item, BaseException):
                raise item
            yield [(item[0], self._output(item[1]))]

    def _send(
        self, requests: Sequence[Request], generation: Generation, done: Callable[[int, Reply], None] | None = None
    ) -> Coroutine[Any, Any, list[Reply]]:
        path = "/chat/completions" if self.options.mode == "chat" else "/completions"
        bodies = [self._body(request.prompt, generation) for request in requests]
        return self.client.send_all(path, bodies, self.options.mode, done)

    def _body(self, prompt: Prompt, generation: Generation) -> dict[str, Any]:
        body: dict[str, Any] = {
            "model": self._name,
            self.options.length_key: generation.max_tokens,
            "temperature": generation.temperature,
            "top_p": generation.top_p,
            "seed": generation.seed,
        }
        if generation.stop:
            body["stop"] = list(generation.stop)
        if self.options.mode == "completions":
            body["prompt"] = prompt.text
        else:
            turns = [{"role": message.role, "content": message.content} for message in prompt.messages]
            body["messages"] = turns or [{"role": "user", "content": prompt.text}]
        return {**body, **self.options.extra}

    def _output(self, reply: Reply) -> Output:
        answer, raw = (reply.text, "") if self.options.keep_thinking else split_thinking(reply.text)
        return Output(
            answer.strip(),
            reply.state,
            reply.error,
            prompt_tokens=reply.prompt_tokens,
            output_tokens=reply.output_tokens,
            cost=self._cost(reply),
            raw=raw,
        )

    def _cost(self, reply: Reply) -> float | None:
        """What the tokens cost; None where the price or the count is unknown."""
        total = 0.0
        known = False
        pairs = ((self.options.price_in, reply.prompt_tokens), (self.options.price_out, reply.output_tokens))
        for price, tokens in pairs:
            if price is not None:
                if tokens is None:
                    return None
                total += price * tokens / _MILLION
                known = True
        return total if known else None


def _is_http(url: str) -> bool:
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:  # a port that is no number, half an address in brackets
        return False


def _run(work: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end, also where an event loop is running already (a notebook)."""
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work)
    results: list[T] = []
    errors: list[BaseException] = []

    def target() -> None:
        try:
            results.append(asyncio.run(work))
        except BaseException as error:  # noqa: BLE001 - handed on to the caller below
            errors.append(error)

    thread = threading.Thread(target=target)
    thread.start()
    thread.join()
    if errors:
        raise errors[0]
    return results[0]


class APIProvider:
    """Opens `api/…`."""

    def names(self) -> Mapping[str, str]:
        return {"NAME": "a model of an OpenAI-compatible server; -M base_url=…, -M api_key=… or OPENAI_*"}

    def options(self, name: str) -> APIOptions:
        return APIOptions()

    def open(self, name: str, options: Mapping[str, Any]) -> Model:
        return APIModel(name, resolve(self.options(name), options, where=f"api/{name}"))


PROVIDER = APIProvider()
