"""Small exact tasks on the same sources: counting, sorting, matching, classifying."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import date, timedelta
from random import Random

from taskloom.author import Blueprint
from taskloom_open.archives import SourceText, read_table
from taskloom_open.archives.languages import LANGUAGES
from taskloom_open.kit import WorkedItem, aligned, choices, define, rows
from taskloom_open.places import agreed_countries

Make = Callable[[Random, int], WorkedItem]
_SPACED = [name for name in LANGUAGES if name not in ("Chinese", "Japanese", "Thai", "Khmer", "Lao", "Burmese")]


def puzzles() -> Iterator[Blueprint]:
    """Every task of this module."""
    yield from _things()
    yield from _lookups()
    yield from _numbers()
    yield from _texts()
    for language in LANGUAGES:
        yield from _everywhere(language)


def _pick(held: dict[str, list[tuple[str, str]]], show: str = "{0}") -> Make:
    """A classifier: label -> (text, unit of material)."""
    labels = sorted(held)

    def make(rng: Random, key: int) -> WorkedItem:
        label = rng.choice(labels)
        text, unit = rng.choice(held[label])
        wrong = rng.choice([other for other in labels if other != label])
        return WorkedItem(
            show.format(text), label, f"The right class is '{label}'.", wrong, f"It is not '{wrong}'.", (unit,)
        )

    return make


def _change(held: Sequence[tuple[str, str, str]], why: str, spoil: Callable[[str, str], str]) -> Make:
    """A rewriting: (input, output, unit)."""

    def make(rng: Random, key: int) -> WorkedItem:
        text, right, unit = held[key]
        wrong = spoil(text, right)
        return WorkedItem(
            text, right, why, wrong if wrong != right else f"{right} {right}", "The rule was not followed.", (unit,)
        )

    return make


_NO_ANIMAL = re.compile(
    r"\b(?:edible|flesh|meat|plant|part|limb|organ|appendage|covering|tail|wing|horn|shell|egg|skin)s?\b"
)
"""What the meaning of a word says that WordNet files under animals although a reader may not."""


def _things() -> Iterator[Blueprint]:
    files = {5: "animal", 8: "body part", 13: "food", 20: "plant", 18: "person"}
    held: dict[str, list[tuple[str, str]]] = {name: [] for name in files.values()}
    for row in rows("wordnet", "a"):
        word = row.more["words"][0]
        kind = files.get(row.more["file"]) if row.more["pos"] == "noun" and re.fullmatch("[a-z]{3,}", word) else None
        # "Whitebait: the edible young of herrings" is filed under animals, and so is the hand.
        if kind and not (kind == "animal" and _NO_ANIMAL.search(row.text)):
            held[kind].append((f"{word}: {row.text}", row.id))
    known = {name: own for name, own in held.items() if name != "plant"}
    yield define("kind_of_thing", _pick(known), table="wordnet", labels=tuple(sorted(known)), suffix="")
    other = [*held["food"], *held["plant"]]
    living = {
        "yes": [(f"{a[0]}\n{b[0]}", a[1]) for a in held["animal"] for b in held["animal"][:12] if a is not b],
        "no": [(f"{a[0]}\n{b[0]}", a[1]) for a in other for b in other[:12] if a is not b],
    }
    yield define("is_it_an_animal", _pick(living), table="wordnet", labels=("yes", "no"), suffix="")
    synonyms = [
        (row, row.more["words"][0], row.more["words"][1])
        for row in rows("wordnet", "a")
        if len(row.more["words"]) >= 2 and all(re.fullmatch("[a-z]{3,}", word) for word in row.more["words"][:2])
    ]

    def synonym(rng: Random, key: int) -> WorkedItem:
        row, one, two = synonyms[key]
        options, wrong = choices(rng, two, [other[2] for other in rng.sample(synonyms, 6) if other[0].id != row.id])
        return WorkedItem(
            f"{one} ({row.text})\nOptions: {', '.join(options)}",
            two,
            f"'{two}' means the same.",
            wrong,
            f"'{wrong}' means something else.",
            (row.id,),
        )

    yield define("find_synonym", synonym, table="wordnet", keys=len(synonyms), scorer="exact", suffix="")
    halves = [
        (" / ".join([" ".join(words[len(words) // 2 :]), " ".join(words[: len(words) // 2])]), sentence, row.id)
        for row in rows("wordnet", "a")
        for sentence in row.more["examples"][:1]
        if len(words := sentence.split()) >= 8
    ]
    join = _change(
        halves, "The second part stands before the first here; joined they make the sentence.", lambda text, _: text
    )
    yield define("join_halves", join, table="wordnet", keys=len(halves), scorer="exact", suffix="")
    lines: dict[tuple[int, int], SourceText] = {}
    for row in rows("sonnets", "a"):
        lines[row.more["sonnet"], row.more["line"]] = row
    couplets = [
        (one, lines[number, 13]) for (number, line), one in lines.items() if line == 12 and (number, 13) in lines
    ]

    def rhyme(rng: Random, key: int) -> WorkedItem:
        (one, two), (_, stray) = rng.sample(couplets, 2)
        right = rng.random() < 0.5
        other = two if right else stray
        answer, wrong = ("yes", "no") if right else ("no", "yes")
        why = "They are the last two lines of one sonnet, which rhyme." if right else "They end two different sonnets."
        return WorkedItem(
            f"{one.text}\n{other.text}",
            answer,
            why,
            wrong,
            "The ends of the lines were not compared.",
            (one.id, other.id),
        )

    yield define("same_couplet", rhyme, table="sonnets", labels=("yes", "no"), suffix="")


def _lookups() -> Iterator[Blueprint]:
    for template, fact, asked in (
        ("country_of_code", "code", "Which country or territory has the code {0}?"),
        ("country_of_domain", "domain", "Which country or territory has the internet domain {0}?"),
    ):
        held = [row for row in rows("countries", "a") if row.more.get(fact)]

        def find(
            rng: Random, key: int, held: list[SourceText] = held, fact: str = fact, asked: str = asked
        ) -> WorkedItem:
            row = held[key]
            strays = [other.text for other in held if other.more[fact] != row.more[fact]]
            options, wrong = choices(rng, row.text, strays)
            return WorkedItem(
                f"{asked.format(row.more[fact])}\nOptions: {'; '.join(options)}",
                row.text,
                f"'{row.more[fact]}' belongs to {row.text}.",
                wrong,
                f"{wrong} has another one.",
                (row.id,),
            )

        yield define(template, find, table="countries", keys=len(held), scorer="exact", suffix="")
    words = [row for row in rows("wordnet", "a") if re.fullmatch("[a-z]{4,}", row.more["words"][0])]

    def alphabet(rng: Random, key: int) -> WorkedItem:
        picked = rng.sample(words, 4)
        named = [row.more["words"][0] for row in picked]
        right = " ".join(sorted(named))
        wrong = " ".join(sorted(named, reverse=True))
        ids = tuple(row.id for row in picked)
        return WorkedItem(
            " ".join(named),
            right,
            "The words follow each other as in a dictionary.",
            wrong,
            "The order is reversed.",
            ids,
        )

    yield define("alphabetical_order", alphabet, table="wordnet", scorer="exact", suffix="")

    def vowels(rng: Random, key: int) -> WorkedItem:
        row = words[key]
        word = row.more["words"][0]
        right = sum(letter in "aeiou" for letter in word)
        return WorkedItem(
            word, str(right), f"'{word}' has {right} of them.", str(len(word)), "All letters were counted.", (row.id,)
        )

    words = list({row.more["words"][0]: row for row in words}.values())
    yield define("count_vowels", vowels, table="wordnet", keys=len(words), scorer="exact", suffix="")
    defined = [row for row in words if 5 <= len(row.text.split()) <= 25]

    def headword(rng: Random, key: int) -> WorkedItem:
        row = defined[key]
        word = row.more["words"][0]
        options, wrong = choices(rng, word, [other.more["words"][0] for other in rng.sample(defined, 8)])
        text = f"{row.text}\nOptions: {', '.join(options)}"
        return WorkedItem(
            text, word, f"'{word}' is defined like this.", wrong, f"'{wrong}' means something else.", (row.id,)
        )

    yield define("word_for_definition", headword, table="wordnet", keys=len(defined), scorer="exact", suffix="")
    known = {row.id: row for row in words}
    pairs = [
        (row, known[target])
        for row in words
        for place, target, there in row.more["opposites"]
        if place == 0 and there == 0 and target in known
    ]

    def opposite(rng: Random, key: int) -> WorkedItem:
        (one, two), (_, stray) = rng.sample(pairs, 2)
        right = rng.random() < 0.5
        other = two if right else stray
        answer, wrong = ("opposites", "unrelated") if right else ("unrelated", "opposites")
        first, second = one.more["words"][0], other.more["words"][0]
        why = f"The opposite of '{first}' is '{two.more['words'][0]}'."
        return WorkedItem(f"{first}, {second}", answer, why, wrong, why, (one.id, other.id))

    yield define("opposites_or_not", opposite, table="wordnet", labels=("opposites", "unrelated"), suffix="")
    code = [row for row in rows("code", "a") if len(row.more["code"].splitlines()) <= 9]

    def implementation(rng: Random, key: int) -> WorkedItem:
        row, stray = code[key], code[(key + 1 + rng.randrange(len(code) - 1)) % len(code)]
        first = rng.random() < 0.5
        a, b = (row, stray) if first else (stray, row)
        bodies = [re.sub(r"^def \w+", "def f", one.more["code"]) for one in (a, b)]
        text = f"{row.text}\nA:\n{bodies[0]}\nB:\n{bodies[1]}"
        answer, wrong = ("A", "B") if first else ("B", "A")
        return WorkedItem(
            text,
            answer,
            f"Function {answer} does what is asked.",
            wrong,
            "That function does something else.",
            (row.id, stray.id),
        )

    yield define("choose_implementation", implementation, table="code", keys=len(code), labels=("A", "B"), suffix="")


def _numbers() -> Iterator[Blueprint]:
    events = rows("history", "a")

    def apart(rng: Random, key: int) -> WorkedItem:
        one, two = rng.sample(events, 2)
        right = abs(one.more["year"] - two.more["year"])
        return WorkedItem(
            f"{one.text} ({one.more['year']})\n{two.text} ({two.more['year']})",
            str(right),
            f"{max(one.more['year'], two.more['year'])} minus {min(one.more['year'], two.more['year'])} is {right}.",
            str(right + 1),
            "One year too many was counted.",
            (one.id, two.id),
        )

    yield define("years_between_events", apart, table="history", scorer="exact", suffix="")

    def century(rng: Random, key: int) -> WorkedItem:
        one, two = rng.sample(events, 2)
        same = (one.more["year"] - 1) // 100 == (two.more["year"] - 1) // 100
        answer, wrong = ("yes", "no") if same else ("no", "yes")
        years = f"{one.more['year']} and {two.more['year']}"
        return WorkedItem(
            f"{one.text} ({one.more['year']})\n{two.text} ({two.more['year']})",
            answer,
            f"The years are {years}.",
            wrong,
            f"Look at the years {years} again.",
            (one.id, two.id),
        )

    yield define("same_century", century, table="history", labels=("yes", "no"), suffix="")
    held = [row for row in rows("countries", "a") if isinstance(row.more.get("area"), float) and row.more["area"] > 0]

    def larger(rng: Random, key: int) -> WorkedItem:
        one, two = rng.sample(held, 2)
        right, wrong = (one, two) if one.more["area"] >= two.more["area"] else (two, one)
        return WorkedItem(
            "\n".join(f"{row.text}: {row.more['area']:,.10g} square kilometres" for row in (one, two)),
            right.text,
            f"{right.text} has the larger area.",
            wrong.text,
            f"{wrong.text} is smaller.",
            (one.id, two.id),
        )

    yield define("larger_country", larger, table="countries", scorer="exact", suffix="")

    def density(rng: Random, key: int) -> WorkedItem:
        row = rng.choice(held)
        area, per = rng.randint(2, 90), rng.randint(3, 80)
        return WorkedItem(
            f"A region of {row.text} has {area * per} inhabitants on {area} square kilometres. "
            "How many people live on one?",
            str(per),
            f"{area * per} divided by {area} is {per}.",
            str(area * per),
            "The division was left out.",
            (row.id,),
        )

    yield define("people_per_square_kilometre", density, table="countries", scorer="exact", suffix="")
    regions: dict[str, list[tuple[str, str]]] = {}
    for row in agreed_countries("a"):
        if row.more["continent"] in ("Africa", "Asia", "Europe", "North America", "Oceania"):
            regions.setdefault(row.more["continent"], []).append(
                (f"{row.text} and its capital {row.more['capital']}", row.id)
            )
    shown = {name: found for name, found in regions.items() if len(found) >= 12}
    many = {
        name: [(f"{a[0]}; {b[0]}", a[1]) for a in found for b in found if a is not b] for name, found in shown.items()
    }
    yield define("continent_of_countries", _pick(many), table="countries", labels=tuple(sorted(many)), suffix="")


def _texts() -> Iterator[Blueprint]:
    verses = [row for row in rows("bible", "a") if 8 <= len(row.text.split()) <= 26 and row.text != row.more["asv"]]

    def older(rng: Random, key: int) -> WorkedItem:
        row = verses[key]
        first = rng.random() < 0.5
        a, b = (row.text, row.more["asv"]) if first else (row.more["asv"], row.text)
        return WorkedItem(
            f"A: {a}\nB: {b}",
            "A" if first else "B",
            "Its wording is that of the King James Version.",
            "B" if first else "A",
            "That is the revised wording.",
            (row.id,),
        )

    marks = re.compile(r"\b(?:LORD|shew|Ghost)")
    verses = [row for row in verses if marks.search(row.text) and not marks.search(row.more["asv"])]
    yield define("older_translation", older, table="bible", keys=len(verses), labels=("A", "B"), suffix="")
    calls = [
        (row.text, ", ".join(found), row.id)
        for row in rows("messages", "a")
        if (found := re.findall(r"\b\d{5,}\b", row.text))
    ]
    get = _change(
        calls, "Every run of five or more digits is listed, in the order of the message.", lambda _, right: right[:3]
    )
    yield define("long_numbers_in_message", get, table="messages", keys=len(calls), scorer="exact", suffix="")
    loud = [
        (row.text, ", ".join(found), row.id)
        for row in rows("messages", "a")
        if (found := [word for word in re.findall(r"[A-Za-z]+", row.text) if len(word) > 2 and word.isupper()])
    ]
    shout = _change(loud, "These words are written in capitals throughout.", lambda _, right: right.lower())
    yield define("words_in_capitals", shout, table="messages", keys=len(loud), scorer="exact", suffix="")
    news = [row for row in rows("speech", "a") if row.more["kind"] == "headline" and len(row.text.split()) >= 6]
    count = _change(
        [(row.text, str(len(row.text.split())), row.id) for row in news],
        "The words between blanks were counted.",
        lambda text, _: str(len(text)),
    )
    yield define("count_words_of_headline", count, table="speech", keys=len(news), scorer="exact", suffix="")
    initials = _change(
        [(row.text, "".join(word[0] for word in row.text.split()), row.id) for row in news],
        "The first characters of all words were joined.",
        lambda text, _: text.split()[0],
    )
    yield define("initials_of_headline", initials, table="speech", keys=len(news), scorer="exact", suffix="")
    code = [
        row
        for row in rows("code", "a")
        if len(row.more["code"].splitlines()) <= 12 and not row.more["name"].startswith("_")
    ]

    def name_it(rng: Random, key: int) -> WorkedItem:
        row = code[key]
        options, wrong = choices(rng, row.more["name"], [other.more["name"] for other in rng.sample(code, 8)])
        hidden = re.sub(rf"\b{re.escape(row.more['name'])}\b", "NAME", row.more["code"])
        return WorkedItem(
            f"{hidden}\nOptions: {', '.join(options)}",
            row.more["name"],
            f"The function {row.text[:1].lower()}{row.text[1:]}",
            wrong,
            "Its body does nothing of the kind.",
            (row.id,),
        )

    yield define("name_the_function", name_it, table="code", keys=len(code), scorer="exact", suffix="")
    arguments = {"0": [], "1": [], "2": [], "3": []}  # type: dict[str, list[tuple[str, str]]]
    for row in code:
        inside = re.match(r"def \w+\(([^()]*)\):", row.more["code"])
        found = (
            [one for one in inside[1].split(",") if one.strip() and one.strip() not in ("self", "cls")]
            if inside
            else []
        )
        if inside and "*" not in inside[1] and str(len(found)) in arguments:
            arguments[str(len(found))].append((row.more["code"], row.id))
    yield define(
        "count_arguments",
        _pick({k: v for k, v in arguments.items() if len(v) >= 20}),
        table="code",
        labels=tuple(sorted(k for k, v in arguments.items() if len(v) >= 20)),
        suffix="",
    )
    # The list has misspellings among its right words as well; a dictionary of pronunciations has none of them.
    known = {row.text for row in read_table("sounds")}
    wrong_words = [
        row for row in rows("spelling", "a") if row.more["wrong"][0] not in known and row.text.lower() in known
    ]

    def correct(rng: Random, key: int) -> WorkedItem:
        row = wrong_words[key]
        near = sorted((other.text for other in rng.sample(wrong_words, 40)), key=lambda one: one[0] != row.text[0])
        options, wrong = choices(rng, row.text, near[:6])
        return WorkedItem(
            f"{row.more['wrong'][0]}\nOptions: {', '.join(options)}",
            row.text,
            f"The writer meant '{row.text}'.",
            wrong,
            f"'{wrong}' has other letters.",
            (row.id,),
        )

    yield define("meant_word", correct, table="spelling", keys=len(wrong_words), scorer="exact", suffix="")
    sentences = rows("portuguese", "a", "Portuguese")
    nouns = [
        (row.text, next(w for w, tag in row.more["words"] if tag == "NOUN"), row.id)
        for row in sentences
        if any(tag == "NOUN" for _, tag in row.more["words"])
    ]
    first = _change(nouns, "No noun stands before it.", lambda text, _: text.split()[0])
    yield define(
        "first_noun_portuguese",
        first,
        table="portuguese",
        keys=len(nouns),
        language="Portuguese",
        scorer="exact",
        suffix="",
    )


def _everywhere(language: str) -> Iterator[Blueprint]:
    names = [row for row in rows("names", "a", language) if row.text.isalpha()]
    if len(names) >= 60 and language not in ("Swahili", "Yoruba"):

        def longest(rng: Random, key: int) -> WorkedItem:
            picked = rng.sample(names, 4)
            order = sorted(picked, key=lambda row: (len(row.text), picked.index(row)))
            return WorkedItem(
                ", ".join(row.text for row in picked),
                ", ".join(row.text for row in order),
                "The names get longer; equally long ones keep their order.",
                ", ".join(row.text for row in reversed(order)),
                "The longest name comes first here.",
                tuple(row.id for row in picked),
            )

        yield define("sort_names_by_length", longest, table="names", language=language, scorer="exact")
    own = [row for row in rows("home", "a", language) if 5 <= len(row.text.split()) <= 14]
    if len(own) >= 115 and language in _SPACED:
        swapped = [
            (row.text, " ".join([w[-1], *w[1:-1], w[0]]), row.id)
            for row in own
            if (w := row.text.rstrip(".!?").split())
        ]
        yield define(
            "swap_first_and_last",
            _change(swapped, "The outer words changed places.", lambda text, _: text),
            table="home",
            keys=len(swapped),
            language=language,
            scorer="exact",
        )
        second = [(row.text, " ".join(row.text.rstrip(".!?").split()[1::2]), row.id) for row in own]
        yield define(
            "every_second_word",
            _change(second, "Words number 2, 4, 6 and so on are kept.", lambda text, _: " ".join(text.split()[::2])),
            table="home",
            keys=len(second),
            language=language,
            scorer="exact",
        )
    tongues = [
        (one, two)
        for one, two in aligned("territories", "a", "English", language)
        if one.id.startswith("language-") and one.text != two.text
    ]
    if language != "English" and len(tongues) >= 30:

        def spoken(rng: Random, key: int) -> WorkedItem:
            one, two = rng.choice(tongues)
            options, wrong = choices(rng, one.text, [first.text for first, _ in tongues], 5)
            return WorkedItem(
                f"{two.text}\nOptions: {'; '.join(options)}",
                one.text,
                f"'{two.text}' is the {language} name of {one.text}.",
                wrong,
                f"{wrong} is called something else.",
                (one.id,),
            )

        yield define(
            "name_the_language",
            spoken,
            table="territories",
            language=language,
            output_language="English",
            scorer="exact",
        )
    yield from _time(language)


_PAIRED = (
    "English",
    "German",
    "Dutch",
    "Swedish",
    "Danish",
    "Spanish",
    "Italian",
    "Portuguese",
    "French",
    "Turkish",
    "Hungarian",
    "Finnish",
    "Estonian",
    "Bulgarian",
    "Georgian",
    "Swahili",
    "Basque",
    "Catalan",
    "Galician",
)


def _time(language: str) -> Iterator[Blueprint]:
    """Phrases of relative time, for languages whose plain plural goes with all numbers from two to nine."""
    if language not in _PAIRED:
        return
    held = {row.id: row for part in ("a", "b") for row in rows("dates", part, language)}
    steps = {"day": 1, "week": 7}

    def when(rng: Random, key: int) -> WorkedItem:
        unit, sense, number = rng.choice(sorted(steps)), rng.choice(["past", "future"]), rng.randint(2, 9)
        today = date(2001, 1, 1) + timedelta(days=rng.randrange(9000))
        phrase = held[f"relative-{unit}-{sense}"].more["forms"]["other"].replace("{0}", str(number))
        shift = timedelta(days=number * steps[unit] * (1 if sense == "future" else -1))
        return WorkedItem(
            f"Today: {today.isoformat()}\nPhrase: {phrase}",
            (today + shift).isoformat(),
            f"'{phrase}' means {number} {unit}s {'later' if sense == 'future' else 'earlier'}.",
            (today - shift).isoformat(),
            "The date lies on the wrong side of today.",
            (f"{language}:relative-{unit}-{sense}",),
        )

    if all(f"relative-{unit}-{sense}" in held for unit in steps for sense in ("past", "future")):
        yield define("relative_date", when, table="dates", language=language, output_language="English", scorer="exact")
