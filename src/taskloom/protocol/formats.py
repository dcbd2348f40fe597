"""Answer formats: one sentence that says what an answer looks like, derived from the task, in its language."""

from __future__ import annotations

import re

from taskloom.core import Task
from taskloom.score.read.profile import profile_of

__all__ = ["answer_format", "language_in", "language_of", "languages_in"]

_WORD = re.compile(r"[^\W\d_]+")
_COMMONEST = {
    "en": "the of is and with word answer write each number a to in that it",
    "es": "el la los las que una un del de con palabra responde escribe cada número es en y se no respuesta",
    "de": "der die das den dem und ist sind ein eine einer mit wenn du im zu nicht wird wo antworte schreibe wort zahl"
    " jede jedes antwort",
}
_OTHERS = (
    "le la les des du un une est et dans mot phrase réponds écris chaque donne qui que de en pas au aux ce se si par"
    " sont texte nombre",
    "il lo la gli le di del della dei che un una uno è e parola frase rispondi scrivi ogni con per non nel al sono se"
    " testo numero",
    "o a os as um uma do da dos das que é e palavra frase responda escreva cada em no na com não se texto número de",
    "de het een en van is dat woord zin schrijf antwoord elk met niet op te in of tekst getal geef",
)
"""Commonest words of languages that have no formats of their own and would be taken for Spanish or German."""
_OTHER_WORDS = tuple(frozenset(_WORD.findall(words)) for words in _OTHERS)
_LANGUAGES = {code: frozenset(_WORD.findall(words)) for code, words in _COMMONEST.items()}
_KEYS = re.compile(r'"([^"]+)"')

_TEXTS = {
    "en": {
        "label": "Answer with exactly one of: {labels}.",
        "number": "Answer with the number alone, in digits.",
        "word": "Answer with one word.",
        "sentence": "Answer with the sentence alone.",
        "text": "Answer with the answer alone, without any explanation.",
        "items": "Answer with the list alone, its items separated by {separator}.",
        "sequence": "Answer with the results alone, in order and on one line, separated by blanks.",
        "json": "Answer with JSON alone.",
        "keys": "Answer with JSON alone, a list of objects with the keys {keys}.",
        "missing": "Write n/a if the passage does not say.",
        "nothing": "Write '{empty}' if there is none.",
        "comma": "a comma",
        "bar": "a vertical bar (|)",
    },
    "es": {
        "label": "Responde exactamente con una de estas opciones: {labels}.",
        "number": "Responde solo con el número, en cifras.",
        "word": "Responde con una sola palabra.",
        "sentence": "Responde solo con la frase.",
        "text": "Responde solo con la respuesta, sin ninguna explicación.",
        "items": "Responde solo con la lista, con los elementos separados por {separator}.",
        "sequence": "Responde solo con los resultados, en orden y en una línea, separados por espacios.",
        "json": "Responde solo con JSON.",
        "keys": "Responde solo con JSON, una lista de objetos con las claves {keys}.",
        "missing": "Escribe n/a si el texto no lo dice.",
        "nothing": "Escribe '{empty}' si no hay ninguno.",
        "comma": "comas",
        "bar": "una barra vertical (|)",
    },
    "de": {
        "label": "Antworte mit genau einer dieser Möglichkeiten: {labels}.",
        "number": "Antworte nur mit der Zahl, in Ziffern.",
        "word": "Antworte mit einem einzigen Wort.",
        "sentence": "Antworte nur mit dem Satz.",
        "text": "Antworte nur mit der Antwort, ohne jede Erklärung.",
        "items": "Antworte nur mit der Liste, die Einträge durch {separator} getrennt.",
        "sequence": "Antworte nur mit den Ergebnissen, der Reihe nach und in einer Zeile, durch Leerzeichen getrennt.",
        "json": "Antworte nur mit JSON.",
        "keys": "Antworte nur mit JSON, einer Liste von Objekten mit den Schlüsseln {keys}.",
        "missing": "Schreibe n/a, wenn der Text es nicht sagt.",
        "nothing": "Schreibe '{empty}', wenn es nichts davon gibt.",
        "comma": "Kommas",
        "bar": "senkrechte Striche (|)",
    },
}


def language_in(text: str) -> str:
    """The language of a text by its commonest words: "en" (which also stands for all others), "es" or "de"."""
    shares = languages_in(text)
    best = max(shares, key=lambda code: shares[code])
    words = _WORD.findall(text.casefold())
    others = max(sum(map(common.__contains__, words)) for common in _OTHER_WORDS)
    return best if best == "en" or others <= round(shares[best] * len(words)) else "en"


def languages_in(text: str) -> dict[str, float]:
    """The share of a text's words that are among the commonest of each language."""
    words = _WORD.findall(text.casefold())
    return {code: sum(map(common.__contains__, words)) / max(1, len(words)) for code, common in _LANGUAGES.items()}


def language_of(task: Task) -> str:
    """The language of a task's definition."""
    return language_in(task.instruction.definition)


def answer_format(task: Task) -> str:
    """What an answer looks like, in one sentence (two where the answer may be missing).

    Derived from the answer kind, the labels, and the form that the example answers have.
    """
    texts = _TEXTS[language_of(task)]
    profile = profile_of(task)
    definition = task.instruction.definition
    if task.labels:
        return texts["label"].format(labels=", ".join(task.labels))
    if task.kind == "items":
        bar = "|" in definition or any("|" in example.output for example in task.instruction.positive)
        first = texts["items"].format(separator=texts["bar" if bar else "comma"])
    elif task.kind == "json":
        keys = list(dict.fromkeys(key for key in _KEYS.findall(definition) if key.lower() != "n/a"))
        first = texts["keys"].format(keys=", ".join(f'"{key}"' for key in keys)) if keys else texts["json"]
    elif task.kind in ("number", "sequence"):
        first = texts[task.kind]
    elif profile.sentence:
        first = texts["sentence"]
    else:
        first = texts["word" if profile.words == 1 and not profile.commas else "text"]
    if profile.missing:
        return f"{first} {texts['missing']}"
    empty = re.search(r"['\"‘“](nothing|none|nada|ninguno|nichts|keine)['\"’”]", definition)
    return f"{first} {texts['nothing'].format(empty=empty[1])}" if empty and task.kind == "items" else first
