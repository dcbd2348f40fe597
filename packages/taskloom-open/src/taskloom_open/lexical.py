"""Tasks from WordNet, the Bible and a Portuguese treebank that weigh many words or texts against each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random

from taskloom.author import Blueprint
from taskloom_open.archives import SourceText
from taskloom_open.kit import Part, WorkedItem, article, choices, define, rows
from taskloom_open.written.tools import used

_TANGIBLE = (5, 6, 8, 13, 17, 18, 20)
"""WordNet's files of nouns for animals, artefacts, bodies, food, objects, people and plants, where it is plain what is
a kind of what."""

_LIVING = {5, 13, 18, 20}
"""Animals, food, people and plants, which nothing else is a kind of."""


def lexical() -> Iterator[Blueprint]:
    """Every task of this module."""
    yield _replacement()
    yield _same_sense()
    yield _relation()
    yield _entailed()
    yield _analogy()
    yield _completion()
    yield _portuguese()


@lru_cache(maxsize=4)
def _synsets(part: Part) -> dict[str, SourceText]:
    return {row.id: row for row in rows("wordnet", part)}


def _word(row: SourceText) -> str:
    return str(row.more["words"][0])


def _plain(row: SourceText, place: int = 0) -> bool:
    return bool(re.fullmatch(r"[a-z]{3,}", row.more["words"][place]))


@lru_cache(maxsize=1)
def _every() -> dict[str, SourceText]:
    return {**_synsets("a"), **_synsets("b")}


@lru_cache(maxsize=1)
def _senses_of() -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, row in _every().items():
        for word in row.more["words"]:
            found.setdefault(word, []).append(name)
    return found


@lru_cache(maxsize=4096)
def _kinds_of(word: str) -> frozenset[str]:
    """The word itself and the words for what it is a kind of, in any of its senses, as far as both parts know."""
    every = _every()
    names, todo = set[str](), list(_senses_of().get(word, ()))
    while todo:
        row = every.get(todo.pop())
        if row is not None and row.id not in names:
            names.add(row.id)
            todo += row.more["links"].get("hypernym", ())
    return frozenset(word for name in names for word in every[name].more["words"]) | {word}


@lru_cache(maxsize=2)
def _used(part: Part) -> list[tuple[SourceText, str, str]]:
    """Example sentences that contain a word of their synset as it is: (synset, word, sentence)."""
    return [(row, *found) for row in rows("wordnet", part) if (found := used(row.more))]  # type: ignore[misc]


def _replacement() -> Blueprint:
    swaps = []
    for row, word, sentence in _used("a"):
        for place, target, other in row.more["opposites"]:
            found = _synsets("a").get(target)
            # "Early" has two opposites, and "an old man" does not become "an young man".
            behind = re.search(rf"(?i)\ban? {word}\b", sentence)
            alone = sum(one[0] == place for one in row.more["opposites"]) == 1
            if found and alone and not behind and row.more["words"][place] == word and _plain(found, other):
                swaps.append((row, word, sentence, found.more["words"][other]))
                break
    others = [other for _, _, _, other in swaps]

    def opposite(rng: Random, key: int) -> WorkedItem:
        row, word, sentence, other = swaps[key]
        right = re.sub(rf"(?i)\b{word}\b", other, sentence, count=1)
        options, _ = choices(rng, other, [one for one in rng.sample(others, 9) if one != word])
        return WorkedItem(
            f"{sentence}\nWord: {word}\nOptions: {', '.join(options)}",
            right,
            f"The opposite of '{word}' in this sense is '{other}'.",
            sentence,
            "The sentence was copied without a change.",
            (row.id,),
        )

    return define("replace_by_opposite", opposite, table="wordnet", keys=len(swaps), scorer="exact", suffix="")


def _same_sense() -> Blueprint:
    by_word: dict[str, list[tuple[SourceText, str]]] = {}
    for row in rows("wordnet", "a"):
        for sentence in row.more["examples"]:
            for word in row.more["words"]:
                if word in sentence and re.search(rf"\b{re.escape(word)}\b", sentence):
                    by_word.setdefault(word, []).append((row, sentence))
    pairs = []
    for word, found in sorted(by_word.items()):
        same = [(a, b) for n, a in enumerate(found) for b in found[n + 1 :] if a[0].id == b[0].id]
        other = [(a, b) for n, a in enumerate(found) for b in found[n + 1 :] if a[0].more["file"] != b[0].more["file"]]
        if same and other:
            pairs.append((word, same, other))

    def same_sense(rng: Random, key: int) -> WorkedItem:
        word, same, other = rng.choice(pairs)
        right = rng.random() < 0.5
        (one, first), (two, second) = rng.choice(same if right else other)
        answer, wrong = ("same", "different") if right else ("different", "same")
        why = f"Both mean: {one.text}." if right else f"One means '{one.text}', the other '{two.text}'."
        text = f"Word: {word}\nSentence 1: {first}\nSentence 2: {second}"
        return WorkedItem(text, answer, why, wrong, f"The meanings were not compared. {why}", (one.id, two.id))

    return define("same_sense", same_sense, table="wordnet", labels=("same", "different"), suffix="")


def _relation() -> Blueprint:
    held = _synsets("a")
    kinds: dict[str, list[tuple[SourceText, SourceText]]] = {"kind of": [], "part of": [], "opposite of": []}
    for row in held.values():
        if not _plain(row):
            continue
        for link, name in (("hypernym", "kind of"), ("part", "part of")):
            for target in row.more["links"].get(link, ()):
                other = held.get(target)
                if other and _plain(other):
                    kinds[name].append((row, other) if name == "kind of" else (other, row))
        for place, target, there in row.more["opposites"]:
            other = held.get(target)
            if other and place == 0 and there == 0 and _plain(other):
                kinds["opposite of"].append((row, other))

    def relation(rng: Random, key: int) -> WorkedItem:
        name = rng.choice(sorted(kinds))
        one, two = rng.choice(kinds[name])
        wrong = rng.choice([other for other in sorted(kinds) if other != name])
        return WorkedItem(
            f"First word: {_word(one)}\nSecond word: {_word(two)}",
            name,
            f"'{_word(one)}' ({one.text}) is a {name} '{_word(two)}' ({two.text})."
            if name == "kind of"
            else f"'{_word(one)}' is {name} '{_word(two)}'.",
            wrong,
            f"'{_word(one)}' is not {wrong} '{_word(two)}'.",
            (one.id, two.id),
        )

    return define("relation_of_words", relation, table="wordnet", labels=tuple(sorted(kinds)), suffix="")


def _entailed() -> Blueprint:
    held = _synsets("b")
    shown = [
        (row, word, sentence, held[target])
        for row, word, sentence in _used("b")
        if row.more["pos"] == "noun" and row.more["file"] in _TANGIBLE
        for target in row.more["links"].get("hypernym", ())[:1]
        if target in held and _plain(held[target]) and _word(held[target]) != word
    ]

    def entails(rng: Random, key: int) -> WorkedItem:
        row, word, sentence, parent = shown[key]
        other = rng.choice(
            [
                entry
                for entry in rng.sample(shown, 5)
                if entry[3].id != parent.id and entry[0].more["file"] != row.more["file"]
            ]
            or shown
        )
        true = rng.random() < 0.5 or other[3].id == parent.id
        named = _word(parent) if true else _word(other[3])
        answer, wrong = ("entailment", "not entailment") if true else ("not entailment", "entailment")
        return WorkedItem(
            f"Premise: {sentence}\nHypothesis: The word '{word}' stands for a kind of {named} here.",
            answer,
            f"'{word}' means here: {row.text}. It is a kind of {_word(parent)}.",
            wrong,
            f"In this sentence '{word}' is a kind of {_word(parent)}.",
            (row.id, parent.id),
        )

    labels = ("entailment", "not entailment")
    return define("entailed_kind", entails, table="wordnet", keys=len(shown), labels=labels, suffix="")


def _analogy() -> Blueprint:
    held = _synsets("b")
    kinds = [
        (row, held[target])
        for row in held.values()
        for target in row.more["links"].get("hypernym", ())
        if target in held
        and _plain(row)
        and len(_word(row)) > 5
        and _plain(held[target])
        and row.more["file"] in _TANGIBLE
    ]

    parents = sorted({(_word(parent), parent.more["file"]) for _, parent in kinds})

    def kind_analogy(rng: Random, key: int) -> WorkedItem:
        (one, first), (two, second) = rng.sample(kinds, 2)
        known = _kinds_of(_word(two))
        files = {_every()[name].more["file"] for name in _senses_of()[_word(two)]}
        strays = [
            word
            for word, file in rng.sample(parents, min(len(parents), 60))
            if word not in known and file in _LIVING - files
        ]
        options, wrong = choices(rng, _word(second), strays)
        return WorkedItem(
            f"{_word(one)} : {_word(first)}. {_word(two)} : ?\nOptions: {', '.join(options)}",
            _word(second),
            f"'{_word(one)}' is a kind of '{_word(first)}', and '{_word(two)}' is a kind of '{_word(second)}'.",
            wrong,
            f"'{_word(two)}' is no kind of that.",
            (one.id, two.id),
        )

    return define("analogy_of_kinds", kind_analogy, table="wordnet", scorer="exact", suffix="")


def _completion() -> Blueprint:
    held = [row for row in rows("bible", "a") if row.text != row.more["asv"] and 8 <= len(row.text.split()) <= 30]

    def complete(rng: Random, key: int) -> WorkedItem:
        row, stray = held[key], held[(key + 5) % len(held)]
        words = row.text.split()
        half = len(words) // 2
        return WorkedItem(
            " ".join(words[:half]) + " …",
            " ".join(words[half:]),
            "These words end the verse in the translation that is used here.",
            " ".join(stray.text.split()[len(stray.text.split()) // 2 :]),
            "This is the end of another verse.",
            (row.id,),
        )

    return define("complete_verse", complete, table="bible", keys=len(held), scorer="rouge-l", suffix="")


def _portuguese() -> Blueprint:
    tags = {"NOUN": "noun", "VERB": "verb", "ADJ": "adjective", "ADP": "preposition", "PRON": "pronoun"}
    held: dict[str, list[tuple[SourceText, str]]] = {name: [] for name in tags}
    classes: dict[str, set[str]] = {}
    for row in (*rows("portuguese", "a", "Portuguese"), *rows("portuguese", "b", "Portuguese")):
        for word, tag in row.more["words"]:
            classes.setdefault(word.lower(), set()).add(tag)
    for row in rows("portuguese", "a", "Portuguese"):
        words = [word for word, _ in row.more["words"]]
        for word, tag in row.more["words"]:
            plain = words.count(word) == 1 and word.isalpha() and len(word) > 1
            # Participles are verbs or adjectives as one likes, and some words were tagged in two ways.
            if tag in tags and plain and len(classes[word.lower()]) == 1 and not re.search(r"[dst][oa]s?$", word):
                held[tag].append((row, word))

    def classify(rng: Random, key: int) -> WorkedItem:
        tag = rng.choice(sorted(tags))
        row, word = rng.choice(held[tag])
        wrong = rng.choice([other for other in sorted(tags) if other != tag])
        return WorkedItem(
            f"Sentence: {row.text}\nWord: {word}",
            tags[tag],
            f"In this sentence '{word}' is used as {article(tags[tag])}.",
            tags[wrong],
            f"'{word}' is not used as {article(tags[wrong])} here.",
            (row.id,),
        )

    return define(
        "class_of_word_portuguese",
        classify,
        table="portuguese",
        labels=tuple(tags.values()),
        language="Portuguese",
        output_language="English",
        suffix="",
    )
