r"""The surface of an expression: names with braces, brackets and parentheses, each with its position.

    term     := binder? name braces? brackets? parens?
    braces   := '{' term (',' term)* '}'      brackets := '[' ... ']'      parens := '(' ... ')'
    binder   := ('λ' | '\' | 'lambda') name '.'

Names may hold blanks, `=` and `->`. A name with other marks stands in double quotes, where `\"` and
`\\` mean themselves, so that any label of a knowledge graph can be written.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from taskloom.core import UserError

_CLOSING = ",(){}[]"
_EQUALS = re.compile(r"\s*=\s*")
_CLOSES = {"{": "}", "[": "]", "(": ")"}
_BINDER = re.compile(r"(?:λ|\\|lambda\b)\s*(\w+)\s*\.\s*")
_DEEPEST = 150  # far beyond any use, well inside what the interpreter's stack allows


@dataclass(frozen=True, slots=True)
class Term:
    """A name with what stands in its braces, brackets and parentheses.

    `equals` is the place of the first unquoted `=` in the name, or -1; `binder` the variable of a λ.
    """

    name: str
    start: int
    end: int
    equals: int = -1
    quoted: bool = False
    binder: str = ""
    braces: tuple[Term, ...] | None = None
    brackets: tuple[Term, ...] | None = None
    parens: tuple[Term, ...] | None = None


def fault(text: str, position: int, message: str, hint: str | None = None) -> UserError:
    """An error that points at a character of the expression."""
    shown = "".join(" " if mark.isspace() else mark for mark in text)
    pointer = f"{shown}\n  {' ' * position}^"
    return UserError(f"{message} (at character {position + 1})\n  {pointer}", where="expression", hint=hint)


def read(text: str) -> Term:
    """The surface of an expression.

    Raises:
        UserError: The text does not parse, with the position.
    """
    reader = _Reader(text)
    term = reader.term(0)
    reader.blanks()
    if reader.at < len(text):
        raise fault(text, reader.at, f"nothing can follow here, but there is {text[reader.at]!r}")
    return term


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def blanks(self) -> None:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1

    def peek(self) -> str:
        self.blanks()
        return self.text[self.at] if self.at < len(self.text) else ""

    def term(self, level: int) -> Term:
        if level > _DEEPEST:
            raise fault(self.text, self.at, f"expressions nest at most {_DEEPEST} deep")
        self.blanks()
        start, binder = self.at, ""
        if match := _BINDER.match(self.text, self.at):
            binder, self.at = match[1], match.end()
        name, equals, quoted = self._name()
        groups: dict[str, tuple[Term, ...]] = {}
        order = "{[("
        while (mark := self.peek()) and mark in order:
            order = order[order.index(mark) + 1 :]
            groups[mark] = self._group(mark, level)
        if mark and mark in "{[(":
            self._misplaced(mark, groups)
        return Term(name, start, self.at, equals, quoted, binder, groups.get("{"), groups.get("["), groups.get("("))

    def _misplaced(self, mark: str, groups: dict[str, tuple[Term, ...]]) -> None:
        if mark == "(" and "(" in groups:
            hint = "to apply a composed function write chain{f}(g), for example chain{union(child,father)}(mother)"
            raise fault(self.text, self.at, "a finished call cannot be called again", hint)
        raise fault(self.text, self.at, "a name is followed by {...}, then [...], then (...), each at most once")

    def _group(self, mark: str, level: int) -> tuple[Term, ...]:
        opened, close = self.at, _CLOSES[mark]
        self.at += 1
        terms = [self.term(level + 1)]
        while (found := self.peek()) == ",":
            self.at += 1
            terms.append(self.term(level + 1))
        if found != close:
            shown = repr(found) if found else "the end"
            raise fault(
                self.text, self.at, f"expected ',' or {close!r} for the {mark!r} at {opened + 1}, found {shown}"
            )
        self.at += 1
        return tuple(terms)

    def _name(self) -> tuple[str, int, bool]:
        """A name, the place of its first bare `=`, and whether any of it is quoted; blanks at seams do not count."""
        name, equals, quoted = "", -1, False
        while self.at < len(self.text) and self.text[self.at] not in _CLOSING:
            if self.text[self.at] == '"':
                name += self._quoted()
                quoted = True
                continue
            start = self.at
            while self.at < len(self.text) and self.text[self.at] not in _CLOSING + '"':
                self.at += 1
            bare = _EQUALS.sub("=", self.text[start : self.at]).strip()
            if equals < 0 and "=" in bare:
                equals = len(name) + bare.index("=")
            name += bare
        if not name and not quoted:
            found = repr(self.text[self.at]) if self.at < len(self.text) else "the end"
            raise fault(self.text, self.at, f"expected a name, found {found}")
        return name, equals, quoted

    def _quoted(self) -> str:
        opened = self.at
        self.at += 1
        pieces: list[str] = []
        while self.at < len(self.text):
            mark = self.text[self.at]
            self.at += 1
            if mark == '"':
                return "".join(pieces)
            if mark == "\\" and self.at < len(self.text):
                mark = self.text[self.at]
                self.at += 1
            pieces.append(mark)
        raise fault(self.text, opened, "this quote is never closed")
