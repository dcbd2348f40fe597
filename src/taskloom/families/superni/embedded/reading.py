"""Tasks on reading closely: parts of speech, pronouns, gaps, moods."""

from __future__ import annotations

import re
from random import Random

from taskloom.families.superni.embedded.blueprint import Blueprint
from taskloom.families.superni.embedded.sentences import (
    BY_ADJECTIVE,
    BY_ENGLISH,
    BY_SPANISH,
    BY_VERB,
    PEOPLE,
    PEOPLE_ES,
    SPANISH_CITY,
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
_FEEL = "Sentiment Analysis"


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
    Blueprint(
        "find_verbs",
        _TAG,
        "Two sentences are given, each with one verb. Write the two verbs in the form in which they stand in the "
        "sentences, with a comma between them.",
        _longer,
        lambda text: ", ".join(part.split()[1] for part in text.split(". ")),
        [
            ("Anna buys the red hat in Rome. Paul sees the old house in Oslo.", "'buys' and 'sees' say what is done."),
            (
                "Ruth paints the new bed in Paris. Mark hides the old hat in Rome.",
                "'paints' and 'hides' are the verbs.",
            ),
        ],
        [
            (
                "Anna buys the red hat in Rome. Paul sees the old house in Oslo.",
                "buy, see",
                "The forms must be those of the sentences.",
            )
        ],
    ),
    Blueprint(
        "find_adjectives",
        _TAG,
        "Each of the two sentences holds one adjective, a word that says what the thing is like. Write both "
        "adjectives with a comma between them.",
        _longer,
        lambda text: ", ".join(part.split()[3] for part in text.split(". ")),
        [
            ("Anna buys the red hat in Rome. Paul sees the old house in Oslo.", "The hat is red and the house is old."),
            (
                "Ruth paints the new bed in Paris. Mark hides the dirty hat in Rome.",
                "'new' and 'dirty' describe things.",
            ),
        ],
        [("Anna buys the red hat in Rome. Paul sees the old house in Oslo.", "hat, house", "These are nouns.")],
    ),
    Blueprint(
        "tag_all_words",
        _TAG,
        "Write the part of speech of every word of the two sentences in order, with blanks between them. Use these "
        "tags: NAME for names of people and cities, VERB, ARTICLE (the), ADJECTIVE, NOUN and PREPOSITION (in).",
        _varied,
        lambda text: " ".join(_tag(word.strip(".")) for word in text.split()),
        [
            (
                "Anna buys the hat in Rome. Paul sees the dog.",
                "Six words and four words; both Anna and Rome are names.",
            ),
            ("Ruth hides the egg. Paul sees the old house in Oslo.", "'old' is an adjective and 'house' a noun."),
        ],
        [
            (
                "Ruth hides the egg. Paul sees the old house in Oslo.",
                "NAME VERB ARTICLE NOUN NAME VERB ARTICLE NOUN ADJECTIVE PREPOSITION NAME",
                "'old' is the adjective and comes before the noun 'house'.",
            )
        ],
    ),
    Blueprint(
        "buscar_verbo",
        _TAG,
        "La frase tiene un solo verbo, la palabra que dice lo que hace la persona. Escríbelo con la forma en que "
        "aparece y nada más.",
        present_or_past_es,
        lambda text: text.split()[1],
        [
            ("Marta compra el sombrero rojo en Roma.", "Compra dice lo que hace Marta."),
            ("Luis vio la casa vieja en Oslo.", "Vio es el verbo."),
        ],
        [("Luis vio la casa vieja en Oslo.", "ver", "Se pide la forma que aparece en la frase.")],
        reads="Spanish",
        told_in="Spanish",
    ),
]


def _met(rng: Random, spanish: bool = False) -> str:
    names = NAMES_ES if spanish else NAMES
    pair = [rng.choice(names["f"]), rng.choice(names["m"])]
    rng.shuffle(pair)
    noun, verb = rng.choice(NOUNS), rng.choice(VERBS)
    city = rng.choice(CITIES)
    if spanish:
        pronoun = rng.choice(["Ella", "Él"])
        told = f"{pronoun} {verb.spanish_past} {noun.article} {noun.spanish}."
        return f"{pair[0]} se encontró con {pair[1]} en {SPANISH_CITY[city]}. {told}"
    return f"{pair[0]} met {pair[1]} in {city}. {rng.choice(['She', 'He'])} {verb.past} the {noun.english}."


def _meant(text: str, names: dict[str, tuple[str, ...]], she: str) -> str:
    gender = "f" if re.search(rf"\. {she} ", text) else "m"
    return next(word.strip(".") for word in text.split() if word.strip(".") in names[gender])


def _gift(rng: Random) -> str:
    giver, taker = rng.choice(NAMES["f"]), rng.choice(NAMES["m"])
    if rng.random() < 0.5:
        giver, taker = taker, giver
    owner = rng.choice(["her", "his"])
    thing = f"{rng.choice(ADJECTIVES).english} {rng.choice(NOUNS).english}"
    return f"{giver} wrote a letter to {taker} in {rng.choice(CITIES)} about {owner} {thing}."


_references = [
    Blueprint(
        "resolve_pronoun",
        _REFER,
        "A woman and a man meet, and the second sentence begins with He or She. Write the name of the person that "
        f"the pronoun stands for. Women's names are {', '.join(NAMES['f'])}; men's names are {', '.join(NAMES['m'])}.",
        _met,
        lambda text: _meant(text, NAMES, "She"),
        [
            ("Anna met Paul in Rome. She bought the hat.", "'She' can only be Anna."),
            ("Ruth met Mark in Oslo. He saw the house.", "'He' can only be Mark."),
        ],
        [("Anna met Paul in Rome. She bought the hat.", "Paul", "Paul is a man.")],
    ),
    Blueprint(
        "resolve_owner",
        _REFER,
        "A woman and a man are named, and then something of hers or of his. Write the name of the owner of the "
        f"thing. Women's names are {', '.join(NAMES['f'])}; men's names are {', '.join(NAMES['m'])}.",
        _gift,
        lambda text: next(word for word in text.split() if word in NAMES["f" if " her " in text else "m"]),
        [
            ("Anna wrote a letter to Paul in Rome about his red hat.", "'his' points to the man, Paul."),
            ("Mark wrote a letter to Ruth in Oslo about her old house.", "'her' points to Ruth."),
        ],
        [("Anna wrote a letter to Paul in Rome about his red hat.", "Anna", "It would say 'her red hat'.")],
    ),
    Blueprint(
        "resolver_pronombre",
        _REFER,
        "Una mujer y un hombre se encuentran, y la segunda frase empieza con Él o Ella. Escribe el nombre de la "
        f"persona a la que se refiere el pronombre. Son mujeres {', '.join(NAMES_ES['f'])}; son hombres "
        f"{', '.join(NAMES_ES['m'])}.",
        lambda rng: _met(rng, spanish=True),
        lambda text: _meant(text, NAMES_ES, "Ella"),
        [
            ("Marta se encontró con Luis en Roma. Ella compró el sombrero.", "Ella solo puede ser Marta."),
            ("Rosa se encontró con Pablo en Oslo. Él vio la casa.", "Él solo puede ser Pablo."),
        ],
        [("Marta se encontró con Luis en Roma. Ella compró el sombrero.", "Luis", "Luis es un hombre.")],
        reads="Spanish",
        told_in="Spanish",
    ),
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
    Blueprint(
        "fill_article",
        _FILL,
        "An article is missing where the underscore stands. Write a or an: 'an' goes before a word that begins with "
        "the letter a, e, i, o or u, 'a' before all others.",
        _blank_article,
        lambda text: article(text.split("_ ")[1]),
        [
            ("Anna bought _ egg and a hat in Rome.", "'egg' begins with a vowel."),
            ("Paul saw _ dog and a car in Oslo.", "'dog' does not."),
        ],
        [("Anna bought _ egg and a hat in Rome.", "a", "Before e the article is 'an'.")],
        labels=("a", "an"),
    ),
    Blueprint(
        "fill_is_are",
        _FILL,
        "The verb is missing where the underscore stands. Write is if one thing is meant and are if there are several.",
        _blank_be,
        _be,
        [
            ("Anna says that the houses in Rome _ old and dirty.", "'houses' is a plural."),
            ("Paul says that the lamp in Oslo _ new and cheap.", "There is one lamp."),
        ],
        [("Anna says that the houses in Rome _ old and dirty.", "is", "There are several houses.")],
        labels=("is", "are"),
    ),
    Blueprint(
        "completar_articulo",
        _FILL,
        "En la frase falta un artículo donde está la raya. Escribe el si el sustantivo es masculino y la si es "
        "femenino.",
        lambda rng: re.sub(r" (el|la) ", " _ ", draw_sentence(rng, PEOPLE_ES).spanish(), count=1),
        lambda text: BY_SPANISH[text.split("_ ")[1].split()[0]].article,
        [
            ("Marta compra _ sombrero rojo en Roma.", "Sombrero es masculino."),
            ("Luis ve _ casa vieja en Oslo.", "Casa es femenino."),
        ],
        [("Luis ve _ casa vieja en Oslo.", "el", "Casa es femenino.")],
        labels=("el", "la"),
        reads="Spanish",
        told_in="Spanish",
    ),
]

_GOOD = ("wonderful", "excellent", "delightful", "superb", "charming", "perfect")
_BAD = ("terrible", "awful", "horrible", "dreadful", "disgusting", "miserable")
_GOOD_ES = ("excelente", "estupendo", "maravilloso", "perfecto", "magnífico", "encantador")
_BAD_ES = ("terrible", "horrible", "pésimo", "espantoso", "lamentable", "asqueroso")
_RATED = ("hotel", "film", "meal", "service", "view", "book", "guide", "ending")
_RATED_ES = ("hotel", "libro", "servicio", "paisaje", "museo", "final")


def _review(rng: Random) -> str:
    good = rng.random() < 0.5
    first, second = rng.sample(_RATED, 2)
    one, two = rng.sample(_GOOD if good else _BAD, 2)
    more = rng.choice(
        [
            f"I would {'gladly' if good else 'never'} come again",
            f"{rng.choice(PEOPLE)} {'loved' if good else 'hated'} it",
        ]
    )
    return f"The {first} in {rng.choice(CITIES)} was {one} and the {second} was {two}. {more}."


def _review_es(rng: Random) -> str:
    words = _GOOD_ES if rng.random() < 0.5 else _BAD_ES
    first, second = rng.sample(_RATED_ES, 2)
    one, two = rng.sample(words, 2)
    name = rng.choice(PEOPLE_ES)
    return f"{name} dice que el {first} de {SPANISH_CITY[rng.choice(CITIES)]} es {one} y que el {second} es {two}."


_feelings = [
    Blueprint(
        "review_polarity",
        _FEEL,
        "Read the short review and say whether its writer was pleased. Answer positive or negative.",
        _review,
        lambda text: "positive" if any(word in text for word in _GOOD) else "negative",
        [
            ("The hotel in Rome was superb and the meal was perfect. Anna loved it.", "Only praise."),
            ("The film in Oslo was awful and the ending was dreadful. Mark hated it.", "Only complaints."),
        ],
        [("The film in Oslo was awful and the ending was dreadful. Mark hated it.", "positive", "Nothing was liked.")],
        labels=("positive", "negative"),
    ),
    Blueprint(
        "polaridad_resena",
        _FEEL,
        "Lee la opinión y di si es favorable o desfavorable. Responde positiva o negativa.",
        _review_es,
        lambda text: "positiva" if any(word in text for word in _GOOD_ES) else "negativa",
        [
            ("Marta dice que el hotel de Roma es excelente y que el libro es perfecto.", "Todo son elogios."),
            ("Luis dice que el museo de Oslo es pésimo y que el servicio es terrible.", "Todo son quejas."),
        ],
        [
            (
                "Luis dice que el museo de Oslo es pésimo y que el servicio es terrible.",
                "positiva",
                "No hay ningún elogio.",
            )
        ],
        labels=("positiva", "negativa"),
        reads="Spanish",
        told_in="Spanish",
    ),
]

TASKS: list[Blueprint] = [*_tags, *_references, *_blanks, *_feelings]
