"""The Unicode CLDR: measures, emoji, dates, names of countries, lists."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from taskloom_open.archives.archive import Archive
from taskloom_open.archives.languages import LANGUAGES
from taskloom_open.archives.tables import SourceText

_MIXED = re.compile(r"[A-Za-z]\w* ?[^\W\d_\u0000-\u024f\u1e00-\u1eff]")
"""A Latin letter, and behind the word a letter of another script."""


def _main(archive: Archive, locale: str, file: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads(archive.read(f"package/main/{locale}/{file}"))["main"][locale]
    return data


def _held(archive: Archive, file: str) -> Iterator[tuple[str, str]]:
    for language in LANGUAGES.values():
        if f"package/main/{language.locale}/{file}" in archive.sizes:
            yield language.name, language.locale


def units(archive: Archive) -> Iterator[SourceText]:
    """Phrases of measure: every count and case that a language tells apart."""
    for language, locale in _held(archive, "units.json"):
        long = _main(archive, locale, "units.json")["units"]["long"]
        for key, forms in long.items():
            if "-" not in key or "unitPattern-count-other" not in forms:
                continue
            kept = {
                name.replace("unitPattern-count", "nominative-count"): value
                for name, value in forms.items()
                if "-count-" in name and isinstance(value, str)
            }
            # A Latin word with the endings of another script ("ems ಗಳು") is not written in that language.
            if any(_MIXED.search(value) for value in kept.values()):
                continue
            more = {"forms": kept, "gender": forms.get("gender", "")}
            yield SourceText(key, language, forms.get("displayName", ""), more)


def emoji(archive: Archive) -> Iterator[SourceText]:
    """Names and keywords of emoji; symbols and flags are left out."""
    for language in LANGUAGES.values():
        name = f"package/annotations/{language.locale}/annotations.json"
        if name not in archive.sizes:
            continue
        for sign, entry in json.loads(archive.read(name))["annotations"]["annotations"].items():
            spoken, keywords = (entry.get("tts") or [""])[0], entry.get("default") or []
            # Every third one is enough for tasks in eighty languages.
            if spoken and len(sign) == 1 and 0x1F300 <= ord(sign) < 0x1F900 and ord(sign) % 3 == 0:
                yield SourceText(sign, language.name, spoken, {"keywords": keywords})


def dates(archive: Archive) -> Iterator[SourceText]:
    """Months, weekdays, the long date format, and phrases of relative time."""
    for language, locale in _held(archive, "ca-gregorian.json"):
        calendar = _main(archive, locale, "ca-gregorian.json")["dates"]["calendars"]["gregorian"]
        for context in ("format", "stand-alone"):
            for number, text in calendar["months"][context]["wide"].items():
                yield SourceText(f"month-{context}-{int(number):02d}", language, text, {"number": int(number)})
            for number, day in enumerate(("mon", "tue", "wed", "thu", "fri", "sat", "sun"), start=1):
                yield SourceText(
                    f"day-{context}-{day}", language, calendar["days"][context]["wide"][day], {"number": number}
                )
        for style in ("full", "long"):
            pattern = calendar["dateFormats"][style]
            yield SourceText(
                f"format-{style}", language, pattern if isinstance(pattern, str) else pattern["_value"], {}
            )
        fields = _main(archive, locale, "dateFields.json")["dates"]["fields"]
        for unit in ("day", "week", "month", "year", "hour", "minute"):
            for sense in ("past", "future"):
                forms = fields[unit][f"relativeTime-type-{sense}"]
                kept = {key.removeprefix("relativeTimePattern-count-"): value for key, value in forms.items()}
                yield SourceText(f"relative-{unit}-{sense}", language, kept["other"], {"forms": kept})
            for step in (-1, 0, 1):
                text = fields[unit].get(f"relative-type-{step}")
                if text:
                    yield SourceText(f"step-{unit}-{step}", language, text, {"step": step})


def territories(archive: Archive) -> Iterator[SourceText]:
    """Countries by their ISO codes, and languages."""
    for language, locale in _held(archive, "territories.json"):
        names = _main(archive, locale, "territories.json")["localeDisplayNames"]["territories"]
        for code, text in names.items():
            if re.fullmatch("[A-Z]{2}", code) and code not in ("EU", "UN", "EZ", "QO", "XA", "XB", "ZZ"):
                yield SourceText(f"country-{code}", language, text, {})
        spoken = _main(archive, locale, "languages.json")["localeDisplayNames"]["languages"]
        for other in LANGUAGES.values():
            if other.locale in spoken:
                yield SourceText(f"language-{other.locale}", language, spoken[other.locale], {})


def lists(archive: Archive) -> Iterator[SourceText]:
    """How a language joins words with "and" and "or", and which quotation marks it uses."""
    for language, locale in _held(archive, "listPatterns.json"):
        patterns = _main(archive, locale, "listPatterns.json")["listPatterns"]
        for kind in ("standard", "or"):
            forms = patterns[f"listPattern-type-{kind}"]
            yield SourceText(f"list-{kind}", language, forms["end"], {"forms": forms})
        marks = _main(archive, locale, "delimiters.json")["delimiters"]
        yield SourceText("quotes", language, marks["quotationStart"], dict(marks))
