"""Batches: order kept, lengths sorted, memory running out."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import taskloom
from taskloom.models.runtime import BatchSizer, run_in_batches

pytestmark = pytest.mark.train


@given(st.lists(st.integers(1, 300)), st.integers(0, 9), st.integers(1, 2000))
def test_results_come_in_the_order_of_the_items(lengths, rows, budget):
    sizes = []

    def work(batch):
        sizes.append(len(batch))
        widths = [lengths[index] for index in batch]
        assert widths == sorted(widths, reverse=True)
        assert not rows or len(batch) <= rows
        assert rows or len(batch) == 1 or len(batch) * widths[0] <= budget
        return [index * 10 for index in batch]

    results = run_in_batches(lengths, work, BatchSizer(rows, budget), lambda index: -1)
    assert results == [index * 10 for index in range(len(lengths))]


@given(st.lists(st.integers(1, 60), min_size=1), st.integers(1, 120))
def test_memory_running_out_halves_batches_and_loses_only_what_never_fits(lengths, memory):
    released = []

    def work(batch):
        if sum(lengths[index] for index in batch) > memory:
            raise RuntimeError("CUDA out of memory. Tried to allocate")
        return list(batch)

    sizer = BatchSizer(0, 10_000)
    results = run_in_batches(lengths, work, sizer, lambda index: -1, lambda: released.append(1))
    assert results == [index if lengths[index] <= memory else -1 for index in range(len(lengths))]
    assert bool(released) == (sum(lengths) > memory)


def test_the_smaller_size_is_remembered():
    sizer = BatchSizer(16)
    seen = []

    def work(batch):
        seen.append(len(batch))
        if len(batch) > 5:
            raise MemoryError
        return list(batch)

    run_in_batches([1] * 20, work, sizer, lambda index: -1)
    assert seen == [16, 8, 4, 4, 4, 4, 4]
    assert sizer.fit(1) == 4


def test_other_errors_are_not_swallowed():
    def work(batch):
        raise RuntimeError("shapes do not match")

    with pytest.raises(RuntimeError, match="shapes"):
        run_in_batches([1], work, BatchSizer(), lambda index: None)


@pytest.mark.parametrize("name", ["tiny/t5-1m", "tiny/gpt-1m"])
def test_a_real_model_backs_off_and_answers_the_same(name, ask, monkeypatch):
    from taskloom.core.model import Generation, open_model

    texts = [f"word {index} " * (index + 1) for index in range(8)]
    expected = open_model(name).generate([ask(text) for text in texts], Generation(max_tokens=5))
    model = open_model(name)
    forward = model.module.forward

    def short_of_memory(*arguments, **keywords):
        ids = keywords.get("decoder_input_ids", keywords.get("input_ids"))
        if ids.shape[0] > 3:
            raise RuntimeError("[enforce fail at alloc_cpu.cpp] DefaultCPUAllocator: can't allocate memory")
        return forward(*arguments, **keywords)

    monkeypatch.setattr(model.module, "forward", short_of_memory)
    assert model.generate([ask(text) for text in texts], Generation(max_tokens=5)) == expected
    assert model.sizer.rows <= 3


def test_answers_come_as_soon_as_their_batch_is_done(ask):
    from taskloom.core.model import Generation, open_model

    model = open_model("tiny/gpt-1m", {"batch_size": 2, "window": 40})
    requests = [ask("word " * length) for length in (3, 9, 90, 1, 5)]
    groups = list(model.stream(requests, Generation(max_tokens=3)))
    assert [sorted(index for index, _ in group) for group in groups] == [[2], [1, 4], [0, 3]]
    streamed = dict(pair for group in groups for pair in group)
    assert [streamed[index] for index in range(5)] == model.generate(requests, Generation(max_tokens=3))
    assert streamed[2].state == "failed"


SHORT_OF_MEMORY = """
import resource
import torch
torch.set_num_threads(1)
from taskloom.core import Instance, Instruction, Task, any_of
from taskloom.core.encoding import Prompt
from taskloom.core.model import Generation, Request, open_model

def ask(text):
    return Request(Prompt(text), Task("t", Instruction("")), Instance("1", text, any_of("x")))

requests = [ask(f"the {index} " * 80) for index in range(48)]
roomy = open_model("tiny/gpt-1m", {"batch_size": 4}).generate(requests, Generation(max_tokens=2))
model = open_model("tiny/gpt-1m", {"batch_size": 48})
with open("/proc/self/statm") as file:
    used = int(file.read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + 60_000_000, -1))
cramped = model.generate(requests, Generation(max_tokens=2))
print(model.sizer.rows, cramped == roomy)
"""


@pytest.mark.proof
@pytest.mark.skipif(sys.platform != "linux", reason="limits the address space as Linux does")
def test_real_shortage_of_memory_is_survived():
    """A process that may take only 60 MB more: torch really fails to allocate, and every answer still comes."""
    environment = {**os.environ, "PYTHONPATH": str(Path(taskloom.__file__).parents[1]), "OMP_NUM_THREADS": "1"}
    process = subprocess.run(
        [sys.executable, "-c", SHORT_OF_MEMORY], env=environment, capture_output=True, text=True, check=True
    )
    rows, same = process.stdout.split()
    assert int(rows) < 48
    assert same == "True"
