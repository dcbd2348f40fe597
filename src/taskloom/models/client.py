"""An HTTP client for OpenAI-compatible endpoints that expects the worst.

A server may refuse, stall, drip one byte at a time, cut an answer short, send something else than
promised, or go away and come back. What can pass is tried again with growing, jittered waits; what
cannot is said at once; and every request ends in a `Reply`, so one bad answer never costs a run.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from random import SystemRandom
from typing import Any, Literal

import msgspec

from taskloom.core import UserError
from taskloom.models.pace import Pace
from taskloom.models.runtime import LOGGER
from taskloom.models.secrets import public_address

__all__ = ["Client", "Reply"]

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 20.0
_LARGEST_ANSWER = 32 * 1024 * 1024
_TRY_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_HOPELESS = {401: "the key was refused", 403: "access was refused", 404: "no such model or endpoint"}
_jitter = SystemRandom()


class Reply(msgspec.Struct, frozen=True):
    """What came of one request."""

    text: str = ""
    state: Literal["complete", "truncated", "failed"] = "complete"
    error: str = ""
    prompt_tokens: int | None = None
    output_tokens: int | None = None


class _TryAgainError(Exception):
    """Worth another try. `lie` marks a malformed answer, of which few are borne; `gone`, that nobody was there."""

    def __init__(self, reason: str, *, wait: float = 0.0, lie: bool = False, gone: bool = False) -> None:
        super().__init__(reason)
        self.wait = wait
        self.lie = lie
        self.gone = gone


class _Message(msgspec.Struct):
    content: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    finish_reason: str | None = None
    message: _Message | None = None
    text: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None


class _Answer(msgspec.Struct):
    choices: list[_Choice]
    usage: _Usage | None = None


class Client:
    """Sends requests, keeps pace, and never shows its key.

    Args:
        url: The address up to and with `/v1`.
        key: The key, or "" for servers that want none.
        concurrency: The most requests at once.
        timeout: Seconds a request may take in all.
        patience: Seconds to go on trying one request.
        liars: How many malformed answers to one request are borne.
    """

    def __init__(self, url: str, key: str, *, concurrency: int, timeout: float, patience: float, liars: int) -> None:
        self._url = url
        self._key = key
        self._timeout = timeout
        self._patience = patience
        self._liars = liars
        self.pace = Pace(concurrency)
        self._heard_at = -float("inf")
        self._told_gone = False
        self.tries = 0
        self.answered = 0
        """How many requests came back well. Once one has, a refusal is a passing fault of the server."""

    async def send_all(
        self,
        path: str,
        bodies: Sequence[Mapping[str, Any]],
        mode: str,
        done: Callable[[int, Reply], None] | None = None,
    ) -> list[Reply]:
        """One reply per body, in order; `done` hears of each as soon as it is there.

        Raises:
            UserError: The server refuses everything we could ask (key, access, model), or nobody was there
                for as long as patience lasts.
        """
        import httpx

        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        limits = httpx.Limits(max_connections=self.pace.most, max_keepalive_connections=self.pace.most)
        # The total time-out of a request is kept by asyncio; httpx only knows time-outs per read.
        replies: dict[int, Reply] = {}
        waiting = iter(enumerate(bodies))

        async def work(http: Any) -> None:
            for index, body in waiting:
                replies[index] = await self._send(http, path, body, mode)
                if done is not None:
                    done(index, replies[index])

        async with httpx.AsyncClient(headers=headers, limits=limits, timeout=self._timeout) as http:
            workers = [asyncio.create_task(work(http)) for _ in range(min(self.pace.most, len(bodies)))]
            try:
                await asyncio.gather(*workers)
            finally:
                # Where one stops everything (a refused key), the others must not go on asking.
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)
        return [replies[index] for index in range(len(bodies))]

    async def _send(self, http: Any, path: str, body: Mapping[str, Any], mode: str) -> Reply:
        """Try until an answer comes, patience ends, or the server makes clear that it never will."""
        deadline: float | None = None
        waited, lies = _FIRST_WAIT, 0
        while True:
            async with self.pace.turn():
                began = time.monotonic()
                # Waiting for one's turn is not the server's fault, so patience starts here.
                deadline = began + self._patience if deadline is None else deadline
                try:
                    reply = await self._try_once(http, path, body, mode, began)
                except _TryAgainError as problem:
                    reason, wait, lie, gone = str(problem), problem.wait, problem.lie, problem.gone
                else:
                    self.pace.succeeded()
                    self.answered += reply.state != "failed"
                    return reply
            lies += lie
            # Full jitter keeps requests that failed together from coming back together.
            pause = max(wait, _jitter.uniform(0.1, 1.0) * waited)
            if lies > self._liars or time.monotonic() + pause > deadline:
                if gone and self._heard_at < deadline - self._patience:
                    # Each of the others would wait as long for nothing.
                    raise self._nobody_there(reason)
                return Reply(state="failed", error=reason)
            LOGGER.debug("trying again in %.1f s: %s", pause, reason)
            await asyncio.sleep(pause)
            waited = min(_LONGEST_WAIT, 2 * waited)

    async def _try_once(self, http: Any, path: str, body: Mapping[str, Any], mode: str, began: float) -> Reply:
        import httpx

        self.tries += 1
        try:
            async with asyncio.timeout(self._timeout):
                status, headers, content = await self._exchange(http, path, body)
        except TimeoutError:
            raise _TryAgainError(f"no whole answer within {self._timeout:g} s") from None
        except httpx.DecodingError as error:
            raise _TryAgainError(self._clean(f"malformed answer: {error}"), lie=True) from None
        except httpx.TransportError as error:
            gone = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            reason = self._clean(f"{type(error).__name__}: {error}")
            if gone:
                self.pace.refused(began)
                self._tell_gone(reason)
            raise _TryAgainError(reason, gone=gone) from None
        self._heard_at, self._told_gone = time.monotonic(), False
        if status == 200:
            return self._read(content, mode)
        said = self._clean(_error_text(content))
        if status in _TRY_AGAIN or (status in _HOPELESS and self.answered):
            wait = _retry_after(headers.get("retry-after"))
            if status in (429, 503, 529):
                self.pace.refused(began, min(wait, self._patience))
            raise _TryAgainError(f"status {status}: {said}", wait=wait)
        if status in _HOPELESS and not self.answered:
            raise UserError(
                f"{_HOPELESS[status]} (status {status}: {said})", where=f"{public_address(self._url)}{path}"
            )
        # What is left is about this one request: too long, a parameter the model does not take.
        return Reply(state="failed", error=f"status {status}: {said}")

    async def _exchange(self, http: Any, path: str, body: Mapping[str, Any]) -> tuple[int, Any, bytes]:
        """Send, and read the answer piece by piece up to a size no honest one reaches."""
        # Plain ASCII can carry any prompt, lone surrogates too; YAML's dates go as they were typed.
        content = json.dumps(dict(body), default=str).encode()
        async with http.stream("POST", self._url + path, content=content) as response:
            pieces, size = [], 0
            async for piece in response.aiter_bytes():
                size += len(piece)
                if size > _LARGEST_ANSWER:
                    raise _TryAgainError("the answer is larger than 32 MB", lie=True)
                pieces.append(piece)
            return response.status_code, response.headers, b"".join(pieces)

    def _read(self, content: bytes, mode: str) -> Reply:
        """The reply inside an answer; anything but exactly one well-formed choice is a lie."""
        try:
            answer = msgspec.json.decode(content, type=_Answer)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            raise _TryAgainError(self._clean(f"malformed answer: {error}"), lie=True) from None
        if len(answer.choices) != 1:
            raise _TryAgainError(f"malformed answer: {len(answer.choices)} choices instead of 1", lie=True)
        choice, usage = answer.choices[0], answer.usage or _Usage()
        made = usage.prompt_tokens, usage.completion_tokens
        cut = choice.finish_reason == "length"
        text = choice.text if mode == "completions" else _spoken(choice.message, cut)
        if choice.finish_reason == "content_filter":
            return Reply(text or "", "failed", "the server's content filter stopped the answer", *made)
        if choice.message is not None and choice.message.refusal:
            return Reply(text or "", "failed", self._clean(f"refused: {choice.message.refusal}"), *made)
        if text is None and not cut:
            raise _TryAgainError("malformed answer: a choice without text", lie=True)
        return Reply(text or "", "truncated" if cut else "complete", "", *made)

    def _tell_gone(self, reason: str) -> None:
        """Say once per absence why nothing happens."""
        if not self._told_gone:
            self._told_gone = True
            LOGGER.warning("nobody at %s (%s); waiting up to %g s", public_address(self._url), reason, self._patience)

    def _nobody_there(self, reason: str) -> UserError:
        return UserError(
            f"nobody has answered for {self._patience:g} s ({reason})",
            where=public_address(self._url),
            hint="start the server or mend -M base_url and give the same command; -M patience=SECONDS waits longer",
        )

    def _clean(self, text: str) -> str:
        """A short text in which the key does not appear, whoever wrote it there."""
        shown = text.replace(self._key, "[key]") if self._key else text
        return " ".join(shown.split())[:300]


def _spoken(message: _Message | None, cut: bool) -> str | None:
    """What a model said, its separately sent thinking put back in front; one cut off may not have got further."""
    if message is None:
        return None
    thought = message.reasoning_content or message.reasoning
    if thought and message.content is not None:
        return f"<think>{thought}</think>{message.content}"
    return f"<think>{thought}" if thought and cut else message.content


def _error_text(content: bytes) -> str:
    """The sentence inside an error answer, or its first words."""
    try:
        data = msgspec.json.decode(content)
        error = data["error"]
        return str(error["message"] if isinstance(error, dict) else error)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError, KeyError, TypeError):
        return content[:200].decode("utf-8", "replace") or "no reason given"


def _retry_after(value: str | None) -> float:
    """Seconds to wait as the header asks: a number, or a date; 0 where it says nothing usable."""
    if not value:
        return 0.0
    try:
        return max(0.0, float(value))
    except ValueError:
        pass
    try:
        moment = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    aware = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return max(0.0, (aware - datetime.now(UTC)).total_seconds())
