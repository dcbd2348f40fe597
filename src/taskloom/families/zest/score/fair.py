"""`zest/fair`: the idea of the ZEST score without the accidents of its evaluator.

Rows are aligned by the best assignment, keys are matched by name, extra rows and keys count against the answer,
a JSON list of strings is a list of spans, signs and decimal points of numbers are kept, repeated words count as
often as they occur, numbers in words and units in short count like digits and units in full, and nothing is drawn at
random, rounded or cut. See docs/zest.md for each difference.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache
from math import isnan
from random import Random
from typing import Any, ClassVar, NamedTuple

from taskloom.core.scorer import Scorer
from taskloom.families.zest.domain import number_word
from taskloom.families.zest.score.metrics import Bucket, Entries, f1_of_entries
from taskloom.families.zest.score.official import Judgement, ZestScorer, best_total, decoded, judge_safely

_TOKEN = re.compile(r"(?<![\w.])-?(?:\d[\d,]*(?:\.\d+)?|\.\d+)(?!\w)|[^\W_]+(?:['’.][^\W_]+)*")
_ARTICLES = frozenset({"a", "an", "the"})
_NA = frozenset({"n/a", "na", "n.a", "not available", "not applicable"})
_MOST_ROWS = 2_000
_SHORT_KEY = 3


_NUMBERS = {number_word(number): number for number in range(100)}
_UNITS = {"m": "metres", "km": "kilometres", "cm": "centimetres", "kg": "kilograms", "ha": "hectares"}
_QUANTITY = re.compile(
    r"^(?:about |some |roughly )?([a-z]+(?:-[a-z]+)?|[\d,.]+)(?: ?(km|kg|cm|ha|m))?(?=$|[ .])", re.ASCII
)


def _quantity(text: str) -> str:
    """A text that begins with a number, in digits and with its unit written out; other texts as they are."""
    found = _QUANTITY.match(text)
    if found is None or not (found[1] in _NUMBERS or found[1][0].isdigit()):
        return text
    number = str(_NUMBERS.get(found[1], found[1]))
    return f"{number} {_UNITS[found[2]]}{text[found.end() :]}" if found[2] else f"{number}{text[found.end() :]}"


class _AnswerWords(NamedTuple):
    counts: Counter[str]
    numbers: frozenset[str]
    total: int


@lru_cache(maxsize=1 << 12)
def _words_of(text: str) -> _AnswerWords:
    tokens = []
    for token in _TOKEN.findall(_quantity(text.lower().replace("’", "'").strip())):
        if token[0] in "-." or token[0].isdigit():
            try:
                tokens.append(repr(float(token.replace(",", ""))))
                continue
            except ValueError:
                pass  # digits followed by more, as in "3.5.1": compared as a word
        if token not in _ARTICLES:
            tokens.append(token.replace("'", "").replace(".", ""))
    numbers = frozenset(token for token in tokens if token[-1].isdigit() and "." in token)
    return _AnswerWords(Counter(tokens), numbers, len(tokens))


def _overlap(gold: str, said: str) -> float:
    """F1 over words with repeats; 0 where gold holds numbers and none of them is said."""
    if gold == said:
        return 1.0
    right, given = _words_of(gold), _words_of(said)
    if right.numbers and not right.numbers & given.counts.keys():
        return 0.0
    if not right.total and not given.total:
        return float(gold.strip() == said.strip())
    if right.counts.keys().isdisjoint(given.counts):
        return 0.0
    shared = (right.counts & given.counts).total()
    return 2 * shared / (right.total + given.total)


def fair_spans(gold: Sequence[str], said: Sequence[str]) -> float:
    """The best one-to-one assignment of two lists of spans, over the longer length."""
    if not gold or not said:
        return float(not gold and not said)
    if len(gold) == len(said) == 1:
        return _overlap(gold[0], said[0])
    picked = best_total([[_overlap(one, other) for other in said] for one in gold])
    return sum(picked) / max(len(gold), len(said))


def _is_na(value: Any) -> bool:
    if value is None or (isinstance(value, float) and isnan(value)):
        return True
    if isinstance(value, list):
        return all(_is_na(item) for item in value)
    return isinstance(value, str) and all(part.strip().lower().rstrip(".") in _NA for part in value.split("|"))


def _spans(value: Any) -> list[str]:
    """A predicted value as spans: text at its bars, a list item by item, anything else as JSON text."""
    if isinstance(value, str):
        return [part.strip() for part in value.split("|")]
    if isinstance(value, list):
        return [span for item in value for span in _spans(item)]
    return [json.dumps(value) if isinstance(value, dict | bool) else str(value)]


class _Gold(NamedTuple):
    """The acceptable values of one answer: the spans of each that says something, and whether NA is one of them."""

    positive: tuple[list[str], ...]
    may_be_na: bool


def _gold(alternatives: Sequence[Any]) -> _Gold:
    positive = tuple(_spans(one) for one in alternatives if not _is_na(one))
    return _Gold(positive, len(positive) < len(alternatives))


def _value_entry(gold: Any, said: Any) -> tuple[Bucket, float]:
    """The bucket and score of one value; a gold list holds alternatives, one of which may be NA."""
    return _entry(_gold(gold if isinstance(gold, list) and gold else [gold]), said)


def _entry(gold: _Gold, said: Any) -> tuple[Bucket, float]:
    if _is_na(said):
        return ("tn", 1.0) if gold.may_be_na else ("fn", 0.0)
    if not gold.positive:
        return "fp", 0.0
    spans = _spans(said)
    score = max(fair_spans(one, spans) for one in gold.positive)
    if score == 0.0 and gold.may_be_na:
        return "fp", 0.0
    return "tp", score


def _key(name: str) -> str:
    """The name of a key without case, underscores, a leading article, and the plural of its last word."""
    words = name.replace("_", " ").replace("-", " ").lower().split()
    if len(words) > 1 and words[0] in _ARTICLES:
        words = words[1:]
    text = " ".join(words)
    return text[:-1] if len(text) > _SHORT_KEY and text.endswith("s") and not text.endswith("ss") else text


def _row_entries(gold: dict[str, Any], said: dict[str, Any]) -> Entries:
    """Entries of one aligned pair of rows. A key that is not given means NA; a key not asked for is a false claim."""
    given = {_key(name): value for name, value in said.items()}
    entries: Entries = []
    for name, value in gold.items():
        entries.append(_value_entry(value, given.pop(_key(name), None)))
    entries += [("fp", 0.0) for value in given.values() if not _is_na(value)]
    return entries


def _credit(entries: Entries) -> float:
    return sum(value for bucket, value in entries if bucket == "tp") - 1e-3 * sum(b == "fp" for b, _ in entries)


def _structure(gold: list[dict[str, Any]], said: list[dict[str, Any]]) -> Entries:
    """Align rows so that the credit is greatest; rows without a partner are missed or false claims."""
    kept, surplus = said[:_MOST_ROWS], said[_MOST_ROWS:]
    entries: Entries = []
    partners: dict[int, int] = {}
    if gold and kept:
        import numpy as np
        from scipy.optimize import linear_sum_assignment

        matrix = np.asarray([[_credit(_row_entries(one, other)) for other in kept] for one in gold])
        partners = {int(r): int(c) for r, c in zip(*linear_sum_assignment(matrix, maximize=True), strict=True)}
    for index, row in enumerate(gold):
        entries += _row_entries(row, kept[partners[index]] if index in partners else {})
    taken = set(partners.values())
    for row in [row for index, row in enumerate(kept) if index not in taken] + surplus:
        entries += [("fp", 0.0) for value in row.values() if not _is_na(value)]
    return entries


def _gold_rows(gold: Sequence[str]) -> list[list[dict[str, Any]]]:
    found = []
    for alternative in gold:
        rows = decoded(alternative) if "{" in alternative else None
        if isinstance(rows, dict):
            rows = [rows]
        if isinstance(rows, list) and all(isinstance(row, dict) for row in rows):
            found.append(rows)
    return found


def fair_judge(gold: Sequence[str], answer: str) -> Entries:
    """The bucket entries of one answer: one for a plain answer, one per key for a structure."""
    alternatives = _gold_rows(gold)
    text = answer.strip()
    found = decoded(text) if text[:1] in ("[", "{", '"') else None
    if not alternatives:
        listed = isinstance(found, list) and not any(isinstance(item, dict) for item in found)
        return [_entry(_gold(gold or (None,)), found if listed or isinstance(found, str) else text)]
    if _is_na(found if isinstance(found, str) else text):
        return max((_structure(rows, []) for rows in alternatives), key=f1_of_entries)
    if isinstance(found, dict):
        found = [found]
    if not isinstance(found, list) or not all(isinstance(row, dict) for row in found):
        # Nothing that can be read as rows: every gold value is missed and one false claim is made.
        return max(([*_structure(rows, []), ("fp", 0.0)] for rows in alternatives), key=f1_of_entries)
    return max((_structure(rows, found) for rows in alternatives), key=f1_of_entries)


def judge_fairly(gold: Any, prediction: str, draws: Random | None = None) -> Judgement:
    """Judge one prediction of a file by the fair rules; nothing is drawn.

    The score of a structured answer is the F1 of its own entries.
    """

    def judged(alternatives: list[str]) -> Judgement:
        entries = fair_judge(alternatives, prediction)
        return Judgement(entries[0][1] if len(entries) == 1 else f1_of_entries(entries), entries)

    return judge_safely(gold, judged)


class ZestFair(ZestScorer, frozen=True, kw_only=True):
    """The score of one answer by the fair rules."""

    name: ClassVar[str] = "zest/fair"

    @staticmethod
    def judge(gold: list[str], answer: str) -> Judgement:
        return judge_fairly(gold, answer)


FAIR: Scorer = ZestFair()
