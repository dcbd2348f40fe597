"""Tasks from WordNet and The Devil's Dictionary: senses, relations, sentences."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from random import Random

from taskloom.author import Blueprint
from taskloom_open.archives import SourceText
from taskloom_open.kit import Part, WorkedItem, article, choices, define, rows

_TANGIBLE = (5, 6, 8, 13, 17, 18, 20)
"""WordNet's files of nouns for animals, artefacts, bodies, food, objects, people and plants, where it is plain what is
a kind of what."""

_LIVING = {5, 13, 18, 20}
"""Animals, food, people and plants, which nothing else is a kind of."""

_CLASSES = {"noun": "noun", "verb": "verb", "adj": "adjective", "adv": "adverb"}


def lexical() -> Iterator[Blueprint]:
    """Every task of this module."""
    yield from _sentences()
    yield from _senses()
    yield from _relations()
    yield from _evaluation()
    yield from _satire()


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


@lru_cache(maxsize=8)
def _used(part: Part) -> list[tuple[SourceText, str, str]]:
    """Example sentences that contain a word of their synset as it is: (synset, word, sentence)."""
    found = []
    for row in rows("wordnet", part):
        for sentence in row.more["examples"]:
            words = re.findall(r"[\w'-]+", sentence.lower())
            word = next(
                (one for one in row.more["words"] if re.fullmatch("[a-z]{3,}", one) and words.count(one) == 1), None
            )
            if word and not re.search(r"[_`]", sentence):
                found.append((row, word, sentence))
                break
    return found


def _blank(sentence: str, word: str) -> str:
    return re.sub(rf"(?i)\b{re.escape(word)}\b", "____", sentence, count=1)


def _sentences() -> Iterator[Blueprint]:
    used = _used("a")
    by_class: dict[str, list[str]] = {}
    for row, word, _ in used:
        by_class.setdefault(row.more["pos"], []).append(word)

    def fill(rng: Random, key: int) -> WorkedItem:
        row, word, sentence = used[key]
        options, wrong = choices(rng, word, rng.sample(by_class[row.more["pos"]], 12))
        return WorkedItem(
            f"{_blank(sentence, word)}\nMeaning: {row.text}\nOptions: {', '.join(options)}",
            word,
            f"'{word}' means: {row.text}.",
            wrong,
            f"'{wrong}' means something else.",
            (row.id,),
        )

    yield define("fill_in_word", fill, table="wordnet", keys=len(used), scorer="exact", suffix="")

    def word_class(rng: Random, key: int) -> WorkedItem:
        name = rng.choice(sorted(_CLASSES))
        row, word, sentence = rng.choice(classed[name])
        wrong = rng.choice([other for other in sorted(_CLASSES) if other != name])
        return WorkedItem(
            f"Sentence: {sentence}\nWord: {word}",
            _CLASSES[name],
            f"Here '{word}' means: {row.text}.",
            _CLASSES[wrong],
            f"'{word}' is not used as {article(_CLASSES[wrong])} in this sentence.",
            (row.id,),
        )

    classed = {name: [one for one in used if one[0].more["pos"] == name] for name in _CLASSES}
    yield define("class_of_word", word_class, table="wordnet", labels=tuple(_CLASSES.values()), suffix="")

    yield from _changed(used)


def _changed(used: list[tuple[SourceText, str, str]]) -> Iterator[Blueprint]:
    swaps = []
    for row, word, sentence in used:
        for place, target, other in row.more["opposites"]:
            found = _synsets("a").get(target)
            # "An old man" does not become "an young man".
            behind = re.search(rf"(?i)\ban? {word}\b", sentence)
            if found and not behind and row.more["words"][place] == word and _plain(found, other):
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

    yield define("replace_by_opposite", opposite, table="wordnet", keys=len(swaps), scorer="exact", suffix="")

    def doubled(rng: Random, key: int) -> WorkedItem:
        row, _, sentence = used[key]
        words = sentence.split()
        place = rng.randrange(1, len(words))
        spoilt = " ".join([*words[:place], words[place - 1], *words[place:]])
        return WorkedItem(
            spoilt,
            sentence,
            f"'{words[place - 1]}' stood twice in a row; one of the two is removed.",
            spoilt,
            "The repeated word is still there.",
            (row.id,),
        )

    yield define("remove_repeated_word", doubled, table="wordnet", keys=len(used), scorer="exact", suffix="")

    def expanded(rng: Random, key: int) -> WorkedItem:
        row, word, sentence = used[key]
        right = f"{sentence} ({word}: {row.text})"
        return WorkedItem(
            f"Sentence: {sentence}\nWord: {word}\nMeaning: {row.text}",
            right,
            "The sentence is followed by the word and its meaning in round brackets.",
            sentence,
            "The explanation is missing.",
            (row.id,),
        )

    yield define("add_gloss", expanded, table="wordnet", keys=len(used), scorer="exact", suffix="")


def _senses() -> Iterator[Blueprint]:
    used = [entry for entry in _used("a") if 4 <= len(entry[0].text.split()) <= 25]
    glosses = [row.text for row, _, _ in used]

    def define_word(rng: Random, key: int) -> WorkedItem:
        row, word, sentence = used[key]
        options, wrong = choices(rng, row.text, rng.sample(glosses, 8), 3)
        listed = "\n".join(f"{letter}: {text}" for letter, text in zip("ABC", options, strict=True))
        answer, other = "ABC"[options.index(row.text)], "ABC"[options.index(wrong)]
        return WorkedItem(
            f"Sentence: {sentence}\nWord: {word}\n{listed}",
            answer,
            f"In this sentence '{word}' means: {row.text}.",
            other,
            f"'{wrong}' is the meaning of another word.",
            (row.id,),
        )

    yield define("meaning_in_context", define_word, table="wordnet", keys=len(used), labels=("A", "B", "C"), suffix="")

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

    yield define("same_sense", same_sense, table="wordnet", labels=("same", "different"), suffix="")

    def fits(rng: Random, key: int) -> WorkedItem:
        row, word, _ = used[key]
        right = rng.random() < 0.5
        shown = row.text if right else rng.choice([text for text in rng.sample(glosses, 3) if text != row.text])
        answer, wrong = ("yes", "no") if right else ("no", "yes")
        text = f"Question: What does '{word}' mean as {article(_CLASSES[row.more['pos']])}?\nAnswer: {shown}"
        return WorkedItem(text, answer, f"'{word}' means: {row.text}.", wrong, f"It means: {row.text}.", (row.id,))

    yield define("verify_meaning", fits, table="wordnet", keys=len(used), labels=("yes", "no"), suffix="")

    def why(rng: Random, key: int) -> WorkedItem:
        row, word, sentence = used[key]
        stray = rng.choice([entry for entry in rng.sample(used, 4) if entry[0].id != row.id])
        first = rng.random() < 0.5
        a, b = (row.text, stray[0].text) if first else (stray[0].text, row.text)
        return WorkedItem(
            f"Sentence: {sentence}\nWhy is '{word}' the right word here?\n"
            f"A: because it means '{a}'\nB: because it means '{b}'",
            "A" if first else "B",
            f"'{word}' means: {row.text}.",
            "B" if first else "A",
            f"'{stray[0].text}' explains the word '{stray[1]}'.",
            (row.id, stray[0].id),
        )

    yield define("explain_word_choice", why, table="wordnet", keys=len(used), labels=("A", "B"), suffix="")


def _relations() -> Iterator[Blueprint]:
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

    yield define("relation_of_words", relation, table="wordnet", labels=tuple(sorted(kinds)), suffix="")


def _evaluation() -> Iterator[Blueprint]:
    held = _synsets("b")
    used = [
        (row, word, sentence, held[target])
        for row, word, sentence in _used("b")
        if row.more["pos"] == "noun" and row.more["file"] in _TANGIBLE
        for target in row.more["links"].get("hypernym", ())[:1]
        if target in held and _plain(held[target]) and _word(held[target]) != word
    ]

    def entails(rng: Random, key: int) -> WorkedItem:
        row, word, sentence, parent = used[key]
        other = rng.choice(
            [
                entry
                for entry in rng.sample(used, 5)
                if entry[3].id != parent.id and entry[0].more["file"] != row.more["file"]
            ]
            or used
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

    yield define(
        "entailed_kind", entails, table="wordnet", keys=len(used), labels=("entailment", "not entailment"), suffix=""
    )

    causes = [
        (row, held[target], relation)
        for row in held.values()
        for relation in ("cause", "entails")
        for target in row.more["links"].get(relation, ())
        if target in held and _plain(row) and _plain(held[target]) and _word(row) != _word(held[target])
    ]
    verbs = sorted({_word(row) for row in held.values() if row.more["pos"] == "verb" and _plain(row)})

    def effect(rng: Random, key: int) -> WorkedItem:
        row, other, _ = rng.choice(causes)
        options, wrong = choices(rng, _word(other), rng.sample(verbs, 8), 3)
        return WorkedItem(
            f"Somebody does this: to {_word(row)} ({row.text})\nOptions: {', '.join(options)}",
            _word(other),
            f"To {_word(row)} brings about or includes to {_word(other)}: {other.text}.",
            wrong,
            f"To {wrong} does not follow.",
            (row.id, other.id),
        )

    yield define("effect_of_action", effect, table="wordnet", scorer="exact", suffix="")
    pairs = [
        (row, held[target], place, there)
        for row in held.values()
        for place, target, there in row.more["opposites"]
        if target in held and place == 0 and there == 0 and _plain(row) and _plain(held[target])
    ]

    opposites: dict[str, set[str]] = {}
    for row, other, _, _ in pairs:
        opposites.setdefault(_word(row), set()).add(_word(other))
    ends = sorted({_word(other) for _, other, _, _ in pairs})

    def analogy(rng: Random, key: int) -> WorkedItem:
        (one, first, _, _), (two, second, _, _) = rng.sample(pairs, 2)
        options, _ = choices(rng, _word(second), [w for w in rng.sample(ends, 9) if w not in opposites[_word(two)]])
        return WorkedItem(
            f"{_word(one)} : {_word(first)}. {_word(two)} : ?\nOptions: {', '.join(options)}",
            _word(second),
            f"'{_word(first)}' is the opposite of '{_word(one)}', and '{_word(second)}' is that of '{_word(two)}'.",
            _word(first),
            f"This is the opposite of '{_word(one)}'.",
            (one.id, two.id),
        )

    yield define("analogy_of_opposites", analogy, table="wordnet", scorer="exact", suffix="")
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

    yield define("analogy_of_kinds", kind_analogy, table="wordnet", scorer="exact", suffix="")
    shown = _used("b")

    def tag(rng: Random, key: int) -> WorkedItem:
        row, _, sentence = shown[key]
        words = re.findall(r"[a-z]{5,}", sentence.lower())
        longest = sorted(set(words), key=lambda one: (-len(one), words.index(one)))[:2]
        right = ", ".join(sorted(longest, key=words.index))
        return WorkedItem(
            sentence,
            right,
            "These two words have the most letters, in the order of the sentence.",
            words[-1] + ", " + words[-1],
            "One word was given twice.",
            (row.id,),
        )

    shown = [entry for entry in shown if len(set(re.findall(r"[a-z]{5,}", entry[2].lower()))) >= 3]
    yield define("tag_longest_words", tag, table="wordnet", keys=len(shown), scorer="rouge-l", suffix="")
    yield from _agreement()


def _agreement() -> Iterator[Blueprint]:
    def agreement(rng: Random, key: int) -> WorkedItem:
        row, sentence, right, wrong_form = broken[key]
        spoilt = re.sub(rf"\b{right}\b", wrong_form, sentence, count=1)
        return WorkedItem(
            spoilt,
            sentence,
            f"'{wrong_form}' does not agree with its subject; '{right}' does.",
            spoilt,
            "The mistake is still in the sentence.",
            (row.id,),
        )

    broken = []
    for row, _, sentence in _used("b"):
        match = re.search(
            r"\b(he|she|it) (is|was|has|does|wants|makes|takes|goes)\b|\b(they|we) (are|were|have|do)\b", sentence
        )
        if match:
            right = match[2] or match[4]
            swapped = {
                "is": "are",
                "was": "were",
                "has": "have",
                "does": "do",
                "wants": "want",
                "makes": "make",
                "takes": "take",
                "goes": "go",
                "are": "is",
                "were": "was",
                "have": "has",
                "do": "does",
            }[right]
            if len(re.findall(rf"\b{right}\b", sentence)) == 1:
                broken.append((row, sentence, right, swapped))
    if len(broken) > 30:
        yield define("repair_agreement", agreement, table="wordnet", keys=len(broken), scorer="rouge-l", suffix="")


def _satire() -> Iterator[Blueprint]:
    nouns = [row for row in rows("wordnet", "a") if row.more["pos"] == "noun"]
    plain = {_word(row): row for row in nouns if 5 <= len(row.text.split()) <= 30}
    both = [(row, plain[row.more["word"]]) for row in rows("devil", "a") if row.more["word"] in plain]

    def satirical(rng: Random, key: int) -> WorkedItem:
        row, sober = both[key]
        satire = rng.random() < 0.5
        shown = row.text if satire else f"{sober.text[:1].upper()}{sober.text[1:]}."
        answer, wrong = ("satirical", "plain") if satire else ("plain", "satirical")
        why = "The definition mocks what it defines." if satire else "The definition explains the word soberly."
        return WorkedItem(
            f"{row.more['word']}: {shown}", answer, why, wrong, "The tone was not heeded.", (row.id, sober.id)
        )

    yield define(
        "satirical_definition", satirical, table="devil", keys=len(both), labels=("satirical", "plain"), suffix=""
    )
    held = rows("devil", "a")

    def headword(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        options, wrong = choices(rng, row.more["word"], [other.more["word"] for other in rng.sample(held, 8)])
        return WorkedItem(
            f"{row.text}\nOptions: {', '.join(options)}",
            row.more["word"],
            f"The satirist defines '{row.more['word']}' like this.",
            wrong,
            f"'{wrong}' is defined in another way.",
            (row.id,),
        )

    yield define("headword_of_satire", headword, table="devil", keys=len(held), scorer="exact", suffix="")
