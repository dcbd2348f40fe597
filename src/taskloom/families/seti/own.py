"""Proof of a user's own files in the published layout: every row is checked when the suite is opened.

Rows that leak into another split, come twice, contradict each other, name an unknown verb or break the rules are
refused, or set aside with a warning: the same in every command, because nothing opens a suite another way.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from taskloom.core import Instance, UserError, input_hash
from taskloom.core.errors import QuarantineWarning
from taskloom.families.seti.published import Fault, read_split, split_files
from taskloom.families.seti.recipe import SettingRecipe
from taskloom.families.seti.settings import Setting
from taskloom.families.seti.verbs import rule_table

_NAMED = 20
_ORDER = ("test", "few", "dev", "train")
"""A leak is charged to the split that comes later here: what is tested stays, what is trained on goes."""


class OwnData(NamedTuple):
    """Files that were checked.

    Attributes:
        splits: The rows that are left, by split.
        faults: The rows that were left out, in the order of the files.
    """

    splits: dict[str, list[Instance]]
    faults: list[Fault]


def load_own(setting: Setting, recipe: SettingRecipe, name: str) -> OwnData:
    """Read and prove the files of a recipe.

    Raises:
        UserError: A file is missing, a row is at fault and faults are refused, or what is left is no such setting.
    """
    files = split_files(Path(recipe.path).expanduser())
    rows: dict[str, list[tuple[str, Instance]]] = {}
    faults: list[Fault] = []
    table = rule_table(recipe.rules, recipe.verbs)
    for split, path in files.items():
        found = list(read_split(path, table))
        faults += [entry for entry in found if isinstance(entry, Fault)]
        rows[split] = [entry for entry in found if not isinstance(entry, Fault)]
    faults += _repeated(rows)
    if recipe.split == "compositional":
        faults += _out_of_place(setting, rows)
    if faults and recipe.faults == "refuse":
        first, more = faults[0], len(faults) - 1
        rest = f" (and {more:,} more fault{'s' if more > 1 else ''})" if more else ""
        raise UserError(
            f"{first.what}{rest}",
            where=first.where,
            hint="correct the files, or leave such rows out: -T faults=quarantine",
        )
    gone = {fault.where for fault in faults}
    kept = {split: [instance for where, instance in own if where not in gone] for split, own in rows.items()}
    _check_left(setting, kept, recipe, name)
    if faults:
        warnings.warn(_summary(faults, name), QuarantineWarning, stacklevel=2)
    return OwnData(kept, faults)


def _summary(faults: list[Fault], name: str) -> str:
    kinds = ", ".join(f"{count:,} {kind}" for kind, count in sorted(Counter(fault.kind for fault in faults).items()))
    rows = f"{len(faults):,} row{'s' if len(faults) > 1 else ''}"
    return f"{name}: {rows} left out ({kinds}); the first: {faults[0].where}: {faults[0].what}"


def note(faults: list[Fault]) -> dict[str, object]:
    """What a suite says about rows that were left out."""
    return {
        "left out": len(faults),
        "by kind": dict(sorted(Counter(fault.kind for fault in faults).items())),
        "first": [f"{fault.where}: {fault.what}" for fault in faults[:_NAMED]],
    }


def _repeated(rows: dict[str, list[tuple[str, Instance]]]) -> Iterator[Fault]:
    """Rows that come twice in a split, stand in two splits, or have another label the second time."""
    seen: dict[bytes, tuple[str, str, str]] = {}
    for split in sorted(rows, key=_ORDER.index):
        for where, instance in rows[split]:
            key = input_hash(instance.input.lower())
            label = instance.targets.canonical()
            if key not in seen:
                seen[key] = (split, where, label)
                continue
            before, place, other = seen[key]
            if label != other:
                yield Fault(where, "contradiction", f"the same pair is labelled {other!r} at {place}")
            elif before != split:
                yield Fault(where, "leak", f"the same pair stands in split {before!r} at {place}")
            else:
                yield Fault(where, "duplicate", f"the same pair stands at {place}")


def _out_of_place(setting: Setting, rows: dict[str, list[tuple[str, Instance]]]) -> Iterator[Fault]:
    """Rows that the definition of the setting keeps out of their split."""
    kinds = {spec.kind for spec in setting.train}
    for split, own in rows.items():
        tested = split in ("test", "few")
        for where, instance in own:
            kind, rule = instance.facets["kind"], instance.facets["composition"]
            if tested and kind != "composition":
                yield Fault(where, "setting", f"a {kind} inference in a split of compositions")
            elif not tested and kind not in kinds:
                yield Fault(where, "setting", f"training has no {kind} inferences in this setting")
            elif setting.unseen_rules and rule is not None and (rule in setting.unseen_rules) is not tested:
                what = "is not tested" if tested else "must be unseen"
                yield Fault(where, "setting", f"rule {rule} {what} in this setting")


def _check_left(setting: Setting, rows: dict[str, list[Instance]], recipe: SettingRecipe, name: str) -> None:
    """What rows together must show: every kind of training, and no rule or verb that training lacks."""
    for split, own in rows.items():
        if not own:
            raise UserError(f"no row of split {split!r} is left", where=name)
    if recipe.split != "compositional":
        return
    learned = [instance.facets for split in ("train", "dev") for instance in rows[split]]
    missing = {spec.kind for spec in setting.train} - {str(facets["kind"]) for facets in learned}
    if missing:
        raise UserError(f"training shows no {min(missing)} inferences, which the setting needs", where=name)
    trained = {facets["verb"] for facets in learned}
    rules = {facets["composition"] for facets in learned}
    for instance in rows["test"]:
        verb, rule = instance.facets["verb"], instance.facets["composition"]
        if verb not in trained:
            raise UserError(f"the tested verb {verb!r} was never trained on", where=name)
        if not setting.unseen_rules and len(rules) > 1 and rule not in rules:
            raise UserError(f"the tested rule {rule} was never trained on", where=name)
