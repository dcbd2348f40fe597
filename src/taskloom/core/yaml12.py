"""YAML as version 1.2 has it: mappings, lists, texts, numbers and truth values, built from the parser's nodes.

Nodes are made on the machine's stack, which a few kilobytes of brackets overflow. The parser's events are not, so
depth is counted on them before any node is made. What version 1.1 read into plain words (`yes`, `on`, `1_000`,
`12:30:00`, dates) stays text.
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
MOST_NODES = 200_000
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


class _Builder:
    """Data of a document, within the limits on depth and on values.

    Attributes:
        line: Where reading has come to.
        lines: The line of each key, by the keys that lead to it; `[]` stands for a list.
    """

    def __init__(self) -> None:
        self.line = 0
        self.lines: dict[tuple[str, ...], int] = {}
        self._values = 0
        self._above: list[Any] = []

    def check(self, events: Iterator[Any]) -> None:
        """Refuse what must not be built: a second document, tags, and more levels than the stack may hold."""
        import yaml

        depth = documents = 0
        for event in events:
            self.line = event.start_mark.line + 1
            documents += isinstance(event, yaml.DocumentStartEvent)
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if documents > 1:
                raise ValueError("a second document begins")
            if depth > MOST_DEPTH:
                raise ValueError(f"nested more than {MOST_DEPTH} levels deep")
            if getattr(event, "tag", None) is not None:
                raise ValueError(f"tags ({event.tag}) are not supported")

    def build(self, node: Any, path: tuple[str, ...] = ()) -> Any:
        """The value of a node; what a reference stands for counts wherever it stands."""
        import yaml

        self.line = node.start_mark.line + 1
        self._values += 1
        if self._values > MOST_NODES:
            raise ValueError(f"references expand to more than {MOST_NODES:,} values")
        if isinstance(node, yaml.ScalarNode):
            return node.value if node.style else _meaning(node.value)
        if any(node is outer for outer in self._above):
            raise ValueError("a reference contains itself")
        if len(self._above) == MOST_DEPTH:
            raise ValueError(f"nested more than {MOST_DEPTH} levels deep")
        self._above.append(node)
        value = self._list(node, path) if isinstance(node, yaml.SequenceNode) else self._mapping(node, path)
        self._above.pop()
        return value

    def _list(self, node: Any, path: tuple[str, ...]) -> list[Any]:
        return [self.build(item, (*path, "[]")) for item in node.value]

    def _mapping(self, node: Any, path: tuple[str, ...]) -> dict[Any, Any]:
        found: dict[Any, Any] = {}
        lines: dict[Any, int] = {}
        for named, item in node.value:
            key, line = self.build(named), named.start_mark.line + 1
            if isinstance(key, (list, dict)):
                raise ValueError("a key is a list or a mapping")
            if key == "<<":
                raise ValueError("the key << is not supported; write the keys out")
            if key in lines:
                raise ValueError(f"the key {key!r} stands twice, on lines {lines[key]} and {line}")
            lines[key] = line
            self.lines.setdefault((*path, str(key)), line)
            found[key] = self.build(item, (*path, str(key)))
        return found


def _build(text: str, where: str | Path) -> tuple[Any, Mapping[tuple[str, ...], int]]:
    import yaml

    builder = _Builder()
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    try:
        with decoding(where, "the YAML"):
            if len(text) > MOST_YAML:
                raise ValueError(f"more than {MOST_YAML // 1024} KiB")
            builder.check(yaml.parse(text, Loader=loader))
            root = yaml.compose(text, Loader=loader)
            return None if root is None else builder.build(root), builder.lines
    except UserError as error:
        cause = error.__context__
        mark, problem = getattr(cause, "problem_mark", None), getattr(cause, "problem", None)
        line = builder.line if mark is None else mark.line + 1
        said = error.message if mark is None else f"not YAML: {problem or 'not YAML'}"
        raise UserError(said, where=f"{where}:{line}" if line else str(where), hint=error.hint) from None


def decode_yaml(text: str, *, where: str | Path) -> Any:
    """Plain YAML: mappings, lists, numbers, texts. No tags, no key twice, no references that grow."""
    return _build(text, where)[0]


def read_yaml(path: str | Path) -> Any:
    """A YAML file."""
    return decode_yaml(read_text(path, most=4 * MOST_YAML), where=path)


def key_lines(path: str | Path) -> Mapping[tuple[str, ...], int]:
    """The line of every key of a YAML file's mappings, by the keys that lead to it; `[]` stands for a list."""
    return _build(read_text(path, most=4 * MOST_YAML), path)[1]


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
