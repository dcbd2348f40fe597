"""Finished runs by what decided them: the same run is found again, in any folder.

The folder of runs (`TASKLOOM_RUNS`, else `runs` in the cache folder) holds one small file for each finished run, named
by the hash of its plan, which says where the run is. It is a hint and no proof: its reader compares the plan
and the manifest before using them.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import msgspec

from taskloom.adapt.store import share_adaptation
from taskloom.core import UserError
from taskloom.core.decode import read_json
from taskloom.core.folders import cache_folder
from taskloom.run.log import has_records, log_files
from taskloom.run.plan import PLAN, TASKS, Plan, load_plan
from taskloom.run.sealed import latest_seal, seal_names
from taskloom.store.atomic import half_name, make_folder, sync, write_atomically


class _Place(msgspec.Struct, frozen=True):
    folder: str


def runs_folder() -> Path:
    """Where runs without a folder of their own lie, and where finished ones are noted."""
    given = os.environ.get("TASKLOOM_RUNS")
    return Path(given).expanduser() if given else cache_folder("runs")


def _place(plan: str) -> Path:
    return runs_folder() / ".known" / plan[:2] / f"{plan}.json"


def is_finished(folder: Path) -> bool:
    """Whether a run is sealed, nothing in it failed, and nothing was asked since."""
    try:
        seal = latest_seal(folder)
    except UserError:
        return False
    if seal is None or seal.states.get("errored") or log_files(folder, seal):
        return False
    return all((folder / name).is_file() for part in seal.parts for name, _ in part.files.values())


def remember(plan: Plan, folder: Path) -> None:
    """Note where a finished run lies. A cache that cannot be written to costs nothing but the sharing."""
    place = _place(plan.hash())
    try:
        make_folder(place.parent)
        write_atomically(place, msgspec.json.encode(_Place(str(folder.resolve()))))
    except (OSError, UserError):
        return


def find_finished(plan: Plan) -> Path | None:
    """The folder of a finished run that this plan decided; None where none is known, or none that is whole."""
    wanted = plan.hash()
    try:
        known = read_json(_place(wanted), type=_Place)
        folder = Path(known.folder)
        if load_plan(folder).hash() != wanted or not is_finished(folder):
            return None
    except UserError:
        return None
    return folder


def adopt(plan: Plan, folder: Path) -> bool:
    """Bring a finished run of the same plan into an empty folder; False where there is none, or it is not empty."""
    if has_records(folder):
        return False
    if (folder / PLAN).is_file() and load_plan(folder).hash() != plan.hash():
        return False
    source = find_finished(plan)
    if source is None or source.resolve() == folder.resolve():
        return False
    make_folder(folder)
    # The plan comes first: it is what says that the other files of the folder are ours. The manifest comes last: as
    # long as it is missing, the folder is one of a run that has not begun.
    _copy(source, folder, PLAN)
    share_adaptation(source / "adaptation", folder / "adaptation")
    seal = latest_seal(source)
    data = [name for part in seal.parts for name, _ in part.files.values()] if seal else []
    for name in (TASKS, *data, seal_names(source)[-1]):
        _copy(source, folder, name)
        sync(folder)
    return True


def _copy(source: Path, folder: Path, name: str) -> None:
    half = folder / half_name(name)
    shutil.copyfile(source / name, half)
    sync(half)
    half.replace(folder / name)
