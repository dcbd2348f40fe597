"""A progress bar on stderr that appears only when work takes longer than two seconds.

On a terminal it redraws one line; elsewhere (a log file, CI) it prints a line now and then, so that
long work is never silent and never floods.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Self, TextIO, TypeVar

T = TypeVar("T")

_QUIET_SECONDS = 2.0
_REDRAW_SECONDS = 0.1
_LINE_SECONDS = 10.0
_BAR_WIDTH = 24


def clock_text(seconds: float) -> str:
    """Seconds as `m:ss`, or `h:mm:ss` from an hour on."""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def is_helper() -> bool:
    """Whether a launcher (`accelerate launch`) started this process to help another one, which does the talking.

    A rank alone is no sign of it: a stray variable must not make a run do nothing without a word.
    """
    rank, count = (os.environ.get(name, "") for name in ("RANK", "WORLD_SIZE"))
    return rank.isdecimal() and count.isdecimal() and 0 < int(rank) < int(count)


class Progress:
    """Counts work done. Use as a context manager and call `advance`.

    Args:
        label: What is being done.
        total: How many steps there are, None where unknown.
        unit: What a step is, for the rate.
        stream: Where to draw; stderr by default.
    """

    def __init__(self, label: str, total: int | None = None, *, unit: str = "it", stream: TextIO | None = None) -> None:
        self.label = label
        self.total = total
        self.unit = unit
        self.done = 0
        self.note = ""
        self._stream = stream or sys.stderr
        self._silent = os.environ.get("TASKLOOM_PROGRESS", "") == "off" or is_helper()
        self._live = self._stream.isatty()
        self._start = self._first = time.monotonic()
        self._next = self._start + _QUIET_SECONDS
        self._drawn_at: int | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._drawn_at is not None:
            if self._live or self._drawn_at != self.done:
                self._draw()
            if self._live:
                self._stream.write("\n")
                self._stream.flush()

    def skip(self, count: int) -> None:
        """Count work that was done before (a resumed run), without counting it into the rate."""
        self.done += count
        self._first_done = self.done

    _first_done = 0

    def advance(self, count: int = 1, note: str | None = None) -> None:
        """Count `count` more steps; `note` (a running score, a loss) is shown at the end of the line."""
        self.done += count
        if note is not None:
            self.note = note
        if time.monotonic() >= self._next:
            self._draw()

    def say(self, line: str) -> None:
        """A line of its own, at once: something that cannot wait for the end."""
        if not self._silent:
            self._stream.write(f"\r\x1b[K{line}\n" if self._live else f"{line}\n")
            self._stream.flush()

    def _draw(self) -> None:
        now = time.monotonic()
        self._next = now + (_REDRAW_SECONDS if self._live else _LINE_SECONDS)
        if self._silent:
            return
        self._drawn_at = self.done
        seconds = now - self._start  # two at least
        rate = (self.done - self._first_done) / seconds
        text = f"{self.label} "
        if self.total:
            share = min(self.done / self.total, 1.0)
            filled = round(share * _BAR_WIDTH)
            text += f"[{'█' * filled}{'·' * (_BAR_WIDTH - filled)}] {self.done:,}/{self.total:,} {share:4.0%}"
            if rate > 0 and self.done < self.total:
                text += f" · {clock_text((self.total - self.done) / rate)} left"
        else:
            text += f"{self.done:,}"
        text += f" · {rate:,.1f} {self.unit}/s · {clock_text(seconds)}"
        if self.note:
            text += f" · {self.note}"
        self._stream.write(f"\r\x1b[K{text}" if self._live else f"{text}\n")
        self._stream.flush()


def track(items: Iterable[T], label: str, total: int | None = None, *, unit: str = "it") -> Iterator[T]:
    """Iterate with a progress bar."""
    with Progress(label, total, unit=unit) as progress:
        for item in items:
            yield item
            progress.advance()
