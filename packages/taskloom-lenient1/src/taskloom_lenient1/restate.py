"""Sentences that restate the question: "Daniel is in the office." answers "Where is Daniel?" with "the office".

What a sentence adds to the question is its answer: the words that are neither in the question nor mere grammar,
with whatever stands between them.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

__all__ = [
    "FINITE",
    "GRAMMAR",
    "about_another",
    "added_words",
    "asks_why",
    "question_kind",
    "question_of",
    "question_words",
    "restated_truth",
    "restates_all",
    "stem_of",
    "topic_of",
]

_WORD = re.compile(r"[^\W_]+(?:[-.'’/:@][^\W_]+)*|[-−]\d[\d.,]*")
GRAMMAR = frozenset(
    re.findall(
        r"\w+",
        """a an the is are was were be been being am do does did done has have had having will would shall should can
        could may might must in on at to of by from for with into onto as that this these those there here it its he she
        they his her their him them who whom whose which what where when why how because since so now currently then
        also only just very and located found carrying held holding called named going went goes gone get got gave given
        give received el la los las un una es son está están en de del al por para que se lo su y ha fue era porque
        i you we your my our encuentra ahora final historia según""",
    )
)
_GERMAN = frozenset(
    re.findall(
        r"\w+",
        """der die das den dem des ein eine einen einem einer ist sind war waren wird werden hat haben im in ins am an
        auf zu zum zur von vom bei mit er sie es ihm ihr sich wo wohin wer was wie warum wann jetzt nun also daher dann
        befindet befinden liegt gerade zurzeit laut geschichte ende schließlich zuletzt somit folglich weil und""",
    )
)
_ASKS_IN_GERMAN = re.compile(
    r"(?:wo|wohin|wer|wem|wen|wie|warum|weshalb|wann|welche\w*|ist|sind|war (?:er|sie|es|der|die|das)"
    r"|was (?:ist|hat|trägt))\b",
    re.IGNORECASE,
)
FINITE = frozenset(
    re.findall(
        r"\w+",
        "is are was were has have had does did do will would went goes got gets gave gives received took es está están"
        " estaba fue era encuentra ist sind befindet",
    )
) | {"he's", "she's", "it's", "they're"}
_VERBS = frozenset({"is", "are", "was", "were", "ar", "wer"})
_BEFORE_QUESTION = ".!?\n:¿"
_NEGATION = re.compile(
    r"\b(?:not|never|no longer|nowhere|neither|nor|nobody|none|nunca|jamás|tampoco|nicht|nie|niemals|weder"
    r"|keine?[nrms]?|no (?:es|está|están|se|era|fue))\b|n['’]t\b",
    re.IGNORECASE,
)
_WHY = re.compile(r"(?:and )?(?:why|for what reason|por qué|warum|weshalb)\b", re.IGNORECASE)
_ABOUT_A_PERSON = re.compile(r"(?:and |then )?(?:where|when|why|how|dónde|cuándo|por qué|cómo)\b", re.IGNORECASE)
_NAME = re.compile(r"\b[A-ZÁÉÍÓÚÑ][a-záéíóúñ]+\b")
_SENTENCE = re.compile(r"[^.!?\n]+")
_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|her|them|his|their|él|ella|ellos|ellas)\b", re.IGNORECASE)
_FILLER = frozenset(
    re.findall(r"\w+", "now currently at the end moment right all time story passage text of this finally")
)


@lru_cache(maxsize=1024)
def question_of(prompt: str) -> str:
    """The last question of a prompt, or its last line where it asks without a question mark."""
    tail = prompt[-1500:].rstrip()
    end = tail.rfind("?")
    if end >= 0:
        start = 1 + max(tail.rfind(sign, 0, end) for sign in _BEFORE_QUESTION)
        return tail[start : end + 1].strip()
    return tail[tail.rfind("\n") + 1 :].strip()


@lru_cache(maxsize=1024)
def asks_why(prompt: str) -> bool:
    """Whether a prompt asks for a reason, so that what follows "because" is the answer."""
    return _WHY.match(question_of(prompt)) is not None


@lru_cache(maxsize=1024)
def question_kind(prompt: str) -> tuple[bool, bool, bool, bool]:
    """Whether a prompt ends with a question, whether it asks for a number, in German, or for a reason."""
    question = question_of(prompt)
    german = _ASKS_IN_GERMAN.match(question) is not None
    return question.endswith("?"), question.startswith("How many"), german, asks_why(prompt)


@lru_cache(maxsize=1024)
def question_words(prompt: str) -> frozenset[str]:
    """The words of the question that a prompt ends with, cut to their stems."""
    question = question_of(prompt)
    return _asked(question) if question.endswith("?") else frozenset()


@lru_cache(maxsize=1024)
def topic_of(prompt: str) -> str:
    """The question and what stands last in the prompt, folded."""
    return f"{question_of(prompt)} {prompt[-300:]}".casefold()


def about_another(text: str, prompt: str) -> bool:
    """Whether all that is said is about other people of the prompt than the one it asks about.

    "Sandra went to the kitchen." is no answer to "Where is Daniel?". Who or what somebody is may be said without the
    names of the question, so that only places, times, reasons and manners are looked at.
    """
    first = text.split(maxsplit=1)[0] if text[:1].isupper() else ""
    # A name that begins a sentence of the prompt: most outputs begin otherwise, which costs no look at the names.
    if not first or first.casefold() in GRAMMAR or first not in prompt:
        return False
    asked, others = _people(prompt)
    if first not in others or _PRONOUN.search(text) or not asked.isdisjoint(_NAME.findall(text)):
        return False
    sentences = [sentence.split() for sentence in _SENTENCE.findall(text) if sentence.strip()]
    return all(len(words) > 2 and words[0] in others for words in sentences)


@lru_cache(maxsize=1024)
def _people(prompt: str) -> tuple[frozenset[str], frozenset[str]]:
    """The names in the question of a prompt, and those that begin its sentences and are not in the question."""
    question = question_of(prompt).lstrip("¿ ")
    if not _ABOUT_A_PERSON.match(question):
        return frozenset(), frozenset()
    asked = frozenset(name for name in _NAME.findall(question) if not question.startswith(name))
    if not asked:
        return frozenset(), frozenset()
    small = GRAMMAR.union(prompt.split())
    begun = {sentence.split(maxsplit=1)[0] for sentence in _SENTENCE.findall(prompt) if sentence.strip()}
    # "Then" and "After" begin sentences too; a name is never written small.
    names = {word for word in begun if _NAME.fullmatch(word) and word.casefold() not in small}
    return asked, frozenset(names - asked)


@lru_cache(maxsize=1 << 16)
def stem_of(word: str) -> str:
    """Words cut so that "carrying" meets "carries" and "afraid" itself."""
    word = word.casefold().removesuffix("'s").removesuffix("’s")
    for ending in ("ing", "ies", "ed", "es", "s", "e"):
        if len(word) > len(ending) + 2 and word.endswith(ending):
            return word[: -len(ending)]
    return word


def added_words(sentence: str, question: str) -> str | None:
    """What a sentence adds to the question it restates, or None where it does not restate it.

    None, too, where the sentence denies, or where its new words do not stand together.
    """
    asked = _asked(question)
    look_up = _look_up_german if _ASKS_IN_GERMAN.match(question) else _look_up
    words = [look_up(word) for word in _WORD.findall(sentence)]
    shared = [not word.grammar and word.stem in asked for word in words]
    count = sum(shared)
    if not count and not (words and words[0].pronoun):
        return None
    # Without a verb it is a phrase, and may well repeat a word of the question ("steel guitar" for "guitar").
    if count < 2 and not question.startswith("How many") and not any(word.finite for word in words):
        return None
    if any(word.denies for word in words) and _NEGATION.search(sentence):
        return None
    new = [place for place, word in enumerate(words) if not (word.grammar or shared[place])]
    while new and words[new[-1]].filler:
        new.pop()
    while new and words[new[0]].filler:
        new.pop(0)
    if not new:
        return None
    first, last = new[0], new[-1]
    # "Daniel's location is the office": the answer stands after the verb.
    verbs = [place for place in range(first, last) if words[place].stem in _VERBS]
    if verbs:
        first = next(place for place in new if place > verbs[-1])
    if first == last:
        return words[first].text
    if any(shared[first : last + 1]):
        return None
    places = list(_WORD.finditer(sentence))
    return sentence[places[first].start() : places[last].end()]


@lru_cache(maxsize=4096)
def _asked(question: str) -> frozenset[str]:
    return frozenset(stem_of(word) for word in _WORD.findall(question))


class _Word(NamedTuple):
    """A word and what it is in a sentence that restates a question."""

    text: str
    stem: str
    grammar: bool
    pronoun: bool
    finite: bool
    filler: bool
    denies: bool


@lru_cache(maxsize=1 << 16)
def _look_up(word: str) -> _Word:
    folded = word.casefold()
    straight = folded.replace("’", "'")
    head = straight.partition("'")[0]
    return _Word(
        text=word,
        stem=stem_of(word),
        grammar=straight in GRAMMAR or ("'" in straight and head in GRAMMAR),
        pronoun=head in ("he", "she", "it", "they", "él", "ella"),
        finite=folded in FINITE,
        filler=folded in _FILLER,
        denies=folded == "no" or _NEGATION.search(word) is not None,
    )


@lru_cache(maxsize=1 << 12)
def _look_up_german(word: str) -> _Word:
    """German grammar has words that English has other uses for ("hat", "war"), so only German questions get it."""
    folded = word.casefold()
    known = _look_up(word)
    verb = folded in ("war", "waren", "hat", "liegt", "ging", "lief")
    return known._replace(
        grammar=known.grammar or folded in _GERMAN,
        finite=known.finite or verb,
        pronoun=known.pronoun or folded in ("er", "sie", "es"),
    )


def restates_all(sentence: str, question: str) -> bool:
    """Whether a sentence holds every word of meaning that the question does."""
    said = {_look_up(word).stem for word in _WORD.findall(sentence)}
    asked = map(_look_up, _WORD.findall(question))
    return all(word.grammar or word.stem in said for word in asked)


def restated_truth(sentence: str, question: str) -> bool | None:
    """Whether a sentence says yes or no to the yes-no question that it restates; None where it is not such a one."""
    asked = [stem_of(word) for word in _WORD.findall(question)]
    if not asked or not question.rstrip().endswith("?"):
        return None
    negations = len(_NEGATION.findall(sentence))
    bare = _NEGATION.sub(" ", sentence)
    said = [stem_of(word) for word in _WORD.findall(bare)]
    if negations > 1 or sorted(_content(said)) != sorted(_content(asked)):
        return None
    return negations == 0


def _content(stems: list[str]) -> list[str]:
    return [stem for stem in stems if stem not in ("do", "did", "doe", "the", "a", "an", "ar", "i")]
