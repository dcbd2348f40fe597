"""What people say about an answer, apart from the answer: "Putting it all together, we get …", "Hope that helps!".

Phrases are without number, but the words in them are few. A segment made of nothing else (`is_frame`) is talk about the
answer. Words of doubt and of denial are not among them: whatever hedges is never taken off.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache

from taskloom_lenient1.hedge import SIGNS, without_harmless
from taskloom_lenient1.vocabulary import ALONE, FRAME, LINKS, NOUNS, SUBJECTS, TAILS, TALK

__all__ = [
    "CLOSING_WORDS",
    "EXPLAINS",
    "OPENING_WORDS",
    "WORD",
    "answer_after_link",
    "is_address",
    "is_frame",
    "is_frame_word",
    "is_marked",
    "is_talk",
    "may_be_framed",
    "segments",
    "strip_openers",
    "trim",
]

WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*|\d+")
"""A word or a number."""


_BREAK = re.compile(
    r"(?<![\n.]\d)(?<=[.!?…])([)\"'”’*_`]*)\s+|\s*\n\s*|(?<=[\w)\"”’*_`])[ ]?[:：]+[*_`\"”]*(?:\s+|(?<=：))"
    r"|\s+[–—-]{1,3}\s+|;\s+|\s*[\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\u200d]+\s*"
)
_ADDRESS = re.compile(
    r"[\W_]*(?:p\.? ?s\.?(?=\W)|(?:(?:yes|sure|certainly|of course|absolutely|okay)[,!]? )?"
    r"i(?:['’]d| would| can|['’]ll| will)(?: certainly| gladly| definitely| surely)? (?:be (?:happy|glad|able) to "
    r"|love to )?(?:help|assist)|(?:please |just |do |and )?(?:let me know|ask me|just ask|feel free"
    r"|don['’]t hesitate|reach out)|(?:i )?hope (?:this|that|it)\b"
    r"|if you(?: (?:need|want|have|would|like|are|prefer|wish)|['’]d)|would you like|do you (?:want|need|have)"
    r"|is there anything"
    r"|(?:i(?:['’]m| am) )?(?:happy|glad|here|always here) to (?:help|explain|assist|walk|clarify|elaborate)"
    r"|i(?:['’]m| am| feel) (?:\w+ ){0,2}(?:sure|certain|confident|positive)\b|thanks? (?:you )?for|avísame"
    r"|espero que)\b",
    re.IGNORECASE,
)
EXPLAINS = re.compile(
    r"[\W_]{0,12}(?:(?:my|the|some|brief|short|key|longer?|quick) ){0,4}(?:explanation|explained|reason(?:ing|s)?"
    r"|rationale|justification|notes?|why|details|because|since|analysis|steps?|proof|breakdown|context|evidence|background"
    r"|here(?:['’]s| is) (?:why|how|my (?:reasoning|thought process|thinking))|how i (?:got|arrived)"
    r"|this (?:is|was|follows|means|comes|can|conclusion|answer)|that is because|explicación|razón|porque|nota|esto)\b",
    re.IGNORECASE,
)
"""How commentary on an answer begins."""
_BREAK_SIGN = re.compile(r"[.!?…\n:：–—;\u2600-\u27bf\U0001f300-\U0001faff\ufe0f\u200d-]")
_MOST = 400
_BRIEF = 80
CHAT = frozenset({"haha", "hahaha", "lol", "lmao", "tbh", "tbf", "imo", "imho", "fwiw", "ngl", "btw", "omg", "welp",
                  "yup", "yeah", "duh", "xd", "fyi", "np"})  # fmt: skip
"""What people type around an answer in a chat."""
_CHAT = "(?:" + "|".join(sorted(CHAT)) + ")"
_CHAT_LAST = re.compile(rf"[\s,.!…–—-]+{_CHAT}(?:[\s,.!]+{_CHAT})*[\s.!]*$", re.IGNORECASE)
_OPENER = re.compile(
    r"(?:based on|according to|given|from|going by|judging by|looking at|after reading|según) (?:the|this|what|my|el"
    r"|la)\b[^,.:;\n]{0,60}[,:]\s+|"
    r"(?:(?:sure|certainly|of course|absolutely|okay|ok|alright|all right|right|well|hmm+|hm|great question|gladly"
    r"|good question|claro|por supuesto|vale|bueno|so|thus|therefore|hence|then|now|in short|in conclusion|finally"
    r"|as a result|consequently|por (?:lo )?tanto|así que|entonces|clearly|obviously|evidently|here you go|there you go"
    r"|ah|oh|yep|let me think|let me see|let's see|we have|we get|i see|(?:super |pretty |that['’]s )?easy|basically"
    rf"|(?:hey|hi|hello|dude|bro|mate)(?=\s*[,!])|{_CHAT})(?:\s*[,!.:;…—–-]+\s*|\s+)"
    r"|(?:i(?:'d| would| will|'ll)? (?:think|believe|say|guess|answer|go with|conclude|choose|pick|reckon|suppose)"
    r"|ich (?:denke|glaube|meine|würde sagen|tippe auf)"
    r"|(?:i['’]m |i am )?(?:(?:pretty|quite|fairly|very|really|absolutely|so) )?(?:sure|certain|confident"
    r"|positive)(?= (?:that|it|this|its|the)\b)"
    r"|in my (?:opinion|view)|it seems|it looks like|my guess(?: is)?|creo que|pienso que|diría que)"
    r"(?:\s+(?:that|with|for|on|dass))?(?:\s*[,:]\s*|\s+)"
    r"|(?:(?:it|(?:that|this)(?: one)?)(?:['’]?s(?= )| is| was|(?:['’](?:d|ll)| must| would| should| will"
    r"| has to| ought to| can only)"
    r"(?: \w+ly| just| only)? be)"
    r"|(?:es|das) ist|also(?=\s*[,:])|daher|somit|folglich|es|sería|se trata de|debe ser|must be|would be)"
    r"(?:\s*:\s*|\s+)"
    r"|(?:definitely|certainly|surely|simply|clearly|probably|likely|most likely|most probably|actually|indeed"
    r"|about|approximately|roughly|around|namely|specifically|just|obviously|seguramente"
    r"|probablemente)(?:\s*,\s*|\s+))",
    re.IGNORECASE,
)
_AFTERWORD = re.compile(
    r"(?:\s+(?:is|are|was|would be|should be|must be|es|sería)\s+(?:the|my|la|mi)\s+(?:\w+\s+){0,2}"
    r"(?:answer|one|result|output|label|choice|solution|response|respuesta|etiqueta|resultado)(?:\s+\w+){0,3}"
    r"|\s+is (?:correct|right)|,? (?:i am|i'm|i’m) (?:sure|certain|confident)[^.]{0,40}"
    r"|,? (?:i think|i believe|i guess|of course|for sure|without a doubt|definitely|obviously|clearly))[.!]?$",
    re.IGNORECASE,
)


def is_frame(segment: str) -> bool:
    """Whether a segment only talks about the answer, or to the reader."""
    # What people say around answers is often the same; long segments are not, and would fill the memory.
    return _is_brief_frame(segment) if len(segment) <= _BRIEF else _is_frame(segment)


def _is_frame(segment: str) -> bool:
    words = WORD.findall(segment.casefold().replace("’", "'"))
    if len(words) > 1:
        if FRAME.issuperset(words) or _ADDRESS.match(segment):
            return True
        plain = without_harmless(segment)
        return plain != segment and FRAME.issuperset(WORD.findall(plain.casefold()))
    return not words or words[0] in ALONE


@lru_cache(maxsize=8_192)
def _is_brief_frame(segment: str) -> bool:
    return _is_frame(segment)


def is_address(segment: str) -> bool:
    """Whether a segment speaks to the reader ("Let me know if this helps")."""
    return _ADDRESS.match(segment) is not None


def is_talk(text: str) -> bool:
    """Whether a phrase speaks of the answer rather than giving it ("the appropriate choice")."""
    words = WORD.findall(text.casefold().replace("’", "'"))
    return len(words) > 1 and (FRAME.issuperset(words) or not NOUNS.isdisjoint(words))


def is_frame_word(word: str) -> bool:
    """Whether a word is one of those in which people talk about answers; adverbs that doubt nothing are."""
    word = word.casefold().replace("’", "'").removesuffix("'s")
    return word in TALK or (word.endswith("ly") and word not in SIGNS)


def is_marked(text: str) -> bool:
    """Whether a text names what it gives: an answer, a result, a label."""
    return not NOUNS.isdisjoint(WORD.findall(text.casefold()))


def segments(text: str) -> list[tuple[int, int]]:
    """Where the segments of a text begin and end: lines, sentences, and what colons, semicolons and dashes part."""
    found: list[tuple[int, int]] = []
    start = 0
    if _BREAK_SIGN.search(text) is None:
        return [(0, len(text))]
    for cut in _BREAK.finditer(text):
        found.append((start, cut.end(1) if cut[1] else cut.start()))
        start = cut.end()
        if len(found) == _MOST:
            break
    found.append((start, len(text)))
    return found


def trim(text: str, answers: Callable[[str], bool] | None = None) -> str:
    """Without the segments at both ends that only talk about the answer; all of it where nothing else would remain.

    Args:
        text: Any text.
        answers: Tells segments that are an answer, whatever their words are.
    """
    parts = segments(text)
    if len(parts) == 1:
        return text

    def talk(place: int) -> bool:
        segment = text[slice(*parts[place])]
        return is_frame(segment) and not (answers is not None and answers(segment))

    first, last = 0, len(parts) - 1
    while first < last and talk(first):
        first += 1
    if first == last and talk(first):
        return _asserting(text, parts)
    while last > first and talk(last):
        last -= 1
    return text[parts[first][0] : parts[last][1]]


def _asserting(text: str, parts: list[tuple[int, int]]) -> str:
    """Of segments that all sound like talk the one that gives something ("It is question."), the briefest first."""
    best: tuple[int, str] | None = None
    for start, end in parts:
        segment = text[start:end]
        given = len(_unframe(segment).split())
        if given < len(segment.split()) and (best is None or given < best[0]):
            best = given, segment
    return text if best is None else best[1]


def _unframe(core: str) -> str:
    """Without the words that lead up to an answer ("so we get …") and those that follow it ("… is what I get")."""
    words = list(WORD.finditer(core))
    if len(words) < 2:
        return core
    folded = [word[0].casefold().replace("’", "'") for word in words]
    begin = _lead(core, words, folded)
    end = _tail(core, words, folded, begin)
    if not begin and end == len(words):
        return core
    start = words[begin - 1].end() if begin else 0
    stop = len(core) if end == len(words) else _with_marks(core, words[end - 1].end())
    return core[start:stop].lstrip(" \t,:") or core


def _lead(core: str, words: list[re.Match[str]], folded: list[str]) -> int:
    """How many words lead up to the answer: talk with a subject that ends in a linking word, or in a comma."""
    run = 0
    while run < len(folded) and folded[run] in FRAME:
        run += 1
    if 1 < run < len(folded) and "," in core[words[run - 1].end() : words[run].start()]:
        return run
    # Where the answer itself is such a word ("It is question."), the first link that no other follows leads up to it.
    places = range(run, 0, -1) if run < len(folded) else range(1, len(folded))
    for place in places:
        if folded[place - 1] in LINKS and (run < len(folded) or folded[place] not in LINKS):
            told = place + (place + 1 < len(folded) and folded[place] in ("me", "us", "you"))
            return told if not SUBJECTS.isdisjoint(folded[:place]) else 0
    return 0


def _tail(core: str, words: list[re.Match[str]], folded: list[str], begin: int) -> int:
    """Where the answer ends and talk about it begins, after a comma or with a verb."""
    run = len(folded)
    while run > begin + 1 and folded[run - 1] in FRAME:
        run -= 1
    subject = next((place for place in range(len(folded) - 1, run - 1, -1) if folded[place] in SUBJECTS), -1)
    for place in range(max(run, begin + 1), len(folded) - 1):
        gap = core[words[place - 1].end() : words[place].start()]
        if "," in gap or (place <= subject and (folded[place] in TAILS or "-" in gap)):
            return place
    return len(folded)


def answer_after_link(core: str, most: int, *, sentence: bool = False) -> str | None:
    """What follows the first linking word of a long sentence after which an answer's number of words remains.

    Whoever says more than an answer has words, and no word of it can be recognised, still says what the answer *is*.

    Args:
        core: An assertion.
        most: The most words that the answers of the task have.
        sentence: Answers are sentences, so they begin with a capital letter.
    """
    words = core.split()
    room = max(most, 1) + 2
    if len(words) < room + 2:
        return None
    for place in range(len(words) - room, len(words)):
        if words[place - 1].casefold().strip("*_\"'“’,:") in LINKS:
            rest = " ".join(words[place:])
            if not sentence or rest.lstrip('*_"“¿¡')[:1].isupper():
                return rest.strip(' "”*_')
    return None


def _with_marks(core: str, end: int) -> int:
    """The end of a word together with the closing marks after it."""
    while core[end : end + 1] in (")", "]", '"', "”", "’", "'", "*", "`", "."):
        end += 1
    return end


def _may_open(word: str) -> bool:
    return word in _OPENERS or word.startswith("hmm")


def strip_openers(text: str, *, frame: bool = True) -> str:
    """Without phrases that open an answer ("I think it's …") and those that close it ("… is the answer").

    Args:
        text: An assertion.
        frame: Take off whatever else leads up to an answer or follows it, as far as it is talk.
    """
    for _ in range(6):
        first = _FIRST_WORD.match(text)
        opener = _OPENER.match(text) if first is not None and _may_open(first[0].casefold()) else None
        if opener is None or opener.end() >= len(text):
            break
        text = text[opener.end() :]
    chat = _CHAT_LAST.search(text, len(text) - 40)
    if chat is not None and chat.start() > 0:
        text = text[: chat.start()]
    afterword = _AFTERWORD.search(text, len(text) - 80)
    if afterword is not None and afterword.start() > 0:
        text = text[: afterword.start()]
    return _unframe(text) if frame else text


OPENING_WORDS = (
    frozenset(
        re.findall(
            r"\w+",
            """based according given from going judging looking after según sure certainly of absolutely okay ok alright
            all right well hmm hm great gladly good claro por vale bueno so thus therefore hence then
            in finally as consequently
        así entonces clearly obviously evidently here there ah oh yep let we i easy my it creo pienso diría that this es
        sería se debe must would definitely surely simply probably likely most actually indeed about approximately
        roughly around namely specifically just seguramente probablemente basically hey hi hello dude bro mate
        pretty quite fairly very really""",
        )
    )
    | CHAT
)
_OPENERS = OPENING_WORDS | frozenset(
    re.findall(r"\w+", "ich das daher somit folglich also its thats thiss now certain confident positive")
)
_FIRST_WORD = re.compile(r"[^\W\d_]+")
CLOSING_WORDS = (
    frozenset(
        re.findall(
            r"\w+",
            """answer one result output label choice solution response respuesta etiqueta resultado correct right sure
        certain confident think believe guess course doubt definitely obviously clearly full period""",
        )
    )
    | CHAT
)


def may_be_framed(words: set[str]) -> bool:
    """Whether a text with these words can have phrases for `strip_openers`; false for most answers."""
    return not (SUBJECTS.isdisjoint(words) and OPENING_WORDS.isdisjoint(words) and CLOSING_WORDS.isdisjoint(words))
