"""The published JSON layout, both ways, and sentence pairs with integer labels."""

from __future__ import annotations

import json

import pytest

from taskloom.core import UserError, open_suite
from taskloom.families.seti.published import find_verb, read_records, sentence_pairs, write_records

SMALL = {"lexical": 20, "structural": 20, "few": 0}


def written(tmp_path, name="task2-nontrivial"):
    suite = open_suite(f"seti/{name}", seed=5, options=SMALL)
    for split in ("train", "dev", "test"):
        assert write_records(suite.rows(split), tmp_path / f"{split}.json") == suite.splits[split]
    return suite


@pytest.mark.parametrize("name", ["task1-trivial", "task2-nontrivial", "task3-trivial", "task3-nontrivial-verb"])
def test_round_trip(tmp_path, name):
    suite = written(tmp_path, name)
    back = open_suite(f"seti/{name}", options={"source": "json", "path": str(tmp_path)})
    for split in ("train", "dev", "test"):
        for old, new in zip(suite.rows(split), back.rows(split), strict=True):
            assert (old.instance.input, old.instance.targets) == (new.instance.input, new.instance.targets)
            for key in ("kind", "label", "verb", "veridical", "natural_entailed", "composition"):
                assert old.instance.facets[key] == new.instance.facets[key], key


def test_the_layout(tmp_path):
    written(tmp_path)
    record = json.loads((tmp_path / "test.json").read_text())[0]
    assert set(record) == {"sent1", "sent2", "verdical_label", "sick_label", "label"}
    assert record["verdical_label"] in ("yes", "no")
    assert record["sick_label"] in ("entailment", "not-entailment")


def test_lines_are_read_too(tmp_path):
    path = tmp_path / "x.json"
    path.write_text('{"sent1": "A", "sent2": "B", "label": "neutral"}\n\n{"sent1": "C", "sent2": "D", "label": 1}\n')
    assert [record.label for record in read_records(path)] == ["neutral", 1]
    path.write_text('{"sent1": "A", "sent2": "B", "label": "neutral"}\n{"sent1": "C"}\n')
    with pytest.raises(UserError, match="line 2"):
        read_records(path)


def test_a_wrong_label_is_found(tmp_path):
    written(tmp_path)
    records = json.loads((tmp_path / "test.json").read_text())
    records[3]["label"] = "entailment"
    (tmp_path / "test.json").write_text(json.dumps(records))
    suite = open_suite("seti/task2-nontrivial", options={"source": "json", "path": str(tmp_path)})
    with pytest.raises(UserError, match="record 4.*does not follow"):
        list(suite.rows("test"))


def test_a_label_that_does_not_fit_the_verb_is_found(tmp_path):
    written(tmp_path)
    record = {
        "sent1": "Someone hopes that a cat is asleep.", "sent2": "A cat is asleep.", "label": "entailment",
        "verdical_label": "yes", "sick_label": "entailment",
    }  # fmt: skip
    (tmp_path / "test.json").write_text(json.dumps([record]))
    with pytest.raises(UserError, match="'hope'"):
        list(open_suite("seti/task2-nontrivial", options={"source": "json", "path": str(tmp_path)}).rows("test"))


def test_files_of_another_setting_are_refused(tmp_path):
    written(tmp_path, "task2-trivial")
    suite = open_suite("seti/task2-nontrivial", options={"source": "json", "path": str(tmp_path)})
    with pytest.raises(UserError, match="must be unseen"):
        list(suite.rows("train"))


def test_a_missing_file_is_named(tmp_path):
    suite = open_suite("seti/task2-trivial", options={"source": "json", "path": str(tmp_path)})
    with pytest.raises(UserError, match=r"train\.json"):
        list(suite.rows("test"))


def test_integer_labels():
    suite = open_suite("seti/task3-trivial", options=SMALL)
    for (premise, hypothesis, label), row in zip(sentence_pairs(suite, "test"), suite.rows("test"), strict=True):
        task = suite.tasks[row.task]
        assert task.labels[label] == row.instance.targets.canonical()
        assert row.instance.parts == {"premise": premise, "hypothesis": hypothesis}


@pytest.mark.parametrize(
    ("premise", "verb"),
    [
        ("Someone realizes that a cat is asleep.", "realize"),
        ("She has found that a cat is asleep.", "find"),
        ("They do not know that a cat is asleep.", "know"),
        ("The teacher hoped a cat was asleep.", "hope"),
        ("A cat is sleeping.", None),
    ],
)
def test_finding_the_verb(premise, verb):
    assert find_verb(premise) == verb
