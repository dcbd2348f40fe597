"""Tasks that people write: makers, solvers, examples and skills come in; suites, proofs and lattices go out.

In: makers, solvers, examples and skills that people write.
Out: suites, proofs and lattices.
"""

from __future__ import annotations

from taskloom.author.blueprint import Answer, Blueprint, Item, Maker, Solver, task

__all__ = ["Answer", "Blueprint", "Item", "Maker", "Solver", "task"]
