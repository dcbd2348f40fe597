"""YAML as version 1.2 has it: mappings, lists, texts, numbers and truth values, built from the parser's events.

The parser's own way to build data recurses on the machine's stack, which a few kilobytes of brackets overflow. Its
events do not, so depth, values and digits are counted here while they pass. What version 1.1 read into plain words
(`yes`, `on`, `1_000`, `12:30:00`, dates) stays text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from taskloom.core.decode import MOST_DEPTH, MOST_DIGITS, decoding, read_text
from taskloom.core.errors import UserError

MOST_YAML = 512 * 1024
"""YAML is read slowly and written by hand, a few kilobytes at a time."""
_MOST_NODES = 200_000
_WORDS: Mapping[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **{sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")},
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_WHOLE = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(
    r"[-+]?(?:(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?|\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))"
)


def _meaning(word: str) -> Any:
    """What a word without quotes stands for."""
    if word in _WORDS:
        return _WORDS[word]
    if not (word[:1] in "+-." or word[:1].isdigit()):
        return word
    for pattern in (_WHOLE, _FLOAT):
        if pattern.fullmatch(word):
            if len(word) > MOST_DIGITS:
                raise ValueError(f"a number has more than {MOST_DIGITS} digits ({word[:8]}…)")
            return float(word) if pattern is _FLOAT else int(word, {"0o": 8, "0x": 16}.get(word[:2], 10))
    return word


class _Open:
    """A mapping or list that has begun and not ended: what it holds so far, with the lines of its keys."""

    def __init__(self, value: list[Any] | dict[Any, Any], anchor: str | None) -> None:
        self.value, self.anchor = value, anchor
        self.lines: dict[Any, int] = {}
        self.key: Any = self
        """The key whose value comes next; itself while a key is expected."""
        self.size, self.height = 1, 1
        """Values inside and levels below, with what references stand for."""

    @property
    def name(self) -> str:
        return "[]" if isinstance(self.value, list) else str(self.key)

    def add(self, item: Any, line: int) -> None:
        if isinstance(self.value, list):
            self.value.append(item)
        elif self.key is self:
            if isinstance(item, (list, dict)):
                raise ValueError("a key is a list or a mapping")
            if item == "<<":
                raise ValueError("the key << is not supported; write the keys out")
            if item in self.lines:
                raise ValueError(f"the key {item!r} stands twice, on lines {self.lines[item]} and {line}")
            self.key, self.lines[item] = item, line
        else:
            self.value[self.key] = item
            self.key = self


class _Builder:
    """Data of a stream of events, within the limits on depth and on values."""

    def __init__(self) -> None:
        self.root: Any = None
        self.line = 0
        self.lines: dict[tuple[str, ...], int] = {}
        """The line of each key, by the keys that lead to it; inside lists keys have no names that lead to them."""
        self._open: list[_Open] = []
        self._anchored: dict[str, tuple[Any, int, int]] = {}
        self._documents = 0

    def build(self, events: Iterator[Any]) -> Any:
        import yaml

        for event in events:
            self.line = line = event.start_mark.line + 1
            if isinstance(event, yaml.DocumentStartEvent):
                self._documents += 1
                if self._documents > 1:
                    raise ValueError("a second document begins")
            elif isinstance(event, yaml.CollectionEndEvent):
                done = self._open.pop()
                self._place(done.value, done.size, done.height, line, done.anchor)
            elif isinstance(event, yaml.AliasEvent):
                if event.anchor not in self._anchored:
                    within = any(part.anchor == event.anchor for part in self._open)
                    wrong = "contains itself" if within else "stands for nothing"
                    raise ValueError(f"the reference *{event.anchor} {wrong}")
                self._place(*self._anchored[event.anchor], line)
            elif isinstance(event, yaml.NodeEvent):
                self._begin(event, line)
        return self.root

    def _begin(self, event: Any, line: int) -> None:
        import yaml

        if event.tag not in (None, "!"):
            raise ValueError(f"tags ({event.tag}) are not supported")
        if isinstance(event, yaml.ScalarEvent):
            self._place(_meaning(event.value) if event.implicit[0] else event.value, 1, 0, line, event.anchor)
            return
        if len(self._open) == MOST_DEPTH:
            raise ValueError(f"nested more than {MOST_DEPTH} levels deep")
        value: list[Any] | dict[Any, Any] = [] if isinstance(event, yaml.SequenceStartEvent) else {}
        self._open.append(_Open(value, event.anchor))

    def _place(self, value: Any, size: int, height: int, line: int, anchor: str | None = None) -> None:
        if len(self._open) + height > MOST_DEPTH:
            raise ValueError(f"nested more than {MOST_DEPTH} levels deep")
        if anchor is not None:
            self._anchored[anchor] = (value, size, height)
        if not self._open:
            self.root = value
            return
        outer = self._open[-1]
        outer.add(value, line)
        if isinstance(outer.value, dict) and outer.key is not outer:  # a key has just been read
            self.lines.setdefault(tuple(part.name for part in self._open), line)
        outer.size, outer.height = outer.size + size, max(outer.height, height + 1)
        if outer.size > _MOST_NODES:
            raise ValueError(f"references expand to more than {_MOST_NODES:,} values")


def _build(text: str, where: str | Path) -> _Builder:
    import yaml

    builder = _Builder()
    try:
        with decoding(where, "the YAML"):
            if len(text) > MOST_YAML:
                raise ValueError(f"more than {MOST_YAML // 1024} KiB")
            builder.build(yaml.parse(text, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader)))
    except UserError as error:
        cause = error.__context__
        mark, problem = getattr(cause, "problem_mark", None), getattr(cause, "problem", None)
        line = builder.line if mark is None else mark.line + 1
        said = error.message if mark is None else f"not YAML: {problem or 'not YAML'}"
        raise UserError(said, where=f"{where}:{line}" if line else str(where), hint=error.hint) from None
    return builder


def decode_yaml(text: str, *, where: str | Path) -> Any:
    """Plain YAML: mappings, lists, numbers, texts. No tags, no key twice, no references that grow."""
    return _build(text, where).root


def read_yaml(path: str | Path) -> Any:
    """A YAML file."""
    return decode_yaml(read_text(path, most=4 * MOST_YAML), where=path)


def key_lines(path: str | Path) -> Mapping[tuple[str, ...], int]:
    """The line of every key of a YAML file's mappings, by the keys that lead to it; `[]` stands for a list."""
    return _build(read_text(path, most=4 * MOST_YAML), path).lines


def encode_yaml(data: Any, *, width: int = 100) -> str:
    """Plain data as YAML that versions 1.1 and 1.2 read alike: a text that either takes for a number is quoted."""
    import yaml

    class Dumper(yaml.SafeDumper):
        """Quotes what version 1.2 takes for a number, besides what 1.1 does."""

    def text(dumper: yaml.SafeDumper, value: str) -> Any:
        plain = len(value) <= MOST_DIGITS and isinstance(_meaning(value), str)
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style=None if plain else "'")

    Dumper.add_representer(str, text)
    return yaml.dump(data, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=width)
