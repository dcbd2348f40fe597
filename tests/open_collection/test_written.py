"""Tasks that are written as records: their language, their proofs, their instructions."""

from __future__ import annotations

import os
import re

import msgspec
import pytest

from taskloom.author.prove import prove_blueprint
from taskloom.core import UserError
from taskloom.families.superni.vocabulary import DOMAINS, LANGUAGES, TYPES
from taskloom_open.archives import PACKAGES
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
        for finding in prove_blueprint(blueprint_of(name, RECORDS[name]), file=name, sizes={"train": 8})
    ]
    assert found == []


@pytest.mark.skipif(
    not os.environ.get("TASKLOOM_TEST_SOURCES"), reason="needs the packages of superni/open: make test-sources"
)
@pytest.mark.parametrize("name", sorted(RECORDS))
def test_every_task_is_proved_with_a_hundred_items(name):
    record = RECORDS[name]
    for language in record.languages[:3] or [record.language]:
        found = list(prove_blueprint(blueprint_of(name, record, language), file=name, sizes={"train": 100}))
        assert [str(finding) for finding in found if finding.level != "note"] == []


@pytest.mark.parametrize("name", sorted(RECORDS))
def test_instructions_say_what_to_do(name):
    record = RECORDS[name]
    said = " ".join(record.definition.split())
    assert 9 <= len(said.split()) <= 250
    assert record.category in TYPES
    assert set(record.domains) <= DOMAINS.keys()
    assert {record.language, record.instruction, *record.languages} <= LANGUAGES
    assert all(label.lower() in said.lower() for label in record.labels)
    assert "{" not in said.replace("{language}", "") or not re.search(r"\{\w+\}", said.replace("{language}", ""))
    assert record.languages == [] or "{language}" in said
