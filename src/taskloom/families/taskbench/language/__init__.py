"""The language of TaskBench: its atoms, in the paper's notation and in that of the reference code."""

from taskloom.families.taskbench.language.parse import parse
from taskloom.families.taskbench.language.show import code, paper, short

__all__ = ["code", "paper", "parse", "short"]
