"""The words that patterns tell from other words."""

from __future__ import annotations

import re
from importlib import import_module
from pathlib import Path

import pytest

import taskloom.score.read
from taskloom.score.read import lexicon
from taskloom.score.read.lexicon import is_known, lexicon_of, rules


@pytest.mark.parametrize(
    ("pattern", "known", "unknown"),
    [
        (r"\b(?:may|might)\b", "may might", "mayor mighty amay"),
        (r"\bspeculat\w+", "speculate speculation", "specula"),
        (r"\bguess(?:es|ed)?\b", "guess guesses guessed", "guessing guesser"),
        (r"\b(?:un|in)certain\b", "uncertain incertain", "certain un"),
        (r"\bnot (?:so|too) sure\b", "not so too sure", "notso nots"),
        (r"\bdon['’]?t\b", "dont", "don dontx"),
        (r"\bhmm+\b", "hmm hmmm hmmmmmmmm", "hm ham"),
        (r"\w+ly\b", "really ly", "lyre"),
        (r"\bcolou?r", "color colour colours", "colon"),
        (r"(?<!me )\bif\b", "me if", "iffy"),
        (r"(?<=\s)[ou](?=\s)", "o u", "on us"),
        (r"\bhave(?! to\b)", "have haven to", "tom"),
        (r"(?<![\w-])zero(?![\w-])", "zero", "zeros"),
        (r"\d+ ?%|fifty", "fifty fifty-", "percent"),
        (r"<(a|b)>x</\1>", "a b x", "ab"),
        (r"[A-Z]{2}x", "abx", "aby"),
    ],
)
def test_patterns_are_taken_apart_into_words(pattern, known, unknown):
    found = lexicon_of([re.compile(pattern, re.IGNORECASE)])
    assert [word for word in known.split() if not found.has(word.rstrip("-"))] == []
    assert [word for word in unknown.split() if found.has(word)] == []


def test_further_words_are_known():
    assert lexicon_of([], ["hallway"]).has("hallway")


def test_rules_know_the_words_of_doubt_and_of_talk_and_no_ordinary_ones():
    for word in (
        "maybe",
        "Perhaps",
        "answer",
        "thirty",
        "tampoco",
        "affirmative",
        "entailed",
        "really",
        "x",
        "speculating",
    ):
        assert is_known(word), word
    for word in ("office", "hallway", "piano", "drawer", "Zorvak", "Oslo", "guitar", "wolf"):
        assert not is_known(word), word


def test_what_any_pattern_tells_from_an_unknown_word_is_known():
    """The check that the lexicon spares: every pattern on every word, here on the words of the rules themselves."""
    words = {part for word in rules().words for part in (word, f"{word}s", f"un{word}")} | {"office", "garden", "Oslo"}
    patterns = [
        value
        for name in lexicon._RULES
        for value in vars(import_module(f"taskloom.score.read.{name}")).values()
        if isinstance(value, re.Pattern) and not any(map(value.match, ("Zorvak", "zorvak", "17")))
    ]
    told = {word for word in sorted(words)[::7] if word.isalpha() and any(one.match(word) for one in patterns)}
    assert [word for word in told if not is_known(word)] == []


def test_patterns_that_are_searched_for_begin_where_a_word_begins():
    """A match within a word would tell words apart that the lexicon takes for unknown."""
    folder = Path(taskloom.score.read.__file__).parent
    source = "\n".join(path.read_text("utf-8") for path in folder.glob("*.py"))
    for name in lexicon._RULES:
        for label, value in vars(import_module(f"taskloom.score.read.{name}")).items():
            if isinstance(value, re.Pattern) and re.search(
                rf"\b{label}\.(?:search|sub|findall|finditer|split)\(", source
            ):
                taker = lexicon._Taker()
                taker._close(taker._walk(lexicon.parser.parse(value.pattern, value.flags), {("", False)}))
                within = {word for word in taker.tails | taker.pieces if len(word) > 1}
                plain = lexicon_of([value])
                assert within <= plain.tails | plain.pieces | {"ⵣ"}, (name, label, within)
