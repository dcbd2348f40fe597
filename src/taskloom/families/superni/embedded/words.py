"""The small vocabulary of the embedded tasks: English and Spanish side by side, with what grammar needs to know."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import NamedTuple


class BilingualNoun(NamedTuple):
    """A noun with its Spanish counterpart and the kind of thing it is."""

    english: str
    spanish: str
    gender: str
    kind: str

    @property
    def plural(self) -> str:
        """The English plural; the vocabulary holds regular nouns only."""
        if self.english.endswith(("s", "x", "ch", "sh")):
            return f"{self.english}es"
        if self.english.endswith("y") and self.english[-2] not in "aeiou":
            return f"{self.english[:-1]}ies"
        return f"{self.english}s"

    @property
    def article(self) -> str:
        """The Spanish definite article."""
        return "el" if self.gender == "m" else "la"


class BilingualAdjective(NamedTuple):
    """An adjective with its Spanish masculine and feminine forms."""

    english: str
    masculine: str
    feminine: str

    def spanish(self, noun: BilingualNoun) -> str:
        """The form that agrees with a noun."""
        return self.masculine if noun.gender == "m" else self.feminine


class BilingualVerb(NamedTuple):
    """A verb that takes a thing as its object: base, third person, past, participle; Spanish present and past."""

    base: str
    third: str
    past: str
    participle: str
    spanish: str
    spanish_past: str


_KINDS = {
    "animal": "dog perro m, cat gato m, horse caballo m, cow vaca f, duck pato m, frog rana f, lion león m, "
    "bear oso m, tiger tigre m, rabbit conejo m, snake serpiente f, monkey mono m, spider araña f, whale ballena f",
    "fruit": "apple manzana f, pear pera f, lemon limón m, banana plátano m, cherry cereza f, melon melón m, "
    "grape uva f, peach melocotón m, strawberry fresa f, plum ciruela f, fig higo m",
    "clothing": "shirt camisa f, skirt falda f, shoe zapato m, hat sombrero m, coat abrigo m, boot bota f, "
    "belt cinturón m, glove guante m, dress vestido m, tie corbata f",
    "furniture": "table mesa f, chair silla f, bed cama f, sofa sofá m, desk escritorio m, lamp lámpara f, "
    "mirror espejo m, drawer cajón m, carpet alfombra f, wardrobe armario m",
    "vehicle": "car coche m, bus autobús m, train tren m, boat barco m, truck camión m, plane avión m, "
    "bicycle bicicleta f, tractor tractor m, ambulance ambulancia f, taxi taxi m",
    "tool": "hammer martillo m, saw sierra f, drill taladro m, needle aguja f, shovel pala f, broom escoba f, "
    "ladder escalera f, rope cuerda f, bucket cubo m, nail clavo m",
    "instrument": "piano piano m, guitar guitarra f, drum tambor m, flute flauta f, violin violín m, "
    "trumpet trompeta f, harp arpa f, organ órgano m",
    "building": "house casa f, church iglesia f, school escuela f, hospital hospital m, museum museo m, "
    "factory fábrica f, tower torre f, castle castillo m, library biblioteca f, bank banco m",
    "food": "egg huevo m, cake pastel m, soup sopa f, sandwich bocadillo m, salad ensalada f, cookie galleta f, "
    "pizza pizza f, sausage salchicha f, cheese queso m",
}


def _nouns() -> list[BilingualNoun]:
    nouns = []
    for kind, listed in _KINDS.items():
        for entry in listed.split(", "):
            english, spanish, gender = entry.split()
            # Feminine nouns that begin with a stressed a take "el"; rather than teach the exception, skip the harp.
            if spanish != "arpa":
                nouns.append(BilingualNoun(english, spanish, gender, kind))
    return nouns


NOUNS: list[BilingualNoun] = _nouns()
KINDS: list[str] = list(_KINDS)

ADJECTIVES: list[BilingualAdjective] = [
    BilingualAdjective(*entry.split())
    for entry in [
        "red rojo roja",
        "white blanco blanca",
        "black negro negra",
        "yellow amarillo amarilla",
        "green verde verde",
        "blue azul azul",
        "big grande grande",
        "small pequeño pequeña",
        "old viejo vieja",
        "new nuevo nueva",
        "clean limpio limpia",
        "dirty sucio sucia",
        "expensive caro cara",
        "cheap barato barata",
        "pretty bonito bonita",
        "heavy pesado pesada",
        "long largo larga",
        "short corto corta",
        "round redondo redonda",
        "strange extraño extraña",
    ]
]

VERBS: list[BilingualVerb] = [
    BilingualVerb(*entry.split())
    for entry in [
        "buy buys bought bought compra compró",
        "sell sells sold sold vende vendió",
        "paint paints painted painted pinta pintó",
        "draw draws drew drawn dibuja dibujó",
        "clean cleans cleaned cleaned limpia limpió",
        "find finds found found encuentra encontró",
        "lose loses lost lost pierde perdió",
        "see sees saw seen ve vio",
        "hide hides hid hidden esconde escondió",
        "choose chooses chose chosen elige eligió",
    ]
]

NAMES: dict[str, tuple[str, ...]] = {
    "f": ("Anna", "Emma", "Laura", "Julia", "Sarah", "Alice", "Nina", "Helen", "Grace", "Ruth", "Clara", "Lucy"),
    "m": ("David", "Peter", "Thomas", "Henry", "James", "Oliver", "Frank", "George", "Simon", "Victor", "Mark", "Paul"),
}
NAMES_ES: dict[str, tuple[str, ...]] = {
    "f": ("María", "Lucía", "Carmen", "Elena", "Sofía", "Marta", "Rosa", "Isabel", "Pilar", "Teresa"),
    "m": ("Pedro", "Luis", "Carlos", "Javier", "Miguel", "Pablo", "Diego", "Andrés", "Manuel", "Jorge"),
}
CITIES: tuple[str, ...] = (
    "Rome",
    "Paris",
    "Berlin",
    "Vienna",
    "Lisbon",
    "Dublin",
    "Oslo",
    "Athens",
    "Prague",
    "Madrid",
)

WORDS: list[str] = [noun.english for noun in NOUNS] + [adjective.english for adjective in ADJECTIVES]
WORDS_ES: list[str] = [noun.spanish for noun in NOUNS] + [adjective.masculine for adjective in ADJECTIVES]


def sample(rng: Random, pool: Sequence[str], low: int, high: int | None = None) -> list[str]:
    """Between `low` and `high` different members of a pool."""
    return rng.sample(pool, rng.randint(low, high or low))


def line(rng: Random, low: int, high: int | None = None, *, spanish: bool = False) -> str:
    """Between `low` and `high` different words, a blank between them."""
    return " ".join(sample(rng, WORDS_ES if spanish else WORDS, low, high))
