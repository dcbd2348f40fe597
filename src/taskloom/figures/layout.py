"""What drawings share: colours, labels that fit, axes, legends."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, floor, log10

from taskloom.figures.pen import FAINT, GRID, INK, Pen

# Paul Tol's bright scheme: distinct under the common forms of colour blindness.
COLOURS = ("#4477AA", "#EE6677", "#228833", "#AA3377", "#CCBB44", "#66CCEE", "#777777", "#EE8866")
# Letters on shades, which are the same in dark mode. Pure white would stand for the paper and turn dark with it.
LIGHT, DARK = "#fefefe", "#1a2029"
"""Letters on a coloured ground, on a page of any colour."""

_SHADES = ((0xB2, 0x18, 0x2B), (0xEF, 0x8A, 0x62), (0xFD, 0xF3, 0xE7), (0x92, 0xC5, 0xDE), (0x21, 0x66, 0xAC))
_LONGEST_LABEL = 40
_NARROW, _WIDE = frozenset("iljtfrI.,:;'|!()[]{} /"), frozenset("mwMW@%—…")
_EAST_ASIAN = 0x2E80


def colour(place: int) -> str:
    """The colour of a series by its place."""
    return COLOURS[place % len(COLOURS)]


def shade(value: float) -> str:
    """Red for failing, pale for half, blue for solved: readable in grey, and by colour-blind readers."""
    place = min(max(value, 0.0), 1.0) * (len(_SHADES) - 1)
    low = min(int(place), len(_SHADES) - 2)
    part = place - low
    mixed = (round(a + (b - a) * part) for a, b in zip(_SHADES[low], _SHADES[low + 1], strict=True))
    return "#" + "".join(f"{channel:02x}" for channel in mixed)


def on_shade(value: float, strength: float = 1.0) -> str:
    """The colour of letters on a shade, which may be faint."""
    if strength < 0.6:
        return INK
    return LIGHT if value < 0.2 or value > 0.85 else DARK


def short(label: str, longest: int = _LONGEST_LABEL) -> str:
    """A label that fits: long ones lose their middle, since what tells them apart mostly stands at their ends."""
    text = " ".join(label.split())
    if len(text) <= longest:
        return text
    head = longest // 3
    return f"{text[:head]}…{text[head + 1 - longest :]}"


def fit(label: str, room: float, size: float = 12.0) -> str:
    """A label no wider than there is room for it."""
    text = " ".join(label.split())
    longest = len(text)
    while longest > 3 and width_of(short(text, longest), size) > room:
        longest -= 1
    return short(text, longest)


def width_of(text: str, size: float = 12.0) -> float:
    """About how wide a text is in a common sans-serif face."""
    total = 0.0
    for letter in text:
        if letter in _NARROW:
            total += 0.32
        elif letter in _WIDE:
            total += 0.88
        elif ord(letter) >= _EAST_ASIAN:
            total += 1.0
        else:
            total += 0.67 if letter.isupper() else 0.56
    return total * size


def wrapped(text: str, width: float, size: float = 12.0) -> list[str]:
    """A text in lines that fit a width."""
    lines: list[str] = []
    for word in text.split():
        if lines and width_of(f"{lines[-1]} {word}", size) <= width:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def ticks(low: float, high: float, most: int = 6) -> list[float]:
    """Round numbers from low to high."""
    if high <= low:
        return [low]
    rough = (high - low) / max(1, most - 1)
    unit = 10 ** floor(log10(rough))
    step = next(unit * factor for factor in (1, 2, 2.5, 5, 10) if unit * factor >= rough * 0.999)
    return [round(number * step, 10) for number in range(ceil(low / step - 1e-9), floor(high / step + 1e-9) + 1)]


def legend(pen: Pen, names: Sequence[str], y: float = 0.0) -> float:
    """Names of several series, as many side by side as fit; returns where the drawing may begin."""
    if len(names) < 2:
        return y
    x, row = 0.0, y + 9
    for place, name in enumerate(names):
        label = short(name, 44)
        width = 18 + width_of(label) + 16
        if x and x + width > pen.width:
            x, row = 0.0, row + 19
        pen.circle(x + 6, row, 5, fill=colour(place))
        pen.text(x + 16, row, label, title=name)
        x += width
    return row + 18


def score_axis(pen: Pen, left: float, right: float, top: float, bottom: float, ends: tuple[float, float]) -> None:
    """Grid lines with numbers below them."""
    low, high = ends
    marks = [0, 0.25, 0.5, 0.75, 1] if ends == (0.0, 1.0) else ticks(low, high)
    for mark in marks:
        x = left + (mark - low) / (high - low) * (right - left)
        pen.line(((x, top), (x, bottom)), GRID)
        pen.text(x, bottom + 11, f"{mark:g}", size=11, fill=FAINT, anchor="middle")
