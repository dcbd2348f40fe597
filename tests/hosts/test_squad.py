"""Spans point at their answers in every family that has spans; the others are refused in a sentence."""

from __future__ import annotations

import json

import pytest

from taskloom import open_suite
from taskloom.cli.main import main
from taskloom.hosts.squad import write_squad

ZEST = {"train": 20, "dev": 10, "test": 20, "surplus": 0, "passages": 4}


@pytest.mark.parametrize(("name", "options"), [("babi/mix-t7", {}), ("zest/fictional", ZEST), ("superni/embedded", {})])
def test_spans_point_at_their_answers(name, options, tmp_path):
    suite = open_suite(name, options=options)
    rows = list(suite.rows("test", limit=400))
    counts = write_squad(rows, tmp_path / "squad.json", suite.tasks)
    (article,) = json.loads((tmp_path / "squad.json").read_text())["data"]
    assert counts.written + counts.left_out == len(rows)
    assert len(article["paragraphs"]) == counts.written > 20
    right = {f"{row.task}-{row.instance.id}": row.instance.targets for row in rows}
    for paragraph in article["paragraphs"]:
        (asked,) = paragraph["qas"]
        assert asked["question"]
        if asked["is_impossible"]:
            assert asked["answers"] == [] and right[asked["id"]].canonical() == "n/a"
            continue
        (answer,) = asked["answers"]
        start = answer["answer_start"]
        assert paragraph["context"][start : start + len(answer["text"])] == answer["text"]
        assert answer["text"] in right[asked["id"]].answers


def test_questions_about_places_are_all_spans(tmp_path):
    where = [row for row in open_suite("babi/mix-t7").rows("test", limit=60) if row.task == "where-person"]
    assert write_squad(where, tmp_path / "where.json").left_out == 0


def test_suites_without_spans_are_refused(tmp_path, capsys):
    assert main(["export", "squad", "seti/task2-trivial", "--split", "dev", "-o", str(tmp_path)]) == 2
    assert "is a span of the text" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
    assert main(["export", "seti-json", "babi/task-1", "-o", str(tmp_path)]) == 2
    assert "premise" in capsys.readouterr().err
