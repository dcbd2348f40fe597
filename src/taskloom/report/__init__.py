"""Reports: self-contained HTML made from run logs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.core.lazy import lazy_names

if TYPE_CHECKING:
    from taskloom.report.answer import pair_matrix as pair_matrix
    from taskloom.report.answer import promise_plot as promise_plot
    from taskloom.report.build import build_report as build_report
    from taskloom.report.studies import study_page as study_page

_MODULES = {
    "answer": "pair_matrix promise_plot",
    "build": "build_report",
    "studies": "study_page",
}
if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(__name__, _MODULES)
