"""Samples: none is left out, packed records are the records, long reports have pages beside them."""

from __future__ import annotations

import base64
import gzip

import msgspec
import numpy as np
import pytest

from records import made_run
from taskloom.report import samples
from taskloom.report.build import build_report
from taskloom.report.samples import SampleIndex
from taskloom.run.log import RunLog, read_records
from taskloom.run.plan import save_plan
from taskloom.run.record import Record
from taskloom.run.results import Run, load_run
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from toy import FAMILY


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    folder = tmp_path_factory.mktemp("samples")
    suite = FAMILY.open("all", 1, {"test": 130})
    launch(suite, folder / "a", RunSettings(model="mock/oracle"))
    launch(suite, folder / "b", RunSettings(model="mock/flaky", model_options={"fail": 0.3}, limit=20))
    return [folder / "a", folder / "b"]


def unpacked(index, numbers):
    for block in index.blocks(numbers, 1):
        yield from msgspec.json.decode(gzip.decompress(base64.b64decode(block)))


def test_every_record_is_in_the_page_as_it_stands_in_the_log(folders):
    index = SampleIndex([Run(folder) for folder in folders])
    order = index.telling_order()
    assert sorted(order.tolist()) == list(range(len(index)))
    shown = list(unpacked(index, order))
    for run, folder in enumerate(folders):
        records = {(record.task, record.id): record for record in list(read_records(folder))}
        packed = [msgspec.convert(sample[run], Record) for sample in shown if sample[run] is not None]
        assert {(record.task, record.id): record for record in packed} == records
    assert all(len({(r["task"], r["id"]) for r in sample if r}) == 1 for sample in shown), "side by side, one question"


def test_flags_say_how_it_went(folders):
    index = SampleIndex([Run(folder) for folder in folders])
    scores = [{r.key: r.score or 0.0 for r in list(read_records(folder))} for folder in folders]
    keys = [(r.task, r.id) for r in list(read_records(folders[0]))]
    wrong = sum(any(own.get(key, 1.0) < 1 for own in scores) for key in keys)
    assert int((index.flags & 1 > 0).sum()) == wrong > 0
    assert int((index.flags & 2 > 0).sum()) == len(keys) - wrong
    assert len(index.described(index.telling_order(), ["a", "b"])["flags"]) == len(keys)


def test_very_many_samples_stand_on_pages_beside_the_report(folders, tmp_path, monkeypatch, browser):
    monkeypatch.setattr(samples, "MOST_INSIDE", 100)
    monkeypatch.setattr(samples, "PER_PAGE", 50)
    build_report(folders, tmp_path / "page.html")
    pages = sorted((tmp_path / "page-samples").glob("*.html"))
    assert [page.name for page in pages] == ["s0-0001.html", "s0-0002.html", "s0-0003.html"]
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "All 130 questions on 3 pages in page-samples/." in text
    assert all(f'href="page-samples/{page.name}"' in text for page in pages)
    counts = []
    for page in pages:
        drawn, count = (
            "document.querySelectorAll('.sample').length",
            "document.querySelector('[data-count]').textContent",
        )
        seen = browser.open(page, "new Promise((done) => setTimeout(done, 300))", drawn, count)
        assert seen.harmless, seen
        assert seen.values[1] == 5
        counts.append(int(seen.values[2].rpartition(" ")[2]))
    assert sum(counts) == 130


def test_pages_of_a_longer_report_go_and_files_of_others_stay(folders, tmp_path, monkeypatch):
    monkeypatch.setattr(samples, "MOST_INSIDE", 100)
    monkeypatch.setattr(samples, "PER_PAGE", 25)
    build_report(folders, tmp_path / "page.html")
    (tmp_path / "page-samples" / "s0-notes.html").write_text("mine")
    monkeypatch.setattr(samples, "PER_PAGE", 100)
    build_report(folders, tmp_path / "page.html")
    names = sorted(page.name for page in (tmp_path / "page-samples").glob("*.html"))
    assert names == ["s0-0001.html", "s0-0002.html", "s0-notes.html"]


@pytest.mark.parametrize(("most", "inside"), [(130, True), (129, False)])
def test_samples_stand_in_the_page_up_to_a_number(folders, tmp_path, monkeypatch, most, inside):
    monkeypatch.setattr(samples, "MOST_INSIDE", most)
    card = str(samples.samples_card([Run(folders[0])], ["a"], "s0", tmp_path / "page.html"))
    assert ("All 130 questions. Marked lines" in card) == inside
    assert (tmp_path / "page-samples").exists() != inside


@pytest.mark.parametrize(("per_page", "pages", "folded"), [(7, 19, False), (6, 22, True)])
def test_many_pages_are_listed_and_folded_after_twenty(folders, tmp_path, monkeypatch, per_page, pages, folded):
    monkeypatch.setattr(samples, "MOST_INSIDE", 1)
    monkeypatch.setattr(samples, "PER_PAGE", per_page)
    card = str(samples.samples_card([Run(folders[0])], ["a"], "s0", tmp_path / "page.html"))
    made = sorted(path.name for path in (tmp_path / "page-samples").glob("*.html"))
    assert len(made) == pages and made[0] == "s0-0001.html" and f"on {pages} pages" in card
    assert ('data-folded="20"' in card) == folded == ("data-folded" in card)


def test_questions_are_described_by_the_tasks_they_are_of(folders):
    index = SampleIndex([Run(folder) for folder in folders])
    few = np.array([5, 0, 3])
    told = index.described(few, ["a", "b"])
    names = [told["tasks"][place] for place in told["task"]]
    records = list(read_records(folders[0]))
    assert names == [records[number].task for number in few] and told["runs"] == ["a", "b"] and told["block"] == 100
    assert told["flags"] == "".join(f"{index.flags[number]:x}" for number in few)


@pytest.mark.parametrize("count", [1, 99, 100, 101])
def test_blocks_hold_a_hundred_questions(folders, count):
    index = SampleIndex([Run(folders[0])])
    blocks = [
        msgspec.json.decode(gzip.decompress(base64.b64decode(block))) for block in index.blocks(np.arange(count), 1)
    ]
    assert [len(block) for block in blocks] == ([100, 1] if count > 100 else [count])


def told(folder, *answers):
    """A run of (task, question, score, state, answer)."""
    made = made_run(folder / "first", [(task, asked, score) for task, asked, score, *_ in answers])
    with RunLog(made_empty(folder / "run", made)) as log:
        log.append(
            [
                msgspec.structs.replace(record, state=state, strict=msgspec.structs.replace(record.strict, answer=said))
                for record, (*_, state, said) in zip(made.records, answers, strict=True)
            ]
        )
        log.finish()
    return load_run(folder / "run")


def made_empty(folder, like):
    folder.mkdir()
    save_plan(like.plan, list(like.tasks.values()), folder)
    return folder


def test_flags_bit_by_bit(tmp_path):
    one = told(
        tmp_path / "1",
        ("t", "1", 1.0, "scored", "a"), ("t", "2", 0.5, "scored", "a"), ("u", "3", None, "errored", None),
        ("u", "4", 1.0, "scored", None), ("t", "5", 1.0, "truncated", "a"),
    )  # fmt: skip
    two = told(
        tmp_path / "2", ("t", "1", 1.0, "scored", "a"), ("t", "2", 1.0, "scored", "a"), ("v", "6", 0.0, "scored", "b")
    )
    index = SampleIndex([one, two])
    assert index.rows.tolist() == [[0, 0], [1, 1], [2, -1], [3, -1], [4, -1], [-1, 2]] and len(index) == 6
    # 1: some run is wrong, 2: all are right, 4: runs differ, 8: failed, cut or without an answer.
    assert index.flags.tolist() == [2, 5, 9, 10, 10, 1]
    assert index.tasks == {"t": 0, "u": 1, "v": 2} and index.task.tolist() == [0, 0, 1, 1, 0, 2]
    assert index.telling_order().tolist() == [1, 2, 5, 0, 3, 4], "what differs, mistakes by task, successes by task"
    alone = SampleIndex([two])
    assert alone.flags.tolist() == [2, 2, 1] and alone.rows.tolist() == [[0], [1], [2]]


class Many:
    """An index of so many questions."""

    def __init__(self, count):
        self.count, self.flags = count, np.zeros(count, np.uint8)

    def __len__(self):
        return self.count

    def telling_order(self):
        return np.arange(self.count)


@pytest.mark.parametrize(("count", "where"), [(50_000, "inside"), (50_001, "beside")])
def test_fifty_thousand_questions_stand_in_the_page(count, where, monkeypatch, tmp_path):
    monkeypatch.setattr(samples, "SampleIndex", lambda runs: Many(count))
    monkeypatch.setattr(
        samples, "samples_browser", lambda index, numbers, names, anchor, level: f"inside {len(numbers)}"
    )
    monkeypatch.setattr(samples, "pages_folder", lambda index, names, anchor, path: f"beside {len(index)}")
    assert f"{where} {count}" in str(samples.samples_card([], [], "s0", tmp_path / "page.html"))


def test_pages_hold_five_thousand_questions(monkeypatch, tmp_path):
    seen = []
    monkeypatch.setattr(
        samples,
        "samples_browser",
        lambda index, numbers, names, anchor, level: seen.append((len(numbers), level)) or "",
    )
    monkeypatch.setattr(samples, "write_ours", lambda path, data: seen.append(path.name))
    monkeypatch.setattr(samples, "remove_stale", lambda folder, pattern, kept: seen.append((pattern, sorted(kept))))
    text = str(samples.pages_folder(Many(10_001), ["a"], "s0", tmp_path / "page.html"))
    names = [f"s0-000{number}.html" for number in (1, 2, 3)]
    assert seen == [(5_000, 1), names[0], (5_000, 1), names[1], (1, 1), names[2], ("s0-*.html", names)]
    assert "1 to 5,000" in text and "10,001 to 10,001" in text and "All 10,001 questions on 3 pages" in text
