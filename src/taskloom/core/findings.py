"""What a check found: where, how bad, what is wrong, and what would fix it."""

from __future__ import annotations

from typing import Literal

import msgspec


class Finding(msgspec.Struct, frozen=True):
    """One finding of `taskloom check`.

    Attributes:
        file: The file, as the user named it.
        key: The key inside the file ("Instances[3].output"), "" for the whole file.
        level: "error" (it does not work), "warning" (it probably misleads), "note".
        message: What is wrong, in one sentence.
        fix: What would fix it, in one sentence or as a command.
        code: A short stable name of the check, for filtering.
    """

    file: str
    key: str
    level: Literal["error", "warning", "note"]
    message: str
    fix: str = ""
    code: str = ""

    def __str__(self) -> str:
        place = f"{self.file}: {self.key}" if self.key else self.file
        text = f"{self.level}: {place}: {self.message}"
        return f"{text}\n    {self.fix}" if self.fix else text
