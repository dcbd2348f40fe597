"""Tasks on dates, clocks and units."""

from __future__ import annotations

import re
from datetime import date, timedelta
from random import Random

from taskloom.author import Blueprint, task

__all__ = ["TASKS"]

_DATES = "Date Understanding"
_TIMES = "Time Understanding"
_UNITS = "Unit Conversion"

_MONTHS = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
]
_MONTHS_ES = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
]
_WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def _date(rng: Random) -> date:
    return date(rng.randint(1800, 2099), 1, 1) + timedelta(days=rng.randint(0, 364))


def _say(day: date) -> str:
    return f"{day.day} {_MONTHS[day.month - 1]} {day.year}"


def _say_es(day: date) -> str:
    return f"{day.day} de {_MONTHS_ES[day.month - 1]} de {day.year}"


def _read(text: str) -> date:
    day, month, year = text.split()
    return date(int(year), _MONTHS.index(month) + 1, int(day))


def _read_es(text: str) -> date:
    day, month, year = text.split(" de ")
    return date(int(year), _MONTHS_ES.index(month) + 1, int(day))


def _later(text: str) -> str:
    start, days = text.split("\n")
    return _say(_read(start) + timedelta(days=int(days.split()[0])))


def _between(rng: Random) -> str:
    first = _date(rng)
    return f"{_say(first)}\n{_say(first + timedelta(days=rng.randint(2, 70)))}"


def _days(text: str) -> str:
    first, second = map(_read, text.split("\n"))
    return str((second - first).days)


def _weekday_input(rng: Random) -> str:
    day = _date(rng)
    return f"{_say(day)} is a {_WEEKDAYS[day.weekday()]}.\nWhich weekday is it {rng.randint(2, 60)} days later?"


def _weekday(text: str) -> str:
    head, question = text.split("\n")
    days = int(re.findall(r"\d+", question)[0])
    return _WEEKDAYS[(_WEEKDAYS.index(head.split()[-1].strip(".")) + days) % 7]


def _two_dates(rng: Random) -> str:
    first = _date(rng)
    other = first + timedelta(days=rng.choice([-1, 1]) * rng.choice([rng.randint(1, 40), rng.randint(300, 4000)]))
    return f"First: {_say(first)}\nSecond: {_say(other)}"


def _earlier(text: str) -> str:
    first, second = (_read(part.split(": ")[1]) for part in text.split("\n"))
    return "first" if first < second else "second"


_dates = [
    task(
        name="add_days",
        category=_DATES,
        definition=(
            "A date and a number of days are given. Write the date that is so many days later, in the same form: day, "
            "month, year. April, June, September and November have 30 days, February has 28 (29 in a leap year), the "
            "others 31."
        ),
        solve=_later,
        right=[
            (
                "28 March 1990\n5 days later",
                "March has 31 days, so three days lead to its end and two more to 2 April.",
            ),
            ("10 June 2001\n12 days later", "The month does not change."),
        ],
        wrong=[("28 March 1990\n5 days later", "33 March 1990", "No month has 33 days; the count goes on in April.")],
    )(lambda rng: f"{_say(_date(rng))}\n{rng.randint(2, 45)} days later"),
    task(
        name="days_between",
        category=_DATES,
        definition=(
            "Two dates are given, the earlier one first. Count how many days lie from the first to the second, so that "
            "from one day to the next it is 1. Answer with a number in digits."
        ),
        solve=_days,
        right=[
            ("3 May 1999\n10 May 1999", "From the 3rd to the 10th it is 7 days."),
            ("30 April 1985\n2 May 1985", "One day to 1 May, one more to 2 May."),
        ],
        wrong=[("3 May 1999\n10 May 1999", "8", "The first day itself must not be counted.")],
        kind="number",
    )(_between),
    task(
        name="weekday_later",
        category=_DATES,
        definition=(
            "You are told on which weekday a date falls. Say which weekday it is some days later. Every seven days the "
            "weekday is the same again. Answer with the English name of the weekday: Monday, Tuesday, Wednesday, "
            "Thursday, Friday, Saturday or Sunday."
        ),
        solve=_weekday,
        right=[
            (
                "5 March 2024 is a Tuesday.\nWhich weekday is it 9 days later?",
                "After 7 days it is Tuesday again, two more make Thursday.",
            ),
            ("1 June 1950 is a Thursday.\nWhich weekday is it 14 days later?", "14 days are exactly two weeks."),
        ],
        wrong=[
            (
                "1 June 1950 is a Thursday.\nWhich weekday is it 14 days later?",
                "Friday",
                "Two whole weeks do not change the weekday.",
            )
        ],
        labels=tuple(_WEEKDAYS),
    )(_weekday_input),
    task(
        name="date_to_iso",
        category=_DATES,
        definition=(
            "Two dates are given. Rewrite each with digits only: the year with four digits, a hyphen, the month with "
            "two digits, a hyphen, the day with two digits. Months and days below 10 get a zero in front. Put a comma "
            "between the dates."
        ),
        solve=lambda text: ", ".join(_read(day).isoformat() for day in text.split(", ")),
        right=[
            ("5 March 2021, 24 December 1899", "March is month 03 and the day is 05; December is month 12."),
            ("1 May 1950, 30 June 1904", "May is month 05 and June is month 06."),
        ],
        wrong=[
            ("5 March 2021, 24 December 1899", "2021-3-5, 1899-12-24", "The zeros before 3 and 5 are missing."),
            ("1 May 1950, 30 June 1904", "01-05-1950, 30-06-1904", "The year must come first."),
        ],
    )(lambda rng: f"{_say(_date(rng))}, {_say(_date(rng))}"),
    task(
        name="earlier_date",
        category=_DATES,
        definition=(
            "Two dates are given. Say which of them is earlier by answering first or second. Compare the years, then "
            "the months, then the days."
        ),
        solve=_earlier,
        right=[
            ("First: 3 May 1999\nSecond: 28 April 1999", "The years agree and April comes before May."),
            ("First: 9 July 1850\nSecond: 1 July 1851", "1850 is the earlier year."),
        ],
        wrong=[("First: 9 July 1850\nSecond: 1 July 1851", "second", "The year decides before the day does.")],
        labels=("first", "second"),
    )(_two_dates),
    task(
        name="fecha_larga",
        category=_DATES,
        definition=(
            "Las dos fechas vienen en cifras como año-mes-día. Escríbelas en español como se leen: el día en cifras "
            "sin ceros delante, el nombre del mes en minúsculas y el año, unidos con de. Separa las fechas con una "
            "coma."
        ),
        solve=lambda text: ", ".join(_say_es(date.fromisoformat(day)) for day in text.split(", ")),
        right=[
            ("2021-03-05, 1899-12-24", "El mes 03 es marzo y el día es 5; el mes 12 es diciembre."),
            ("1950-05-01, 1904-06-30", "Los ceros delante del día desaparecen."),
        ],
        wrong=[
            ("2021-03-05, 1899-12-24", "3 de mayo de 2021, 24 de diciembre de 1899", "Se confundieron el día y el mes.")
        ],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: f"{_date(rng).isoformat()}, {_date(rng).isoformat()}"),
    task(
        name="dias_despues",
        category=_DATES,
        definition=(
            "Se da una fecha y un número de días. Escribe la fecha que resulta al pasar esos días, con la misma forma. "
            "Abril, junio, septiembre y noviembre tienen 30 días, febrero 28 (29 en año bisiesto) y los demás meses 31."
        ),
        solve=lambda text: _say_es(_read_es(text.split("\n")[0]) + timedelta(days=int(text.split("\n")[1].split()[0]))),
        right=[
            ("28 de marzo de 1990\n5 días después", "Marzo termina el 31; dos días más llevan al 2 de abril."),
            ("10 de junio de 2001\n12 días después", "El mes no cambia."),
        ],
        wrong=[
            ("10 de junio de 2001\n12 días después", "22 de julio de 2001", "Doce días no llegan al mes siguiente.")
        ],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: f"{_say_es(_date(rng))}\n{rng.randint(2, 45)} días después"),
]


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


def _full_day(text: str) -> str:
    times = []
    for time in text.split(", "):
        clock, half = time.split()
        hours, minutes = map(int, clock.split(":"))
        times.append(f"{hours % 12 + (12 if half == 'pm' else 0):02d}:{minutes:02d}")
    return ", ".join(times)


def _meetings(rng: Random) -> str:
    first = rng.randint(480, 800)
    end = first + rng.randint(20, 120)
    second = end + rng.choice([-1, 1]) * rng.randint(1, 15)
    return f"A: {_clock(first)}-{_clock(end)}\nB: {_clock(second)}-{_clock(second + rng.randint(20, 120))}"


def _overlap(text: str) -> str:
    start, end, other, stop = map(_minutes, re.findall(r"\d\d:\d\d", text))
    return "yes" if max(start, other) < min(end, stop) else "no"


_times = [
    task(
        name="clock_later",
        category=_TIMES,
        definition=(
            "A time of day on a 24-hour clock is given, and how long somebody waits. Write the time at the end of the "
            "wait as HH:MM, with two digits each. After 23:59 the clock starts again at 00:00."
        ),
        solve=_waited,
        right=[
            ("08:50 plus 0 h 25 min", "Ten minutes to 09:00 and fifteen more."),
            ("23:30 plus 2 h 10 min", "Midnight passes after half an hour."),
        ],
        wrong=[("23:30 plus 2 h 10 min", "25:40", "There is no hour 25; after midnight the count starts at 00.")],
    )(lambda rng: _wait(rng, "plus")),
    task(
        name="duration",
        category=_TIMES,
        definition=(
            "Two times of the same day are given on a 24-hour clock, the earlier one first. Write how long it is from "
            "one to the other as hours and minutes, in the form: 2 h 5 min. Write 0 h where it is less than an hour."
        ),
        solve=_length,
        right=[
            ("from 09:40 to 11:05", "To 10:40 it is one hour, and 25 minutes more to 11:05."),
            ("from 14:00 to 14:45", "Less than an hour."),
        ],
        wrong=[
            ("from 09:40 to 11:05", "2 h 35 min", "Hours and minutes were subtracted apart; an hour has 60 minutes.")
        ],
    )(_span),
    task(
        name="to_24_hours",
        category=_TIMES,
        definition=(
            "Three times are given with am or pm. Write them on a 24-hour clock as HH:MM with two digits each, with "
            "commas between them. 12 am is 00 and 12 pm is 12; all other pm hours are 12 higher."
        ),
        solve=_full_day,
        right=[
            ("3:05 pm, 12:10 am, 9:00 am", "3 pm is 15, 12 am is 00, 9 am stays 09."),
            ("12:30 pm, 1:00 pm, 11:59 am", "Noon stays 12."),
        ],
        wrong=[("3:05 pm, 12:10 am, 9:00 am", "15:05, 12:10, 09:00", "12 am is midnight, that is 00:10.")],
    )(_half_day),
    task(
        name="meetings_overlap",
        category=_TIMES,
        definition=(
            "Two meetings are given with their beginning and end on the same day. Answer yes if there is a time at "
            "which both go on, and no if one is over before the other begins. Meetings that only touch do not "
            "overlap."
        ),
        solve=_overlap,
        right=[
            ("A: 09:00-10:00\nB: 09:50-11:00", "Both go on from 09:50 to 10:00."),
            ("A: 09:00-10:00\nB: 10:05-11:00", "A is over five minutes before B begins."),
        ],
        wrong=[("A: 09:00-10:00\nB: 10:05-11:00", "yes", "Five minutes lie between them.")],
        labels=("yes", "no"),
    )(_meetings),
    task(
        name="hora_despues",
        category=_TIMES,
        definition=(
            "Se da una hora del reloj de 24 horas y cuánto tiempo pasa. Escribe la hora que resulta como HH:MM, con "
            "dos cifras cada parte. Después de las 23:59 el reloj empieza de nuevo en 00:00."
        ),
        solve=_waited,
        right=[
            ("08:50 más 0 h 25 min", "Diez minutos hasta las 09:00 y quince más."),
            ("23:30 más 2 h 10 min", "Pasa la medianoche."),
        ],
        wrong=[("08:50 más 0 h 25 min", "08:75", "Una hora tiene 60 minutos.")],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: _wait(rng, "más")),
]


def _two_measures(rng: Random, big: str, small: str, size: int, joint: str) -> str:
    parts = [f"{rng.randint(1, 40)} {big} {rng.randint(1, size - 1)} {small}" for _ in range(2)]
    return f"{parts[0]} {joint} {parts[1]}"


def _sum_small(text: str, size: int) -> str:
    a, b, c, d = map(int, re.findall(r"\d+", text))
    return str((a + c) * size + b + d)


def _long_film(rng: Random) -> str:
    return f"{rng.randint(61, 900)} min, {rng.randint(61, 900)} min, {rng.randint(61, 900)} min"


_units = [
    task(
        name="metres_to_centimetres",
        category=_UNITS,
        definition=(
            "Two lengths in metres and centimetres are to be joined. Add them and write the whole length in "
            "centimetres, as a number in digits. One metre has 100 centimetres."
        ),
        solve=lambda text: _sum_small(text, 100),
        right=[("2 m 30 cm and 1 m 5 cm", "230 cm plus 105 cm."), ("3 m 50 cm and 4 m 60 cm", "350 plus 460 is 810.")],
        wrong=[("2 m 30 cm and 1 m 5 cm", "380", "5 cm are five centimetres, not fifty.")],
        kind="number",
    )(lambda rng: _two_measures(rng, "m", "cm", 100, "and")),
    task(
        name="kilograms_to_grams",
        category=_UNITS,
        definition=(
            "Two weights in kilograms and grams are put on the same scale. Write what the scale shows in grams, as a "
            "number in digits. One kilogram has 1000 grams."
        ),
        solve=lambda text: _sum_small(text, 1000),
        right=[("1 kg 200 g plus 2 kg 50 g", "1200 g plus 2050 g."), ("5 kg 5 g plus 1 kg 1 g", "5005 plus 1001.")],
        wrong=[("1 kg 200 g plus 2 kg 50 g", "550", "A kilogram has 1000 grams, not 100.")],
        kind="number",
    )(lambda rng: _two_measures(rng, "kg", "g", 1000, "plus")),
    task(
        name="minutes_to_hours",
        category=_UNITS,
        definition=(
            "Three durations are given in minutes. Write each in hours and minutes, in the form 2 h 5 min, with commas "
            "between them. An hour has 60 minutes; write 0 min where nothing is left over."
        ),
        solve=lambda text: ", ".join(f"{int(n) // 60} h {int(n) % 60} min" for n in re.findall(r"\d+", text)),
        right=[
            ("90 min, 125 min, 60 min", "60 goes once into 90, twice into 125, once into 60."),
            ("200 min, 61 min, 100 min", "200 is 3 hours and 20."),
        ],
        wrong=[("90 min, 125 min, 60 min", "0 h 90 min, 1 h 25 min, 0 h 60 min", "An hour has 60 minutes, not 100.")],
    )(_long_film),
    task(
        name="metros_a_centimetros",
        category=_UNITS,
        definition=(
            "Se juntan dos longitudes dadas en metros y centímetros. Súmalas y escribe la longitud total en "
            "centímetros, con cifras. Un metro tiene 100 centímetros."
        ),
        solve=lambda text: _sum_small(text, 100),
        right=[("2 m 30 cm y 1 m 5 cm", "230 cm más 105 cm."), ("3 m 50 cm y 4 m 60 cm", "350 más 460 son 810.")],
        wrong=[("2 m 30 cm y 1 m 5 cm", "38", "Faltan los metros pasados a centímetros.")],
        kind="number",
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: _two_measures(rng, "m", "cm", 100, "y")),
]

TASKS: list[Blueprint] = [*_dates, *_times, *_units]
