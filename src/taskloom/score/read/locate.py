r"""Where the answer stands in an output: tags, boxes, fences, JSON, "The answer is …", "So: …", framing lines.

Each rule looks at the text a bounded number of times, so that the cost is linear in its length.
"""

from __future__ import annotations

import json
import re
from typing import Any, NamedTuple

from taskloom.score.read.profile import Profile

__all__ = ["Region", "decode_json", "locate", "speak"]

_TAG = re.compile(r"<(/?)(?:answer|final_answer|final|output|label|respuesta)>", re.IGNORECASE)
_BOX = re.compile(r"\\(?:boxed|fbox)\s*\{")
_FENCE_NAME = re.compile(r"[A-Za-z0-9_+-]{0,15}[ \t]*\n")
_NOUN = r"(?:answers?|labels?|output|results?|response|solution|classification|prediction|verdict|conclusion|choice"
_NOUN += r"|respuestas?|etiqueta|salida|resultado|solución|conclusión|réponse|antwort|resposta|risposta)"
_BE = r"(?:is|are|was|be|would be|should be|must be|will be|es|son|sería|ist|est|é|è)"
_MARKER = re.compile(
    rf"\b{_NOUN}\b[*_`\"”]*(?:\s+(?:to|for|of|here|below|in|a|de|para|aquí)\b[^.:\n?]{{0,80}}?)?[*_`]*"
    rf"[ \t]*(?:(?:therefore |thus |then |clearly |simply |indeed )?\b{_BE}\b(?:\s+(?:therefore|thus|then|clearly"
    r"|simply|indeed|as follows|the following|that|que))?\s*(?:[:=]|->|→)?|[:=]|->|=>|→|⇒|[–—-](?=\s))\s*",
    re.IGNORECASE,
)
_CONCLUSION = re.compile(
    r"(?:(?<=\n)|(?<=[.;!?]\s)|(?<=,\s)|^)[*_\s]*(?:so|therefore|thus|hence|in conclusion|in summary|in short|overall"
    r"|finally|consequently|accordingly|it follows that|(?:this|which) means(?: that)?|we conclude(?: that)?"
    r"|por (?:lo )?tanto|así que|entonces|en conclusión|on second thought|correction)\b\s*[,:]?\s+",
    re.IGNORECASE,
)
_HEADING = re.compile(
    rf"(?:(?<=\n)|^)[ \t]*(?:#{{1,6}}[ \t]*|[*_]{{1,3}})?(?:(?:the|my|la|final|correct|right) ){{0,3}}{_NOUN}"
    r"(?: final)?[*_:]*[ \t]*\n\s*(?=\S)",
    re.IGNORECASE,
)
_COMMENTARY = re.compile(
    r"(?:(?<=\n)|(?<=[.!?]\s))[*_#(\s]*(?:explanation|explained|reason(?:ing|s)?|rationale|justification|note|why|details"
    r"|because|since|this (?:is|was|follows|means|comes|can)|that is because|the reason|explicación|nota|razón|porque"
    r"|esto)\b",
    re.IGNORECASE,
)
_ARROW = re.compile(r"(?:(?<=\n)|^)\s*(?:A|Ans|R)\s*[:.)]\s+|(?:(?<=\n)|^)\s*(?:→|=>|->|⇒|==?>?)\s*", re.MULTILINE)
_LEAD_IN = re.compile(
    r"(?:sure|certainly|of course|absolutely|okay|ok|here|below|based|given|according|looking|after|the following"
    r"|claro|aquí|según|done|got it|great|thanks|thank you|understood|alright|let)\b[^\n]{0,160}?[:!]\s*"
    r"(?:\n|(?=\S)|$)",
    re.IGNORECASE,
)
_INTRODUCED = re.compile(r"[^\n:]{0,120}\b(?:is|are|be|es|son|following|below|get|have|obtain|follows)\s*:\s+(?=\S)")
_CLOSER = re.compile(
    r"(?:(?<=\n)|(?<=[.!?)*]\s)|(?<=[.!?]\s\s))[*_(\s]*(?:let me know|i hope|hope (?:this|that|it)|is there anything"
    r"|feel free|if you (?:have|need|want|would|'d)|please let|(?:i'm )?happy to|have a (?:nice|great|good)"
    r"|would you like|do you (?:want|need)|thanks|thank you|glad|espero que|si necesitas|avísame|any (?:other|more)"
    r"|good luck|cheers)\b",
    re.IGNORECASE,
)
_RUN_ON = re.compile(
    r"\n\s*(?:#+\s*|\[)?(?:input|question|passage|premise|user|human|task|definition|example(?: \d+)?|entrada"
    r"|pregunta|instruction)\b\s*(?:\d+)?\s*[:\]]",
    re.IGNORECASE,
)
_MARKER_SIGNS = ("answer", "label", "output", "result", "respon", "soluti", "classif", "predict", "verdict",
                 "conclusi", "choice", "respuesta", "etiqueta", "salida", "solución", "répons", "antwort", "respost",
                 "rispost")  # fmt: skip
_ARROW_SIGNS = ("→", "=", "->", "⇒", "A:", "A.", "A)", "Ans", "R:")
_CONCLUSION_SIGNS = ("so", "thus", "hence", "therefore", "conclu", "summary", "short", "overall", "final", "conseq",
                     "accord", "follows", "means", "tanto", "así", "entonces", "thought", "correction")  # fmt: skip
_KEYS = ("answer", "final_answer", "final answer", "label", "output", "result", "response", "respuesta", "prediction",
         "value")  # fmt: skip
_DECODER = json.JSONDecoder()
_MOST_STARTS = 24
_SENTENCE_END = re.compile(r"[.!?\n]\s")


class Region(NamedTuple):
    """The part of an output that holds the answer.

    Attributes:
        text: That part; "" where there is none.
        found: The rule that found it: "tag", "box", "json", "marker", "conclusion", or "whole".
        before: What stands before it in the same sentence, which may deny or hedge it.
        failed: Why there is no answer, where it is plain already.
    """

    text: str
    found: str = "whole"
    before: str = ""
    failed: str = ""


def locate(body: str, profile: Profile, prompt: str) -> Region:
    """The part of an output (without its thoughts) that holds the answer."""
    if "\n" in body or "?" in body:
        body = _without_echo(body, profile, prompt)
        if not body.strip():
            return Region("", failed="repeats the prompt")
    if "<" in body:
        tagged = _tagged(body)
        if tagged is not None:
            return Region(tagged, "tag")
    if "\\" in body and _BOX.search(body):
        return _boxed(body)
    structured = profile.task.kind == "json"
    if "```" in body:
        body = _unfenced(body, structured)
    if ("{" in body or "[" in body) and not structured:
        spoken = _spoken_json(body)
        if spoken is not None:
            return Region(spoken, "json")
    if structured and ("{" in body or "[" in body) and decode_json(body) is not None:
        return Region(body, "json")
    return _marked(body, profile)


def _without_echo(body: str, profile: Profile, prompt: str) -> str:
    """What follows the prompt where an output repeats it, and what precedes the next question that it invents."""
    definition = profile.task.instruction.definition
    asked = prompt.strip()
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
    run_on = _RUN_ON.search(body)
    if run_on is not None and body[: run_on.start()].strip() and not _LEAD_IN.fullmatch(body[: run_on.start()].strip()):
        return body[: run_on.start()]
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
    for box in list(_BOX.finditer(body))[-_MOST_STARTS:]:
        depth = 1
        for index in range(box.end(), min(len(body), box.end() + 5000)):
            depth += (body[index] == "{") - (body[index] == "}")
            if depth == 0:
                contents.append(body[box.end() : index].strip())
                break
    if not contents:
        return Region("", failed="a box that never closes")
    if len(set(contents)) > 1:
        return Region("", failed="several answers")
    before = body[: body.find("\\")]
    return Region(contents[-1], "box", _same_sentence(before))


def _unfenced(body: str, structured: bool) -> str:
    """The content of the last code block, unless prose after it gives the answer."""
    parts = body.split("```")
    blocks = parts[1::2]
    content = next((block for block in reversed(blocks) if block.strip()), "")
    name = _FENCE_NAME.match(content)
    if name is not None and content[name.end() :].strip():
        content = content[name.end() :]
    after = parts[-1] if len(parts) % 2 else ""
    if not structured and _MARKER.search(after):
        return after
    return content if content.strip() else body.replace("```", "")


class ParsedValue(NamedTuple):
    """A JSON value in a text and what stands around it."""

    value: Any
    before: str
    after: str


def decode_json(text: str) -> ParsedValue | None:
    """The one JSON object or list in a text, None where there is none. Single quotes are read as Python's.

    Several different values leave open which of them is meant; then the value is None.
    """
    found: list[tuple[Any, int, int]] = []
    end = 0
    for attempt, match in enumerate(re.finditer(r"[\[{]", text)):
        if attempt >= _MOST_STARTS:
            break
        if match.start() < end:
            continue
        try:
            value, end = _DECODER.raw_decode(text, match.start())
        except (ValueError, RecursionError):
            continue
        found.append((value, match.start(), end))
    if not found:
        return _python_literal(text)
    value, _, end = found[-1]
    if any(other != value for other, _, _ in found):
        value = None
    while isinstance(value, list) and len(value) == 1 and isinstance(value[0], list):
        value = value[0]
    return ParsedValue(value, text[: found[0][1]], text[end:])


def _python_literal(text: str) -> ParsedValue | None:
    """A structure written with single quotes or a trailing comma, as models that think in Python write it."""
    import ast

    start = min((place for place in (text.find("["), text.find("{")) if place >= 0), default=-1)
    end = max(text.rfind("]"), text.rfind("}"))
    if start < 0 or end <= start or end - start > 20_000:
        return None
    try:
        value = ast.literal_eval(text[start : end + 1])
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None
    return ParsedValue(value, text[:start], text[end + 1 :]) if isinstance(value, dict | list) else None


def _spoken_json(body: str) -> str | None:
    """The answer in an object such as {"answer": "office"} or in a list of strings, as text."""
    text = body.strip()
    if text[:1] not in "[{" and '{"' not in text and "{'" not in text:
        return None
    found = decode_json(text)
    value = found.value if found is not None else None
    if isinstance(value, dict):
        keys = {str(key).lower(): key for key in value}
        key = next((keys[name] for name in _KEYS if name in keys), None)
        if key is None and len(value) == 1:
            key = next(iter(value))
        return None if key is None else speak(value[key])
    if isinstance(value, list) and text[:1] == "[" and value and all(isinstance(item, str) for item in value):
        return speak(value)
    return None


def speak(value: Any) -> str:
    """A JSON value as a person would say it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if value is None:
        return "n/a"
    if isinstance(value, list):
        return "\n".join(speak(item) for item in value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict) else str(value)


def _marked(body: str, profile: Profile) -> Region:
    if len(body) > 24:
        closer = _CLOSER.search(body)
        if closer is not None and body[: closer.start()].strip():
            body = body[: closer.start()]
    # Looking for a few letters first spares short answers most of the patterns.
    low = body.casefold()
    if any(map(low.__contains__, _MARKER_SIGNS)):
        marker = _last(_MARKER, body) or _last(_HEADING, body)
        if marker is not None:
            return Region(body[marker.end() :], "marker", _same_sentence(body[: marker.start()]))
    if any(map(body.__contains__, _ARROW_SIGNS)):
        arrow = _last(_ARROW, body)
        if arrow is not None:
            return Region(body[arrow.end() :], "marker", "")
    if len(body) > 24:
        commentary = _COMMENTARY.search(body)
        if commentary is not None and body[: commentary.start()].strip():
            body = body[: commentary.start()]
    if ":" in body or "!" in body:
        body = _without_lead_in(body, profile)
    if not profile.sentence and any(map(low.__contains__, _CONCLUSION_SIGNS)):
        conclusion = _last(_CONCLUSION, body)
        if conclusion is not None:
            return Region(body[conclusion.end() :], "conclusion", "")
    return Region(body)


def _last(pattern: re.Pattern[str], body: str) -> re.Match[str] | None:
    """The last match that something follows."""
    found = None
    for match in pattern.finditer(body):
        if body[match.end() :].strip(" \n\t*_`.\"'"):
            found = match
    return found


def _without_lead_in(body: str, profile: Profile) -> str:
    body = body.strip()
    for _ in range(3):
        lead = _LEAD_IN.match(body)
        if lead is None or not body[lead.end() :].strip():
            break
        body = body[lead.end() :].strip()
    if not profile.because:
        introduced = _INTRODUCED.match(body)
        if introduced is not None:
            body = body[introduced.end() :]
    return body


def _same_sentence(before: str) -> str:
    """The beginning of the sentence that a text breaks off in."""
    tail = before[-200:]
    ends = [match.end() for match in _SENTENCE_END.finditer(tail)]
    return tail[ends[-1] :] if ends else tail
