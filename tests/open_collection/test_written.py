"""Tasks that are written as records: their language, their proofs, their instructions."""

from __future__ import annotations

import os

import msgspec
import pytest

from taskloom.author.prove import prove_blueprint
from taskloom.core import Suite, UserError
from taskloom.families.superni.tracks import DOMAINS, LANGUAGES, TYPES
from taskloom_open.archives import PACKAGES
from taskloom_open.kit import entries
from taskloom_open.written import blueprint_of, task_records
from taskloom_open.written.formula import formula, template
from taskloom_open.written.tools import TOOLS

RECORDS = task_records()
PACKED = {
    name
    for name, record in RECORDS.items()
    if record.table or any(f"'{table}'" in record.draw + record.solve for table in PACKAGES)
}
"""Tasks that need packages."""


@pytest.mark.parametrize(
    ("source", "value"),
    [
        ("1 + 2 * 3", 7),
        ("[w.upper() for w in 'a bc d'.split() if len(w) == 1]", ["A", "D"]),
        ("x, y = 'p q'.split()\nf'{y}{x:>3}'", "q  p"),
        ("sort([3, 1, 2], key=lambda n: -n)[0]", 3),
        ("{'a': 1}.get('b', 5) if not False else 0", 5),
        ("1 < 2 < 2", False),
        ("sub(r'\\d', lambda m: m + m, 'a1b2')", "a11b22"),
    ],
)
def test_formulas_have_the_value_that_python_gives_them(source, value):
    assert formula(source)({**TOOLS}) == value


@pytest.mark.parametrize(
    "source",
    [
        "import os",
        "().__class__",
        "'a'.format(1)",
        "'a'.encode()",
        "while True: 1",
        "x = yield",
        "f(",
        "2 ** 99",
        "print(1)",
        "getattr('a', 'b')",
    ],
)
def test_whatever_else_is_refused(source):
    with pytest.raises(UserError):
        formula(source)({**TOOLS})


def test_templates_fill_braces_and_keep_doubled_ones():
    assert template("{a}-{{b}} {lines(['x', 'y'])}")({**TOOLS, "a": 1}) == "1-{b} x\ny"
    with pytest.raises(UserError, match="not closed"):
        template("{a")


def test_a_solution_that_disagrees_stops_the_task():
    record = msgspec.structs.replace(RECORDS["binary_sum"], solve="'something else'")
    with pytest.raises(UserError, match="its solution 'something else'"):
        next(iter(blueprint_of("binary_sum", record).instruction.positive))


def test_every_task_of_our_own_words_is_proved():
    found = [
        str(finding)
        for name in sorted(RECORDS.keys() - PACKED)
        for finding in prove_blueprint(blueprint_of(name, RECORDS[name]), file=name, sizes={"train": 2})
    ]
    assert found == []


@pytest.mark.proof
@pytest.mark.parametrize("seed", [2, 20401])
def test_tasks_of_our_own_words_can_be_drawn_at_any_seed(seed):
    """A solution that errs on one item in a hundred (a train that arrives after midnight) stops the whole suite."""
    for name in sorted(RECORDS.keys() - PACKED):
        rows = Suite.of([blueprint_of(name, RECORDS[name])], seed=seed, test=60).rows("test")
        assert len({row.instance.input for row in rows}) == 60, name


def test_ages_in_riddles_are_those_of_people():
    rows = Suite.of([blueprint_of("age_riddle", RECORDS["age_riddle"])], seed=5, test=90).rows("test")
    assert all("-" not in row.instance.targets.canonical() for row in rows)


@pytest.mark.skipif(
    not os.environ.get("TASKLOOM_TEST_SOURCES"), reason="needs the packages of superni/open: make test-sources"
)
def test_every_task_is_proved_with_a_hundred_items():
    found = [
        str(finding)
        for name, record in RECORDS.items()
        for language in record.languages[:3] or [record.language]
        for finding in prove_blueprint(blueprint_of(name, record, language), file=name, sizes={"train": 100})
        if finding.level != "note"
    ]
    assert found == []


def _wrong(record):
    """What is wrong with the instruction of a record."""
    said = " ".join(record.definition.split())
    yield from ([f"{len(said.split())} words"] if not 10 <= len(said.split()) <= 250 else [])
    yield from ([record.category] if record.category not in TYPES else [])
    yield from set(record.domains) - DOMAINS.keys()
    yield from {record.language, record.instruction, *record.languages} - LANGUAGES
    yield from (label for label in record.labels if label.lower() not in said.lower())
    yield from (["no {language}"] if record.languages and "{language}" not in said else [])


def test_no_record_has_the_name_of_another_blueprint():
    assert not RECORDS.keys() & entries().keys()


def test_instructions_say_what_to_do():
    assert {name: found for name, record in RECORDS.items() if (found := list(_wrong(record)))} == {}
