"""Tables in plain forms (JSON, CSV, lists of lines, literals of JavaScript or Python), read as their record says."""

from __future__ import annotations

import ast
import csv
import io
import json
import re
from collections.abc import Iterator
from typing import Any

from taskloom.core import UserError
from taskloom_open.archives.archive import Archive
from taskloom_open.archives.languages import LANGUAGES, by_locale
from taskloom_open.archives.packages import Reading
from taskloom_open.archives.tables import SourceText

_TOKEN = re.compile(r"""\s*(?://[^\n]*\n|/\*.*?\*/|(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?P<number>-?\d[\d.]*)
    |(?P<word>![01]|[\w$]+)|(?P<sign>[{}\[\],:]))""", re.VERBOSE | re.DOTALL)  # fmt: skip
_WORDS = {"!0": True, "!1": False, "true": True, "false": False, "null": None, "undefined": None}


class _Literal:
    """A JavaScript literal, as far as data need it: objects, arrays, texts, numbers, and the words of `_WORDS`."""

    def __init__(self, page: str, start: int) -> None:
        self._page, self._place = page, start

    def _next(self) -> tuple[str, str]:
        while True:
            match = _TOKEN.match(self._page, self._place)
            if match is None:
                raise UserError(f"no literal: {self._page[self._place : self._place + 40]!r}")
            self._place = match.end()
            if match.lastgroup:
                return match.lastgroup, match[match.lastgroup]

    def value(self, token: tuple[str, str] | None = None) -> Any:
        kind, said = token or self._next()
        match kind, said:
            case "text", _:
                return _unescaped(said[1:-1])
            case "number", _:
                return float(said) if "." in said else int(said)
            case "word", _:
                return _WORDS.get(said, said)
            case "sign", "[":
                return self._list()
            case "sign", "{":
                return self._mapping()
        raise UserError(f"no literal: {said!r}")

    def _list(self) -> list[Any]:
        found: list[Any] = []
        while (token := self._next()) != ("sign", "]"):
            if token != ("sign", ","):
                found.append(self.value(token))
        return found

    def _mapping(self) -> dict[str, Any]:
        found: dict[str, Any] = {}
        while (token := self._next()) != ("sign", "}"):
            if token != ("sign", ","):
                key = self.value(token)
                self._next()
                found[str(key)] = self.value()
        return found


def _unescaped(text: str) -> str:
    text = re.sub(r"\\u([0-9a-fA-F]{4})|\\x([0-9a-fA-F]{2})", lambda m: chr(int(m[1] or m[2], 16)), text)
    return re.sub(r"\\(.)", lambda m: {"n": "\n", "t": "\t"}.get(m[1], m[1]), text)


def _python(page: str, name: str) -> Any:
    for node in ast.walk(ast.parse(page)):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name) and node.targets[0].id == name:
            return ast.literal_eval(node.value)
    raise UserError(f"nothing is assigned to {name!r}")


def _decoded(page: str, how: Reading) -> Any:
    match how.form:
        case "json":
            return json.loads(page.removeprefix("\ufeff"))
        case "csv":
            rows = csv.reader(io.StringIO(page), delimiter=how.between)
            header = how.header or next(rows)
            return [dict(zip(header, row, strict=False)) for row in rows]
        case "lines":
            return [line.strip() for line in page.splitlines() if line.strip() and not line.startswith("#")]
        case "js":
            start = page.find(how.after)
            if start < 0:
                raise UserError(f"{how.after!r} does not occur")
            return _Literal(page, start + len(how.after)).value()
        case "python":
            return _python(page, how.after)


def _records(data: Any, how: Reading) -> Iterator[dict[str, Any]]:
    for step in filter(None, how.at.split(".")):
        data = data[step]
    if how.whole:
        data = [data]
    if isinstance(data, dict):
        for key, value in data.items():
            yield {"key": key, **(value if isinstance(value, dict) else {"value": value})}
        return
    for value in data:
        match value:
            case dict():
                yield value
            case list() | tuple():
                yield dict(zip(how.header or [str(n) for n in range(len(value))], value, strict=False))
            case _:
                yield {"value": value}


def _members(records: Iterator[dict[str, Any]], each: str) -> Iterator[dict[str, Any]]:
    for record in records:
        if not each:
            yield record
        elif isinstance(held := record.get(each), list):
            yield from ({**record, "member": one} for one in held)


def _found(record: dict[str, Any], path: str) -> Any:
    value: Any = record
    for step in path.split("."):
        if isinstance(value, list) and step.isdigit():
            value = value[int(step)] if int(step) < len(value) else None
        else:
            value = value.get(step) if isinstance(value, dict) else None
    return " ".join(value.split()) if isinstance(value, str) else value


def _typed(value: Any) -> Any:
    """Numbers in tables of texts are numbers."""
    if isinstance(value, str) and re.fullmatch(r"-?(0|[1-9]\d*)(\.\d+)?", value):
        return float(value) if "." in value else int(value)
    return value


def plain(archive: Archive, how: Reading) -> Iterator[SourceText]:
    """The rows of a table: its text, its fields, and its language where the name of the member says so."""
    for member in archive.names():
        match = re.fullmatch(how.member, member)
        if match is None:
            continue
        language = "English"
        if match.groups():
            told = match[1].replace("-", " ").title()
            language = told if told in LANGUAGES else by_locale(match[1].replace("no", "nb")) or ""
        if not language:
            continue
        for record in _members(_records(_decoded(archive.text(member), how), how), how.each):
            text = _found(record, how.text)
            more = {name: _typed(_found(record, path)) for name, path in how.fields.items()}
            wanted = all(more[name] not in (None, "", []) for name in how.fields)
            if isinstance(text, str | int) and wanted and re.fullmatch(how.keep, str(text)):
                yield SourceText(f"{text}", language, str(text), more)
