"""The published JSON layout, both ways, and sentence pairs with integer labels."""

from __future__ import annotations

import json

import pytest

from taskloom.core import UserError, open_suite
from taskloom.core.errors import QuarantineWarning
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
    with pytest.raises(UserError, match="x.json:2: "):
        read_records(path)


def opened(folder, name="task2-nontrivial", **options):
    return open_suite(f"seti/{name}", options={"source": "json", "path": str(folder), **options})


def changed(folder, split, change):
    records = json.loads((folder / f"{split}.json").read_text())
    change(records)
    (folder / f"{split}.json").write_text(json.dumps(records))


def first_of(folder, split):
    return json.loads((folder / f"{split}.json").read_text())[0]


FAULTS = {
    "rule": ("test", lambda records, folder: records[3].update(label="entailment"), "record 4.*does not follow"),
    "label": ("dev", lambda records, folder: records[0].update(label="perhaps"), "record 1.*'perhaps' is not a label"),
    "duplicate": ("train", lambda records, folder: records.append(records[0]), "the same pair stands at"),
    "leak": ("train", lambda records, folder: records.append(first_of(folder, "dev")), "stands in split 'dev'"),
    "setting": (
        "train",
        lambda records, folder: records.append(first_of(folder, "test")),
        "must be unseen|split 'test'",
    ),
    "empty": ("train", lambda records, folder: records[2].update(sent2=" "), "is empty"),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_row_at_fault_is_refused_when_the_suite_is_opened(tmp_path, fault):
    """In every command alike: once only `generate` noticed a leak."""
    written(tmp_path)
    split, change, message = FAULTS[fault]
    changed(tmp_path, split, lambda records: change(records, tmp_path))
    with pytest.raises(UserError, match=message) as caught:
        opened(tmp_path)
    assert "faults=quarantine" in caught.value.hint


@pytest.mark.parametrize("fault", FAULTS)
def test_a_row_at_fault_can_be_quarantined(tmp_path, fault):
    suite = written(tmp_path)
    split, change, _ = FAULTS[fault]
    changed(tmp_path, split, lambda records: change(records, tmp_path))
    with pytest.warns(QuarantineWarning, match="rows? left out"):
        back = opened(tmp_path, faults="quarantine")
    note = back.notes["quarantined"]
    assert note["left out"] >= 1
    assert sum(note["by kind"].values()) == note["left out"]
    gone = 0 if fault in ("duplicate", "leak", "setting") else 1
    assert back.splits[split] == suite.splits[split] - gone == len(list(back.rows(split)))
    inputs = [row.instance.input for name in back.splits for row in back.rows(name)]
    assert len(inputs) == len(set(inputs))


def test_an_unknown_verb_is_found(tmp_path):
    written(tmp_path)
    record = {
        "sent1": "Someone regrets that a cat is asleep.", "sent2": "A cat is asleep.", "label": "entailment",
        "verdical_label": "yes", "sick_label": "entailment",
    }  # fmt: skip
    changed(tmp_path, "train", lambda records: records.append(record))
    with pytest.raises(UserError, match="one of the verbs.*regrets"):
        opened(tmp_path)


def test_a_label_that_does_not_fit_the_verb_is_found(tmp_path):
    written(tmp_path)
    record = {
        "sent1": "Someone hopes that a cat is asleep.", "sent2": "A cat is asleep.", "label": "entailment",
        "verdical_label": "yes", "sick_label": "entailment",
    }  # fmt: skip
    (tmp_path / "test.json").write_text(json.dumps([record]))
    with pytest.raises(UserError, match="'hope'"):
        opened(tmp_path)


def test_a_label_turned_in_the_other_split_is_a_contradiction(tmp_path):
    written(tmp_path, "task1-trivial")
    record = {**first_of(tmp_path, "test")}
    assert record["sick_label"]
    plain = {"sent1": "A cat is asleep.", "sent2": "An animal is asleep.", "label": "entailment"}
    changed(tmp_path, "train", lambda records: records.append({**plain, "sick_label": "entailment"}))
    changed(tmp_path, "dev", lambda records: records.append({**plain, "label": "no", "sick_label": "no"}))
    with pytest.raises(UserError, match="is labelled 'not-entailment'"):
        opened(tmp_path, "task1-trivial")


def test_files_of_another_setting_are_refused(tmp_path):
    written(tmp_path, "task2-trivial")
    with pytest.raises(UserError, match="must be unseen"):
        opened(tmp_path)


def test_training_that_lacks_a_kind_or_a_verb_is_refused(tmp_path):
    written(tmp_path, "task3-trivial")
    changed(tmp_path, "train", lambda records: records.__setitem__(
        slice(None), [record for record in records if record.get("verdical_label")]))  # fmt: skip
    changed(tmp_path, "dev", lambda records: records.__setitem__(
        slice(None), [record for record in records if record.get("verdical_label")]))  # fmt: skip
    with pytest.raises(UserError, match="training shows no natural inferences"):
        opened(tmp_path, "task3-trivial")


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(UserError, match=r"train\.json"):
        opened(tmp_path)
    with pytest.raises(UserError, match="no such folder"):
        opened(tmp_path / "nowhere")


def test_what_export_writes_is_read_back(tmp_path):
    """Export names its files by suite and split; reading takes those names too."""
    from taskloom.cli.main import main

    assert main(["export", "seti-json", "seti/task2-nontrivial", "-o", str(tmp_path), "-T", "few=8"]) == 0
    suite = open_suite("seti/task2-nontrivial", options={"few": 8})
    back = opened(tmp_path)
    assert dict(back.splits) == dict(suite.splits)
    for split in suite.splits:
        assert [row.instance.parts for row in back.rows(split)] == [row.instance.parts for row in suite.rows(split)]
    (tmp_path / "seti-task2-trivial-train.json").write_text("[]")
    with pytest.raises(UserError, match="several files"):
        opened(tmp_path)


@pytest.mark.parametrize("command", [["show"], ["run", "--model", "mock/majority", "-o"], ["generate", "-o"]])
def test_every_command_refuses_a_leak(tmp_path, command, capsys):
    from taskloom.cli.main import main

    written(tmp_path)
    changed(tmp_path, "train", lambda records: records.append(first_of(tmp_path, "test")))
    name, *rest = command
    arguments = [*rest, str(tmp_path / "out")] if rest else []
    source = ["-T", "source=json", "-T", f"path={tmp_path}"]
    assert main([name, "seti/task2-nontrivial", *arguments, *source]) == 2
    assert "stands in split 'test'" in capsys.readouterr().err


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
