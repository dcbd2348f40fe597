"""Layout that is not prose: chat tokens, tables, rules, footnotes, and lines of facts about the answer."""

from __future__ import annotations

import re

from taskloom_lenient1.frame import is_frame, segments
from taskloom_lenient1.peel import HTML, LATEX

__all__ = ["ANSWER_NOUN", "NEGATED", "STRUCK", "chosen", "flatten"]

ANSWER_NOUN = (
    r"(?:answers?|labels?|output|results?|response|reply|solution|classification|prediction|verdict|conclusion|choice"
    r"|pick|guess|outcome|selection|decision|suggestion"
    r"|respuestas?|etiqueta|salida|resultado|solución|conclusión|réponse|antwort|resposta|risposta|ответ|答案|答え"
    r"|回答)"
)
_CHAT_TOKEN = re.compile(
    r"<\|[^|<>\n]{1,40}\|>(?:(?:assistant|system|user|model)\b)?|</?s>|\[/?INST\]|<(?:start"
    r"|end)_of_turn>(?:model\b|user\b)?|<(?:bos|eos)>"
)
_RULE = re.compile(r"^[ \t]*(?:[-=_*~–—#+] ?){3,}[ \t]*$\n?", re.MULTILINE)
_NOTE = re.compile(
    r"^[ \t]*\[\^?\w{1,4}\]:?[ \t]+\S.*$\n?|^[ \t]*(?:[¹²³†‡]|\*(?=[A-Z]))[ \t]*\S[^*\n]*$\n?", re.MULTILINE
)
_NOTE_MARK = re.compile(r"(?<=[\w.)\]}\"”]) ?(?:\[\^?\w{1,4}\]|[¹²³†‡]|(?<!\*)\*(?=\s|$))")
_FACT = re.compile(
    r"^[ \t>*_-]*(?:the )?(?:question|q|input|prompt|task|confidence(?: level| score)?|certainty|probability|score"
    r"|category|language|source|evidence|reasoning|thoughts?|action|observation|rationale|explanation"
    r"|justification|reason|notes?|status|type"
    r"|steps?(?: ?\d+)?|pregunta|confianza|razón|explicación|entrada)[*_ ]*[:=：][*_ \t]*[^\s*_].*$\n?",
    re.IGNORECASE | re.MULTILINE,
)
_GIVES_ANSWER = re.compile(rf"[:=：].*\b{ANSWER_NOUN}\b[^\n]{{0,30}}(?:\b(?:is|es|be)\b|[:=])", re.IGNORECASE)
_FACT_NAME = re.compile(r"^[^:=：]*[:=：][*_ \t]*")
_STEP = re.compile(r"[ \t>*_-]*steps?\b", re.IGNORECASE)
_CHECKBOX = re.compile(r"^[ \t]*(?:[-*•] |\d[.)] )?\[([ xX✓✔])\][ \t]*(\S.*)$", re.MULTILINE)
STRUCK = re.compile(r"^[ \t>*-]*[❌✗✘🚫👎].*$\n?|^.*[:–—-]?[ \t]+[❌✗✘🚫👎][ \t]*$\n?|~~[^~\n]+~~", re.MULTILINE)
_CONFIRMED = re.compile(
    r"\b(?:let me|i(?:['’]ll| will)?|just)(?: (?:just|quickly))? (?:double|re)?[- ]?check(?:ed|ing)?[^.!?…:,\n–—]{0,30}"
    r"(?:\.{1,3}|…|:|,|\s[–—-])\s*(?:yes|yep|yup|yeah|right|ok(?:ay)?|sí)\s*[,:–—.]\s*(?=\S)",
    re.IGNORECASE,
)
_DISPLAY = re.compile(r"\\[\[\]()]|\${1,2}")
NEGATED = re.compile(r"(?:\\(?:neg|lnot|not)\b|¬)\s*")
_CELL_RULE = re.compile(r"[ :|-]*-{2,}[ :|-]*")
_NAMES_ANSWER = re.compile(rf"[*_` ]*(?:(?:final|correct|my|the|your) )*{ANSWER_NOUN}[*_`: ]*", re.IGNORECASE)
_ANSWER_LINE = re.compile(rf"[^\n:]{{0,40}}\b{ANSWER_NOUN}\b[^\n:]{{0,20}}[:=]", re.IGNORECASE)


def flatten(body: str) -> str:
    """A text whose layout has become plain lines. Looks for the signs of each thing first: most answers have none."""
    if "\\text" in body or "\\mathrm" in body or "\\mathbf" in body:
        body = _DISPLAY.sub("", LATEX.sub(r"\1", body)).strip()
    if "check" in body or "¬" in body or "\\" in body:
        body = NEGATED.sub("not ", _CONFIRMED.sub("", body))
    if "<" in body or "[/" in body or "[I" in body:
        body = HTML.sub("", _CHAT_TOKEN.sub("\n", body)).strip()
    if "~~" in body or not body.isascii():
        body = _kept(STRUCK, body)
    if "\n" not in body:
        return _NOTE_MARK.sub("", body) if "[^" in body else body
    if "|" in body and "--" in body:
        body = _untabled(body)
    body = _kept(_RULE, body)
    if "[" in body or "*" in body or not body.isascii():
        without = _kept(_NOTE, body)
        body = _NOTE_MARK.sub("", without) if without != body or "[^" in body else body
    if ":" in body or "=" in body or "：" in body:
        body = _without_facts(body)
    return body


def _without_facts(body: str) -> str:
    """Without lines of facts about the answer. Where nothing else is more than talk, the last of them gives it."""
    facts = [fact for fact in _FACT.finditer(body) if not _GIVES_ANSWER.search(fact[0])]
    if not facts:
        return body
    rest = _FACT.sub(lambda fact: fact[0] if _GIVES_ANSWER.search(fact[0]) else "", body)
    if all(is_frame(rest[start:end]) for start, end in segments(rest)):
        return _FACT_NAME.sub("", facts[-1][0]) if _STEP.match(facts[-1][0]) else body
    return rest


def chosen(body: str) -> str | None:
    """What is ticked in a list of boxes; None where there are no boxes, "" where none is ticked."""
    boxes = _CHECKBOX.findall(body)
    if len(boxes) < 2:
        return None
    return "\n".join(said for mark, said in boxes if mark.strip())


def _kept(pattern: re.Pattern[str], body: str) -> str:
    """Without the lines that match, unless nothing would remain."""
    rest = pattern.sub("", body)
    return rest if rest.strip() else body


def _untabled(body: str) -> str:
    """A table replaced by the cells that give the answer, each on a line of its own."""
    lines = body.split("\n")
    rule = next((place for place, line in enumerate(lines) if "|" in line and _CELL_RULE.fullmatch(line.strip())), 0)
    if not rule:
        return body
    end = rule + 1
    while end < len(lines) and "|" in lines[end]:
        end += 1
    header = _cells(lines[rule - 1])
    rows = [_cells(line, len(header)) for line in lines[rule + 1 : end]]
    around = [*lines[: rule - 1], *lines[end:]]
    if any(_ANSWER_LINE.match(line) for line in around):
        return "\n".join(around)
    answers = _answer_cells(header, rows)
    return "\n".join([*lines[: rule - 1], *answers, *lines[end:]]) if answers else body


def _cells(line: str, count: int = 0) -> list[str]:
    """The cells of a row; where there are more than columns, the last one has bars of its own."""
    cells = [cell.strip() for cell in line.strip().removeprefix("|").removesuffix("|").split("|")]
    return cells if not count or len(cells) <= count else [*cells[: count - 1], " | ".join(cells[count - 1 :])]


def _answer_cells(header: list[str], rows: list[list[str]]) -> list[str]:
    """The column named "answer", the row named so, or the last cell of an only row."""
    column = next((place for place, name in enumerate(header) if _NAMES_ANSWER.fullmatch(name)), None)
    if column is not None and rows and len(header) > 1:
        found = [row[column] for row in rows if column < len(row)]
    else:
        every = [header, *rows]
        found = [row[-1] for row in every if len(row) > 1 and _NAMES_ANSWER.fullmatch(row[0])]
        found = found or ([rows[0][-1]] if len(rows) == 1 else [])
    return [f"Answer: {found[0]}"] if len(found) == 1 else found
