"""Python files that a person names: run as modules of their own, once each.

A file named with `--with FILE.py`, or in the variable `TASKLOOM_WITH`, registers what it likes before anything is
looked up. The variable reaches the processes that a command starts, so that they know the same names.
"""

from __future__ import annotations

import os
import sys
import traceback
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

from taskloom.core.errors import UserError
from taskloom.core.folders import not_here
from taskloom.core.rng import digest

EXTENSIONS = "TASKLOOM_WITH"
_loaded: set[Path] = set()


def load_extensions() -> None:
    """Run the files that the variable names, each once.

    Raises:
        UserError: One of them cannot be run, with its line.
    """
    for name in filter(None, os.environ.get(EXTENSIONS, "").split(",")):
        path = Path(name).resolve()
        if path not in _loaded:
            _loaded.add(path)
            if not path.is_file():
                raise not_here(name, "file")
            execute_file(path)


def execute_file(path: Path) -> ModuleType:
    """Run a Python file that a person named, as a module of its own.

    Raises:
        UserError: It cannot be run, with the line at which it stopped.
    """
    # A name of its own: two files called tasks.py are two modules.
    name = f"taskloom_file_{digest(str(path.resolve())).hex()}"
    spec = spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise UserError("not a Python file", where=str(path))
    module = module_from_spec(spec)
    sys.modules[name] = module
    # It may import its neighbours, as it could if it were run by Python; last, so that it hides nothing.
    if (folder := str(path.resolve().parent)) not in sys.path:
        sys.path.append(folder)
    try:
        spec.loader.exec_module(module)
    except SyntaxError as error:
        raise UserError(f"{error.msg}", where=f"{path}:{error.lineno}" if error.lineno else str(path)) from None
    except SystemExit as error:
        raise UserError(
            f"the file ends the process (sys.exit({error.code!r}))",
            where=_place(path, error),
            hint='put code for running it as a script under: if __name__ == "__main__":',
        ) from None
    except UserError as error:
        message = error.message if error.where is None else f"{error.where}: {error.message}"
        raise UserError(message, where=_place(path, error), hint=error.hint) from None
    except Exception as error:  # noqa: BLE001  (the author's code may raise anything; its line is what helps)
        raise UserError(f"{type(error).__name__}: {error}", where=_place(path, error)) from None
    return module


def _place(path: Path, error: BaseException) -> str:
    """The line of a file at which it stopped."""
    frames = traceback.extract_tb(error.__traceback__)
    lines = [frame.lineno for frame in frames if Path(frame.filename).resolve() == path.resolve()]
    return f"{path}:{lines[-1]}" if lines else str(path)
