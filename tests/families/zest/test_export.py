"""What is written as ZEST publishes it is read again as it was."""

from __future__ import annotations

from taskloom import open_suite
from taskloom.cli.main import main

SMALL = {"train": 20, "dev": 10, "test": 20, "surplus": 0, "passages": 4}


def test_published_files_come_back(tmp_path):
    settings = [word for key, value in SMALL.items() for word in ("-T", f"{key}={value}")]
    assert main(["export", "zest-json", "zest/fictional", *settings, "--split", "test", "-o", str(tmp_path)]) == 0
    (file,) = tmp_path.glob("*.jsonl")
    suite = open_suite("zest/fictional", options=SMALL)
    again = open_suite("zest/file", options={"path": str(file)})
    first = list(suite.rows("test"))
    second = [row for split in again.splits for row in again.rows(split)]
    assert len(first) == len(second) == 80
    right = {(row.instance.input, row.instance.targets.canonical()) for row in first}
    assert {(row.instance.input, row.instance.targets.canonical()) for row in second} == right
