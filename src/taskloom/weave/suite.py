"""Suites of woven tasks: one task for each expression, rows in blocks, splits disjoint in the inputs of their parts.

Long inputs follow BABILong's construction, for every task: the lines of an item, in their order, at random places among
lines of other text; the last line last. The other text is generated prose, or the books in a folder of the user's.
Lines that share a content word with the item are left out, so that nothing else bears on the answer.
"""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache, lru_cache, partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple

import msgspec

from taskloom.algebra import Atom, Expression, Node
from taskloom.core import Count, Example, Instruction, Recipe, Row, Suite, Task, UserError, open_suite
from taskloom.core.blocks import SeriesBlocks
from taskloom.core.cells import Lattice
from taskloom.core.decode import read_toml
from taskloom.core.definition import SENTENCES
from taskloom.core.kind import KINDS
from taskloom.core.task import LazyTasks
from taskloom.weave.draw import Loom, leaves_of, task_record, text_of
from taskloom.weave.records import ItemsOperator, Outline, Woven, words_of

if TYPE_CHECKING:
    from taskloom.algebra import Expression
    from taskloom.weave.draw import Draw


_SIZES = {"k": 1_000, "m": 1_000_000}
_SHORTEST = 10
"""Tokens of the shortest line of other text."""
_LEAST = 200_000
"""Tokens of other text that are held beyond the longest run, so that every item takes a run of its own."""
_SENTENCES = re.compile(r"(?<=[.!?])[\"'”’]?\s+(?=[\"'“‘A-Z])")
_WORDS = re.compile(r"[a-z]{3,}")
_COMMON = frozenset(
    {"the", "and", "was", "were", "are", "has", "had", "have", "not", "for", "with", "that", "this", "from", "into",
     "his", "her", "him", "she", "they", "them", "their", "there", "then", "its", "all", "who", "what", "where",
     "which", "when", "how", "many", "out", "but", "one", "two", "three", "you", "your"}
)  # fmt: skip
_MOST_BOOK = 64 << 20
_WORDS_OF_WITHIN = words_of("within")


def token_number(text: str) -> int:
    """A number of tokens as people write it: 4k, 1M, 0.

    Raises:
        UserError: It is no such number.
    """
    unit = _SIZES.get(text[-1:].lower(), 0)
    digits = text[:-1] if unit else text
    if not digits.isdecimal():
        raise UserError(f"a length is a number of tokens such as 0, 4k, 128k or 1M, not {text!r}", where="tokens")
    return int(digits) * (unit or 1)


class TokenCount(NamedTuple):
    """How long texts are: the tokens of a line, and those of a line break between two."""

    of: Callable[[str], int]
    line_break: int


@cache
def tokens_of(tokenizer: str = "") -> TokenCount:
    """What counts tokens: GPT-2's tokenizer, or that of a folder or file `tokenizer.json`."""
    if not tokenizer:
        from taskloom.encode.gpt2 import gpt2

        encode = gpt2().encode
        return _counting(lambda text: len(encode(text)))
    from tokenizers import Tokenizer

    path = Path(tokenizer)
    path = path / "tokenizer.json" if path.is_dir() else path
    if not path.is_file():
        raise UserError("there is no tokenizer.json", where=str(path), hint="-T tokenizer=FOLDER of a checkpoint")
    own = Tokenizer.from_file(str(path))
    return _counting(lambda text: len(own.encode(text, add_special_tokens=False).ids))


def _counting(count: Callable[[str], int]) -> TokenCount:
    """A line break is a token of its own for some tokenizers, and nothing for those that split at white space."""
    first, second = "She stayed.", "He left."
    return TokenCount(count, count(f"{first}\n{second}") - count(first) - count(second))


def content_words(text: str) -> frozenset[str]:
    """The words of a text that carry its meaning, in small letters."""
    return frozenset(_WORDS.findall(text.lower())) - _COMMON


class Background:
    """Lines of other text, drawn as far as they are needed: one length more than the longest run, and no words of them.

    Args:
        lines: The texts of the lines.
        count: What counts tokens.
        where: Where they come from, for errors.
    """

    def __init__(self, lines: Iterator[str], count: TokenCount, where: str) -> None:
        self._more = lines
        self._count = count
        self._where = where
        self._lines: list[str] = []
        self._ends = array("Q", [0])

    def _hold(self, tokens: int) -> None:
        for text in self._more if self._ends[-1] < tokens else ():
            number = self._count.of(text)
            if number >= _SHORTEST:
                self._lines.append(text)
                self._ends.append(self._ends[-1] + number + self._count.line_break)
            if self._ends[-1] >= tokens:
                return
        if not self._lines:
            raise UserError("there is no text to hide anything in", where=self._where)

    def run(self, rng: Random, tokens: int, words: frozenset[str]) -> list[str]:
        """Lines of so many tokens together, at most, from a random place on; none shares a content word."""
        self._hold(_LEAST + tokens)
        place = bisect_left(self._ends, rng.randrange(self._ends[-1]))
        found: list[str] = []
        left, unused = tokens, 0
        while left > _SHORTEST and unused < len(self._lines):
            at = place % len(self._lines)
            line, length = self._lines[at], self._ends[at + 1] - self._ends[at]
            place += 1
            if length <= left and words.isdisjoint(_WORDS.findall(line.lower())):
                found.append(line)
                left -= length
                unused = 0
            else:
                unused += 1
        return found


@lru_cache(maxsize=8)
def background(folder: str, tokenizer: str) -> Background:
    """Other text: the books in a folder, or generated prose."""
    count = tokens_of(tokenizer)
    if not folder:
        return Background(_prose(), count, "prose")
    files = sorted(path for path in Path(folder).expanduser().rglob("*.txt") if path.is_file())
    if not files:
        raise UserError("there are no books here: files *.txt", where=folder, hint="-T background=FOLDER")
    return Background(_books(files), count, folder)


def _prose() -> Iterator[str]:
    for seed in range(1 << 20):
        suite = open_suite("zest/fictional", seed=seed)
        for split in suite.splits:
            for row in suite.rows(split):
                yield from _SENTENCES.split(row.instance.parts["passage"])


def _books(files: list[Path]) -> Iterator[str]:
    for path in files:
        with path.open("rb") as book:
            text = book.read(_MOST_BOOK).decode("utf-8", "replace")
        yield from _SENTENCES.split(" ".join(text.split()))


def _depths(text: str) -> tuple[float, float]:
    """The range of places in which the lines of an item may stand: "" for all, "0.5-1"."""
    low, dash, high = (text or "0-1").partition("-")
    try:
        found = float(low), float(high if dash else low)
    except ValueError:
        found = -1.0, -1.0
    if not 0 <= found[0] <= found[1] <= 1:
        raise UserError(f"a depth is a share of the text such as 0.5, or a range 0.2-0.8, not {text!r}", where="depth")
    return found


def _hidden(draw: Draw, task: Expression, tokens: str, depth: str, folder: str) -> Woven | None:
    item = draw.item(task)
    wanted = token_number(tokens)
    if item is None or not wanted:
        return item
    settings = draw.loom.settings
    if not (folder or settings.get("background")) and any(name.startswith("zest/") for name in leaves_of(task)):
        raise UserError("passages of zest are not hidden in passages of zest", hint="background=FOLDER of books")
    count = tokens_of(settings.get("tokenizer", ""))
    lines = item.input.split("\n")
    *hidden, last = lines if len(lines) > 1 else (f"Input: {lines[0]}", "")
    left = wanted + count.line_break - sum(count.of(line) + count.line_break for line in (*hidden, last))
    other = background(folder or settings.get("background", ""), settings.get("tokenizer", ""))
    found = other.run(draw.rng, left, content_words(item.input))
    low, high = _depths(depth)
    span = range(round(low * len(found)), round(high * len(found)) + 1)
    places = sorted(draw.rng.choices(span, k=len(hidden)))
    text: list[str] = []
    before = 0
    for place, line in zip(places, hidden, strict=True):
        text += [*found[before:place], line]
        before = place
    return replace(item, input="\n".join([*text, *found[before:], *([last] if last else [])]))


def _within_outline(inner: Outline, tokens: str, depth: str, folder: str) -> Outline:
    _depths(depth)
    return inner.noted(_WORDS_OF_WITHIN.use) if token_number(tokens) else inner


WITHIN: Final = ItemsOperator(**_WORDS_OF_WITHIN.record("within"), make=_hidden, outline=_within_outline)


class _Wordings(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The file `wordings.toml`."""

    explained: dict[str, tuple[str, str, str]]
    wordings: dict[str, tuple[tuple[str, str, str], ...]]


@cache
def _wordings() -> _Wordings:
    return read_toml(Path(__file__).with_name("wordings.toml"), type=_Wordings)


@cache
def wording_patterns() -> list[tuple[re.Pattern[str], str, str]]:
    """Every known sentence as a pattern, with its other words and its Spanish."""
    found = []
    for english, *others in _wordings().wordings["sentences"]:
        pattern = re.sub(r"\\\{(\w)\\\}", r"(?P<\1>.+)", re.escape(english))
        other, spanish = (re.sub(r"\{(\w)\}", r"\\g<\1>", text) for text in others)
        found.append((re.compile(pattern), other, spanish))
    return found


def explained(language: str) -> tuple[str, str, str]:
    """What worked examples say in a language: of a right answer, of a wrong one, and what joins steps."""
    return _wordings().explained[language]


def _said(text: str, place: int) -> str:
    """A text sentence by sentence in other words (0) or in Spanish (1)."""
    said = []
    for sentence in SENTENCES.split(text) if text else ():
        fitting = (
            (found, others[place]) for pattern, *others in wording_patterns() if (found := pattern.fullmatch(sentence))
        )
        found, other = next(((found, other) for found, other in fitting if other), (None, ""))
        if found is None:
            raise UserError(f"no other words are known for {sentence!r}", hint="a task of weave/atlas or babi")
        said.append(found.expand(other))
    return " ".join(said)


def _paraphrased(inner: Outline) -> Outline:
    used, notes, form, whole = (_said(text, 0) for text in (inner.used, inner.notes, inner.form, inner.whole))
    return replace(inner, used=used, notes=notes, form=form, whole=whole)


def _translated(inner: Outline, language: str) -> Outline:
    return replace(inner, whole=_said(inner.whole, 1), spoken=language)


def _unchanged(draw: Draw, task: Expression, *values: str) -> Woven | None:
    return draw.item(task)


PARAPHRASED, TRANSLATED = (
    ItemsOperator(**words_of(word).record(word), make=_unchanged, outline=outline, on_given=False)
    for word, outline in (("paraphrased", _paraphrased), ("translated", _translated))
)


FACETS: dict[str, type] = {"expression": str, "answer": str}
VERSION = "2"
"""The version of every woven task."""
SPLITS = ("train", "dev", "test")
_BLOCK = 1_000
_SURVEYED = 80
_FEWEST_ANSWERS = 5
"""Different answers that an expression must have: with fewer, guessing looks like knowing."""


class WeaveRecipe(Recipe, frozen=True, kw_only=True):
    """What to weave, and how much of it.

    Attributes:
        expressions: The expressions; one task each.
        trained: The expressions of the splits train and dev, where they are others.
        train: Rows of each task in this split.
        dev: Likewise.
        test: Likewise.
        examples: Worked examples in each instruction.
        background: A folder of books (*.txt) that `within` hides inputs in; "" for generated prose.
        tokenizer: A tokenizer.json, or its folder, whose tokens `within` counts; "" for GPT-2's.
    """

    file_keys: ClassVar[tuple[str, ...]] = ("background", "tokenizer")

    expressions: tuple[str, ...] = ()
    trained: tuple[str, ...] = ()
    train: Count = 100
    dev: Count = 50
    test: Count = 100
    examples: Count = 2
    background: str = ""
    tokenizer: str = ""


class Survey(NamedTuple):
    """What the first items of an expression show.

    Attributes:
        items: Items with an answer.
        lost: The share that is not asked because the answer would be ambiguous.
        answers: How many different answers there are.
    """

    items: list[Woven]
    lost: float
    answers: int


def survey(loom: Loom, node: Expression) -> Survey:
    """The first items of an expression that belong to no split.

    Raises:
        UserError: There are fewer different answers than an expression must have.
    """
    known: Survey | None = loom.surveys.get(node)
    if known is not None:
        return known
    # Hidden in other text an item has the same answer; worked examples are shown without it.
    asked = node
    while isinstance(asked, Node) and asked.operator == WITHIN.name:
        asked = asked.arguments[0]
    drawn = list(islice(loom.items(asked, "shown", 0), _SURVEYED))
    items = [one for one in drawn if one is not None]
    answers = len({one.value.canonical.lower() for one in items})
    outline = loom.outline(node)
    wanted = min(len(outline.labels) or _FEWEST_ANSWERS, _FEWEST_ANSWERS)
    if not isinstance(asked, Atom) and answers < wanted and not (outline.labels and answers > 1):
        gone = len(drawn) - len(items)
        lost = f", {gone} of {len(drawn)} items have none or several and are not asked" if gone else ""
        raise UserError(
            f"{text_of(node)} has {answers} different answers{lost}; with fewer than {wanted}, guessing looks like "
            "knowing",
            where="weave", hint="choose a task whose answers differ more",
        )  # fmt: skip
    found = Survey(items, 1 - len(items) / len(drawn), answers)
    loom.surveys[node] = found
    return found


def woven_task(loom: Loom, node: Expression, examples: int = 2) -> Task:
    """The task of an expression, with worked examples: right answers, and an item with the answer of another one."""
    found, outline = survey(loom, node), loom.outline(node)
    differing = {one.value.canonical: one for one in reversed(found.items)}
    shown = [
        (one, loom.row(node, one, "example").instance.targets.canonical())
        for one in sorted(differing.values(), key=lambda one: len(one.input))
    ]
    steps, mistake, then = explained(outline.spoken)
    right = [Example(one.input, said, steps.format(steps=then.join(one.trace))) for one, said in shown[:examples]]
    wrong = [
        Example(one.input, other, mistake.format(answer=said))
        for (one, said), (_, other) in ([shown[-2:]] if examples and len(shown) > 1 else [])
    ]
    kind = KINDS.get(outline.kind)
    return Task(
        text_of(node),
        Instruction(outline.whole, tuple(right), tuple(wrong)),
        kind=outline.kind,
        scorer=outline.scorer or kind.scorer,
        labels=outline.labels or kind.labels,
        facets={
            "family": "weave",
            "category": "a task" if isinstance(node, Atom) else task_record(node).about,
            "language": outline.language,
            **({} if outline.spoken == "English" else {"instruction_language": outline.spoken}),
            "expression": text_of(node),
            "families": tuple(sorted({name.partition("/")[0] for name in leaves_of(node)})),
            "not_asked": round(found.lost, 3),
        },
        version=VERSION,
    )


def build(name: str, recipe: WeaveRecipe, seed: int, bound: Mapping[str, Any] | None = None) -> Suite:
    """The suite of a resolved recipe."""
    loom = Loom(bound, {"background": recipe.background, "tokenizer": recipe.tokenizer})
    if not recipe.expressions:
        raise UserError("there is nothing to weave", where=name, hint="-T 'expressions=[upper(babi/task-1)]'")
    tested, trained = (
        {text_of(node): node for node in map(loom.parse, texts)}
        for texts in (recipe.expressions, recipe.trained or recipe.expressions)
    )
    nodes = {**trained, **tested}
    sizes = {split: size for split in SPLITS if (size := getattr(recipe, split))}
    woven = {split: tested if split == "test" else trained for split in sizes}

    def draw(split: str) -> Iterable[Row]:
        makers, lengths, tasks = [], [], []
        parts = -(-sizes[split] // _BLOCK)
        for task, node in woven[split].items():
            for part in range(parts):
                size = min(_BLOCK, sizes[split] - part * _BLOCK)
                makers.append(partial(_rows, loom, node, split, seed, part, parts, size))
                lengths.append(size)
                tasks.append(task)
        return SeriesBlocks(makers, lengths, tasks)

    return Suite(
        name=f"weave/{name}",
        recipe=msgspec.to_builtins(recipe),
        seed=seed,
        tasks=LazyTasks(
            nodes,
            lambda text: woven_task(loom, nodes.get(text) or loom.parse(text), recipe.examples),
            lambda text: loom.outline(nodes[text]).whole,
        ),
        splits={split: size * len(woven[split]) for split, size in sizes.items()},
        draw=draw,
        facets=FACETS,
        apart="inputs",
        pool="train" if "train" in sizes else None,
        lattice=partial(_lattice, loom, nodes),
    )


def _lattice(loom: Loom, nodes: Mapping[str, Expression], suite: Suite) -> Lattice:
    from taskloom.weave.lattice import WeaveLattice

    return WeaveLattice(suite, loom, {name: nodes[name] for name in suite.tasks if name in nodes})


def _rows(loom: Loom, node: Expression, split: str, seed: int, part: int, parts: int, size: int) -> Iterator[Row]:
    survey(loom, node)
    made = 0
    for item in loom.items(node, split, seed, part=part, parts=parts):
        if item is not None and made < size:
            yield loom.row(node, item, f"{split}-{part * _BLOCK + made}")
            made += 1
        if made == size:
            return
    raise UserError(
        f"{text_of(node)} has {made} items for {split}, not {size}", where="weave", hint=f"-T {split}={made}"
    )
