"""Taskloom's suites as a verifiers taskset: `vf-eval taskloom-verifiers --env.taskset.suite babi/mix-t7`.

A package of its own because verifiers finds tasksets by the name of a top-level package.
"""

from taskloom.hosts.verifiers_taskset import TaskloomTaskset

__all__ = ["TaskloomTaskset"]
