"""`zest/official`: the published ZEST evaluator rule by rule, oddities included.

What the evaluator does with an answer it cannot handle is to stop. Here such an answer is wrong: it counts as
a claim without credit (one per gold key where a structure is asked), and the details say why.

Word overlap of short answers is measured as there (after the DROP evaluator). Facts that are kept on purpose: text is
split on blanks and hyphens, ASCII punctuation goes unless a piece is a number, numbers are compared as floats ("1.5%"
is 15, "-5" is 5), words form a set, a gold number that is missing makes the score 0, and the result is rounded to two
digits with ties to even.
"""

from __future__ import annotations

import re
import string
from abc import abstractmethod
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import lru_cache
from math import isnan
from random import Random
from typing import Any, ClassVar, NamedTuple

from taskloom.core import Items, Targets, Task, UserError, acceptable_texts
from taskloom.core.decode import decode_loose_json
from taskloom.core.scorer import Score, Scorer
from taskloom.families.zest.score.metrics import Entries, bucket_of, gather

_PIECES = re.compile(r"[ -]")
_ARTICLES = re.compile(r"\b(a|an|the)\b")
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
_NAMED_FLOATS = frozenset({"nan", "inf", "infinity"})
_ARTICLE_WORDS = frozenset({"a", "an", "the"})
_BLOT = "⁇"
_NA = frozenset({"n/a", "na"})
_NO_DRAWS = Random(0)
_NA_VALUES = frozenset({"n/a", "na", "nan"})


class TokenSet(NamedTuple):
    """The set of words of a normalised text, and those among them that are numbers."""

    words: frozenset[str]
    numbers: frozenset[str]


def _is_float(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


@lru_cache(maxsize=1 << 16)
def _normal_piece(piece: str) -> str:
    if piece.isalpha() and piece not in _NAMED_FLOATS:
        return "" if piece in _ARTICLE_WORDS else piece
    if not _is_float(piece):
        piece = piece.translate(_NO_PUNCTUATION)
    if _is_float(piece):
        piece = str(float(piece))
    return " ".join(_ARTICLES.sub(" ", piece).split())


def normalise(text: str) -> str:
    """The text as the evaluator compares it.

    Example:
        >>> normalise("The well-known $1,000 prize.")
        'well known 1000.0 prize'
    """
    pieces = (_normal_piece(piece) for piece in _PIECES.split(text.lower()) if piece)
    return " ".join(piece for piece in pieces if piece)


@lru_cache(maxsize=1 << 12)
def _tokens_of(text: str) -> TokenSet:
    words = frozenset(normalise(text).split())
    return TokenSet(
        words, frozenset(word for word in words if not word.isalpha() or word in _NAMED_FLOATS if _is_float(word))
    )


def overlap(gold: TokenSet, said: TokenSet) -> float:
    """F1 of two word sets; 0 where gold has numbers and none of them is said."""
    if gold.numbers and not gold.numbers & said.words:
        return 0.0
    if gold.words == said.words:
        return 1.0
    shared = len(gold.words & said.words)
    if not shared:
        # An empty side has a precision (or recall) of 1 by convention, and the F1 is still 0.
        return 0.0
    precision, recall = shared / len(said.words), shared / len(gold.words)
    return 2 * precision * recall / (precision + recall)


def best_total(scores: Sequence[Sequence[float]]) -> list[float]:
    """The scores picked by the best one-to-one assignment, by row (0 for a row left over)."""
    rows, columns = len(scores), len(scores[0])
    if rows == 1:
        return [max(scores[0])]
    if columns == 1:
        column = [row[0] for row in scores]
        best = column.index(max(column))
        return [value if index == best else 0.0 for index, value in enumerate(column)]
    if rows == columns == 2:
        (a, b), (c, d) = scores
        return [a, d] if a + d >= b + c else [b, c]
    import numpy as np
    from scipy.optimize import linear_sum_assignment

    matrix = np.asarray(scores)
    picked = [0.0] * rows
    for row, column_index in zip(*linear_sum_assignment(matrix, maximize=True), strict=True):
        picked[row] = float(matrix[row, column_index])
    return picked


def span_score(said: Sequence[str], gold: Sequence[str]) -> float:
    """The score of one list of spans against another: best assignment, over the longer length, two digits.

    Two empty lists give nan, as in the evaluator.
    """
    if not said or not gold:
        return 0.0 if said or gold else float("nan")
    if len(said) == len(gold) == 1:
        return round(overlap(_tokens_of(gold[0]), _tokens_of(said[0])) * 100) / 100
    gold_sets, said_sets = [_tokens_of(text) for text in gold], [_tokens_of(text) for text in said]
    picked = best_total([[overlap(one, other) for other in said_sets] for one in gold_sets])
    longest = max(len(said), len(gold))
    import numpy as np

    # As numpy adds: in blocks where there are many, and unlike `sum` without making up for rounding. Ties see it.
    total = float(np.add.reduce(np.asarray(picked + [0.0] * (longest - len(picked)))))
    return round(total / longest * 100) / 100


# ------------------------------------------------------------------------- answers


class UnscorableError(Exception):
    """Something at which the published evaluator stops."""


class Judgement(NamedTuple):
    """One judged answer: the score listed for it, its bucket entries, and why it was refused ("" if not)."""

    score: float
    entries: Entries
    refused: str = ""


def read_prediction(line: str) -> str:
    """A line of a predictions file as the evaluator reads it.

    Quotes around the line make it a JSON string; a tokenizer's blot (⁇) stands for { and } in turn.

    Raises:
        ValueError: The line is blank, or quoted and not JSON.
    """
    text = line.strip()
    if not text:
        raise ValueError("the prediction is blank")
    if text[0] == '"' and text[-1] == '"':
        try:
            text = decode_loose_json(text, where="the prediction")
        except UserError as error:
            raise ValueError(f"the prediction is in quotes but is not a JSON string ({error.message})") from None
    if _BLOT in text:
        pieces = text.split(_BLOT)
        text = pieces[0] + "".join("{}"[index % 2] + piece for index, piece in enumerate(pieces[1:]))
    return text


def is_na(value: Any) -> bool:
    """Whether a gold or predicted value means NA to the evaluator.

    Raises:
        UnscorableError: The evaluator stops at such a value.
    """
    if isinstance(value, str) and "{" not in value:
        return value.lower() in _NA
    if isinstance(value, list):
        silent = [is_na(item) for item in value]  # all of them, so that one that cannot be judged is noticed
        return all(silent)
    if _is_null(value):
        return True
    if not isinstance(value, str):
        raise UnscorableError(f"a value of type {type(value).__name__} where text is expected")
    try:
        rows = decode_loose_json(value.replace("nan", '"n/a"'), where="the prediction")
    except UserError:
        return False
    return _rows_are_na(rows)


def _rows_are_na(rows: Any) -> bool:
    if isinstance(rows, dict):
        if rows:
            raise UnscorableError("a bare JSON object instead of a list of objects")
        return True
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UnscorableError("JSON that is not a list of objects")
    silent = True
    for value in (value for row in rows for value in row.values()):
        if _is_null(value) or (isinstance(value, list) and len(value) == 1 and _is_null(value[0])):
            continue
        if not isinstance(value, str):
            raise UnscorableError(f"a value of type {type(value).__name__} in a predicted row")
        silent = silent and value.lower() in _NA_VALUES
    return silent


def _is_null(value: Any) -> bool:
    return value is None or (isinstance(value, float) and isnan(value))


def _plain_score(gold: Sequence[str], said: Any, draws: Random) -> float:
    """The score of a plain answer: the best over gold alternatives; a JSON list stands for one drawn item."""
    if isinstance(said, str) and "[" in said:
        with suppress(UserError):  # not JSON after all: then the text itself is the answer
            said = decode_loose_json(said, where="the prediction")
    if isinstance(said, list):
        if not said:
            raise UnscorableError("an empty list")
        said = draws.choice(said)
    if not isinstance(said, str):
        return 0.0
    spans, best = said.split("|"), 0.0
    for alternative in gold:
        best = max(best, span_score(spans, alternative.split("|")))
        if best == 1.0:
            break
    return best


def _expand(row: dict[str, Any]) -> list[list[str]]:
    """A row as lists of "key value" texts, one list per alternative the evaluator considers.

    Its bookkeeping gives a full set of alternatives only to the last key with several values; each earlier
    such key is added to the first alternative alone.
    """
    texts: list[str] = []
    several: list[tuple[str, list[Any]]] = []
    for key, value in row.items():
        name = key.replace("_", " ")
        if isinstance(value, list):
            several.append((name, value))
        else:
            texts += _entry_texts(name, value)
    alternatives = [texts]
    for name, values in reversed(several):
        if not alternatives:
            return []
        if not values and name != several[-1][0]:
            raise UnscorableError("an empty list as the value of a key")
        first, *rest = alternatives
        alternatives = [first + _entry_texts(name, value) for value in values] + rest
    return alternatives


def _entry_texts(name: str, value: Any) -> list[str]:
    if "|" not in str(value):
        return [f"{name} {value}"]
    if not isinstance(value, str):
        raise UnscorableError(f"a value of type {type(value).__name__} with a bar in it")
    return [f"{name} {part}" for part in value.split("|")]


def _said_texts(row: dict[str, Any]) -> list[str]:
    """The first alternative of a predicted row, the only one that is looked at."""
    alternatives = _expand(row)
    if not alternatives:
        raise UnscorableError("an empty list as the value of a key")
    return alternatives[0]


def _row_score(gold: list[list[str]], said: list[str]) -> float:
    best = -1.0
    for alternative in gold:
        value = span_score(said, alternative)
        best = max(best, value)  # in this order, so that nan leaves the best as it is
    return best


def _align(gold: list[dict[str, Any]], said: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], float]:
    """Order the predicted rows as the evaluator does, and the mean score of the resulting pairs.

    Each prediction takes the first free gold row that scores 1, else the first of the best. The evaluator then
    applies this permutation where its inverse is meant, so three rows in rotated order all end up misplaced.
    Padding rows are alike, so one free padding row is compared for all: a huge list costs linear time.
    """
    gold_texts = [_expand(row) for row in gold]
    free = [index for index, row in enumerate(gold) if row]
    blanks = [index for index, row in enumerate(gold) if not row]
    next_blank, order = 0, []
    for row in said:
        texts = _said_texts(row)
        best, taken = -2.0, -1
        candidates = free if next_blank >= len(blanks) else sorted([*free, blanks[next_blank]])
        for index in candidates:
            value = _row_score(gold_texts[index], texts)
            if value > best:
                best, taken = value, index
            if value == 1.0:
                break
        if gold[taken]:
            free.remove(taken)
        else:
            next_blank += 1
        order.append(taken)
    aligned = [said[index] for index in order]
    scores = [_row_score(texts, _said_texts(row)) for texts, row in zip(gold_texts, aligned, strict=True)]
    return aligned, sum(scores) / len(scores)


def decoded(text: str) -> Any:
    """What a text says as JSON; None where it is none."""
    try:
        return decode_loose_json(text, where="the prediction")
    except UserError:
        return None


def _gold_rows(gold: Sequence[str]) -> list[dict[str, Any]]:
    if len(gold) != 1:
        raise UnscorableError("several alternatives for a structured gold answer")
    rows = decoded(gold[0])
    if rows is None:
        raise UnscorableError("the gold answer contains a brace but is not JSON")
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise UnscorableError("the gold answer is not a list of JSON objects")
    return rows


def _structure(gold: list[dict[str, Any]], prediction: str, draws: Random) -> Judgement:
    said = decoded(prediction)
    if not isinstance(said, list):
        return Judgement(0.0, _decompose(gold, [{}] * len(gold), draws))
    if not all(isinstance(row, dict) for row in said):
        raise UnscorableError("a list of something other than objects")
    length = max(len(gold), len(said))
    gold = gold + [{}] * (length - len(gold))
    said = said + [{}] * (length - len(said))
    if gold == said:
        return Judgement(1.0, _decompose(gold, said, draws))
    aligned, mean = _align(gold, said)
    return Judgement(mean, _decompose(gold, aligned, draws))


def _decompose(gold: list[dict[str, Any]], said: list[dict[str, Any]], draws: Random) -> Entries:
    """One entry per gold key. Keys are paired by position; a predicted row with too few keys claims ""."""
    entries: Entries = []
    for gold_row, said_row in zip(gold, said, strict=True):
        pairs = list(said_row.items())
        for position, (key, value) in enumerate(gold_row.items()):
            alternatives = ["n/a"] if is_na(value) else [value] if isinstance(value, str) else value
            if not all(isinstance(alternative, str) for alternative in alternatives):
                raise UnscorableError("a gold value that is not text")
            gold_na = is_na(alternatives[0])
            if position >= len(pairs):
                entries.append((bucket_of(gold_na, False), 0.0))
                continue
            said_key, said_value = pairs[position]
            said_na = is_na(said_value)
            key_score = _plain_score([key.replace("_", " ")], said_key.replace("_", " "), draws)
            credit = _plain_score(alternatives, "n/a" if said_na else said_value, draws)
            entries.append((bucket_of(gold_na, said_na), credit * key_score))
    return entries


def wrong_answer(gold: Any, why: str) -> Judgement:
    """A refused answer: a claim without credit, one per key where gold is a structure that can be read."""
    keys: list[Any] = [gold[0] if isinstance(gold, list) and gold else gold]
    if isinstance(keys[0], str) and "}" in keys[0]:
        rows = decoded(keys[0])
        listed = rows if isinstance(rows, list) else []
        keys = [value for row in listed if isinstance(row, dict) for value in row.values()] or keys
    return Judgement(0.0, [(bucket_of(_surely_na(value), False), 0.0) for value in keys], why)


def _surely_na(value: Any) -> bool:
    try:
        return is_na(value) if value is not None else False
    except UnscorableError:
        return False


def judge_safely(gold: Any, judged: Callable[[list[str]], Judgement]) -> Judgement:
    """Judge by some rules; what they cannot handle, in gold or in the answer, makes the answer wrong."""
    alternatives = [gold] if isinstance(gold, str) else gold
    if not isinstance(alternatives, list) or not alternatives or not all(isinstance(g, str) for g in alternatives):
        return wrong_answer(gold, "the gold answer is neither a text nor a list of texts")
    try:
        return judged(alternatives)
    except UnscorableError as stop:
        return wrong_answer(gold, str(stop))
    except RecursionError:
        return wrong_answer(gold, "the answer is nested too deeply")


def judge(gold: Any, prediction: str, draws: Random | None = None) -> Judgement:
    """Judge one prediction that has been read already.

    Args:
        gold: The `answer` of a data file: a string, or a list of alternative strings.
        prediction: The predicted text, after `read_prediction`.
        draws: The generator for predictions that are lists. The evaluator shares one over a whole file; without
            it each answer starts a fresh one from 0, so that the same answer always gets the same score.
    """
    # Only a list is drawn from, and making a generator takes longer than judging an answer.
    rng = draws or (Random(0) if "[" in prediction else _NO_DRAWS)

    def judged(alternatives: list[str]) -> Judgement:
        if any("}" in alternative for alternative in alternatives):
            return _structure(_gold_rows(alternatives), prediction, rng)
        score = _plain_score(alternatives, prediction, rng)
        return Judgement(score, [(bucket_of(is_na(alternatives[0]), is_na(prediction)), score)])

    return judge_safely(gold, judged)


def gold_answers(targets: Targets) -> list[str]:
    """The acceptable answers as the strings of a data file (spans of a list joined by "|")."""
    if isinstance(targets, Items):
        return ["|".join(spans) if spans else targets.empty for spans in targets.alternatives]
    return list(acceptable_texts(targets))


OPEN = "(open: not answered yet)"
"""The gold answer of an item that no annotator has answered."""
DISPUTED = "(open: the annotators disagree)"
"""The gold answer of an item on which people do not agree."""


class ZestScorer(Scorer, frozen=True, kw_only=True):
    """The score of one answer; the details hold its bucket entries for the task's F1."""

    metric: ClassVar[str] = "zest-f1"

    @staticmethod
    @abstractmethod
    def judge(gold: list[str], answer: str) -> Judgement:
        """Judge one answer; a `ValueError` says why it cannot be read."""

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        gold = gold_answers(targets)
        if gold[0] in (OPEN, DISPUTED):
            return Score(0.0, dict(gather(wrong_answer(gold, "").entries)))
        try:
            judged = self.judge(gold, answer)
        except ValueError as error:
            judged = wrong_answer(gold, str(error))
        details: dict[str, Any] = dict(gather(judged.entries))
        if judged.refused:
            details["refused"] = judged.refused
        return Score(min(max(judged.score, 0.0), 1.0), details)


class ZestOfficial(ZestScorer, frozen=True, kw_only=True):
    """The published score."""

    name: ClassVar[str] = "zest/official"

    @staticmethod
    def judge(gold: list[str], answer: str) -> Judgement:
        return judge(gold, read_prediction(answer))


OFFICIAL: Scorer = ZestOfficial()
