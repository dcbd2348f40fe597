"""What a log holds, by place: a state and a row hash each, in nine bytes.

A run of a million rows must know which of them are answered without keeping a million keys in memory.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterator

from taskloom.ask.judge import State

_PAGE = 1_024
_STATES: tuple[State | None, ...] = (None, "scored", "truncated", "errored")
_CODES = {state: code for code, state in enumerate(_STATES)}


class Places:
    """States and row hashes by place. Places may be sparse: memory is taken in pages of 1,024."""

    def __init__(self) -> None:
        self._pages: dict[int, tuple[bytearray, array[int]]] = {}
        self._counts = [0] * len(_STATES)

    def put(self, place: int, state: State, row: str) -> None:
        """Note what became of a place; the newest word counts."""
        number, at = divmod(place, _PAGE)
        page = self._pages.get(number)
        if page is None:
            page = self._pages[number] = (bytearray(_PAGE), array("Q", bytes(8 * _PAGE)))
        states, rows = page
        if states[at]:
            self._counts[states[at]] -= 1
        states[at] = _CODES[state]
        self._counts[states[at]] += 1
        rows[at] = _short(row)

    def state(self, place: int) -> State | None:
        """The state of a place, None where nothing was asked yet."""
        number, at = divmod(place, _PAGE)
        page = self._pages.get(number)
        return None if page is None else _STATES[page[0][at]]

    def same_row(self, place: int, row: str) -> bool:
        """Whether the row asked at a place was this one."""
        number, at = divmod(place, _PAGE)
        return self._pages[number][1][at] == _short(row)

    def count(self, state: State) -> int:
        """How many places are in a state."""
        return self._counts[_CODES[state]]

    def __len__(self) -> int:
        return sum(self._counts)

    def __iter__(self) -> Iterator[int]:
        """The places that are taken, in order."""
        for number in sorted(self._pages):
            for at, code in enumerate(self._pages[number][0]):
                if code:
                    yield number * _PAGE + at


def _short(row: str) -> int:
    """Half of a row's hash: enough to see that it is another row."""
    return int(row[:16] or "0", 16)
