"""Looking at a suite imports nothing that takes longer to load than to answer."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

SLOW_TO_LOAD = {"numpy", "pyarrow", "scipy", "pandas", "torch", "transformers", "aiohttp", "jinja2", "matplotlib",
                "ray", "pyoxigraph"}  # fmt: skip

PROBE = """
import sys
from taskloom.cli.main import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(*sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""


@pytest.mark.parametrize(
    "words",
    [
        ["list"],
        ["show", "babi/mix-t12"],
        ["show", "seti/task1-trivial"],
        ["show", "zest/fictional"],
        ["show", "superni/embedded"],
        ["show", "taskbench/atomic"],
        ["show", "taskbench/factual-passage"],
        ["show", "taskbench/atomic", "--recipe"],
        ["list", "tasks", "taskbench/500"],
    ],
    ids=" ".join,
)
def test_showing_a_suite_loads_nothing_slow(words, tmp_path):
    """Nor does the first look at it, with an empty cache."""
    alone = {**os.environ, "TASKLOOM_CACHE": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", PROBE, *words], capture_output=True, text=True, check=False, env=alone)
    loaded = set(done.stderr.strip().split("\n")[-1].split())
    assert "taskloom" in loaded, done.stderr
    assert not loaded & SLOW_TO_LOAD


def test_one_kind_of_pair_is_worked_out_where_one_is_asked_for(monkeypatch):
    from taskloom.core import open_suite
    from taskloom.families.seti import pool
    from taskloom.families.seti.family import setting_plan

    def never(contrasts):
        raise AssertionError("structural pairs are not part of task 1")

    monkeypatch.setattr(pool, "structural_space", never)
    setting_plan.cache_clear()
    assert next(open_suite("seti/task1-trivial", seed=91).rows("train"))
