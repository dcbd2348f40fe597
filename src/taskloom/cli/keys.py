"""Find the options of anything that has some, by its name: `taskloom list options NAME`."""

from __future__ import annotations

from taskloom.core import Recipe, unknown_name
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


def find_recipe(name: str) -> tuple[str, Recipe]:
    """What sets the options on the command line (`-T`, `-M` …), and the recipe with their defaults.

    Raises:
        UserError: Nothing of that name has options; the nearest name that has is given.
    """
    if name == "generation":
        from taskloom.core.model import Generation

        return "-D", Generation()
    if name == "probe":
        from taskloom.studies.frontier.search import SearchSettings

        return "-P", SearchSettings()
    if name == "pretrain":
        from taskloom.models.tiny.pretrain import Pretraining

        return "-T", Pretraining()
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
    if rest and head in MODELS:
        return "-M", MODELS.get(head).options(rest)
    known = ["generation", "pretrain", "probe", *ADAPTATIONS, *SCORERS, *READERS, *METRICS, *STUDIES, *ENCODINGS]
    known += [*list_suites(), *list_models()]
    raise unknown_name("name with options", name, known, hint="taskloom list suites, models, adaptations, encodings …")
