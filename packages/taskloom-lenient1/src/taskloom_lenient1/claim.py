"""What one sentence says about an answer that has been masked in it.

The sentence is reduced to its claim: without what it concedes first ("Although the garden is mentioned, …"), and
without the reasons and contrasts that follow ("…, not the garden", "…, because nobody left it"). Doubts anywhere in
the claim and denials in the clause of the mask take the answer back. What remains asserts it where the words around it
are talk, where it is named ("the answer is …"), or where marks single it out.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Literal, TypeAlias

from taskloom_lenient1.frame import WORD, is_address, is_frame, is_frame_word, is_marked, strip_openers
from taskloom_lenient1.hedge import (
    ASIDE,
    BRACKETED,
    CONCESSION,
    CONTRAST,
    CROWD,
    DENIES,
    NO_NOUN,
    OPEN,
    SETTLED_BEFORE,
    UNDECIDED,
    after_turn,
    may_refuse,
    without_harmless,
)
from taskloom_lenient1.layout import ANSWER_NOUN
from taskloom_lenient1.mask import MASK
from taskloom_lenient1.peel import peel
from taskloom_lenient1.rival import GIVES, OTHER, is_rival
from taskloom_lenient1.vocabulary import LINKS, SUBJECTS

__all__ = ["AROUND", "COUNTED", "NUMBERED", "Stance", "sentence_stance"]

Stance: TypeAlias = Literal["asserted", "taken back", "open"]

_LABEL = 3
_PART = re.compile(r"[:;()\[\],]\s+|：\s*|[()\[\]]|\s[–—-]{1,3}\s")
NUMBERED = re.compile(r"^\s*(?:[-*•–+]\s+|\(?(?:\d{1,2}|[a-hA-H])[.)]\s+)(?=\S)")
COUNTED = re.compile(
    r"(?m:^)[ \t]*\(?\d{1,2}[.)][ \t]+(?=\S)"
    r"|(?i:(?<=answer)|(?<=option)|(?<=step)|(?<=choice)|(?<=guess)|(?<=possibility)) #?\d{1,2}(?=\s*[:.)=])"
)
"""The number of a line, a step or an answer."""
_CLAUSE = re.compile(
    r"[,;:：()–—]\s*|\s-\s|\b(?:so|because|since|therefore|hence|and"
    r"|(?<!thing )(?<!where )(?<!one )(?<!all )but)\b",
    re.IGNORECASE,
)
AROUND = re.compile(
    rf"(?:(?:in|at|on|to|from|by|near|inside|of|en) )?(?:(?:the|an?|el|la|los|las|un"
    rf"|una) )?{MASK}(?:[ ,|]+(?:and )?{MASK})*",
    re.IGNORECASE,
)
_LEAVES_OPEN = re.compile(f"{OPEN.pattern}|{CROWD.pattern}", re.IGNORECASE)
_BEFORE = re.compile(rf"([^,:;()]+),\s[^,:;()]{{0,20}}{MASK}")
_AFTER = re.compile(rf"{MASK}[^,:;()]*[,;(]\s?([^,:;()]+)")
_DASH = re.compile(r"\s[–—-]{1,3}\s")
_EMPHASISED = re.compile(rf"(?:\*\*|__|`|[\"“«])(?:the |an? )?{MASK}[.!]?(?:\*\*|__|`|[\"”»])", re.IGNORECASE)
_NAMED = re.compile(
    rf"\b{ANSWER_NOUN}\b(?:, [^.:;,\n]{{1,30}},)?[^.:;,\n]{{0,40}}?(?:\b(?:is|are|was|be|es)\b"
    rf"|[:=：→⇒>])[*_\s\"“‘`]*(?:(?:the|an?) )?{MASK}"
    rf"(?![\s*_]+[^\W\d_])",
    re.IGNORECASE,
)
_LED_UP = re.compile(rf"\b{ANSWER_NOUN}(?: [^\W\d_]+){{1,4}} [*_\"“‘`]*{MASK}[*_\"”’`]*(?=[.!]?$)", re.IGNORECASE)
_ARRIVES = re.compile(
    rf"\b(?:arrive at|works? out (?:to|as)|comes? (?:down )?to|boils? down to|leads? (?:me|us)? ?to"
    rf"|adds? up to|amounts? to"
    rf"|(?:gives?|leaves?) (?:us|me)(?: with)?|we get|i get|make it|landed on|settled? on|go(?:ing)? (?:with|for))"
    rf" [*_\"“‘`]*{MASK}[*_\"”’`]*[.!]?$|{MASK} as (?:the|my|our) (?:\w+ )?{ANSWER_NOUN}",
    re.IGNORECASE,
)
_BEFORE_ANSWER = LINKS | {"answer", "answering", "answered", "respond"}
_NAMES = re.compile(rf"^(.*[,;:–—]\s+)(?:\w+\s+){{0,5}}{ANSWER_NOUN}\b[^,;:–—]*[:*_\s\"“]*$", re.IGNORECASE | re.DOTALL)
_CONDITION = re.compile(
    r"\b(?:if|unless|whether|assum\w+|suppos\w+|had|were|provided|either|or|depend\w*|in case|one|another|some"
    r"|others|sake"
    r"|perhaps|maybe|possibly)\b",
    re.IGNORECASE,
)
_MY_DOUBT = re.compile(
    r"[\W_]*(?:i|we)(?:['’]m| am| are|['’]re)?(?: \w+ly)? (?:not|(?:would|do|ca|can|could|wo|should)(?:n['’]t"
    r"| ?not)|might"
    r"|may|could|doubt|hesitate)\b",
    re.IGNORECASE,
)
_SPEAKS = re.compile(
    r"(?<!['’])\b([^\W\d_]+(?:['’][^\W\d_]+)?) (?:\w+ly )?(?:says?|said|claims?|claimed|argues?|argued|thinks?"
    r"|thought|believes?|believed"
    r"|insists?|suggests?|suggested|answers?|answered|guess(?:es|ed)?|would|might|could|may)\b",
    re.IGNORECASE,
)
_OTHERS = frozenset({"mine", "yours", "user", "users", "one", "ones", "else"})
_ATTRIBUTED = re.compile(
    rf"{MASK}[\"”’'*_]*,? (?:said|says|say|claims?|claimed) (?!i\b|we\b|the (?:text|passage|story|input)"
    rf"|it\b|so\b|that\b)\w",
    re.IGNORECASE,
)
_NO = re.compile(r"[\W_]*(?:no|nope|nah)(?![^\W_])[\W_]*", re.IGNORECASE)
_PARALLEL = re.compile(r"\s+(in|for|by|to|under|on|at|with)\b[^,;]*[,;]\s+(?:\S+ ){1,5}\1\b", re.IGNORECASE)
_PUT_AWAY = re.compile(
    rf"\b(?:rul\w+|cross\w*|throw\w*|leav\w+|count\w*|strik\w+|turn\w*|tak\w+|put\w*|set\w*|lay\w*)\W+{MASK}\W+"
    r"(?:out|off|down|aside|back|away)\b",
    re.IGNORECASE,
)
_ALL_BUT = re.compile(
    r"\b(?:any|every|each|all|whatever|anything|everything)\b[^,;:.]{0,30}\bbut\W*(?:(?:the|an?) )?$", re.IGNORECASE
)
"""That it is everything else ("any answer but …")."""
_WRONG_AFTER = re.compile(
    r"\b(?:you|one|i|we|they|he|she|it|that|this|which)(?:['’](?:d|ll|re|s|m)| would| will| are| is| was| were| am)"
    r"(?: \w+){0,2} (?:wrong|mistaken|incorrect|in error)\b",
    re.IGNORECASE,
)
"""That whoever says so is wrong."""
_STRUCK_OUT = re.compile(
    r"[(\[]\s*(?:\w+ ){0,2}(?:rejected|wrong|incorrect|false|invalid|discarded|possible|plausible"
    r"|unlikely|option|candidate"
    r"|not (?:it|true|correct|right)|(?:ruled"
    r"|crossed) out)\s*[)\]]",
    re.IGNORECASE,
)
_TURNS = re.compile(
    r"[\W_]*(?:no\b(?=[,.!…]| wait)|wait\b|actually\b|scratch\b|correction\b|hmm+\b|oops\b|sorry\b|rather\b|i mean\b"
    r"|(?:just )?(?:kidding|joking)\b|on second thought|never ?mind|make that\b|or rather\b|nope\b)",
    re.IGNORECASE,
)
_AFTER_DASH = re.compile(r"[*_\"”\s]*(?:[–—:]|-(?=\s))[\s*_]*(\S+(?: \S+){0,2})[.!]*$")
_CLOSED = re.compile(r"[)\]]")
_EMPHASIS = re.compile(r"\*\*|__|`|[\"“”«»]")
_BESIDE_OTHER = re.compile(rf"{MASK}[\"'”’*_`]*\s*(?:[,;/…–—|-]|\.{{3}})+\s*(?:(?:or|and) )?[\"'“‘*_`]*{OTHER}\b")
_ENUMERATED = re.compile(r"(?:^|\s)\(?1[.)]\s.*\s\(?2[.)]\s")


def sentence_stance(sentence: str, heading: str, most: int, alone: bool, final: bool) -> Stance:
    """What one sentence says about the mask in it, below a heading or after a lead ("Possible answers:")."""
    if heading and _LEAVES_OPEN.search(without_harmless(heading)):
        return "taken back"
    asks = sentence.rstrip(" *_\"'”)").endswith("?")
    if AROUND.fullmatch(peel(sentence)):
        return "taken back" if asks else "asserted"
    if asks:
        return "taken back"
    lead, colon, rest = sentence.partition(": ")
    claim = _claim(rest if colon and MASK in rest and is_address(lead) else sentence)
    if claim is None or _ENUMERATED.search(claim) or _is_reason_of_another(claim) or _BESIDE_OTHER.search(claim):
        return "taken back"
    if _takes_back(claim):
        return "taken back"
    marked = _EMPHASISED.search(claim) if len(_EMPHASIS.findall(claim)) == 2 else None
    singled_out = marked is not None and (not alone or not WORD.search(claim, marked.end()))
    rivals = [] if singled_out else [part for part in _beside(claim) if is_rival(_DASH.split(part)[0], most)]
    if rivals:
        # "No, the answer is yes."
        return "taken back" if any(map(GIVES.search, rivals)) else "open"
    return "asserted" if _is_framed(claim, alone, final, singled_out) else "open"


def _is_reason_of_another(sentence: str) -> bool:
    """Whether the mask only stands in the reason for something else that is called the answer."""
    reason = ASIDE.search(sentence)
    if reason is None or MASK in sentence[: reason.start()] or MASK not in reason[0]:
        return False
    main = sentence[: reason.start()]
    return GIVES.search(main) is not None and not is_frame(main)


def _claim(sentence: str) -> str | None:
    """A sentence without what it concedes first and without what follows; None where the mask is only there.

    "Although the garden is mentioned, it is the office, as nobody left it" claims that it is the office.
    """
    conceded = CONCESSION.match(sentence)
    # "Not the answer: …" names what follows, and concedes nothing.
    if conceded is not None and not (conceded[0].rstrip().endswith(":") and is_marked(conceded[0])):
        if MASK in conceded[0] and MASK not in sentence[conceded.end() :]:
            return None
        if MASK in sentence[conceded.end() :]:
            if UNDECIDED.search(conceded[0]):
                return None
            sentence = sentence[conceded.end() :].removeprefix("but ")
    start = sentence.find(MASK)
    bracket = max(sentence.rfind("(", 0, start), sentence.rfind("[", 0, start))
    if (
        bracket > 0
        and not _CLOSED.search(sentence, bracket, start)
        and not is_frame(NUMBERED.sub("", sentence[:bracket]))
    ):
        # In brackets after something else ("garden (previously office)").
        return None
    lead = after_turn(sentence[:start])
    turned = sentence[: start - len(lead)]
    if turned and (UNDECIDED.search(turned) or (_MY_DOUBT.match(turned) and not _NAMED.search(sentence))):
        return None
    sentence = _without_preamble(lead) + sentence[start:]
    end = sentence.find(MASK) + 1
    remarks = without_harmless(" ".join(note for note in BRACKETED.findall(sentence[end:]) if not ASIDE.match(note)))
    if remarks and (OPEN.search(remarks) or UNDECIDED.search(remarks) or _STRUCK_OUT.search(remarks)):
        return None
    after = BRACKETED.sub("", sentence[end:])
    aside = ASIDE.search(after)
    if aside is not None and MASK not in after[: aside.start()]:
        if MASK in aside[0] and DENIES.search(aside[0].partition(MASK)[0]):
            return None
        after = after[: aside.start()]
    return sentence[:end] + after


def _without_preamble(lead: str) -> str:
    """What leads up to the mask from the clause on that names the answer, unless that hangs on what goes before."""
    named = _NAMES.search(lead)
    if named is None or _CONDITION.search(named[1]) or UNDECIDED.search(named[1]) or _MY_DOUBT.match(named[1]):
        return lead
    return lead[named.end(1) :]


def _takes_back(claim: str) -> bool:
    """Whether a claim doubts the mask anywhere, or denies it at one of its places."""
    if not may_refuse(set(map(str.casefold, WORD.findall(claim))), claim):
        return False
    around = [without_harmless(part) for part in claim.split(MASK)]
    if any(OPEN.search(part) or UNDECIDED.search(part) for part in around):
        return True
    if (
        _WRONG_AFTER.search(around[-1])
        or _PUT_AWAY.search(claim)
        or SETTLED_BEFORE.search(around[0])
        or _PARALLEL.match(around[-1])
    ):
        return True
    # Whoever else says so is not the one who was asked ("Critics would answer …").
    if any(
        speaker[1].casefold() in _OTHERS or not is_frame_word(speaker[1])
        for speaker in _SPEAKS.finditer(_CLAUSE.split(around[0])[-1])
    ):
        return True
    if _ATTRIBUTED.search(claim):
        return True
    if any(map(_ALL_BUT.search, around[:-1])):
        return True
    for before, after in pairwise(around):
        for near in (_lead(before), _verdict(after)):
            if _NO.fullmatch(near) or DENIES.search(near) or CROWD.search(near) or NO_NOUN.search(near):
                return True
    if any(_TURNS.match(clause) for clause in _CLAUSE.split(around[-1])[1:]):
        return True
    reversal = CONTRAST.search(around[-1])
    return reversal is not None and not is_frame(around[-1][reversal.start() :])


def _lead(before: str) -> str:
    """The clause that leads up to the mask; a label before a colon belongs to it ("Incorrect: …")."""
    clause = _CLAUSE.split(before)[-1]
    label = before.rstrip(" *_").removesuffix(":") if not clause.strip(" *_") else ""
    return label if label and len(label.split()) <= _LABEL else clause


def _verdict(after: str) -> str:
    """The clause that follows the mask; a word or two after a dash or a colon belong to it ("… – wrong!")."""
    verdict = _AFTER_DASH.match(after)
    return verdict[1] if verdict is not None else _CLAUSE.split(after)[0]


def _beside(sentence: str) -> list[str]:
    """The parts of a sentence before and after the mask that might offer something else."""
    found = _BEFORE.search(sentence), _AFTER.search(sentence)
    beside = [match[1] for match in found if match is not None]
    if found[0] is not None and _starts_anew(sentence[found[0].end(1) : sentence.find(MASK)]):
        beside = beside[1:]
    return [part for part in beside if MASK not in part]


def _is_framed(sentence: str, alone: bool, final: bool, singled_out: bool) -> bool:
    """Whether the part with the mask is the mask alone or the mask among talk."""
    if alone and _ARRIVES.search(sentence):
        return True
    parts = [part for part in _PART.split(without_harmless(sentence)) if part and part.strip()]
    if _NAMED.search(sentence) or (final and singled_out) or (not alone and _LED_UP.search(sentence)):
        return True
    for part in (part for part in parts if MASK in part):
        if AROUND.fullmatch(peel(strip_openers(peel(part), frame=False))):
            return True
        if alone:
            if _leads_up(part):
                return True
            continue
        words = [word for word in WORD.findall(part.casefold().replace("’", "'")) if word != MASK]
        unknown = len(words) - sum(map(is_frame_word, words))
        # What is said of the answer has to be talk throughout ("… has been overruled"); what leads up to it, mostly.
        said_of_it = map(is_frame_word, WORD.findall(part[part.rfind(MASK) + 1 :]))
        # Who tells a story is not speaking of an answer ("Sandra travelled to the …").
        room = 2 if final and words and is_frame_word(words[0]) else 5
        if not words or (room * unknown <= len(words) and all(said_of_it) and _stands_apart(part)):
            return True
    return False


def _leads_up(part: str) -> bool:
    """Whether talk leads up to the mask and ends with it ("It turns out to be …"), without an article in between."""
    before, _, after = part.partition(MASK)
    words = WORD.findall(before.casefold().replace("’", "'"))
    room = len(words) > 1 and words[-1] in _BEFORE_ANSWER and not WORD.search(after)
    return room and all(map(is_frame_word, words))


def _starts_anew(lead: str) -> bool:
    """Whether the words before the mask are a clause with a subject of its own ("…, I find")."""
    words = [word.casefold().replace("’", "'") for word in WORD.findall(lead)]
    return not SUBJECTS.isdisjoint(words) or not {"one", "hence", "so"}.isdisjoint(words)


def _stands_apart(part: str) -> bool:
    """Whether punctuation, marks or talk stand on both sides of the mask."""
    start, end = part.find(MASK), part.rfind(MASK) + 1
    before, after = WORD.findall(part[:start]), WORD.findall(part[end:])
    near = part[:start].rstrip(" ")[-1:] not in ("", *'"“‘*_`,:') and before
    if near and not is_frame_word(before[-1]):
        return False
    far = part[end:].lstrip(" ")[:1] not in ("", *'"”’*_`,.!:') and after
    return not far or is_frame_word(after[0])
