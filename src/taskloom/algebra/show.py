"""From a tree back to text. A notation says how atoms are written and what stands around functions."""

from __future__ import annotations

from abc import ABC, abstractmethod

from taskloom.algebra.normal import links
from taskloom.algebra.operators import CHAIN, IDENTITY
from taskloom.algebra.tree import Atom, Expression
from taskloom.algebra.types import signature


class Notation(ABC):
    """One way to write expressions. `variable` is the innermost input, "" where functions stand without one."""

    variable = ""
    comma = ", "
    whole = ""

    @abstractmethod
    def name(self, atom: Atom) -> str:
        """How an atom is written."""

    def text(self, node: Expression) -> str:
        """The expression as text that can be read back."""
        return self._sequence(node) if signature(node).sequence else self.word(node)

    def word(self, node: Expression) -> str:
        """A word function that stands alone."""
        return self.apply(node, self.variable)

    def lifted(self, node: Expression) -> str:
        """A word function inside braces."""
        return self.word(node)

    def braced(self, node: Expression) -> str:
        """A word function as the argument of a sequence operator."""
        return self.lifted(node)

    def apply(self, node: Expression, inner: str) -> str:
        """A word function applied to a printed argument, or to none where `inner` is empty."""
        if node == IDENTITY():
            return inner or "x"
        if isinstance(node, Atom):
            return f"{self.name(node)}({inner})" if inner else self.name(node)
        if node.operator != CHAIN.name:
            return f"{node.operator}({self.comma.join(self.apply(part, inner) for part in node.arguments)})"
        outer, below = node.arguments
        if isinstance(outer, Atom):
            return f"{self.name(outer)}({self.apply(below, inner)})"
        return f"chain{{{self.lifted(outer)}}}({self.apply(below, inner)})"

    def _sequence(self, node: Expression) -> str:
        """Sequence functions from the outermost to the sequence itself."""
        text = self.whole
        steps = links(node)
        for link in steps:
            if isinstance(link, Atom) or not link.arguments:
                raise TypeError(f"{link} is not a sequence function")
            text = f"{link.operator}{{{self.braced(link.arguments[0])}}}{text}"
            text = text if link is steps[-1] else f"({text})"
        return text


def quote(name: str, *, always: bool = False) -> str:
    """A name as the parser reads it back: in quotes where it holds marks of the language."""
    plain = not always and name == " ".join(name.replace("_", " ").split()) and not set(name) & set(',(){}[]"\\=.λ')
    if plain:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
