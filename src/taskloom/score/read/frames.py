"""What may stand around an answer (`frames.toml`), and what one sentence or line gives when it is taken off.

Frames are trees of words that are walked word by word. Words are taken off from both ends of a sentence as long as the
frames know them; what is left is the answer, all of it. A word that no frame knows stays, and an answer with a word too
many is not the right one: that is why denials need no list.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from functools import cache, cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from taskloom.score.read.text import peel

DATA = Path(__file__).parent / "frames.toml"
_SIGNS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
TOKEN = re.compile(rf"[{_SIGNS}]|(?:(?<![\w)])[-−](?=\d))?[^\W_{_SIGNS}]+(?:['’][^\W_{_SIGNS}]+)*|[^\w\s]|_+")
_ITEM = re.compile(r"\[([^\]]*)\]|\(([^)]*)\)|<(\w+)>|(\{\})|([^\s\[\](){}<>|]+)")
LISTS = ("mark", "frame", "lead", "turn", "no", "but", "it", "close", "note", "reason", "missing", "refuse", "tail")
BAGS = ("words", "about", "again", "wrong", "fit", "others", "deny")

Tree: TypeAlias = dict[str, Any]


class Frames(NamedTuple):
    """What is known of all languages together; `behind` and `tail` are read backwards; sets are words in any order."""

    mark: Tree
    before: Tree
    behind: Tree
    lead: Tree
    turn: Tree
    no: Tree
    but: Tree
    it: Tree
    close: Tree
    note: Tree
    reason: Tree
    talk: Tree
    missing: Tree
    refuse: Tree
    tail: Tree
    words: frozenset[str]
    about: frozenset[str]
    again: frozenset[str]
    wrong: frozenset[str]
    fit: frozenset[str]
    others: frozenset[str]
    deny: frozenset[str]


def tokens_of(text: str) -> list[str]:
    """Words and signs in lower case; scripts without blanks sign by sign."""
    return TOKEN.findall(text.lower().replace("’", "'"))


def longest(tree: Tree, tokens: Sequence[str], start: int = 0) -> int:
    """How many tokens from `start` on are the longest entry of a tree, commas aside; 0 where none begins there."""
    best, place, size = 0, start, len(tokens)
    while place < size:
        following = tree.get(tokens[place])
        place += 1
        if following is None:
            if tokens[place - 1] == "," and place - 1 > start:
                continue
            break
        tree = following
        if "" in tree:
            best = place - start
    return best


def whole(tree: Tree, tokens: Sequence[str]) -> bool:
    """Whether all the tokens are one entry."""
    return bool(tokens) and longest(tree, tokens) == len(tokens)


def _grow(tree: Tree, pieces: Sequence[Sequence[Sequence[str]]]) -> None:
    """Add every way through an entry: of each piece one of its alternatives, all of them words."""
    ends = [tree]
    for alternatives in pieces:
        reached: dict[int, Tree] = {}
        for words in alternatives:
            for end in ends:
                for word in words:
                    end = end.setdefault(word, {})  # noqa: PLW2901 - a step further
                reached[id(end)] = end
        ends = list(reached.values())
    for end in ends:
        end[""] = {}


def pieces_of(entry: str, sets: dict[str, str]) -> list[list[str]]:
    """The alternatives of every piece of an entry, which stands for all their combinations."""
    found: list[list[str]] = []
    for maybe, some, name, hole, word in _ITEM.findall(entry):
        said = sets[name] if name else maybe or some or hole or word
        found.append([text for part in said.split("|") for text in _inside(part, sets)] + [""] * bool(maybe))
    return found


def _inside(part: str, sets: dict[str, str]) -> list[str]:
    found = re.fullmatch(r"(.*?)<(\w+)>(.*)", part)
    return [f"{found[1]}{one}{found[3]}" for one in sets[found[2]].split("|")] if found else [part]


@cache
def load(path: Path = DATA) -> Frames:
    """The frames of a file."""
    trees: dict[str, Any] = {name: {} for name in (*LISTS, "behind", "talk")}
    tables = tomllib.loads(path.read_text("utf-8")).values()
    bags: dict[str, Any] = {one: frozenset(" ".join(t.get(one, "") for t in tables).split()) for one in BAGS}
    for table in tables:
        for kind, entry in ((name, entry) for name in LISTS for entry in table.get(name, ())):
            step = -1 if kind == "tail" or entry.startswith("{}") else 1
            pieces = pieces_of(entry.replace("{}", "").removesuffix("…"), table.get("sets", {}))
            kept = "behind" if step < 0 and kind != "tail" else "talk" if entry.endswith("…") else kind
            _grow(trees[kept], [[tokens_of(text)[::step] for text in piece] for piece in pieces[::step]])
    bags["again"] |= {word for word, following in trees["turn"].items() if "" in following}
    bags["about"] |= (
        {word for word, following in trees["no"].items() if "" in following}
        | bags["words"]
        | bags["again"]
        | bags["wrong"]
        | bags["fit"]
    )
    trees["before"] = trees.pop("frame")
    return Frames(**trees, **bags)


@cache
def _frames_beside(answers: tuple[str, ...]) -> Frames:
    """The frames where these are answers: their words are no talk."""
    known = load()
    return known._replace(about=known.about.difference(*map(tokens_of, answers)))


_COLON = frozenset(":：=→")
_MARKUP = frozenset("*_`>")
_PAUSE = frozenset(",;:：!.–—―-…→，、；。！")
_BREATH = frozenset(",;.!–—―…，、；。！")
_STOPS = frozenset(",;.!…–—―-()[]*_`\"'“”，、；。！")
_LONGEST = 2_000
_ASKS_WHY = frozenset({"why", "warum", "pourquoi", "perché"})
_JOINTS = frozenset("-.'’/")
"""Signs that tie a small word to the next ("en-lente", "A.A.", "n/a"), so that it is no word of its own."""
_LONGEST_HEAD = 12
_LONGEST_CLOSE = 10
_SHORT = 2
_LONGEST_TALK = 40


class Question:
    """The words of what was asked, taken from the prompt when they are first needed, and answers that were shown."""

    def __init__(self, prompt: str, answers: tuple[str, ...] = ()) -> None:
        self.prompt = prompt
        self.frames = _frames_beside(answers)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the prompt's last question; none where nothing is asked."""
        shown = self.prompt[-2_000:].rstrip()
        end = shown.rfind("?") + 1
        start = max(shown.rfind(sign, 0, end - 1) for sign in ("\n", ". ", "? ")) + 1
        return frozenset(tokens_of(shown[start:end])) - _STOPS - {"?"}

    def has_words_of(self, text: str) -> bool:
        """Whether every word of a text stands at the end of the prompt, where question and passage are."""
        return not self.prompt or set(tokens_of(text)) <= set(tokens_of(self.prompt[-20_000:]))

    @cached_property
    def _shown(self) -> str:
        return " ".join(self.prompt.casefold().split())

    def shows(self, text: str) -> bool:
        """Whether the prompt holds a text of three words or more, to the letter."""
        part = " ".join(text.casefold().split()).strip(" .!\"'“”*>-")
        return part.count(" ") >= 2 and part in self._shown


class Said(NamedTuple):
    """What a sentence gives.

    Attributes:
        text: The answer, with the words that may belong to it.
        core: The answer without words of the question and small words around it.
        marked: The sentence says that this is the answer, so that nothing said before it counts.
        turned: It takes back what was said before.
        note: It opens an explanation.
        framed: Some frame was taken off.
        led: It opens with a lead, so that it goes on from what was said before.
    """

    text: str
    core: str
    marked: bool = False
    turned: bool = False
    note: bool = False
    framed: bool = False
    led: bool = False

    @property
    def empty(self) -> bool:
        """Nothing but talk."""
        return not self.text


def look_at(sentence: str, question: Question, *, again: int = 0, plain: bool = False, notes: bool = True) -> Said:
    """What a sentence or line gives for the answer.

    `again`: 1 where something was said before, which this may take back; 2 where it was taken back, so that a frame
    behind a pause counts, whatever stands before it; `plain`: answers are sentences themselves, so that
    only sentences about "the answer" are frames; `notes`: an explanation behind the answer may be cut off.
    """
    frames = question.frames
    text = peel(sentence)
    notes = notes and _ASKS_WHY.isdisjoint(question.words)
    low = text[:_LONGEST].lower().replace("’", "'")
    # A capital whose small letter is two letters (İ) would shift what follows.
    found = list(TOKEN.finditer(low if len(low) == len(text[:_LONGEST]) else text[:_LONGEST]))
    tokens = [match[0] for match in found]
    opening = tokens[0] if tokens else ""
    if opening in frames.mark and len(tokens) <= _LONGEST_HEAD and whole(frames.mark, tokens):
        # A heading, where something follows it.
        return Said("", text, marked=True)
    closes = opening in frames.close and whole(frames.close, [token for token in tokens if token not in _STOPS])
    if closes or (opening in frames.talk and longest(frames.talk, tokens)):
        return Said("", "")
    start, marked, turned = _opened(tokens, 0, frames, again > 0)
    led = start > 0 and opening in frames.lead and opening not in frames.mark and opening not in frames.before
    note = longest(frames.note, tokens, start) if start < len(tokens) and tokens[start] in frames.note else 0
    if note and start + note < len(tokens) and tokens[start + note] in _COLON:
        return Said(text, text, note=True)
    end = len(tokens)
    turn, no, but, mark, before, about = frames.turn, frames.no, frames.but, frames.mark, frames.before, frames.about
    for place in range(start + 1, len(tokens)):
        token = tokens[place]
        sign = tokens[place - 1]
        framing = (turned or again > 1 or sign in ";；") and (token in mark or token in before)
        opens = token in turn or token in no or token in but or framing or token in about or token in frames.deny
        joins = sign in _STOPS or sign in "?？" or (token in but and sign not in but) or (framing and sign in _COLON)
        if opens and joins and place > start and tokens[place - 2] not in frames.deny:
            after, named, back = _opened(tokens, place, frames, True)
            if opening in frames.deny and not back and (size := longest(but, tokens, place)):
                after, back = place + size, True
            if back or (named and framing):
                start, marked, turned, end = after, named, True, len(tokens)
        if notes and start < place < end == len(tokens) and token in frames.reason:
            end = place if longest(frames.reason, tokens, place) else end
    framed = start > 0 or end < len(tokens)
    end, behind = _closed(tokens, start, end, frames)
    marked, framed = marked or behind, framed or behind
    if start >= end:
        return Said("", "", marked, turned, framed=framed)
    stop = len(text) if end == len(tokens) else found[end - 1].end()
    value = peel(text[found[start].start() : stop])
    if plain:
        return Said(value, value, marked, turned, framed=framed)
    first, last = _core(tokens, start, _without_source(tokens, start, end, frames), question, frames)
    core = peel(text[found[first].start() : found[last - 1].end()]) if (first, last) != (start, end) else value
    return Said(value, core, marked, turned, framed=framed or core != value, led=led)


def _opened(tokens: list[str], start: int, frames: Frames, again: bool) -> tuple[int, bool, bool]:
    """Where the answer begins behind openers, turns and frames, whether it is marked, and whether a turn was taken.

    "But" is a turn before a frame, a mark, "it is" or another turn, and never before less.
    """
    marked = turned = led = False
    place, lead, close = start, frames.lead, frames.close
    contrast: tuple[int, bool, bool] | None = None
    while place < len(tokens):
        first = tokens[place]
        if (size := _named(tokens, place, frames)) > longest(frames.turn, tokens, place):
            marked, contrast, place = True, None, _skipped(tokens, place + size, _PAUSE)
            continue
        turns = first in frames.turn or first in frames.no
        if turns and (after := _taken_back(tokens, place, frames, again or turned, turned)):
            turned, contrast, place = True, None, after
            continue
        if first in frames.but and (again or turned) and (size := longest(frames.but, tokens, place)):
            if not turned or tokens[place - 1] in _PAUSE:
                contrast = contrast or (place, marked, turned)
            turned, place = True, _skipped(tokens, place + size, _PAUSE)
            continue
        size = longest(lead, tokens, place) if first in lead else 0
        if not size and first in close and (size := longest(close, tokens, place)):
            size = size if place + size < len(tokens) and tokens[place + size] in _PAUSE else 0
        if size:
            led, place = True, _skipped(tokens, place + size, _PAUSE)
            continue
        after, back = _checked(tokens, place, frames, again or turned, led)
        if not after:
            break
        turned, contrast, place = turned or back, None if back else contrast, after
    return contrast if contrast and not longest(frames.it, tokens, place) else (place, marked, turned)


def _checked(tokens: list[str], start: int, frames: Frames, again: bool, led: bool) -> tuple[int, bool]:
    """Where talk about reading and checking ends, and whether it takes back what was said; 0 where there is none.

    Such talk is known words in any order ("reading the last line once more"). Before a frame, or "it is" and the
    answer, it may be any of them; before a bare answer it ends in a pause, and a word says that something is done
    again or was wrong. What was wrong always ends in a pause: "the wrong one is …" gives no answer. What denies may
    only deny that something fits ("that does not look right"). Nothing begins with a condition or other people.
    """
    about, size = frames.about, len(tokens)
    best, it, clause, place = 0, -1, start, start
    turns = wrong = False
    while place < size:
        token = tokens[place]
        leads = place == clause > start and token in frames.lead and longest(frames.lead, tokens, place)
        if place > start and not wrong and (leads or _named(tokens, place, frames)):
            return place, turns and again
        if place > start + _LONGEST_TALK:
            return 0, False
        noun = place + (longest(frames.mark, tokens, place) if token in frames.mark and token not in about else 0)
        if token in frames.deny:
            end = next((one for one in range(place, size) if tokens[one] in _PAUSE), size)
            if not about.issuperset(tokens[place + 1 : end]) or frames.fit.isdisjoint(tokens[clause:end]):
                break
            turns = wrong = True
            place = end
        elif token in _PAUSE and place > start:
            if wrong and place == clause + 1 and tokens[place] in ":：=→–—―-":
                break
            long = place > clause + _SHORT and not wrong
            opens = led or (turns and again) or (long and (turns or token in _COLON))
            place = clause = _skipped(tokens, place, _PAUSE)
            best, wrong, it = place if opens else 0, False, -1
        elif token in about and not (place == clause and token in frames.others):
            it = place if token in frames.it and longest(frames.it, tokens, place) else it
            turns, wrong = turns or token in frames.again or token in frames.wrong, wrong or token in frames.wrong
            place += 1
        elif noun > place and (noun == size or tokens[noun] in _BREATH):
            place = noun
        else:
            break
    if place == size > clause + (1 if turns and again else _SHORT) and (again or (turns and not wrong)):
        return size, turns and again
    if place < size and it > start and not wrong and frames.words.issuperset(tokens[it:place]):
        return it, turns and again
    return best, turns and again and best > 0


def _named(tokens: list[str], place: int, frames: Frames) -> int:
    """How many tokens a mark with its sign or a frame takes at a place; 0 where there is none."""
    first = tokens[place]
    if first in frames.mark and (size := longest(frames.mark, tokens, place)) and (sign := _sign(tokens, place + size)):
        return size + sign
    return longest(frames.before, tokens, place) if first in frames.before else 0


def _taken_back(tokens: list[str], place: int, frames: Frames, again: bool, turned: bool) -> int:
    """Where the text goes on behind a turn; 0 where none stands here.

    A word alone may be the answer ("Actually"), unless something was said before it. "No" takes back only before a
    pause or a turn, or behind one: before a noun it denies.
    """
    size = longest(frames.turn, tokens, place)
    after = _skipped(tokens, place + size, _PAUSE)
    if size and (again or size > 1 or after > place + size):
        return after
    size = longest(frames.no, tokens, place) if again else 0
    after = _skipped(tokens, place + size, _PAUSE)
    if not size or after == len(tokens):
        return after if size and tokens[place] in frames.about else 0
    paused = tokens[place + size] in (_PAUSE if turned else _BREATH)
    return after if paused or longest(frames.turn, tokens, after) else 0


def _sign(tokens: list[str], place: int) -> int:
    """How many tokens a colon and the like take, marks of Markdown around it included; 0 where there is none."""
    colon = _skipped(tokens, place, _MARKUP)
    if colon >= len(tokens) or not (tokens[colon] in _COLON or tokens[colon] in "–—-"):
        return 0
    return _skipped(tokens, colon + 1, _MARKUP) - place


def _skipped(tokens: list[str], place: int, signs: frozenset[str]) -> int:
    while place < len(tokens) and tokens[place] in signs:
        place += 1
    return place


def _closed(tokens: list[str], start: int, end: int, frames: Frames) -> tuple[int, bool]:
    """Where the answer ends before a frame that follows it, and whether that frame marks it."""
    while end > start and tokens[end - 1] in _STOPS and tokens[end - 1] not in "\"'”)]":
        end -= 1
    for place in range(end - 2, max(start, end - _LONGEST_CLOSE), -1):
        if tokens[place] in _PAUSE and whole(frames.close, tokens[place + 1 : end]):
            end = place
            break
    backwards = tokens[start:end][::-1]
    if size := longest(frames.behind, backwards):
        return end - size, True
    return end - longest(frames.tail, backwards), False


def _without_source(tokens: list[str], start: int, end: int, frames: Frames) -> int:
    """Where the answer ends before talk about the text behind it ("…, based on the last line", "… (see the story)")."""
    place = end - (tokens[end - 1] == ")")
    while place > start and tokens[place - 1] in frames.about:
        place -= 1
    before = tokens[place - 1] if place > start + 1 else ""
    return place - 1 if end - place > _SHORT and (before in _PAUSE or before == "(") else end


def _core(tokens: list[str], start: int, end: int, question: Question, frames: Frames) -> tuple[int, int]:
    """The answer in a sentence that restates the question: without the question's words and small words at its ends."""
    asked, words = question.words, frames.words
    first, last = start, end
    while first < last and (
        tokens[first] in words or tokens[first] in asked or (first > start and tokens[first] == ",")
    ):
        first += 1
    if first == last or tokens[first] in _JOINTS:
        return start, end
    while last > first + 1 and tokens[last - 1] in asked and tokens[last - 2] not in _JOINTS:
        last -= 1
    # Behind the answer the words of the question stand together; a small word may lead up to them.
    while last > first + 1 and last < end and tokens[last - 1] in words:
        last -= 1
    return first, last
