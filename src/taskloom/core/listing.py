"""What there is, by name, with one line each: the Python side of `taskloom list`."""

from __future__ import annotations

from collections.abc import Callable

from taskloom.core.errors import unknown_name


def list_families() -> dict[str, str]:
    """Families with their titles.

    Example:
        >>> from taskloom import list_families
        >>> "babi" in list_families()
        True
    """
    from taskloom.core.catalog import FAMILIES

    return {name: family.title for name, family in FAMILIES.items()}


def list_suites(family: str | None = None) -> dict[str, str]:
    """Suites with their titles, of all families or of one.

    Example:
        >>> from taskloom import list_suites
        >>> list_suites("babi")["babi/task-1"]
        'single supporting fact: where is somebody'
    """
    from taskloom.core.catalog import FAMILIES

    if family is not None and family not in FAMILIES:
        raise unknown_name("family", family, FAMILIES.names())
    families = {family: FAMILIES.get(family)} if family else dict(FAMILIES.items())
    return {f"{name}/{suite}": spec.title for name, found in families.items() for suite, spec in found.suites().items()}


def list_models() -> dict[str, str]:
    """Models known by name, as `provider/name`; providers can open others as well (`hf/./folder`).

    Example:
        >>> from taskloom import list_models
        >>> "mock/oracle" in list_models()
        True
    """
    from taskloom.core.catalog import MODELS

    return {f"{name}/{model}": line for name, provider in MODELS.items() for model, line in provider.names().items()}


def _lister(kind: str, plural: str, title: str, sample: str) -> Callable[[], dict[str, str]]:
    """A function that lists what is registered of a kind; its docstring is an example that is run."""

    def listed() -> dict[str, str]:
        from taskloom.core.catalog import REGISTRIES

        found = {}
        for name, entry in REGISTRIES[kind].items():
            lines = (getattr(entry, "summary", "") or type(entry).__doc__ or "").strip().splitlines()
            found[name] = lines[0] if lines else ""
        return found

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
