"""XML from outside, element by element: part of the boundary for untrusted input, beside `core.decode`.

Nothing is built of a document but its elements' names and attributes, so memory does not grow with the file, and a
document that declares entities is refused by the parser itself: in any place and any encoding.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NoReturn
from xml.parsers import expat

from taskloom.core.decode import MOST_DEPTH, open_packed
from taskloom.core.errors import UserError

_PIECE = 1024 * 1024


def read_elements(path: str | Path) -> Iterator[tuple[str, dict[str, str]]]:
    """Every element of a file as it begins, in order: its name and its attributes.

    Raises:
        UserError: The file cannot be read, is not well-formed, declares entities, or is nested too deeply.
    """
    found: list[tuple[str, dict[str, str]]] = []
    depth = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal depth
        depth += 1
        if depth > MOST_DEPTH:
            raise UserError(f"elements are nested deeper than {MOST_DEPTH}", where=str(path))
        found.append((name, attributes))

    def end(name: str) -> None:
        nonlocal depth
        depth -= 1

    def refuse(*declared: object) -> NoReturn:
        raise UserError("the file declares its own entities, which could expand without limit", where=str(path))

    parser = expat.ParserCreate()
    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.EntityDeclHandler = refuse
    parser.ExternalEntityRefHandler = refuse
    try:
        with open_packed(path) as file:
            while piece := file.read(_PIECE):
                parser.Parse(piece)
                yield from found
                found.clear()
            parser.Parse(b"", True)
    except expat.ExpatError as error:
        message = expat.errors.messages.get(error.code, str(error))
        raise UserError(f"the file is not well-formed XML: {message}", where=f"{path}:{error.lineno}") from None
    except (LookupError, ValueError) as error:
        raise UserError(f"the file names an encoding that cannot be read: {error}", where=str(path)) from None
    yield from found
