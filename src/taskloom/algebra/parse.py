r"""The surface of expressions: from text to terms, and from a tree back to text.

The paper's `map{λx. union(child(x), father(x))}`, the code's `map{wiki{union(child(0),father(0))}}(S)` and the short
`map{union(child,father)}` are the same expression. The surface:

    term     := binder? name braces? brackets? parens?
    braces   := '{' term (',' term)* '}'      brackets := '[' ... ']'      parens := '(' ... ')'
    binder   := ('λ' | '\' | 'lambda') name '.'

Names may hold blanks, `=` and `->`. A name with other marks stands in double quotes, where `\"` and
`\\` mean themselves, so that any label of a knowledge graph can be written.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from taskloom.algebra.operators import CHAIN, IDENTITY
from taskloom.algebra.records import links
from taskloom.algebra.types import Atom, Expression, signature
from taskloom.core import UserError
from taskloom.core.catalog import OPERATORS

_PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,(){}\[\]"]+)', re.DOTALL)
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
    if mark := reader.peek():
        raise fault(text, reader.at, f"nothing can follow here, but there is {mark!r}")
    return term


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0

    def peek(self) -> str:
        while (mark := self.text[self.at : self.at + 1]).isspace():
            self.at += 1
        return mark

    def term(self, level: int) -> Term:
        if level > _DEEPEST:
            raise fault(self.text, self.at, f"expressions nest at most {_DEEPEST} deep")
        self.peek()
        start, binder = self.at, ""
        if match := _BINDER.match(self.text, self.at):
            binder, self.at = match[1], match.end()
        name, equals, quoted = self._name()
        groups = [self._group(mark, level) if self.peek() == mark else None for mark in _CLOSES]
        if self.peek() == "(":
            hint = "to apply a composed function write chain{f}(g), for example chain{union(child,father)}(mother)"
            raise fault(self.text, self.at, "a finished call cannot be called again", hint)
        if self.peek() in ("{", "["):
            raise fault(self.text, self.at, "a name is followed by {...}, then [...], then (...), each at most once")
        return Term(name, start, self.at, equals, quoted, binder, *groups)

    def _group(self, mark: str, level: int) -> tuple[Term, ...]:
        opened, close = self.at, _CLOSES[mark]
        self.at += 1
        terms = [self.term(level + 1)]
        while (found := self.peek()) == ",":
            self.at += 1
            terms.append(self.term(level + 1))
        if found != close:
            wanted, shown = f"',' or {close!r}", repr(found) if found else "the end"
            raise fault(self.text, self.at, f"expected {wanted} for the {mark!r} at {opened + 1}, found {shown}")
        self.at += 1
        return tuple(terms)

    def _name(self) -> tuple[str, int, bool]:
        """A name, the place of its first bare `=`, and whether any of it is quoted; blanks at seams do not count."""
        name, equals, quoted = "", -1, False
        while match := _PIECE.match(self.text, self.at):
            self.at = match.end()
            if match[1] is not None:
                quoted = True
                name += re.sub(r"\\(.)", r"\1", match[1], flags=re.DOTALL)
                continue
            bare = _EQUALS.sub("=", match[2]).strip()
            if equals < 0 and "=" in bare:
                equals = len(name) + bare.index("=")
            name += bare
        found = self.peek()
        if found == '"':
            raise fault(self.text, self.at, "this quote is never closed")
        if not name and not quoted:
            raise fault(self.text, self.at, f"expected a name, found {repr(found) if found else 'the end'}")
        return name, equals, quoted


def operator_names() -> tuple[str, ...]:
    """The names of all operators that can be written. Those with a dot belong to another language: `weave.upper`."""
    return tuple(name for name in OPERATORS if name != IDENTITY.name and "." not in name)


@dataclass(frozen=True)
class Notation:
    """One way to write expressions.

    Attributes:
        name: How an atom is written.
        variable: The innermost input, "" where functions stand without one; sequences are `S` where they have one.
        comma: What stands between arguments.
        binder: What stands before a function in braces, whose innermost input is `x` then.
        wrapper: What stands around a whole function of entities.
    """

    name: Callable[[Atom], str]
    variable: str = ""
    comma: str = ","
    binder: str = ""
    wrapper: str = ""

    def text(self, node: Expression) -> str:
        """The expression as text that can be read back."""
        return self._sequence(node) if signature(node).sequence else self._word(node)

    def _word(self, node: Expression) -> str:
        text = self._apply(node, self.variable)
        return f"{self.wrapper}{{{text}}}" if self.wrapper and signature(node).source == "entity" else text

    def _lifted(self, node: Expression) -> str:
        return self.binder + self._apply(node, "x" if self.binder else self.variable)

    def _apply(self, node: Expression, inner: str) -> str:
        """A word function applied to a printed argument, or to none where `inner` is empty."""
        if node == IDENTITY():
            return inner or "x"
        if isinstance(node, Atom):
            return f"{self.name(node)}({inner})" if inner else self.name(node)
        if node.operator != CHAIN.name:
            return f"{node.operator}({self.comma.join(self._apply(part, inner) for part in node.arguments)})"
        outer, below = node.arguments
        head = self.name(outer) if isinstance(outer, Atom) else f"chain{{{self._lifted(outer)}}}"
        return f"{head}({self._apply(below, inner)})"

    def _sequence(self, node: Expression) -> str:
        """Sequence functions from the outermost to the sequence itself."""
        text, inner = "", "(S)" if self.variable else ""
        for link in links(node):
            braced = (self._word if self.wrapper else self._lifted)(link.arguments[0])
            text = f"{link.operator}{{{braced}}}{inner}"
            inner = f"({text})"
        return text


def quote(name: str, *, always: bool = False) -> str:
    """A name as the parser reads it back: in quotes where it holds marks of the language."""
    plain = not always and name == " ".join(name.replace("_", " ").split()) and not set(name) & set(',(){}[]"\\=.λ')
    if plain:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
