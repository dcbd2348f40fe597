"""What the second opinions know of the vocabulary, typed out by hand."""

from __future__ import annotations

import re


def words(text: str) -> list[str]:
    return text.split()


KIND_OF = {
    thing: kind
    for kind, things in {
        "animal": "dog cat horse cow duck frog lion bear tiger rabbit snake monkey spider whale",
        "fruit": "apple pear lemon banana cherry melon grape peach strawberry plum fig",
        "clothing": "shirt skirt shoe hat coat boot belt glove dress tie",
        "furniture": "table chair bed sofa desk lamp mirror drawer carpet wardrobe",
        "vehicle": "car bus train boat truck plane bicycle tractor ambulance taxi",
        "tool": "hammer saw drill needle shovel broom ladder rope bucket nail",
        "instrument": "piano guitar drum flute violin trumpet organ",
        "building": "house church school hospital museum factory tower castle library bank",
    }.items()
    for thing in things.split()
}
KIND_OF_ES = {
    thing: kind
    for kind, things in {
        "animal": "perro gato caballo vaca pato rana león oso tigre conejo serpiente mono araña ballena",
        "fruta": "manzana pera limón plátano cereza melón uva melocotón fresa ciruela higo",
        "ropa": "camisa falda zapato sombrero abrigo bota cinturón guante vestido corbata",
        "mueble": "mesa silla cama sofá escritorio lámpara espejo cajón alfombra armario",
        "vehículo": "coche autobús tren barco camión avión bicicleta tractor ambulancia taxi",
        "herramienta": "martillo sierra taladro aguja pala escoba escalera cuerda cubo clavo",
        "instrumento": "piano guitarra tambor flauta violín trompeta órgano",
        "edificio": "casa iglesia escuela hospital museo fábrica torre castillo biblioteca banco",
    }.items()
    for thing in things.split()
}
# The feminine nouns of the vocabulary, typed out; all others are masculine.
FEMININE = set(
    words(
        "vaca rana serpiente araña ballena manzana pera cereza uva fresa ciruela camisa falda bota corbata mesa "
        "silla cama lámpara alfombra bicicleta ambulancia sierra aguja pala escoba escalera cuerda guitarra flauta "
        "trompeta casa iglesia escuela fábrica torre biblioteca sopa ensalada galleta pizza salchicha"
    )
)
WOMEN = {"Anna", "Emma", "Laura", "Julia", "Sarah", "Alice", "Nina", "Helen", "Grace", "Ruth", "Clara", "Lucy"}
WOMEN_ES = {"María", "Lucía", "Carmen", "Elena", "Sofía", "Marta", "Rosa", "Isabel", "Pilar", "Teresa"}
VERB_FORMS = {
    "buys": ("buy", "bought", "bought"), "sells": ("sell", "sold", "sold"), "paints": ("paint", "painted", "painted"),
    "draws": ("draw", "drew", "drawn"), "cleans": ("clean", "cleaned", "cleaned"), "finds": ("find", "found", "found"),
    "loses": ("lose", "lost", "lost"), "sees": ("see", "saw", "seen"), "hides": ("hide", "hid", "hidden"),
    "chooses": ("choose", "chose", "chosen"),
}  # fmt: skip
PAST_ES = {
    "compra": "compró", "vende": "vendió", "pinta": "pintó", "dibuja": "dibujó", "limpia": "limpió",
    "encuentra": "encontró", "pierde": "perdió", "ve": "vio", "esconde": "escondió", "elige": "eligió",
}  # fmt: skip
ADJECTIVES = set(
    words(
        "red white black yellow green blue big small old new clean dirty expensive cheap pretty heavy long short "
        "round strange"
    )
)
SINGULAR = set(KIND_OF) | {"egg", "cake", "soup", "sandwich", "salad", "cookie", "pizza", "sausage", "cheese"}


def english_value(text: str) -> int:
    small = words(
        "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
        "seventeen eighteen nineteen"
    )
    worth = {word: value for value, word in enumerate(small)}
    worth |= {
        word: 10 * n
        for n, word in enumerate(
            ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
        )
    }
    total = current = 0
    for word in re.split("[ -]", text):
        if word == "hundred":
            current *= 100
        elif word == "thousand":
            total, current = total + current * 1000, 0
        else:
            current += worth[word]
    return total + current


def spanish_value(text: str) -> int:
    worth = {
        word: value
        for value, word in enumerate(
            words(
                "cero uno dos tres cuatro cinco seis siete ocho nueve diez once doce trece catorce quince dieciséis "
                "diecisiete dieciocho diecinueve veinte veintiuno veintidós veintitrés veinticuatro veinticinco "
                "veintiséis veintisiete veintiocho veintinueve"
            )
        )
    }
    worth |= {
        "treinta": 30,
        "cuarenta": 40,
        "cincuenta": 50,
        "sesenta": 60,
        "setenta": 70,
        "ochenta": 80,
        "noventa": 90,
    }
    worth |= {
        "cien": 100,
        "ciento": 100,
        "doscientos": 200,
        "trescientos": 300,
        "cuatrocientos": 400,
        "quinientos": 500,
    }
    worth |= {"seiscientos": 600, "setecientos": 700, "ochocientos": 800, "novecientos": 900}
    total = current = 0
    for word in text.split():
        if word == "mil":
            total, current = total + max(current, 1) * 1000, 0
        elif word != "y":
            current += worth[word]
    return total + current


def roman_value(sign: str) -> int:
    worth = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = highest = 0
    for letter in reversed(sign):
        total += worth[letter] if worth[letter] >= highest else -worth[letter]
        highest = max(highest, worth[letter])
    return total
