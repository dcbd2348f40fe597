"""The lenient reader: an answer in one of the known forms, or none.

Thoughts and wrapping are taken off; then the last marked answer counts ("Answer: …", a box, a tag, JSON, "The answer is
…"), else a bare answer, else one sentence of a known frame. The world is closed: an answer is read only if
everything around it is known (`frames.toml`); anything else is *unparsed*, with the reason. If the last line is marked,
nothing before it is weighed; a later marked answer replaces an earlier one.
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from operator import attrgetter
from typing import Any, ClassVar

from taskloom.core import Reader, Reading, Targets, Task
from taskloom.core.kind import KINDS, Kind
from taskloom.core.scorer import Score, Scorer
from taskloom.core.targets import acceptable_texts
from taskloom.score.read.frames import DATA, Question, Said, load, longest, look_at, tokens_of, whole
from taskloom.score.read.text import peel, spoken, unwrapped, values_in
from taskloom.score.read.values import Profile, profile_of

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|reflection|scratchpad)>|\[(/?)THINK\]", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*<\|message\|>")


def split_thoughts(raw: str) -> tuple[str, bool]:
    """What was said without what was thought, and whether a thought never ends: the model ran out of room.

    A closing tag without an opening one ends a thought begun by the chat template: what stands before it goes. Of
    channels the last one counts, if that is the final one.
    """
    if "<|channel|>" in raw:
        *_, last = [None, *_CHANNEL.finditer(raw)]
        final = last is not None and last[1].lower() == "final"
        return (raw[last.end() :], False) if last is not None and final else ("", True)
    if "<" not in raw and "[" not in raw:
        return raw, False
    pieces: list[str] = []
    said, opened = 0, -1
    for tag in _TAG.finditer(raw):
        if tag[1] or tag[2]:
            if opened < 0:
                pieces.clear()
            opened, said = -1, tag.end()
        elif opened < 0:
            pieces.append(raw[said : tag.start()])
            opened = tag.end()
    return ("".join(pieces), True) if opened >= 0 else ("".join(pieces) + raw[said:], False)


_LONGEST = 20_000  # characters at the end of an output that are looked at
_LINE = re.compile(r"[\s*_#>`✅👉-]*([^\W\d_][^:：=\n]{0,40}?)[\s*_`]*[:：=][\s*_`]*(\S.*)", re.DOTALL)
_STOP = r"(?:(?<=\w\w[.!?])|(?<=[*\"”)][.!?])|(?<=[ ,][a-z\d][.!?])(?=\s+[A-Z]))"
_SENTENCE = re.compile(rf"\n\s*|(?<=[。！？])|{_STOP}[\"'”’*_)\]]*\s+(?=\S)")
_ENDS = re.compile(r"[\n。！？]|[.!?*_\"”)]\s")
_RULE = " \t\r\n`*_=#>~-"  # what a line that says nothing is made of
_END_TAG = re.compile(r"</(answer|final|final_answer|output|result|response|label)>", re.IGNORECASE)
_BOX = re.compile(r"\\boxed\s*\{")
_FENCE = re.compile(r"```(?:[\w+-]*[ \t]*\n)?(.*?)\n?```", re.DOTALL)
_ALONE = frozenset({"asked", "mark", "json"})
_PARTS = frozenset({"asked", "bare", "json"})  # part marks are for these
_MOST_MARKS = 4
_MOST_PIECES = 500
_SPARE_WORDS = 4
_SHORTEST_REFUSAL = 8
_GIVEN = frozenset({"asked", "mark", "marker", "turn", "json"})
_CROSSES = frozenset("✗✘✖❌❎🚫")
_STRUCK = re.compile(r"~~[^~\n]+~~")
_SPECIAL = re.compile(r"<\|[\w▁]{1,32}\|>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]")


class Lenient(Reader, frozen=True, kw_only=True):
    """Reads answers that are given in a known form, in any of the languages of `frames.toml`; never guesses."""

    name: ClassVar[str] = "lenient"
    version: ClassVar[str] = "3"

    def describe(self) -> dict[str, Any]:
        frames = blake2b(DATA.read_bytes(), digest_size=6).hexdigest()
        return {"name": self.name, "version": self.version, "frames": frames}

    def read(self, text: str, task: Task, prompt: str = "") -> Reading:
        body, unfinished = split_thoughts(text)
        body = body.strip()
        if unfinished and not body:
            return Reading(None, "still thinking", unfinished=True)
        longer, body = len(body) > _LONGEST, body[-_LONGEST:]
        if "<" in body or "[" in body:
            body = _SPECIAL.sub("", body).strip()
        body = (_STRUCK.sub("", body).strip() or body) if "~~" in body else body
        if not body:
            return Reading(None, "empty")
        kind = KINDS.get(task.kind)
        profile = profile_of(task)
        bare = (len(body) <= 64 and body.isascii() and body.isalnum()) or kind.keeps(body)
        if bare and (answer := kind.parse(body, task)) is not None:
            return Reading(answer, "bare", said=body)
        question = Question(prompt, profile.shown)
        reading = _last_line(body, kind, profile, question) or _located(body, kind, profile, question)
        if longer and reading.why not in _GIVEN:
            return Reading(None, "no known form")
        free = len(body) > _SHORTEST_REFUSAL and reading.why not in _GIVEN and not profile.sentence
        return Reading(None, "refusal") if free and longest(load().refuse, tokens_of(body[:80])) else reading

    def grade(self, found: Reading, scorer: Scorer, targets: Targets, task: Task, known: Score | None = None) -> Score:
        """The best score of the answer over its spellings, and with the words that may belong to it."""
        answer = found.answer or ""
        kind = KINDS.get(task.kind)
        best = known or scorer.score(answer, targets, task)
        for spelling in dict.fromkeys((answer, found.said or answer)):
            if best.value == 1.0:
                break
            own = () if spelling == answer else (spelling,)
            for other in (*own, *kind.spellings(spelling, targets, task)):
                best = max(best, scorer.score(other, targets, task), key=attrgetter("value"))
        if best.value in (0.0, 1.0):
            return best
        # Parts of a sentence may be parts of a denial: part marks are for answers that stand alone and doubt nothing.
        doubts = load().doubt.intersection(tokens_of(answer))
        doubts = doubts and doubts.difference(*map(tokens_of, acceptable_texts(targets)))
        return Score(0.0, best.details) if doubts or found.why not in _PARTS else best


# -- locating ---------------------------------------------------------------------------------------------


def _last_line(body: str, kind: Kind, profile: Profile, question: Question) -> Reading | None:
    """The answer on the last line, if that line is marked: the form that is asked for."""
    line = next((line for line in reversed(body.split("\n")) if not _is_rule(line)), "")
    pieces = _SENTENCE.split(line) if _ENDS.search(line) else []
    again = _LINE.match(pieces[-1]) if len(pieces) > 2 else None
    found = again if again is not None and whole(load().mark, tokens_of(again[1])) else _LINE.match(line)
    if found is None or not longest(load().mark, head := tokens_of(found[1])) == len(head) > 0:
        return None
    value = found[2]
    if kind.structured or kind.keeps(value.strip("` .\n")):
        answer = kind.parse(value.strip("` .\n"), profile.task)
        return Reading(answer, "asked") if answer is not None else None
    if value.isascii() and value.isalnum() and (answer := kind.parse(value, profile.task)) is not None:
        return Reading(answer, "asked", said=value)
    return _parsed(look_at(value, question, plain=profile.sentence), kind, profile, question, "asked")


def _located(tail: str, kind: Kind, profile: Profile, question: Question) -> Reading:
    if kind.structured or tail[:1] in "[{" or '{"' in tail or "{'" in tail or "```" in tail:
        reading = _block(tail, kind, profile, question)
        if reading is not None:
            return reading
    mark = _explicit(tail)
    if mark is not None:
        value, after = mark
        rest = _settled(after, kind, profile, question) if after.strip(" $.\\])*`\n") else None
        if rest is not None and rest.why in ("marker", "turn"):
            return rest
        if rest is not None and rest.why != "talk":
            return Reading(None, "no known form")
        return _parsed(look_at(value, question, plain=profile.sentence), kind, profile, question, "mark")
    if kind.lines or profile.lines:
        reading = _lines(tail, kind, profile, question)
        if reading is not None:
            return reading
    reading = _settled(tail, kind, profile, question)
    return Reading(None, "no answer") if reading.why == "talk" else reading


def _explicit(text: str) -> tuple[str, str] | None:
    """The last box, tag or `####` line, and what follows it."""
    best: tuple[int, str, str] | None = None
    for match in list(_BOX.finditer(text))[-_MOST_MARKS:] if "\\boxed" in text else ():
        depth, place = 1, match.end()
        while place < len(text) and depth:
            depth += {"{": 1, "}": -1}.get(text[place], 0)
            place += 1
        if not depth:
            best = (place, text[match.end() : place - 1], text[place:])
    for match in list(_END_TAG.finditer(text))[-_MOST_MARKS:] if "</" in text else ():
        start = text.lower().rfind(opener := f"<{match[1].lower()}>", 0, match.start())
        if start >= 0 and (best is None or match.end() > best[0]):
            best = (match.end(), text[start + len(opener) : match.start()], text[match.end() :])
    if (start := text.rfind("####")) >= 0 and (rest := text[start + 4 :].strip()) and "\n" not in rest:
        best = (len(text), rest, "")
    if best is None:
        return None
    inner = _explicit(best[1]) if "</" in best[1] else None
    return inner if inner is not None and not inner[1].strip() else best[1:]


def _block(text: str, kind: Kind, profile: Profile, question: Question) -> Reading | None:
    """The answer in a fence or a JSON value with known talk around it; None where there is no such thing."""
    fences = list(_FENCE.finditer(text))
    inner, before, after = text, "", ""
    if fences:
        last = fences[-1]
        inner, before, after = last[1].strip(), text[: last.start()], text[last.end() :]
    values = list(values_in(inner)) if kind.structured or inner[:1] in "[{" or '{"' in inner or "{'" in inner else []
    if values:
        before, after = before + inner[: values[0].start], inner[values[-1].end :] + after
        if any(one.value != values[-1].value for one in values):
            before = inner[values[-2].end : values[-1].start]
            if not _introduces(before, profile, question):
                return Reading(None, "two answers")
    elif not fences:
        return None
    known = _introduces(before, profile, question) or _is_talk(before, kind, profile, question)
    if not (known and _is_talk(after, kind, profile, question)):
        return Reading(None, "no known form") if values else None
    if values:
        return _structured(values[-1].value, kind, profile, question)
    if kind.lines and "\n" in inner:
        return _list(inner.split("\n"), kind, profile, question)
    return _settled(inner, kind, profile, question)


def _structured(value: Any, kind: Kind, profile: Profile, question: Question) -> Reading:
    inner = unwrapped(value)
    if kind.structured:
        given = value if inner is None else inner
        answer = kind.parse(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False), profile.task)
        return Reading(answer, "json" if answer is not None else "not of its kind")
    if isinstance(inner, dict):
        return Reading(None, "no known form")
    if (isinstance(value, dict) and inner is None) or (isinstance(inner, list) and not kind.joined and len(inner) != 1):
        return Reading(None, "two answers")
    said = spoken(inner)
    return _parsed(Said(said, said), kind, profile, question, "json")


def _is_talk(text: str, kind: Kind, profile: Profile, question: Question) -> bool:
    return not text.strip() or _settled(text, kind, profile, question).why == "talk"


def _introduces(text: str, profile: Profile, question: Question) -> bool:
    """Whether a text ends with a mark or a turn, so that what follows is the answer."""
    pieces = _pieces(text, profile)
    last = look_at(f"{pieces[-1]} 0", question, again=1) if pieces else Said("", "")
    return last.core == "0" and (last.marked or last.turned)


# -- settling ---------------------------------------------------------------------------------------------


def _lines(text: str, kind: Kind, profile: Profile, question: Question) -> Reading | None:
    """An answer on several lines: those behind the last mark, without talk at both ends."""
    lines = [line for line in text.split("\n") if not _is_rule(line)]
    said = [look_at(line, question, again=place > 0, plain=True, notes=False) for place, line in enumerate(lines)]
    if any(
        line.rstrip(_RULE)[-1] in ":：" and not one.marked for line, one in zip(lines, said, strict=True) if one.text
    ):
        return None  # a heading that is not known may say that what follows is not the answer
    first, last = 0, len(lines)
    for place, one in enumerate(said):
        if one.turned and one.text:
            return None
        first = place + 1 if one.turned and " " in lines[place] else first
        if one.note and place > first:
            last = min(last, place)
        if one.marked and (not one.text or place + 1 < len(lines)):
            first, last = (place + 1 if not one.text else place), len(lines)
    while first < last and not said[first].text:
        first += 1
    while last > first and not said[last - 1].text:
        last -= 1
    if last - first < 2:
        return None
    if said[first].marked and f"{lines[first].strip()}\n\n" in text:
        return None  # a paragraph behind an answer is about it
    return _list(
        [said[at].text if said[at].marked else lines[at] for at in range(first, last)], kind, profile, question
    )


def _list(lines: list[str], kind: Kind, profile: Profile, question: Question) -> Reading:
    if any(line.rstrip().endswith("?") for line in lines) and not profile.asks:
        return Reading(None, "asked back")
    answer = kind.parse("\n".join(lines), profile.task)
    return Reading(answer, _own(answer, question)) if answer is not None else Reading(None, "not of its kind")


def _settled(text: str, kind: Kind, profile: Profile, question: Question) -> Reading:
    """What sentences give together: the last marked answer, else the last word after a turn, else the only answer.

    Why is "talk" where all is talk. A turn takes back what was said before it, and nothing between it and the last
    word is weighed, but for a question: "Is that right? Yes." answers that question.
    """
    given: list[tuple[str, Said]] = []
    chosen: Said | None = None
    head = ""
    adjacent = noted = unknown = conflict = turned = False
    for piece in _pieces(text, profile):
        again = 2 if turned else int(chosen is not None or bool(given))
        one = look_at(piece, question, again=again, plain=profile.sentence, notes=not profile.because)
        before = chosen or (given[-1][1] if given else one)
        only_no = one.turned and again and one.core == before.core and one.core in load().no  # "It is no. Wait, no."
        if one.turned:
            given, chosen, turned, noted, unknown, adjacent = [], None, True, False, False, False
        if not one.text or only_no:
            head = one.core if one.marked and not only_no else head
            continue
        if head and not one.note:
            one, head = one._replace(marked=True), ""
        same = chosen is not None and one.core.casefold() == chosen.core.casefold()
        if one.note:
            noted, adjacent = True, False
        elif one.marked:
            clean = chosen is not None and not chosen.turned and len(chosen.core.split()) <= (profile.words or 3) + 2
            conflict = adjacent and clean and not (same or one.turned or one.led)
            chosen, noted, unknown, adjacent = one, False, False, True
        elif not noted:
            adjacent = False
            short = bool(given) and not turned and len(piece.split()) > profile.words + 2 >= len(given[0][0].split())
            shown = (before is not one or turned) and question.shows(piece, loosely=chosen is not None or short)
            unknown = unknown or (chosen is not None and not (same or shown))
            if not shown:
                asked = turned and bool(given) and given[-1][0].rstrip().endswith("?")
                given = given if asked else [(piece, one)] if turned else [*given, (piece, one)]
    if chosen is not None:
        if conflict or unknown:
            return Reading(None, "two answers" if conflict else "no known form")
        return _parsed(chosen, kind, profile, question, "turn" if turned else "marker")
    if turned and given:
        return _parsed(given[-1][1], kind, profile, question, "turn")
    if not given and (turned or head):
        return _parsed(Said(head, head), kind, profile, question, "bare") if head else Reading(None, "taken back")
    return _only(given, text, kind, profile, question)


def _pieces(text: str, profile: Profile) -> list[str]:
    if profile.sentence:
        return [line for line in text.split("\n") if not _is_rule(line)]
    if _ENDS.search(text) is None:
        return [text]
    return [piece for piece in _SENTENCE.split(text)[-_MOST_PIECES:] if not _is_rule(piece)]


def _is_rule(line: str) -> bool:
    """Whether a line is a rule, the fence of a block or blank."""
    rest = line.strip(_RULE)
    return not rest or (rest.isalnum() and line.lstrip().startswith("```") and not line.rstrip().endswith("`"))


def _only(given: list[tuple[str, Said]], text: str, kind: Kind, profile: Profile, question: Question) -> Reading:
    """The one answer among sentences none of which is marked; the others may only quote the prompt."""
    if not given:
        return Reading(None, "talk")
    if len(given) > 1:
        fresh = [(piece, one) for piece, one in given if not question.shows(piece)]
        if len({one.core.casefold() for _, one in fresh}) > 1 and "\n" not in text.strip() and kind.span:
            # A dot inside an answer is no end of a sentence; nothing is taken off such a text.
            everything = peel(text)
            fresh = [(text, Said(everything, everything))]
        given = fresh
    if len({one.core.casefold() for _, one in given}) != 1:
        return Reading(None, "two answers" if given else "repeats the prompt")
    piece, one = given[0]
    dotted = piece.rstrip(' *_"”').endswith((".", "!")) and not profile.sentence
    if dotted and kind.span and not one.led and 0 < profile.words < len(one.core.split()) - 2:
        # A sentence where a few words are asked for: prose without a known form.
        return Reading(None, "no known form")
    return _parsed(one, kind, profile, question, "frame" if one.framed else "bare")


def _parsed(said: Said, kind: Kind, profile: Profile, question: Question, why: str) -> Reading:
    """The answer by its kind, without the words of the question around it where only so it is one."""
    task = profile.task
    if profile.missing and whole(load().missing, tokens_of(said.text)):
        return Reading("n/a", why)
    if said.text.endswith(("?", "？")) and not profile.asks:
        return Reading(None, "asked back")
    if not _CROSSES.isdisjoint(said.text):
        return Reading(None, "crossed out")
    most = _SPARE_WORDS + 3 * profile.words if kind.span and profile.words and why not in _ALONE else 0
    if most and not profile.sentence and len(said.core.split()) > most:
        # Far longer than any answer that was shown.
        return Reading(None, "no known form")
    for text in dict.fromkeys((said.core, said.text)):
        answer = kind.parse(text, task)
        if answer is not None:
            return Reading(answer, _own(text, question) if why == "bare" else why, said=said.text)
    head = _confirmed(said.text, kind, task, question)
    return Reading(head, why) if head is not None else Reading(None, "not of its kind")


def _own(text: str, question: Question) -> str:
    """The form of a bare answer: with words that the prompt does not have it may deny, in any language."""
    strange = question.prompt and not question.known.issuperset(tokens_of(text.replace("|", " ")))
    return "frame" if strange else "bare"


def _confirmed(text: str, kind: Kind, task: Task, question: Question) -> str | None:
    """The label before a sentence that says the question again ("Yes, Mary is in the office.")."""
    head, _, rest = text.partition(",")
    words = set(tokens_of(rest))
    answer = kind.parse(head, task) if task.labels and words & question.words - load().words else None
    strange = words - set(".!\"'") - question.words - load().words - set(tokens_of(question.prompt[-4_000:]))
    others = words.intersection(*[tokens_of(" ".join(task.labels))])
    return None if strange or others else answer


LENIENT = Lenient()
