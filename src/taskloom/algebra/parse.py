r"""From text to a typed tree. Operators are those that are registered; each language says what its atoms are.

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
from abc import ABC, abstractmethod
from dataclasses import dataclass

from taskloom.algebra.operators import CHAIN, IDENTITY
from taskloom.algebra.records import Operator, SequenceOperator
from taskloom.algebra.tree import Expression, operator_of
from taskloom.algebra.types import IllTypedError, signature
from taskloom.core import UserError
from taskloom.core.catalog import OPERATORS

_PIECE = re.compile(r'"((?:[^"\\]|\\.)*)"|([^,(){}\[\]"]+)', re.DOTALL)
_EQUALS = re.compile(r"\s*=\s*")
_CLOSES = {"{": "}", "[": "]", "(": ")"}
_BINDER = re.compile(r"(?:λ|\\|lambda\b)\s*(\w+)\s*\.\s*")
_DEEPEST = 150  # far beyond any use, well inside what the interpreter's stack allows
_INPUTS = frozenset({"0", "x", "X", "S", "s"})
_OTHER_INPUT = re.compile(r"[1-9][0-9]?|Y|y")


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


class Parser(ABC):
    """Reads one expression."""

    wrapper: str = ""
    """A name that stands around expressions, means nothing by itself, and lets atoms have names of any kind."""

    def __init__(self, text: str) -> None:
        self.text = text

    @abstractmethod
    def clean(self, name: str) -> str:
        """A name in its usual spelling."""

    @abstractmethod
    def atom(self, term: Term, name: str, open_names: bool) -> Expression:
        """The atom of a term, without what stands in its parentheses."""

    @abstractmethod
    def check_wrapped(self, inner: Expression, term: Term) -> None:
        """Refuse what the wrapper may not hold."""

    def tree(self) -> Expression:
        """The expression, type-checked.

        Raises:
            UserError: The text does not parse or does not type, with the position.
        """
        tree = self._expression(read(self.text), frozenset(), open_names=False)
        if signature(tree).source == "any":
            raise fault(self.text, 0, "the identity alone is not a task; name its language: identity[eng]")
        return tree

    def _expression(self, term: Term, bound: frozenset[str], *, open_names: bool) -> Expression:
        """The tree of a term; every node is type-checked as soon as it exists, so errors point at it."""
        inner = bound | {term.binder} if term.binder else bound
        return self._typed(self._build(term, inner, open_names), term)

    def _typed(self, tree: Expression, term: Term) -> Expression:
        try:
            signature(tree)
        except IllTypedError as problem:
            raise fault(self.text, term.start, str(problem)) from None
        return tree

    def _build(self, term: Term, bound: frozenset[str], open_names: bool) -> Expression:
        name = term.name if term.quoted else self.clean(term.name)
        bare = not (term.braces or term.brackets or term.parens or term.quoted)
        if bare and (name in bound or name in _INPUTS):
            return IDENTITY()
        if bare and _OTHER_INPUT.fullmatch(name):
            raise fault(self.text, term.start, f"a task has one input, written 0 or x, so {name!r} cannot be another")
        record = operator_of(name) if not term.quoted and name in operator_names() else None
        if record is not None and not isinstance(record, SequenceOperator) and record is not CHAIN:
            return record(*self._inputs(term, bound, open_names, record))
        if record is not None or (name == self.wrapper and not term.quoted):
            return self._lift(term, name, record, bound, open_names)
        atom = self.atom(term, name, open_names)
        return atom if term.parens is None else CHAIN(atom, self._inputs(term, bound, open_names)[0])

    def _inputs(
        self, term: Term, bound: frozenset[str], open_names: bool, record: Operator | None = None
    ) -> list[Expression]:
        given = term.parens or ()
        least, most = (1, 1) if record is None else record.arity
        if len(given) < least or (most is not None and len(given) > most):
            wanted = f"{least} input{'s' if least > 1 else ''}" + (" or more" if most is None else "")
            raise fault(self.text, term.start, f"{term.name} takes {wanted}, not {len(given)}")
        return [self._expression(one, bound, open_names=open_names) for one in given]

    def _lift(
        self, term: Term, name: str, record: Operator | None, bound: frozenset[str], open_names: bool
    ) -> Expression:
        """`map{f}(S)`, `filter{p}(S)`, `chain{f}(g)`, and the wrapper, which only opens the names of atoms."""
        if term.braces is None or len(term.braces) != 1:
            raise fault(self.text, term.start, f"{name} needs one function in braces: {name}{{f}}")
        if term.brackets is not None:
            raise fault(self.text, term.start, f"{name} takes no brackets")
        inner = self._expression(term.braces[0], bound, open_names=record is None or open_names)
        if record is None:
            self.check_wrapped(inner, term.braces[0])
        if record is CHAIN and term.parens is None:
            raise fault(self.text, term.start, "chain needs what it follows: chain{f}(g)")
        lifted = record(inner) if isinstance(record, SequenceOperator) else inner
        if term.parens is None:
            return lifted
        return CHAIN(self._typed(lifted, term), self._inputs(term, bound, open_names)[0])
