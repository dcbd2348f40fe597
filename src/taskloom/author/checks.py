"""What an author may write in a task, and what to say about the rest.

A mistake is named where it was made: the task, the example, the facet, and for code that raises the line of its file.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, get_origin

from taskloom.core.errors import UserError
from taskloom.core.instance import Facet, FacetType

_TYPES: tuple[type, ...] = (str, int, float, bool, tuple)
_NAMES = "str, int, float, bool, tuple[str, ...]"


def blamed(error: BaseException, function: Callable[..., Any], what: str, where: str) -> UserError:
    """An error for an author's function that raised, with the line of its file at which it did.

    Args:
        error: What it raised.
        function: The author's function.
        what: What to call it: "the maker", "the solver on '3 + 4'".
        where: The task.
    """
    file = getattr(getattr(function, "__code__", None), "co_filename", None)
    lines = [frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == file]
    said = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
    return UserError(f"{what} raises {said}", where=where, hint=f"see line {lines[-1]} of {file}" if lines else None)


def check_labels(labels: Sequence[str], where: str) -> None:
    """Labels are a sequence of different, non-empty texts.

    Raises:
        UserError: They are not.
    """
    if isinstance(labels, str) or not all(isinstance(label, str) and label.strip() for label in labels):
        raise UserError(
            f"labels must be a tuple of strings, not {labels!r}", where=where, hint='for example labels=("yes", "no")'
        )
    twice = next((label for place, label in enumerate(labels) if label in labels[:place]), None)
    if twice is not None:
        raise UserError(f"the label {twice!r} is listed twice", where=where)


def check_examples(right: Sequence[Any], wrong: Sequence[Any], where: str) -> None:
    """Right examples have two or three entries, wrong ones three.

    Raises:
        UserError: One does not; it is named.
    """
    for kind, examples, sizes in (("right", right, (2, 3)), ("wrong", wrong, (3,))):
        for place, example in enumerate(examples):
            if isinstance(examples, str) or not isinstance(example, list | tuple) or len(example) not in sizes:
                raise UserError(
                    f"{kind}[{place}] is not an example: {example!r}",
                    where=where,
                    hint=f"{kind}=[(input, output, explanation), …]",
                )


def check_columns(columns: Mapping[str, FacetType], where: str) -> None:
    """The columns of facets have one of five types.

    Raises:
        UserError: A column has another.
    """
    for name, kind in columns.items():
        if (get_origin(kind) or kind) not in _TYPES:
            called = getattr(kind, "__name__", repr(kind))
            raise UserError(f"the column {name!r} cannot hold {called}", where=where, hint=f"choose one of {_NAMES}")


def facet_types(items: Iterable[Mapping[str, Facet]]) -> dict[str, FacetType]:
    """The types of the facets of some items: whole numbers and fractions make fractions, lists hold texts."""
    found: dict[str, FacetType] = {}
    empty: list[str] = []
    for facets in items:
        for name, value in facets.items():
            if value is None:
                empty.append(name)
                continue
            kind: FacetType = tuple if isinstance(value, list | tuple) else type(value)
            found[name] = float if {found.get(name), kind} == {int, float} else found.get(name, kind)
    return {**dict.fromkeys(empty, str), **found}


def check_facets(facets: Mapping[str, Facet], columns: Mapping[str, FacetType], where: str) -> None:
    """Every facet of an item has a column, and its value fits.

    Raises:
        UserError: One has none, or does not fit.
    """
    for name, value in facets.items():
        kind = columns.get(name)
        if kind is None:
            raise UserError(
                f"items have the facet {name!r}, which has no column",
                where=where,
                hint=f"declare it: columns={{{name!r}: {type(value).__name__}}}",
            )
        if value is not None and not _fits(value, get_origin(kind) or kind):
            raise UserError(
                f"the facet {name!r} is {value!r}, but its column holds {kind.__name__}",
                where=where,
                hint="change the value or the column",
            )


def _fits(value: object, kind: type) -> bool:
    if kind is tuple:
        return isinstance(value, list | tuple) and all(isinstance(entry, str) for entry in value)
    if kind is float:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, kind) and (kind is bool or not isinstance(value, bool))


def check_skills(names: object, where: str) -> None:
    """Skills are names that can stand in the name of a cell.

    Raises:
        UserError: One cannot.
    """
    found = list(names) if isinstance(names, Iterable) and not isinstance(names, str) else [names]
    for name in found:
        if found == [names] or not isinstance(name, str) or not name.strip() or "+" in name or ": " in name:
            raise UserError(
                f"skills are a set of names without '+' and ': ', not {names!r}",
                where=where,
                hint='for example {"carry", "three-digit"}',
            )


def check_text(text: str, what: str, where: str) -> None:
    """A text can be written to a file.

    Raises:
        UserError: It holds half a character (a lone surrogate).
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise UserError(
            f"{what} contains half a character: {error.object[error.start : error.end]!r} in {text!r}",
            where=where,
            hint="lone surrogates cannot be written as UTF-8",
        ) from None
