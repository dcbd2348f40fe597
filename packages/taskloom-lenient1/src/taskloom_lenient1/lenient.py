"""The lenient reader: what a careful person would take an output's answer to be, and no more than that.

It understands case, articles, quotes, Markdown, final punctuation, "The answer is …", boxes, thinking, sentences that
restate the question, JSON among prose, lists in any notation, number words, and one label of a closed set where it
is asserted. It gives no credit for denials ("not the office"), alternatives ("the office or the garden"), all labels
in turn, or the prompt repeated. `docs/protocols.md` says what that means for each kind of answer.
"""

from __future__ import annotations

import re
from typing import ClassVar

from taskloom.core import Reader, Reading, Targets, Task
from taskloom.core.scorer import Score, Scorer
from taskloom.score.match import squeezed
from taskloom_lenient1.cutoff import without_unfinished
from taskloom_lenient1.evidence import is_evidence
from taskloom_lenient1.frame import answer_after_link, is_frame, is_talk, may_be_framed, strip_openers
from taskloom_lenient1.glance import at_a_glance, plain_sentence
from taskloom_lenient1.grade import grade
from taskloom_lenient1.hedge import (
    ALTERNATIVE,
    DENIAL,
    NOT_AVAILABLE,
    SILENT,
    may_refuse,
    takes_back,
    without_harmless,
)
from taskloom_lenient1.labels import label_set, read_label
from taskloom_lenient1.lexicon import rules
from taskloom_lenient1.locate import Region, locate
from taskloom_lenient1.peel import peel
from taskloom_lenient1.profile import Profile, profile_of
from taskloom_lenient1.quantity import BULLET, SENTENCE_END, SET_AGAINST, read_number, refusal
from taskloom_lenient1.recall import learn, recall, wording
from taskloom_lenient1.restate import (
    about_another,
    added_words,
    asks_why,
    question_of,
    restated_truth,
    restates_all,
    topic_of,
)
from taskloom_lenient1.rival import DOUBTFUL
from taskloom_lenient1.stance import Stance, asserted, stance
from taskloom_lenient1.structured import read_structure
from taskloom_lenient1.thoughts import split_thoughts
from taskloom_lenient1.vocabulary import NOUNS

__all__ = ["LENIENT", "Lenient"]

_REASON = re.compile(
    r"(?:,|;|\s)\s*(?:because|since|as (?:the|he|she|it|they|we)|given that|for the reason|which|who|where|according to"
    r"|based on|after|porque|ya que)\b.*$|\s+(?:[–—]|-(?=\s))\s+\S.*$|\s+(?:\([^()]*\)|\[[^\[\]]*\])[.!]?$",
    re.IGNORECASE | re.DOTALL,
)
_WHICH_IS_WRONG = re.compile(r"\W*which\b.*\b(?:wrong|mistaken?|incorrect|false|not|error)\b", re.IGNORECASE)
_AFTER_SENTENCE = re.compile(
    r"(?<=\w[.!?])[\"”’*]*,\s+(?:based|because|since|as|which|and here|given|according|following|porque"
    r"|ya que|según)\b.*$",
    re.DOTALL,
)
_PLAIN = re.compile(r"\w[\w ,.']*")
_TELLING = re.compile(
    r"\b(?:is|are|was|were|has|have|had|does|do|did|can|will|says?|said|because|since|went|goes|explanation|reason|note"
    r"|story|passage|text|es|son|está|porque|therefore|let|i)\b|[.:!]$",
    re.IGNORECASE,
)
_COMMENT = re.compile(
    r"[*_(#>\s]*(?:explanation|reason|because|note|i|this|here|the (?:verb|article|sentence|word|answer|noun|passage)"
    r"|first,|step|let|to (?:do|get|form|make)|we|explicación|nota|esto|el (?:verbo|artículo)|la (?:frase|oración))\b",
    re.IGNORECASE,
)
_IS = re.compile(r"\s(?:is|are|was|means|equals|es|son|significa)\s+")
_LONG_WORD = re.compile(r"[^\W_]{3,}(?:'s)?")
_MARKUP = " \t\r*_`>#-"
_WORDS = re.compile(r"\w+")
_REASON_WORDS = frozenset(
    {"because", "since", "as", "given", "for", "which", "who", "where", "according", "based", "after", "porque", "ya",
     "not", "rather", "instead"}
)  # fmt: skip
_NO = re.compile(
    r"(?<![\w-])no(?![\w-])(?! +(?!(?:on|for|here|as|in|to|because|since|rather|instead|that|is|was|would"
    r"|should|must|and|but|it)\b)\w)",
    re.IGNORECASE,
)
_GOES_ON = re.compile(
    r"(?:or|but|maybe|perhaps|although|though|however)\b(?!,? (?:please|if you|feel free|do|you (?:can|may))\b)",
    re.IGNORECASE,
)
_FEW = 12
_LONGEST = 4_000
_RAW = frozenset({"exact", "normalised", "words", "superni-exact"})


class Lenient(Reader, frozen=True, kw_only=True):
    """Reads as a careful person would: past wrapping and wording, never past a denial or a hedge.

    Attributes:
        restated: Understand sentences that restate the question ("Daniel is in the office.").
        unfinished: Look for a stated answer in a thought that never ended.
    """

    name: ClassVar[str] = "lenient-1"

    restated: bool = True
    unfinished: bool = True

    def read(self, text: str, task: Task, prompt: str = "") -> Reading:
        profile = profile_of(task)
        text = squeezed(text)
        quick = at_a_glance(text, profile)
        # What announces the prompt's own last words repeats it ("As stated: …").
        if quick is not None and not (len(text) > len(quick) + 1 and prompt.endswith(quick)):
            # Several words after "The answer is" may be more than the answer: the prose is looked at as well.
            named = " " in quick and len(text) > len(quick) + 2 and not task.labels
            return Reading(quick, said=text if named else "")
        if self.restated and not task.labels and about_another(text, prompt):
            return Reading(None, "about another")
        if self.restated and (sentence := plain_sentence(text, profile)) is not None:
            answer, why = self._said(sentence, profile, prompt)
            return Reading(answer, why, said="" if why == "repeats the prompt" else text)
        said = wording(text, profile, prompt) if self.restated and self.unfinished else None
        known = recall(said, profile, prompt) if said is not None else None
        if known is not None:
            return known
        reading = self._read(text, profile, prompt)
        if said is not None:
            learn(said, reading, profile, prompt)
        return reading

    def _read(self, text: str, profile: Profile, prompt: str) -> Reading:
        """What the patient rules read."""
        task = profile.task
        spoken = split_thoughts(text)
        body = spoken.text
        cut_short = spoken.open_thought is not None
        if cut_short and not body.strip():
            if not self.unfinished:
                return Reading(None, "still thinking", unfinished=True)
            body = spoken.open_thought or ""
        body = without_unfinished(body.strip(), task)
        if not body:
            return Reading(None, "still thinking" if cut_short else "empty", unfinished=cut_short)
        region = locate(body, profile, prompt)
        if region.failed or not region.text.strip():
            return Reading(None, region.failed or "empty", unfinished=cut_short)
        if cut_short and not spoken.text.strip() and region.found == "whole":
            return Reading(None, "still thinking", unfinished=True)
        answer, why = self._answer(region, profile, prompt, body)
        why = why or (region.found if region.found != "whole" else "")
        if why == "repeats the prompt":
            return Reading(None, why)
        if answer is not None and _is_taken_back(answer, region.said, profile):
            # Another phrase may still be what the prose asserts.
            return Reading(None, "taken back", said="" if task.labels or task.kind == "json" else region.said)
        return Reading(answer, why, said="" if task.labels or task.kind == "json" else region.said or region.text)

    def grade(self, found: Reading, scorer: Scorer, targets: Targets, task: Task, known: Score | None = None) -> Score:
        return grade(found.answer or "", scorer, targets, task, found.said, known)

    def _answer(self, region: Region, profile: Profile, prompt: str, body: str) -> tuple[str | None, str]:
        kind = profile.task.kind
        if kind == "json":
            answer, why = read_structure(region.text, missing=profile.missing)
            if why == "no JSON" and profile.missing:
                silent = self._text(region, profile, "", region.text)[0] == "n/a" or asserted(region.said, ("n/a",), 2)
                return ("n/a", "silent") if silent else (None, why)
            return answer, why
        if profile.task.labels and kind in ("label", "boolean", "text"):
            return self._label(region, profile, prompt, body)
        if kind == "number":
            return read_number(region, profile, prompt)
        if kind in ("items", "sequence"):
            return self._list(region, profile, prompt)
        return self._text(region, profile, prompt, body)

    def _label(self, region: Region, profile: Profile, prompt: str, body: str) -> tuple[str | None, str]:
        labels = label_set(profile.task)
        answer, why = read_label(region.text, region.before, labels)
        if answer is None and why == "no label" and region.found == "conclusion":
            answer, why = read_label(body, "", labels)
        said = without_harmless(region.said) if answer is not None else ""
        if answer is not None and _is_taken_back(answer, labels.single_out(answer, said), profile):
            answer, why = None, "taken back"
        if answer is None and region.said:
            named = [
                label
                for label in labels.labels[:_FEW]
                if _stance(label, labels.single_out(label, region.said), profile) == "asserted"
            ]
            answer, why = (named[0], "asserted") if len(named) == 1 else (None, why)
        if answer is None and self.restated and why in ("no label", "denied") and {"yes", "no"} <= set(labels.whole):
            asks = region.text.rstrip(' *_"”').endswith("?")
            truth = None if asks else restated_truth(peel(region.text), question_of(prompt))
            if truth is not None:
                return labels.whole["yes" if truth else "no"], "restated"
        return answer, why

    def _list(self, region: Region, profile: Profile, prompt: str) -> tuple[str | None, str]:
        lines = [line for line in region.text.split("\n") if line.strip(_MARKUP)]
        if len(lines) > 1:
            bullets = [line for line in lines if BULLET.match(line)]
            kept = bullets if len(bullets) > 1 else [line for line in lines if not line.rstrip(" *").endswith(":")]
            if len(bullets) <= 1 and region.found != "json":
                kept = _paragraph(region.text, kept)
            items = [peel(_without_note(BULLET.sub("", line), profile)) for line in kept]
            joined = (" | " if profile.task.kind == "items" else " ").join(item for item in items if item)
            if profile.missing and len(items) > 1 and any(NOT_AVAILABLE.fullmatch(item) for item in items):
                return None, "n/a among others"
            refused = refusal(joined, region.before, profile)
            return (None, refused) if refused else (joined or None, "" if joined else "empty")
        only = region._replace(text=lines[0]) if lines else region
        return self._text(only, profile, prompt, region.text)

    def _text(self, region: Region, profile: Profile, prompt: str, body: str) -> tuple[str | None, str]:
        sentence = _sentence_with_answer(region, profile)
        if sentence is None:
            return _refused(body, profile, "several answers")
        bare = peel(sentence)
        if profile.sentence:
            if bare.endswith("?") and not profile.asks:
                return None, "asked"
            bare = peel(_AFTER_SENTENCE.sub("", bare))
            opened = peel(strip_openers(bare))
            opened = opened if opened[:1].isupper() or opened[:1] in "¿¡" else bare
            opened = peel(answer_after_link(opened, profile.words, sentence=True) or opened)
            taken_back = takes_back(bare[: max(0, bare.find(opened))]) or takes_back(region.before)
            return (None, "denied or hedged") if taken_back else (opened, "")
        if profile.missing and _is_silent(bare, region.before, profile):
            return "n/a", "silent"
        words = set(_WORDS.findall(bare.casefold()))
        core = bare if asks_why(prompt) else _without_reason(bare, words, profile)
        if bare.endswith("?") and not profile.asks:
            return None, "asked"
        if core is None:
            return _refused(body, profile, "hedged")
        if may_be_framed(words):
            opened = strip_openers(core)
            core = peel(opened) if opened != core else core
        # A single word denies nothing: it is the answer or a wrong one ("not", where any word may be right).
        if core.isalpha() and len(region.text) < len(sentence) + 3 and not takes_back(region.before):
            return core, ""
        rest = _rest(region.text, sentence) if len(region.text) > len(sentence) + 2 else ""
        risky = region.before or rest or may_refuse(words, bare)
        refused = refusal(f"{core} {rest}", region.before, profile) if risky else ""
        if refused:
            return _refused(body, profile, refused)
        return self._said(core, profile, prompt)

    def _said(self, core: str, profile: Profile, prompt: str) -> tuple[str | None, str]:
        """The answer in an assertion: what it adds to the question, or what stands after its verb."""
        found = None
        if self.restated and " " in core and profile.task.kind != "sequence":
            found = _restated(core, profile, prompt)
            if found == "":
                return None, "repeats the prompt"
            if found is None or is_talk(found) or len(found.split()) > max(profile.words, 1) + 4:
                found = answer_after_link(core, profile.words)
        answer = found or core
        if profile.missing and NOT_AVAILABLE.search(core):
            alone = NOT_AVAILABLE.fullmatch(peel(answer)) or asserted(core, ("n/a",), 1)
            return ("n/a", "silent") if alone else (None, "n/a among others")
        return answer or None, "restated" if found else "" if answer else "empty"


def _is_taken_back(answer: str, said: str, profile: Profile) -> bool:
    """Whether the prose around an answer doubts, denies or replaces it."""
    if len(said) <= len(answer) + 2 or answer[:1] in ("[", "{"):
        return False
    # Most prose has no word that could take anything back, and names one answer.
    words = _WORDS.findall(said[:_LONGEST].casefold())
    once = "\n" not in said and sum(map(NOUNS.__contains__, words)) < 2
    if once and "?" not in said and not may_refuse(set(words), said):
        return False
    return _stance(answer, said, profile) == "taken back"


def _stance(answer: str, said: str, profile: Profile) -> Stance:
    # "No way": where it stands before a noun, the word is no answer.
    most = max(profile.words, len(answer.split()))
    return stance(said, answer if answer != "no" else _NO, most, doubt=answer.casefold() in DOUBTFUL)


def _without_reason(bare: str, words: set[str], profile: Profile) -> str | None:
    """An answer without the reason or the contrast that follows it; None where a bracket adds an alternative."""
    if profile.because or (_REASON_WORDS.isdisjoint(words) and _PLAIN.fullmatch(bare)):
        return bare
    core = SET_AGAINST.sub("", bare) if " not " in bare or " instead " in bare or " rather " in bare else bare
    reason = _REASON.search(core)
    if reason is None or not reason.start():
        return core
    if (reason[0].lstrip()[:1] in "([" and ALTERNATIVE.search(reason[0])) or _WHICH_IS_WRONG.match(reason[0]):
        return None
    return core[: reason.start()]


def _is_silent(bare: str, before: str, profile: Profile) -> bool:
    """Whether an answer says that the passage does not say."""
    if len(bare) > 200 or ALTERNATIVE.search(bare) or (before and DENIAL.search(before)):
        return False
    core = peel(strip_openers(bare if profile.because else _REASON.sub("", bare) or bare))
    return NOT_AVAILABLE.fullmatch(core) is not None or (
        SILENT.search(bare) is not None and NOT_AVAILABLE.search(bare) is None
    )


def _paragraph(text: str, lines: list[str]) -> list[str]:
    """The lines of the first paragraph that is a list rather than an introduction."""
    listed = {line.strip() for line in lines}
    first = [line for line in text.strip().split("\n\n")[0].split("\n") if line.strip() in listed]
    return first or lines


def _without_note(line: str, profile: Profile) -> str:
    return line if profile.because else _REASON.sub("", line) or line


def _sentence_with_answer(region: Region, profile: Profile) -> str | None:
    """The sentence that gives a text answer; None where two of them do and differ."""
    lines = [line.strip() for line in region.text.strip().split("\n") if line.strip(_MARKUP)]
    if not lines:
        return region.text.strip()
    if len(lines) == 1 and (profile.sentence or region.found in ("tag", "box", "json")):
        return lines[0]
    if profile.sentence:
        candidates = [line for line in lines if not _COMMENT.match(line)]
        return candidates[0] if len(candidates) == 1 else "\n".join(candidates) if profile.sentences > 1 else None
    if len(lines) > 1 and profile.commas and all(BULLET.match(line) for line in lines):
        return ", ".join(peel(BULLET.sub("", line)) for line in lines)
    if len(lines) > 1 and all(map(BULLET.match, lines[:2])):
        return None
    if region.found in ("marker", "conclusion"):
        return SENTENCE_END.split(lines[0])[0] if profile.sentences == 1 else lines[0]
    sentences = [part for line in lines for part in SENTENCE_END.split(line) if part.strip()]
    if len(sentences) == 1 or profile.sentences > 1:
        return sentences[0]
    limit = max(profile.words, 1) + 1
    bare = [peel(part) for part in sentences]
    short = [
        place for place, part in enumerate(bare) if len(strip_openers(part).split()) <= limit and not is_frame(part)
    ]
    if len({bare[place].casefold() for place in short}) > 1:
        return None
    if short:
        brief = set(short)
        others = [part for place, part in enumerate(sentences) if place not in brief]
        return sentences[short[0]] if all(_TELLING.search(part.strip()) for part in others) else None
    return sentences[-1]


def _rest(text: str, sentence: str) -> str:
    """What follows the chosen sentence, as far as it may take the answer back ("Or the garden.")."""
    _, found, rest = text.partition(sentence)
    rest = rest.lstrip(" .!?*\n")[:60]
    return rest if found and _GOES_ON.match(rest) else ""


def _refused(body: str, profile: Profile, why: str) -> tuple[str | None, str]:
    """No credit, unless the output as it stands is an acceptable answer ("trick or treat").

    Scorers that know only right and wrong see to that. Graded ones would credit the words of a denial, so they get
    nothing.
    """
    if profile.task.scorer in _RAW and profile.task.kind == "text" and len(body) < 200:
        return body, why
    return None, why


def _restated(core: str, profile: Profile, prompt: str) -> str | None:
    """The answer in a sentence that restates what was asked, or None where it is no such sentence.

    It is "" where the sentence is one of the prompt's own and has nothing to do with the question.
    """
    question = question_of(prompt)
    if is_evidence(core, prompt, profile) and not restates_all(core, question):
        return ""
    added = added_words(core, question) if question.endswith("?") else None
    if added is not None:
        return peel(added) or None
    # "A synonym of glad is happy": what stands after the last verb of a sentence about what was asked.
    places = [match.span() for match in _IS.finditer(core)]
    if not places:
        return None
    start, end = places[-1]
    about = [word.removesuffix("'s") for word in _LONG_WORD.findall(core[:start].casefold())]
    topic = topic_of(prompt)
    if any(word in topic for word in about):
        return peel(core[end:]) or None
    return None


LENIENT = Lenient()

# Patterns are taken apart when they are compiled, so that the first answer costs no more than the next.
rules()
