"""From text to a typed tree. Operators are those that are registered; each language says what its atoms are.

The paper's `map{λx. union(child(x), father(x))}`, the code's `map{wiki{union(child(0),father(0))}}(S)` and the short
`map{union(child,father)}` are the same expression.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod

from taskloom.algebra.operators import CHAIN, IDENTITY
from taskloom.algebra.records import Operator, SequenceOperator
from taskloom.algebra.syntax import Term, fault, read
from taskloom.algebra.tree import Expression, operator_of
from taskloom.algebra.types import IllTypedError, signature
from taskloom.core.catalog import OPERATORS

_INPUTS = frozenset({"0", "x", "X", "S", "s"})
_OTHER_INPUT = re.compile(r"[1-9][0-9]?|Y|y")


def operator_names() -> tuple[str, ...]:
    """The names of all operators that can be written."""
    return tuple(name for name in OPERATORS if name != IDENTITY.name)


class Parser(ABC):
    """Reads one expression.

    Args:
        text: The expression.
    """

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
