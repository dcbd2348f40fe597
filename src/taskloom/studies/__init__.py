"""Studies: grids of ordinary runs, an analysis of their records, and what can be concluded from several.

In: settings at a scale, or finished runs.
Out: runs, tables, figures and checks of what a paper expects; sweeps, comparisons, gates, probes of combinations.
"""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
