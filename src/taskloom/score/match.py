"""Scorers: an answer compared with the acceptable ones as a text, a number, words, a list, or a JSON value."""

from __future__ import annotations

import inspect
import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence, Set
from functools import lru_cache
from itertools import product
from typing import Any, ClassVar

from taskloom.core import AnyOf, Boolean, Items, Product, Structure, Targets, Task, UserError, acceptable_texts
from taskloom.core.catalog import SCORERS
from taskloom.core.decode import decode_json
from taskloom.core.functions import function_name
from taskloom.core.kind import KINDS
from taskloom.core.scorer import FUNCTION, Score, Scorer, as_score
from taskloom.score.read.text import whole_number

_ARTICLES = re.compile(r"\b(?:a|an|the)\b")
_NONE = frozenset({"none", "no", "nothing"})
_FEWEST_BLANKS = 32
_BLANKS = re.compile(r"\s{33,}")
_SHORT = 64


def squeezed(text: str) -> str:
    """Text without long runs of blanks, over which patterns would take quadratic time. A line end in a run stays."""
    if len(text) <= _FEWEST_BLANKS or _BLANKS.search(text) is None:
        return text
    return _BLANKS.sub(lambda run: "\n" if "\n" in run[0] else " ", text)


def clean(text: str) -> str:
    """Composed Unicode with white space collapsed: what `exact` compares."""
    return " ".join(unicodedata.normalize("NFC", text).split())


def fold(text: str) -> str:
    """Case and punctuation gone. A text made of nothing but those keeps its clean form, so "!" is not "?"."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    letters = "".join(" " if unicodedata.category(c)[0] in "PSZC" else c for c in folded)
    return " ".join(letters.split()) or clean(text)


def loose(text: str) -> str:
    """`fold` without English articles (unless there is nothing else): what `normalised` compares."""
    # Labels and short answers come up again and again; long texts do not, and would fill the memory.
    return _short(text) if len(text) <= _SHORT else _loose(text)


def _loose(text: str) -> str:
    folded = fold(text)
    return " ".join(_ARTICLES.sub(" ", folded).split()) or folded


_short = lru_cache(maxsize=8_192)(_loose)


def number(text: str) -> float | None:
    """The number that an answer is, in digits or in words; None where it says more or less than one number."""
    value = whole_number(text)
    return 0.0 if value is None and fold(text[:64]) in _NONE else value


RIGHT, WRONG = Score(1.0), Score(0.0)


def _matches(answer: str, targets: Targets, form: Callable[[str], str]) -> bool:
    """Whether the answer equals any acceptable one after `form`, without multiplying products out."""
    said = form(answer)
    match targets:
        case AnyOf(answers):
            return any(said == form(right) for right in answers)
        case Boolean():
            return said == form(targets.canonical())
        case Items():
            return any(said == form(targets.separator.join(right) or targets.empty) for right in targets.alternatives)
        case Product(slots, separator):
            return _in_product(said, [{form(word) for word in slot} for slot in slots], form(f"x{separator}y")[1:-1])
        case _:
            return any(said == form(right) for right in targets.alternatives)


def _in_product(said: str, slots: list[set[str]], separator: str) -> bool:
    """Whether `said` is one word per slot: the reachable end positions move from slot to slot."""
    ends = {0}
    for index, words in enumerate(slots):
        lead = separator if index else ""
        ends = {
            start + len(lead) + len(word) for start, word in product(ends, words) if said.startswith(lead + word, start)
        }
    return len(said) in ends if slots else said == ""


class ExactMatch(Scorer, frozen=True, kw_only=True):
    """1 if the answer is one of the acceptable ones to the letter (white space at the ends and runs of it aside).

    Attributes:
        case: Whether upper and lower case are different letters.
    """

    name: ClassVar[str] = "exact"

    case: bool = True

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        return RIGHT if _matches(answer, targets, clean if self.case else _caseless) else WRONG


def _caseless(text: str) -> str:
    return clean(text).casefold()


class NormalisedMatch(Scorer, frozen=True):
    """Like `exact`, blind to case, punctuation and English articles."""

    name: ClassVar[str] = "normalised"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        # In a sequence of words "a" may be a word of its own, so articles stay.
        form = fold if isinstance(targets, Product) else loose
        return RIGHT if _matches(answer, targets, form) else WRONG


class LabelMatch(Scorer, frozen=True):
    """1 if the answer is the right label: the whole answer, case, punctuation and articles aside.

    A label among other words ("not entailment", "yes or no") is no answer: the words around it may deny it.
    """

    name: ClassVar[str] = "label"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        acceptable = {loose(label) for label in _acceptable(targets)}
        said = loose(answer)
        label = next((label for label in task.labels or acceptable if loose(label) == said), None)
        return WRONG if label is None else Score(float(said in acceptable), {"label": label})


def _acceptable(targets: Targets) -> Iterable[str]:
    return targets.answers if isinstance(targets, AnyOf) else (targets.canonical(),)


class NumberMatch(Scorer, frozen=True, kw_only=True):
    """1 if the answer is the right number, in digits or in words ("two", "2", "2.0"), with nothing beside it.

    Attributes:
        tolerance: How far an answer may be off, as a share of the right number.
    """

    name: ClassVar[str] = "number"

    tolerance: float = 0.0

    def __post_init__(self) -> None:
        if not 0 <= self.tolerance < 1:
            raise ValueError(f"tolerance must be 0 or more and below 1, not {self.tolerance}")

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        said = number(answer)
        right = [value for text in _acceptable(targets) if (value := number(text)) is not None]
        if said is None:
            return WRONG
        if not self.tolerance:
            return RIGHT if said in right else WRONG
        return RIGHT if any(abs(said - value) <= self.tolerance * abs(value) for value in right) else WRONG


class KindMatch(Scorer, frozen=True):
    """1 if the answer is the same as an acceptable one, as the task's kind of answer compares them."""

    name: ClassVar[str] = "kind"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        kind = KINDS.get(task.kind)
        said, right = clean(answer), acceptable_texts(targets)
        if said in map(clean, right):
            return RIGHT
        parsed = kind.parse(said, task)
        if parsed is None:
            return WRONG
        form = kind.normalise(parsed, task)
        return RIGHT if any(kind.normalise(kind.parse(one, task) or one, task) == form for one in right) else WRONG


EXACT: Scorer = ExactMatch()
NORMALISED: Scorer = NormalisedMatch()
LABEL: Scorer = LabelMatch()
NUMBER: Scorer = NumberMatch()
KIND: Scorer = KindMatch()


_LONGEST = 100_000
_NUMBERED = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")
_SEPARATORS = re.compile(r"\n+|;|\||,")
_AND = re.compile(r"\s+and\s+")
_LAST = re.compile(r"^\s*and\s+")
_NOTHING = frozenset({"nothing", "none", ""})


def split_items(answer: str, empty: str, separator: str = ", ") -> list[str]:
    """The items of a list as people write lists: by commas, semicolons, 'and', lines or bullets."""
    text = squeezed(answer.strip()[:_LONGEST])
    if (said := loose(text)) in _NOTHING or said == loose(empty):
        return []
    parts = [text]
    if separator.strip():
        parts = text.split(separator.strip())
    if len(parts) == 1:
        parts = _SEPARATORS.split(text)
    if len(parts) <= 2:
        parts = [piece for part in parts for piece in _AND.split(part)]
    else:
        parts = [_LAST.sub("", part) for part in parts]
    return [item for item in (loose(_NUMBERED.sub("", part)) for part in parts) if item]


class ItemsMatch(Scorer, frozen=True):
    """1 if the list is one of the acceptable lists, else 0; precision, recall and F1 go into the details.

    Repeated items count as often as they are said. Order counts only where the target says so.
    """

    name: ClassVar[str] = "items"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        if isinstance(targets, AnyOf):
            targets = Items(tuple(tuple(split_items(text, "nothing")) for text in targets.answers))
        if not isinstance(targets, Items):
            return Score(float(loose(answer) == loose(targets.canonical())))
        said = split_items(answer, targets.empty, targets.separator)
        best = max((_compare(said, right, targets.ordered) for right in targets.alternatives), key=lambda s: s[:2])
        exact, f1, precision, recall = best
        return Score(float(exact), {"f1": f1, "precision": precision, "recall": recall, "said": len(said)})


def _compare(said: list[str], right: tuple[str, ...], ordered: bool) -> tuple[bool, float, float, float]:
    gold = [loose(item) for item in right]
    if not said or not gold:
        same = not said and not gold
        return same, float(same), float(same or not said), float(same or not gold)
    shared = sum((Counter(said) & Counter(gold)).values())
    precision, recall = shared / len(said), shared / len(gold)
    f1 = 2 * precision * recall / (precision + recall) if shared else 0.0
    exact = said == gold if ordered else sorted(said) == sorted(gold)
    return exact, f1, precision, recall


ITEMS: Scorer = ItemsMatch()


_DEEPEST = 100


class StructureMatch(Scorer, frozen=True):
    """1 if the answer is JSON equal to an acceptable structure, key order and loose spelling of strings aside.

    The details carry the F1 over leaves (path and value), so near misses can be distinguished from nonsense.
    """

    name: ClassVar[str] = "structure"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        if not isinstance(targets, Structure):
            return Score(float(loose(answer) == loose(targets.canonical())))
        try:
            said = Counter(_leaves(decode_json(answer.encode("utf-8", "replace"), where="the answer")))
        except (UserError, ValueError, OverflowError):
            return Score(0.0, {"parsed": False})
        best, exact = 0.0, False
        for value in targets.values():
            right = Counter(_leaves(value))
            shared = (said & right).total()
            best = max(best, 2 * shared / (said.total() + right.total()) if shared else 0.0)
            exact = exact or said == right
        return Score(float(exact), {"parsed": True, "leaf_f1": best})


def _leaves(value: Any, path: str = "$", depth: int = 0) -> Iterator[tuple[str, str]]:
    """Every leaf as (path, loose value); empty containers count as leaves, so {} and [] differ."""
    if depth > _DEEPEST:
        raise ValueError("too deep to be an answer")
    if isinstance(value, dict) and value:
        for key, inner in value.items():
            yield from _leaves(inner, f"{path}.{key}", depth + 1)
    elif isinstance(value, list) and value:
        for index, inner in enumerate(value):
            yield from _leaves(inner, f"{path}[{index}]", depth + 1)
    elif isinstance(value, str):
        yield path, f"s:{loose(value)}"
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield path, f"n:{float(value)!r}"
    else:
        yield path, f"c:{value!r}"


STRUCTURE: Scorer = StructureMatch()


def named_scorer(function: Callable[..., Any]) -> str:
    """The name under which a function serves as a scorer in this process.

    Args:
        function: (answer, targets) or (answer, targets, task) -> a score in [0, 1], a Boolean, or a `taskloom.Score`;
            or a coroutine of it.

    Raises:
        UserError: It takes other arguments.
    """
    called = f"{FUNCTION}{function_name(function)}"
    given = 3
    try:
        inspect.signature(function).bind("", None, None)
    except TypeError:
        given = 2
        try:
            inspect.signature(function).bind("", None)
        except TypeError:
            raise UserError(
                f"{called} takes neither (answer, targets) nor (answer, targets, task)",
                hint="def my_scorer(answer, targets): return float(answer == targets.canonical())",
            ) from None

    class FunctionScorer(Scorer, frozen=True):
        """Asks the function."""

        name: ClassVar[str] = called

        def score(self, answer: str, targets: Targets, task: Task) -> Score:
            found = function(*(answer, targets, task)[:given])
            if inspect.iscoroutine(found):
                # In a thread of its own, because runs and notebooks may have a loop already.
                import asyncio
                from concurrent.futures import ThreadPoolExecutor

                with ThreadPoolExecutor(1) as pool:
                    found = pool.submit(asyncio.run, found).result()
            return as_score(found, called)

    if called not in SCORERS:
        SCORERS.register(called, FunctionScorer())
    return called


# An answer far longer than any sequence is noise; reading it in full would only cost time.
_MOST_TOKENS = 2_000


def fold_words(text: str) -> str:
    """What is compared: composed Unicode, case folded, white space collapsed."""
    return " ".join(unicodedata.normalize("NFC", text).casefold().split())


@lru_cache(maxsize=1_024)
def fold_all(words: tuple[str, ...]) -> frozenset[str]:
    """The folded words; the same targets come again with every model."""
    return frozenset(map(fold_words, words))


def best_segmentation(tokens: Sequence[str], slots: Sequence[Set[str]]) -> int:
    """The most positions that any segmentation of the tokens into `len(slots)` words gets right.

    Every word of a segmentation has at least one token, and every token belongs to a word. An answer with
    fewer tokens than positions has no such segmentation; its last positions then count as left out.

    Args:
        tokens: The answer, folded and cut at blanks.
        slots: The acceptable words of each position, folded.
    """
    places, length = len(slots), len(tokens)
    if not places or not length:
        return 0
    short = length < places
    lost = -1  # a state that no segmentation reaches
    before = [0] + [lost] * length
    for index, slot in enumerate(slots):
        sizes = sorted({word.count(" ") + 1 for word in slot})
        after = [lost] * (length + 1)
        reach = lost
        # Each position and each one after it needs a token, unless there are too few of them anyway.
        last = length if short else length - (places - index - 1)
        for end in range(1, last + 1):
            reach = max(reach, before[end - 1])
            best = reach
            for size in sizes:
                if size > end:
                    break
                start = before[end - size]
                if start != lost and start + 1 > best and " ".join(tokens[end - size : end]) in slot:
                    best = start + 1
            after[end] = best
        if short:
            after[length] = max(after[length], before[length])
        before = after
    return max(before[length], 0)


class WordsScorer(Scorer, frozen=True):
    """The share of positions with an acceptable word; a single word or a truth value is right or wrong.

    Equation 1 of the TaskBench500 paper. Where a visible separator stands between words the answer is cut there. Where
    only blanks do, a word of several tokens cannot be distinguished from several words, so the answer is read in the
    best way: over all its segmentations, the one with the most right positions.
    """

    name: ClassVar[str] = "words"

    def score(self, answer: str, targets: Targets, task: Task) -> Score:
        match targets:
            case Product(slots, separator):
                return _sequence(answer, slots, separator)
            case AnyOf(answers):
                return Score(float(fold_words(answer) in fold_all(answers)))
            case Boolean():
                return Score(float(fold_words(answer).rstrip(".") == fold_words(targets.canonical())))
            case Items(alternatives, _, separator, empty):
                said = fold_words(answer)
                return Score(float(any(said == fold_words(separator.join(one) or empty) for one in alternatives)))
            case _:
                return Score(float(any(fold_words(answer) == fold_words(one) for one in targets.alternatives)))


def _sequence(answer: str, slots: Sequence[tuple[str, ...]], separator: str) -> Score:
    folded = [fold_all(slot) for slot in slots]
    mark = fold_words(separator)
    said = fold_words(answer)
    if not slots:  # nothing is kept, so nothing is to be said, separators included
        return Score(float(not said), {"right": 0, "positions": 0})
    if mark:
        words = [" ".join(word.split()) for word in said.split(mark)] if said else []
        right = sum(word in slot for word, slot in zip(words, folded, strict=False))
        positions = max(len(slots), len(words))
    else:
        tokens = said.split()
        positions = len(slots) if len(tokens) <= _MOST_TOKENS else len(tokens)
        right = best_segmentation(tokens[:_MOST_TOKENS], folded)
    return Score(right / positions, {"right": right, "positions": positions})


WORDS = WordsScorer()
