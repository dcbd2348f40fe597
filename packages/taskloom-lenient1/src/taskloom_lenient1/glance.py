"""What most outputs are: a word, a word in an ordinary frame, or one plain sentence. They are read without any search.

Each function either is sure or leaves the output to the patient rules; it never reads anything otherwise than they do.
"""

from __future__ import annotations

import re
from functools import lru_cache

from taskloom.core import Task
from taskloom_lenient1.frame import CLOSING_WORDS, OPENING_WORDS, is_frame
from taskloom_lenient1.hedge import SIGNS
from taskloom_lenient1.labels import label_set
from taskloom_lenient1.profile import Profile
from taskloom_lenient1.restate import FINITE
from taskloom_lenient1.vocabulary import NOUNS, SUBJECTS, TAILS
from taskloom_lenient1.wrapped import unwrapped

__all__ = ["at_a_glance", "plain_sentence"]

_SPECIAL = SIGNS | {"unknown", "unanswerable", "none", "nothing", "na", "answer", "sure"}
_NAMING = (
    r"(?:(?:okay|ok|well|so|thus|therefore|hence|in conclusion|i think|i believe)[,:]? (?:so )?(?:that )?)?"
    r"(?:the |my )?(?:final |correct |right |best )?(?:answer|result|output|response)"
    r"(?: to (?:the|this|your) question)?(?:(?: is| would be| should be| must be):?|:| ?(?:=|→|->|=>))[*_]*\s+"
)
_POINTING = (
    r"(?:(?:i think |i believe |i'd say )?(?:it's|it is|that's|that is|that would be|it must be) "
    r"|i(?:'d| would) say |we get )"
)
_WRAPPED = r"[*_`\"”]*[.!]?[*_`\"”]*"
_FRAMED = re.compile(rf"[*_\"“]*(?:{_NAMING}|{_POINTING})?[*_`\"“]*((?:the |an? )?[^\W\d_]+){_WRAPPED}", re.IGNORECASE)
_IS_ANSWER = re.compile(
    r"[*_\"“]*((?:the |an? )?[^\W\d_]+|\d+)[*_\"”]* is (?:the|my) (?:final |correct |right )?answer[.!]?", re.IGNORECASE
)
_PLAIN = re.compile(r"((?:[^\W\d_]+ )+[^\W\d_]+)[.!]?")
_BUSY = (
    _SPECIAL
    | CLOSING_WORDS
    | NOUNS
    | frozenset(
        re.findall(
            r"\w+",
            """so therefore thus hence overall finally consequently accordingly conclusion summary short means conclude
            correction wait scratch mean because since given which who where according based after porque ya rather
            instead left entonces tanto explanation reason note why and then i we what""",
        )
    )
)
_HEADS = OPENING_WORDS | SUBJECTS
_SENTENCE = re.compile(
    rf"[*_\"“]*(?i:{_NAMING}|{_POINTING})?[*_\"“]*([^\W\d_a-z][^\W_]*(?:,? [^\W_]+(?::\d+)?)+)[.]{{1,2}}[*_\"”]*[.]?"
)
_FRAMES = CLOSING_WORDS | NOUNS
_SEVERAL = r"[^\W_]+(?:-[^\W_]+)*(?: (?:\| )?[^\W_]+(?:-[^\W_]+)*)+"
_TIGHT = r"[^\W_]+(?:,[^\W_]+)+"
_LIST = r"[^\W_]+(?: [^\W_]+)*(?:, [^\W_]+(?: [^\W_]+)*)+"
_PHRASE = re.compile(rf"{_SEVERAL}|{_TIGHT}|{_LIST}")
_NAMED = re.compile(
    rf"[*_\"“]*(?:{_NAMING}|{_POINTING})[*_`\"“]*({_SEVERAL}|{_TIGHT}|{_LIST}|[^\W\d_]+(?:-[^\W\d_]+)*|\d+|n/a){_WRAPPED}",
    re.IGNORECASE,
)
_VERBAL = _BUSY | FINITE
_OPENERS = frozenset({"based", "according", "given", "from", "judging", "looking"})
_PLACES = frozenset({"above", "below", "left", "right"})
_LONGEST = 120
_MORE = 4


def at_a_glance(text: str, profile: Profile) -> str | None:
    """The answer where an output is one word, number or label, bare, in the most ordinary frame or wrapping."""
    found = _bare(text, profile)
    if found is None and len(text) <= _LONGEST:
        core = unwrapped(text.strip())
        if len(core) < len(text) - 1:
            return _bare(core, profile)
    return found


def _bare(text: str, profile: Profile) -> str | None:
    """The answer where an output is nothing else, or in a frame of a few words."""
    task = profile.task
    bare = text.strip(" \n.!")
    if task.labels:
        return _label_at_a_glance(text.strip(), bare, task)
    if profile.missing and bare in ("n/a", "N/A"):
        return "n/a"
    if task.kind == "json":
        named = _NAMED.fullmatch(text) if profile.missing and len(text) < _LONGEST else None
        return "n/a" if named is not None and named[1].casefold() == "n/a" else None
    if profile.sentence and task.kind != "number":
        return _sentence_at_a_glance(text, profile)
    if bare.isalpha() and task.kind != "number":
        return bare if bare.casefold() not in _SPECIAL else None
    named = _NAMED.fullmatch(text.strip()) if len(text) < _LONGEST and not bare.isdecimal() else None
    given = named[1] if named is not None else bare
    if task.kind == "number":
        named = named or _IS_ANSWER.fullmatch(text)
        given = named[1] if named is not None else bare
        return given if given.isdecimal() else None
    if len(text) > _LONGEST:
        return None
    if profile.missing and given.casefold() == "n/a":
        return "n/a"
    if named is not None or _PHRASE.fullmatch(bare):
        words = given.casefold().replace("-", " ").replace(",", " ").split()
        # What is called the answer may be longer than the examples are: the reader looks at the prose as well.
        most = max(profile.words, 2) + (0 if named is None else _MORE)
        if ", " in given and not profile.commas:
            return None
        if (
            (given.count(" ") < most or (task.kind == "items" and " | " in given))
            and words[0] not in _HEADS
            and _VERBAL.isdisjoint(words)
        ):
            return given
    framed = _FRAMED.fullmatch(text.strip()) or _IS_ANSWER.fullmatch(text.strip())
    if framed is None:
        return None
    return framed[1] if framed[1].casefold().split()[-1] not in _SPECIAL else None


def _label_at_a_glance(text: str, bare: str, task: Task) -> str | None:
    labels = label_set(task).whole
    label = labels.get(bare.casefold().replace("-", " "))
    if label is not None or len(text) > _LONGEST:
        return label
    named = _NAMED.fullmatch(text)
    if named is not None:
        return labels.get(named[1].casefold().replace("-", " "))
    framed = _FRAMED.fullmatch(text) or _IS_ANSWER.fullmatch(text)
    if framed is None:
        return _answered_in_full(text, labels)
    word = framed[1].casefold()
    return labels.get(word) if word not in _SPECIAL else None


def _answered_in_full(text: str, labels: dict[str, str]) -> str | None:
    """The label before a plain sentence that agrees with it ("No, the square is not above the circle.")."""
    head, comma, rest = text.partition(", ")
    plain = _PLAIN.fullmatch(rest) if comma else None
    label = labels.get(head.casefold())
    if plain is None or label is None or label.casefold() != head.casefold():
        return None
    words = set(plain[1].casefold().split()) - _PLACES
    if label == "no":
        words.discard("not")
    return label if labels.keys().isdisjoint(words) and SIGNS.isdisjoint(words) else None


def _sentence_at_a_glance(text: str, profile: Profile) -> str | None:
    """A sentence where sentences are asked for: no longer than they are, and nothing in it that frames another."""
    found = _SENTENCE.fullmatch(text) if len(text) <= _LONGEST and not _takes_more(profile) else None
    if found is None:
        return None
    words = found[1].casefold().split()
    if len(words) > profile.words or words[0] in _HEADS or not _FRAMES.isdisjoint(words):
        return None
    return found[1]


@lru_cache(maxsize=1024)
def _opens(head: str) -> bool:
    """Whether the words before a comma lead up to a sentence and say nothing themselves."""
    words = head.casefold().split()
    return words[:1] != [] and words[0] in _OPENERS and is_frame(head) and SIGNS.isdisjoint(words)


def _takes_more(profile: Profile) -> bool:
    """Whether answers are questions or have several sentences, so that the end of one settles nothing."""
    return profile.asks or profile.sentences > 1 or profile.task.kind != "text"


def plain_sentence(text: str, profile: Profile) -> str | None:
    """A sentence of nothing but letters, with no word that frames, hedges, denies, concludes or explains.

    A phrase of talk may open it ("Based on the story, …").
    """
    if profile.task.kind != "text" or profile.task.labels or profile.sentence or len(text) > _LONGEST:
        return None
    head, comma, rest = text.partition(", ")
    if comma and "," not in rest and _opens(head):
        text = rest
    plain = _PLAIN.fullmatch(text)
    if plain is None:
        return None
    words = plain[1].casefold().split()
    # "The office it is."
    return plain[1] if words[0] not in _HEADS and words[-1] not in TAILS and _BUSY.isdisjoint(words) else None
