"""Tasks on facts that are laid out: tables, records and notes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random

from taskloom.author import Blueprint, task
from taskloom.families.superni.embedded.words import CITIES, NAMES, NAMES_ES, NOUNS

__all__ = ["TASKS"]

_TABLE = "Table Lookup"
_TO_TEXT = "Data to Text"
_EXTRACT = "Information Extraction"
_ANSWERABLE = "Answerability Classification"

_PEOPLE = NAMES["f"] + NAMES["m"]
_PEOPLE_ES = NAMES_ES["f"] + NAMES_ES["m"]
_CITIES_ES = ("Roma", "París", "Berlín", "Viena", "Lisboa", "Dublín", "Atenas", "Praga", "Madrid", "Sevilla")


def _people_table(rng: Random, spanish: bool = False) -> list[tuple[str, str, int]]:
    """Names, cities and different ages."""
    count = rng.randint(4, 6)
    names = rng.sample(_PEOPLE_ES if spanish else _PEOPLE, count)
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


_SMALL = "name | city | age\nAnna | Rome | 34\nPeter | Oslo | 51\nRuth | Rome | 20\n"
_SMALL_ES = "nombre | ciudad | edad\nMarta | Roma | 34\nLuis | Praga | 51\nRosa | Roma | 20\n"

_tables = [
    task(
        name="table_cell",
        category=_TABLE,
        definition=(
            "A table of people is given with their city and age, one person per line, followed by a line that asks for "
            "the city or the age of one person. Find that person's line and write the cell that is asked for."
        ),
        solve=_cell,
        right=[
            (f"{_SMALL}city of Peter", "Peter's line says Oslo in the column 'city'."),
            (f"{_SMALL}age of Ruth", "Ruth's line ends with 20."),
        ],
        wrong=[(f"{_SMALL}city of Peter", "51", "That is Peter's age, not his city.")],
    )(_cell_input),
    task(
        name="table_oldest",
        category=_TABLE,
        definition=(
            "Look at the column 'age' of the table and write the name of the oldest person. No two people have the "
            "same age."
        ),
        solve=_oldest,
        right=[
            (f"{_SMALL}oldest", "51 is the highest age and belongs to Peter."),
            ("name | city | age\nMark | Paris | 70\nNina | Paris | 69\noldest", "70 is more than 69."),
        ],
        wrong=[(f"{_SMALL}oldest", "51", "The name is asked for, not the age.")],
    )(lambda rng: _show(_people_table(rng), "oldest")),
    task(
        name="table_count",
        category=_TABLE,
        definition=(
            "The last line names a city. Count the people of the table who live there and answer with a number in "
            "digits."
        ),
        solve=lambda text: str(len(_in_city(text))),
        right=[
            (f"{_SMALL}city: Rome", "Anna and Ruth live in Rome."),
            (f"{_SMALL}city: Oslo", "Only Peter lives there."),
        ],
        wrong=[(f"{_SMALL}city: Rome", "3", "Peter lives in Oslo.")],
        kind="number",
    )(_city_question),
    task(
        name="table_sum",
        category=_TABLE,
        definition=(
            "The last line names a city. Add the ages of all people of the table who live in that city and write the "
            "sum in digits."
        ),
        solve=lambda text: str(sum(age for _, _, age in _in_city(text))),
        right=[(f"{_SMALL}city: Rome", "34 plus 20 is 54."), (f"{_SMALL}city: Oslo", "Peter alone is 51.")],
        wrong=[(f"{_SMALL}city: Rome", "105", "Peter's age was added although he lives in Oslo.")],
        kind="number",
    )(_city_question),
    task(
        name="table_filter",
        category=_TABLE,
        definition=(
            "The last line gives an age limit. Write the names of all people who are older than the limit, in the "
            "order of the table, with commas between them. If there is nobody, write none."
        ),
        solve=_older,
        right=[
            (f"{_SMALL}age over 30", "Anna is 34 and Peter 51."),
            (f"{_SMALL}age over 60", "Nobody is older than 60."),
        ],
        wrong=[(f"{_SMALL}age over 30", "Anna, Peter, Ruth", "Ruth is only 20.")],
    )(lambda rng: _show(_people_table(rng), f"age over {rng.randint(25, 75)}")),
    task(
        name="tabla_ciudad",
        category=_TABLE,
        definition=(
            "Se da una tabla de personas con su ciudad y su edad, y en la última línea se pregunta por la ciudad de "
            "una de ellas. Escribe esa ciudad."
        ),
        solve=_cell_es,
        right=[
            (f"{_SMALL_ES}ciudad de Luis", "La línea de Luis dice Praga."),
            (f"{_SMALL_ES}ciudad de Rosa", "Rosa vive en Roma."),
        ],
        wrong=[(f"{_SMALL_ES}ciudad de Luis", "51", "Esa es su edad.")],
        language="Spanish",
        instruction_language="Spanish",
    )(_cell_input_es),
]


def _record(text: str) -> dict[str, str]:
    return dict(line.split(": ", 1) for line in text.split("\n"))


def _written(fields: Mapping[str, object]) -> str:
    return "\n".join(f"{key}: {value}" for key, value in fields.items())


def _person(rng: Random) -> str:
    fields = {
        "name": rng.choice(_PEOPLE),
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
        "nombre": rng.choice(_PEOPLE_ES),
        "edad": rng.randint(18, 90),
        "ciudad": rng.choice(_CITIES_ES),
        "animal": rng.choice(_PETS).spanish,
    }
    return _written(fields)


_ONE: dict[str, str] = {noun.spanish: "un" if noun.gender == "m" else "una" for noun in _PETS}

_texts = [
    task(
        name="person_to_text",
        category=_TO_TEXT,
        definition=(
            "Turn the record of a person into one sentence of exactly this form: NAME is AGE years old, lives in CITY "
            "and has a PET. Put the values of the record in place of the capitals and end with a full stop."
        ),
        solve=lambda text: "{name} is {age} years old, lives in {city} and has a {pet}.".format(**_record(text)),
        right=[
            ("name: Ruth\nage: 30\ncity: Rome\npet: cat", "All four values stand in their places."),
            ("name: Mark\nage: 61\ncity: Oslo\npet: dog", "The sentence keeps the order name, age, city, pet."),
        ],
        wrong=[
            (
                "name: Ruth\nage: 30\ncity: Rome\npet: cat",
                "Ruth from Rome has a cat and is 30.",
                "It says the same, but not in the given form.",
            )
        ],
    )(_person),
    task(
        name="product_to_text",
        category=_TO_TEXT,
        definition=(
            "Describe the product in one sentence: The PRODUCT costs PRICE euros and STOCK are left. If the stock is "
            "0, the sentence ends with 'and none is left' instead. End with a full stop."
        ),
        solve=_product_text,
        right=[
            ("product: lamp\nprice: 40\nstock: 7", "Seven lamps are in stock."),
            ("product: hat\nprice: 15\nstock: 0", "The stock is 0, so the other ending is used."),
        ],
        wrong=[
            (
                "product: hat\nprice: 15\nstock: 0",
                "The hat costs 15 euros and 0 are left.",
                "A stock of 0 has an ending of its own.",
            )
        ],
    )(_product),
    task(
        name="event_to_text",
        category=_TO_TEXT,
        definition=(
            "Announce the event in one sentence of exactly this form: The WHAT in WHERE lasts from FROM to TO. Replace "
            "the capitals by the values of the record and end with a full stop."
        ),
        solve=lambda text: "The {what} in {where} lasts from {from} to {to}.".format(**_record(text)),
        right=[
            ("what: concert\nwhere: Paris\nfrom: 9:30\nto: 18:00", "Place and times are copied from the record."),
            ("what: race\nwhere: Oslo\nfrom: 7:05\nto: 16:45", "The form is kept word for word."),
        ],
        wrong=[
            (
                "what: race\nwhere: Oslo\nfrom: 7:05\nto: 16:45",
                "The race in Oslo lasts from 16:45 to 7:05.",
                "The two times are exchanged.",
            )
        ],
    )(_event),
    task(
        name="persona_en_texto",
        category=_TO_TEXT,
        definition=(
            "Convierte los datos de una persona en una frase con esta forma exacta: NOMBRE tiene EDAD años, vive en "
            "CIUDAD y dibuja un ANIMAL en su cuaderno. Si el animal es de género femenino, escribe una en lugar de un. "
            "Termina con un punto."
        ),
        solve=lambda text: "{nombre} tiene {edad} años, vive en {ciudad} y dibuja {un} {animal} en su cuaderno.".format(
            un=_ONE[_record(text)["animal"]], **_record(text)
        ),
        right=[
            ("nombre: Rosa\nedad: 30\nciudad: Roma\nanimal: gato", "Gato es masculino: un gato."),
            ("nombre: Luis\nedad: 61\nciudad: Praga\nanimal: rana", "Rana es femenino: una rana."),
        ],
        wrong=[
            (
                "nombre: Luis\nedad: 61\nciudad: Praga\nanimal: rana",
                "Luis tiene 61 años, vive en Praga y dibuja un rana en su cuaderno.",
                "Rana es femenino y pide una.",
            )
        ],
        language="Spanish",
        instruction_language="Spanish",
    )(_person_es),
]


def _sale(rng: Random) -> str:
    buyer, seller = rng.sample(_PEOPLE, 2)
    noun = rng.choice(_GOODS)
    return f"{buyer} bought a {noun.english} from {seller} in {rng.choice(CITIES)} for {rng.randint(3, 900)} euros."


def _mail(rng: Random) -> str:
    first, second = rng.sample(_PEOPLE, 2)
    address = f"{first.lower()}.{rng.choice(CITIES).lower()}{rng.randint(1, 999)}@example.org"
    return f"Dear {second}, please write to {address} before {rng.randint(2, 11)} o'clock. Yours, {first}"


def _sale_es(rng: Random) -> str:
    buyer, seller = rng.sample(_PEOPLE_ES, 2)
    noun = rng.choice(_GOODS)
    thing = f"{_A[noun.spanish]} {noun.spanish}"
    return f"{buyer} compró {thing} a {seller} en {rng.choice(_CITIES_ES)} por {rng.randint(3, 900)} euros."


_A = {noun.spanish: "un" if noun.gender == "m" else "una" for noun in _GOODS}

_extractions = [
    task(
        name="extract_buyer",
        category=_EXTRACT,
        definition=(
            "A sentence tells who bought something from whom, where and for how much. Write the name of the person who "
            "bought it, not of the person who sold it."
        ),
        solve=lambda text: text.split()[0],
        right=[
            ("Anna bought a lamp from Mark in Rome for 40 euros.", "Anna is the one who bought."),
            ("Paul bought a hat from Ruth in Oslo for 9 euros.", "Ruth sold it, so Paul is the buyer."),
        ],
        wrong=[("Paul bought a hat from Ruth in Oslo for 9 euros.", "Ruth", "Ruth is the seller.")],
    )(_sale),
    task(
        name="extract_price",
        category=_EXTRACT,
        definition="A sentence tells about a sale. Extract the price as a number in digits, without the word euros.",
        solve=lambda text: re.findall(r"\d+", text)[-1],
        right=[
            ("Anna bought a lamp from Mark in Rome for 40 euros.", "The lamp was sold for 40."),
            ("Paul bought a hat from Ruth in Oslo for 9 euros.", "The price stands before 'euros'."),
        ],
        wrong=[("Paul bought a hat from Ruth in Oslo for 9 euros.", "hat", "The price is asked for, not the thing.")],
        kind="number",
    )(_sale),
    task(
        name="extract_address",
        category=_EXTRACT,
        definition=(
            "Find the e-mail address in the message: the only word with the sign @ in it. Write it exactly as it "
            "stands, without anything around it."
        ),
        solve=lambda text: next(word for word in text.split() if "@" in word),
        right=[
            (
                "Dear Ruth, please write to anna.rome7@example.org before 5 o'clock. Yours, Anna",
                "The only word with an @.",
            ),
            (
                "Dear Paul, please write to mark.oslo12@example.org before 9 o'clock. Yours, Mark",
                "It ends before the blank.",
            ),
        ],
        wrong=[
            (
                "Dear Paul, please write to mark.oslo12@example.org before 9 o'clock. Yours, Mark",
                "mark.oslo12",
                "The part after the @ is missing.",
            )
        ],
    )(_mail),
    task(
        name="extraer_vendedor",
        category=_EXTRACT,
        definition=(
            "Una frase cuenta quién compró algo, a quién, dónde y por cuánto. Escribe el nombre de la persona que lo "
            "vendió, es decir, la que aparece después de la palabra a."
        ),
        solve=lambda text: re.findall(r" a (\w+) en ", text)[0],
        right=[
            ("Marta compró una silla a Luis en Roma por 40 euros.", "Luis vendió la silla."),
            ("Pablo compró un martillo a Rosa en Praga por 9 euros.", "Pablo compra y Rosa vende."),
        ],
        wrong=[("Marta compró una silla a Luis en Roma por 40 euros.", "Marta", "Marta es quien compró.")],
        language="Spanish",
        instruction_language="Spanish",
    )(_sale_es),
]


def _facts(rng: Random) -> str:
    names = rng.sample(_PEOPLE, 4)
    cities = rng.sample(CITIES, 3)
    lines = [f"{name} lives in {city}." for name, city in zip(names, cities, strict=False)]
    lines.append(f"{rng.choice(names[:3])} is {rng.randint(18, 90)} years old.")
    rng.shuffle(lines)
    asked = rng.choice([rng.choice(names[:3]), names[3], rng.choice(names)])
    return " ".join(lines) + "\n" + rng.choice([f"Where does {asked} live?", f"How old is {asked}?"])


def _told(text: str) -> str:
    facts, question = text.split("\n")
    name = question.split()[2] if question.startswith("Where") else question.split()[-1].strip("?")
    fact = f"{name} lives in" if question.startswith("Where") else f"{name} is"
    return "answerable" if fact in facts else "unanswerable"


def _table_question(rng: Random) -> str:
    rows = _people_table(rng)
    names = [name for name, _, _ in rows]
    others = [name for name in _PEOPLE if name not in names]
    known = rng.random() < 0.5
    column = rng.choice(["city", "age"]) if known else rng.choice(["city", "age", "job", "height"])
    name = rng.choice(names) if known or column in ("job", "height") else rng.choice(others)
    return _show(rows, f"What is the {column} of {name}?")


def _table_told(text: str) -> str:
    rows, question = _rows(text)
    column, name = re.findall(r"What is the (\w+) of (\w+)\?", question)[0]
    return "yes" if column in ("city", "age") and name in {row[0] for row in rows} else "no"


def _facts_es(rng: Random) -> str:
    names = rng.sample(_PEOPLE_ES, 5)
    cities = rng.sample(_CITIES_ES, 3)
    facts = " ".join(f"{name} vive en {city}." for name, city in zip(names, cities, strict=False))
    return f"{facts}\n¿Dónde vive {rng.choice([*names[:3], *names[3:], names[3]])}?"


_answerable = [
    task(
        name="facts_answer_question",
        category=_ANSWERABLE,
        definition=(
            "Some facts about people are followed by a question. Answer answerable if the facts say what is asked, and "
            "unanswerable if they do not. Use nothing but the facts."
        ),
        solve=_told,
        right=[
            ("Anna lives in Rome. Anna is 30 years old. Paul lives in Oslo.\nHow old is Anna?", "Anna's age is told."),
            (
                "Anna lives in Rome. Anna is 30 years old. Paul lives in Oslo.\nHow old is Paul?",
                "Only Paul's city is told.",
            ),
        ],
        wrong=[
            (
                "Anna lives in Rome. Anna is 30 years old. Paul lives in Oslo.\nHow old is Paul?",
                "answerable",
                "The age that is told is Anna's.",
            )
        ],
        labels=("answerable", "unanswerable"),
    )(_facts),
    task(
        name="table_answers_question",
        category=_ANSWERABLE,
        definition=(
            "A table of people with their city and age is followed by a question. Answer yes if the table holds the "
            "answer. Answer no if the person or the column that is asked for is not in the table."
        ),
        solve=_table_told,
        right=[
            (f"{_SMALL}What is the age of Ruth?", "Ruth and the column 'age' are both there."),
            (f"{_SMALL}What is the job of Anna?", "There is no column about jobs."),
        ],
        wrong=[(f"{_SMALL}What is the job of Anna?", "yes", "Anna is in the table but her job is not.")],
        labels=("yes", "no"),
    )(_table_question),
    task(
        name="se_puede_responder",
        category=_ANSWERABLE,
        definition=(
            "Unos datos dicen dónde viven algunas personas y después hay una pregunta. Responde sí si los datos "
            "contienen la respuesta y no si no la contienen. Usa solamente los datos."
        ),
        solve=lambda text: "sí" if f"{text.split()[-1].strip('?')} vive en" in text.split("\n")[0] else "no",
        right=[
            ("Marta vive en Roma. Luis vive en Praga.\n¿Dónde vive Luis?", "Se dice que Luis vive en Praga."),
            ("Marta vive en Roma. Luis vive en Praga.\n¿Dónde vive Rosa?", "De Rosa no se dice nada."),
        ],
        wrong=[("Marta vive en Roma. Luis vive en Praga.\n¿Dónde vive Rosa?", "sí", "Rosa no aparece en los datos.")],
        labels=("sí", "no"),
        language="Spanish",
        instruction_language="Spanish",
    )(_facts_es),
]

TASKS: list[Blueprint] = [*_tables, *_texts, *_extractions, *_answerable]
