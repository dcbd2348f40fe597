"""Tasks on what words mean: kinds of things, English and Spanish side by side."""

from __future__ import annotations

from random import Random

from taskloom.author import Blueprint, task
from taskloom.families.superni.embedded.sentences import (
    BY_ADJECTIVE,
    BY_ADJECTIVE_ES,
    BY_ENGLISH,
    BY_SPANISH,
    PEOPLE,
    PEOPLE_ES,
    SPANISH_CITY,
    draw_sentence,
    parse,
    parse_es,
)
from taskloom.families.superni.embedded.words import ADJECTIVES, KINDS, NOUNS, Adjective, Noun

__all__ = ["TASKS"]

_WORDS = "Word Relation Classification"
_TRANSLATE = "Translation"


# Words about whose kind people may differ: a lamp is furniture to some, an organ is a part of the body too.
_DOUBTFUL = frozenset({"rope", "bucket", "nail", "lamp", "mirror", "drawer", "carpet", "organ", "ladder"})


def _of_kind(kind: str) -> list[Noun]:
    return [noun for noun in NOUNS if noun.kind == kind and noun.english not in _DOUBTFUL]


# A fruit is food too, so only one of the two is asked about.
_CLEAR = [kind for kind in KINDS if kind != "food"]
_CLEAR_NOUNS = [noun for noun in NOUNS if noun.kind in _CLEAR and noun.english not in _DOUBTFUL]


def _intruder_input(rng: Random, spanish: bool = False) -> str:
    kind, other = rng.sample(_CLEAR, 2)
    nouns = [*rng.sample(_of_kind(kind), 4), rng.choice(_of_kind(other))]
    rng.shuffle(nouns)
    return ", ".join(noun.spanish if spanish else noun.english for noun in nouns)


def _intruder(text: str, table: dict[str, Noun]) -> str:
    words = text.split(", ")
    kinds = [table[word].kind for word in words]
    return next(word for word, kind in zip(words, kinds, strict=True) if kinds.count(kind) == 1)


def _kind_line(rng: Random) -> str:
    return ", ".join(noun.english for noun in rng.sample(_of_kind(rng.choice(_CLEAR)), 5))


def _pick_kind(rng: Random) -> str:
    nouns = rng.sample(_CLEAR_NOUNS, 7)
    return f"Kind: {rng.choice(nouns).kind}\nWords: {', '.join(noun.english for noun in nouns)}"


def _picked(text: str) -> str:
    kind, words = (part.split(": ")[1] for part in text.split("\n"))
    return ", ".join(word for word in words.split(", ") if BY_ENGLISH[word].kind == kind)


_words = [
    task(
        name="odd_one_out",
        category=_WORDS,
        definition=(
            "Five words are given. Four of them name things of the same kind, for example animals or vehicles, and one "
            "does not belong to them. Write the word that does not belong."
        ),
        solve=lambda text: _intruder(text, BY_ENGLISH),
        right=[
            ("dog, cat, lamp, cow, frog", "All others are animals."),
            ("hammer, saw, drill, needle, lion", "A lion is an animal, the others are tools."),
        ],
        wrong=[("dog, cat, lamp, cow, frog", "frog", "A frog is an animal like three others; the lamp is not.")],
    )(_intruder_input),
    task(
        name="name_the_kind",
        category=_WORDS,
        definition=(
            "All words of the list name things of one kind. Say which kind it is. Answer with one of: "
            f"{', '.join(_CLEAR)}."
        ),
        solve=lambda text: BY_ENGLISH[text.split(", ")[0]].kind,
        right=[
            ("dog, cow, frog, lion, cat", "All five are animals."),
            ("shirt, hat, boot, tie, belt", "One wears all of them."),
        ],
        wrong=[("shirt, hat, boot, tie, belt", "furniture", "These are worn; furniture stands in rooms.")],
        labels=tuple(_CLEAR),
    )(_kind_line),
    task(
        name="pick_the_kind",
        category=_WORDS,
        definition=(
            "The first line names a kind of thing and the second gives words. Write all words that belong to the kind, "
            "in their order, with commas between them. There is at least one."
        ),
        solve=_picked,
        right=[
            ("Kind: animal\nWords: lamp, dog, hat, cow", "The dog and the cow are animals."),
            ("Kind: fruit\nWords: pear, saw, bus", "Only the pear is a fruit."),
        ],
        wrong=[("Kind: animal\nWords: lamp, dog, hat, cow", "dog", "The cow is an animal too.")],
    )(_pick_kind),
    task(
        name="palabra_intrusa",
        category=_WORDS,
        definition=(
            "De cinco palabras, cuatro nombran cosas de la misma clase (animales, frutas, muebles…) y una no. Escribe "
            "la palabra que no pertenece al grupo."
        ),
        solve=lambda text: _intruder(text, BY_SPANISH),
        right=[
            ("perro, gato, mesa, vaca, rana", "Las demás son animales."),
            ("tren, barco, coche, taxi, pera", "La pera no es un vehículo."),
        ],
        wrong=[("perro, gato, mesa, vaca, rana", "rana", "La rana es un animal; la mesa no.")],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: _intruder_input(rng, spanish=True)),
]


def _noun_entry(noun: Noun) -> str:
    return f"{noun.english} = {noun.spanish} ({noun.gender})"


def _adjective_entry(adjective: Adjective) -> str:
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


def _phrase_es(noun: Noun, adjective: Adjective) -> str:
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


_HOUSE = "Glossary: car = coche (m), house = casa (f), new = nuevo/nueva, red = rojo/roja\n"
_DOG = "Glossary: dirty = sucio/sucia, dog = perro (m), green = verde, table = mesa (f)\n"
_HAT = "Glossary: Rome = Roma, bought = compró, buys = compra, hat = sombrero (m), red = rojo/roja\n"
_SEEN = "Glossary: Paris = París, house = casa (f), old = viejo/vieja, saw = vio, sees = ve\n"

_translations = [
    task(
        name="phrases_to_spanish",
        category=_TRANSLATE,
        definition=(
            "Translate each English phrase into Spanish with the help of the glossary, which marks nouns as masculine "
            "(m) or feminine (f). In Spanish the adjective follows the noun and agrees with its gender (the second "
            "form is the feminine one), and the article is el for masculine and la for feminine nouns. Keep the order "
            "and the commas."
        ),
        solve=_phrases_to_spanish,
        right=[
            (
                f"{_HOUSE}Text: the red house, the new car",
                "casa is feminine, so la and roja; coche is masculine, so el and nuevo.",
            ),
            (f"{_DOG}Text: the green table, the dirty dog", "verde has one form for both genders; perro is masculine."),
        ],
        wrong=[
            (
                f"{_HOUSE}Text: the red house, the new car",
                "la roja casa, el nuevo coche",
                "The adjectives must follow the nouns.",
            )
        ],
        output_language="Spanish",
    )(_phrases),
    task(
        name="phrases_to_english",
        category=_TRANSLATE,
        definition=(
            "Translate the Spanish phrases into English with the words of the glossary. Both el and la become the, and "
            "the adjective goes before the noun. Keep the order and the commas."
        ),
        solve=_phrases_to_english,
        right=[
            (f"{_HOUSE}Text: la casa roja, el coche nuevo", "The adjectives stand before the nouns in English."),
            (f"{_DOG}Text: el perro sucio, la mesa verde", "sucio means dirty."),
        ],
        wrong=[
            (
                f"{_HOUSE}Text: la casa roja, el coche nuevo",
                "the house red, the car new",
                "In English the adjective comes first.",
            )
        ],
        language="Spanish",
        output_language="English",
    )(lambda rng: _phrases(rng, spanish=True)),
    task(
        name="sentence_to_spanish",
        category=_TRANSLATE,
        definition=(
            "Translate the sentence into Spanish with the words of the glossary. Choose the form of the verb that "
            "matches its tense, keep the person's name, put the adjective behind the noun in the form that agrees with "
            "its gender (the second form is the feminine one), use el before masculine (m) and la before feminine (f) "
            "nouns, and translate in as en."
        ),
        solve=_to_spanish,
        right=[
            (f"{_HAT}Text: Anna buys the red hat in Rome.", "Present tense: compra; sombrero is masculine."),
            (f"{_SEEN}Text: Paul saw the old house in Paris.", "Past tense: vio; casa is feminine, so vieja."),
        ],
        wrong=[
            (
                f"{_SEEN}Text: Paul saw the old house in Paris.",
                "Paul ve la casa vieja en París.",
                "The sentence is in the past.",
            )
        ],
        output_language="Spanish",
    )(lambda rng: _told(rng, spanish=False)),
    task(
        name="sentence_to_english",
        category=_TRANSLATE,
        definition=(
            "Translate the Spanish sentence into English with the words of the glossary. Keep its tense and the "
            "person's name, and put the adjective before the noun; el and la become the, and en becomes in."
        ),
        solve=_to_english,
        right=[
            (f"{_HAT}Text: Marta compra el sombrero rojo en Roma.", "compra is present tense: buys."),
            (f"{_SEEN}Text: Luis vio la casa vieja en París.", "vio is past tense: saw."),
        ],
        wrong=[
            (
                f"{_SEEN}Text: Luis vio la casa vieja en París.",
                "Luis saw the house old in Paris.",
                "The adjective goes before the noun.",
            )
        ],
        language="Spanish",
        output_language="English",
    )(lambda rng: _told(rng, spanish=True)),
]

TASKS: list[Blueprint] = [*_words, *_translations]
