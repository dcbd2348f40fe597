"""Taskloom weaves language tasks out of small parts and shows where a model stops generalising.

The names below are the public interface. They are loaded on first use, so that `import taskloom`
and `taskloom --help` cost next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from taskloom.core import (
        AnyOf,
        Boolean,
        Example,
        Instance,
        Instruction,
        Items,
        Product,
        Row,
        Structure,
        Suite,
        Task,
        UserError,
        open_suite,
    )
    from taskloom.models.base import open_model
    from taskloom.report.build import build_report
    from taskloom.run.go import run_suite
    from taskloom.run.results import load_run
    from taskloom.store.bundle import Bundle
    from taskloom.store.write import write_bundle

_EXPORTS = {
    "AnyOf": "taskloom.core",
    "Boolean": "taskloom.core",
    "Example": "taskloom.core",
    "Instance": "taskloom.core",
    "Instruction": "taskloom.core",
    "Items": "taskloom.core",
    "Product": "taskloom.core",
    "Row": "taskloom.core",
    "Structure": "taskloom.core",
    "Suite": "taskloom.core",
    "Task": "taskloom.core",
    "UserError": "taskloom.core",
    "open_suite": "taskloom.core",
    "Bundle": "taskloom.store.bundle",
    "build_report": "taskloom.report.build",
    "load_run": "taskloom.run.results",
    "open_model": "taskloom.models.base",
    "run_suite": "taskloom.run.go",
    "write_bundle": "taskloom.store.write",
}

__all__ = [
    "AnyOf",
    "Boolean",
    "Bundle",
    "Example",
    "Instance",
    "Instruction",
    "Items",
    "Product",
    "Row",
    "Structure",
    "Suite",
    "Task",
    "UserError",
    "__version__",
    "build_report",
    "load_run",
    "open_model",
    "open_suite",
    "run_suite",
    "write_bundle",
]


def __getattr__(name: str) -> Any:
    module = _EXPORTS.get(name)
    if module is None:
        raise AttributeError(f"module 'taskloom' has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
