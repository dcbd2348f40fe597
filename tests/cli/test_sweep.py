"""The table of a sweep says how each job was asked."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from taskloom.cli.sweep import job_table


def _finished(*ways):
    jobs, items = [], {}
    for number, (name, headline) in enumerate(ways):
        run = SimpleNamespace(model=f"mock/{number}", adapt="none")
        jobs.append(SimpleNamespace(id=str(number), suite="babi/task-1", task="", run=run, options={}, seed=0))
        results = {"overall": {"value": 0.5, "n": 8}, "protocol": {"name": name, "headline": headline}}
        items[str(number)] = SimpleNamespace(results=results, wall=1.0, state="finished")
    return job_table(jobs, items, [])


def test_each_job_shows_its_protocol_and_reading():
    table = _finished(("chat", "lenient"), ("chat", "lenient"))
    place = table.columns.index("asked")
    assert [row[place] for row in table.rows] == ["chat, lenient", "chat, lenient"]
    assert table.note == ""


@pytest.mark.parametrize("other", [("base", "lenient"), ("chat", "strict"), ("", "")])
def test_jobs_that_were_not_asked_alike_are_not_ranked_silently(other):
    assert "not asked in the same way" in _finished(("chat", "lenient"), other).note
