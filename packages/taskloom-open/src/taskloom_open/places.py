"""Tasks about countries: facts, questions, claims and tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from taskloom.author import Blueprint
from taskloom_open.archives import SourceText, read_table
from taskloom_open.archives.languages import LANGUAGES
from taskloom_open.kit import Part, WorkedItem, aligned, choices, define, rows

_QUESTIONS = {
    "capital": "What is the capital of {0}?",
    "currency": "What is the currency of {0}?",
    "continent": "On which continent does {0} lie?",
}


def places() -> Iterator[Blueprint]:
    """Every task of this module."""
    yield from _asked()
    yield from _judged()
    yield from _written()
    yield from _tables()
    yield from _rewritten()


_REGIONS = {"North America": "Americas", "South America": "Americas"}


def agreed_countries(part: Part) -> list[SourceText]:
    """Countries on whose capital and part of the world two packages agree."""
    twins = {row.text: (row.more["capital"], row.more["region"]) for row in read_table("nations")}
    return [
        row
        for row in rows("countries", part)
        if twins.get(row.text) == (row.more["capital"], _REGIONS.get(row.more["continent"], row.more["continent"]))
    ]


def _known(part: Part, *facts: str) -> list[SourceText]:
    """Countries whose facts are plain text (the source leaves remarks in brackets in some)."""
    found = []
    for row in agreed_countries(part):
        values = [row.more.get(fact) for fact in facts]
        plain = all(
            isinstance(value, int | float) or (value and not re.search(r"[\[\](/,;]", str(value))) for value in values
        )
        if plain and "(" not in row.text and "," not in row.text:
            found.append(row)
    return found


def _capital(rng: Random, held: list[SourceText], row: SourceText) -> str:
    return str(rng.choice([other for other in held if other.more["capital"] != row.more["capital"]]).more["capital"])


def _asked() -> Iterator[Blueprint]:
    held = _known("a", "capital", "continent")
    capitals = [str(row.more["capital"]) for row in held]

    def capital(rng: Random, key: int) -> WorkedItem:
        row = rng.choice(held)
        options, wrong = choices(rng, row.more["capital"], capitals)
        return WorkedItem(
            f"What is the capital of {row.text}?\nOptions: {'; '.join(options)}",
            row.more["capital"],
            f"{row.more['capital']} is the capital of {row.text}.",
            wrong,
            f"{wrong} is the capital of another country.",
            (row.id,),
        )

    yield define("capital_of_country", capital, table="countries", scorer="exact", suffix="")

    def country(rng: Random, key: int) -> WorkedItem:
        row = rng.choice(held)
        strays = [other.text for other in held if other.more["capital"] != row.more["capital"]]
        options, wrong = choices(rng, row.text, strays)
        return WorkedItem(
            f"{row.more['capital']}\nOptions: {'; '.join(options)}",
            row.text,
            f"The capital of {row.text} is {row.more['capital']}.",
            wrong,
            f"{wrong} has another capital.",
            (row.id,),
        )

    yield define("country_of_capital", country, table="countries", scorer="exact", suffix="")
    continents = sorted({str(row.more["continent"]) for row in held})

    def continent(rng: Random, key: int) -> WorkedItem:
        where = rng.choice(["Africa", "Asia", "Europe"])
        few = rng.sample([row for row in held if row.more["continent"] == where], 2)
        many = rng.sample([row for row in held if row.more["continent"] != where], 3)
        listed = [*few, *many]
        rng.shuffle(listed)
        right = ", ".join(row.text for row in listed if row.more["continent"] == where)
        return WorkedItem(
            f"Continent: {where}\nCountries: {', '.join(row.text for row in listed)}",
            right,
            f"These two countries lie in {where}.",
            many[0].text,
            f"{many[0].text} lies in {many[0].more['continent']}.",
            tuple(row.id for row in listed),
        )

    assert continents
    yield define("countries_of_continent", continent, table="countries", scorer="exact", suffix="")

    def wrong_capital(rng: Random, key: int) -> WorkedItem:
        row = rng.choice(held)
        right = sorted({str(other.more["capital"]) for other in held} - {row.more["capital"]})
        rng.shuffle(right)
        offered = sorted([*rng.sample(right, 3), row.more["capital"]])
        answers = tuple(name for name in offered if name != row.more["capital"])
        return WorkedItem(
            f"Question: What is the capital of {row.text}?\nCities: {', '.join(offered)}",
            answers,
            f"{answers[0]} is a capital too, but not that of {row.text}; so it makes a good wrong answer.",
            row.more["capital"],
            f"{row.more['capital']} is the right answer to the question, and a wrong one is asked for.",
            (row.id,),
        )

    yield define("wrong_capital", wrong_capital, table="countries", scorer="exact", suffix="")

    def question(rng: Random, key: int) -> WorkedItem:
        fact = rng.choice(sorted(_QUESTIONS))
        row = rng.choice(_known("a", fact))
        right = _QUESTIONS[fact].format(row.text)
        stray = next(name for name in _QUESTIONS if name != fact)
        return WorkedItem(
            f"Country: {row.text}\nFact: {fact}\nAnswer: {row.more[fact]}",
            right,
            f"The question asks for the {fact} of {row.text}, and its answer is {row.more[fact]}.",
            _QUESTIONS[stray].format(row.text),
            f"This question asks for the {stray}.",
            (row.id,),
        )

    yield define("ask_for_fact", question, table="countries", scorer="rouge-l", suffix="")

    def decompose(rng: Random, key: int) -> WorkedItem:
        fact = rng.choice(["currency", "continent"])
        row = rng.choice(_known("a", "capital", fact))
        asked = {
            "currency": "What is the currency of the country whose capital is {0}?",
            "continent": "On which continent does the country whose capital is {0} lie?",
        }[fact]
        right = f"Which country has the capital {row.more['capital']}? | {_QUESTIONS[fact].format('#1')}"
        return WorkedItem(
            asked.format(row.more["capital"]),
            right,
            f"First the country is needed ({row.text}), then its {fact}.",
            _QUESTIONS[fact].format(row.more["capital"]),
            "The step that finds the country is missing.",
            (row.id,),
        )

    yield define("decompose_question", decompose, table="countries", scorer="exact", suffix="")


def _judged() -> Iterator[Blueprint]:
    held = _known("a", "capital", "continent")

    def claim(rng: Random, key: int) -> WorkedItem:
        row = rng.choice(held)
        true = rng.random() < 0.5
        fact = rng.choice(["capital", "continent"])
        value = str(row.more[fact])
        shown = (
            value
            if true
            else str(rng.choice([other for other in held if other.more[fact] != row.more[fact]]).more[fact])
        )
        text = f"{shown} is the capital of {row.text}." if fact == "capital" else f"{row.text} lies in {shown}."
        answer, wrong = ("true", "false") if true else ("false", "true")
        return WorkedItem(
            text, answer, f"The {fact} of {row.text} is {value}.", wrong, f"The {fact} is {value}.", (row.id,)
        )

    yield define("verify_claim", claim, table="countries", labels=("true", "false"), suffix="")
    relations = {"capital": "has the capital", "continent": "lies in", "currency": "pays with"}

    def relation(rng: Random, key: int) -> WorkedItem:
        fact = rng.choice(sorted(relations))
        row = rng.choice(_known("a", fact))
        wrong = rng.choice([other for other in sorted(relations) if other != fact])
        return WorkedItem(
            f"{row.text} | {row.more[fact]}",
            relations[fact],
            f"{row.text} {relations[fact]} {row.more[fact]}.",
            relations[wrong],
            f"'{row.more[fact]}' is not that for {row.text}.",
            (row.id,),
        )

    yield define(
        "relation_of_entities",
        relation,
        table="countries",
        labels=tuple(relations[k] for k in sorted(relations)),
        suffix="",
    )

    def sea(rng: Random, key: int) -> WorkedItem:
        closed = rng.random() < 0.5
        pool = [row for row in rows("countries", "a") if str(row.more.get("landlocked")) == ("1" if closed else "0")]
        row, other = rng.sample(pool, 2)
        answer, wrong = ("no", "yes") if closed else ("yes", "no")
        why = (
            f"{row.text} and {other.text} have no coast."
            if closed
            else f"{row.text} and {other.text} both have a coast."
        )
        return WorkedItem(
            f"{row.text} and {other.text}", answer, why, wrong, "Look at a map: " + why, (row.id, other.id)
        )

    yield define("on_the_sea", sea, table="countries", labels=("yes", "no"), suffix="")


def _sentence(row: SourceText) -> str:
    facts = row.more
    return (
        f"{row.text} lies in {facts['continent']}, its capital is {facts['capital']}, "
        f"and people pay with the {facts['currency']}."
    )


def _written() -> Iterator[Blueprint]:
    held = _known("a", "capital", "continent", "currency")

    def entities(rng: Random, key: int) -> WorkedItem:
        first, second = rng.sample(held, 2)
        stem = rng.choice(
            [
                "The delegation travelled from {0} to {1} in May.",
                "Last year {0} and {1} signed a treaty.",
                "Our teacher has lived in {0} and later in {1}.",
                "The parcel went from {0} to {1} by ship.",
            ]
        )
        return WorkedItem(
            stem.format(first.text, second.text),
            f"{first.text}, {second.text}",
            "Both names are those of countries.",
            first.text,
            f"{second.text} is a country too.",
            (first.id, second.id),
        )

    yield define("find_countries", entities, table="countries", scorer="exact", suffix="")

    def extract(rng: Random, key: int) -> WorkedItem:
        row = rng.choice(held)
        fact = rng.choice(["capital", "continent", "currency"])
        wrong = next(other for other in ("capital", "continent", "currency") if other != fact)
        return WorkedItem(
            f"{_sentence(row)}\nField: {fact}",
            str(row.more[fact]),
            f"The sentence names {row.more[fact]} as the {fact}.",
            str(row.more[wrong]),
            f"This is the {wrong}.",
            (row.id,),
        )

    yield define("extract_field", extract, table="countries", scorer="exact", suffix="")


def _number(row: SourceText, fact: str) -> float:
    return float(row.more[fact])


def _tables() -> Iterator[Blueprint]:
    held = [
        row
        for row in _known("a", "capital")
        if isinstance(row.more.get("population"), int) and row.more["population"] > 0
    ]

    def largest(rng: Random, key: int) -> WorkedItem:
        listed = rng.sample(held, 4)
        order = sorted(listed, key=lambda row: -_number(row, "population"))
        lines = "\n".join(f"{row.text} | {row.more['population']}" for row in listed)
        return WorkedItem(
            f"Country | Inhabitants\n{lines}",
            order[0].text,
            f"{order[0].text} has {order[0].more['population']} inhabitants, the most of all.",
            order[-1].text,
            f"{order[-1].text} has the fewest.",
            tuple(row.id for row in listed),
        )

    yield define("most_inhabitants", largest, table="countries", scorer="exact", suffix="")

    def total(rng: Random, key: int) -> WorkedItem:
        listed = rng.sample(held, 2)
        rounded = [max(1, round(_number(row, "population") / 1000)) for row in listed]
        right = sum(rounded)
        return WorkedItem(
            f"{listed[0].text} has {rounded[0]} thousand inhabitants, and {listed[1].text} has {rounded[1]} thousand. "
            "How many thousand inhabitants do both countries have together?",
            str(right),
            f"{rounded[0]} + {rounded[1]} = {right}.",
            str(abs(rounded[0] - rounded[1])),
            "The numbers were subtracted, not added.",
            tuple(row.id for row in listed),
        )

    yield define("sum_of_inhabitants", total, table="countries", scorer="exact", suffix="")

    def rank(rng: Random, key: int) -> WorkedItem:
        listed = rng.sample(held, 4)
        order = sorted(listed, key=lambda row: _number(row, "population"))
        lines = "\n".join(f"{row.text} | {row.more['population']}" for row in listed)
        return WorkedItem(
            f"Country | Inhabitants\n{lines}",
            ", ".join(row.text for row in order),
            "The numbers grow from one country to the next.",
            ", ".join(row.text for row in reversed(order)),
            "The largest number comes first here.",
            tuple(row.id for row in listed),
        )

    yield define("sort_by_inhabitants", rank, table="countries", scorer="exact", suffix="")

    def sql(rng: Random, key: int) -> WorkedItem:
        row = rng.choice(held)
        limit = rng.choice([1, 2, 5, 10, 20, 50, 100])
        where = str(row.more["continent"])
        more = rng.random() < 0.5
        sign, words = (">", "more than") if more else ("<", "less than")
        conditions = f"continent = '{where}' AND population {sign} {limit * 1_000_000}"
        right = f"SELECT name FROM countries WHERE {conditions};"  # noqa: S608  (a text to be learned, never run)
        return WorkedItem(
            f"Which countries of {where} have {words} {limit} million inhabitants? Not counting {row.text}.",
            right.replace(";", f" AND name <> '{row.text}';"),
            "Each condition of the question becomes a condition of the query.",
            right,
            f"The condition about {row.text} is missing.",
            (row.id,),
        )

    yield define("question_to_query", sql, table="countries", scorer="exact", suffix="")


def _rewritten() -> Iterator[Blueprint]:
    """The evaluation categories: Question Rewriting, Data to Text, Answerability."""
    held = _known("b", "capital", "continent", "currency")

    def follow(rng: Random, key: int) -> WorkedItem:
        fact = rng.choice(sorted(_QUESTIONS))
        first, second = rng.sample(held, 2)
        return WorkedItem(
            f"A: {_QUESTIONS[fact].format(first.text)}\nB: {first.more[fact]}.\nA: And {second.text}?",
            _QUESTIONS[fact].format(second.text),
            f"The second question asks the same about {second.text}.",
            _QUESTIONS[fact].format(first.text),
            f"This repeats the first question; now {second.text} is meant.",
            (first.id, second.id),
        )

    yield define("complete_follow_up", follow, table="countries", scorer="rouge-l", suffix="")

    def sentence(rng: Random, key: int) -> WorkedItem:
        first, second = rng.sample(held, 2)
        facts = [
            f"{row.text} | {fact} | {row.more[fact]}"
            for row in (first,)
            for fact in ("continent", "capital", "currency")
        ]
        return WorkedItem(
            "\n".join([*facts, f"{second.text} | continent | {second.more['continent']}"]),
            f"{_sentence(first)} {second.text} lies in {second.more['continent']}.",
            "Every line of the table is said, in the order of the table.",
            _sentence(first),
            f"{second.text} was left out.",
            (first.id, second.id),
        )

    yield define("describe_country", sentence, table="countries", scorer="rouge-l", suffix="")

    def answerable(rng: Random, key: int) -> WorkedItem:
        first, second = rng.sample(held, 2)
        fact = rng.choice(sorted(_QUESTIONS))
        stated = rng.choice(sorted(_QUESTIONS))
        right = rng.random() < 0.5
        said = {
            "capital": "The capital of {0} is {1}.",
            "currency": "In {0} people pay with the {1}.",
            "continent": "{0} lies in {1}.",
        }
        shown = (
            fact
            if right
            else next(name for name in sorted(_QUESTIONS) if name not in (fact, stated))
            if stated == fact
            else stated
        )
        passage = (
            f"{said[shown].format(first.text, first.more[shown])} {said[fact].format(second.text, second.more[fact])}"
        )
        answer, wrong = ("answerable", "unanswerable") if right else ("unanswerable", "answerable")
        return WorkedItem(
            f"Passage: {passage}\nQuestion: {_QUESTIONS[fact].format(first.text)}",
            answer,
            f"The passage {'gives' if right else 'does not give'} the {fact} of {first.text}.",
            wrong,
            f"What the passage says about {second.text} does not matter.",
            (first.id, second.id),
        )

    yield define(
        "answerable_from_passage", answerable, table="countries", labels=("answerable", "unanswerable"), suffix=""
    )
    yield from _foreign()


def _foreign() -> Iterator[Blueprint]:
    """Questions that name a country in another language, to be asked in plain English."""
    for language in LANGUAGES:
        if language == "English":
            continue
        pairs = [
            (one, two)
            for one, two in aligned("territories", "b", "English", language)
            if one.id.startswith("country-") and one.text != two.text
            if not {"(", "&"}.intersection(one.text + two.text)  # "Wallis & Futuna" has "and" as well
        ]
        if len(pairs) < 40:
            continue

        def make(
            rng: Random, key: int, pairs: list[tuple[SourceText, SourceText]] = pairs, language: str = language
        ) -> WorkedItem:
            english, other = rng.choice(pairs)
            stem = rng.choice(
                [
                    "How many people live in this country or territory: {0}?",
                    "What is the highest mountain of this country or territory: {0}?",
                    "Which languages are spoken in this country or territory: {0}?",
                    "What is the weather like in this country or territory: {0}?",
                    "Which countries or seas surround this country or territory: {0}?",
                ]
            )
            return WorkedItem(
                stem.format(other.text),
                stem.format(english.text),
                f"'{other.text}' is the {language} name of {english.text}.",
                stem.format(other.text),
                "The name of the country was not translated.",
                (english.id,),
            )

        yield define(
            "name_country_in_english",
            make,
            table="territories",
            language=language,
            output_language="English",
            scorer="rouge-l",
        )
