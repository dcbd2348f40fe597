"""Studies: a grid of ordinary runs, an analysis of their records, and what can be concluded, at any scale.

In: settings at a scale.
Out: runs, tables, figures and checks of what a paper expects; probes of combinations.
"""

from taskloom.lazy import lazy_names

__all__, __getattr__, __dir__ = lazy_names(__name__, __file__)
