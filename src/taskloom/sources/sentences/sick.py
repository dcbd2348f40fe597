"""Sentence pairs from the SICK corpus (Marelli et al. 2014), for users who have its files.

The corpus is not part of Taskloom. Two kinds of pairs are extracted, each with a binary label
(ENTAILMENT against the rest): *lexical* pairs, in which exactly one content word is replaced (or, where a
user allows it, one stretch of a few words), and *structural* pairs, in which one sentence is a
"being … by" passive and the other is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from taskloom.core import UserError
from taskloom.sources.sentences.pairs import Pair

__all__ = ["SickRow", "extract_pairs", "read_sick", "replaced_stretch", "replaced_words", "voice_differs"]

_FILES = ("SICK_train.txt", "SICK_trial.txt", "SICK_test_annotated.txt")
_LABEL_COLUMNS = ("entailment_judgment", "entailment_label")
_JUDGMENTS = frozenset({"ENTAILMENT", "NEUTRAL", "CONTRADICTION"})

# Replacing one of these changes quantity, polarity, place or reference, not the meaning of a content word.
_FUNCTION_WORDS = """
    a an the some any no not nobody someone somebody nothing something none another other each every all both
    one two three four five six seven eight nine ten few many several is isn't are aren't was were be been being has
    have do does don't doesn't can and or but that this these those there it its he she they them his her their him
    in on at by of for from to with without into onto over under up down out off near nearby next behind beside
    between around across along through above below inside outside against towards toward after before during
    while"""

_NEGATIONS = frozenset({"no", "not", "nobody", "nothing", "none", "without", "isn't", "aren't", "don't", "doesn't"})


class SickRow(NamedTuple):
    """One annotated pair of the corpus."""

    id: str
    first: str
    second: str
    judgment: str


def read_sick(path: str | Path) -> list[SickRow]:
    """Read SICK from its directory (the three files of the shared task) or from one file with all pairs.

    Raises:
        UserError: The path, a column or a judgment is not what SICK has.
    """
    place = Path(path)
    if place.is_dir():
        files = [place / name for name in _FILES if (place / name).exists()]
        if not files:
            raise UserError(f"none of {', '.join(_FILES)} is here", where=str(place))
    elif place.is_file():
        files = [place]
    else:
        raise UserError(
            "no such file or directory",
            where=str(place) if str(path) else "path",
            hint="download SICK (Marelli et al. 2014) and pass its folder: -T source=sick -T path=FOLDER",
        )
    return [row for file in files for row in _read_file(file)]


def _read_file(file: Path) -> Iterable[SickRow]:
    lines = file.read_text(encoding="utf-8").splitlines()
    header = lines[0].split("\t") if lines else []
    label = next((name for name in _LABEL_COLUMNS if name in header), None)
    missing = [name for name in ("pair_ID", "sentence_A", "sentence_B") if name not in header]
    if missing or label is None:
        raise UserError(f"the header lacks {', '.join(missing) or _LABEL_COLUMNS[0]}", where=f"{file}: line 1")
    columns = [header.index(name) for name in ("pair_ID", "sentence_A", "sentence_B", label)]
    for number, line in enumerate(lines[1:], 2):
        fields = line.split("\t")
        if len(fields) < len(header) or fields[columns[3]].strip() not in _JUDGMENTS:
            raise UserError("not a pair with a judgment", where=f"{file}: line {number}")
        yield SickRow(*(fields[column].strip() for column in columns))


def _tokens(sentence: str) -> list[str]:
    return re.sub(r"\s*\.$", "", sentence.strip()).lower().split()


@cache
def _function_words() -> frozenset[str]:
    return frozenset(_FUNCTION_WORDS.split())


def replaced_words(first: str, second: str) -> tuple[str, str] | None:
    """The one content word that differs, or None. An "a" may turn into "an" before it."""
    before, after = _tokens(first), _tokens(second)
    if len(before) != len(after):
        return None
    places = [i for i, (old, new) in enumerate(zip(before, after, strict=True)) if old != new]
    if len(places) == 2 and places[0] + 1 == places[1] and {before[places[0]], after[places[0]]} == {"a", "an"}:
        del places[0]
    if len(places) != 1:
        return None
    old, new = before[places[0]], after[places[0]]
    return None if {old, new} & _function_words() else (old, new)


def replaced_stretch(first: str, second: str, span: int) -> tuple[str, str] | None:
    """The one stretch that differs, of at most `span` words a side and articles aside, or None.

    Both sides must hold a content word, and neither may hold a negation.
    """
    before, after = _tokens(first), _tokens(second)
    shorter = min(len(before), len(after))
    start = 0
    while start < shorter and before[start] == after[start]:
        start += 1
    end = 0
    while end < shorter - start and before[-1 - end] == after[-1 - end]:
        end += 1
    sides = []
    for words in (before[start : len(before) - end], after[start : len(after) - end]):
        kept = [word for word in words if word not in ("a", "an")]
        if not 0 < len(kept) <= span or set(kept) & _NEGATIONS or not set(kept) - _function_words():
            return None
        sides.append(" ".join(kept))
    return sides[0], sides[1]


def _is_passive(sentence: str) -> bool:
    tokens = _tokens(sentence)
    return "being" in tokens and "by" in tokens


def voice_differs(first: str, second: str) -> bool:
    """Whether exactly one of the two sentences is a "being … by" passive."""
    return _is_passive(first) != _is_passive(second)


def extract_pairs(rows: Iterable[SickRow], span: int = 1) -> list[Pair]:
    """The lexical and structural pairs of the corpus, in its order, without repeats.

    Args:
        rows: The annotated pairs.
        span: How many words a lexical pair may replace at one place; 1 asks for exactly one content word.
    """
    rows = list(rows)
    names = _capitalised(rows)
    pairs: dict[tuple[str, str], Pair] = {}
    for row in rows:
        entailed = row.judgment == "ENTAILMENT"
        if voice_differs(row.first, row.second):
            rule = "passive → active" if _is_passive(row.first) else "active → passive"
            pair = Pair("", "", entailed, "structural", "annotated", rule, "voice")
        else:
            words = replaced_words(row.first, row.second)
            if words is None and span > 1:
                words = replaced_stretch(row.first, row.second, span)
            if words is None:
                continue
            pair = Pair("", "", entailed, "lexical", "annotated", f"{words[0]} → {words[1]}", "word")
        premise, hypothesis = _clause(row.first, names), _clause(row.second, names)
        if premise != hypothesis:
            pairs.setdefault((premise, hypothesis), pair._replace(premise=premise, hypothesis=hypothesis))
    return list(pairs.values())


def _capitalised(rows: list[SickRow]) -> frozenset[str]:
    """Words that keep their capital inside a sentence: names, and "I"."""
    inner = (word for row in rows for text in (row.first, row.second) for word in text.split()[1:])
    return frozenset(word for word in inner if word[:1].isupper())


def _clause(sentence: str, names: frozenset[str]) -> str:
    """The sentence as it stands after "that": no full stop, a small first letter except for names."""
    text = re.sub(r"\s*\.$", "", " ".join(sentence.split()))
    first = text.split()[0]
    return text if first in names else text[0].lower() + text[1:]
