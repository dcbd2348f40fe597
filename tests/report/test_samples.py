"""Samples: none is left out, packed records are the records, long reports have pages beside them."""

from __future__ import annotations

import base64
import gzip

import msgspec
import pytest

from taskloom.report import samples
from taskloom.report.build import build_report
from taskloom.report.samples import SampleIndex
from taskloom.run.log import latest_records
from taskloom.run.record import Record
from taskloom.run.results import Run
from taskloom.run.runner import RunSettings, launch
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
        records = {(record.task, record.id): record for record in latest_records(folder)}
        packed = [msgspec.convert(sample[run], Record) for sample in shown if sample[run] is not None]
        assert {(record.task, record.id): record for record in packed} == records
    assert all(len({(r["task"], r["id"]) for r in sample if r}) == 1 for sample in shown), "side by side, one question"


def test_flags_say_how_it_went(folders):
    index = SampleIndex([Run(folder) for folder in folders])
    scores = [{r.key: r.score or 0.0 for r in latest_records(folder)} for folder in folders]
    keys = [(r.task, r.id) for r in latest_records(folders[0])]
    wrong = sum(any(own.get(key, 1.0) < 1 for own in scores) for key in keys)
    assert int((index.flags & 1 > 0).sum()) == wrong > 0
    assert int((index.flags & 2 > 0).sum()) == len(keys) - wrong
    assert len(index.described(index.telling_order(), ["a", "b"])["flags"]) == len(keys)


def test_very_many_samples_stand_on_pages_beside_the_report(folders, tmp_path, monkeypatch, browser):
    monkeypatch.setattr(samples, "MOST_INSIDE", 100)
    monkeypatch.setattr(samples, "_PER_PAGE", 50)
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
    monkeypatch.setattr(samples, "_PER_PAGE", 25)
    build_report(folders, tmp_path / "page.html")
    (tmp_path / "page-samples" / "s0-notes.html").write_text("mine")
    monkeypatch.setattr(samples, "_PER_PAGE", 100)
    build_report(folders, tmp_path / "page.html")
    names = sorted(page.name for page in (tmp_path / "page-samples").glob("*.html"))
    assert names == ["s0-0001.html", "s0-0002.html", "s0-notes.html"]
