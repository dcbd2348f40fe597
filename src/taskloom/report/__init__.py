"""Reports: self-contained HTML made from run logs.

In: folders of runs, probes and studies.
Out: self-contained pages.

The package can be called: `taskloom.report(...)`.
"""

from taskloom.lazy import lazy_names, make_callable

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
make_callable(__name__, "taskloom.report.build", "report")
