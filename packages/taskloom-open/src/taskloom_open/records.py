"""Tasks from code, word lists, dates of history and a Portuguese treebank."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from taskloom.author import Blueprint
from taskloom_open.archives import SourceText
from taskloom_open.kit import WorkedItem, choices, define, rows


def records() -> Iterator[Blueprint]:
    """Every task of this module."""
    yield from _software()
    yield from _wordlists()
    yield from _history()
    yield from _portuguese()


def _software() -> Iterator[Blueprint]:
    held = [row for row in rows("code", "a") if len(row.more["code"].splitlines()) <= 14]

    def match(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        options, wrong = choices(rng, row.text, [other.text for other in rng.sample(held, 6)], 3)
        listed = "\n".join(f"{letter}: {text}" for letter, text in zip("ABC", options, strict=True))
        answer = "ABC"[options.index(row.text)]
        return WorkedItem(
            f"{row.more['code']}\n{listed}",
            answer,
            "The body of the function does just that.",
            "ABC"[options.index(wrong)],
            "The function does something else.",
            (row.id,),
        )

    yield define("match_function", match, table="code", keys=len(held), labels=("A", "B", "C"), suffix="")
    rest = [row for row in rows("code", "a") if 8 <= len(row.more["rest"].split()) <= 140]

    def summarise(rng: Random, key: int) -> WorkedItem:
        row = rest[key]
        options, wrong = choices(rng, row.text, [other.text for other in rng.sample(rest, 4)], 3)
        return WorkedItem(
            f"{row.more['name']}: {row.more['rest']}\n" + "\n".join(f"- {text}" for text in options),
            row.text,
            "This sentence says what the longer text explains.",
            wrong,
            "That sentence sums up another text.",
            (row.id,),
        )

    yield define("summarise_documentation", summarise, table="code", keys=len(rest), scorer="rouge-l", suffix="")


def _wordlists() -> Iterator[Blueprint]:
    hard = rows("simplify", "a")

    def simplify(rng: Random, key: int) -> WorkedItem:
        row = hard[key]
        strays = [other.more["simple"][0] for other in rng.sample(hard, 9)]
        known = [word for word in dict.fromkeys(strays) if word not in row.more["simple"]][:3]
        listed = rng.sample([*row.more["simple"], *known], len(row.more["simple"]) + len(known))
        return WorkedItem(
            f"{row.text}\nOptions: {', '.join(listed)}",
            tuple(row.more["simple"]),
            f"'{row.more['simple'][0]}' says the same in simpler words.",
            known[0],
            f"'{known[0]}' means something else.",
            (row.id,),
        )

    yield define("simpler_expression", simplify, table="simplify", keys=len(hard), scorer="exact", suffix="")
    short = {row.more["long"]: row.text for row in rows("contractions", "a") if " " in row.more["long"]}
    sentences = list(
        {
            row.id: (row, sentence, long, contracted)
            for row in rows("wordnet", "a")
            for sentence in row.more["examples"]
            for long, contracted in short.items()
            if f" {long} " in f" {sentence} " and sentence.count(long) == 1 and "'" not in sentence
        }.values()
    )

    def expand(rng: Random, key: int) -> WorkedItem:
        row, sentence, long, contracted = sentences[key]
        shown = f" {sentence} ".replace(f" {long} ", f" {contracted} ").strip()
        return WorkedItem(
            shown, sentence, f"'{contracted}' stands for '{long}'.", shown, "The contraction is still there.", (row.id,)
        )

    if len(sentences) > 115:
        yield define("write_out_contraction", expand, table="wordnet", keys=len(sentences), scorer="exact", suffix="")
    misspelt = rows("spelling", "a")

    def spot(rng: Random, key: int) -> WorkedItem:
        row = misspelt[key]
        wrong_word = row.more["wrong"][0]
        others = [other.text for other in rng.sample(misspelt, 5) if other.id != row.id][:4]
        listed = [wrong_word, *others]
        rng.shuffle(listed)
        return WorkedItem(
            " ".join(listed),
            wrong_word,
            f"The right spelling is '{row.text}'.",
            others[0],
            f"'{others[0]}' is spelled as it should be.",
            (row.id,),
        )

    def distinct(row: SourceText) -> bool:
        wrong_word = row.more["wrong"][0]
        if row.text in mistakes or not any(form in dictionary for form in _base_forms(row.text)):
            return False
        return wrong_word not in spelled and wrong_word not in dictionary and abs(len(row.text) - len(wrong_word)) <= 2

    both = [row for part in ("a", "b") for row in rows("spelling", part)]
    spelled = {row.text for row in both}
    # The list has mistakes among its right words: "seperate", "percieve".
    mistakes = {wrong_word for row in both for wrong_word in row.more["wrong"]}
    dictionary = {word for part in ("a", "b") for row in rows("wordnet", part) for word in row.more["words"]}
    misspelt = [row for row in misspelt if distinct(row)]
    yield define("misspelt_word", spot, table="spelling", keys=len(misspelt), scorer="exact", suffix="")

    def correct(rng: Random, key: int) -> WorkedItem:
        row = misspelt[key]
        right = rng.random() < 0.5
        answer, wrong = ("right", "wrong") if right else ("wrong", "right")
        return WorkedItem(
            row.text if right else row.more["wrong"][0],
            answer,
            f"The word is spelled '{row.text}'.",
            wrong,
            f"A dictionary has '{row.text}'.",
            (row.id,),
        )

    yield define("spelled_right", correct, table="spelling", keys=len(misspelt), labels=("right", "wrong"), suffix="")


def _base_forms(word: str) -> Iterator[str]:
    """The word, and what it may be a regular form of."""
    yield word
    for ending, base in _ENDINGS:
        if word.endswith(ending):
            yield word.removesuffix(ending) + base
    if doubled := re.fullmatch(r"(.*)(.)\2(?:ed|ing|er)", word):
        yield doubled[1] + doubled[2]


_ENDINGS = (
    *(("s", ""), ("es", ""), ("ies", "y"), ("ed", ""), ("ed", "e"), ("ied", "y"), ("ing", ""), ("ing", "e")),
    *(("er", ""), ("er", "e"), ("est", ""), ("ly", ""), ("ness", "")),
)


def _history() -> Iterator[Blueprint]:
    held = rows("history", "a")

    def order(rng: Random, key: int) -> WorkedItem:
        picked = rng.sample(held, 3)
        while len({row.more["year"] for row in picked}) < 3:
            picked = rng.sample(held, 3)
        ordered = sorted(picked, key=lambda row: row.more["year"])
        answer = "".join("ABC"[picked.index(row)] for row in ordered)
        years = ", ".join(str(row.more["year"]) for row in ordered)
        wrong = answer[::-1]
        return WorkedItem(
            "\n".join(f"{letter}: {row.text}" for letter, row in zip("ABC", picked, strict=True)),
            answer,
            f"The years are {years}.",
            wrong,
            "The latest event comes first here.",
            tuple(row.id for row in picked),
        )

    yield define("order_events", order, table="history", scorer="exact", suffix="")

    def century(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        number = (row.more["year"] - 1) // 100 + 1
        return WorkedItem(
            f"{row.text} ({row.more['year']})",
            str(number),
            f"The year {row.more['year']} lies in century number {number}.",
            str(number - 1),
            "The first two digits of the year were copied; the century is one more.",
            (row.id,),
        )

    yield define("century_of_event", century, table="history", keys=len(held), scorer="exact", suffix="")

    def date_line(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        return WorkedItem(
            f"On day {row.more['day']} of month {row.more['month']} in {row.more['year']}: {row.text}",
            f"{row.more['year']}-{row.more['month']:02d}-{row.more['day']:02d}",
            "Year, month and day are written with four, two and two digits.",
            f"{row.more['day']:02d}-{row.more['month']:02d}-{row.more['year']}",
            "The year has to come first.",
            (row.id,),
        )

    yield define("date_of_event", date_line, table="history", keys=len(held), scorer="exact", suffix="")


def _portuguese() -> Iterator[Blueprint]:
    tags = {"NOUN": "noun", "VERB": "verb", "ADJ": "adjective", "ADP": "preposition", "PRON": "pronoun"}
    held: dict[str, list[tuple[SourceText, str]]] = {name: [] for name in tags}
    classes: dict[str, set[str]] = {}
    for row in (*rows("portuguese", "a", "Portuguese"), *rows("portuguese", "b", "Portuguese")):
        for word, tag in row.more["words"]:
            classes.setdefault(word.lower(), set()).add(tag)
    for row in rows("portuguese", "a", "Portuguese"):
        words = [word for word, _ in row.more["words"]]
        for word, tag in row.more["words"]:
            plain = words.count(word) == 1 and word.isalpha() and len(word) > 1
            # Participles are verbs or adjectives as one likes, and some words were tagged in two ways.
            if tag in tags and plain and len(classes[word.lower()]) == 1 and not re.search(r"[dst][oa]s?$", word):
                held[tag].append((row, word))

    def classify(rng: Random, key: int) -> WorkedItem:
        tag = rng.choice(sorted(tags))
        row, word = rng.choice(held[tag])
        wrong = rng.choice([other for other in sorted(tags) if other != tag])
        return WorkedItem(
            f"Sentence: {row.text}\nWord: {word}",
            tags[tag],
            f"In this sentence '{word}' is used as a {tags[tag]}.",
            tags[wrong],
            f"'{word}' is no {tags[wrong]} here.",
            (row.id,),
        )

    yield define(
        "class_of_word_portuguese",
        classify,
        table="portuguese",
        labels=tuple(tags.values()),
        language="Portuguese",
        output_language="English",
        suffix="",
    )

    rich = []
    for row in rows("portuguese", "a", "Portuguese"):
        names = [word for word, tag in row.more["words"] if tag == "PROPN"]
        if 1 <= len(names) <= 3 and len(set(names)) == len(names):
            rich.append((row, names))

    def names_in(rng: Random, key: int) -> WorkedItem:
        row, names = rich[key]
        first = row.more["words"][0][0]
        return WorkedItem(
            row.text,
            ", ".join(names),
            "These words are proper names.",
            first if first not in names else "nada",
            "This word is not a proper name.",
            (row.id,),
        )

    yield define(
        "names_in_sentence",
        names_in,
        table="portuguese",
        keys=len(rich),
        language="Portuguese",
        scorer="exact",
        suffix="portuguese",
    )
