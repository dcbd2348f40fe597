"""`taskloom check FOLDER` of a plug-in package: its entry points load and keep their contracts.

The package need not be installed. Its code is executed, which is why this happens only where a person names the folder.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from taskloom.algebra import Operator
from taskloom.core import Finding, Kind, UserError
from taskloom.core.adaptation import Adaptation
from taskloom.core.catalog import REGISTRIES
from taskloom.core.decode import read_toml
from taskloom.core.encoding import Encoding
from taskloom.core.errors import nearest
from taskloom.core.family import Family, Opener
from taskloom.core.metric import Metric
from taskloom.core.model import Provider
from taskloom.core.reader import Reader
from taskloom.core.registry import GROUP
from taskloom.core.scorer import Scorer
from taskloom.core.study import Study
from taskloom.sources.atoms import AtomRecord

CONTRACTS: dict[str, type] = {
    "family": Family, "opener": Opener, "scorer": Scorer, "reader": Reader, "metric": Metric, "encoding": Encoding,
    "model": Provider, "adaptation": Adaptation, "study": Study, "kind": Kind, "operator": Operator, "atom": AtomRecord,
    "composer": FunctionType,
}  # fmt: skip
_SAID = {"family": ("title", "citation"), "study": ("summary",)}
"""What each kind has to say of itself."""


def is_package(path: Path) -> bool:
    """Whether the folder is a package that offers something to Taskloom."""
    return (path / "pyproject.toml").is_file() and bool(_entry_points(path))


def check_package(path: Path) -> Iterator[Finding]:
    """Everything that is wrong with a plug-in package."""
    file = str(path / "pyproject.toml")
    roots = [str(root.resolve()) for root in (path / "src", path) if root.is_dir()]
    sys.path[:0] = roots
    try:
        with ExitStack() as lent:
            families = []
            for name, target in _entry_points(path).items():
                kind, _, entry = name.partition(".")
                value, found = _load(kind, entry, str(target), file)
                yield from found
                if value is None:
                    continue
                # Tasks may name the package's own scorers and readers, so everything is known before suites open.
                if entry not in REGISTRIES[kind]:
                    lent.enter_context(REGISTRIES[kind].lend(entry, value))
                if isinstance(value, Family):
                    families.append(value)
            for family in families:
                yield from _check_suites(family, file)
    finally:
        sys.path[:] = [root for root in sys.path if root not in roots]


def _entry_points(path: Path) -> dict[str, Any]:
    project = read_toml(path / "pyproject.toml").get("project", {})
    points = project.get("entry-points", {}).get(GROUP, {}) if isinstance(project, dict) else {}
    return points if isinstance(points, dict) else {}


def _load(kind: str, entry: str, target: str, file: str) -> tuple[Any, list[Finding]]:
    """What an entry point names, None where it cannot be used, and what is wrong with it."""
    key = f"{kind}.{entry}"
    if kind not in REGISTRIES or not entry:
        close = nearest(kind, REGISTRIES, 1)
        fix = f"did you mean {close[0]}.{entry or 'name'}?" if close else f"kinds: {', '.join(REGISTRIES)}"
        return None, [Finding(file, key, "error", "an entry point is named kind.name", fix, "entry-point")]
    registry = REGISTRIES[kind]
    if entry in registry and registry.origin(entry) == "taskloom":
        taken = f"Taskloom has a {kind} of that name"
        return None, [Finding(file, key, "error", taken, "choose another name", "taken")]
    module, _, attribute = target.partition(":")
    try:
        value: Any = import_module(module)
        for part in attribute.split("."):
            value = getattr(value, part)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - what the package raises is its own
        said = f"{target} cannot be loaded: {type(error).__name__}: {error}"
        return None, [Finding(file, key, "error", said, code="import")]
    contract = CONTRACTS[kind]
    if not isinstance(value, contract):
        found = value.__name__ if isinstance(value, type) else type(value).__name__
        fix = (
            f"make an instance: {found}()"
            if isinstance(value, type)
            else f"derive it from taskloom.{contract.__name__}"
        )
        said = f"{target} is not a {contract.__name__} but {found}"
        return None, [Finding(file, key, "error", said, fix, "contract")]
    return value, list(_check_names(value, kind, entry, file))


def _check_names(value: Any, kind: str, entry: str, file: str) -> Iterator[Finding]:
    key = f"{kind}.{entry}"
    for attribute in _SAID.get(kind, ()):
        if not getattr(value, attribute, ""):
            yield Finding(file, key, "error", f"{attribute} is missing", f'{attribute} = "…"', "contract")
    named = getattr(value, "name", entry)
    if named != entry:
        yield Finding(file, key, "error", f"it calls itself {named!r}", f'name = "{entry}"', "name")


def _check_suites(family: Family, file: str) -> Iterator[Finding]:
    """Every suite opens and its rows are proved."""
    from taskloom.author.prove import prove_rows

    for name in family.suites():
        try:
            suite = family.open(name)
            rows = {split: list(suite.rows(split, limit=200)) for split in suite.splits}
        except UserError as error:
            yield Finding(file, f"{family.name}/{name}", "error", error.message, error.hint or "", "suite")
            continue
        yield from prove_rows(suite, rows, file=f"{family.name}/{name}")
