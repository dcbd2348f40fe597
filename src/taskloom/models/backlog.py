"""The requests of a conversation that have no answer yet: one list for all addresses, each taking what it can carry.

An address pulls whenever it has a place, so a fast one carries more without anybody weighing speeds. What failed goes
back to the list and is tried elsewhere first. When the list is empty, a request that a slow address still holds may
be asked a second time: the first answer counts.
"""

from __future__ import annotations

import asyncio
import time
from collections import deque
from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from taskloom.models.pace import Pace

__all__ = ["Address", "Attempt", "Backlog"]

_SCOUTING = 2.0
"""Seconds for which the first request goes alone. What a server rejects, it rejects at once and for all of them."""


class Address:
    """One place where a model can be asked."""

    def __init__(self, url: str, places: int, key: str = "") -> None:
        self.url = url
        self.key = key
        self.proxy = _proxy(url)
        self.pace = Pace(places)


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for an address; looked up once, since aiohttp would do so per request."""
    parts = urlsplit(url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)


class Attempt:
    """A request on its way to an answer."""

    def __init__(self, number: int, body: Mapping[str, Any]) -> None:
        self.number = number
        self.body = body
        self.deadline: float | None = None
        """When patience ends. Waiting for a place is not the server's fault, so it counts from the first try."""
        self.waited = 0.0
        self.malformed = 0
        self.due = 0.0
        self.failed_at: Address | None = None
        self.began = 0.0
        self.held_by: list[tuple[Address, asyncio.Task[None]]] = []
        self.answered = False


class Backlog:
    """Hands out attempts.

    Args:
        addresses: Where they may go.
        twice: Whether the last requests may be asked a second time elsewhere.
    """

    def __init__(self, addresses: list[Address], *, twice: bool) -> None:
        self._addresses = addresses
        self._twice = twice
        self._fresh: deque[Attempt] = deque()
        self._again: list[Attempt] = []
        self._under_way: dict[int, Attempt] = {}
        self._began = time.monotonic()
        self._scouted = False
        self._closed = False
        self._changed = asyncio.Event()

    def add(self, attempt: Attempt) -> None:
        """A new request."""
        self._fresh.append(attempt)
        self.wake()

    def close(self) -> None:
        """There will be no new requests."""
        self._closed = True
        self.wake()

    def wake(self) -> None:
        """Something has changed: a place is free, or a request is there."""
        self._changed.set()

    def scouted(self) -> None:
        """A server has answered, so the others may follow."""
        self._scouted = True

    def finish(self, attempt: Attempt) -> bool:
        """Take note of an answer; False if there was one before. The other copy of the request is given up."""
        first, attempt.answered = not attempt.answered, True
        self._under_way.pop(attempt.number, None)
        for _, task in attempt.held_by:
            if task is not asyncio.current_task():
                task.cancel()
        return first

    def put_back(self, attempt: Attempt, address: Address, pause: float) -> None:
        """Try a request again after a pause, at another address if there is one."""
        attempt.failed_at, attempt.due = address, time.monotonic() + pause
        if not attempt.held_by:
            self._under_way.pop(attempt.number, None)
            self._again.append(attempt)

    async def take(self, address: Address) -> Attempt | None:
        """The next request for an address that has a place for it; None once all are answered."""
        while True:
            self._changed.clear()
            wait = address.pace.quiet()
            if not wait and not address.pace.full():
                if (attempt := self._next(address)) is not None:
                    return attempt
                wait = self._until_due()
            if self._closed and not (self._fresh or self._again or self._under_way):
                self.wake()  # the dispatchers of the other addresses end with this one
                return None
            with suppress(TimeoutError):
                async with asyncio.timeout(wait or None):
                    await self._changed.wait()

    def _next(self, address: Address) -> Attempt | None:
        now = time.monotonic()
        scouting = not self._scouted and now < self._began + _SCOUTING
        if scouting and self._under_way:
            return None
        for index, attempt in enumerate(self._again):
            if attempt.due <= now and (attempt.failed_at is not address or not self._another(address)):
                return self._hand_out(self._again.pop(index), now)
        if self._fresh:
            return self._hand_out(self._fresh.popleft(), now)
        return self._second_copy(address) if self._twice and self._closed else None

    def _hand_out(self, attempt: Attempt, now: float) -> Attempt:
        attempt.began = now
        self._under_way[attempt.number] = attempt
        return attempt

    def _another(self, address: Address) -> bool:
        """Whether some other address can take a request now."""
        return any(other is not address and not other.pace.quiet() for other in self._addresses)

    def _second_copy(self, address: Address) -> Attempt | None:
        """The request that another address has held for longest, once."""
        held = [
            attempt
            for attempt in self._under_way.values()
            if len(attempt.held_by) == 1 and attempt.held_by[0][0] is not address
        ]
        return min(held, key=lambda attempt: attempt.began, default=None)

    def _until_due(self) -> float:
        """Seconds until something may be handed out without any event; 0 where only an event helps."""
        now = time.monotonic()
        moments = [attempt.due for attempt in self._again]
        if not self._scouted and self._fresh:
            moments.append(self._began + _SCOUTING)
        # An address that must not take what failed there looks again shortly: the others may have gone quiet.
        return max(0.05, min(moments) - now) if moments else 0.0
