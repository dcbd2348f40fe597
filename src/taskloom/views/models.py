"""What a person may choose to ask: a server's address, or a model that lies below the served folders.

A Python file runs as code of its owner, and weights are read from disk, so both must lie below a served folder. A key
is part of a request and of the process that asks, and of nothing else.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import msgspec

from taskloom.core import UserError

__all__ = ["ChosenModel", "found_models"]

_MOST_FOUND = 200
_DEEPEST = 5
BASELINES = ("mock/majority", "mock/oracle")


class ChosenModel(msgspec.Struct, frozen=True, forbid_unknown_fields=True, omit_defaults=True):
    """A model as the page names it.

    Attributes:
        kind: An address, or what lies below a served folder, a packaged model or a baseline.
        name: The model's name at the address, the path below a served folder, or the name in the registry.
        url: The address.
    """

    kind: Literal["address", "file", "named"]
    name: str
    url: str = ""

    def settings(self, roots: Sequence[Path]) -> dict[str, Any]:
        """What `RunSettings` calls it: `model` and `model_options`.

        Raises:
            UserError: No name, no address, or a path that does not lie below a served folder.
        """
        if not self.name.strip():
            raise UserError("the model has no name", where="model")
        if self.kind == "address":
            if urlsplit(self.url).scheme not in ("http", "https"):
                raise UserError(
                    "an address begins with http:// or https://",
                    where="address",
                    hint="such as http://127.0.0.1:8000/v1",
                )
            return {"model": f"api/{self.name}", "model_options": {"base_url": self.url}}
        if self.kind == "named":
            if self.name.partition("/")[0] not in ("packaged", "mock"):
                raise UserError("only packaged models and baselines go by name here", where=self.name)
            return {"model": self.name, "model_options": {}}
        path = self.path(roots)
        provider = "gguf" if path.suffix == ".gguf" else "python" if path.suffix == ".py" else "hf"
        return {"model": f"{provider}/{path}", "model_options": {}}

    def path(self, roots: Sequence[Path]) -> Path:
        """Where the file or folder is."""
        for root in roots:
            path = Path(os.path.realpath(root / self.name))
            if path.is_relative_to(root) and path.exists():
                return path
        raise UserError("there is no such model below the served folders", where=self.name,
                        hint="serve the folder that holds it: taskloom serve . DIR")  # fmt: skip


def found_models(roots: Sequence[Path]) -> list[ChosenModel]:
    """Checkpoints, GGUF files, Python files, packaged models that are installed, and baselines."""
    found: list[ChosenModel] = []
    for root in roots:
        for folder, names, files in os.walk(root):
            path = Path(folder)
            depth = len(path.relative_to(root).parts)
            names[:] = [] if depth >= _DEEPEST else sorted(name for name in names if name[0] not in "._")
            if "config.json" in files and any(name.endswith(".safetensors") for name in files):
                found.append(ChosenModel("file", path.relative_to(root).as_posix()))
            wanted = sorted(name for name in files if name.endswith((".gguf", ".py")) and not name.startswith("_"))
            found += [ChosenModel("file", (path / name).relative_to(root).as_posix()) for name in wanted]
            if len(found) > _MOST_FOUND:
                break
    return [*found[:_MOST_FOUND], *(ChosenModel("named", name) for name in (*_installed(), *BASELINES))]


def _installed() -> list[str]:
    from taskloom.models.packaged import PACKAGES, find_weights

    found = []
    for name, package in PACKAGES.items():
        try:
            find_weights(package)
        except UserError:
            continue
        found.append(f"packaged/{name}")
    return found
