"""An HTTP client that expects the worst of servers and uses several of them as one.

A server may refuse, stall, drip one byte at a time, cut an answer short, send something else than
promised, or go away and come back. What can pass is tried again with growing, jittered waits; what
cannot is said at once; and every request ends in a `Reply`, so one bad answer never costs a run.
"""

from __future__ import annotations

import asyncio
import json
import threading
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from queue import Empty, SimpleQueue
from random import SystemRandom
from typing import TYPE_CHECKING, Any

from taskloom.core import UserError
from taskloom.core.secrets import public_address, scrub
from taskloom.models.backlog import Address, Attempt, Backlog, Fields
from taskloom.models.runtime import LOGGER
from taskloom.models.wires.wire import MalformedReplyError, Reply, Wire, fault_of, read_answer, retry_after

FIRST_WAIT = 0.5
_PATIENCE, FIRST_PATIENCE = 300.0, 10.0
"""Seconds for all tries of a request once a server has answered, and for finding one at all: an address is more often
mistyped than a server late."""
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
if TYPE_CHECKING:
    from taskloom.models.api import APIOptions


class _TryAgainError(Exception):
    """Worth another try. `malformed` answers are few in number; `gone` means that no server was there."""

    def __init__(self, reason: str, *, wait: float = 0.0, malformed: bool = False, gone: bool = False) -> None:
        super().__init__(reason)
        self.wait = wait
        self.malformed = malformed
        self.gone = gone


class Client:
    """Sends requests, keeps pace with every address, and never shows its secrets.

    Args:
        urls: The addresses up to and with `/v1`; several are used as one.
        key: The key, or "" for servers that want none.
        options: Requests at once per address, seconds for one request and for all tries of it, malformed answers to
            one request that are accepted, and whether the last requests may be asked at two addresses.
    """

    def __init__(self, urls: Sequence[str], key: str, options: APIOptions) -> None:
        self.addresses = [Address(url, options.concurrency, key) for url in urls]
        self.timeout, self._retries = options.timeout, options.malformed
        self.patience = _PATIENCE if options.patience is None else options.patience
        self._first_patience = FIRST_PATIENCE if options.patience is None else options.patience
        self.twice = options.twice == "always" or (options.twice == "auto" and len(urls) > 1)
        self.fields = Fields()
        self._heard_at = -float("inf")
        self._gone_shown = False
        self.tries = 0
        self.answered = 0
        """How many requests came back well. Once one has, most refusals are passing faults of the server."""

    def move_to(self, keys: Mapping[str, str], concurrency: int) -> None:
        """Ask other addresses from now on, each with its own key."""
        self.addresses = [Address(url, concurrency, key) for url, key in keys.items()]

    @property
    def places(self) -> int:
        return sum(address.pace.most for address in self.addresses)

    def problem(self, attempt: Attempt, error: _TryAgainError) -> Reply | float:
        """What a failed try comes to: a pause before the next one, or a failed reply when patience is over."""
        attempt.malformed += error.malformed
        attempt.waited = min(_LONGEST_WAIT, 2 * attempt.waited) if attempt.waited else FIRST_WAIT
        # Full jitter keeps requests that failed together from coming back together.
        pause = max(error.wait, _jitter.uniform(0.1, 1.0) * attempt.waited)
        patience = self._absence if error.gone else self.patience
        if attempt.malformed <= self._retries and time.monotonic() + pause <= attempt.began + patience:
            LOGGER.debug("trying again in %.1f s: %s", pause, error)
            return pause
        if error.gone and self._heard_at < attempt.began:
            # Each of the others would wait as long for nothing.
            raise self._nobody_there(str(error))
        return Reply(state="failed", error=str(error))

    @property
    def _absence(self) -> float:
        """How many seconds to wait for a server that is not there."""
        return self.patience if self._heard_at > 0 else self._first_patience

    async def try_once(self, http: Any, address: Address, path: str, attempt: Attempt, wire: Wire) -> Reply:
        """One exchange, read.

        Raises:
            _TryAgainError: The request may succeed later.
            UserError: The run cannot go on.
        """
        import aiohttp

        self.tries += 1
        began = time.monotonic()
        attempt.began = attempt.began or began
        body = self.fields.apply(attempt.body)
        try:
            status, headers, content = await self._exchange(http, address, path, body, wire)
        except TimeoutError:
            raise _TryAgainError(f"no complete answer within {self.timeout:g} s") from None
        except aiohttp.ClientConnectorError as error:
            reason = self._clean(f"{type(error).__name__}: {error}")
            address.pace.gone(began)
            self._show_gone(address, reason)
            raise _TryAgainError(reason, gone=True) from None
        except (aiohttp.ClientError, OSError) as error:
            undecodable = "content-encoding" in str(error)
            raise _TryAgainError(self._clean(f"{type(error).__name__}: {error}"), malformed=undecodable) from None
        self._heard_at, self._gone_shown = time.monotonic(), False
        if status != 200:
            return self._refused(status, headers.get("Retry-After"), content, address, path, body, began)
        try:
            reply = read_answer(content, wire, stream="event-stream" in headers.get("Content-Type", ""))
        except MalformedReplyError as error:
            raise _TryAgainError(self._clean(str(error)), malformed=True) from None
        address.pace.succeeded(time.monotonic() - began)
        self.answered += reply.state != "failed"
        if reply.state == "failed":
            return Reply(reply.text, "failed", self._clean(reply.error), reply.usage, served=reply.served)
        return reply

    def _refused(
        self,
        status: int,
        wait_header: str | None,
        content: bytes,
        address: Address,
        path: str,
        body: Mapping[str, Any],
        began: float,
    ) -> Reply:
        """Sort out an error answer: stop the run, try again, or fail this one request.

        Raises:
            UserError: The run cannot go on.
            _TryAgainError: The request may succeed later.
        """
        fault = fault_of(content)
        said, wait = self._clean(fault.said), retry_after(wait_header)
        fatal = _FATAL | ({} if self.answered else _FATAL_AT_FIRST)
        if status in fatal:
            raise self._stopped(fatal[status], status, said, address, path)
        # A limit per minute is often called a quota too, but says when it ends.
        if fault.spent and not wait and status in (400, 403, 429):
            raise self._stopped("the account's quota is exhausted", status, said, address, path)
        if status in _TRY_AGAIN or status in _FATAL_AT_FIRST:
            if status == 429 and wait > self.patience:
                reason = f"the server asks to wait {wait:,.0f} s, longer than -M patience={self.patience:g}"
                raise self._stopped(reason, status, said, address, path)
            if status in (429, 503, 529):
                address.pace.refused(began, min(wait, self.patience))
            raise _TryAgainError(f"status {status}: {said}", wait=wait if len(self.addresses) == 1 else 0.0)
        if status in (400, 422) and self.fields.learn(body, fault.said):
            raise _TryAgainError(f"status {status}: {said}")
        # What is left is about this one request: too long, a content that the server does not take.
        return Reply(state="failed", error=f"status {status}: {said}")

    async def _exchange(
        self, http: Any, address: Address, path: str, body: Mapping[str, Any], wire: Wire
    ) -> tuple[int, Any, bytes]:
        """Send, and read the answer piece by piece up to a size no honest one reaches."""
        # Plain ASCII can carry any prompt, lone surrogates too; YAML's dates go as they were typed.
        content = json.dumps(body, default=str).encode()
        where, headers = address.url + path, wire.headers(address.key)
        async with http.post(
            where, data=content, headers=headers, allow_redirects=False, proxy=address.proxy
        ) as response:
            pieces, size = [], 0
            async for piece in response.content.iter_any():
                size += len(piece)
                if size > _LARGEST_ANSWER:
                    raise _TryAgainError("the answer is larger than 32 MB", malformed=True)
                pieces.append(piece)
            return response.status, response.headers, b"".join(pieces)

    def _show_gone(self, address: Address, reason: str) -> None:
        """Say once per absence why nothing happens."""
        if not self._gone_shown:
            self._gone_shown = True
            shown = public_address(address.url)
            LOGGER.warning("no server at %s (%s); waiting up to %g s", shown, reason, self._absence)

    def _stopped(self, why: str, status: int, said: str, address: Address, path: str) -> UserError:
        where = public_address(address.url) + path
        return UserError(f"{why} (status {status}: {said})", where=where, hint=_CONTINUE)

    def _nobody_there(self, reason: str) -> UserError:
        return UserError(
            f"no answer for {self._absence:g} s ({reason})",
            where=", ".join(public_address(address.url) for address in self.addresses),
            hint="start the server (--launch starts vllm/, sglang/, ollama/ or llama-server/ if it is installed) "
            "or correct -M base_url, then run this again; -M patience=SECONDS waits longer",
        )

    def _clean(self, text: str) -> str:
        """A short text without secrets. They are taken out first: a cut could leave half of one."""
        return " ".join(scrub(text).split())[:_SHOWN]


def _cause(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The error that ended a conversation: what the user can mend, where there is such a one."""
    mendable, others = group.split(UserError)
    error = (mendable or others or group).exceptions[0]
    return _cause(error) if isinstance(error, BaseExceptionGroup) else error


_AHEAD = 2
"""Requests prepared per place at the server; enough that none is empty while an answer is written down."""


def converse(
    client: Client, path: str, bodies: Iterable[Mapping[str, Any]], wire: Wire
) -> Iterator[list[tuple[int, Reply]]]:
    """Replies with the places of their requests, in groups: all that arrived since the last look.

    Raises:
        UserError: The server refuses everything we could ask (key, credit, access, model), or no server was there for
            as long as patience lasts. What arrived before it is given first.
    """
    talk = _Conversation(client, path, wire)
    try:
        waiting = 0
        for index, body in enumerate(bodies):
            talk.put(index, body)
            waiting += 1
            while group := talk.take(block=waiting >= _AHEAD * client.places):
                waiting -= len(group)
                yield group
        talk.close()
        while waiting:
            group = talk.take(block=True)
            waiting -= len(group)
            yield group
    finally:
        talk.stop()


class _Conversation:
    """One conversation: a dispatcher per address, all of them taking from one backlog, in a thread of its own."""

    def __init__(self, client: Client, path: str, wire: Wire) -> None:
        self._client, self._path, self._wire = client, path, wire
        self._arrived: SimpleQueue[tuple[int, Reply] | BaseException] = SimpleQueue()
        self._error: BaseException | None = None
        self._ready = threading.Event()
        self._waking = False
        self._loop: asyncio.AbstractEventLoop
        self._task: asyncio.Task[None]
        # A daemon, so that Ctrl-C ends the program without waiting for slow answers; what came is logged.
        threading.Thread(target=self._work, daemon=True).start()
        self._ready.wait()

    def _work(self) -> None:
        try:
            asyncio.run(self._main())
        except BaseExceptionGroup as group:
            self._arrived.put(_cause(group))
        except BaseException as error:  # noqa: BLE001 - handed on to the caller by `take`
            self._arrived.put(error)

    async def _main(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._task = asyncio.current_task()  # type: ignore[assignment]
        self._backlog = Backlog(self._client.addresses, twice=self._client.twice)
        self._ready.set()
        import aiohttp

        session = aiohttp.ClientSession(
            headers={"Content-Type": "application/json"},
            connector=aiohttp.TCPConnector(limit=0),
            timeout=aiohttp.ClientTimeout(total=self._client.timeout),
        )
        # One task that stops everything (a refused key) cancels the others of its group: none goes on asking.
        async with session as http, asyncio.TaskGroup() as group:
            for address in self._client.addresses:
                group.create_task(self._dispatch(http, group, address))

    async def _dispatch(self, http: Any, group: asyncio.TaskGroup, address: Address) -> None:
        while (attempt := await self._backlog.take(address)) is not None:
            address.pace.begin()
            task = group.create_task(self._carry(http, address, attempt))
            attempt.held_by.append((address, task, time.monotonic()))

    async def _carry(self, http: Any, address: Address, attempt: Attempt) -> None:
        outcome: Reply | float | None = None
        try:
            outcome = await self._client.try_once(http, address, self._path, attempt, self._wire)
            self._backlog.scouted()
        except _TryAgainError as error:
            outcome = self._client.problem(attempt, error)
        finally:
            address.pace.end()
            attempt.held_by = [held for held in attempt.held_by if held[0] is not address]
            if isinstance(outcome, Reply):
                if self._backlog.finish(attempt):
                    self._arrived.put((attempt.number, outcome))
            elif outcome is not None and not attempt.answered:
                self._backlog.put_back(attempt, address, outcome)
            self._backlog.wake()

    def _call(self, function: Callable[..., Any], *arguments: Any) -> None:
        try:
            self._loop.call_soon_threadsafe(function, *arguments)
        except RuntimeError:
            return  # the loop has ended; `take` says why

    def put(self, number: int, body: Mapping[str, Any]) -> None:
        """Hand over a request. Waking the loop costs as much as sending does, so it is woken once for many."""
        self._backlog.add(Attempt(number, body))
        if not self._waking:
            self._waking = True
            self._call(self._wake)

    def _wake(self) -> None:
        self._waking = False
        self._backlog.wake()

    def close(self) -> None:
        self._call(self._backlog.close)

    def take(self, *, block: bool) -> list[tuple[int, Reply]]:
        """What has arrived; with `block` at least one reply, or the error that ended the conversation."""
        group: list[tuple[int, Reply]] = []
        while True:
            if self._error is not None:
                if group:
                    return group
                raise self._error
            try:
                item = self._arrived.get(block=block and not group)
            except Empty:
                return group
            if isinstance(item, BaseException):
                self._error = item
            else:
                group.append(item)

    def stop(self) -> None:
        """Give up what is under way, where there is something."""
        self._call(self._task.cancel)
