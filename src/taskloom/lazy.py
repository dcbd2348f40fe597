"""Public names of a package that are imported when they are first used.

Packages hold modules with heavy or circular neighbours; importing all of them for the sake of one name would cost every
command. The names are listed once, in the stub beside the package's `__init__.py`, where type checkers read them too.
"""

from __future__ import annotations

from importlib import import_module
from sys import _getframe, modules

# Type checkers know the name. To import it from `typing` would take longer than all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any
_IMPORTING = "<frozen importlib._bootstrap>"
"""Where Python asks whether a name is there before it looks for a module of that name: nobody reads that answer."""


def lazy_names(package: str, file: str) -> tuple[list[str], Callable[[str], Any], Callable[[], list[str]]]:
    """`__all__`, `__getattr__` and `__dir__` of a package.

    Args:
        package: Its `__name__`.
        file: Its `__file__`. The stub beside it has a line `from MODULE import NAME as NAME` for each name.
    """
    homes: dict[str, str] = {}
    with open(file.removesuffix(".py") + ".pyi", encoding="utf-8") as stub:  # noqa: PTH123  (pathlib costs too much here)
        for line in stub:
            if line.startswith("from "):
                _, module, _, name, *_ = line.split()
                homes[name] = module

    def find(name: str) -> Any:
        if name not in homes:
            caller = _getframe(1)
            if name.startswith("_") or caller.f_code.co_filename == _IMPORTING:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            from opcode import opname

            from taskloom.core.calls import holder_of, no_attribute, public_lines

            known = public_lines() if package == "taskloom" else dict.fromkeys(homes, "")
            error = no_attribute(f"module {package!r}", name, known, holder_of(name))
            if opname[caller.f_code.co_code[caller.f_lasti]] == "IMPORT_FROM":
                # Python would replace the sentence by one of its own.
                raise ImportError(str(error), name=package)
            raise error
        found = getattr(import_module(homes[name]), name)
        return modules.get(f"{package}.{name}", found)  # a package that can be called is more than its function

    return sorted(homes), find, lambda: sorted(homes)


def make_callable(package: str, module: str, name: str) -> None:
    """Let a package be called like a function of one of its modules or of another package.

    `taskloom.weave` is a function and a package. Python keeps the package under that name as soon as it is imported, so
    the package has to do what the function does.
    """
    import sys

    class CallablePackage(type(sys)):  # type: ignore[misc]
        """A package that is also the function of its name."""

        @property
        def __wrapped__(self) -> Any:
            """The function; `inspect.signature` looks for it here."""
            return getattr(import_module(module), name)

        def __call__(self, *args: Any, **options: Any) -> Any:
            return self.__wrapped__(*args, **options)

    sys.modules[package].__class__ = CallablePackage
