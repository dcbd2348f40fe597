"""What a text says about one phrase in it: asserts it, takes it back, or leaves it open.

This is what a person does who looks for a known answer in free prose. Every place of the phrase is masked; each
sentence with the mask is read for itself (`claim`), the others for retractions, for doubts about everything, and for
rivals. The last word counts, and what is called the answer outweighs what was thought of before. Nothing here depends
on how the phrase itself is worded.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache

from taskloom_lenient1.claim import AROUND, COUNTED, NUMBERED, Stance, sentence_stance
from taskloom_lenient1.frame import EXPLAINS, WORD, is_address, is_frame, is_frame_word, is_marked
from taskloom_lenient1.hedge import ALSO, DENIES, REVERSAL, UNDECIDED, without_harmless
from taskloom_lenient1.mask import MASK, mask
from taskloom_lenient1.numbers import find_numbers
from taskloom_lenient1.peel import peel
from taskloom_lenient1.rival import DOUBTFUL, GIVES, is_rival

__all__ = ["Stance", "asserted", "stance"]

_LONGEST = 4_000
_MOST_SENTENCES = 60
_HEADING = 5
_LONG = 12
_SHORT = 400
_DIGIT = re.compile(r"\d")
_SENTENCE = re.compile(
    r"(?<!\A\d[.])(?<![\s(]\d[.])(?<=[.!?…])[)\"'”’*_`]*[ \t]+(?!(?:is|was|would|can|could|might|may|does|do|did"
    r"|should|cannot|will|has|seems"
    r"|looks|or|but|and)\b|[»”\"'’)\]])|\s*\n\s*"
    r"|\s*[\u2639-\u263b\U0001f300-\U0001faff\ufe0f]+\s+(?=[^\W\d_a-z])"
)
_SETTLES = re.compile(
    r"\b(?:final(?:ly)?|correct(?:ed|ion)?|right|actual(?:ly)?|revised|in fact|therefore|so|thus|hence|conclu\w+"
    r"|now|but"
    r"|in the end|ultimately|must)\b",
    re.IGNORECASE,
)
_NO_OTHER = re.compile(r"[\W_]*(?:i|we|you|let|this|that|it|if|please|feel|no|nothing|only)\b", re.IGNORECASE)
_ADDRESSED = re.compile(
    r"(?:please|feel free|do|if you|you (?:can|may|should|might want)|note|keep|let)\b", re.IGNORECASE
)


def asserted(text: str, phrases: Iterable[str], most: int, *, case: bool = False, free: bool = False) -> str | None:
    """The phrase that a text asserts, None where it asserts none of them.

    Args:
        text: Anything that was said.
        phrases: What to look for.
        most: The most words that the answers of the task have.
        case: Upper and lower case matter.
        free: Phrases are lists, and may be written in any notation.
    """
    if len(text) > _LONGEST:
        return None
    low = text.casefold()
    for phrase in sorted(phrases, key=len, reverse=True):
        # A pattern costs far more to make than to look whether the words are there at all.
        first = phrase.split(None, 1)[0].strip(",;|").casefold() if phrase.strip() else ""
        if not first or first not in low or not all(map(low.__contains__, WORD.findall(phrase.casefold()))):
            continue
        # An answer that is itself a word of talk ("question") is only stated where it stands alone.
        alone = all(
            is_frame_word(word) or 0 <= min(find_numbers(word), default=-1) <= 12 for word in WORD.findall(phrase)
        )
        room = max(most, len(phrase.split()))
        doubt = phrase.casefold() in DOUBTFUL
        if stance(text, phrase, room, case=case, free=free, alone=alone, doubt=doubt) == "asserted":
            return phrase
    return None


def stance(
    text: str,
    phrase: str | re.Pattern[str],
    most: int,
    *,
    case: bool = False,
    free: bool = False,
    alone: bool = False,
    doubt: bool = False,
) -> Stance:
    """What a text says about a phrase in it.

    Args:
        text: Anything that was said.
        phrase: The phrase, or a pattern that finds it.
        most: The most words that the answers of the task have.
        case: Upper and lower case matter.
        free: The phrase is a list, and may be written in any notation.
        alone: It has to stand alone in its part of a sentence.
        doubt: The phrase is itself a doubt ("maybe", "n/a"), so that doubts around it agree with it.
    """
    text = text[:_LONGEST].replace(MASK, "")
    if _DIGIT.search(text):
        # The numbers of steps and of answers are not what is looked for, even where a number is.
        text = COUNTED.sub("", text)
    masked = mask(text, phrase, case=case, free=free) if isinstance(phrase, str) else phrase.sub(MASK, text)
    return _weigh_short(masked, most, alone, doubt) if len(masked) <= _SHORT else _weigh(masked, most, alone, doubt)


def _weigh(masked: str, most: int, alone: bool, doubt: bool) -> Stance:
    """What a text says about the mask in it."""
    if MASK not in masked:
        return "open"
    lines = _SENTENCE.split(masked)
    if len(lines) > _MOST_SENTENCES:
        return "open"
    sentences = [sentence for line in lines if (sentence := NUMBERED.sub("", line, count=1)).strip()]
    last: Stance = "open"
    named, explained, undecided, heading = False, False, False, ""
    rivals: list[bool] = []
    for place, sentence in enumerate(sentences):
        marked = is_marked(sentence)
        explained = explained or (last == "asserted" and EXPLAINS.match(sentence) is not None)
        if MASK in sentence and (not explained or marked):
            final = marked or not any(MASK in later for later in sentences[place + 1 :])
            here = sentence_stance(sentence, heading, most + _LONG * doubt, alone, final)
            last = here if here != "open" else last
            # What is called the answer, or what a sentence leads up to, outweighs whatever was thought of before.
            if here == "asserted" and (marked or is_marked(heading) or not AROUND.fullmatch(peel(sentence))):
                named, undecided = marked, False
                rivals = [rival for rival in rivals if rival and not _SETTLES.search(sentence)]
        elif last == "asserted" and _reverses(sentence):
            last = "taken back"
        elif not explained and MASK not in sentence:
            undecided = undecided or (not doubt and _is_undecided(sentence))
            marked = marked and GIVES.search(sentence) is not None
            # What is called the answer beside "n/a" is a rival however long it is.
            if (not named or marked) and is_rival(sentence, most + _LONG * (doubt and marked), place):
                rivals.append(marked)
        leads = sentence.rstrip(" *_").endswith(":") or (marked and len(sentence.split()) <= _HEADING)
        heading = sentence if leads else ""
    if last != "asserted":
        return last
    return "taken back" if undecided or any(rivals) else "open" if rivals else last


@lru_cache(maxsize=4096)
def _weigh_short(masked: str, most: int, alone: bool, doubt: bool) -> Stance:
    """The same, remembered: what is said around short answers is often the same, whatever the answers are."""
    return _weigh(masked, most, alone, doubt)


def _is_undecided(sentence: str) -> bool:
    """Whether a sentence leaves everything open, and is no offer ("Let me know if anything is unclear")."""
    return UNDECIDED.search(without_harmless(sentence)) is not None and not is_address(sentence)


def _reverses(sentence: str) -> bool:
    """Whether a later sentence takes back what was said, or puts something else beside it."""
    if _is_undecided(sentence):
        return True
    if ALSO.search(sentence) and not (is_frame(sentence) or DENIES.search(sentence) or _NO_OTHER.match(sentence)):
        return True
    opening = REVERSAL.match(sentence)
    if opening is None:
        return False
    rest = sentence[opening.end() :].lstrip(" ,:")
    # "However, please check the spelling" speaks to the reader.
    return not (is_frame(rest) or _ADDRESSED.match(rest))
