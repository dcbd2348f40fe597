"""How many requests may be under way at once: more while a server copes, fewer when it says stop."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

__all__ = ["Pace"]


class Pace:
    """Additive increase, multiplicative decrease, and one pause that everybody keeps.

    A success raises the limit by a fraction, so that a full round of successes adds one; "too many
    requests" halves it, once per round and not once per refused request.

    Args:
        most: The most requests at once, and where it starts.
    """

    def __init__(self, most: int) -> None:
        if most < 1:
            raise ValueError("at least one request at a time")
        self.most = most
        self.limit = float(most)
        self.refusals = 0
        self.running = 0
        self.peak = 0
        self._quiet_until = 0.0
        self._halved_at = -float("inf")

    def succeeded(self) -> None:
        """A request came back well."""
        self.limit = min(float(self.most), self.limit + 1 / self.limit)

    def refused(self, began: float, wait: float = 0.0) -> None:
        """The server asked for fewer requests.

        Args:
            began: When the refused request was sent (`time.monotonic`).
            wait: How long it asked everybody to wait, in seconds.
        """
        self.refusals += 1
        # Requests sent before the last halving tell nothing about the limit since then.
        if began > self._halved_at:
            self.limit = max(1.0, self.limit / 2)
            self._halved_at = time.monotonic()
        self._quiet_until = max(self._quiet_until, time.monotonic() + wait)

    @asynccontextmanager
    async def turn(self) -> AsyncIterator[None]:
        """Wait until a request may be sent, and count it while it is under way."""
        while True:
            quiet = self._quiet_until - time.monotonic()
            if quiet <= 0 and self.running < max(1, int(self.limit)):
                break
            # Polling is simple, and next to a request to a server it costs nothing.
            await asyncio.sleep(min(max(quiet, 0.01), 0.25))
        self.running += 1
        self.peak = max(self.peak, self.running)
        try:
            yield
        finally:
            self.running -= 1
