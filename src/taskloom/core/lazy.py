"""Public names of a room that are imported when they are first used.

Rooms hold modules with heavy or circular neighbours; importing all of them for the sake of one name would cost every
command. Type checkers read the imports under `TYPE_CHECKING` instead.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

__all__ = ["lazy_names"]


def lazy_names(
    room: str, modules: Mapping[str, str]
) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a room.

    Args:
        room: Its `__name__`.
        modules: Module of the room -> its public names, with blanks between.
    """
    homes = {name: module for module, names in modules.items() for name in names.split()}

    def find(name: str) -> Any:
        if name not in homes:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        return getattr(import_module(f"{room}.{homes[name]}"), name)

    return sorted(homes), find, lambda: sorted(homes)
