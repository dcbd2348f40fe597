"""Answer formats: one sentence that says what an answer looks like, in the language of the task."""

from __future__ import annotations

import json
import re
from typing import Any

from taskloom.core import Task
from taskloom.core.kind import KINDS

FORMS = ("", "line", "schema")
"""How an answer is asked for: as it is, as a last line, or as JSON by a schema."""
_MARKERS = {"en": "Answer", "es": "Respuesta", "de": "Antwort"}
_FORMS = {
    "line": {
        "en": "End with a line of the form: Answer: …",
        "es": "Termina con una línea de la forma: Respuesta: …",
        "de": "Ende mit einer Zeile der Form: Antwort: …",
    },
    "schema": {
        "en": 'Write it as JSON: {"answer": …}',
        "es": 'Escríbela como JSON: {"answer": …}',
        "de": 'Schreibe sie als JSON: {"answer": …}',
    },
}

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
    """What an answer looks like, in one sentence: the kind of answer says it, in the language of the definition."""
    return KINDS.get(task.kind).sentence(task, language_of(task))


def form_sentence(task: Task, form: str) -> str:
    """The sentence that names the form, in the language of the task; "" for none."""
    return _FORMS[form][language_of(task)] if form else ""


def in_form(answer: str, task: Task, form: str) -> str:
    """An answer as a model is to write it."""
    if form == "line":
        return f"{_MARKERS[language_of(task)]}: {answer}"
    return json.dumps({"answer": _value(answer, task)}, ensure_ascii=False) if form else answer


def _value(answer: str, task: Task) -> Any:
    """An answer as the JSON value that its schema describes."""
    wanted = KINDS.get(task.kind).schema_of(task).get("type", "")
    try:
        value = json.loads(answer)
    except ValueError:
        value = answer
    if wanted == "array" and not isinstance(value, list):
        return [part.strip() for part in re.split(r"[|,]" if re.search(r"[|,]", answer) else " ", answer)]
    return value if wanted != "string" else answer


def answer_schema(task: Task) -> str:
    """The JSON schema of a reply to a task, as servers take it."""
    inner = KINDS.get(task.kind).schema_of(task)
    whole = {"type": "object", "properties": {"answer": inner}, "required": ["answer"], "additionalProperties": False}
    return json.dumps(whole, ensure_ascii=False)
