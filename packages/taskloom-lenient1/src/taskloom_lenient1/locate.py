r"""Where the answer stands in an output: tags, boxes, fences, JSON, "The answer is …", "So: …", framing lines.

Each rule looks at the text a bounded number of times, so that the cost is linear in its length.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from taskloom.core import Task
from taskloom_lenient1.evidence import without_evidence
from taskloom_lenient1.frame import EXPLAINS, is_frame, segments, strip_openers, trim
from taskloom_lenient1.hedge import ALTERNATIVE
from taskloom_lenient1.labels import is_label
from taskloom_lenient1.layout import ANSWER_NOUN, NEGATED, STRUCK, chosen, flatten
from taskloom_lenient1.profile import Profile
from taskloom_lenient1.structures import decode_json, spoken_json

__all__ = ["BOX", "MARKER", "Region", "locate", "same_sentence"]

_TAG = re.compile(
    r"<(/?)(?:(?:final|correct)?[_-]?answer|ans|final|output|result|response|reply|solution|prediction|verdict|label"
    r"|respuesta|antwort)>",
    re.IGNORECASE,
)
BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_FENCE_NAME = re.compile(r"[A-Za-z0-9_+-]{0,15}[ \t]*\n")
_BE = r"(?:is|are|was|be|would be|should be|must be|will be|es|son|sería|ist|lautet|est|é|è)"
MARKER = re.compile(
    rf"\b{ANSWER_NOUN}\b[*_`\"”]*(?: (?:correcta|final|\(final\)))?"
    rf"(?:\s+(?:to|for|of|here|below|in|a|de|para|aquí)\b[^.:\n?]{{0,80}}?|, [^.:;,\n?]{{1,30}},)?[*_`]*"
    rf"[ \t]*(?:(?:therefore |thus |then |clearly |simply |indeed )?\b{_BE}\b(?:\s+(?:therefore|thus|then|clearly"
    r"|simply|indeed|as follows|the following|that|que)\b)?\s*(?:[:=：]|->|→)?|[:=：]|->|=>|→|⇒"
    r"|>{1,3}(?=\s)|[–—-](?=\s)"
    r"|['’]s(?=\s+\S))(?:[*_]{1,3}(?=\s))?\s*",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(
    r"(?:(?<=\n)|(?<=[.;!?]\s)|(?<=,\s)|^)[*_\s]*(?:so|therefore|thus|hence|in conclusion|in summary|in short|overall"
    r"|finally|consequently|accordingly|it follows that|(?:this|which) means(?: that)?|we conclude(?: that)?"
    r"|por (?:lo )?tanto|así que|entonces|en conclusión|on second thought|correction|(?:no,? )?wait,?(?: no)?"
    r"|scratch that|i mean)\b\s*[,:]?\s+",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"(?:(?<=\n)|^)[ \t]*(?:#{{1,6}}[ \t]*|[*_]{{1,3}})?(?:(?:the|my|la|final|correct|right) ){{0,3}}{ANSWER_NOUN}"
    r"(?: final)?[*_:]*[ \t]*\n\s*(?=\S)",
    re.IGNORECASE,
)
_COMMENTARY = re.compile(rf"(?:(?<=\n)|(?<=[.!?]\s)){EXPLAINS.pattern}", re.IGNORECASE)
_LONG_ANSWER = re.compile(
    rf"(?:(?<=\n)|(?<=[.!?]\s))[ \t>#*_]*(?:the |my )?(?:long(?:er)?|full(?:er)?"
    rf"|detailed)[ -](?:{ANSWER_NOUN}|version)\b",
    re.IGNORECASE,
)
_ARROW = re.compile(
    r"(?:(?<=\n)|^)\s*(?:A|Ans|R)\s*[:.)]\s+|(?:(?<=\n)|^)\s*(?:→|=>|->|⇒|⟹|➡\ufe0f?|➜|➔|➤|▶\ufe0f?|∴|==?>?)\s*",
    re.MULTILINE,
)
_LETTERED = re.compile(r"\n\s*B[.):]\s")
_BLOCK = re.compile(
    r"<(scratchpad|analysis|thoughts?|reflection|plan|rationale|explanation|work(?:ing)?|notes?|steps?"
    r"|reason)>.*?</\1>",
    re.IGNORECASE | re.DOTALL,
)
_RUN_ON = re.compile(
    r"\n\s*(?:#+\s*|\[)?(?:input|question|passage|premise|user|human|task|definition|example(?: \d+)?|entrada"
    r"|pregunta|instruction)\b\s*(?:\d+)?\s*[:\]]",
    re.IGNORECASE,
)
_LEAD = re.compile(r"[^\n:：>→⇒]{1,80}(?:[:：]|[=-]>|[→⇒])(?:[*_`]*\s+|(?<=：))(?=\S)")
_OFFER = re.compile(
    r"[^\n:.!?]{0,80}\b(?:possibilities|candidates|alternatives|contenders|options|choices"
    r"|(?:are|be|seem) (?:all |both |equally )?(?:possible|plausible|likely|acceptable|valid)"
    r"|(?:possible|plausible|potential|acceptable|likely|valid) "
    r"(?:answers|labels|choices|results|solutions|outputs|responses))\b[^\n:.!?]{0,40}:",
    re.IGNORECASE,
)
_ONE_OF_THEM = re.compile(
    r"\b(?:best|correct|right|only|fits?|choose|chose|pick|select\w*|of the|among|from)\b", re.IGNORECASE
)
_EMPHASISED = re.compile(r"(?<=\n)[ \t>]*(\*\*|__)((?:[^\n*:?]|:(?=\S))+)\1[.!]?[ \t]*(?=\n|$)(?!\s*\S)")
_PLURAL = re.compile(r"(?:answers|labels|results|respuestas)\b", re.IGNORECASE)
_LISTED = re.compile(r"[^\n.]*(?:[,;] | and | or )\S")
_ENUMERATED = re.compile(r"(?:^|[ ])\(?1[.)][ ]\S.*[ ]\(?2[.)][ ]\S")
_LEAD_SIGNS = (":", "：", "=>", "->", "→", "⇒")
_MARKER_SIGNS = ("answer", "label", "output", "result", "respon", "soluti", "classif", "predict", "verdict",
                 "conclusi", "choice", "reply", "pick", "guess", "outcome", "select", "decision", "suggest",
                 "respuesta", "etiqueta", "salida", "solución", "répons", "antwort", "respost", "rispost", "ответ",
                 "答", "回")  # fmt: skip
_ARROW_SIGNS = ("→", "➡", "➜", "➔", "➤", "▶", "⟹", "∴", "=", "->", "⇒", "A:", "A.", "A)", "Ans", "R:")
_CONCLUSION_SIGNS = ("so", "thus", "hence", "therefore", "conclu", "summary", "short", "overall", "final", "conseq",
                     "accord", "follows", "mean", "tanto", "así", "entonces", "thought", "correction", "wait",
                     "scratch")  # fmt: skip
_REMARK = re.compile(r"(?<=\S)\s+(?:\([^()]*\)|\[[^\[\]]*\])[.!*_ ]*$")
_QUOTATION = re.compile(r"[\"“‘«*]([^\"”’»*\n]{2,400})[\"”’»*](?=[,;:]?\s+\S)")
_QUOTED_LAST = re.compile(r"\s*(?:[—–:(]|\s-)\s*[\"“]([^\"”\n]{2,400})[\"”]\)?\.?\s*$")
_CODE = re.compile(r"(?:[\w.]+\s*=\s*|return\s+|[\w.]+\()\s*([\"'])(.*)\1\s*\)?;?")
_MOST_STARTS = 24
_SENTENCE_END = re.compile(r"[.!?\n]\s")


class Region(NamedTuple):
    """The part of an output that holds the answer.

    Attributes:
        text: That part; "" where there is none.
        found: The rule that found it: "tag", "box", "json", "marker", "conclusion", or "whole".
        before: What stands before it in the same sentence, which may deny or hedge it.
        failed: Why there is no answer, where it is plain already.
        said: The prose that it was taken from; "" where marks set it apart from all prose.
    """

    text: str
    found: str = "whole"
    before: str = ""
    failed: str = ""
    said: str = ""


def locate(body: str, profile: Profile, prompt: str) -> Region:
    """The part of an output (without its thoughts) that holds the answer."""
    if body[:1] in ("{", "[") and decode_json(body) is not None:
        pass
    elif "\n" in body or "?" in body or '"' in body or "“" in body:
        body = _without_echo(body, profile, prompt)
        if not body.strip():
            return Region("", failed="repeats the prompt")
    elif " " in body:
        body = without_evidence(body, prompt, profile)
    if "<" in body:
        rest = _BLOCK.sub("", body)
        body = rest if rest.strip() else body
        tagged = _tagged(body)
        if tagged is not None:
            return Region(tagged, "tag")
    if "\\" in body and BOX.search(body):
        return _boxed(body)
    structured = profile.task.kind == "json"
    body = _unlaid(body, structured)
    if not body:
        return Region("", failed="struck out")
    if ("{" in body or "[" in body) and not structured:
        spoken = spoken_json(body)
        if spoken is not None:
            return Region(spoken, "json")
    if structured and ("{" in body or "[" in body) and decode_json(body) is not None:
        return Region(body, "json")
    return _marked(body, profile)._replace(said=body)


def _unlaid(body: str, structured: bool) -> str:
    """An output whose layout has become plain lines; "" where all of it is struck out, or no box of a list ticked."""
    ticked = chosen(body) if "]" in body else None
    body = flatten(body if ticked is None else ticked)
    if not body.isascii() and STRUCK.match(body):
        return ""
    longer = _LONG_ANSWER.search(body) if "ong" in body or "ull" in body or "etail" in body else None
    if longer is not None and body[: longer.start()].strip():
        body = body[: longer.start()]
    if "```" in body:
        return _unfenced(body, structured)
    return _uncoded(body) if body.startswith("print(") else body


def _without_echo(body: str, profile: Profile, prompt: str) -> str:
    """What follows the prompt where an output repeats it, and what precedes the next question that it invents."""
    definition = profile.task.instruction.definition
    asked = prompt.strip()
    body = _without_quotations(body, asked)
    if len(definition) >= 40 and definition in body:
        body = body[body.rfind(definition) + len(definition) :]
        if body.strip() in asked:
            return ""
    # A single line may be its own answer ("correct the sentence"); several lines, or a question, are an echo.
    if asked and ("\n" in asked or asked.endswith("?")):
        if asked in body:
            body = body[body.rfind(asked) + len(asked) :]
        question = asked[asked.rfind("\n") + 1 :]
        if question.endswith("?"):
            place = body.rfind(question)
            if place >= 0:
                after = body[place + len(question) :]
                body = after if after.strip() else body[:place]
        if "\n" in body.strip() and body.strip() in asked:
            return ""
    body = without_evidence(body, prompt, profile)
    if "\n" in body.strip():
        body = _without_repeated_line(body, asked)
    run_on = _RUN_ON.search(body)
    if run_on is not None and not all(is_frame(body[a:b]) for a, b in segments(body[: run_on.start()])):
        return body[: run_on.start()]
    return body


def _without_repeated_line(body: str, asked: str) -> str:
    """Without lines that repeat the question or the last line of the prompt, alone or after a few words and a colon."""
    last = asked[asked.rfind("\n") + 1 :].strip()

    def repeats(line: str) -> bool:
        whole = line.strip(" *_>")
        said = whole[whole.find(": ") + 2 :] if ": " in whole[:60] else whole
        return last in (whole, said) or (said.endswith("?") and said in asked)

    lines = body.split("\n")
    rest = [line for line in lines if not repeats(line)]
    return "\n".join(rest) if "".join(rest).strip() else body


def _without_quotations(body: str, asked: str) -> str:
    """Lines of the prompt that are quoted within a sentence shrink to a word, so that the sentence can be read."""
    lines = None
    tail = _QUOTED_LAST.search(body)
    if tail is not None and tail.start() and tail[1].strip(" .") in {line.strip(" .") for line in asked.split("\n")}:
        body = body[: tail.start()]
    for quoted in list(_QUOTATION.finditer(body))[:_MOST_STARTS]:
        lines = lines or {line.strip() for line in asked.split("\n")}
        said = quoted[1].strip()
        if said in lines or (said.endswith("?") and said in asked):
            body = body.replace(quoted[0], "it", 1)
    return body


def _tagged(body: str) -> str | None:
    start = None
    found = None
    for tag in _TAG.finditer(body):
        if not tag[1]:
            start = tag.end()
        elif start is not None:
            found, start = body[start : tag.start()], None
    if start is not None and body[start:].strip():
        found = body[start:]
    return found


def _boxed(body: str) -> Region:
    """The content of the boxes, if they agree."""
    contents: list[str] = []
    for box in list(BOX.finditer(body))[-_MOST_STARTS:]:
        depth = 1
        for index in range(box.end(), min(len(body), box.end() + 5000)):
            depth += (body[index] == "{") - (body[index] == "}")
            if depth == 0:
                contents.append(body[box.end() : index].strip())
                break
    contents = [NEGATED.sub("not ", content) for content in contents]
    if not contents:
        return Region("", failed="a box that never closes")
    if len(set(contents)) > 1:
        return Region("", failed="several answers")
    before = body[: body.find("\\")]
    return Region(contents[-1], "box", same_sentence(before))


def _unfenced(body: str, structured: bool) -> str:
    """The content of the last code block, unless prose after it gives the answer."""
    parts = body.split("```")
    blocks = parts[1::2]
    content = next((block for block in reversed(blocks) if block.strip()), "")
    name = _FENCE_NAME.match(content)
    if name is not None and content[name.end() :].strip():
        content = content[name.end() :]
    content = _uncoded(content)
    after = parts[-1] if len(parts) % 2 else ""
    if not structured and MARKER.search(after):
        return after
    return content if content.strip() else body.replace("```", "")


def _uncoded(content: str) -> str:
    """The string that a line of code prints, returns or assigns; other content as it is."""
    lines = [line for line in content.strip().split("\n") if not line.lstrip().startswith(("#", "//"))]
    code = _CODE.fullmatch(lines[-1].strip()) if lines else None
    return code[2] if code is not None else content


def _marked(body: str, profile: Profile) -> Region:
    """The part after a marker, an arrow, a lead or a conclusion; all of the body where there is none of these."""
    if ":" in body and (offered := _OFFER.match(body)) is not None and not _ONE_OF_THEM.search(offered[0]):
        return Region("", failed="several answers")
    # Looking for a few letters first spares short answers most of the patterns.
    low = body.casefold()
    named = _named(body, low, profile)
    if named is not None:
        return named
    if profile.sentence and _ENUMERATED.search(body):
        return Region("", failed="several answers")
    if len(body) > 24:
        commentary = _COMMENTARY.search(body)
        if commentary is not None and body[: commentary.start()].strip():
            body = body[: commentary.start()]
    body = _trimmed(body, profile)
    if "\n" in body and (last := _EMPHASISED.search(body)) is not None and len(_EMPHASISED.findall(body)) == 1:
        return Region(last[2], "marker", "")
    if any(map(body.__contains__, _LEAD_SIGNS)) and (not profile.because or profile.task.kind == "json"):
        lead = _LEAD.match(body)
        if lead is not None and ": " not in body[lead.end() :] and not any(map(str.isdecimal, lead[0])):
            return Region(body[lead.end() :], "lead", lead[0])
    if not profile.sentence and any(map(low.__contains__, _CONCLUSION_SIGNS)):
        conclusion = _last(_CONCLUSION, body, profile)
        if conclusion is not None:
            return Region(body[conclusion.end() :], "conclusion", "")
    return Region(body)


def _named(body: str, low: str, profile: Profile) -> Region | None:
    """The part after "The answer is", a heading or an arrow, None where there is none of these."""
    if any(map(low.__contains__, _MARKER_SIGNS)):
        marker = _last(MARKER, body, profile) or _last(_HEADING, body, profile)
        if marker is not None:
            if (
                profile.task.kind == "text"
                and not profile.commas
                and _PLURAL.match(marker[0])
                and (_LISTED.match(body, marker.end()))
            ):
                return Region("", failed="several answers")
            return Region(_trimmed(body[marker.end() :], profile), "marker", same_sentence(body[: marker.start()]))
    if any(map(body.__contains__, _ARROW_SIGNS)):
        arrow = _last(_ARROW, body, profile)
        if arrow is not None and not _LETTERED.search(body, arrow.end()):
            return Region(_trimmed(body[arrow.end() :], profile), "marker", "")
    return None


def _trimmed(text: str, profile: Profile) -> str:
    """Without talk at both ends and a remark in brackets. A segment that is a label as a whole is never talk."""
    text = trim(text, (lambda segment: _gives_label(segment, profile.task)) if profile.task.labels else None)
    if text.rstrip(" .!*_")[-1:] in (")", "]") and (not profile.because or profile.task.kind == "json"):
        remark = _REMARK.search(text)
        if remark is not None and "%" not in remark[0] and not ALTERNATIVE.search(remark[0]):
            # "Here's my answer (yes)."
            return remark[0].strip(" .!*_()[]") if is_frame(text[: remark.start()]) else text[: remark.start()]
    return text


def _gives_label(segment: str, task: Task) -> bool:
    """Whether a segment is a label, alone or after an opening ("Now it's …")."""
    return is_label(segment, task) or is_label(strip_openers(segment), task)


def _last(pattern: re.Pattern[str], body: str, profile: Profile) -> re.Match[str] | None:
    """The last match that an answer follows: something, and if possible more than talk ("Long answer: it follows")."""
    found = None
    for match in reversed(list(pattern.finditer(body))[-_MOST_STARTS:]):
        rest = body[match.end() : match.end() + 300]
        if not rest.strip(" \n\t*_`.\"'"):
            continue
        start, end = segments(rest)[0]
        if not is_frame(rest[start:end]) or (profile.task.labels and is_label(rest[start:end], profile.task)):
            return match
        found = found or match
    return found


def same_sentence(before: str) -> str:
    """The beginning of the sentence that a text breaks off in."""
    tail = before[-200:]
    ends = [match.end() for match in _SENTENCE_END.finditer(tail)]
    return tail[ends[-1] :] if ends else tail
