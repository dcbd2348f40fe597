"""A disk that really fills up: a small file system in memory, where the machine lets a test mount one."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from records import chain
from taskloom.core import UserError
from taskloom.run.log import read_records
from taskloom.run.runner import launch
from taskloom.run.session import RunSettings
from taskloom.store.bundle import Bundle, check_bundle
from taskloom.store.write import write_bundle
from toy import FAMILY


@pytest.fixture
def small_disk(tmp_path):
    """A folder on a file system of its own, and a way to change how large that is."""
    folder = tmp_path / "disk"
    folder.mkdir()

    def mount(*options: str) -> int:
        command = ["mount", "-t", "tmpfs", "-o", ",".join(options), "tmpfs", str(folder)]
        return subprocess.run(command, check=False, capture_output=True).returncode

    if shutil.which("mount") is None or mount("size=64k") != 0:
        pytest.skip("this machine does not let a test mount a file system")
    try:
        yield folder, lambda size: mount("remount", f"size={size}")
    finally:
        subprocess.run(["umount", str(folder)], check=False)


def toy(seed: int, **settings: int):
    return FAMILY.open("all", seed, settings)


def test_a_run_stops_on_a_full_disk_and_goes_on_when_there_is_room(small_disk, tmp_path):
    disk, resize = small_disk
    suite, settings = toy(1, test=600), RunSettings(model="mock/oracle", batch_size=7)
    launch(suite, tmp_path / "unbroken", settings)
    stops = 0
    for size in ("96k", "128k", "160k", "192k"):
        resize(size)
        with pytest.raises(UserError, match="disk is full"):
            launch(suite, disk / "run", settings)
        stops += 1
        assert all(record.score == 1.0 for record in read_records(disk / "run"))
    resize("20m")
    assert launch(suite, disk / "run", settings).resumed > 0
    assert stops == 4
    assert chain(disk / "run") == chain(tmp_path / "unbroken")


def test_a_bundle_that_does_not_fit_leaves_the_old_one(small_disk):
    disk, resize = small_disk
    resize("1m")
    folder = Path(disk) / "bundle"
    write_bundle(toy(1), folder)
    with pytest.raises(UserError, match="disk is full"):
        write_bundle(toy(2, train=60_000), folder, replace=True)
    assert list(check_bundle(folder)) == []
    assert Bundle(folder).manifest.seed == 1
