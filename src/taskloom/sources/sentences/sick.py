"""Sentence pairs from the SICK corpus (Marelli et al. 2014), for users who have its files.

The corpus is not part of Taskloom. Two kinds of pairs are extracted, each with a binary label
(ENTAILMENT against the rest): *lexical* pairs, in which one stretch of a few words is replaced, and *structural*
pairs, in which one sentence is a "being … by" passive and the other is not. An entailed structural pair must be an
active and a passive of the same event (see `diathesis`); there are 306 of them, and Table 5 of the paper implies 300.
Pairs that are not entailed can hardly be so (the paper's 300 cannot either: SICK has 8), so they only differ in voice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import read_lines, read_toml
from taskloom.sources.sentences.pairs import Pair
from taskloom.sources.sentences.words import conjugate

SPAN = 3
"""How many words a lexical pair may replace at one place: the least that gives the 754 pairs of each label."""

_FILES = ("SICK_train.txt", "SICK_trial.txt", "SICK_test_annotated.txt")
_LABEL_COLUMNS = ("entailment_judgment", "entailment_label")
_JUDGMENTS = frozenset({"ENTAILMENT", "NEUTRAL", "CONTRADICTION"})


class _SickWords(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file `sick.toml`; its comments say what the entries mean."""

    function_words: frozenset[str]
    negations: frozenset[str]
    participles: dict[str, str]


_WORDS = read_toml(Path(__file__).with_suffix(".toml"), type=_SickWords)


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
            raise UserError(f"none of {', '.join(_FILES)} was found here", where=str(place))
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
    lines = list(read_lines(file))
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
    return None if {old, new} & _WORDS.function_words else (old, new)


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
        if not 0 < len(kept) <= span or set(kept) & _WORDS.negations or not set(kept) - _WORDS.function_words:
            return None
        sides.append(" ".join(kept))
    return sides[0], sides[1]


def _is_passive(sentence: str) -> bool:
    tokens = _tokens(sentence)
    return "being" in tokens and "by" in tokens


def voice_differs(first: str, second: str) -> bool:
    """Whether exactly one of the two sentences is a "being … by" passive."""
    return _is_passive(first) != _is_passive(second)


class Diathesis(NamedTuple):
    """What an active and a passive sentence share."""

    verb: bool
    agent: bool
    patient: bool

    @property
    def whole(self) -> bool:
        """Whether they tell the same event: one is the other in another voice."""
        return self.verb and self.agent and self.patient


@cache
def _same_verb(participle: str, gerund: str) -> bool:
    """Whether "ridden" and "riding" are forms of one verb."""
    stem = gerund.removesuffix("ing")
    if stem == gerund or len(stem) < 2:
        return False
    bases = [stem, f"{stem}e", *([stem[:-1]] if stem[-1] == stem[-2] else [])]
    forms = {_WORDS.participles.get(base, conjugate(base).participle) for base in bases}
    return participle in forms | {conjugate(base).participle for base in bases} | {f"{stem}ed"}


_FINITE = frozenset({"is", "are", "was", "were"})


def _content(words: list[str]) -> set[str]:
    return set(words) - _WORDS.function_words


def diathesis(first: str, second: str) -> Diathesis:
    """What two sentences share of which exactly one is a "being … by" passive.

    The passive's participle must belong to the verb of the active sentence; a participant is shared where its
    phrases have a content word in common.
    """
    passive, active = (first, second) if _is_passive(first) else (second, first)
    words, others = _tokens(passive), _tokens(active)
    being = words.index("being")
    verb = next((place for place in range(being + 1, len(words)) if not words[place].endswith("ly")), being)
    if "by" not in words[verb:]:
        return Diathesis(False, False, False)
    by = words.index("by", verb)
    for place, word in enumerate(others):
        finite = [spot for spot in range(max(0, place - 3), place) if others[spot] in _FINITE]
        if finite and word != "being" and _same_verb(words[verb], word):
            agent = _content(words[by + 1 :]) & _content(others[: finite[-1]])
            patient = _content(words[: being - 1]) & _content(others[place + 1 :])
            return Diathesis(True, bool(agent), bool(patient))
    return Diathesis(False, False, False)


def _structural(row: SickRow, strict: bool) -> Pair | None:
    """The pair as a change of voice, None where it is none."""
    entailed = row.judgment == "ENTAILMENT"
    shared = diathesis(row.first, row.second)
    if entailed and not shared.whole:
        return None
    if strict and not (shared.verb and (shared.agent or shared.patient)):
        return None
    if not entailed and {*_tokens(row.first), *_tokens(row.second)} & _WORDS.negations:
        return None
    rule = "passive → active" if _is_passive(row.first) else "active → passive"
    return Pair("", "", entailed, "structural", "annotated", rule, "voice")


def _lexical(row: SickRow, span: int) -> Pair | None:
    words = replaced_words(row.first, row.second)
    if words is None and span > 1:
        words = replaced_stretch(row.first, row.second, span)
    if words is None:
        return None
    rule = f"{words[0]} → {words[1]}"
    return Pair("", "", row.judgment == "ENTAILMENT", "lexical", "annotated", rule, "word")


def extract_pairs(rows: Iterable[SickRow], span: int = SPAN, *, strict: bool = False) -> list[Pair]:
    """The lexical and structural pairs of the corpus, in its order, without repeats.

    Args:
        rows: The annotated pairs.
        span: How many words a lexical pair may replace at one place; 1 asks for exactly one content word.
        strict: Whether a structural pair that is not entailed must share its verb and a participant as well.
    """
    rows = list(rows)
    names = _capitalised(rows)
    pairs: dict[tuple[str, str], Pair] = {}
    for row in rows:
        voice = voice_differs(row.first, row.second)
        pair = _structural(row, strict) if voice else _lexical(row, span)
        premise, hypothesis = _clause(row.first, names), _clause(row.second, names)
        if pair is not None and premise != hypothesis:
            pairs.setdefault((premise, hypothesis), pair._replace(premise=premise, hypothesis=hypothesis))
    return list(pairs.values())


def contradictions(rows: Iterable[SickRow]) -> list[tuple[SickRow, SickRow]]:
    """Pairs that come twice, once entailed and once not: the first row and the one that contradicts it."""
    seen: dict[tuple[tuple[str, ...], tuple[str, ...]], SickRow] = {}
    found = []
    for row in rows:
        first = seen.setdefault((tuple(_tokens(row.first)), tuple(_tokens(row.second))), row)
        if (first.judgment == "ENTAILMENT") is not (row.judgment == "ENTAILMENT"):
            found.append((first, row))
    return found


def _capitalised(rows: list[SickRow]) -> frozenset[str]:
    """Words that keep their capital inside a sentence: names, and "I".

    A slip of the corpus is no name: "A" stands inside one of its sentences, and "a" inside most.
    """
    inner = {word for row in rows for text in (row.first, row.second) for word in text.split()[1:]}
    return frozenset(word for word in inner if word[:1].isupper() and word.lower() not in inner)


def _clause(sentence: str, names: frozenset[str]) -> str:
    """The sentence as it stands after "that": no full stop, a small first letter except for names."""
    text = re.sub(r"\s*\.$", "", " ".join(sentence.split()))
    first = text.split()[0]
    return text if first in names else text[0].lower() + text[1:]
