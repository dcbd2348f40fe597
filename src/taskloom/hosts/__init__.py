"""Doors to the tools of others: datasets, trainers and harnesses take suites, and their logs come back as runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from taskloom.core.lazy import lazy_names

if TYPE_CHECKING:
    from taskloom.hosts.bigbench import read_bigbench as read_bigbench
    from taskloom.hosts.hf import to_hf as to_hf
    from taskloom.hosts.hf import to_hf_stream as to_hf_stream
    from taskloom.hosts.hf import write_hf as write_hf
    from taskloom.hosts.imports import import_log as import_log
    from taskloom.hosts.lm_eval_export import lm_eval_path as lm_eval_path
    from taskloom.hosts.lm_eval_export import write_lm_eval as write_lm_eval
    from taskloom.hosts.squad import write_squad as write_squad

_MODULES = {
    "bigbench": "read_bigbench",
    "hf": "to_hf to_hf_stream write_hf",
    "imports": "import_log",
    "lm_eval_export": "lm_eval_path write_lm_eval",
    "squad": "write_squad",
}
if not TYPE_CHECKING:
    __all__, __getattr__, __dir__ = lazy_names(__name__, _MODULES)
