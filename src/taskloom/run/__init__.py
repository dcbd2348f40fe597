"""Running models on suites: plan, execute, log, resume."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.core.lazy import lazy_names

if TYPE_CHECKING:
    from taskloom.run.check import check_run as check_run
    from taskloom.run.gate import GateResult as GateResult
    from taskloom.run.gate import gate_run as gate_run
    from taskloom.run.log import RunLog as RunLog
    from taskloom.run.log import read_records as read_records
    from taskloom.run.plan import Plan as Plan
    from taskloom.run.plan import load_plan as load_plan
    from taskloom.run.pool import compare_runs as compare_runs
    from taskloom.run.record import Record as Record
    from taskloom.run.results import Group as Group
    from taskloom.run.results import Run as Run
    from taskloom.run.results import load_run as load_run
    from taskloom.run.results import run_results as run_results
    from taskloom.run.results import write_results as write_results
    from taskloom.run.runner import launch as launch
    from taskloom.run.runner import run_suite as run_suite
    from taskloom.run.session import RunSettings as RunSettings

_MODULES = {
    "check": "check_run",
    "gate": "GateResult gate_run",
    "log": "RunLog read_records",
    "plan": "Plan load_plan",
    "pool": "compare_runs",
    "record": "Record",
    "results": "Group Run load_run run_results write_results",
    "runner": "launch run_suite",
    "session": "RunSettings",
}
if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(__name__, _MODULES)
