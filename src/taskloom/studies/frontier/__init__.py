"""The frontier: the smallest combinations that fail although their parts are mastered, with error control."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.core.lazy import lazy_names

if TYPE_CHECKING:
    from taskloom.studies.frontier.claims import Claim as Claim
    from taskloom.studies.frontier.claims import Promise as Promise
    from taskloom.studies.frontier.claims import Share as Share
    from taskloom.studies.frontier.compare import FrontierComparison as FrontierComparison
    from taskloom.studies.frontier.compare import compare_frontiers as compare_frontiers
    from taskloom.studies.frontier.cure import Cure as Cure
    from taskloom.studies.frontier.cure import CureSettings as CureSettings
    from taskloom.studies.frontier.cure import cure_model as cure_model
    from taskloom.studies.frontier.result import CellState as CellState
    from taskloom.studies.frontier.result import Frontier as Frontier
    from taskloom.studies.frontier.result import load_frontier as load_frontier
    from taskloom.studies.frontier.run import probe_model as probe_model
    from taskloom.studies.frontier.search import SearchSettings as SearchSettings
    from taskloom.studies.frontier.static import StaticFrontier as StaticFrontier
    from taskloom.studies.frontier.static import StaticSettings as StaticSettings
    from taskloom.studies.frontier.static import study_run as study_run

_MODULES = {
    "claims": "Claim Promise Share",
    "compare": "FrontierComparison compare_frontiers",
    "cure": "Cure CureSettings cure_model",
    "result": "CellState Frontier load_frontier",
    "run": "probe_model",
    "search": "SearchSettings",
    "static": "StaticFrontier StaticSettings study_run",
}
if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(__name__, _MODULES)
