"""Tasks on facts that are laid out: tables, records and notes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from taskloom.families.superni.embedded.suite import TaskCode
from taskloom.families.superni.embedded.words import CITIES, NOUNS, PEOPLE, PEOPLE_ES

_CITIES_ES = ("Roma", "París", "Berlín", "Viena", "Lisboa", "Dublín", "Atenas", "Praga", "Madrid", "Sevilla")


def _people_table(rng: Random, spanish: bool = False) -> list[tuple[str, str, int]]:
    """Names, cities and different ages."""
    count = rng.randint(4, 6)
    names = rng.sample(PEOPLE_ES if spanish else PEOPLE, count)
    ages = rng.sample(range(18, 90), count)
    cities = rng.sample(_CITIES_ES if spanish else CITIES, 3)
    return [(name, rng.choice(cities), age) for name, age in zip(names, ages, strict=True)]


def _show(rows: list[tuple[str, str, int]], question: str, head: str = "name | city | age") -> str:
    return "\n".join([head, *(f"{name} | {city} | {age}" for name, city, age in rows), question])


def _rows(text: str) -> tuple[list[tuple[str, str, int]], str]:
    lines = text.split("\n")
    cells = [line.split(" | ") for line in lines[1:-1]]
    return [(name, city, int(age)) for name, city, age in cells], lines[-1]


def _cell_input(rng: Random) -> str:
    rows = _people_table(rng)
    return _show(rows, f"{rng.choice(['city', 'age'])} of {rng.choice(rows)[0]}")


def _cell(text: str) -> str:
    rows, question = _rows(text)
    column, name = question.split(" of ")
    row = next(row for row in rows if row[0] == name)
    return row[1] if column == "city" else str(row[2])


def _cell_input_es(rng: Random) -> str:
    rows = _people_table(rng, spanish=True)
    return _show(rows, f"ciudad de {rng.choice(rows)[0]}", "nombre | ciudad | edad")


def _cell_es(text: str) -> str:
    rows, question = _rows(text)
    return next(city for name, city, _ in rows if name == question.removeprefix("ciudad de "))


def _oldest(text: str) -> str:
    return max(_rows(text)[0], key=lambda row: row[2])[0]


def _city_question(rng: Random) -> str:
    rows = _people_table(rng)
    return _show(rows, f"city: {rng.choice(rows)[1]}")


def _in_city(text: str) -> list[tuple[str, str, int]]:
    rows, question = _rows(text)
    return [row for row in rows if row[1] == question.removeprefix("city: ")]


def _older(text: str) -> str:
    rows, question = _rows(text)
    return ", ".join(name for name, _, age in rows if age > int(question.removeprefix("age over "))) or "none"


def _record(text: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in text.split("\n"))


def _written(fields: Mapping[str, object]) -> str:
    return "\n".join(f"{key}: {value}" for key, value in fields.items())


def _person(rng: Random) -> str:
    fields = {
        "name": rng.choice(PEOPLE),
        "age": rng.randint(18, 90),
        "city": rng.choice(CITIES),
        "pet": rng.choice(_PETS).english,
    }
    return _written(fields)


_PETS = [noun for noun in NOUNS if noun.kind == "animal"]
_GOODS = [noun for noun in NOUNS if noun.kind in ("clothing", "furniture", "tool", "instrument")]


def _product(rng: Random) -> str:
    return f"product: {rng.choice(_GOODS).english}\nprice: {rng.randint(5, 900)}\nstock: {rng.randint(0, 99)}"


def _product_text(text: str) -> str:
    record = _record(text)
    stock = f"{record['stock']} are left" if record["stock"] != "0" else "none is left"
    return f"The {record['product']} costs {record['price']} euros and {stock}."


def _event(rng: Random) -> str:
    fields = {
        "what": rng.choice(["concert", "lecture", "market", "race"]),
        "where": rng.choice(CITIES),
        "from": f"{rng.randint(6, 14)}:{rng.randint(0, 59):02d}",
        "to": f"{rng.randint(15, 23)}:{rng.randint(0, 59):02d}",
    }
    return _written(fields)


def _person_es(rng: Random) -> str:
    fields = {
        "nombre": rng.choice(PEOPLE_ES),
        "edad": rng.randint(18, 90),
        "ciudad": rng.choice(_CITIES_ES),
        "animal": rng.choice(_PETS).spanish,
    }
    return _written(fields)


_ONE: dict[str, str] = {noun.spanish: "un" if noun.gender == "m" else "una" for noun in _PETS}


def _sale(rng: Random) -> str:
    buyer, seller = rng.sample(PEOPLE, 2)
    noun = rng.choice(_GOODS)
    return f"{buyer} bought a {noun.english} from {seller} in {rng.choice(CITIES)} for {rng.randint(3, 900)} euros."


def _mail(rng: Random) -> str:
    first, second = rng.sample(PEOPLE, 2)
    address = f"{first.lower()}.{rng.choice(CITIES).lower()}{rng.randint(1, 999)}@example.org"
    return f"Dear {second}, please write to {address} before {rng.randint(2, 11)} o'clock. Yours, {first}"


def _sale_es(rng: Random) -> str:
    buyer, seller = rng.sample(PEOPLE_ES, 2)
    noun = rng.choice(_GOODS)
    thing = f"{_A[noun.spanish]} {noun.spanish}"
    return f"{buyer} compró {thing} a {seller} en {rng.choice(_CITIES_ES)} por {rng.randint(3, 900)} euros."


_A = {noun.spanish: "un" if noun.gender == "m" else "una" for noun in _GOODS}


def _facts(rng: Random) -> str:
    names = rng.sample(PEOPLE, 4)
    cities = rng.sample(CITIES, 3)
    lines = [f"{name} lives in {city}." for name, city in zip(names, cities, strict=False)]
    lines.append(f"{rng.choice(names[:3])} is {rng.randint(18, 90)} years old.")
    rng.shuffle(lines)
    asked = rng.choice([rng.choice(names[:3]), names[3], rng.choice(names)])
    return " ".join(lines) + "\n" + rng.choice([f"Where does {asked} live?", f"How old is {asked}?"])


def _is_answered(text: str) -> str:
    facts, question = text.split("\n")
    name = question.split()[2] if question.startswith("Where") else question.split()[-1].strip("?")
    fact = f"{name} lives in" if question.startswith("Where") else f"{name} is"
    return "answerable" if fact in facts else "unanswerable"


def _table_question(rng: Random) -> str:
    rows = _people_table(rng)
    names = [name for name, _, _ in rows]
    others = [name for name in PEOPLE if name not in names]
    known = rng.random() < 0.5
    column = rng.choice(["city", "age"]) if known else rng.choice(["city", "age", "job", "height"])
    name = rng.choice(names) if known or column in ("job", "height") else rng.choice(others)
    return _show(rows, f"What is the {column} of {name}?")


def _table_told(text: str) -> str:
    rows, question = _rows(text)
    column, name = re.findall(r"What is the (\w+) of (\w+)\?", question)[0]
    return "yes" if column in ("city", "age") and name in {row[0] for row in rows} else "no"


def _facts_es(rng: Random) -> str:
    names = rng.sample(PEOPLE_ES, 5)
    cities = rng.sample(_CITIES_ES, 3)
    facts = " ".join(f"{name} vive en {city}." for name, city in zip(names, cities, strict=False))
    return f"{facts}\n¿Dónde vive {rng.choice([*names[:3], *names[3:], names[3]])}?"


TASKS: dict[str, TaskCode] = {
    "table_cell": (_cell_input, _cell),
    "table_oldest": (lambda rng: _show(_people_table(rng), "oldest"), _oldest),
    "table_count": (_city_question, lambda text: str(len(_in_city(text)))),
    "table_sum": (_city_question, lambda text: str(sum(age for _, _, age in _in_city(text)))),
    "table_filter": (lambda rng: _show(_people_table(rng), f"age over {rng.randint(25, 75)}"), _older),
    "tabla_ciudad": (_cell_input_es, _cell_es),
    "person_to_text": (
        _person,
        lambda text: "{name} is {age} years old, lives in {city} and has a {pet}.".format(**_record(text)),
    ),
    "product_to_text": (_product, _product_text),
    "event_to_text": (_event, lambda text: "The {what} in {where} lasts from {from} to {to}.".format(**_record(text))),
    "persona_en_texto": (
        _person_es,
        lambda text: "{nombre} tiene {edad} años, vive en {ciudad} y dibuja {un} {animal} en su cuaderno.".format(
            un=_ONE[_record(text)["animal"]], **_record(text)
        ),
    ),
    "extract_buyer": (_sale, lambda text: text.split()[0]),
    "extract_price": (_sale, lambda text: re.findall(r"\d+", text)[-1]),
    "extract_address": (_mail, lambda text: next(word for word in text.split() if "@" in word)),
    "extraer_vendedor": (_sale_es, lambda text: re.findall(r" a (\w+) en ", text)[0]),
    "facts_answer_question": (_facts, _is_answered),
    "table_answers_question": (_table_question, _table_told),
    "se_puede_responder": (
        _facts_es,
        lambda text: "sí" if f"{text.split()[-1].strip('?')} vive en" in text.split("\n")[0] else "no",
    ),
}
