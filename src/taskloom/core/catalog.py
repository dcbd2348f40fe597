"""Every registry of the house. What Taskloom brings along is listed by the rooms themselves, in `records.toml`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

from taskloom.core.calls import explained
from taskloom.core.errors import NamedValues, UserError, unknown_name
from taskloom.core.kind import KINDS, Kind
from taskloom.core.registry import ROOM_RECORDS, Registry

if TYPE_CHECKING:
    from taskloom.core.adaptation import Adaptation
    from taskloom.core.cells import Cell, Lattice
    from taskloom.core.encoding import Encoding
    from taskloom.core.family import Family, Opener
    from taskloom.core.metric import Metric
    from taskloom.core.model import Provider
    from taskloom.core.reader import Reader
    from taskloom.core.scorer import Scorer
    from taskloom.core.study import Study
    from taskloom.core.suite import Suite


FAMILIES: Registry[Family] = Registry("family", ROOM_RECORDS["family"])
OPENERS: Registry[Opener] = Registry("opener", ROOM_RECORDS["opener"])
COMPOSERS: Registry[Callable[..., Suite]] = Registry("composer", ROOM_RECORDS["composer"])
"""What makes suites of objects of a room that `core` does not know."""
SCORERS: Registry[Scorer] = Registry("scorer", ROOM_RECORDS["scorer"])
READERS: Registry[Reader] = Registry("reader", ROOM_RECORDS["reader"])
METRICS: Registry[Metric] = Registry("metric", ROOM_RECORDS["metric"])
ENCODINGS: Registry[Encoding] = Registry("encoding", ROOM_RECORDS["encoding"])
MODELS: Registry[Provider] = Registry("model", ROOM_RECORDS["model"])
ADAPTATIONS: Registry[Adaptation] = Registry("adaptation", ROOM_RECORDS["adaptation"])
STUDIES: Registry[Study[Any]] = Registry("study", ROOM_RECORDS["study"])
OPERATORS: Registry[object] = Registry("operator", ROOM_RECORDS["operator"])
"""What expressions are made of (`taskloom.algebra.Operator`)."""
ATOMS: Registry[object] = Registry("atom", ROOM_RECORDS["atom"])
"""What operators are applied to (`taskloom.sources.atoms.AtomRecord`)."""

REGISTRIES = {
    registry.kind: registry
    for registry in (
        FAMILIES, OPENERS, COMPOSERS, KINDS, SCORERS, READERS, METRICS, ENCODINGS, MODELS, ADAPTATIONS, STUDIES,
        OPERATORS, ATOMS,
    )
}  # fmt: skip


@explained
def register(name: str, value: Any) -> None:
    """Register an object in this process under `kind.name`, as an entry point of a package would.

    Example:
        >>> from taskloom import Score, Scorer, register
        >>> class Shouted(Scorer, frozen=True):
        ...     name = "shouted"
        ...
        ...     def score(self, answer, targets, task):
        ...         return Score(float(answer.isupper()))
        >>> register("scorer.shouted", Shouted())
    """
    kind, _, rest = name.partition(".")
    if kind in REGISTRIES and not rest:
        raise UserError(f"a name of its own is missing after {kind!r}", hint=f'register("{kind}.mine", …)')
    if kind not in REGISTRIES:
        raise unknown_name("kind", kind, REGISTRIES, hint='register("scorer.mine", Mine())')
    named = {"model": "Provider", "reader": ""}.get(kind, kind.capitalize())
    base: Any = getattr(import_module("taskloom"), named, object)
    fits = isinstance(value, base) and not isinstance(value, type)
    if not fits:
        made = f'class Mine(taskloom.{base.__name__}): …\n  register("{name}", Mine())' if base is not object else None
        raise UserError(f"{value!r} is no {kind}: it has to be an object of a class of your own", hint=made)
    own = getattr(value, "name", rest)
    if kind in ("atom", "kind", "operator") and own != rest:
        raise UserError(f"this {kind} is called {own!r}, not {rest!r}", hint=f'register("{kind}.{own}", …)')
    if isinstance(value, Kind):
        value.prove()
    REGISTRIES[kind].register(rest, value)


def probed_suite(name: str) -> str:
    """The suite that a probe means by a name: of a family alone, the one that stands for it."""
    family = FAMILIES.get(name) if name in FAMILIES else None
    return f"{name}/{family.probed}" if family is not None and family.probed else name


def lattice_of(suite: Suite) -> Lattice:
    """The lattice of a suite.

    Raises:
        UserError: It has none.
    """
    if "only_task" in suite.recipe:
        hint = f"taskloom probe {suite.name}"
        raise UserError("combinations are those of a whole suite, not of one task", where=suite.name, hint=hint)
    if suite.lattice is not None:
        found = suite.lattice(suite)
    elif suite.family not in FAMILIES:
        from taskloom.core.sampled import StoredLattice

        found = StoredLattice(suite)
    else:
        found = FAMILIES.get(suite.family).lattice(suite)
    if suite.family in FAMILIES and not found.glossary:
        words = FAMILIES.get(suite.family).glossary
        found.glossary = {**words.get("questions", {}), **words.get("atoms", {})}
    return found


def combinations_of(suite: Suite) -> Sequence[Cell]:
    """The cells of the lattice of a suite; none where it has no lattice."""
    try:
        return lattice_of(suite).cells
    except UserError:
        return ()


@explained
def list_families() -> dict[str, str]:
    """Families with their titles.

    Example:
        >>> from taskloom import list_families
        >>> "babi" in list_families()
        True
    """
    return NamedValues("family", {name: family.title for name, family in FAMILIES.items()})


@explained
def list_suites(family: str | None = None) -> dict[str, str]:
    """Suites with their titles, of all families or of one.

    Example:
        >>> from taskloom import list_suites
        >>> list_suites("babi")["babi/task-1"]
        'single supporting fact: where is somebody'
    """
    if family is not None and family not in FAMILIES:
        raise unknown_name("family", family, FAMILIES.described())
    families = {family: FAMILIES.get(family)} if family else dict(FAMILIES.items())
    suites = ((name, suite, spec.title) for name, found in families.items() for suite, spec in found.suites().items())
    return NamedValues("suite", {f"{name}/{suite}": title for name, suite, title in suites})


@explained
def list_models() -> dict[str, str]:
    """Models known by name, as `provider/name`; providers can open others as well (`hf/./folder`).

    Example:
        >>> from taskloom import list_models
        >>> "mock/oracle" in list_models()
        True
    """
    models = ((name, model, line) for name, provider in MODELS.items() for model, line in provider.names().items())
    return NamedValues("model", {f"{name}/{model}": line for name, model, line in models})


def _lister(kind: str, plural: str, title: str, sample: str) -> Callable[[], dict[str, str]]:
    """A function that lists what is registered of a kind; its docstring is an example that is run."""

    def listed() -> dict[str, str]:

        return NamedValues(kind, REGISTRIES[kind].described())

    name = listed.__name__ = listed.__qualname__ = f"list_{plural}"
    listed.__doc__ = (
        f'{title}.\n\nExample:\n    >>> from taskloom import {name}\n    >>> "{sample}" in {name}()\n    True'
    )
    return listed


list_scorers = _lister("scorer", "scorers", "Scorers with descriptions", "exact")
list_readers = _lister("reader", "readers", "Readers with descriptions", "whole")
list_metrics = _lister("metric", "metrics", "Metrics with descriptions", "mean")
list_encodings = _lister("encoding", "encodings", "Encodings with descriptions", "plain")
list_adaptations = _lister("adaptation", "adaptations", "Adaptations with descriptions", "finetune")
list_studies = _lister("study", "studies", "Studies with the questions they answer", "babi/tables")
list_atoms = _lister(
    "atom",
    "atoms",
    "Atoms of expressions with how one speaks of them; properties of knowledge graphs are not listed",
    "synonyms",
)
list_operators = _lister("operator", "operators", "Operators of expressions with what they give", "union")
list_kinds = _lister("kind", "kinds", "Kinds of answers with samples", "number")
