"""Plain text woven from Taskloom's own sources, to pre-train tiny models on.

Four kinds of text: what words mean to each other, facts of the fictional world, stories with
questions, and sentences with what follows from them. Stories and sentences are drawn with a seed of
their own that no evaluation uses; words and world are the same for everybody, as knowledge is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import islice, zip_longest
from typing import Any, NamedTuple

from taskloom.core import UserError, digest, keyed_random, open_suite
from taskloom.core.catalog import FAMILIES

_STORY_SUITES = ("babi/task-1", "babi/task-2", "babi/task-6", "babi/task-7", "babi/task-8", "babi/task-12")
_SENTENCE_SUITES = ("seti/task1-nontrivial", "seti/task2-nontrivial", "seti/negation", "seti/quantifiers")


class Corpus(NamedTuple):
    """Texts in a fixed order, how many came from each part, and which parts could not be woven and why."""

    texts: list[str]
    counts: dict[str, int]
    left_out: dict[str, str]


def weave(parts: tuple[str, ...], texts: int, seed: int, world_seed: int = 0) -> Corpus:
    """Weave up to `texts` texts per part and shuffle them.

    A part whose source is not there is left out and named, never replaced by something else.

    Raises:
        UserError: No part could be woven.
    """
    woven: list[str] = []
    counts: dict[str, int] = {}
    left_out: dict[str, str] = {}
    for part in parts:
        try:
            found = list(islice(PARTS[part](seed, world_seed), texts))
        except (UserError, ImportError, AttributeError) as error:
            left_out[part] = str(error).splitlines()[0]
            continue
        counts[part] = len(found)
        woven.extend(found)
    if not woven:
        raise UserError(f"none of the parts {', '.join(parts)} is available: {left_out}")
    keyed_random("corpus", seed).shuffle(woven)
    return Corpus(woven, counts, left_out)


def _plain(word: str) -> str:
    return word.replace("_", " ")


_RELATIONS: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("hypernyms", "{a} is a kind of {b}.", {"closure": False}),
    ("synonyms", "{a} means the same as {b}.", {}),
    ("antonyms", "{a} is the opposite of {b}.", {"direct": True}),
    ("entailments", "To {a} is to {b}.", {"closure": False}),
    ("translate", "In Spanish {a} is {b}.", {}),
)


_PARTS_OF_SPEECH = {"noun": "a noun", "verb": "a verb", "adj": "an adjective", "adv": "an adverb"}


def _words(seed: int, world_seed: int) -> Iterator[str]:
    """A few sentences about one usual word after another."""
    from taskloom.sources.lexicon import default_lexicon

    lexicon = default_lexicon()
    for word in lexicon.common("eng"):
        random = keyed_random("corpus", "words", seed, word)
        sentences = []
        for relation, sentence, options in _RELATIONS:
            found = getattr(lexicon, relation)(word, **options)
            if found:
                sentences.append(sentence.format(a=_plain(word), b=_plain(random.choice(found))))
        sentences.extend(f"{_plain(word)} is {_PARTS_OF_SPEECH[part]}." for part in sorted(lexicon.pos(word)))
        random.shuffle(sentences)
        if sentences:
            yield " ".join(sentences)


def _world(seed: int, world_seed: int) -> Iterator[str]:
    """What is known about one inhabitant or thing of the fictional world after another."""
    from taskloom.sources.knowledge import RELATIONS, fact, open_graph, relation

    graph = open_graph("world", seed=world_seed)
    known: dict[str, list[str]] = {}
    for name in RELATIONS:
        query = relation(name)
        for subject, objects in graph.words(query).items():
            known.setdefault(subject, []).extend(fact(query, subject, value) for value in objects[:2])
    for subject in sorted(known):
        random = keyed_random("corpus", "world", seed, subject)
        random.shuffle(known[subject])
        yield " ".join(known[subject][:6])


def _from_suites(names: tuple[str, ...], seed: int) -> Iterator[str]:
    """Inputs with their answers, the suites taking turns, drawn with a seed that belongs to pre-training."""
    own_seed = int.from_bytes(digest("corpus", seed)[:6], "big")
    family = FAMILIES.get(names[0].partition("/")[0])
    there = [name for name in names if name.partition("/")[2] in family.suites()]
    if not there:
        raise UserError(f"family {family.name} has none of {', '.join(names)}")
    suites = [open_suite(name, seed=own_seed) for name in there]
    draws = [
        (f"{row.instance.input} {row.instance.targets.canonical()}" for row in suite.draw("train")) for suite in suites
    ]
    return (text for turn in zip_longest(*draws) for text in turn if text is not None)


def _stories(seed: int, world_seed: int) -> Iterator[str]:
    return _from_suites(_STORY_SUITES, seed)


def _sentences(seed: int, world_seed: int) -> Iterator[str]:
    return _from_suites(_SENTENCE_SUITES, seed)


PARTS: dict[str, Callable[[int, int], Iterator[str]]] = {
    "words": _words,
    "world": _world,
    "stories": _stories,
    "sentences": _sentences,
}
