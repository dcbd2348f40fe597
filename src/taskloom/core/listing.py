"""What there is, by name, with one line each: the Python side of `taskloom list`."""

from __future__ import annotations

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


def _described(kind: str) -> dict[str, str]:
    from taskloom.core.catalog import REGISTRIES

    found = {}
    for name, entry in REGISTRIES[kind].items():
        lines = (getattr(entry, "summary", "") or type(entry).__doc__ or "").strip().splitlines()
        found[name] = lines[0] if lines else ""
    return found


def list_scorers() -> dict[str, str]:
    """Scorers with descriptions.

    Example:
        >>> from taskloom import list_scorers
        >>> "exact" in list_scorers()
        True
    """
    return _described("scorer")


def list_readers() -> dict[str, str]:
    """Readers with descriptions.

    Example:
        >>> from taskloom import list_readers
        >>> "whole" in list_readers()
        True
    """
    return _described("reader")


def list_metrics() -> dict[str, str]:
    """Metrics with descriptions.

    Example:
        >>> from taskloom import list_metrics
        >>> "mean" in list_metrics()
        True
    """
    return _described("metric")


def list_encodings() -> dict[str, str]:
    """Encodings with descriptions.

    Example:
        >>> from taskloom import list_encodings
        >>> "plain" in list_encodings()
        True
    """
    return _described("encoding")


def list_adaptations() -> dict[str, str]:
    """Adaptations with descriptions.

    Example:
        >>> from taskloom import list_adaptations
        >>> "finetune" in list_adaptations()
        True
    """
    return _described("adaptation")


def list_studies() -> dict[str, str]:
    """Studies with the questions they answer.

    Example:
        >>> from taskloom import list_studies
        >>> "babi/tables" in list_studies()
        True
    """
    return _described("study")


def list_atoms() -> dict[str, str]:
    """Atoms of expressions with how one speaks of them; properties of knowledge graphs are not listed.

    Example:
        >>> from taskloom import list_atoms
        >>> "synonyms" in list_atoms()
        True
    """
    return _described("atom")


def list_operators() -> dict[str, str]:
    """Operators of expressions with what they give.

    Example:
        >>> from taskloom import list_operators
        >>> "union" in list_operators()
        True
    """
    return _described("operator")


def list_kinds() -> dict[str, str]:
    """Kinds of answers with samples.

    Example:
        >>> from taskloom import list_kinds
        >>> "number" in list_kinds()
        True
    """
    return _described("kind")
