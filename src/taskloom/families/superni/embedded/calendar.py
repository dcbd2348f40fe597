"""Tasks on dates, clocks and units."""

from __future__ import annotations

import re
from datetime import date, timedelta
from random import Random

from taskloom.families.superni.embedded.suite import TaskCode
from taskloom.families.superni.embedded.words import MONTHS, MONTHS_ES, WEEKDAYS, each


def _date(rng: Random) -> date:
    return date(rng.randint(1800, 2099), 1, 1) + timedelta(days=rng.randint(0, 364))


def _say(day: date, months: tuple[str, ...] = MONTHS, joint: str = " ") -> str:
    return f"{day.day}{joint}{months[day.month - 1]}{joint}{day.year}"


def _read(text: str, months: tuple[str, ...] = MONTHS, joint: str = " ") -> date:
    day, month, year = text.split(joint)
    return date(int(year), months.index(month) + 1, int(day))


def _say_es(day: date) -> str:
    return _say(day, MONTHS_ES, " de ")


def _later(text: str, months: tuple[str, ...] = MONTHS, joint: str = " ") -> str:
    start, days = text.split("\n")
    return _say(_read(start, months, joint) + timedelta(days=int(days.split()[0])), months, joint)


def _between(rng: Random) -> str:
    first = _date(rng)
    return f"{_say(first)}\n{_say(first + timedelta(days=rng.randint(2, 70)))}"


def _days(text: str) -> str:
    first, second = map(_read, text.split("\n"))
    return str((second - first).days)


def _weekday_input(rng: Random) -> str:
    day = _date(rng)
    return f"{_say(day)} is a {WEEKDAYS[day.weekday()]}.\nWhich weekday is it {rng.randint(2, 60)} days later?"


def _weekday(text: str) -> str:
    head, question = text.split("\n")
    days = int(re.findall(r"\d+", question)[0])
    return WEEKDAYS[(WEEKDAYS.index(head.split()[-1].strip(".")) + days) % 7]


def _two_dates(rng: Random) -> str:
    first = _date(rng)
    other = first + timedelta(days=rng.choice([-1, 1]) * rng.choice([rng.randint(1, 40), rng.randint(300, 4000)]))
    return f"First: {_say(first)}\nSecond: {_say(other)}"


def _earlier(text: str) -> str:
    first, second = (_read(part.split(": ")[1]) for part in text.split("\n"))
    return "first" if first < second else "second"


def _clock(minutes: int) -> str:
    return f"{minutes // 60 % 24:02d}:{minutes % 60:02d}"


def _minutes(text: str) -> int:
    hours, minutes = text.split(":")
    return int(hours) * 60 + int(minutes)


def _wait(rng: Random, joint: str) -> str:
    return f"{_clock(rng.randint(0, 1439))} {joint} {rng.randint(0, 9)} h {rng.randint(1, 59)} min"


def _waited(text: str) -> str:
    hours, minutes, more, rest = map(int, re.findall(r"\d+", text))
    return _clock(hours * 60 + minutes + more * 60 + rest)


def _span(rng: Random) -> str:
    start = rng.randint(0, 1000)
    return f"from {_clock(start)} to {_clock(start + rng.randint(5, 430))}"


def _length(text: str) -> str:
    start, end = map(_minutes, re.findall(r"\d\d:\d\d", text))
    return f"{(end - start) // 60} h {(end - start) % 60} min"


def _half_day(rng: Random) -> str:
    return ", ".join(f"{rng.randint(1, 12)}:{rng.randint(0, 59):02d} {rng.choice(['am', 'pm'])}" for _ in range(3))


def _full_day(time: str) -> str:
    hours, minutes, half = re.split("[: ]", time)
    return f"{int(hours) % 12 + (12 if half == 'pm' else 0):02d}:{minutes}"


def _meetings(rng: Random) -> str:
    first = rng.randint(480, 800)
    end = first + rng.randint(20, 120)
    second = end + rng.choice([-1, 1]) * rng.randint(1, 15)
    return f"A: {_clock(first)}-{_clock(end)}\nB: {_clock(second)}-{_clock(second + rng.randint(20, 120))}"


def _overlap(text: str) -> str:
    start, end, other, stop = map(_minutes, re.findall(r"\d\d:\d\d", text))
    return "yes" if max(start, other) < min(end, stop) else "no"


def _two_measures(rng: Random, big: str, small: str, size: int, joint: str) -> str:
    parts = [f"{rng.randint(1, 40)} {big} {rng.randint(1, size - 1)} {small}" for _ in range(2)]
    return f"{parts[0]} {joint} {parts[1]}"


def _sum_small(text: str, size: int) -> str:
    a, b, c, d = map(int, re.findall(r"\d+", text))
    return str((a + c) * size + b + d)


def _long_film(rng: Random) -> str:
    return f"{rng.randint(61, 900)} min, {rng.randint(61, 900)} min, {rng.randint(61, 900)} min"


TASKS: dict[str, TaskCode] = {
    "add_days": (lambda rng: f"{_say(_date(rng))}\n{rng.randint(2, 45)} days later", _later),
    "days_between": (_between, _days),
    "weekday_later": (_weekday_input, _weekday),
    "date_to_iso": (
        lambda rng: f"{_say(_date(rng))}, {_say(_date(rng))}",
        each(lambda day: _read(day).isoformat(), ", "),
    ),
    "earlier_date": (_two_dates, _earlier),
    "fecha_larga": (
        lambda rng: f"{_date(rng).isoformat()}, {_date(rng).isoformat()}",
        each(lambda day: _say_es(date.fromisoformat(day)), ", "),
    ),
    "dias_despues": (
        lambda rng: f"{_say_es(_date(rng))}\n{rng.randint(2, 45)} días después",
        lambda text: _later(text, MONTHS_ES, " de "),
    ),
    "clock_later": (lambda rng: _wait(rng, "plus"), _waited),
    "duration": (_span, _length),
    "to_24_hours": (_half_day, each(_full_day, ", ")),
    "meetings_overlap": (_meetings, _overlap),
    "hora_despues": (lambda rng: _wait(rng, "más"), _waited),
    "metres_to_centimetres": (
        lambda rng: _two_measures(rng, "m", "cm", 100, "and"),
        lambda text: _sum_small(text, 100),
    ),
    "kilograms_to_grams": (
        lambda rng: _two_measures(rng, "kg", "g", 1000, "plus"),
        lambda text: _sum_small(text, 1000),
    ),
    "minutes_to_hours": (
        _long_film,
        lambda text: ", ".join(f"{int(n) // 60} h {int(n) % 60} min" for n in re.findall(r"\d+", text)),
    ),
    "metros_a_centimetros": (lambda rng: _two_measures(rng, "m", "cm", 100, "y"), lambda text: _sum_small(text, 100)),
}
