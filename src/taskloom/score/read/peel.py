"""Taking off what people wrap answers in: Markdown, quotes, brackets, final punctuation, opening phrases."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = ["may_be_framed", "peel", "plain", "strip_article", "strip_openers"]

_PAIRS = {
    '"': '"', "'": "'", "`": "`", "“": "”", "”": "”", "„": "“", "‘": "’", "«": "»", "‹": "›", "「": "」", "『": "』",
    "*": "*", "_": "_", "~": "~", "$": "$", "[": "]", "<": ">", "(": ")", "{": "}",
}  # fmt: skip
_OPENING = frozenset(_PAIRS)
_CLOSING = frozenset(_PAIRS.values())
_ENDS = ".!,;:。！…"
_HTML = re.compile(
    r"</?(?:b|i|em|strong|u|p|code|span|div|mark|answer|output|label|kbd|h[1-6])>|<br ?/?>", re.IGNORECASE
)
_LATEX = re.compile(r"\\(?:text|textbf|mathrm|mathbf|textit|emph|mbox|texttt)\s*\{([^{}]*)\}")
_LINE_LEAD = re.compile(r"^(?:\s*(?:#{1,6}\s+|>\s?|[-*•–+]\s+|\(?\d{1,2}[.)]\s+))+")
_INNER_MARKUP = re.compile(r"\*\*|__(?=\S)|(?<=\S)__|`")
_EMOJI = re.compile(r"[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\u200d]+")
_ARTICLE = re.compile(r"(?:an?|the)\s+(?=\S)", re.IGNORECASE)
_OPENER = re.compile(
    r"(?:based on|according to|given|from|going by|judging by|looking at|after reading|según) (?:the|this|what|my|el"
    r"|la)\b[^,.:;\n]{0,60}[,:]\s+|"
    r"(?:(?:sure|certainly|of course|absolutely|okay|ok|alright|all right|right|well|hmm+|hm|great question|gladly"
    r"|good question|claro|por supuesto|vale|bueno|so|thus|therefore|hence|then|in short|in conclusion|finally"
    r"|as a result|consequently|por (?:lo )?tanto|así que|entonces|clearly|obviously|evidently|here you go|there you go"
    r"|ah|oh|yep|let me think|let me see|let's see|we have|we get|i see|easy)(?:\s*[,!.:;…—–-]+\s*|\s+)"
    r"|(?:i(?:'d| would| will|'ll)? (?:think|believe|say|guess|answer|go with|conclude|choose|pick|reckon|suppose)"
    r"|in my (?:opinion|view)|it seems|it looks like|my guess(?: is)?|creo que|pienso que|diría que)"
    r"(?:\s+that)?(?:\s*[,:]\s*|\s+)"
    r"|(?:(?:it|that|this)(?:['’]s| is| was| must be| would be| should be| will be| has to be)"
    r"|es|sería|se trata de|debe ser|must be|would be)(?:\s*:\s*|\s+)"
    r"|(?:definitely|certainly|surely|simply|clearly|probably|likely|most likely|most probably|actually|indeed"
    r"|about|approximately|roughly|around|namely|specifically|just|obviously|seguramente|probablemente)(?:\s*,\s*|\s+))",
    re.IGNORECASE,
)
_AFTERWORD = re.compile(
    r"(?:\s+(?:is|are|was|would be|should be|must be|es|sería)\s+(?:the|my|la|mi)\s+(?:\w+\s+){0,2}"
    r"(?:answer|one|result|output|label|choice|solution|response|respuesta|etiqueta|resultado)(?:\s+\w+){0,3}"
    r"|\s+is (?:correct|right)|,? (?:i am|i'm|i’m) (?:sure|certain|confident)[^.]{0,40}"
    r"|,? (?:i think|i believe|i guess|of course|for sure|without a doubt|definitely|obviously|clearly))[.!]?$",
    re.IGNORECASE,
)
_SHORT = 64
_SPACED = re.compile(r"\s*([,;:|/()=])\s*")
_QUOTES = str.maketrans({"“": '"', "”": '"', "„": '"', "‘": "'", "’": "'", "–": "-", "—": "-", "‑": "-", "−": "-"})


def peel(text: str) -> str:
    """An answer without the marks around it. What is inside stays, blanks included."""
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
        text = _EMOJI.sub("", text).strip()
    while len(text) > 1:
        before = text
        if text[-1] in _ENDS and not _keeps_dot(text):
            text = text.rstrip(_ENDS + " ")
        if len(text) > 2 and text[0] in _OPENING and text[-1] in _CLOSING:
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


def strip_openers(text: str) -> str:
    """Without phrases that open an answer ("I think it's …") and those that close it ("… is the answer")."""
    for _ in range(6):
        opener = _OPENER.match(text)
        if opener is None or opener.end() >= len(text):
            break
        text = text[opener.end() :]
    afterword = _AFTERWORD.search(text, max(0, len(text) - 80))
    if afterword is not None and afterword.start() > 0:
        text = text[: afterword.start()]
    return text


_OPENING_WORDS = frozenset(
    re.findall(
        r"\w+",
        """based according given from going judging looking after según sure certainly of absolutely okay ok alright all
        right well hmm hm great gladly good claro por vale bueno so thus therefore hence then in finally as consequently
        así entonces clearly obviously evidently here there ah oh yep let we i easy my it creo pienso diría that this es
        sería se debe must would definitely surely simply probably likely most actually indeed about approximately
        roughly around namely specifically just seguramente probablemente""",
    )
)
_CLOSING_WORDS = frozenset(
    re.findall(
        r"\w+",
        """answer one result output label choice solution response respuesta etiqueta resultado correct right sure
        certain confident think believe guess course doubt definitely obviously clearly""",
    )
)


def may_be_framed(words: set[str]) -> bool:
    """Whether a text with these words can have phrases for `strip_openers`; false for most answers."""
    return not (_OPENING_WORDS.isdisjoint(words) and _CLOSING_WORDS.isdisjoint(words))


def strip_article(text: str) -> str:
    """Without an English article at its head."""
    article = _ARTICLE.match(text)
    return text[article.end() :] if article else text


def plain(text: str, *, case: bool = False) -> str:
    """The form in which two spellings of one answer are equal: quotes, dashes, blanks around signs, the ends, case."""
    # Labels and short answers come up again and again; long texts do not, and would fill the memory.
    form = _short_form(text) if len(text) <= _SHORT else _form(text)
    return form if case else form.casefold()


def _form(text: str) -> str:
    text = peel(text.translate(_QUOTES)).strip(" .!?¿¡")
    return " ".join(_SPACED.sub(r"\1", text).split())


_short_form = lru_cache(maxsize=8_192)(_form)
