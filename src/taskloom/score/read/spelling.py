"""Taking off what answers are wrapped in (Markdown, quotes, brackets, final punctuation); spellings that are equal."""

from __future__ import annotations

import re

__all__ = ["peel", "plain", "strip_article"]

_PAIRS = {
    '"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "„": "“", "‘": "’", "«": "»", "‹": "›", "「": "」", "『": "』",
    "【": "】", "*": "*", "_": "_", "$": "$", "[": "]", "<": ">", "(": ")", "{": "}",
}  # fmt: skip
_CLOSING = frozenset(_PAIRS.values())
_ENDS = ".!,;:。！…"
_HTML = re.compile(r"</?(?:b|i|em|strong|u|p|code|span|div|mark|kbd|h[1-6])>|<br ?/?>", re.IGNORECASE)
_LATEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textit|emph|mbox|texttt|boxed)\s*\{([^{}]*)\}")
_LINE_LEAD = re.compile(r"^(?:\s*(?:#{1,6}\s+|>\s?|[-*•–+]\s+|\(?\d{1,2}[.)]\s+))+")
_INNER_MARKUP = re.compile(r"\*\*|__(?=\S)|(?<=\S)__|`")
_CHEERS = re.compile("[✅✔👉➡🎉😊🙂👍🎯✨💡📌📍🏁\ufe0f\u200d]+")
"""Signs that say nothing against an answer. A cross, or any other, stays where it is."""
_ARTICLE = re.compile(r"(?:an?|the|el|la|los|las|una?|der|die|das|den|dem|eine?[nmr]?)\s+(?=\S)", re.IGNORECASE)
_MARKS = frozenset("<\\`*_")
_MOST_LAYERS = 32
_SPACED = re.compile(r" ?([,;:|/()=]) ?")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "‑": "-", "−": "-"})


def peel(text: str) -> str:
    """An answer without the marks around it. What is inside stays, blanks included."""
    if text[:1].isalpha() and text[-1:].isalnum() and text.isascii() and _MARKS.isdisjoint(text):
        return text
    if "<" in text:
        text = _HTML.sub("", text)
    if "\\" in text:
        text = _LATEX.sub(r"\1", text)
    text = text.strip()
    lead = _LINE_LEAD.match(text)
    if lead and lead.end() < len(text):
        text = text[lead.end() :]
    if "**" in text or "`" in text or "__" in text:
        text = _INNER_MARKUP.sub("", text).strip()
    if not text.isascii() and max(text) >= "\u2600":
        text = _CHEERS.sub("", text).strip()
    for _ in range(_MOST_LAYERS):
        if len(text) < 2:
            break
        before = text
        if text[-1] in _ENDS and not _keeps_dot(text):
            text = text.rstrip(_ENDS + " ")
        if len(text) > 2 and text[0] in _PAIRS and text[-1] in _CLOSING:
            text = _unwrap(text)
        if text == before:
            break
    return text or ""


def _keeps_dot(text: str) -> bool:
    """Whether the last dot belongs to an abbreviation ("H.P.") rather than to the sentence."""
    return text[-1] == "." and len(text) > 2 and text[-3] in ". " and text[-2].isalpha() and text[-2].isupper()


def _unwrap(text: str) -> str:
    """Without one pair of marks, if they belong together and nothing inside ends them earlier."""
    first, last = text[0], text[-1]
    if _PAIRS[first] != last:
        return text
    inner = text[1:-1]
    if first == last:
        return inner.strip() if first not in inner else text
    depth = 0
    for sign in inner if (first in inner or last in inner) else "":
        depth += (sign == first) - (sign == last)
        if depth < 0:
            return text
    return inner.strip()


def strip_article(text: str) -> str:
    """Without an article at its head: English, Spanish or German, the languages that the families speak."""
    article = _ARTICLE.match(text)
    return text[article.end() :] if article else text


def plain(text: str, *, case: bool = False) -> str:
    """The form in which two spellings of one answer are equal: quotes, dashes, blanks around signs, the ends, case."""
    form = _SPACED.sub(r"\1", " ".join(peel(text.translate(_QUOTES)).strip(" .!¡").split()))
    return form if case else form.casefold()
