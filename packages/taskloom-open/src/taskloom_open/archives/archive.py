"""Reading members of wheels, npm tarballs and Debian packages in memory; nothing is unpacked to disk."""

from __future__ import annotations

import io
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

from taskloom.core import UserError

_LARGEST = 96 << 20
_MOST_MEMBERS = 200_000


class Archive:
    """The members of an archive by name.

    Args:
        path: A `.whl` or `.zip`, a `.tgz`, or a `.deb`.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._zip: zipfile.ZipFile | None = None
        self._tar: tarfile.TarFile | None = None
        try:
            if path.suffix in (".whl", ".zip"):
                self._zip = zipfile.ZipFile(path)
                self.sizes = {member.filename: member.file_size for member in self._zip.infolist()}
            else:
                data = _data_of_deb(path) if path.suffix == ".deb" else path.read_bytes()
                self._tar = tarfile.open(fileobj=io.BytesIO(data))  # noqa: SIM115  (kept open as long as the archive)
                self.sizes = {member.name.removeprefix("./"): member.size for member in self._tar if member.isfile()}
        except (OSError, zipfile.BadZipFile, tarfile.TarError, EOFError, ValueError) as error:
            raise UserError(f"the archive cannot be read: {error}", where=str(path)) from None
        if len(self.sizes) > _MOST_MEMBERS:
            raise UserError(f"{len(self.sizes):,} members is too many", where=str(path))

    def names(self, prefix: str = "", suffix: str = "") -> list[str]:
        """Names of members, sorted."""
        return sorted(name for name in self.sizes if name.startswith(prefix) and name.endswith(suffix))

    def read(self, name: str) -> bytes:
        """The bytes of a member.

        Raises:
            UserError: No such member, or a size that no text of ours has.
        """
        where = f"{self.path}: {name}"
        if name not in self.sizes:
            raise UserError("no such member", where=where)
        if self.sizes[name] > _LARGEST:
            raise UserError(f"{self.sizes[name]:,} bytes is too many", where=where)
        try:
            if self._zip is not None:
                return self._zip.read(name)
            assert self._tar is not None
            held = self._tar.extractfile(self._member(name))
            return held.read() if held is not None else b""
        except (OSError, zipfile.BadZipFile, tarfile.TarError, EOFError, ValueError) as error:
            raise UserError(f"the member cannot be read: {error}", where=where) from None

    def _member(self, name: str) -> tarfile.TarInfo:
        assert self._tar is not None
        try:
            return self._tar.getmember(name)
        except KeyError:
            return self._tar.getmember(f"./{name}")

    def text(self, name: str) -> str:
        """A member as UTF-8 text; bytes that are none are replaced."""
        return self.read(name).decode("utf-8", "replace")

    def __iter__(self) -> Iterator[str]:
        return iter(self.names())


def _data_of_deb(path: Path) -> bytes:
    """The `data.tar` of a Debian package, an `ar` archive of three members."""
    raw = path.read_bytes()
    if not raw.startswith(b"!<arch>\n"):
        raise ValueError("not a Debian package")
    place = 8
    while place + 60 <= len(raw):
        name, size = raw[place : place + 16].decode("ascii", "replace").strip(), int(raw[place + 48 : place + 58])
        body = raw[place + 60 : place + 60 + size]
        if name.rstrip("/").startswith("data.tar"):
            return body
        place += 60 + size + size % 2
    raise ValueError("the package holds no data")


def open_archive(path: str | Path) -> Archive:
    """Open an archive by its suffix."""
    return Archive(Path(path))
