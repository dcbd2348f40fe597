"""What tasks are made of: an opened lexicon, input words, a knowledge graph, and evaluated functions."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from taskloom.algebra import Answers, Atom, Evaluator, Expression, Node, Truths, Value, normal, signature
from taskloom.core import UserError
from taskloom.core.folders import not_here, warn_unread
from taskloom.core.language_codes import ISO_639
from taskloom.families.taskbench.functions import (
    Predicate,
    Relation,
    SplitAssignment,
    TableRelation,
    TaskCache,
    WordFunction,
    table,
)
from taskloom.families.taskbench.recipe import TaskBenchRecipe
from taskloom.sources.atoms import AtomRecord, RelationAtom, has_own_atoms, own_atom

if TYPE_CHECKING:
    from taskloom.families.taskbench.facts import FactualEngine, OpenBook
    from taskloom.families.taskbench.lexical import LexicalEngine
    from taskloom.sources.lexicon import Lexicon

_NAMES = {
    "wordnet": ("wordnet.zip", "wordnet3.0.zip", "data.noun"),
    "sentiment": ("SentiWordNet*.txt",),
    "words eng": ("brown.zip", "words-eng.*"),
    "words spa": ("cess_esp.zip", "words-spa.*"),
}
_MOST_WORDS = 10_000


class SourceMissingError(UserError):
    """An expression asks for data that the recipe does not provide."""


class Engines:
    """Opens each source when it is first needed and evaluates every word function once."""

    def __init__(self, recipe: TaskBenchRecipe, seed: int) -> None:
        self.recipe = recipe
        self.seed = seed
        self.cache = TaskCache(recipe, seed)
        # Drawn once for all that ask: the words of a task and those of its facts are the same.
        self.assignment = SplitAssignment(seed)
        self._evaluated: dict[Expression, WordFunction] = {}

    @cached_property
    def lexical(self) -> LexicalEngine:
        from taskloom.core.task import LazyMapping
        from taskloom.families.taskbench.lexical import LexicalEngine
        from taskloom.sources.lexicon import open_lexicon
        from taskloom.sources.lexicon.clean import clean_for, vulgar_flags

        found = find_resources(self.recipe.resources)
        wordnets = {code: path for code, path in found.items() if code not in _NAMES and " " not in code}
        lexicon = open_lexicon(
            wordnet=found.get("wordnet", ""), sentiment=found.get("sentiment", ""), languages=wordnets
        )
        given = {"eng": self.recipe.english_words, "spa": self.recipe.spanish_words}
        vocabulary = LazyMapping(
            lexicon.languages,
            lambda code: _words(lexicon, code, given.get(code) or found.get(f"words {code}", "")),
        )
        clean = self.recipe.labels == "clean"
        return LexicalEngine(
            lexicon,
            vocabulary,
            seed=self.seed,
            direct=self.recipe.antonyms == "direct",
            clean=clean_for(lexicon) if clean else None,
            vulgar=vulgar_flags(lexicon) if clean or not self.recipe.vulgar else None,
        )

    @cached_property
    def factual(self) -> FactualEngine:
        """The engine of factual expressions.

        Raises:
            SourceMissingError: The recipe has no knowledge graph.
        """
        from taskloom.families.taskbench.facts import FactualEngine
        from taskloom.sources.knowledge.open import open_graph

        if self.recipe.knowledge == "none":
            raise SourceMissingError(
                "there is no knowledge graph", where="knowledge=none", hint="-T knowledge=world makes a fictional one"
            )
        recipe = self.recipe
        graph = open_graph(recipe.knowledge, seed=self.seed, timeout=recipe.timeout, page_size=recipe.page_size)
        return FactualEngine(graph, row_limit=recipe.row_limit)

    @cached_property
    def mixed(self) -> MixedEngine:
        return MixedEngine(self)

    def engine(self, node: Expression) -> LexicalEngine | FactualEngine | MixedEngine:
        if has_own_atoms(node):
            return self.mixed
        return self.factual if signature(node).source == "entity" else self.lexical

    @cached_property
    def open_book(self) -> OpenBook | None:
        """What puts facts into prompts; None where the recipe asks without any."""
        from taskloom.families.taskbench.facts import OpenBook

        return OpenBook(self) if self.recipe.facts != "none" else None

    def word_function(self, node: Expression) -> WordFunction:
        """A word function on all inputs; expressions that mean the same share one table."""
        key = normal(node)
        if key not in self._evaluated:
            kept = self.cache.function_key(key)
            self._evaluated[key] = self.cache.found_or_made(kept, WordFunction, lambda: self._evaluate(node))
        return self._evaluated[key]

    def _evaluate(self, node: Expression) -> WordFunction:
        type_ = signature(node)
        engine = self.engine(node)
        if type_.predicate:
            return engine.predicate(node)
        return engine.relation(node, most_outputs=self.recipe.most_outputs)

    def relation(self, node: Expression) -> Relation:
        found = self.word_function(node)
        assert not isinstance(found, Predicate)
        return found

    def predicate(self, node: Expression) -> Predicate:
        found = self.word_function(node)
        assert isinstance(found, Predicate)
        return found

    def apply(self, node: Expression, word: str) -> tuple[str, ...]:
        """What a relation gives for one word, empty where nothing."""
        if has_own_atoms(node):
            return self.mixed.apply(node, word)
        if signature(node).source != "entity":
            return self.lexical.apply(node, word)
        try:
            return self.relation(node).outputs(word)
        except KeyError:
            return ()

    def between(self, outer: Expression, inner: Expression, x: str, y: str) -> str | None:
        """A word that leads from `x` to `y` through a chain, None where names do not tell."""
        if signature(inner).source != "entity" and not has_own_atoms(outer) and not has_own_atoms(inner):
            return self.lexical.between(outer, inner, x, y)
        return next((z for z in self.apply(inner, x) if y in self.apply(outer, z)), None)

    def truth(self, node: Expression, word: str) -> bool | None:
        """What a predicate says of one input, None where it does not know."""
        predicate = self.predicate(node)
        for value, words in ((True, predicate.true), (False, predicate.false)):
            place = bisect_left(words, word)
            if place < len(words) and words[place] == word:
                return value
        return None

    def identity(self, words: Sequence[str]) -> Relation:
        """The identity on some words, for sequences that are only filtered."""
        return table({word: (word,) for word in words}, len(words))


def find_resources(folder: str) -> dict[str, str]:
    """The full resources in a folder, by what they are; empty where no folder is named.

    Raises:
        UserError: There is no such folder, or it holds none of them.
    """
    if not folder:
        return {}
    from taskloom.sources.lexicon.wordnet import find_wordnets

    root = Path(folder)
    if not root.is_dir():
        raise not_here(root, "folder", f"resources={folder} names it")
    found: dict[str, str] = {}
    for kind, patterns in _NAMES.items():
        paths = [path for pattern in patterns for path in sorted(root.rglob(pattern))]
        if paths:
            found[kind] = str(paths[0].parent if paths[0].name == "data.noun" else paths[0])
    for code, path in find_wordnets(root).items():
        found[code] = str(path)
        if lists := sorted(root.rglob(f"words-{code}.*")):
            found.setdefault(f"words {code}", str(lists[0]))
    wanted = ", ".join(name for names in (*_NAMES.values(), ("wn-data-*.tab", "WN-LMF *.xml")) for name in names)
    if not found:
        raise UserError("this folder holds none of the known resources", where=str(root), hint=f"looked for {wanted}")
    ends = {re.split(r"[-_.]", path.stem.lower())[-1] for path in root.rglob("*")}
    spoken = {ISO_639.get(end, end) for end in ends if len(end) in (2, 3)} | {"eng", "spa"}
    named = {name.format(code) for code in spoken for name in ("wn-data-{}.tab", "words-{}.txt")}
    named |= {"wordnet.zip", "SentiWordNet.txt", "brown.zip", "cess_esp.zip"}
    hint = f"read are {wanted} and the words-*.txt of wordnets that are there; facts are read from knowledge=DIR"
    warn_unread(root, {*map(Path, found.values())}, named, hint)
    return found


def _words(lexicon: Lexicon, language: str, path: str) -> tuple[str, ...]:
    from taskloom.sources.lexicon.wordnet import input_words

    if path:
        words = input_words(Path(path), lexicon.words(language).lemmas)
        if not words:
            raise UserError(f"none of these words is in the {language} lexicon", where=path)
        return words
    common = lexicon.common(language)
    if common:
        return common
    from taskloom.sources.lexicon import default_lexicon

    known = default_lexicon()
    if language not in known.languages:
        return _richest(lexicon, language)
    lemmas = set(lexicon.words(language).lemmas)
    return tuple(word for word in known.common(language) if word in lemmas)


def _richest(lexicon: Lexicon, language: str) -> tuple[str, ...]:
    """Single words with the most senses: without counts of words, usual ones are those of many meanings."""
    words = lexicon.words(language)
    senses = dict(
        zip(lexicon.keys(language), (words.senses.starts[1:] - words.senses.starts[:-1]).tolist(), strict=True)
    )
    single = [word for word in words.lemmas if word == word.lower() and "_" not in word]
    return tuple(sorted(sorted(single, key=lambda word: (-senses[word], word))[:_MOST_WORDS]))


class MixedEngine(Evaluator):
    """Evaluates expressions whose atoms come from several places.

    A part without own atoms is left to the engine of its words or facts, as a whole.

    Args:
        engines: The other engines.
    """

    def __init__(self, engines: Engines) -> None:
        self._engines = engines

    def relation(self, node: Expression, *, most_outputs: int = 0) -> TableRelation:
        found = self._whole(node)
        kept = {x: ys for x, ys in found.items() if ys and (not most_outputs or len(ys) <= most_outputs)}
        return table(kept, sum(1 for ys in found.values() if ys))

    def predicate(self, node: Expression) -> Predicate:
        value = self(node, Answers.of(self.inputs(node)))
        assert isinstance(value, Truths)
        true, false = (tuple(sorted(x for x, v in value.rows.items() if v is wanted)) for wanted in (True, False))
        return Predicate(true, false)

    def apply(self, node: Expression, word: str) -> tuple[str, ...]:
        value = self(node, Answers.of((word,)))
        assert isinstance(value, Answers)
        return tuple(sorted(value.rows[word]))

    def _whole(self, node: Expression) -> dict[str, dict[str, None]]:
        value = self(node, Answers.of(self.inputs(node)))
        assert isinstance(value, Answers)
        return value.rows

    def inputs(self, node: Expression) -> list[str]:
        """Every input that an expression could be asked about, sorted."""
        if isinstance(node, Atom) and (own := own_atom(node.name)) is not None:
            return sorted(own.inputs or self._domain(own))
        if not has_own_atoms(node):
            return self._known(node)
        assert isinstance(node, Node)
        # What comes last in a chain sees what the others give; all other arguments see the input.
        inside = node.arguments[-1:] if node.operator == "chain" else node.arguments
        return sorted({x for part in inside for x in self.inputs(part)})

    def _domain(self, own: AtomRecord) -> Iterable[str]:
        if own.in_graph or own.table is not None:
            return _triples(own) if own.in_graph else own.table or ()
        if own.domain in self._engines.lexical.vocabulary:
            return self._engines.lexical.input_words(own.domain)
        raise UserError(
            f"the {own.sort} {own.name!r} is a function of {own.domain!r}, so it has to say what to ask about",
            where="expression",
            hint=f'{type(own).__name__}(inputs=("…", "…"), …)',
        )

    def _known(self, node: Expression) -> list[str]:
        source = signature(node).source
        if source == "any":
            return []
        if source != "entity":
            return self._engines.lexical.input_words(source)
        if signature(node).predicate:
            truth = self._engines.predicate(node)
            return sorted((*truth.true, *truth.false))
        return list(self._engines.relation(node).inputs)

    def here(self, node: Expression, x: Answers) -> Value:
        assert isinstance(x, Answers)
        own = own_atom(node.name) if isinstance(node, Atom) else None
        if own is not None:
            return self._own(own, x)
        if isinstance(node, Node) and (has_own_atoms(node) or signature(node).source == "any"):
            value = node.record.value(self, x, node.arguments)
            if isinstance(value, Answers) and not value.plain:
                return Answers(value.rows, reach=lambda: _all(self._whole(node)))
            return value
        if signature(node).predicate:
            return Truths({word: self._engines.truth(node, word) for word in x.rows})
        return Answers(self._given(node, x.rows), reach=lambda: _all(self._given(node, self._known(node))))

    def _given(self, node: Expression, words: Iterable[str]) -> dict[str, tuple[str, ...]]:
        """What a relation between words or facts gives."""
        if signature(node).source == "entity":
            return {word: self._engines.apply(node, word) for word in words}
        found = self._engines.lexical.table(node, words)
        return {word: found.get(word, ()) for word in words}

    def _own(self, own: AtomRecord, x: Answers) -> Value:
        if own.target == "truth":
            return Truths({word: own.answer(word) for word in x.rows})
        rows = _triples(own) if own.in_graph else None
        answer: Callable[[str], Iterable[str]] = own.answer if rows is None else lambda word: rows.get(word, ())

        def reach() -> set[str]:
            return {y for word in self.inputs(own.leaf()) for y in answer(word)}

        return Answers({word: answer(word) for word in x.rows}, reach=reach)


def _all(rows: Mapping[str, Iterable[str]]) -> set[str]:
    return {y for ys in rows.values() for y in ys}


@lru_cache(maxsize=16)
def _triples(own: AtomRecord) -> dict[str, tuple[str, ...]]:
    """A relation from an RDF file, by label."""
    from taskloom.sources.knowledge.graph import find_property
    from taskloom.sources.knowledge.open import open_graph

    graph = open_graph(str(Path(str(own.data))))
    assert isinstance(own, RelationAtom)
    found = graph.words(Atom(find_property(graph, own.rdf_property or own.name)))
    own.prove(found.get(own.example[0]))
    return found
