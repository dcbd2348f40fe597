"""Tasks on reading closely: parts of speech, pronouns, gaps."""

from __future__ import annotations

import re
from random import Random

from taskloom.author import Blueprint, task
from taskloom.families.superni.embedded.sentences import (
    BY_ADJECTIVE,
    BY_ENGLISH,
    BY_SPANISH,
    BY_VERB,
    PEOPLE,
    PEOPLE_ES,
    SPANISH_CITY,
    THING_ADJECTIVES,
    THINGS,
    article,
    draw_sentence,
    present_or_past_es,
    with_articles,
)
from taskloom.families.superni.embedded.words import ADJECTIVES, CITIES, NAMES, NAMES_ES, NOUNS, VERBS

__all__ = ["TASKS"]

_TAG = "Pos Tagging"
_REFER = "Coreference Resolution"
_FILL = "Fill in The Blank"


def _longer(rng: Random) -> str:
    return f"{draw_sentence(rng).english()} {draw_sentence(rng).english()}"


def _varied(rng: Random) -> str:
    """Two sentences, each with or without an adjective and a place."""
    texts = []
    for _ in range(2):
        sentence = draw_sentence(rng)
        thing = f"{sentence.adjective.english} {sentence.noun.english}" if rng.random() < 0.5 else sentence.noun.english
        place = f" in {sentence.city}" if rng.random() < 0.5 else ""
        texts.append(f"{sentence.name} {sentence.verb.third} the {thing}{place}.")
    return " ".join(texts)


def _tag(word: str) -> str:
    if word in ("the", "in"):
        return "ARTICLE" if word == "the" else "PREPOSITION"
    if word in BY_ADJECTIVE:
        return "ADJECTIVE"
    # Nouns first: in these sentences a saw is always a thing.
    return "NOUN" if word in BY_ENGLISH else "VERB" if word in BY_VERB else "NAME"


_tags = [
    task(
        name="find_verbs",
        category=_TAG,
        definition=(
            "Two sentences are given, each with one verb. Write the two verbs in the form in which they stand in the "
            "sentences, with a comma between them."
        ),
        solve=lambda text: ", ".join(part.split()[1] for part in text.split(". ")),
        right=[
            ("Anna buys the red hat in Rome. Paul sees the old house in Oslo.", "'buys' and 'sees' say what is done."),
            (
                "Ruth paints the new bed in Paris. Mark hides the old hat in Rome.",
                "'paints' and 'hides' are the verbs.",
            ),
        ],
        wrong=[
            (
                "Anna buys the red hat in Rome. Paul sees the old house in Oslo.",
                "buy, see",
                "The forms must be those of the sentences.",
            )
        ],
    )(_longer),
    task(
        name="find_adjectives",
        category=_TAG,
        definition=(
            "Each of the two sentences holds one adjective, a word that says what the thing is like. Write both "
            "adjectives with a comma between them."
        ),
        solve=lambda text: ", ".join(part.split()[3] for part in text.split(". ")),
        right=[
            ("Anna buys the red hat in Rome. Paul sees the old house in Oslo.", "The hat is red and the house is old."),
            (
                "Ruth paints the new bed in Paris. Mark hides the dirty hat in Rome.",
                "'new' and 'dirty' describe things.",
            ),
        ],
        wrong=[("Anna buys the red hat in Rome. Paul sees the old house in Oslo.", "hat, house", "These are nouns.")],
    )(_longer),
    task(
        name="tag_all_words",
        category=_TAG,
        definition=(
            "Write the part of speech of every word of the two sentences in order, with blanks between them. Use these "
            "tags: NAME for names of people and cities, VERB, ARTICLE (the), ADJECTIVE, NOUN and PREPOSITION (in)."
        ),
        solve=lambda text: " ".join(_tag(word.strip(".")) for word in text.split()),
        right=[
            (
                "Anna buys the hat in Rome. Paul sees the dog.",
                "Six words and four words; both Anna and Rome are names.",
            ),
            ("Ruth hides the egg. Paul sees the old house in Oslo.", "'old' is an adjective and 'house' a noun."),
        ],
        wrong=[
            (
                "Ruth hides the egg. Paul sees the old house in Oslo.",
                "NAME VERB ARTICLE NOUN NAME VERB ARTICLE NOUN ADJECTIVE PREPOSITION NAME",
                "'old' is the adjective and comes before the noun 'house'.",
            )
        ],
    )(_varied),
    task(
        name="buscar_verbo",
        category=_TAG,
        definition=(
            "La frase tiene un solo verbo, la palabra que dice lo que hace la persona. Escríbelo con la forma en que "
            "aparece y nada más."
        ),
        solve=lambda text: text.split()[1],
        right=[
            ("Marta compra el sombrero rojo en Roma.", "Compra dice lo que hace Marta."),
            ("Luis vio la casa vieja en Oslo.", "Vio es el verbo."),
        ],
        wrong=[("Luis vio la casa vieja en Oslo.", "ver", "Se pide la forma que aparece en la frase.")],
        language="Spanish",
        instruction_language="Spanish",
    )(present_or_past_es),
]


def _met(rng: Random, spanish: bool = False) -> str:
    """A brother and a sister; what they are to each other tells who is a woman and who is a man."""
    names = NAMES_ES if spanish else NAMES
    her, him = rng.choice(names["f"]), rng.choice(names["m"])
    verb, noun, city = rng.choice(VERBS), rng.choice(THINGS), rng.choice(CITIES)
    sister_first = rng.random() < 0.5
    if spanish:
        pair = f"{her} y su hermano {him}" if sister_first else f"{him} y su hermana {her}"
        then = f"{rng.choice(['Ella', 'Él'])} {verb.spanish_past} {noun.article} {noun.spanish}."
        return f"{pair} se encontraron en {SPANISH_CITY[city]}. {then}"
    pair = f"{her} and her brother {him}" if sister_first else f"{him} and his sister {her}"
    return f"{pair} met in {city}. {rng.choice(['She', 'He'])} {verb.past} the {noun.english}."


def _siblings(text: str) -> tuple[str, str]:
    """The sister and the brother of a text."""
    first, second = re.search(r"(\w+) (?:and h\w+|y su) (?:brother|sister|herman[oa]) (\w+)", text).groups()  # type: ignore[union-attr]
    return (first, second) if re.search(r" (?:brother|hermano) ", text) else (second, first)


def _meant(text: str) -> str:
    sister, brother = _siblings(text)
    return sister if re.search(r"\. (?:She|Ella) ", text) else brother


def _gift(rng: Random) -> str:
    her, him = rng.choice(NAMES["f"]), rng.choice(NAMES["m"])
    pair = f"{her} and her brother {him}" if rng.random() < 0.5 else f"{him} and his sister {her}"
    thing = f"{rng.choice(THING_ADJECTIVES).english} {rng.choice(THINGS).english}"
    return f"{pair} live in {rng.choice(CITIES)}. They often talk about {rng.choice(['her', 'his'])} {thing}."


def _owner(text: str) -> str:
    sister, brother = _siblings(text)
    return sister if " about her " in text else brother


_references = [
    task(
        name="resolve_pronoun",
        category=_REFER,
        definition=(
            "A brother and a sister meet, and the second sentence begins with He or She. The first sentence tells "
            "which of the two is the sister and which the brother. Write the name of the person that the pronoun "
            "stands for."
        ),
        solve=_meant,
        right=[
            ("Anna and her brother Paul met in Rome. She bought the hat.", "Paul is the brother, so 'She' is Anna."),
            ("Mark and his sister Ruth met in Oslo. He saw the table.", "Ruth is the sister, so 'He' is Mark."),
        ],
        wrong=[("Anna and her brother Paul met in Rome. She bought the hat.", "Paul", "Paul is the brother: 'he'.")],
    )(_met),
    task(
        name="resolve_owner",
        category=_REFER,
        definition=(
            "A brother and a sister are named, and then something of hers or of his. The first sentence tells which "
            "of the two is the sister and which the brother. Write the name of the owner of the thing."
        ),
        solve=_owner,
        right=[
            (
                "Anna and her brother Paul live in Rome. They often talk about his red hat.",
                "'his' points to the brother, Paul.",
            ),
            ("Mark and his sister Ruth live in Oslo. They often talk about her old piano.", "'her' points to Ruth."),
        ],
        wrong=[
            (
                "Anna and her brother Paul live in Rome. They often talk about his red hat.",
                "Anna",
                "It would say 'her red hat'.",
            )
        ],
    )(_gift),
    task(
        name="resolver_pronombre",
        category=_REFER,
        definition=(
            "Un hermano y una hermana se encuentran, y la segunda frase empieza con Él o Ella. La primera frase dice "
            "quién es el hermano y quién la hermana. Escribe el nombre de la persona a la que se refiere el "
            "pronombre."
        ),
        solve=_meant,
        right=[
            ("Marta y su hermano Luis se encontraron en Roma. Ella compró el sombrero.", "Ella es la hermana, Marta."),
            ("Pablo y su hermana Rosa se encontraron en Oslo. Él vio la mesa.", "Él es el hermano, Pablo."),
        ],
        wrong=[
            ("Marta y su hermano Luis se encontraron en Roma. Ella compró el sombrero.", "Luis", "Luis es el hermano.")
        ],
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: _met(rng, spanish=True)),
]


def _blank_article(rng: Random) -> str:
    return re.sub(r"\ban? ", "_ ", with_articles(rng, wrong=False), count=1)


def _blank_be(rng: Random) -> str:
    noun = rng.choice(NOUNS)
    thing = noun.english if rng.random() < 0.5 else noun.plural
    first, second = (rng.choice(ADJECTIVES).english for _ in range(2))
    return f"{rng.choice(PEOPLE)} says that the {thing} in {rng.choice(CITIES)} _ {first} and {second}."


def _be(text: str) -> str:
    thing = re.findall(r"the (\w+) in", text)[0]
    return "is" if thing in BY_ENGLISH else "are"


_blanks = [
    task(
        name="fill_article",
        category=_FILL,
        definition=(
            "An article is missing where the underscore stands. Write a or an: 'an' goes before a word that begins "
            "with the letter a, e, i, o or u, 'a' before all others."
        ),
        solve=lambda text: article(text.split("_ ")[1]),
        right=[
            ("Anna bought _ egg and a hat in Rome.", "'egg' begins with a vowel."),
            ("Paul saw _ dog and a car in Oslo.", "'dog' does not."),
        ],
        wrong=[("Anna bought _ egg and a hat in Rome.", "a", "Before e the article is 'an'.")],
        labels=("a", "an"),
    )(_blank_article),
    task(
        name="fill_is_are",
        category=_FILL,
        definition=(
            "The verb is missing where the underscore stands. Write is if one thing is meant and are if there are "
            "several."
        ),
        solve=_be,
        right=[
            ("Anna says that the houses in Rome _ old and dirty.", "'houses' is a plural."),
            ("Paul says that the lamp in Oslo _ new and cheap.", "There is one lamp."),
        ],
        wrong=[("Anna says that the houses in Rome _ old and dirty.", "is", "There are several houses.")],
        labels=("is", "are"),
    )(_blank_be),
    task(
        name="completar_articulo",
        category=_FILL,
        definition=(
            "En la frase falta un artículo donde está la raya. Escribe el si el sustantivo es masculino y la si es "
            "femenino."
        ),
        solve=lambda text: BY_SPANISH[text.split("_ ")[1].split()[0]].article,
        right=[
            ("Marta compra _ sombrero rojo en Roma.", "Sombrero es masculino."),
            ("Luis ve _ casa vieja en Oslo.", "Casa es femenino."),
        ],
        wrong=[("Luis ve _ casa vieja en Oslo.", "el", "Casa es femenino.")],
        labels=("el", "la"),
        language="Spanish",
        instruction_language="Spanish",
    )(lambda rng: re.sub(r" (el|la) ", " _ ", draw_sentence(rng, PEOPLE_ES).spanish(), count=1)),
]

TASKS: list[Blueprint] = [*_tags, *_references, *_blanks]
