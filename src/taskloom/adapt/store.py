"""The store of adaptations: what was trained once is not trained again, by any run, sweep or study.

An adaptation lies under a key that covers everything that decides its weights: the model before it, the rows of the
suite, the encoding, every setting, the seed. Runs and store share their files by hard links where the disk allows it,
so a run folder stays whole when the store is pruned, and neither costs the space of the other.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from taskloom.core import UserError
from taskloom.core.decode import read_json
from taskloom.core.folders import cache_folder
from taskloom.models.runtime import LOGGER
from taskloom.store.atomic import half_name, is_half

MODEL = "model.json"
"""The file that says how an adapted model is opened; it is written last."""
ADAPTED_MODEL = "base"
"""The folder beside an exported adapter that holds the model it belongs to."""
WEIGHTS, RESULT, STORY = "weights.safetensors", "result.json", "adaptation.json"

_KEPT = (WEIGHTS, RESULT, STORY, MODEL, "curve.jsonl", "trials.json")
"""What an adaptation consists of. Nothing else is copied, and nothing else is ever removed."""


class StoredModel(msgspec.Struct, frozen=True):
    """One adaptation in the store."""

    key: str
    model: str
    adaptation: str
    suite: str
    size: int
    used: str


class _AdaptationNotes(msgspec.Struct):
    """The parts of an adaptation's story that lists show."""

    adaptation: dict[str, object]
    suite: dict[str, object]
    model: dict[str, object]


class _TrainingTime(msgspec.Struct):
    cpu: float = 0.0


def training_cost(folder: Path) -> float:
    """CPU seconds that the adaptation in a folder took; 0 where it does not say."""
    path = folder / RESULT
    return read_json(path, type=_TrainingTime).cpu if path.is_file() else 0.0


def store_folder() -> Path:
    """Where adaptations are kept: `TASKLOOM_ADAPTATIONS`, else `adaptations` in the cache folder."""
    given = os.environ.get("TASKLOOM_ADAPTATIONS")
    return Path(given) if given else cache_folder() / "adaptations"


@contextmanager
def locked(key: str) -> Iterator[None]:
    """Keep other processes from training the same; the second one waits and finds it done."""
    from filelock import FileLock, Timeout

    folder = store_folder() / "locks"
    lock = FileLock(folder / f"{key}.lock")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock.acquire(blocking=False)
    except Timeout:
        LOGGER.warning("another process is training exactly this; waiting for it")
        lock.acquire()
    except OSError as error:
        LOGGER.warning("adaptations cannot be shared (%s): %s", folder, error.strerror)
        yield
        return
    try:
        yield
    finally:
        lock.release()


def _files(folder: Path) -> list[Path]:
    """The files of an adaptation below a folder, those of its lanes and trials included; how to open it comes last."""
    found = [path for path in folder.rglob("*") if path.name in _KEPT and path.is_file() and not path.is_symlink()]
    return sorted(found, key=lambda path: (path == folder / MODEL, str(path)))


def _share(source: Path, target: Path) -> None:
    """Give a file a second name, or copy it where the disk has no such thing."""
    target.parent.mkdir(parents=True, exist_ok=True)
    half = target.with_name(half_name(target.name))
    try:
        os.link(source, half)
    except OSError:
        shutil.copyfile(source, half)
    half.replace(target)


def share_adaptation(source: Path, target: Path) -> bool:
    """Give another folder the files of a finished adaptation; False where there is none."""
    if not (source / MODEL).is_file():
        return False
    for path in _files(source):
        _share(path, target / path.relative_to(source))
    return True


def fetch(key: str, directory: Path) -> bool:
    """Bring an adaptation from the store into a run's folder; False where the store does not have it."""
    home = store_folder() / key
    found = share_adaptation(home, directory)
    if found:
        os.utime(home / MODEL)
    return found


def keep(key: str, directory: Path) -> None:
    """Put a finished adaptation into the store. A store that cannot be written to costs nothing but the sharing."""
    home = store_folder() / key
    if not (home / MODEL).is_file():
        try:
            share_adaptation(directory, home)
        except OSError as error:
            LOGGER.warning("the adaptation is not shared (%s): %s", home, error.strerror)


def entries() -> list[StoredModel]:
    """Everything in the store, the longest unused first."""
    found: list[tuple[float, StoredModel]] = []
    home = store_folder()
    for model in home.glob(f"*/{MODEL}") if home.is_dir() else ():
        folder = model.parent
        try:
            story = read_json(folder / STORY, type=_AdaptationNotes)
        except UserError as error:
            hint = "remove the folder"
            raise UserError(f"not an adaptation: {error.message}", where=str(folder), hint=hint) from None
        used = model.stat().st_mtime
        model_name, adapted, suite = (str(part.get("name")) for part in (story.model, story.adaptation, story.suite))
        when = datetime.fromtimestamp(used, UTC).strftime("%Y-%m-%d %H:%M")
        size = sum(path.stat().st_size for path in _files(folder))
        found.append((used, StoredModel(folder.name, model_name, adapted, suite, size, when)))
    return [entry for _, entry in sorted(found, key=lambda pair: (pair[0], pair[1].key))]


def prune(bound: int) -> list[StoredModel]:
    """Remove the longest unused adaptations until the store is no larger than `bound` bytes.

    Run folders keep what they have. Only files that the store itself wrote are removed.
    """
    known = entries()
    total = sum(entry.size for entry in known)
    removed = []
    for entry in known:
        if total <= bound:
            break
        folder = store_folder() / entry.key
        with locked(entry.key):
            # How to open it goes first: half an adaptation must not look like a whole one.
            for path in reversed(_files(folder)):
                path.unlink()
            _remove_empty(folder)
        total -= entry.size
        removed.append(entry)
    return removed


def _remove_empty(folder: Path) -> None:
    for path in sorted(folder.rglob("*"), key=lambda path: -len(path.parts)):
        if path.is_file() and is_half(path.name):
            path.unlink()
        elif path.is_dir() and not any(path.iterdir()):
            path.rmdir()
    if not any(folder.iterdir()):
        folder.rmdir()
