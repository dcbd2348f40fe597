"""An HTTP client for OpenAI-compatible endpoints that expects the worst.

A server may refuse, stall, drip one byte at a time, cut an answer short, send something else than
promised, or go away and come back. What can pass is tried again with growing, jittered waits; what
cannot is said at once; and every request ends in a `Reply`, so one bad answer never costs a run.

There is one queue and no barrier in it: whoever has an answer takes the next request, so a slow
request keeps one place of many busy and nobody waiting.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable, Mapping
from random import SystemRandom
from typing import Any

from taskloom.core import UserError
from taskloom.core.secrets import public_address
from taskloom.models.pace import Pace
from taskloom.models.runtime import LOGGER
from taskloom.models.wire import MalformedAnswerError, Mode, Reply, fault_of, read_answer, retry_after

__all__ = ["Client", "Job"]

_FIRST_WAIT = 0.5
_LONGEST_WAIT = 20.0
_LARGEST_ANSWER = 32 * 1024 * 1024
_SHOWN = 300
_TRY_AGAIN = frozenset({408, 409, 425, 429, 500, 502, 503, 504, 529})
_FATAL = {401: "the key was rejected", 402: "the account has no credit left"}
"""These concern every request alike, before or after the first answer."""
_FATAL_AT_FIRST = {403: "access was refused", 404: "no such model or endpoint"}
"""These stop a run that never got an answer; later they are a fault of one request or of the moment."""
_CONTINUE = "answers so far are kept: once this is fixed, the same command continues"
_jitter = SystemRandom()

Job = tuple[int, Mapping[str, Any]]
"""A number to know a request by, and its body."""


class _TryAgainError(Exception):
    """Worth another try. `malformed` answers are few in number; `gone` means that nobody was there."""

    def __init__(self, reason: str, *, wait: float = 0.0, malformed: bool = False, gone: bool = False) -> None:
        super().__init__(reason)
        self.wait = wait
        self.malformed = malformed
        self.gone = gone


class Client:
    """Sends requests, keeps pace, and never shows its secrets.

    Args:
        url: The address up to and with `/v1`.
        key: The key, or "" for servers that want none.
        concurrency: The most requests at once.
        timeout: Seconds a request may take in all.
        patience: Seconds to go on trying one request.
        retries: How many malformed answers to one request are borne.
        clean: Takes secrets out of a text.
    """

    def __init__(
        self,
        url: str,
        key: str,
        *,
        concurrency: int,
        timeout: float,
        patience: float,
        retries: int,
        clean: Callable[[str], str],
    ) -> None:
        self._url = url
        self._key = key
        self._timeout = timeout
        self._patience = patience
        self._retries = retries
        self._clean_text = clean
        self.pace = Pace(concurrency)
        self._heard_at = -float("inf")
        self._gone_shown = False
        self.tries = 0
        self.answered = 0
        """How many requests came back well. Once one has, most refusals are passing faults of the server."""

    async def send_all(
        self, path: str, jobs: AsyncIterator[Job], mode: Mode, done: Callable[[int, Reply], None]
    ) -> None:
        """Send requests as they come, as many at once as the pace allows; `done` gets each reply at once.

        Raises:
            UserError: The server refuses everything we could ask (key, credit, access, model), or nobody
                was there for as long as patience lasts.
        """
        import httpx

        headers = {"Content-Type": "application/json"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        limits = httpx.Limits(max_connections=self.pace.most, max_keepalive_connections=self.pace.most)
        one_at_a_time = asyncio.Lock()

        async def next_job() -> Job | None:
            # Several workers cannot step one asynchronous generator at the same moment.
            async with one_at_a_time:
                return await anext(jobs, None)

        async def work(http: Any) -> None:
            while (job := await next_job()) is not None:
                done(job[0], await self._send(http, path, job[1], mode))

        # The total time-out of a request is kept by asyncio; httpx only knows time-outs per read.
        async with httpx.AsyncClient(headers=headers, limits=limits, timeout=self._timeout) as http:
            workers = [asyncio.create_task(work(http)) for _ in range(self.pace.most)]
            try:
                await asyncio.gather(*workers)
            finally:
                # Where one stops everything (a refused key), the others must not go on asking.
                for worker in workers:
                    worker.cancel()
                await asyncio.gather(*workers, return_exceptions=True)

    async def _send(self, http: Any, path: str, body: Mapping[str, Any], mode: Mode) -> Reply:
        """Try until an answer comes, patience ends, or the server makes clear that it never will."""
        deadline: float | None = None
        waited, malformed = _FIRST_WAIT, 0
        while True:
            async with self.pace.turn():
                began = time.monotonic()
                # Waiting for one's turn is not the server's fault, so patience starts here.
                deadline = began + self._patience if deadline is None else deadline
                try:
                    reply = await self._try_once(http, path, body, mode, began)
                except _TryAgainError as error:
                    problem = error
                else:
                    self.pace.succeeded()
                    self.answered += reply.state != "failed"
                    return reply
            malformed += problem.malformed
            # Full jitter keeps requests that failed together from coming back together.
            pause = max(problem.wait, _jitter.uniform(0.1, 1.0) * waited)
            if malformed > self._retries or time.monotonic() + pause > deadline:
                if problem.gone and self._heard_at < deadline - self._patience:
                    # Each of the others would wait as long for nothing.
                    raise self._nobody_there(str(problem))
                return Reply(state="failed", error=str(problem))
            LOGGER.debug("trying again in %.1f s: %s", pause, problem)
            await asyncio.sleep(pause)
            waited = min(_LONGEST_WAIT, 2 * waited)

    async def _try_once(self, http: Any, path: str, body: Mapping[str, Any], mode: Mode, began: float) -> Reply:
        import httpx

        self.tries += 1
        try:
            async with asyncio.timeout(self._timeout):
                status, headers, content = await self._exchange(http, path, body)
        except TimeoutError:
            raise _TryAgainError(f"no complete answer within {self._timeout:g} s") from None
        except httpx.DecodingError as error:
            raise _TryAgainError(self._clean(f"malformed answer: {error}"), malformed=True) from None
        except httpx.TransportError as error:
            gone = isinstance(error, httpx.ConnectError | httpx.ConnectTimeout)
            reason = self._clean(f"{type(error).__name__}: {error}")
            if gone:
                self.pace.refused(began)
                self._show_gone(reason)
            raise _TryAgainError(reason, gone=gone) from None
        self._heard_at, self._gone_shown = time.monotonic(), False
        if status != 200:
            return self._refused(status, headers.get("retry-after"), content, path, began)
        try:
            reply = read_answer(content, mode)
        except MalformedAnswerError as error:
            raise _TryAgainError(self._clean(str(error)), malformed=True) from None
        if reply.state == "failed":
            return Reply(reply.text, "failed", self._clean(reply.error), reply.prompt_tokens, reply.output_tokens)
        return reply

    def _refused(self, status: int, wait_header: str | None, content: bytes, path: str, began: float) -> Reply:
        """Sort out an error answer: stop the run, try again, or fail this one request.

        Raises:
            UserError: The run cannot go on.
            _TryAgainError: The request may succeed later.
        """
        fault = fault_of(content)
        said, wait = self._clean(fault.said), retry_after(wait_header)
        fatal = _FATAL | ({} if self.answered else _FATAL_AT_FIRST)
        if status in fatal:
            raise self._stopped(fatal[status], status, said, path)
        # A limit per minute is often called a quota too, but says when it ends.
        if fault.spent and not wait and status in (400, 403, 429):
            raise self._stopped("the account's quota is exhausted", status, said, path)
        if status in _TRY_AGAIN or status in _FATAL_AT_FIRST:
            if status == 429 and wait > self._patience:
                reason = f"the server asks to wait {wait:,.0f} s, longer than -M patience={self._patience:g}"
                raise self._stopped(reason, status, said, path)
            if status in (429, 503, 529):
                self.pace.refused(began, min(wait, self._patience))
            raise _TryAgainError(f"status {status}: {said}", wait=wait)
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
                    raise _TryAgainError("the answer is larger than 32 MB", malformed=True)
                pieces.append(piece)
            return response.status_code, response.headers, b"".join(pieces)

    def _show_gone(self, reason: str) -> None:
        """Say once per absence why nothing happens."""
        if not self._gone_shown:
            self._gone_shown = True
            LOGGER.warning(
                "no server at %s (%s); waiting up to %g s", public_address(self._url), reason, self._patience
            )

    def _stopped(self, why: str, status: int, said: str, path: str) -> UserError:
        return UserError(f"{why} (status {status}: {said})", where=public_address(self._url) + path, hint=_CONTINUE)

    def _nobody_there(self, reason: str) -> UserError:
        return UserError(
            f"no answer for {self._patience:g} s ({reason})",
            where=public_address(self._url),
            hint="start the server or correct -M base_url, then run this again; -M patience=SECONDS waits longer",
        )

    def _clean(self, text: str) -> str:
        """A short text without secrets. They are taken out first: a cut could leave half of one."""
        return " ".join(self._clean_text(text).split())[:_SHOWN]
