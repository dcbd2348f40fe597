"""What may stand around an answer (`frames.toml`), and what one sentence or line gives when it is taken off.

Words are taken off from both ends of a sentence as long as the frames know them; what is left is the answer, all of it.
A word that no frame knows stays, and an answer with a word too many is not the right one.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Sequence
from functools import cache, cached_property
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple, TypeAlias

from taskloom.score.read.text import peel

DATA = Path(__file__).parent / "frames.toml"
_SIGNS = "\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af"
TOKEN = re.compile(rf"[{_SIGNS}]|(?:(?<![\w)])[-−](?=\d))?[^\W_{_SIGNS}]+(?:['’][^\W_{_SIGNS}]+)*|[^\w\s]|_+")
_HYPHEN = re.compile(r"(?<=\w)-(?=\w)")
_ITEM = re.compile(r"\[([^\]]*)\]|\(([^)]*)\)|<(\w+)>|(\{\})|([^\s\[\](){}<>|]+)")
LISTS = ("mark", "frame", "lead", "turn", "no", "but", "it", "close", "note", "reason", "missing", "refuse", "tail")
TALK = ("words", "about", "again", "wrong", "fit", "copula", "gives", "topics")
BAGS = (*TALK, "bars", "others", "deny", "doubt", "here", "so", "iffy", "judges")

Tree: TypeAlias = dict[str, Any]
Opened: TypeAlias = tuple[int, bool, bool]
"""Where an answer begins, whether it is marked, and whether what was said before is taken back."""


class Frames(SimpleNamespace):
    """What is known of all languages together: trees of words (`behind` and `tail` backwards) and sets of words."""


def folded(text: str) -> str:
    """In lower case, with plain apostrophes; a hyphen between letters is no dash ("not-entailment")."""
    return _HYPHEN.sub("\u2011", text.lower().replace("’", "'"))


def tokens_of(text: str) -> list[str]:
    """Words and signs in lower case; scripts without blanks sign by sign."""
    return TOKEN.findall(folded(text))


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
        said = re.sub(r"<(\w+)>", lambda part: sets[part[1]], sets[name] if name else maybe or some or hole or word)
        found.append(said.split("|") + [""] * bool(maybe))
    return found


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
    alone = {name: {word for word, more in trees[name].items() if "" in more} for name in ("turn", "no", "lead")}
    bags["again"] |= alone["turn"]
    bags["about"] = bags["about"].union("\u2011", alone["no"], *(bags[name] for name in TALK))
    bags["about"] -= bags["iffy"] - bags["words"]
    bags["gives"] |= bags["copula"]
    bags["gap"] = bags["words"] | alone["turn"] | alone["lead"]
    bags["nouns"] = frozenset(trees["mark"]) - bags["words"] - bags["topics"] - bags["here"] - frozenset(trees["but"])
    bags["adverse"] = (bags["bars"] - bags["words"]).union(*(bags[name] for name in ("again", "wrong", "fit", "deny")))
    bags["praise"] = bags["about"].difference(
        bags["bars"], bags["topics"], bags["wrong"], bags["doubt"], ("a", "an", "one")
    )
    bags["iffy"] |= {"?", "？"}
    bags["spoils"] = bags["doubt"] | bags["wrong"] | (bags["bars"] - bags["words"])
    heads = bags["about"] | bags["nouns"] | bags["here"]
    bags["heads"] = heads.difference(bags["adverse"], bags["bars"], bags["topics"], bags["doubt"], trees["but"])
    bags["starts"] = bags["about"].union(trees["mark"]) - bags["iffy"]
    return Frames(before=trees.pop("frame"), **trees, **bags)


@cache
def _frames_beside(answers: tuple[str, ...]) -> Frames:
    """The frames where these are answers: their words are no talk, and an answer ("no") denies nothing."""
    known = load()
    said = [tokens_of(answer) for answer in answers]
    single, shown = frozenset(a[0] for a in said if len(a) == 1), frozenset[str]().union(*said)
    taken = single | (shown - known.words)
    talk = () if known.about.isdisjoint(taken) else ("about", "heads", "starts")
    own = {name: vars(known)[name] - taken for name in talk}
    own |= {"deny": known.deny - single, "inner": known.no.keys() - single, "single": single, "shown": shown}
    return Frames(**{**vars(known), **own})


_COLON = frozenset(":：=→")
_MARKUP = frozenset("*_`>")
_PAUSE = frozenset(",;:：!.–—―-…→，、；。！")
_BREATH = frozenset(",;.!–—―…，、；。！")
_STOPS = frozenset(",;.!…–—―-()[]*_`\"'“”，、；。！")
_BETWEEN = _STOPS | _COLON
_ASKS_WHY = frozenset({"why", "warum", "pourquoi", "perché"})
_JOINTS = frozenset("-\u2011.'’/")  # they tie a small word to the next: "en-lente", "A.A.", "n/a"
_LONGEST, _LONGEST_CLOSE, _LONGEST_TALK, _LONGEST_HEAD, _MOST_TURNS = 1_200, 16, 40, 12, 64
_SHORT, _SHORTEST_DENIAL = 2, 4


class Question:
    """The words of what was asked, taken from the prompt when they are first needed, and answers that were shown."""

    def __init__(self, prompt: str, answers: tuple[str, ...] = (), definition: str = "") -> None:
        self.prompt, self.definition = prompt, definition
        self.frames = _frames_beside(answers)

    @cached_property
    def words(self) -> frozenset[str]:
        """The words of the prompt's last question; none where nothing is asked."""
        shown = self.prompt[-2_000:].rstrip()
        end = shown.rfind("?") + 1
        start = max(shown.rfind(sign, 0, end - 1) for sign in ("\n", ". ", "? ")) + 1
        return frozenset(tokens_of(shown[start:end])) - _STOPS - {"?"}

    @cached_property
    def known(self) -> frozenset[str]:
        """The words at the end of the prompt, where question and passage are."""
        return frozenset(tokens_of(self.prompt[-20_000:]))

    @cached_property
    def _defined(self) -> frozenset[str]:
        return frozenset(tokens_of(self.definition))

    def tells(self, said: Iterable[str]) -> bool:
        """Whether all words of a text are harmless talk or words of the prompt or the definition."""
        talk, nouns = self.frames.about, self.frames.nouns
        return all(one in talk or one in nouns or one in self.known or one in self._defined for one in said)

    @cached_property
    def _shown(self) -> str:
        return " ".join(self.prompt.casefold().split())

    def shows(self, text: str, *, loosely: bool = False) -> bool:
        """Whether the prompt holds a text of three words or more, or (loosely) all its words but harmless talk."""
        part = " ".join(text.casefold().split()).strip(" .!\"'“”*>-")
        if (quoted := part.count(" ") >= 2 and part in self._shown) or not loosely:
            return quoted
        said = set(tokens_of(text)) - _STOPS
        return len(said) > _SHORT + 1 and said - self.known <= self.frames.about and self.calm(said)

    def calm(self, said: Iterable[str]) -> bool:
        """Whether nothing in a text denies, doubts or asks."""
        return not any(one in self.frames.spoils or one in self.frames.iffy or one in self.frames.deny for one in said)

    def confirms(self, text: str) -> bool:
        """Whether a text about checking finds that something fits ("I double-checked the text.")."""
        said = tokens_of(text)
        return self.calm(said) and not self.frames.fit.isdisjoint(said)

    def names(self, said: Sequence[str]) -> bool:
        """Whether a text is made of words of the prompt or of answers that were shown, and of no talk."""
        frames = self.frames
        fine = all(one in self.known or one in frames.shown or one.isdigit() for one in said)
        return bool(said) and fine and frames.about.isdisjoint(set(said) - frames.shown)


class Said(NamedTuple):
    """What a sentence gives: the answer, with the words that may belong to it and without them (`core`).

    `marked`: it says that this is the answer; `turned`: it takes back what was said before; `note`: it opens an
    explanation; `framed`: a frame was taken off; `led`: it goes on from what was said. Without text it is talk.
    """

    text: str
    core: str
    marked: bool = False
    turned: bool = False
    note: bool = False
    framed: bool = False
    led: bool = False


def look_at(sentence: str, question: Question, *, again: int = 0, plain: bool = False, notes: bool = True) -> Said:
    """What a sentence or line gives for the answer.

    `again`: 1 where something was said before, 2 where it was taken back; `plain`: answers are sentences, to which
    "it is" may belong; `notes`: an explanation may be cut off behind the answer.
    """
    frames = question.frames
    text = peel(sentence)
    notes = notes and _ASKS_WHY.isdisjoint(question.words)
    low = folded(text[:_LONGEST])
    # A capital whose small letter is two letters (İ) would shift what follows.
    found = list(TOKEN.finditer(low if len(low) == len(text[:_LONGEST]) else text[:_LONGEST]))
    tokens = [match[0] for match in found]
    opening = tokens[0] if tokens else ""
    if opening in frames.mark and whole(frames.mark, tokens):
        return Said("", text, marked=True)  # a heading, where something follows it
    closes = opening in frames.close and whole(frames.close, [token for token in tokens if token not in _STOPS])
    if closes or (opening in frames.talk and longest(frames.talk, tokens)):
        return Said("", "")
    colon = [":"] if sentence.rstrip(" *_`")[-1:] in (":", "：") else []
    start, marked, turned = _opened(tokens + colon, 0, frames, again > 0)
    led = start > 0 and opening in frames.lead and opening not in frames.mark and opening not in frames.before
    note = longest(frames.note, tokens, start) if start < len(tokens) and tokens[start] in frames.note else 0
    if note and start + note < len(tokens) and tokens[start + note] in _COLON:
        return Said(text, text, note=True)
    start, marked, turned = _reopened(tokens, (start, marked, turned), question, again, plain)
    end = len(tokens)
    if notes:
        because = (place for place in range(start + 1, len(tokens)) if tokens[place] in frames.reason)
        end = next((place for place in because if longest(frames.reason, tokens, place)), end)
    framed = start > 0 or end < len(tokens)
    end, behind = _closed(tokens, start, end, question)
    marked, framed = marked or behind, framed or behind
    end -= start > 0 and tokens[end - 1] == ")" and "(" not in tokens[start:end]
    idle = end - start > _SHORT and not plain and start > 0 and frames.about.issuperset(tokens[start:end])
    if start >= end or idle:
        return Said("", "", marked, turned, framed=framed)
    stop = len(text) if end == len(tokens) else found[end - 1].end()
    value = peel(text[found[start].start() : stop])
    if plain:
        own = next((size for size in (1, 2, 3) if size <= start and whole(frames.it, tokens[start - size : start])), 0)
        return Said(peel(text[found[start - own].start() : stop]), value, marked, turned, framed=framed)
    first, last = _core(tokens, start, end, question, frames)
    core = peel(text[found[first].start() : found[last - 1].end()]) if (first, last) != (start, end) else value
    return Said(value, core, marked, turned, framed=framed or core != value, led=led)


def _reopened(tokens: list[str], opened: Opened, question: Question, again: int, plain: bool) -> Opened:
    """Where the last statement begins in a sentence: behind a turn, a contrast or a premise."""
    start, marked, turned = opened
    tried, opening, frames = 0, tokens[0] if tokens else "", question.frames
    clause = tokens[0 if marked else start :][:4]
    denied = next((at for at, one in enumerate(clause) if one in frames.deny and clause[at + 1 :][:1] != ["\u2011"]), 3)
    contrary = denied < 3 and frames.words.issuperset(clause[:denied])  # "It isn't …, it's …", "not … but …"
    but = frames.but
    premise: tuple[int, int] | None = None
    for place in range(start + 1, len(tokens)):
        token, sign = tokens[place], tokens[place - 1]
        pause = sign in _STOPS or sign in "?？"
        # What follows from a premise: "…, so it is …", "Because …, he is …".
        so = (token in frames.so and sign not in frames.deny) or (pause and opening in frames.reason)
        so = so and not plain and tokens[place + 1 : place + 2] != ["that"]
        if premise is None and (so or (sign in _PAUSE and (token in frames.starts or token in but))):
            premise = _premise(tokens, question)
        iffy, known = premise or (0, 0)
        so = so and place < iffy
        framing = so or ((turned or again > 1 or sign in ";；") and (token in frames.mark or token in frames.before))
        framing = framing or (sign in _PAUSE and place <= known and token in frames.starts)
        turns = token in frames.turn or token in frames.inner or token in but or (contrary and token in frames.it)
        opens = turns or framing or token in frames.about or token in frames.deny
        behind = place + longest(frames.turn, tokens, place)  # "… ではなく、…"
        joins = (
            pause or so or (framing and sign in _COLON) or (place < behind < len(tokens) and tokens[behind] in _PAUSE)
        )
        joins = joins or (token in but and longest(but, tokens, place) > 0 == longest(but, tokens, place - 1))
        kept = sign in _STOPS and tokens[place - 2] in frames.deny and (place > 2 or opening not in frames.no)
        if opens and joins and place > start and not kept and (tried := tried + 1) < _MOST_TURNS:
            after, named, back = _opened(tokens, place, frames, True)
            if contrary and not back and (size := longest(but, tokens, place) or longest(frames.it, tokens, place)):
                after, back = place + size, True
            named = named or (so and _core(tokens, after, len(tokens), question, frames)[0] > after)
            if sign in _PAUSE and place < iffy and (size := longest(but, tokens, place)):
                rest = [one for one in tokens[place + size :] if one not in _STOPS]
                after, back = (place + size, True) if question.names(rest) and not back else (after, back)
            if back or (named and framing and not frames.about.issuperset(tokens[after:])):
                start, marked, turned = after, named, True
    return start, marked, turned


def _opened(tokens: list[str], start: int, frames: Frames, again: bool) -> Opened:
    """Where the answer begins behind openers, turns and frames, whether it is marked, and whether a turn was taken."""
    marked = turned = led = False
    place, lead, close = start, frames.lead, frames.close
    contrast: Opened | None = None
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
        after, back, gives = _checked(tokens, place, frames, again or turned, led)
        if not after:
            break
        marked, turned, contrast, place = marked or gives, turned or back, None if back or gives else contrast, after
    return contrast if contrast and not longest(frames.it, tokens, place) else (place, marked, turned)


def _checked(tokens: list[str], start: int, frames: Frames, again: bool, led: bool) -> Opened:
    """Where talk ends (0: there is none), whether it takes back what was said, and whether it gives the answer.

    Such talk is known words in any order ("reading the last line once more"), before a frame or up to words that give
    an answer ("everything points to"); before a bare answer it ends in a pause. What denies may only deny that
    something fits ("that does not look right"). Nothing begins with a condition or other people.
    """
    about, size = frames.about, len(tokens)
    best, gave, clause, place = 0, -1, start, start
    turns = wrong = faulty = barred = False
    while place < size:
        token = tokens[place]
        leads = place == clause and token in frames.lead and longest(frames.lead, tokens, place)
        other = token in frames.nouns and tokens[place - 1] in frames.topics  # "my second choice is"
        if place > start and not (wrong or other) and (leads or _named(tokens, place, frames)):
            return place, turns and again, False
        if place > start + _LONGEST_TALK:
            return 0, False, False
        named = longest(frames.mark, tokens, place) if token in frames.mark and token not in frames.words else 0
        faulty = faulty or (wrong and named > 0)
        if token in frames.deny:
            end = next((one for one in range(place, size) if tokens[one] in _PAUSE), size)
            short = end - clause <= _SHORTEST_DENIAL  # "It isn't.", "That is not it." denies what was said
            if not about.issuperset(tokens[place + 1 : end]) or not (short or frames.fit & set(tokens[clause:end])):
                break
            turns = wrong = True
            place = end
        elif token in _PAUSE and place > start:
            if wrong and (faulty or place == clause + 1) and tokens[place] in ":：=→–—―-":
                break
            long = place > clause + _SHORT and (turns or token in _COLON or not barred)
            long = long or (place > clause + 1 and tokens[place] != "," and not (turns or barred))
            opens = led or (turns and again) or (long and not wrong)
            place = clause = _skipped(tokens, place, _PAUSE)
            # "Reading too fast, I get …" gives nothing, unless it takes back what was said before.
            best, wrong, barred, gave = place if opens else 0, False, wrong and not again, -1
        elif token in about and (token not in frames.others if place == clause else token not in frames.iffy):
            # What another thing is ("the last line is …") says nothing of the answer.
            subject = next((one for one in tokens[clause:place] if one in frames.topics or one in frames.nouns), "")
            other = subject in frames.topics and (token in frames.copula or token in frames.nouns)
            gives = longest(frames.it, tokens, place) or (not other and token in frames.gives)
            gave = place + gives if gives else gave
            barred = barred or token in frames.bars
            turns, wrong = turns or token in frames.again or token in frames.wrong, wrong or token in frames.wrong
            place += 1
        elif named:
            place += named
        else:
            break
    if place == size > clause + (1 if turns and again else _SHORT) and (again or (turns and not wrong)):
        return size, turns and again, False
    if place < size and gave > start and not (wrong or barred) and frames.gap.issuperset(tokens[gave:place]):
        return gave, turns and again, True
    return best, turns and again and best > 0, False


def _named(tokens: list[str], place: int, frames: Frames) -> int:
    """How many tokens a mark with its sign or a frame takes at a place; 0 where there is none."""
    first = tokens[place]
    size = longest(frames.mark, tokens, place) if first in frames.mark else 0
    colon = _skipped(tokens, place + size, _MARKUP)
    if size and colon < len(tokens) and (tokens[colon] in _COLON or tokens[colon] in "–—-"):
        return _skipped(tokens, colon + 1, _MARKUP) - place
    size = longest(frames.before, tokens, place) if first in frames.before else 0
    following = tokens[place + size] if place + size < len(tokens) else ""
    if size and following in frames.heads and tokens[place + size + 1 : place + size + 2] in ([":"], ["："]):
        return size + 2  # "The answer is clear: …"
    wrong = following in frames.wrong and following in frames.about  # "My answer was wrong: …" is no answer yet
    return 0 if wrong else size or _headed(tokens, place, frames)


def _headed(tokens: list[str], start: int, frames: Frames) -> int:
    """How many tokens a heading of known words takes, with the colon or "is" behind it; 0 where there is none."""
    named = False
    for place in range(start, min(start + _LONGEST_HEAD, len(tokens))):
        token = tokens[place]
        if named and (token in _COLON or token in frames.copula):
            return place + 1 - start
        if token not in frames.heads or (place == start and token in frames.others):
            return 0
        named = named or token in frames.nouns
    return 0


def _taken_back(tokens: list[str], place: int, frames: Frames, again: bool, turned: bool) -> int:
    """Where the text goes on behind a turn; 0 where none stands here."""
    size = longest(frames.turn, tokens, place)
    after = _skipped(tokens, place + size, _PAUSE)
    if size and (again or size > 1 or after > place + size):
        return after
    size = longest(frames.no, tokens, place) if again else 0
    if place and not turned and tokens[place - 1] in ",:(" and tokens[place + size - 1] in frames.single:
        return 0  # "Options: no, yes"
    after = _skipped(tokens, place + size, _PAUSE)
    if not size or after == len(tokens):
        return after if size and tokens[place] in frames.about else 0
    paused = tokens[place + size] in (_PAUSE if turned else _BREATH)
    return after if paused or longest(frames.turn, tokens, after) else 0


def _skipped(tokens: list[str], place: int, signs: frozenset[str]) -> int:
    while place < len(tokens) and tokens[place] in signs:
        place += 1
    return place


def _closed(tokens: list[str], start: int, end: int, question: Question) -> tuple[int, bool]:
    """Where the answer ends before a frame that follows it, and whether that frame marks it."""
    frames = question.frames
    while end > start and tokens[end - 1] in _STOPS and tokens[end - 1] not in "\"'”“)]":
        end -= 1
    for place in range(end - 2, max(start, end - _LONGEST_CLOSE), -1):
        if tokens[place] in _PAUSE or tokens[place] == "(":
            behind = tokens[place + 1 : end - (tokens[end - 1] == ")")]
            # Talk about the text ("…, based on the last line", "… (see the story)"), or the end of an answer.
            talk = len(behind) > _SHORT and frames.about.issuperset(behind) and frames.wrong.isdisjoint(behind)
            # "X, not Y": another answer is denied.
            rival = (
                len(behind) > 1 and behind[0] in frames.deny and _PAUSE.isdisjoint(behind) and behind[1] not in _JOINTS
            )
            rival = rival and all(one in question.known or one in frames.single or one.isdigit() for one in behind[1:])
            rival = rival and not frames.about.issuperset(behind[1:])
            if talk or rival or whole(frames.close, behind):
                end = place
                break
    backwards = tokens[start:end][::-1]
    tail = 0 if longest(frames.behind, backwards) else longest(frames.tail, backwards)
    size = longest(frames.behind, backwards[tail:]) or _praised(backwards[tail:], frames)
    return end - tail - size, size > 0


def _premise(tokens: list[str], question: Question) -> tuple[int, int]:
    """Where a condition, a guess or a question begins, and up to where all words are known and harmless."""
    frames = question.frames
    iffy = len(tokens) if tokens and tokens[0] not in frames.others else 0
    iffy = next((place for place in range(iffy) if tokens[place] in frames.iffy), iffy)
    strange = (
        at
        for at, one in enumerate(tokens[:iffy])
        if one in frames.spoils or not (one in _BETWEEN or question.tells((one,)))
    )
    return iffy, next(strange, iffy)


def _praised(backwards: list[str], frames: Frames) -> int:
    """How many tokens at the end call what stands before them right ("… seems right to me")."""
    size = right = 0
    for place, token in enumerate(backwards[: min(_LONGEST_HEAD, len(backwards) - 1)]):
        right = right or token in frames.nouns or token in frames.fit
        if token not in frames.praise and token not in frames.nouns:
            break
        size = place + 1 if right and token in frames.judges else size
    return size


def _core(tokens: list[str], start: int, end: int, question: Question, frames: Frames) -> tuple[int, int]:
    """The answer in a sentence that restates the question: without the question's words and small words at its ends."""
    asked, words = (
        question.words - frames.deny - frames.doubt - frames.wrong - frames.iffy - frames.topics,
        frames.words,
    )
    first, last = start, end
    while first < last and (
        tokens[first] in words or tokens[first] in asked or (first > start and tokens[first] == ",")
    ):
        first += 1
    first -= first < last and first > start and tokens[first] in _JOINTS
    if first == last or tokens[first] in _JOINTS or (first > start and tokens[first - 1] in (",", "and")):
        return start, end
    while last > first + 1 and tokens[last - 1] in asked and tokens[last - 2] not in _JOINTS:
        last -= 1
    # Behind the answer the words of the question stand together; a small word may lead up to them.
    while last > first + 1 and last < end and tokens[last - 1] in words:
        last -= 1
    # One word of the question may be another answer ("from thirsty to kitchen").
    return first, last if len(asked.intersection(tokens[last:end]) - words) > 1 else end
