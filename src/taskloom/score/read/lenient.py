"""The lenient reader: an answer in one of the known forms, or none.

The last marked answer counts ("Answer: …", a box, a tag, JSON, "The answer is …"), else a bare one, else a sentence of
a known frame. What stands before a statement may be anything; what is in it and behind it is known (`frames.toml`).
"""

from __future__ import annotations

import json
import re
from hashlib import blake2b
from operator import attrgetter
from typing import Any, ClassVar

from taskloom.core import Reader, Reading, Targets, Task
from taskloom.core.kind import KINDS
from taskloom.core.scorer import Score, Scorer
from taskloom.core.targets import acceptable_texts
from taskloom.score.read.frames import DATA, Question, Said, load, longest, look_at, tokens_of, whole
from taskloom.score.read.text import peel, spoken, unwrapped, values_in
from taskloom.score.read.values import Profile, profile_of

_TAG = re.compile(r"<(/?)(?:think|thinking|thought|reasoning|reflection|scratchpad)>|\[(/?)THINK\]", re.IGNORECASE)
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)[^<]*<\|message\|>")


def split_thoughts(raw: str) -> tuple[str, bool]:
    """What was said without what was thought, and whether a thought never ends: the model ran out of room.

    A closing tag without an opening one ends a thought begun by the chat template. Of channels the final one counts.
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
_STOP = r"(?:(?<=\w\w[.!?])|(?<=[*\"”)][.!?])|(?<=[ ,/][a-z\d][.!?])(?=\s+[A-Z]))"
_SENTENCE = re.compile(rf"\n\s*|(?<=[。！？])|{_STOP}[\"'”’*_)\]]*\s+(?=\S)")
_ENDS = re.compile(r"[\n。！？]|[.!?*_\"”)]\s")
_RULE = " \t\r\n`*_=#>~-"  # what a line that says nothing is made of
_END_TAG = re.compile(r"[<\[]/(?:answer|final|final[_ ]answer|output|result|response|label)[>\]]", re.IGNORECASE)
_BOX = re.compile(r"\\boxed\s*\{")
_FENCE = re.compile(r"```(?:[\w+-]*[ \t]*\n)?(.*?)\n?```", re.DOTALL)
_ALONE = frozenset({"asked", "mark", "json"})
_PARTS = frozenset({"asked", "bare", "json"})  # part marks are for these
_MOST_MARKS, _MOST_PIECES, _SPARE_WORDS, _SHORTEST_REFUSAL = 4, 200, 4, 8
_COLONS, _FULL = frozenset(":：="), frozenset(".!。")
_GIVEN = frozenset({"asked", "mark", "marker", "turn", "json"})
_CROSSES = frozenset("✗✘✖❌❎🚫")
_CLAUSE = re.compile(r"\s*[,;–—]\s*|\s+-+\s+")
_STRUCK = re.compile(r"~~[^~\n]+~~")
_SPECIAL = re.compile(r"<\|[\w▁]{1,32}\|>|</?s>|<(?:start|end)_of_turn>|\[/?INST\]")


class Lenient(Reader, frozen=True, kw_only=True):
    """Reads answers that are given in a known form, in any of the languages of `frames.toml`; never guesses."""

    name: ClassVar[str] = "lenient"
    version: ClassVar[str] = "3"

    def describe(self) -> dict[str, Any]:
        digest = blake2b(DATA.read_bytes(), digest_size=6).hexdigest()
        return {"name": self.name, "version": self.version, "frames": digest}

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
        profile = profile_of(task)
        bare = (len(body) <= 64 and body.isascii() and body.isalnum()) or profile.kind.keeps(body)
        if bare and (answer := profile.parse(body)) is not None:
            return Reading(answer, "bare", said=body)
        question = Question(prompt, profile.shown, "" if profile.kind.span else task.instruction.definition)
        reading = _last_line(body, profile, question) or _located(body, profile, question)
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


def _last_line(body: str, profile: Profile, question: Question) -> Reading | None:
    """The answer on the last line, if that line is marked: the form that is asked for."""
    line = next((line for line in reversed(body.split("\n")) if not _is_rule(line)), "")
    if _COLONS.isdisjoint(line):
        return None
    starts = [0, *(match.end() for match in _SENTENCE.finditer(line))][-_MOST_MARKS:] if _ENDS.search(line) else [0]
    found = next(filter(None, (_marked(line, at) for at in reversed(starts))), None) or (starts[0] and _marked(line, 0))
    if not found:
        return None
    while starts[-1] > found.start() and _is_talk(line[starts[-1] :], profile, question):
        line = line[: starts.pop()]
        found = _marked(line, found.start()) or found
    value, plain = found[2], found[2].strip("` .\n")
    if profile.kind.structured or profile.kind.keeps(plain):
        return Reading(answer, "asked") if (answer := profile.parse(plain)) is not None else None
    if value.isascii() and value.isalnum() and (answer := profile.parse(value)) is not None:
        return Reading(answer, "asked", said=value)
    given = _parsed(look_at(value, question, plain=profile.sentence), profile, question, "asked")
    # "Answer: sure enough": what looks like talk may be the answer.
    short = given.answer is not None and len(value.split()) <= profile.words + 1
    return Reading(given.answer, "asked", said=peel(value)) if short else given


def _marked(line: str, start: int) -> re.Match[str] | None:
    """A mark, its sign and what follows them, at a place of a line."""
    found = _LINE.match(line, start)
    return found if found is not None and whole(load().mark, tokens_of(found[1])) else None


def _located(tail: str, profile: Profile, question: Question) -> Reading:
    if ("```" in tail or _holds_json(tail, profile)) and (reading := _block(tail, profile, question)) is not None:
        return reading
    if (mark := _explicit(tail)) is not None:
        value, after = mark
        rest = _settled(after, profile, question) if after.strip(" $.\\])*`\n") else None
        if rest is not None and rest.why != "talk":
            return rest if rest.why in ("marker", "turn") else Reading(None, "no known form")
        return _parsed(look_at(value, question, plain=profile.sentence), profile, question, "mark")
    if (profile.kind.lines or profile.lines) and (reading := _lines(tail, profile, question)) is not None:
        return reading
    reading = _settled(tail, profile, question)
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
    for match in list(_END_TAG.finditer(text))[-_MOST_MARKS:] if "</" in text or "[/" in text else ():
        start = text.lower().rfind(opener := match[0].lower().replace("/", ""), 0, match.start())
        if start >= 0 and (best is None or match.end() > best[0]):
            best = (match.end(), text[start + len(opener) : match.start()], text[match.end() :])
    if (start := text.rfind("####")) >= 0 and (rest := text[start + 4 :].strip()) and "\n" not in rest:
        best = (len(text), rest, "")
    if best is None:
        return None
    inner = _explicit(best[1]) if "</" in best[1] else None
    return inner if inner is not None and not inner[1].strip() else best[1:]


def _block(text: str, profile: Profile, question: Question) -> Reading | None:
    """The answer in a fence or a JSON value with known talk around it; None where there is no such thing."""
    fences = list(_FENCE.finditer(text))
    inner, before, after = text, "", ""
    if fences:
        last = fences[-1]
        inner, before, after = last[1].strip(), text[: last.start()], text[last.end() :]
    values = list(values_in(inner)) if _holds_json(inner, profile) else []
    if values:
        before, after = before + inner[: values[0].start], inner[values[-1].end :] + after
        if any(one.value != values[-1].value for one in values):
            before = inner[values[-2].end : values[-1].start]
            if not _introduces(before, profile, question):
                return Reading(None, "two answers")
    elif not fences:
        return None
    known = _introduces(before, profile, question) or _is_talk(before, profile, question)
    if not (known and _is_talk(after, profile, question)):
        return Reading(None, "no known form") if values else None
    if values:
        return _structured(values[-1].value, profile, question)
    if profile.kind.lines and "\n" in inner:
        return _list(inner.split("\n"), profile, question)
    return _settled(inner, profile, question)


def _holds_json(text: str, profile: Profile) -> bool:
    return profile.kind.structured or text[:1] in "[{" or '{"' in text or "{'" in text


def _structured(value: Any, profile: Profile, question: Question) -> Reading:
    inner = unwrapped(value)
    if profile.kind.structured:
        given = value if inner is None else inner
        answer = profile.parse(given if isinstance(given, str) else json.dumps(given, ensure_ascii=False))
        return Reading(answer, "json" if answer is not None else "not of its kind")
    if isinstance(inner, dict):
        return Reading(None, "no known form")
    several = isinstance(inner, list) and not profile.kind.joined and len(inner) != 1
    if several or (isinstance(value, dict) and inner is None):
        return Reading(None, "two answers")
    return _parsed(Said(spoken(inner), spoken(inner)), profile, question, "json")


def _is_talk(text: str, profile: Profile, question: Question) -> bool:
    return not text.strip() or _settled(text, profile, question).why == "talk"


def _introduces(text: str, profile: Profile, question: Question) -> bool:
    """Whether a text ends with a mark or a turn, so that what follows is the answer."""
    pieces = _pieces(text, profile)
    last = look_at(f"{pieces[-1]} 0", question, again=1) if pieces else Said("", "")
    return last.core == "0" and (last.marked or last.turned)


def _lines(text: str, profile: Profile, question: Question) -> Reading | None:
    """An answer on several lines: those behind the last mark, without talk at both ends."""
    lines = [line for line in text.split("\n") if not _is_rule(line)]
    if not 1 < len(lines) <= _MOST_PIECES:
        return None
    said = [look_at(line, question, again=place > 0, plain=True, notes=False) for place, line in enumerate(lines)]
    given = [line for line, one in zip(lines, said, strict=True) if one.text and not one.marked]
    if any(line.rstrip(_RULE)[-1] in ":：" for line in given):
        return None  # a heading that is not known may say that what follows is not the answer
    first, last = 0, len(lines)
    for place, one in enumerate(said):
        if one.turned and one.text:
            return None
        first = place + 1 if one.turned and " " in lines[place] else first
        if one.note and place > first:
            last = min(last, place)
        if one.marked and (not one.text or place + 1 < len(lines)):
            first, last = place + (not one.text), len(lines)
    kept = [at for at in range(first, last) if said[at].text]
    if len(kept) < 2 or (said[kept[0]].marked and f"{lines[kept[0]].strip()}\n\n" in text):
        return None  # a paragraph behind an answer is about it
    listed = range(kept[0], kept[-1] + 1)
    return _list([said[at].text if said[at].marked else lines[at] for at in listed], profile, question)


def _list(lines: list[str], profile: Profile, question: Question) -> Reading:
    if any(line.rstrip().endswith("?") for line in lines) and not profile.asks:
        return Reading(None, "asked back")
    answer = profile.parse("\n".join(lines))
    return Reading(answer, _own(answer, question)) if answer is not None else Reading(None, "not of its kind")


def _settled(text: str, profile: Profile, question: Question) -> Reading:
    """What sentences give together: the last marked answer, else the last word after a turn, else the only answer.

    Why is "talk" where all is talk. Nothing between a turn and the last word is weighed, but for a question.
    """
    given: list[tuple[str, Said]] = []
    chosen: Said | None = None
    confirmed: Said | None = None
    head = ""
    adjacent = noted = unknown = conflict = turned = False
    for piece in _pieces(text, profile):
        again = 2 if turned else int(chosen is not None or bool(given))
        one = look_at(piece, question, again=again, plain=profile.sentence, notes=not profile.because)
        before = chosen or (given[-1][1] if given else one)
        only_no = one.turned and again and one.core == before.core and one.core in load().no  # "It is no. Wait, no."
        if one.turned:
            checks = not (one.text or turned or before is one) and question.confirms(piece)
            confirmed = before if checks else None
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
            conflict = adjacent and chosen is not None and not (same or chosen.turned or one.turned or one.led)
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
        return _parsed(chosen, profile, question, "turn" if turned else "marker")
    last = given[-1][1] if given and turned else None if given else confirmed
    if last is not None:
        return _parsed(last, profile, question, "turn")
    if not given and (turned or head):
        return _parsed(Said(head, head), profile, question, "bare") if head else Reading(None, "taken back")
    return _only(given, text, profile, question)


def _pieces(text: str, profile: Profile) -> list[str]:
    if profile.sentence:
        return [line for line in text.split("\n")[-_MOST_PIECES:] if not _is_rule(line)]
    if _ENDS.search(text) is None:
        return [text]
    return [piece for piece in _SENTENCE.split(text)[-_MOST_PIECES:] if not _is_rule(piece)]


def _is_rule(line: str) -> bool:
    """Whether a line is a rule, the fence of a block or blank."""
    rest = line.strip(_RULE)
    return not rest or (rest.isalnum() and line.lstrip().startswith("```") and not line.rstrip().endswith("`"))


def _ends_in(before: str, last: tuple[str, Said], text: str, profile: Profile, question: Question) -> bool:
    """Whether a bare answer in words of the prompt, or a label, is the last word behind a whole sentence."""
    said, core = tokens_of(before), last[1].core
    finished = before.rstrip(_RULE)[-1:] in _FULL and (last[0].rstrip(_RULE)[-1:] in _FULL or f"\n\n{last[0]}" in text)
    short = len(core.split()) <= max(profile.words, 1) and question.names(tokens_of(core)) and not last[1].framed
    return finished and short and len(said) > _SPARE_WORDS and question.calm(said) and profile.parse(core) is not None


def _only(given: list[tuple[str, Said]], text: str, profile: Profile, question: Question) -> Reading:
    """The one answer among sentences none of which is marked; the others may only quote the prompt."""
    if not given:
        return Reading(None, "talk")
    if len(given) > 1 and not load().so.isdisjoint(tokens_of(given[-1][0][:20])[:1]):
        given = given[-1:]  # a conclusion
    if len(given) > 1:
        last = len(given[-1][1].core.split())
        brief = last <= profile.words + 2 and ":" not in given[-1][1].core
        fresh = [(p, one) for p, one in given if not question.shows(p, loosely=brief and len(p.split()) > last + 2)]
        if len({one.core.casefold() for _, one in fresh}) > 1 and "\n" not in text.strip() and profile.kind.span:
            fresh = [(text, Said(peel(text), peel(text)))]  # a dot inside an answer is no end of a sentence
        given = fresh
    if len(given) > 1 and _ends_in(given[-2][0], given[-1], text, profile, question):
        given = given[-1:]
    if len({one.core.casefold() for _, one in given}) != 1:
        return Reading(None, "two answers" if given else "repeats the prompt")
    piece, one = given[0]
    dotted = piece.rstrip(' *_"”').endswith((".", "!")) and not profile.sentence
    if dotted and profile.kind.span and not one.led and 0 < profile.words < len(one.core.split()) - 2:
        return Reading(None, "no known form")  # a sentence where a few words are asked for
    return _parsed(one, profile, question, "frame" if one.framed else "bare")


def _parsed(said: Said, profile: Profile, question: Question, why: str) -> Reading:
    """The answer by its kind, without the words of the question around it where only so it is one."""
    if profile.missing and whole(load().missing, tokens_of(said.text)):
        return Reading("n/a", why)
    asks = said.text.endswith(("?", "？")) and not profile.asks
    if asks or not _CROSSES.isdisjoint(said.text):
        return Reading(None, "asked back" if asks else "crossed out")
    most = _SPARE_WORDS + 3 * profile.words if profile.kind.span and profile.words and why not in _ALONE else 0
    if most and not profile.sentence and len(said.core.split()) > most:
        return Reading(None, "no known form")  # far longer than any answer that was shown
    for text in dict.fromkeys((said.core, said.text)):
        if (answer := profile.parse(text)) is not None:
            return Reading(answer, _own(text, question) if why == "bare" else why, said=said.text)
    head = _stated(said.text, profile, question)
    return Reading(head, why) if head is not None else Reading(None, "not of its kind")


def _own(text: str, question: Question) -> str:
    """The form of a bare answer: with words that the prompt does not have it may deny, in any language."""
    strange = question.prompt and not question.known.issuperset(tokens_of(text.replace("|", " ")))
    return "frame" if strange else "bare"


def _stated(text: str, profile: Profile, question: Question) -> str | None:
    """The label beside known words: "Yes, Mary is in the office.", "The relation of premise and hypothesis is …"."""
    frames, said, labels = question.frames, tokens_of(text), tokens_of(" ".join(profile.task.labels))
    head, *rest = _CLAUSE.split(text, maxsplit=1)
    words = tokens_of(" ".join(rest))
    fine = (
        len(words) > 2
        and words[0] not in frames.others
        and question.tells(words)
        and question.calm({*words} - (question.known & frames.deny))
    )
    if (
        fine
        and profile.task.labels
        and frozenset(labels).isdisjoint(words)
        and (answer := profile.parse(head)) is not None
    ):
        return answer
    for label, own in ((one, tokens_of(one)) for one in sorted(profile.task.labels, key=len, reverse=True)):
        before = said[: -len(own)]
        if before and said[-len(own) :] == own:
            gives = max((place for place, one in enumerate(before) if one in frames.gives), default=len(before))
            led = gives < len(before) and frames.gap.issuperset(before[gives + 1 :]) and before[0] not in frames.others
            fine = led and question.tells(before) and question.calm(before)
            return label if fine and frames.bars.isdisjoint(before) else None
    return None


LENIENT = Lenient()
