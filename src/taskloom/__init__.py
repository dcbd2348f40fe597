"""Taskloom weaves language tasks out of small parts and shows where a model stops generalising.

The names below are the public interface. They are loaded on first use, so that `import taskloom`
and `taskloom --help` cost next to nothing.
"""

from __future__ import annotations

from importlib import import_module

__version__ = "0.1.0"

# Type checkers know the name. To import it from `typing` would take longer than all the rest.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from taskloom.algebra import PredicateAtom, RelationAtom
    from taskloom.ask import ScoredReading, judge_answer, read_answer
    from taskloom.author import Blueprint, Item, task
    from taskloom.core import (
        AnyOf,
        Boolean,
        Cell,
        Example,
        Family,
        Instance,
        Instruction,
        Items,
        Kind,
        Lattice,
        Product,
        Reader,
        Reading,
        Recipe,
        Row,
        Structure,
        Suite,
        SuiteSpec,
        Task,
        UserError,
        open_suite,
    )
    from taskloom.core.adaptation import Adaptation
    from taskloom.core.catalog import register
    from taskloom.core.encoding import Encoding, Prompt
    from taskloom.core.listing import (
        list_adaptations,
        list_encodings,
        list_families,
        list_metrics,
        list_models,
        list_readers,
        list_scorers,
        list_studies,
        list_suites,
    )
    from taskloom.core.metric import Estimate, Metric
    from taskloom.core.model import Generation, Identity, Model, Output, Provider, Request, open_model
    from taskloom.core.scorer import Score, Scorer
    from taskloom.core.study import Study, Table
    from taskloom.hosts.hf import to_hf
    from taskloom.report.build import build_report
    from taskloom.run.results import Run, load_run
    from taskloom.run.runner import run_suite
    from taskloom.store.bundle import Bundle
    from taskloom.store.frames import to_arrow, to_pandas
    from taskloom.store.write import write_bundle

_EXPORTS = {
    "Adaptation": "taskloom.core.adaptation",
    "AnyOf": "taskloom.core",
    "Blueprint": "taskloom.author",
    "Boolean": "taskloom.core",
    "Bundle": "taskloom.store.bundle",
    "Cell": "taskloom.core",
    "Encoding": "taskloom.core.encoding",
    "Estimate": "taskloom.core.metric",
    "Example": "taskloom.core",
    "Family": "taskloom.core",
    "Generation": "taskloom.core.model",
    "Identity": "taskloom.core.model",
    "Instance": "taskloom.core",
    "Instruction": "taskloom.core",
    "Item": "taskloom.author",
    "Items": "taskloom.core",
    "Kind": "taskloom.core",
    "Lattice": "taskloom.core",
    "Metric": "taskloom.core.metric",
    "Model": "taskloom.core.model",
    "Output": "taskloom.core.model",
    "PredicateAtom": "taskloom.algebra",
    "Product": "taskloom.core",
    "Prompt": "taskloom.core.encoding",
    "Provider": "taskloom.core.model",
    "Reader": "taskloom.core",
    "Reading": "taskloom.core",
    "Recipe": "taskloom.core",
    "RelationAtom": "taskloom.algebra",
    "Request": "taskloom.core.model",
    "Row": "taskloom.core",
    "Run": "taskloom.run.results",
    "Score": "taskloom.core.scorer",
    "ScoredReading": "taskloom.ask",
    "Scorer": "taskloom.core.scorer",
    "Structure": "taskloom.core",
    "Study": "taskloom.core.study",
    "Suite": "taskloom.core",
    "SuiteSpec": "taskloom.core",
    "Table": "taskloom.core.study",
    "Task": "taskloom.core",
    "UserError": "taskloom.core",
    "build_report": "taskloom.report.build",
    "judge_answer": "taskloom.ask",
    "list_adaptations": "taskloom.core.listing",
    "list_encodings": "taskloom.core.listing",
    "list_families": "taskloom.core.listing",
    "list_metrics": "taskloom.core.listing",
    "list_models": "taskloom.core.listing",
    "list_readers": "taskloom.core.listing",
    "list_scorers": "taskloom.core.listing",
    "list_studies": "taskloom.core.listing",
    "list_suites": "taskloom.core.listing",
    "load_run": "taskloom.run.results",
    "open_model": "taskloom.core.model",
    "open_suite": "taskloom.core",
    "read_answer": "taskloom.ask",
    "register": "taskloom.core.catalog",
    "run_suite": "taskloom.run.runner",
    "task": "taskloom.author",
    "to_arrow": "taskloom.store.frames",
    "to_hf": "taskloom.hosts.hf",
    "to_pandas": "taskloom.store.frames",
    "write_bundle": "taskloom.store.write",
}

__all__ = [
    "Adaptation",
    "AnyOf",
    "Blueprint",
    "Boolean",
    "Bundle",
    "Cell",
    "Encoding",
    "Estimate",
    "Example",
    "Family",
    "Generation",
    "Identity",
    "Instance",
    "Instruction",
    "Item",
    "Items",
    "Kind",
    "Lattice",
    "Metric",
    "Model",
    "Output",
    "PredicateAtom",
    "Product",
    "Prompt",
    "Provider",
    "Reader",
    "Reading",
    "Recipe",
    "RelationAtom",
    "Request",
    "Row",
    "Run",
    "Score",
    "ScoredReading",
    "Scorer",
    "Structure",
    "Study",
    "Suite",
    "SuiteSpec",
    "Table",
    "Task",
    "UserError",
    "__version__",
    "build_report",
    "judge_answer",
    "list_adaptations",
    "list_encodings",
    "list_families",
    "list_metrics",
    "list_models",
    "list_readers",
    "list_scorers",
    "list_studies",
    "list_suites",
    "load_run",
    "open_model",
    "open_suite",
    "read_answer",
    "register",
    "run_suite",
    "task",
    "to_arrow",
    "to_hf",
    "to_pandas",
    "write_bundle",
]


def __getattr__(name: str) -> Any:
    module = _EXPORTS.get(name)
    if module is None:
        raise AttributeError(f"module 'taskloom' has no attribute {name!r}")
    return getattr(import_module(module), name)


def __dir__() -> list[str]:
    return sorted(__all__)
