"""From a tree back to text: the paper's notation, the code's, and short names for tasks."""

from __future__ import annotations

from abc import ABC, abstractmethod

from taskloom.families.taskbench.language.atoms import FACTUAL_RELATIONS, PAPER_KEYS, PAPER_PREDICATES, PAPER_VALUES
from taskloom.families.taskbench.language.tree import (
    Atom,
    Chain,
    Compare,
    Complement,
    Empty,
    Expression,
    Filter,
    Identity,
    Intersection,
    Land,
    Lnot,
    Lor,
    Map,
    Union,
)
from taskloom.families.taskbench.language.types import signature

__all__ = ["code", "paper", "short"]

_OPERATORS = {Union: "union", Intersection: "intersection", Land: "land", Lor: "lor"}


def paper(node: Expression) -> str:
    """The notation of the paper: word functions without variables, λ inside map and filter."""
    if signature(node).sequence:
        return _sequence(node, _Paper())
    return _Paper().word(node)


def code(node: Expression) -> str:
    """The notation of the reference code: inputs `0` and `S`, factual parts inside `wiki{...}`."""
    if signature(node).sequence:
        return _sequence(node, _Code())
    return _Code().word(node)


def short(node: Expression) -> str:
    """A name for files and tables: the paper's notation without λ, blanks and arrows. `parse` reads it too."""
    return _sequence(node, _Short()) if signature(node).sequence else _Short().word(node)


class _Printer(ABC):
    """One notation. `variable` is the innermost input, "" where functions stand without one."""

    variable = ""
    comma = ", "
    whole = ""

    @abstractmethod
    def name(self, atom: Atom) -> str:
        """How an atom is written."""

    def lifted(self, node: Expression) -> str:
        return self.word(node)

    def word(self, node: Expression) -> str:
        return self.apply(node, self.variable)

    def apply(self, node: Expression, inner: str) -> str:
        """A word function applied to a printed argument, or to none where `inner` is empty."""
        match node:
            case Identity():
                return inner or "x"
            case Atom():
                return f"{self.name(node)}({inner})" if inner else self.name(node)
            case Chain(outer, below):
                return self._chain(outer, below, inner)
            case Union(parts) | Intersection(parts) | Land(parts) | Lor(parts):
                given = self.comma.join(self.apply(part, inner) for part in parts)
                return f"{_OPERATORS[type(node)]}({given})"
            case Complement(part):
                return f"complement({self.apply(part, inner)})"
            case Compare(name, left, right):
                return f"{name}({self.comma.join(self.apply(part, inner) for part in (left, right))})"
            case Empty(part):
                return f"empty({self.apply(part, inner)})"
            case Lnot(part):
                return f"lnot({self.apply(part, inner)})"
            case _:
                raise TypeError(f"{type(node).__name__} is not a word function")

    def _chain(self, outer: Expression, below: Expression, inner: str) -> str:
        match outer:
            case Atom():
                return f"{self.name(outer)}({self.apply(below, inner)})"
            case Chain(first, second):
                return self._chain(first, Chain(second, below), inner)
            case Identity():
                return self.apply(below, inner)
            case _:
                return f"chain{{{self.lifted(outer)}}}({self.apply(below, inner)})"


class _Short(_Printer):
    comma = ","

    def name(self, atom: Atom) -> str:
        name = _Paper().name(atom)
        return name if '"' in name else name.replace(" ", "_").replace("->", "-")


class _Paper(_Printer):
    def name(self, atom: Atom) -> str:
        tail = f"[{atom.language}]" if atom.language else ""
        tail += "[inv]" if atom.inverse else ""
        if atom.name == "random":
            return f"random-seed{atom.features[0][1]}{tail}"
        if atom.name != "is":
            return _quote_name(atom) + tail
        key, value = atom.features[0]
        if value in PAPER_PREDICATES.get(key, ()):
            return f"is-{PAPER_KEYS[key]}-{PAPER_VALUES.get(value, value)}{tail}"
        return f"is{{{_quote(key)}={_quote(value)}}}{tail}"

    def lifted(self, node: Expression) -> str:
        return f"λx. {self.apply(node, 'x')}"


class _Code(_Printer):
    variable = "0"
    comma = ","
    whole = "(S)"

    def name(self, atom: Atom) -> str:
        tail = f"[{atom.language}]" if atom.language else "[inv]" if atom.inverse else ""
        if atom.name == "random":
            return f"random{{{atom.features[0][1]}}}{tail}"
        if atom.name == "is":
            key, value = atom.features[0]
            return f"is{{{_quote(key)}={_quote(value)}}}{tail}"
        return (_quote(atom.name) if atom.factual else atom.name) + tail

    def word(self, node: Expression) -> str:
        text = self.apply(node, "0")
        return f"wiki{{{text}}}" if signature(node).source == "entity" else text

    def lifted(self, node: Expression) -> str:
        return self.apply(node, "0")


def _sequence(node: Expression, printer: _Printer) -> str:
    """Maps and filters from the outermost to the sequence itself."""
    links: list[Expression] = []
    stack = [node]
    while stack:
        top = stack.pop()
        if isinstance(top, Chain):
            stack += [top.inner, top.outer]
        else:
            links.append(top)
    text = printer.whole
    for link in reversed(links):
        word, name = (link.function, "map") if isinstance(link, Map) else (_predicate(link), "filter")
        inside = printer.word(word) if isinstance(printer, _Code) else printer.lifted(word)
        text = f"{name}{{{inside}}}{text}"
        text = text if link is links[0] else f"({text})"
    return text


def _predicate(link: Expression) -> Expression:
    if isinstance(link, Filter):
        return link.predicate
    raise TypeError(f"{type(link).__name__} is not a sequence function")


def _quote_name(atom: Atom) -> str:
    return _quote(atom.name) if atom.language or atom.name in FACTUAL_RELATIONS else _outside_wiki(atom.name)


def _outside_wiki(name: str) -> str:
    """Names the language does not know stand in quotes, so that they can be read without `wiki{...}`."""
    if name[:1] == "P" and name[1:].isdigit():
        return name
    return _quote(name, always=True)


def _quote(name: str, *, always: bool = False) -> str:
    """A name as the parser reads it back: in quotes where it holds marks of the language."""
    plain = not always and name == " ".join(name.replace("_", " ").split()) and not set(name) & set(',(){}[]"\\=.λ')
    if plain:
        return name
    escaped = name.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'
