"""How many requests may be under way at one address: more while the server copes, fewer when it says stop."""

from __future__ import annotations

import time

__all__ = ["Pace"]

_FIRST_REST = 0.5
_LONGEST_REST = 20.0


class Pace:
    """Additive increase, multiplicative decrease, and a pause after a refusal.

    A success raises the limit by a fraction, so that a full round of successes adds one; "too many
    requests" halves it, once per round and not once per refused request. An address where no server is
    rests for longer each time, so that others of a pool get its requests.

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
        self._rest = _FIRST_REST

    def begin(self) -> None:
        """Count a request that is sent."""
        self.running += 1
        self.peak = max(self.peak, self.running)

    def end(self) -> None:
        """Count a request that has ended."""
        self.running -= 1

    def succeeded(self) -> None:
        """A request came back well."""
        self.limit = min(float(self.most), self.limit + 1 / self.limit)
        self._rest = _FIRST_REST

    def refused(self, began: float, wait: float = 0.0) -> None:
        """The server asked for fewer requests.

        Args:
            began: When the refused request was sent (`time.monotonic`).
            wait: How long it asked to be left alone, in seconds.
        """
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

    def quiet(self) -> float:
        """Seconds until the address may be asked again; 0 if it may now."""
        return max(0.0, self._quiet_until - time.monotonic())

    def full(self) -> bool:
        """Whether every place is taken."""
        return self.running >= max(1, int(self.limit))
