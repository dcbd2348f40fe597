"""Tasks on what words mean: kinds of things, English and Spanish side by side."""

from __future__ import annotations

from random import Random

from taskloom.families.superni.embedded.suite import TaskCode
from taskloom.families.superni.embedded.words import (
    ADJECTIVES,
    BY_ADJECTIVE,
    BY_ADJECTIVE_ES,
    BY_ENGLISH,
    BY_SPANISH,
    KINDS,
    NOUNS,
    PEOPLE,
    PEOPLE_ES,
    SPANISH_CITY,
    BilingualAdjective,
    BilingualNoun,
    draw_sentence,
    parse,
    parse_es,
)

# Words about whose kind people may differ: a lamp is furniture to some, an organ is a part of the body too.
_DOUBTFUL = frozenset({"rope", "bucket", "nail", "lamp", "mirror", "drawer", "carpet", "organ", "ladder"})


# A fruit is food too, so only one of the two is asked about.
_CLEAR = [kind for kind in KINDS if kind != "food"]
_CLEAR_NOUNS = [noun for noun in NOUNS if noun.kind in _CLEAR and noun.english not in _DOUBTFUL]
_OF_KIND = {kind: [noun for noun in _CLEAR_NOUNS if noun.kind == kind] for kind in _CLEAR}


def _intruder_input(rng: Random, spanish: bool = False) -> str:
    kind, other = rng.sample(_CLEAR, 2)
    nouns = [*rng.sample(_OF_KIND[kind], 4), rng.choice(_OF_KIND[other])]
    rng.shuffle(nouns)
    return ", ".join(noun.spanish if spanish else noun.english for noun in nouns)


def _intruder(text: str, table: dict[str, BilingualNoun]) -> str:
    words = text.split(", ")
    kinds = [table[word].kind for word in words]
    return next(word for word, kind in zip(words, kinds, strict=True) if kinds.count(kind) == 1)


def _kind_line(rng: Random) -> str:
    return ", ".join(noun.english for noun in rng.sample(_OF_KIND[rng.choice(_CLEAR)], 5))


def _pick_kind(rng: Random) -> str:
    nouns = rng.sample(_CLEAR_NOUNS, 7)
    return f"Kind: {rng.choice(nouns).kind}\nWords: {', '.join(noun.english for noun in nouns)}"


def _picked(text: str) -> str:
    kind, words = (part.split(": ")[1] for part in text.split("\n"))
    return ", ".join(word for word in words.split(", ") if BY_ENGLISH[word].kind == kind)


def _noun_entry(noun: BilingualNoun) -> str:
    return f"{noun.english} = {noun.spanish} ({noun.gender})"


def _adjective_entry(adjective: BilingualAdjective) -> str:
    forms = dict.fromkeys((adjective.masculine, adjective.feminine))
    return f"{adjective.english} = {'/'.join(forms)}"


def _glossed(entries: list[str], text: str) -> str:
    """A glossary and a text: with many right translations of a word, the glossary says which one to use."""
    return f"Glossary: {', '.join(sorted(dict.fromkeys(entries)))}\nText: {text}"


def _text(glossed: str) -> str:
    return glossed.split("\nText: ")[1]


def _phrases(rng: Random, spanish: bool = False) -> str:
    drawn = [(rng.choice(NOUNS), rng.choice(ADJECTIVES)) for _ in range(2)]
    entries = [entry for noun, adjective in drawn for entry in (_noun_entry(noun), _adjective_entry(adjective))]
    texts = [_phrase_es(*pair) if spanish else f"the {pair[1].english} {pair[0].english}" for pair in drawn]
    return _glossed(entries, ", ".join(texts))


def _phrase_es(noun: BilingualNoun, adjective: BilingualAdjective) -> str:
    return f"{noun.article} {noun.spanish} {adjective.spanish(noun)}"


def _phrases_to_spanish(glossed: str) -> str:
    parsed = [phrase.split()[1:] for phrase in _text(glossed).split(", ")]
    return ", ".join(_phrase_es(BY_ENGLISH[noun], BY_ADJECTIVE[adjective]) for adjective, noun in parsed)


def _phrases_to_english(glossed: str) -> str:
    parsed = [phrase.split()[1:] for phrase in _text(glossed).split(", ")]
    return ", ".join(
        f"the {BY_ADJECTIVE_ES[adjective].english} {BY_SPANISH[noun].english}" for noun, adjective in parsed
    )


def _told(rng: Random, spanish: bool) -> str:
    sentence = draw_sentence(rng, PEOPLE_ES if spanish else PEOPLE)
    past = rng.random() < 0.5
    verb = sentence.verb
    entries = [
        _noun_entry(sentence.noun),
        _adjective_entry(sentence.adjective),
        f"{verb.third} = {verb.spanish}",
        f"{verb.past} = {verb.spanish_past}",
        f"{sentence.city} = {SPANISH_CITY[sentence.city]}",
    ]
    if spanish:
        return _glossed(entries, sentence.spanish(verb.spanish_past if past else None))
    return _glossed(entries, sentence.english(verb.past if past else None))


def _to_spanish(glossed: str) -> str:
    sentence = parse(_text(glossed))
    return sentence.spanish(sentence.verb.spanish_past if _text(glossed).split()[1] == sentence.verb.past else None)


def _to_english(glossed: str) -> str:
    sentence = parse_es(_text(glossed))
    return sentence.english(sentence.verb.past if _text(glossed).split()[1] == sentence.verb.spanish_past else None)


TASKS: dict[str, TaskCode] = {
    "odd_one_out": (_intruder_input, lambda text: _intruder(text, BY_ENGLISH)),
    "name_the_kind": (_kind_line, lambda text: BY_ENGLISH[text.split(", ")[0]].kind),
    "pick_the_kind": (_pick_kind, _picked),
    "palabra_intrusa": (lambda rng: _intruder_input(rng, spanish=True), lambda text: _intruder(text, BY_SPANISH)),
    "phrases_to_spanish": (_phrases, _phrases_to_spanish),
    "phrases_to_english": (lambda rng: _phrases(rng, spanish=True), _phrases_to_english),
    "sentence_to_spanish": (lambda rng: _told(rng, spanish=False), _to_spanish),
    "sentence_to_english": (lambda rng: _told(rng, spanish=True), _to_english),
}
