"""Studies by name, or from a Python file of one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from taskloom.core import UserError
from taskloom.core.catalog import STUDIES
from taskloom.core.execute import execute_file
from taskloom.core.study import Study


def find_study(name: str) -> Study[Any]:
    """The study of that name, or the one that a Python file holds.

    Raises:
        UserError: No such study, or a file that cannot be run or does not hold exactly one.
    """
    if not name.endswith(".py"):
        return STUDIES.get(name)
    path = Path(name).expanduser()
    if not path.is_file():
        raise UserError("no such file", where=name, hint=f"taskloom new study {path.stem} writes one to start from")
    module = execute_file(path)
    own = [
        value
        for value in vars(module).values()
        if isinstance(value, Study) and type(value).__module__ == module.__name__
    ]
    if len(own) != 1:
        raise UserError(
            f"the file contains {len(own)} studies; it must contain exactly one",
            where=name,
            hint="put STUDY = MyStudy() at its end",
        )
    return own[0]
