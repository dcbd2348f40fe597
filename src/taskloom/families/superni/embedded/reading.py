"""Tasks on reading closely: parts of speech, pronouns, gaps."""

from __future__ import annotations

import re
from random import Random

from taskloom.families.superni.embedded.suite import TaskCode
from taskloom.families.superni.embedded.words import (
    ADJECTIVES,
    BY_ADJECTIVE,
    BY_ENGLISH,
    BY_SPANISH,
    BY_VERB,
    CITIES,
    NAMES,
    NAMES_ES,
    NOUNS,
    PEOPLE,
    PEOPLE_ES,
    SPANISH_CITY,
    THING_ADJECTIVES,
    THINGS,
    VERBS,
    article,
    draw_sentence,
    present_or_past_es,
    with_articles,
)


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


TASKS: dict[str, TaskCode] = {
    "find_verbs": (_longer, lambda text: ", ".join(part.split()[1] for part in text.split(". "))),
    "find_adjectives": (_longer, lambda text: ", ".join(part.split()[3] for part in text.split(". "))),
    "tag_all_words": (_varied, lambda text: " ".join(_tag(word.strip(".")) for word in text.split())),
    "buscar_verbo": (present_or_past_es, lambda text: text.split()[1]),
    "resolve_pronoun": (_met, _meant),
    "resolve_owner": (_gift, _owner),
    "resolver_pronombre": (lambda rng: _met(rng, spanish=True), _meant),
    "fill_article": (_blank_article, lambda text: article(text.split("_ ")[1])),
    "fill_is_are": (_blank_be, _be),
    "completar_articulo": (
        lambda rng: re.sub(r" (el|la) ", " _ ", draw_sentence(rng, PEOPLE_ES).spanish(), count=1),
        lambda text: BY_SPANISH[text.split("_ ")[1].split()[0]].article,
    ),
}
