"""Words that take an answer back: alternatives, doubts, denials, and that the passage does not say."""

from __future__ import annotations

import re
from functools import lru_cache

__all__ = [
    "ALSO",
    "ALTERNATIVE",
    "ASIDE",
    "BRACKETED",
    "CONCESSION",
    "CONTRAST",
    "CROWD",
    "DENIAL",
    "DENIES",
    "HEDGE",
    "NOT_AVAILABLE",
    "NO_NOUN",
    "OPEN",
    "REVERSAL",
    "SETTLED_BEFORE",
    "SIGNS",
    "SILENT",
    "UNDECIDED",
    "after_turn",
    "is_denied",
    "may_deny",
    "may_doubt",
    "may_refuse",
    "takes_back",
    "without_harmless",
]

_DOUBTS = (
    r"maybe|perhaps|might|may be|may well|could be|could also|could go|possibly|either|unsure|alternatively|depends"
    r"|not (?:entirely |quite |so )?(?:sure|certain)|hard to (?:say|tell)|no idea|who knows|i (?:do not|don['’]t) know"
    r"|(?:can(?:not|['’]t)|could(?: not|n['’]t)) (?:say|tell|be sure|decide)|one of|toss-?up|50/50"
    r"|(?:may|might) (?:expect|think|say)|some (?:people )?(?:would |might |may )?say|(?:first|second|other) guess"
    r"|(?:false|untrue|wrong|incorrect|mistaken?|not true|not correct|not right|not the case|n['’]t (?:true|correct"
    r"|right|the case)) (?:that|to (?:say|think))|before i (?:can|could|would)"
    r"|(?:im)?plausibl[ey]|conceivabl[ye]|potentially|arguably|uncertain|undecided|torn|debatable|ambiguous|unclear"
    r"|(?:would|could|might|can|may) both|both (?:work|fit|seem|are (?:possible|plausible|right|correct|valid|fine))"
    r"|on (?:the )?(?:one|other) hand|tempting|chang(?:e|ed|ing) my mind|on second thought|i take (?:that"
    r"|it) back|no, wait"
    r"|sometimes|i doubt|doubtful|doubt (?:it|that)|guesses|wonder(?:ing)? (?:if|whether)|asked (?:if|whether)"
    r"|undetermined"
    r"|unless (?:it|that|this|he|she|they)|(?:pick|choose|select|decide) (?:one|any|between|from|among(?:st)?|out of)"
    r"|back and forth|which of (?:these|those|them)|would have been"
    r"|contenders?|candidates"
    r"|possible (?:answers|options|choices|labels|results)|if you (?:read|see|take|look)"
    r"|quizás?|tal vez|puede que|podría|posiblemente|a lo mejor|no (?:lo )?sé"
    r"|vielleicht|möglicherweise|eventuell|entweder|oder|könnten?|unsicher|unklar|weiß (?:es |ich )?(?:es )?nicht"
)

_MORE_DOUBTS = (
    r"inconclusive|indeterminate|speculat\w+|unresolved|unsettled|unknowable|open question"
    r"|(?:a|some|any|good|fair|small|slight|decent|the) (?:chance|possibility|likelihood)|chances are|odds"
    r"|(?:probability|likelihood) of"
    r"|coin[- ](?:flip|toss)|tie|tied|on the fence|split between|dilemma|hesita\w+|reluctant|conflicted|stuck"
    r"|just (?:kidding|joking)|half and half|fifty-fifty|50[-–]50|equally (?:\w+ )?(?:good|likely|possible|plausible)"
    r"|(?:one|another|other|different|several|multiple|two|many) (?:possible )?"
    r"(?:interpretations?|readings?|possibilit\w+|views?|answers|options|ways to (?:read|see))"
    r"|(?:take|make) your (?:pick|choice)|low confidence|not (?:very |too |so )?confident|(?:a|only"
    r"|just) (?:\w+ )?guess|guesswork|grain of salt"
    r"|(?:close|near|strong|good|clear) second|second (?:place|choice|best|option)"
    r"|(?:previous|last|next|other|another|different) (?:question|task|problem)"
    r"|(?:could|may|might) (?:\w+ly )?be|otherwise|or else|and/or|in which case|etc"
)
"""Words that answers, too, are made of: a doubt only where the answer has been masked."""

_SHARES = r"\(\d+ ?%\)[^\n]*\(\d+ ?%\)"
HEDGE = re.compile(rf"\b(?:{_DOUBTS}|both|any of)\b|{_SHARES}", re.IGNORECASE)
"""A doubt about the answer."""

ALSO = re.compile(
    r"\b(?:would|could|might|may|can|also|equally|just as)\b.*\b(?:too|as well|also|possible|plausible|valid"
    r"|works?|fits?"
    r"|make sense|correct|acceptable|right|likely|good)\b",
    re.IGNORECASE,
)
"""That something else would do as well."""

ALTERNATIVE = re.compile(
    rf"\b(?:{_DOUBTS}|or)\b|\s/\s|(?<=\s)[ou](?=\s)|(?<=\S)\s+[<>]\s+(?=\S)|{_SHARES}", re.IGNORECASE
)
"""A doubt, or a second answer beside the first."""

OPEN = re.compile(
    rf"\b(?:{_DOUBTS}|{_MORE_DOUBTS}|or|both|any of|none of|neither of|another|if|unless|whether|between(?=\W*$)"
    rf"|between\b[^,.;:]*\band(?=\W*$)"
    rf"|as well as|versus|vs|assuming|depending|hesitate"
    rf"|wonder|ni)\b|\s/\s"
    r"|(?<=\s)[ou](?=\s)|(?<!\d)(?<!\d[.,])[0-8]?\d ?%"
    r"|(?<=\S)\s+[<>≥≤≈]\s+(?=\S)|^\W*(?:had|were)\b.*(?:\bwould\b|['’]d\b|\bcould\b|\bmight\b)"
    r"|\b(?:would|['’]d|could|might) have\b(?! to\b)|['’]d have\b(?! to\b)|\b(?:is|as|be) (?:only |just "
    r"|merely )?one (?:\w+ )?"
    r"(?:option|possibility|candidate|choice|answer|way|guess|theory)\b|\b(?:ranking|ranked|shortlist|top \d"
    r"|runner-up)\b"
    r"|^\W*(?:suppose|supposing|assume|imagine|pretend)\b|\blet['’]s (?:suppose|assume|pretend|imagine)\b"
    r"|\bfor the sake of\b|\b(?:wrong|incorrect|false|mistaken|erroneous|invalid|bad|fake|bogus"
    r"|dummy) (?:answer|response|reply|label"
    r"|output|result|conclusion|choice)\b",
    re.IGNORECASE,
)
"""What leaves an answer open in the sentence around it, where the answer itself has been masked."""

CROWD = re.compile(
    r"\b(?:possible|possibility|possibilities|options|alternatives|equally|others?|another|some|many"
    r"|people|readers?|students?|someone|anyone|everyone|folks|doubt|could|would-be|misconception|trap"
    r"|may|tempting|naive(?:ly)?|careless|hasty|superficial(?:ly)?|hypothetical(?:ly)?|supposed(?:ly)?"
    r"|alleged(?:ly)?)\b",
    re.IGNORECASE,
)
"""What leaves it open in its own clause: talk of several answers, or of several people."""

DENIAL = re.compile(
    r"\b(?:not|never|neither|nor|cannot|except|anything but|anywhere but|nowhere|no (?:longer|way|means|chance"
    r"|case)|other than|rul(?:e[ds]?|ing) out"
    r"|wrong|incorrect|untrue|false that|mistaken?|rather than|instead of|unlike|unlikely|less (?:likely"
    r"|probable)|improbable|hardly|far from"
    r"|exclude[ds]?|eliminated?|reject(?:ed)?|dismiss(?:ed)?|discard(?:ed)?|avoid|opposite of|contrary"
    r"|refut\w+|disprov\w+|invalid\w*|impossible|inaccurate|unsupported|inconsistent|questionable|absurd"
    r"|nonsense|fails?|(?:is|are|was|['’]s) (?:\w+ly )?(?:false|out)(?! of\b)"
    r"|nunca|tampoco|nicht|niemals|weder|keine?[nrms]?|no (?:es|está|son|están))\b|n['’]t\b",
    re.IGNORECASE,
)
"""What makes a sentence say the opposite."""

DENIES = re.compile(
    rf"{DENIAL.pattern}|\b(?:(?:any|every)(?:thing|where|one) but|all but|nobody|no one|none|few"
    r"|contradict\w*|conflicts?|disagree\w*|den(?:y|ies|ied|ying)|disput\w+|overrul\w+|overturn\w*"
    r"|refus(?:e|es|ed|ing)|declin(?:e|es|ed|ing)|against|misleading|misread(?:ing)?|misunderstanding|erroneous(?:ly)?"
    r"|error|unfounded|unwarranted|unreasonable|premature|implausible|dubious|doubtful|red herring|distractor"
    r"|disqualif\w+|out of the question|off the table|without being|lacks?|missing"
    r"|(?<!we['’]re )(?<!are )(?<!is )left(?! with)|away from|unable|unwilling|forbidden"
    r"|ceas(?:e[ds]?|ing)|fake|bogus|phon(?:e)?y|dummy|sham|too far|overstat\w*|exaggerat\w*|a stretch"
    r"|before (?:saying|answering|concluding|deciding|committing|settling|claiming)|said before"
    r"|beats|outweighs|trumps|outdoes|(?:better|rather|other|more likely) than|preferable to"
    r"|nothing(?! (?:else|more|further|but|other|less|short of)\b)"
    r")\b|\b(?:almost|nearly|not quite)\W*$",
    re.IGNORECASE,
)
"""More of it, in words that answers, too, are made of: for sentences where the answer has been masked."""

SETTLED_BEFORE = re.compile(
    r"\b(?:at first|earlier,? (?:it|this|that|he|she) (?:was|had)|in the beginning|initially|originally|formerly"
    r"|previously,? (?:i|we|it|he|she|they|that|this)|(?:i|we)(?: had| have|['’]d|['’]ve)? previously"
    r"|(?:answered|said|thought|believed|guessed|assumed|wrote|claimed) (?:previously|earlier|before)"
    r"|(?:chang\w+|switch\w+) from|used to|was (?:going|about) to|were going to|until|tempt(?:ed|ing)"
    r"|(?:initial|first|original|previous|prior|old|former) (?:answer|guess|thought|idea|response|impression"
    r"|instinct|choice))\b"
    r"|\b(?:would|could|might|may) (?:have )?(?:say|said|think|thought|expect(?:ed)?|guess(?:ed)?|be"
    r"|been)\b.{0,60}\bif\b",
    re.IGNORECASE,
)
"""That an answer was thought of once, before another."""

CONTRAST = re.compile(r"\b(?:but|however|although|though|yet|except|until|unless|no,|pero|aunque)\b", re.IGNORECASE)
"""What turns a sentence round after its answer."""

REVERSAL = re.compile(
    r"[\W_]*(?:or\b|on the (?:other hand|contrary|flip side)|that said\b|having said|at the same time|conversely"
    r"|by contrast|mind you|still,|yet\b|nevertheless|nonetheless|also (?:acceptable|possible|valid|correct"
    r"|plausible|likely)\b|(?:alternative|alternate|other"
    r"|second|backup)\b|but\b|no\b(?=[,.!…]| wait)|wait\b|actually\b|however\b"
    r"|although\b|though\b|alternatively\b|hmm*\b|scratch\b|correction\b|on second thought|on reflection"
    r"|then again|maybe\b"
    r"|never ?mind|forget (?:it|that)|disregard|ignore (?:that|this)|i stand corrected|edit\b|update\b"
    r"|i (?:now|have since|since) (?:think|believe|say|see|reali[sz]e|know|find|changed|suspect)"
    r"|just (?:kidding|joking)|sorry\b(?=[,.!]| i\b)|(?:i )?mis(?:read|spoke)"
    r"|my (?:mistake|bad)|i (?:misread|misspoke|was wrong|made a mistake|meant|take that)"
    r"|(?:it|that|this|the answer) (?:should|must|ought to)(?: really| actually)?(?: have been| be)\b"
    r"|perhaps\b|unless\b|rather\b|instead\b|oops\b|strike\b|i mean\b|let me (?:correct|rethink|reconsider)|i take"
    r"|that(?:['’]s| is| was)(?:n['’]t| not| wrong| incorrect)|it(?:['’]s| is| was)(?:n['’]t| not| wrong)|this is not"
    r"|not\b(?!-)|o\b|pero\b)",
    re.IGNORECASE,
)
"""How a later sentence begins that takes the answer back or puts another beside it."""

UNDECIDED = re.compile(
    r"\b(?:impossible to (?:say|tell|know|determine|decide)|(?:not|\w+n['’]t) (?:entirely |quite |so |fully "
    r"|completely |totally |really |very |all that |exactly )?(?:sure|certain|convinced|clear|obvious)|unsure|"
    r"uncertain|undecided|unclear|no idea|who knows|hard to (?:say|tell|choose|decide)|it depends|inconclusive"
    r"|(?:do not|don['’]t|can(?:not|['’]t)) (?:really )?(?:know|decide|tell|say|choose|pick|determine|answer|commit)"
    r"|can(?:not|['’]t) be (?:determined|known|decided|sure|certain|answered)|(?:not"
    r"|n['’]t) enough (?:information|context)"
    r"|insufficient (?:information|context)|need (?:more|additional|further) (?:information|context)"
    r"|(?:could|may|might) (?:well )?be (?:wrong|mistaken|incorrect)|(?:could|can) go either way|toss-?up"
    r"|your pick|back and forth|make up my mind|i give up"
    r"|(?<!me if )i(?: was|['’]m| am) (?:wrong|mistaken)|neither (?:of|feels?|seems?|fits?|works?|is|one)"
    r"|one of (?:these|those|them|the (?:above|following))|(?:which|all|any|either|each) of (?:these|those|them))\b",
    re.IGNORECASE,
)
"""A sentence of its own that leaves everything open."""

CONCESSION = re.compile(
    r"[\W_]*(?:al(?:though|beit)|though|even (?:though|if)|while|whereas|despite|in spite of|unlike|rather than"
    r"|instead of"
    r"|not|apart from|besides|contrary to|since|because|given|after|having|once|now that|with|seeing|aunque|como"
    r")\b[^,;:–—]*(?:[,;:]|\s[–—-]+)\s*"
    r"|[\W_]*(?:you|one|some|many|people) (?:might|may|could|would) (?:think|say|expect|assume|guess|argue"
    r"|believe)\b[^,;:–—]*(?:[,;]|\s[–—-]+)\s*",
    re.IGNORECASE,
)
"""How a sentence begins that concedes something before it comes to its point."""

ASIDE = re.compile(
    r"(?:^|[,;]?\s+|\s*[(\[–—]\s*)(?:because|since|seeing that|given (?:that|the|how)|due to|considering|rather than"
    r"|instead of|as opposed to|as (?:far as|it|the|he|she|this|that|there|no|nothing|every|all|we|any)"
    r"|unlike|whereas|even though|after (?:ruling|excluding|eliminating)|porque|ya que)\b.*"
    r"|(?:\s*[,;(\[–—]\s*(?:and |but )?|\s(?:and|but) )(?:certainly |definitely )?not "
    r"(?!sure|certain|it\b|so\b|correct|right|true|the (?:right|correct)|that|quite|exactly|entirely|really|here\b"
    r"|anymore|any ?more|now\b|yet\b|(?:to|for|in|of|on) this\b).*",
    re.IGNORECASE | re.DOTALL,
)
"""What follows an answer and gives a reason for it or sets it against others: it denies something else."""

NO_NOUN = re.compile(r"\bno\s+\w", re.IGNORECASE)
"""That there is none of something."""

BRACKETED = re.compile(r"\([^()]*\)|\[[^\[\]]*\]")
"""A remark in brackets."""

_DENIED_AFTER = re.compile(
    r"[\"'”’*`_)]*(?:\s+(?:is|are|was|were|do|does|ca|can|could|would|seems|looks)(?:n['’]t\b|(?:\s+(?:be|also"
    r"|clearly))*"
    r"\s+(?:not|never|wrong|incorrect|false|untrue|an? (?:mistake|error)|mistaken|ruled out)\b)"
    r"|,?\s+but\b[^.]{0,40}\b(?:wrong|mistaken?|incorrect|not (?:it|right|correct|true|so))\b)",
    re.IGNORECASE,
)

SILENT = re.compile(
    r"\b(?:does|do|did)(?: not|n['’]t) (?:say|state|mention|tell|specify|give|provide|indicate|include|contain"
    r"|reveal)\b"
    r"|\bnot (?:stated|mentioned|specified|given|provided|available|applicable|indicated|said|told)\b"
    r"|\bno (?:information|mention|indication|answer)\b|\bno se (?:dice|menciona|indica)\b"
    r"|\bcannot be (?:determined|answered|known|told|inferred)\b|^unknown$|^unanswerable$",
    re.IGNORECASE,
)
"""That the passage does not say."""

NOT_AVAILABLE = re.compile(r"(?<!\w)n/a(?!\w)", re.IGNORECASE)

_CLAUSE_END = re.compile(r"[.!?;,:\n]\s*|\b(?:so|(?<!thing )but|because|hence|therefore)\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?\n]+")
_FORM = r"(?:word|phrase|sentence|term|name|line|number|minute|second|moment)"
_HARMLESS = re.compile(
    r"\b(?:there is|there['’]s|leaves) (?:only|just|exactly) one \w+\b|\bin other words\b|\bboth (?:times"
    r"|ways|counts|occasions)\b"
    r"|\bcorrect me if i(?:['’]m| am) (?:wrong|mistaken)\b"
    r"|(?:\b(?:not|cannot|never|nor|hardly|no way|fail to)|n['’]t)\b[^.,;:]{0,40}\b(?:any(?:thing|one|where|body)"
    r"|any(?: other)? (?:answer|option|result|way)) (?:other than|but|else than|except|besides)\b"
    r"|\b(?:nothing|none|no one|nobody) (?:other than|but|else than|except|besides|short of|less than)\b|"
    r"\bno (?:\w+ )?\w+ (?:is |are )?(?:needed|required|necessary)\b"
    r"|\bif (?:we|i|one) (?:\w+ly )?(?:follow|look|read|trace|track|consider|check|go|put|think|combine|apply"
    r"|analy[sz]e"
    r"|examine|compare|keep|work|count|start|step|recall|remember|focus)\b[^,;]*,"
    r"|\bif you [^,;]{1,60}, (?:you|we)(?:['’]ll| will| can| get| find| see| arrive)\b"
    r"|\bwhen in doubt\b|\bno (?:doubts?|problem|worries|question|trouble|need|further ado)\b|\bwithout (?:a|any"
    r"|further) (?:doubt|ado)\b"
    r"|\b(?:is not|isn['’]t|was not|wasn['’]t|not) (?:too |very |so |that |a )?(?:difficult|hard|complicated|tricky)\b"
    r"|\b(?:(?:do|will|am|are)(?: not|n['’]t)|['’]m not|won['’]t) (?:going to |need to |have to )?"
    r"(?:overthink|elaborate|repeat|need|bore|explain)\b"
    rf"|\b(?:one )?{_FORM}s? or (?:two|so|less|fewer|{_FORM}s?)\b"
    r"|\bone (?:answer|word|thing|moment|last|more)\b|\b(?:this|that) one\b(?:['’]s\b)?"
    r"|\b(?:beyond|without|leaves? no|have no|is no)(?: any| a| all)? (?:shadow of a )?(?:reasonable )?(?:doubt"
    r"|question)\b"
    r"|\bno (?:more|less)\b|\bno (?:other|further) \w+|\bnothing (?:else|more|further)(?: to (?:add|say))?\b"
    r"|\bsome (?:thought|thinking|time|reflection|checking)\b|\bmost (?:sense|certainly"
    r"|definitely)\b|\bif i(?:['’]m| am)? [^,.;]{0,40}, |\bif i(?:['’]ve| have|['’]m"
    r"| am)? [^,.;]{0,40}(?:correct(?:ly)?|right(?:ly)?|properly)\b"
    r"|\bif (?:i (?:had|have) to \w+(?: one)?|you ask me"
    r"|asked|i(?:['’]m| am) not mistaken"
    r"|you need|you want|you(?:['’]d| would)"
    r" like|you have|anything)\b|\b(?:cannot|can['’]t|couldn['’]t|could not) be (?:clearer|simpler|plainer"
    r"|anything (?:else|but))\b"
    r"|\bnot (?:only|just|much to it)\b|\b(?:most|many) (?:of|thanks)\b|\bwithout (?:explanation|hesitation"
    r"|more|further)\b",
    re.IGNORECASE,
)

_HARMLESS_SIGNS = frozenset(
    re.findall(
        r"\w+",
        """one or other both if any anything anyone anywhere anybody nothing none no nobody doubt without difficult hard
        complicated tricky overthink elaborate repeat need bore explain question some most many clearer simpler plainer
        only just much""",
    )
)
"""Each of those negations holds one of these words."""
_WORDS = re.compile(r"[^\W\d_]+")
_SHORT = 200
_TURN = re.compile(r"[,;]\s+(?:but|however|though|yet|so|therefore|pero)\b", re.IGNORECASE)
SIGNS = frozenset(
    re.findall(
        r"\w+",
        """maybe perhaps might may could possibly either unsure alternatively depends not hard no who know cannot
        can one toss tossup 50 quizá quizás tal puede podría sé or never neither nor except anything anywhere
        nowhere other others another rule ruled ruling wrong incorrect untrue false mistake mistaken some first second
        nunca tampoco o u but however although though yet until unless if whether between versus vs torn both any
        plausible plausibly conceivable conceivably potentially arguably uncertain undecided debatable ambiguous
        unclear contender contenders candidates possible possibility possibilities options alternatives equally many
        most people doubt hesitate wonder assuming depending unlikely improbable hardly far exclude excluded eliminate
        eliminated reject rejected dismiss dismissed discard discarded avoid opposite contrary rather instead unlike
        pick choose select sometimes guesses doubtful wondering asked refuted refute refutes disproved disproves
        invalid invalidated impossible inaccurate unsupported inconsistent questionable absurd nonsense fail fails
        initial original previous prior old former hand no mind second back take initially originally formerly used
        going about tempted tempting pero aunque ni less
        wait actually scratch correction hmm oops strike rethink reconsider misread misspoke update edit corrected
        nevermind forget disregard ignore should must ought reflection
        undetermined inconclusive indeterminate speculate speculation speculative unresolved unsettled unknowable open
        chance chances probability possibility likelihood odds coin tie tied fence split dilemma hesitant hesitation
        reluctant
        conflicted stuck kidding joking half fifty interpretation interpretations reading readings view views ways
        otherwise else etc implausible implausibly reader readers student students someone anyone everyone folks
        misconception trap distractor distractors naive naively careless hasty superficial superficially hypothetical
        hypothetically supposed supposedly alleged allegedly contradict contradicts contradicted conflict conflicts
        disagree disagrees deny denies denied disputed overruled overturned refuse refuses refused decline declines
        against misleading misreading misunderstanding erroneous erroneously error unfounded unwarranted unreasonable
        premature dubious herring disqualified question table lacks lack missing unable unwilling forbidden sorry
        also acceptable alternative alternate backup low guess guesswork grain salt well rules had were nobody
        suppose supposing assume imagine pretend sake would
        say says said claim claims argue argues
        think thinks believe believes insist insists suggest bad hedge bet nobody none few everything everywhere
        vielleicht möglicherweise eventuell entweder oder könnte könnten unsicher unklar weiß nicht niemals weder kein
        keine keinen keiner keinem keines posiblemente
        changed changing switched switching
        ceased cease ceases fake bogus phony phoney dummy sham decoy overstated exaggerated stretch neither
        beats outweighs trumps outdoes than preferable all each clear obvious convinced sure
        nothing almost nearly quite forth among amongst which above below following decide next last
        out ranking ranked shortlist top runner previously earlier before left away confirm enough insufficient""",
    )
)


_DENYING = frozenset(
    re.findall(
        r"\w+",
        """never neither nor not cannot except anything anywhere nowhere no other rule ruled rules ruling wrong
        incorrect untrue false mistake mistaken rather instead unlike unlikely less improbable hardly far exclude
        excluded excludes eliminate eliminated reject rejected dismiss dismissed discard discarded avoid
        opposite contrary impossible inaccurate unsupported inconsistent questionable absurd nonsense fail
        fails out nunca tampoco nicht niemals weder kein keine keinen keiner keinem keines""",
    )
)
_DENYING_HEADS = ("refut", "disprov", "invalid")
_DOUBTING = frozenset(
    re.findall(
        r"\w+",
        """maybe perhaps might may could possible possibly either unsure alternatively depends sure certain hard idea
        knows know say tell decide one toss tossup 50 expect think people guess true correct right case false untrue
        wrong incorrect mistake mistaken before plausible plausibly implausible implausibly conceivable
        conceivably potentially arguably uncertain undecided torn debatable ambiguous unclear both hand
        tempting mind thought back wait sometimes doubt doubtful guesses whether if undetermined unless pick
        choose select forth which been contender contenders candidates quizá quizás vez puede podría
        posiblemente mejor sé vielleicht möglicherweise eventuell entweder oder könnte könnten unsicher unklar
        nicht or o u""",
    )
)


def may_deny(words: set[str], text: str) -> bool:
    """Whether `DENIAL` is worth trying on a text with these words."""
    if not _DENYING.isdisjoint(words) or "n't" in text or "n’t" in text:
        return True
    return any(word.startswith(_DENYING_HEADS) for word in words)


def may_doubt(words: set[str], text: str) -> bool:
    """Whether `ALTERNATIVE` is worth trying on a text with these words."""
    return not _DOUBTING.isdisjoint(words) or "/" in text or "%" in text or ">" in text or "<" in text


def may_refuse(words: set[str], text: str) -> bool:
    """Whether any pattern of this module is worth trying on a text with these words; false for most answers."""
    return not SIGNS.isdisjoint(words) or "/" in text or "%" in text or ">" in text or "n't" in text or "n’t" in text


def without_harmless(text: str) -> str:
    """A text without the negations that deny nothing ("no doubt", "not difficult")."""
    if _HARMLESS_SIGNS.isdisjoint(_WORDS.findall(text.casefold())):
        return text
    return _without_harmless_short(text) if len(text) <= _SHORT else _HARMLESS.sub(" ", text)


@lru_cache(maxsize=4096)
def _without_harmless_short(text: str) -> str:
    return _HARMLESS.sub(" ", text)


def after_turn(before: str) -> str:
    """Of the words that lead up to an answer those after the last "but": what went before it no longer holds."""
    return _TURN.split(before)[-1] if "," in before or ";" in before else before


def takes_back(before: str) -> bool:
    """Whether the words that lead up to an answer deny or doubt it."""
    return bool(before) and (_takes_back_short(before) if len(before) <= _SHORT else _takes_back(before))


def _takes_back(before: str) -> bool:
    before = without_harmless(after_turn(before))
    return DENIAL.search(before[-40:]) is not None or ALTERNATIVE.search(before) is not None


@lru_cache(maxsize=4096)
def _takes_back_short(before: str) -> bool:
    return _takes_back(before)


def is_denied(text: str, start: int, end: int) -> bool:
    """Whether a sentence denies, doubts or asks what stands in it at that place."""
    clause = _CLAUSE_END.split(text[max(0, start - 120) : start])[-1]
    if clause and DENIAL.search(without_harmless(clause)):
        return True
    after = text[end : end + 120]
    asked = _SENTENCE_END.search(after)
    return (asked is not None and asked[0].endswith("?")) or _DENIED_AFTER.match(after) is not None
