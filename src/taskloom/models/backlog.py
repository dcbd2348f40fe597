"""The requests of a conversation that have no answer yet: one list for all addresses, each taking what it can carry.

An address pulls whenever it has a place, so a fast one carries more without anybody weighing speeds. What failed goes
back to the list and is tried elsewhere first. When the list is empty, a request that a slow address still holds may
be asked again at a faster one: the first answer counts.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

from taskloom.models.runtime import LOGGER

FIRST_REST = 0.5
_LONGEST_REST = 20.0


class Pace:
    """Additive increase, multiplicative decrease, and a pause after a refusal.

    A success raises the limit by a fraction, so that a full round of successes adds one; "too many
    requests" halves it, once per round and not once per refused request. An address where no server is
    rests for longer each time, so that others of a pool get its requests. It starts with the most requests at once.
    """

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError("at least one request at a time")
        self.most = most
        self.limit = float(most)
        self.refusals = 0
        self.running = 0
        self.usual = float("inf")
        """Seconds that an answer takes lately; endless before the first one."""
        self.peak = 0
        self._quiet_until = 0.0
        self._halved_at = -float("inf")
        self._rest = FIRST_REST

    def begin(self) -> None:
        self.running += 1
        self.peak = max(self.peak, self.running)

    def end(self) -> None:
        self.running -= 1

    def succeeded(self, seconds: float = 0.0) -> None:
        """A request came back well, after so many seconds."""
        self.usual = seconds if self.usual == float("inf") else 0.8 * self.usual + 0.2 * seconds
        self.limit = min(float(self.most), self.limit + 1 / self.limit)
        self._rest = FIRST_REST

    def refused(self, began: float, wait: float = 0.0) -> None:
        """The server refused a request sent at `began` (`time.monotonic`), and wants `wait` seconds without any."""
        self.refusals += 1
        # Requests sent before the last halving tell nothing about the limit since then.
        if began > self._halved_at:
            self.limit = max(1.0, self.limit / 2)
            self._halved_at = time.monotonic()
        self._quiet_until = max(self._quiet_until, time.monotonic() + wait)

    def gone(self, began: float) -> None:
        """There is no server at the address: rest, longer after each try that was made since the last rest."""
        if began > self._quiet_until - self._rest:
            self.refused(began, self._rest)
            self._rest = min(_LONGEST_REST, 2 * self._rest)

    def still_to_wait(self, waited: float) -> float:
        """Seconds that a request is likely to take yet; one that is overdue may take as long again as it has taken."""
        return self.usual - waited if waited < self.usual else waited

    def quiet(self) -> float:
        """Seconds until the address may be asked again; 0 if it may now."""
        return max(0.0, self._quiet_until - time.monotonic())

    def full(self) -> bool:
        return self.running >= max(1, int(self.limit))


_OPTIONAL = frozenset({"temperature", "top_p", "topP", "seed", "store"})
"""What a request can do without. Log-probabilities, schemas and efforts were asked for: without them it fails."""
_SUCCESSORS = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
"""Names of one thing: servers that reject one of them ask for the other."""
_REJECTS = re.compile(
    r"unsupported|not support|unknown|unrecogni[sz]ed|unexpected|not permitted|not allowed|cannot be (?:set|used)|"
    r"deprecated|extra (?:fields|inputs)|only the default|invalid (?:parameter|argument)|use \W?\w+\W? instead",
    re.IGNORECASE,
)
"""A server that names a field may only want another value of it; these words say that it wants none."""


class Fields:
    """Fields of request bodies that have another name here, or none.

    Attributes:
        known: The field as we send it, and what the server calls it; None leaves it out.
    """

    def __init__(self) -> None:
        self.known: dict[str, str | None] = {}

    def apply(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """The body as this server takes it."""
        if not self.known:
            return dict(body)
        return dict(self._translated(body))

    def _translated(self, body: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for name, value in body.items():
            renamed = self.known.get(name, name)
            if renamed is not None:
                yield renamed, self.apply(value) if name == "generationConfig" else value

    def learn(self, body: Mapping[str, Any], said: str) -> bool:
        """Take note of what an error answer says about the body that was sent; False if it names no field of it."""
        if not _REJECTS.search(said):
            return False
        sent = {*body, *body.get("generationConfig", ())} & (_OPTIONAL | set(_SUCCESSORS))
        named = [name for name in sorted(sent) if re.search(rf"(?<![\w.]){re.escape(name)}\b", said)]
        for name in named:
            if name in self.known:  # a request that was on its way when another one learned it
                return True
            successor = _SUCCESSORS.get(name)
            new = successor if successor and successor in said and self.known.get(successor, "") is not None else None
            if successor and new is None:
                continue  # an answer needs a limit of length; a server that wants another number is not helped by none
            self.known[name] = new
            LOGGER.warning("the server rejects %s; %s", name, f"{new} is sent instead" if new else "it is left out")
            return True
        return False


_SCOUTING = 2.0
"""Seconds for which the first request goes alone. What a server rejects, it rejects at once and for all of them."""


_COPIES = 3
"""The most addresses at which a request is asked at the same time."""


class Address:
    """One place where a model can be asked."""

    def __init__(self, url: str, places: int, key: str = "") -> None:
        self.url, self.key, self.proxy, self.pace = url, key, _proxy(url), Pace(places)


def _proxy(url: str) -> str | None:
    """The proxy that the environment names for an address; looked up once, since aiohttp would do so per request."""
    parts = urlsplit(url)
    return None if proxy_bypass(parts.hostname or "") else getproxies().get(parts.scheme)


@dataclass(eq=False)
class Attempt:
    """A request on its way to an answer."""

    number: int
    body: Mapping[str, Any]
    began: float = 0.0
    """When it was first tried: waiting for a place is not the server's fault, so patience counts from here."""
    waited: float = 0.0
    malformed: int = 0
    due: float = 0.0
    failed_at: Address | None = None
    held_by: list[tuple[Address, asyncio.Task[None], float]] = field(default_factory=list)
    """Where it is under way, and since when."""
    answered: bool = False


class Backlog:
    """Hands out attempts to addresses; with `twice`, the last ones may be asked a second time elsewhere."""

    def __init__(self, addresses: list[Address], *, twice: bool) -> None:
        self._addresses = addresses
        self._twice = twice
        self._fresh: deque[Attempt] = deque()
        self._again: list[Attempt] = []
        self._under_way: dict[int, Attempt] = {}
        self._began = float("inf")
        self._scouted = False
        self._closed = False
        self._changed = asyncio.Event()

    def add(self, attempt: Attempt) -> None:
        """A new request, from any thread; `wake` has to follow in the loop."""
        self._fresh.append(attempt)

    def close(self) -> None:
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
        for _, task, _ in attempt.held_by:
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
                return self._hand_out(self._again.pop(index))
        if self._fresh:
            return self._hand_out(self._fresh.popleft())
        return self._second_copy(address) if self._twice and self._closed else None

    def _hand_out(self, attempt: Attempt) -> Attempt:
        self._began = min(self._began, time.monotonic())
        self._under_way[attempt.number] = attempt
        return attempt

    def _another(self, address: Address) -> bool:
        return any(other is not address and not other.pace.quiet() for other in self._addresses)

    def _second_copy(self, address: Address) -> Attempt | None:
        """The request that will take the longest where it is now, if this address is likely to answer it sooner."""
        now = time.monotonic()
        left = {
            attempt.number: min(holder.pace.still_to_wait(now - began) for holder, _, began in attempt.held_by)
            for attempt in self._under_way.values()
            if 0 < len(attempt.held_by) < _COPIES and all(holder is not address for holder, *_ in attempt.held_by)
        }
        longest = max(left, key=left.__getitem__, default=None)
        return None if longest is None or left[longest] <= address.pace.usual else self._under_way[longest]

    def _until_due(self) -> float:
        """Seconds until something may be handed out without any event; 0 where only an event helps."""
        now = time.monotonic()
        moments = [attempt.due for attempt in self._again]
        if not self._scouted and self._fresh and self._under_way:
            moments.append(self._began + _SCOUTING)
        if self._twice and self._closed:
            moments.append(now + 0.1)  # what is under way elsewhere may be overdue by then
        # An address that must not take what failed there looks again shortly: the others may have gone quiet.
        return max(0.05, min(moments) - now) if moments else 0.0
