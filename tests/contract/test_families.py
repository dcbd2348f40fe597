"""What every suite of every family promises."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from contract.small import digests, small, suite_names
from taskloom.core import UserError, input_hash, open_suite
from taskloom.core.catalog import FAMILIES, READERS, SCORERS
from taskloom.store.bundle import Bundle, check_bundle
from taskloom.store.write import write_bundle

SUITES = suite_names()

# Suites with so few possible questions that any two draws share some.
FEW_QUESTIONS: set[str] = {"zest/question-only"}

DIGEST = """
import sys
from contract.small import digests
print(hash("taskloom"), *digests(sys.argv[1]), sep="\\n")
"""


def test_same_bytes_in_two_processes_under_two_hash_seeds(tmp_path):
    """Our own suites are in `tests/digests.json`, and every process that compares them has a hash seed of its own."""
    path = os.pathsep.join(p for p in sys.path if p)
    other = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    for family in [name for name in FAMILIES.names() if FAMILIES.origin(name) != "taskloom"]:
        done = subprocess.run(
            [sys.executable, "-c", DIGEST, family], check=True, capture_output=True, text=True,
            env={**os.environ, "PYTHONPATH": path, "PYTHONHASHSEED": other, "TASKLOOM_CACHE": str(tmp_path)},
        )  # fmt: skip
        seed, *found = done.stdout.splitlines()
        assert int(seed) != hash("taskloom")
        assert found == digests(family)
        assert len(found) == len(suite_names(family))


def _questions(name: str, seed: int) -> set[tuple[str, str]]:
    suite = small(name, seed)
    return {(row.task, row.instance.input) for split in suite.splits for row in suite.rows(split)}


@pytest.mark.parametrize("name", SUITES)
def test_neighbouring_seeds_share_no_instance(name):
    """Nothing is shifted or shared. Small grammars may say the same short sentence twice by chance, hence 2 %."""
    if name.startswith("taskbench/") or name in FEW_QUESTIONS:
        pytest.skip("asks about words of a dictionary or a handful of objects, the same under every seed")
    first, second = _questions(name, 0), _questions(name, 1)
    assert first
    assert len(first & second) <= 0.02 * len(first)


@pytest.mark.parametrize("name", SUITES)
def test_the_oracle_scores_one_and_nonsense_less(name):
    suite = small(name)
    for split in suite.splits:
        for row in suite.rows(split):
            task, targets = suite.tasks[row.task], row.instance.targets
            scorer, reader = SCORERS.get(task.scorer), READERS.get(task.reader)
            said = reader.read(targets.canonical(), task).answer
            assert scorer.score(said, targets, task).value == 1.0, (row.task, row.instance.id)
            assert scorer.score("qzx wvk", targets, task).value < 1.0, (row.task, row.instance.id)


@pytest.mark.parametrize("name", SUITES)
def test_it_survives_the_disk_with_disjoint_splits(name, tmp_path):
    suite = small(name)
    write_bundle(suite, tmp_path)
    assert list(check_bundle(tmp_path)) == []
    back = Bundle(tmp_path).suite()
    assert back.tasks == dict(suite.tasks)
    for split in suite.splits:
        for stored, drawn in zip(back.rows(split), suite.rows(split), strict=True):
            facets = {key: value for key, value in drawn.instance.facets.items() if value is not None}
            assert (stored.task, stored.instance.id, stored.instance.input) == (
                drawn.task, drawn.instance.id, drawn.instance.input,
            )  # fmt: skip
            assert stored.instance.targets == drawn.instance.targets
            assert stored.instance.facets == facets


@pytest.mark.parametrize("name", SUITES)
def test_tasks_are_described(name):
    suite = small(name)
    assert suite.tasks
    asked = {input_hash(row.instance.input) for split in suite.splits for row in suite.rows(split)}
    for key, task in suite.tasks.items():
        assert key == task.name
        assert {"family", "category", "language"} <= task.facets.keys(), key
        instruction = task.instruction
        assert len(instruction.definition.split()) >= 8, key
        assert len(instruction.positive) >= 2, key
        assert instruction.negative, key
        assert all(example.explanation for example in (*instruction.positive, *instruction.negative)), key
        if name == "zest/question-only":
            continue  # its input is the question alone, which an example of the task must show as well
        examples = {input_hash(example.input) for example in (*instruction.positive, *instruction.negative)}
        assert not examples & asked, f"an example of {key} is also asked"


@pytest.mark.parametrize("family", FAMILIES.names())
def test_families_are_described_and_refuse_unknown_suites(family):
    described = FAMILIES.get(family)
    assert described.title
    assert described.citation
    if family == "reasoning-gym":
        pytest.importorskip("reasoning_gym")  # without the package it has none
    assert described.suites()
    with pytest.raises(UserError):
        open_suite(f"{family}/no-such-suite-anywhere")
    name = next(iter(suite_names(family)))
    with pytest.raises(UserError, match="unknown key"):
        open_suite(name, options={"no_such_key": 1})
