"""Tasks from the Unicode CLDR: numbers, measures, dates, countries, emoji and lists in many languages."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import date, timedelta
from random import Random

from taskloom.author import Blueprint
from taskloom.core import Items, digest
from taskloom_open.archives import SourceText
from taskloom_open.archives.languages import LANGUAGES
from taskloom_open.kit import Part, WorkedItem, aligned, choices, define, part_of, rows, translated_languages

_OTHERS = [name for name in LANGUAGES if name != "English"]

# Languages whose plain plural form goes with every number from two to nine.
_ONE_OR_MANY = """
    English Basque Bulgarian Catalan Danish Estonian Finnish French German Icelandic Italian Portuguese Spanish
    Swedish
"""
_TWO_FORMS = _ONE_OR_MANY.split()


def measures() -> Iterator[Blueprint]:
    """Every task of this module."""
    yield from _numbers()
    yield from _units()
    yield from _months()
    yield from _dates()
    yield from _countries()
    yield from _emoji()
    yield from _lists()


def _numbers() -> Iterator[Blueprint]:
    for language in LANGUAGES:
        held = [row for row in rows("numbers", "a", language) if row.more["number"] > 9]
        if len(held) < 150:
            continue

        def words_to_digits(
            rng: Random, key: int, held: list[SourceText] = held, language: str = language
        ) -> WorkedItem:
            row = held[key]
            number = row.more["number"]
            turned = int(str(number)[::-1]) if str(number)[::-1] != str(number) else number + 10
            return WorkedItem(
                row.text,
                str(number),
                f"'{row.text}' is the {language} way to say {number}, so the digits are {number}.",
                str(turned),
                f"The digits do not say the same: {turned} would be another number word.",
                (row.id,),
            )

        def digits_to_words(
            rng: Random, key: int, held: list[SourceText] = held, language: str = language
        ) -> WorkedItem:
            # Many languages spell a number word in two right ways, so it is chosen and not made up.
            row = held[key]
            near = sorted(rng.sample(held, 40), key=lambda one: _unlike(one.more["number"], row.more["number"]))
            options, wrong = choices(rng, row.text, [one.text for one in near[:4]])
            return WorkedItem(
                f"{row.more['number']}\nOptions: {'; '.join(options)}",
                row.text,
                f"In {language} the number {row.more['number']} is called '{row.text}'.",
                wrong,
                "This is the word for another number.",
                (row.id,),
            )

        yield define(
            "number_words_to_digits",
            words_to_digits,
            table="numbers",
            keys=len(held),
            language=language,
            output_language="English",
            scorer="exact",
        )
        yield define(
            "digits_to_number_words",
            digits_to_words,
            table="numbers",
            keys=len(held),
            language="English",
            output_language=language,
            scorer="exact",
        )
        yield _number_order(language, held)


def _unlike(one: int, two: int) -> int:
    """In how many of three digits two numbers differ."""
    return sum(a != b for a, b in zip(f"{one:03}", f"{two:03}", strict=True))


def _number_order(language: str, held: list[SourceText]) -> Blueprint:
    def make(rng: Random, key: int) -> WorkedItem:
        picked = rng.sample(held, 4)
        ordered = sorted(picked, key=lambda row: row.more["number"])
        right = " < ".join(row.text for row in ordered)
        return WorkedItem(
            " | ".join(row.text for row in picked),
            right,
            f"As digits they are {', '.join(str(row.more['number']) for row in ordered)}, in increasing order.",
            " < ".join(row.text for row in reversed(ordered)),
            "The numbers run from the largest to the smallest.",
            tuple(row.id for row in picked),
        )

    return define("order_number_words", make, table="numbers", language=language, scorer="exact")


def _measures_of(part: Part, language: str) -> list[SourceText]:
    """Units, without the speed of light, which many languages call just light."""
    return [row for row in rows("units", part, language) if row.id != "speed-light-speed"]


def _inflected(row: SourceText, number: int) -> str | None:
    form = row.more["forms"].get(f"nominative-count-{'one' if number == 1 else 'other'}")
    return form.replace("{0}", str(number)) if form and "{0}" in form else None


def _units() -> Iterator[Blueprint]:
    for language in _TWO_FORMS:
        for category in ("Grammar Error Detection", "Grammar Error Correction"):
            held = [
                row
                for row in _measures_of(part_of(category), language)
                if "{0}" in row.more["forms"].get("nominative-count-one", "")
                and row.more["forms"]["nominative-count-one"].split()
                != row.more["forms"]["nominative-count-other"].split()
                and re.fullmatch(r"\{0\} [^\W\d_]{2,}", row.more["forms"]["nominative-count-other"])
            ]
            if len(held) < 14:
                continue
            yield _plural(language, category, held)
    for language in LANGUAGES:
        held = [
            row
            for row in _measures_of("a", language)
            # The name in a list may be another word than the one that is counted: "percentuale", but "5 per cento".
            if row.more["gender"] and row.text.isalpha() and f"{{0}} {row.text}" in _spaced(row.more["forms"].values())
        ]
        genders = sorted({row.more["gender"] for row in held})
        # Where the source tells only what is alive from what is not, this is no gender of units.
        if "inanimate" in genders:
            continue
        fewest = min((sum(row.more["gender"] == gender for row in held) for gender in genders), default=0)
        if len(held) >= 30 and 2 <= len(genders) <= 4 and fewest >= 5:
            yield _gender(language, held, genders)
    for language in LANGUAGES:
        yield from _cases(language)


def _plural(language: str, category: str, held: list[SourceText]) -> Blueprint:
    detect = category == "Grammar Error Detection"

    def make(rng: Random, key: int) -> WorkedItem:
        row = rng.choice(held)
        one = rng.random() < 0.4
        number = 1 if one else rng.randint(2, 9)
        extra = rng.randint(10, 99)
        right = _inflected(row, number) or ""
        spoilt = (row.more["forms"]["nominative-count-other" if one else "nominative-count-one"]).replace(
            "{0}", str(number)
        )
        wrong_shown = not detect or rng.random() < 0.5
        shown = spoilt if wrong_shown else right
        text = f"({extra}) {shown}"
        need = "singular" if one else "plural"
        if detect:
            answer = "incorrect" if wrong_shown else "correct"
            why = f"After {number} the unit has its {need} form: '{right}'."
            return WorkedItem(
                text,
                answer,
                why,
                "correct" if wrong_shown else "incorrect",
                f"The form after {number} was overlooked.",
                (row.id,),
            )
        return WorkedItem(
            text,
            f"({extra}) {right}",
            f"After {number} the unit takes its {need} form, so it becomes '{right}'.",
            text,
            f"The phrase was copied: after {number} the {need} form is needed.",
            (row.id,),
        )

    return define(
        "detect_plural_error" if detect else "repair_plural",
        make,
        table="units",
        labels=("correct", "incorrect") if detect else (),
        language=language,
        output_language="English" if detect else None,
        scorer="label" if detect else "exact",
    )


def _gender(language: str, held: list[SourceText], genders: list[str]) -> Blueprint:
    by_gender = {gender: [row for row in held if row.more["gender"] == gender] for gender in genders}

    def make(rng: Random, key: int) -> WorkedItem:
        # The gender is drawn first: most units of some languages have the same one.
        one = rng.choice(by_gender[rng.choice(genders)])
        two = rng.choice([row for row in by_gender[rng.choice(genders)] if row is not one])
        right = f"{one.more['gender']}, {two.more['gender']}"
        wrong = next(other for other in genders if other != one.more["gender"])
        return WorkedItem(
            f"{one.text} | {two.text}",
            right,
            f"In {language} '{one.text}' is {one.more['gender']} and '{two.text}' is {two.more['gender']}.",
            f"{wrong}, {two.more['gender']}",
            f"The grammatical gender of '{one.text}' is {one.more['gender']}, not {wrong}.",
            (one.id, two.id),
        )

    return define(
        "gender_of_units",
        make,
        table="units",
        language=language,
        output_language="English",
        scorer="exact",
        words=", ".join(genders),
    )


def _spaced(forms: Iterable[str]) -> list[str]:
    """Forms with plain blanks."""
    return [" ".join(form.split()) for form in forms]


_ELEVEN = {"Belarusian": "many", "Polish": "many", "Russian": "many", "Ukrainian": "many", "Latvian": "zero"}
"""The form of a unit from 11 to 19, where it is not the one that CLDR calls "other" (that of fractions, in these)."""


def _same_words(one: str, two: str) -> bool:
    """Whether two phrases differ in endings alone; "grader celsius" and "celsiusgraders" do not."""
    words = [phrase.casefold().split() for phrase in (one, two)]
    return [word[:2] for word in words[0]] == [word[:2] for word in words[1]]


def _cases(language: str) -> Iterator[Blueprint]:
    """Case forms of units, for languages that inflect them."""
    count = f"count-{_ELEVEN.get(language, 'other')}"
    pattern = re.compile(rf"(accusative|dative|genitive|instrumental|locative|prepositional|partitive)-{count}")
    held = []
    for row in _measures_of("a", language):
        base = row.more["forms"].get(f"nominative-{count}", "")
        for name, form in sorted(row.more["forms"].items()):
            match = pattern.fullmatch(name)
            if match and form != base and "{0}" in form and "{0}" in base and _same_words(base, form):
                held.append((row, match[1], base, form))
    if len(held) < 60:
        return

    def make(rng: Random, key: int) -> WorkedItem:
        row, case, base, form = held[rng.randrange(len(held))]
        number = str(rng.randint(11, 19))
        right, plain = form.replace("{0}", number), base.replace("{0}", number)
        return WorkedItem(
            f"{plain}\nCase: {case}",
            right,
            f"The {case} of '{plain}' is '{right}'.",
            plain,
            f"This is the nominative; the {case} has another ending.",
            (row.id,),
        )

    yield define("inflect_units", make, table="units", language=language, scorer="exact")


def _named(language: str, kind: str) -> list[SourceText]:
    every = [row for part in ("a", "b") for row in rows("dates", part, language)]
    return sorted((row for row in every if row.id.startswith(kind)), key=lambda row: row.id)


def _for_dates(language: str) -> bool:
    return language in ("English", "Spanish", "German", "French") or digest("dates", language)[0] % 2 == 0


def _months() -> Iterator[Blueprint]:
    """Months are a closed class of twelve: only training tasks ask about them, so that no test task shares them."""
    for language in LANGUAGES:
        # The names of months are the material of dates written out; each language serves one of the two.
        if _for_dates(language):
            continue
        months = _named(language, "month-stand-alone-")
        if len({row.text for row in months}) < 12 or any(re.search(r"\d", row.text) for row in months):
            continue

        def make(rng: Random, key: int, months: list[SourceText] = months) -> WorkedItem:
            picked = rng.sample(months, 5)
            ordered = sorted(picked, key=lambda row: row.more["number"])
            shuffled = ", ".join(row.text for row in picked)
            return WorkedItem(
                shuffled,
                ", ".join(row.text for row in ordered),
                f"They are months number {', '.join(str(row.more['number']) for row in ordered)} of the year.",
                ", ".join(sorted(row.text for row in picked))
                if sorted(row.text for row in picked) != [row.text for row in ordered]
                else shuffled,
                "These months do not follow each other as in the calendar.",
                tuple(row.id for row in picked),
            )

        yield define("order_months", make, table="dates", language=language, scorer="exact")


def _render(pattern: str, day: date, months: dict[int, str], weekdays: dict[int, str]) -> str | None:
    """A date by a CLDR pattern of days, months, years and weekdays; None where the pattern has other fields."""
    out, place = "", 0
    while place < len(pattern):
        if pattern[place] == "'":
            end = pattern.find("'", place + 1)
            if end < 0:
                return None
            out += pattern[place + 1 : end] or "'"
            place = end + 1
            continue
        match = re.match(r"([A-Za-z])\1*", pattern[place:])
        if not match or not match[0].isascii():
            out += pattern[place]
            place += 1
            continue
        field = match[0]
        known = {
            "d": str(day.day),
            "dd": f"{day.day:02d}",
            "MMMM": months[day.month],
            "y": str(day.year),
            "yyyy": str(day.year),
            "EEEE": weekdays[day.isoweekday()],
            "M": str(day.month),
            "MM": f"{day.month:02d}",
        }
        if field not in known:
            return None
        out += known[field]
        place += len(field)
    return out


def _dates() -> Iterator[Blueprint]:
    """Data to Text is an evaluation category: the calendar's words are its material, years from 2001 on its data."""
    for language in LANGUAGES:
        months = {row.more["number"]: row.text for row in _named(language, "month-format-")}
        weekdays = {row.more["number"]: row.text for row in _named(language, "day-format-")}
        patterns = {row.id: row.text for row in _named(language, "format-")}
        full = patterns.get("format-full", "")
        if not _for_dates(language):
            continue
        # "2018(e)ko" is how a programme writes it that cannot inflect.
        if (
            "(" in full
            or len(months) < 12
            or len(weekdays) < 7
            or _render(full, date(2024, 3, 9), months, weekdays) is None
        ):
            continue

        def make(
            rng: Random,
            key: int,
            months: dict[int, str] = months,
            weekdays: dict[int, str] = weekdays,
            full: str = full,
            language: str = language,
        ) -> WorkedItem:
            day = date(2001, 1, 1) + timedelta(days=rng.randrange(30 * 365))
            right = _render(full, day, months, weekdays) or ""
            other = _render(full, day + timedelta(days=1), months, weekdays) or ""
            # Languages have several ways to write a date: another date shows which one is wanted.
            model = date(2001, 1, 1) + timedelta(days=rng.randrange(30 * 365))
            text = "\n".join(
                f"year: {one.year} | month: {one.month} | day: {one.day} | weekday: {one.isoweekday()} = {said}"
                for one, said in ((model, _render(full, model, months, weekdays)), (day, "?"))
            )
            return WorkedItem(
                text,
                right,
                f"Weekday {day.isoweekday()} is '{weekdays[day.isoweekday()]}' and month {day.month} is "
                f"'{months[day.month]}'; {language} puts them in this order.",
                other,
                "This is the day after the one in the table.",
                (f"date-{day.isoformat()}",),
            )

        yield define(
            "write_out_date",
            make,
            table="dates",
            language="English",
            output_language=language,
            scorer="rouge-l" if language == "English" else "rouge-l-xlingual",
        )


def _countries() -> Iterator[Blueprint]:
    for language in _OTHERS:
        pairs = [
            (first, second)
            for first, second in aligned("territories", "b", "English", language)
            if first.id.startswith("country-") and first.text != second.text and "(" not in first.text + second.text
        ]
        if len(pairs) >= 40:
            yield _analogy(language, pairs)
        trained = [
            (first, second)
            for first, second in aligned("territories", "a", "English", language)
            if first.id.startswith("country-") and first.text != second.text and "(" not in first.text + second.text
        ]
        if len(trained) >= 114:
            yield _country_names(language, trained)


def _analogy(language: str, pairs: list[tuple[SourceText, SourceText]]) -> Blueprint:
    def make(rng: Random, key: int) -> WorkedItem:
        (one, first), (two, second), *strays = rng.sample(pairs, 5)
        options, _ = choices(rng, second.text, [other.text for _, other in strays])
        return WorkedItem(
            f"{one.text} : {first.text}. {two.text} : ?\nOptions: {'; '.join(options)}",
            second.text,
            f"The {language} name for '{one.text}' is '{first.text}', and the one for '{two.text}' is '{second.text}'.",
            first.text,
            f"This is the name for '{one.text}', which the first pair has already used.",
            (one.id, two.id),
        )

    return define(
        "country_analogy", make, table="territories", language="English", output_language=language, scorer="exact"
    )


def _country_names(language: str, pairs: list[tuple[SourceText, SourceText]]) -> Blueprint:
    names = [second.text for _, second in pairs]

    def make(rng: Random, key: int) -> WorkedItem:
        english, other = pairs[key]
        options, wrong = choices(rng, english.text, [first.text for first, _ in pairs], 5)
        text = f"{other.text}\nOptions: {'; '.join(options)}"
        return WorkedItem(
            text,
            english.text,
            f"'{other.text}' is the {language} name for '{english.text}'.",
            wrong,
            f"The {language} name for '{wrong}' is another one.",
            (english.id,),
        )

    assert names
    return define(
        "name_the_country",
        make,
        table="territories",
        keys=len(pairs),
        language=language,
        output_language="English",
        scorer="exact",
    )


def _emoji() -> Iterator[Blueprint]:
    for language in LANGUAGES:
        held = [
            row
            for row in rows("emoji", "b", language)
            if language in translated_languages()
            and 2 <= len(row.more["keywords"]) <= 12
            and not re.search(r"[|;,]", "".join(row.more["keywords"]))
        ]
        if len(held) >= 90:
            yield _keywords(language, held)
        trained = [row for row in rows("emoji", "a", language) if len(row.text) > 2 and "," not in row.text]
        if language != "English" and len(trained) >= 118:
            yield _emoji_names(language, trained)


def _parts(row: SourceText) -> set[str]:
    """The words of the name and the keywords of a picture."""
    return {word for text in (row.text, *row.more["keywords"]) for word in text.casefold().split()}


def _keywords(language: str, held: list[SourceText]) -> Blueprint:
    def make(rng: Random, key: int) -> WorkedItem:
        row = held[rng.randrange(len(held))]
        own, parts = list(dict.fromkeys(row.more["keywords"])), _parts(row)
        tags = rng.sample(own, min(len(own), 3))
        # Pictures that share a keyword with this one are like it, and their other keywords may fit as well.
        unlike = [other for other in rng.sample(held, 20) if not parts.intersection(_parts(other))]
        spread = [word for other in unlike[:4] for word in other.more["keywords"][:2]]
        foreign = list(dict.fromkeys(spread))[:4]
        listed = [*tags, *foreign]
        rng.shuffle(listed)
        right = tuple(word for word in listed if word in own)
        return WorkedItem(
            f"{row.id}\nWords: {' | '.join(listed)}",
            Items((right,), separator=", "),
            f"The picture shows '{row.text}', and these words of the list describe it.",
            ", ".join(foreign[:2]) or "nothing",
            "These words belong to other pictures.",
            (row.id,),
        )

    return define("tag_emoji", make, table="emoji", language=language, scorer="items", kind="items")


def _emoji_names(language: str, held: list[SourceText]) -> Blueprint:
    def make(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        options, wrong = choices(rng, row.id, [other.id for other in held if other.text != row.text], 5)
        return WorkedItem(
            f"{row.text}\nPictures: {' '.join(options)}",
            row.id,
            f"The {language} name '{row.text}' belongs to this picture.",
            wrong,
            "This picture has another name.",
            (row.id,),
        )

    return define("find_emoji", make, table="emoji", keys=len(held), language=language, scorer="exact")


def _lists() -> Iterator[Blueprint]:
    for language in LANGUAGES:
        forms = {row.id: row for part in ("a", "b") for row in rows("lists", part, language)}
        # Plants, food, buildings, animals and vehicles have nouns for names; faces and signs need not.
        words = [
            row
            for row in rows("emoji", "a", language)
            if re.fullmatch(r"[^\W\d_]+", row.text)
            and re.match("[\U0001f330-\U0001f3fa\U0001f400-\U0001f43e\U0001f680-\U0001f6a4]", row.id)
        ]
        if {"list-standard", "list-or"} - forms.keys() or len(words) < 25:
            continue
        # Of the Korean words for "and" it has one, and Japanese needs none.
        if language in ("Japanese", "Korean"):
            continue
        # Where the package knows no "or" of a language it has the English one.
        if language != "English" and re.search(r"\bor\b", forms["list-or"].text):
            continue
        # "a(c)" leaves open which form fits the next word, and some patterns hold signs that nobody sees.
        if any(
            re.search("[(\u200e\u200f]", text)
            for name in ("list-standard", "list-or")
            for text in forms[name].more["forms"].values()
        ):
            continue

        def make(
            rng: Random,
            key: int,
            forms: dict[str, SourceText] = forms,
            words: list[SourceText] = words,
            language: str = language,
        ) -> WorkedItem:
            picked = rng.sample(words, rng.randint(2, 4))
            kind = rng.choice(["and", "or"])
            right = _joined(
                [row.text for row in picked], forms["list-standard" if kind == "and" else "list-or"].more["forms"]
            )
            other = _joined(
                [row.text for row in picked], forms["list-or" if kind == "and" else "list-standard"].more["forms"]
            )
            # In English the last comma is a matter of taste.
            bare = re.sub(r",( (?:and|or) )", r"\1", right) if language == "English" else right
            return WorkedItem(
                f"{' | '.join(row.text for row in picked)}\nJoin with: {kind}",
                (right, bare) if bare != right else right,
                f"{language} joins them like this where English says '{kind}'.",
                other,
                f"This joins the words with '{'or' if kind == 'and' else 'and'}'.",
                tuple(row.id for row in picked),
            )

        yield define("join_words", make, table="emoji", language=language, scorer="exact")


def _joined(words: list[str], forms: dict[str, str]) -> str:
    if len(words) == 2:
        return forms["2"].replace("{0}", words[0]).replace("{1}", words[1])
    out = forms["end"].replace("{0}", words[-2]).replace("{1}", words[-1])
    for word in reversed(words[1:-2]):
        out = forms["middle"].replace("{1}", out).replace("{0}", word)
    return forms["start"].replace("{1}", out).replace("{0}", words[0])
