"""Aggregates of the papers: which printed means can be means of their printed parts, and which cannot."""

from __future__ import annotations

import pytest

from taskloom.studies.analysis import mean_of
from taskloom.studies.experiment import printed

_MISPRINTS = {("table-4", "dev mean")}


def can_be_mean(overall, parts, step=1.0):
    """Whether a printed mean can be the mean of printed parts: rounded, each is off by at most half a step."""
    return abs(mean_of(parts) - overall) <= step * (1 + 1e-9)


@pytest.mark.parametrize("name", ["table-4", "table-8", "table-9", "table-10"])
def test_zests_overall_rows_are_the_means_of_their_groups(name):
    table = printed("zest", name)
    for column in table.columns[1:]:
        *groups, overall = table.column(column)
        assert can_be_mean(overall, groups) == ((name, column) not in _MISPRINTS), column


def test_the_misprint_of_zest():
    *groups, overall = printed("zest", "table-4").column("dev mean")
    assert mean_of(groups) == pytest.approx(57.6)
    assert overall == 56


def test_most_averages_of_superni_are_not_their_rows_means():
    rows = {row[0]: (row[-1], row[1:-1]) for row in printed("superni", "table-4").rows}
    average, cells = rows["task-id"]
    assert mean_of(cells) == pytest.approx(28.7, abs=0.05)
    assert average == 33.9
    wrong = [name for name, (mean, parts) in rows.items() if not can_be_mean(mean, parts, step=0.1)]
    assert len(wrong) > 5


def test_taskbench_marks_the_fits_of_few_tasks():
    table = printed("taskbench", "table-3")
    sure = [row for row in table.rows if not row[-1]]
    assert {row[0] for row in sure} == {"chaining", "union", "map", "map with separators"}
    assert len(table.rows) == 32
