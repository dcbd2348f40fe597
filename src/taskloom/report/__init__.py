"""Reports: self-contained HTML made from run logs.

In: folders of runs, probes and studies.
Out: self-contained pages.
"""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
