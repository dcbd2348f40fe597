"""Find the options of anything that has some, by its name: `taskloom list options NAME`."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path

from taskloom.core import Recipe, UserError, unknown_name
from taskloom.core.catalog import (
    ADAPTATIONS,
    ENCODINGS,
    FAMILIES,
    METRICS,
    MODELS,
    READERS,
    SCORERS,
    STUDIES,
    list_models,
    list_suites,
)
from taskloom.core.model import provided

_SETTINGS = {
    "cure": "-C taskloom.studies.frontier.cure CureSettings",
    "generation": "-D taskloom.core.model Generation",
    "pretrain": "-T taskloom.models.tiny.pretrain Pretraining",
    "probe": "-P taskloom.studies.frontier.search SearchSettings",
}
"""What is no plug-in and has options."""


def find_recipe(name: str) -> tuple[str, Recipe]:
    """What sets the options on the command line (`-T`, `-M` …), and the recipe with their defaults.

    Raises:
        UserError: Nothing of that name has options; the nearest name that has is given.
    """
    if name in _SETTINGS:
        letter, module, kind = _SETTINGS[name].split()
        return letter, getattr(import_module(module), kind)()
    if name in ADAPTATIONS:
        return "-A", ADAPTATIONS.get(name)
    if name in SCORERS:
        return "-S", SCORERS.get(name)
    for registry, flag in ((READERS, "reader"), (METRICS, "metric")):
        if name in registry:
            return flag, registry.get(name)
    if name in STUDIES:
        return "-T", STUDIES.get(name).recipe
    head, _, rest = name.partition("/")
    if rest and head in FAMILIES and (rest in FAMILIES.get(head).suites() or name not in ENCODINGS):
        return "-T", FAMILIES.get(head).spec(rest).recipe
    if name in ENCODINGS:
        return "-E", ENCODINGS.get(name)
    provider, _, model = (name if rest else provided(name)).partition("/")
    if model and provider in MODELS:
        return "-M", MODELS.get(provider).options(model)
    if name in FAMILIES:
        suite = f"{name}/{next(iter(FAMILIES.get(name).suites()), 'SUITE')}"
        raise UserError(f"{name!r} names a family; options are those of a suite", hint=f"taskloom list options {suite}")
    if Path(name).exists():
        raise UserError(f"{name} is a file or folder", hint=f"taskloom show {name} --recipe prints what -T sets of it")
    known = [*_SETTINGS, *ADAPTATIONS, *SCORERS, *READERS, *METRICS, *STUDIES]
    owners = [*known, "api/NAME", *list_suites()]
    if holding := [owner for owner in owners if name in find_recipe(owner)[1].__struct_fields__]:
        hint = f"taskloom list options {holding[0]}"
        raise UserError(f"{name!r} is a key of {', '.join(holding[:3])}{' …' * (len(holding) > 3)}", hint=hint)
    known += [*ENCODINGS, *list_suites(), *list_models()]
    raise unknown_name("name with options", name, known, hint="taskloom list suites, models, adaptations, encodings …")
