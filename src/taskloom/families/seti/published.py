"""The published JSON layout: written and read, with proof of a user's own files.

A record of the published data holds `sent1`, `sent2`, `verdical_label` ("yes" or "no"; the spelling is
theirs), `sick_label` (the label of the natural inference) and `label`. Files are a JSON list or one
record per line; both are read, a list is written. Every row of a user's files is checked when the suite is opened: rows
that leak into another split, come twice, contradict each other, name an unknown verb or break the rules are refused,
or set aside with a warning.
"""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from taskloom.core import Facet, Instance, Row, Suite, UserError, input_hash
from taskloom.core.decode import decode_json, read_bytes, read_jsonl
from taskloom.core.display import counted
from taskloom.core.errors import QuarantineWarning
from taskloom.core.folders import not_here
from taskloom.families.seti.rows import ENTAILMENT, FACETS, LABELS, NOT_ENTAILMENT, word_instance
from taskloom.families.seti.settings import Kind, Setting, SettingRecipe, composition_rule, label_of
from taskloom.families.seti.verbs import ClauseVerb, RuleTable, rule_table, soft_label
from taskloom.sources.sentences.words import conjugate

_ENTAILED = frozenset({"entailment", "yes", "true", "1"})
_NOT_ENTAILED = frozenset(
    {"not-entailment", "not_entailment", "non-entailment", "non_entailment", "neutral", "contradiction"}
    | {"unknown", "no", "false", "0"}
)


class PublishedRecord(msgspec.Struct, omit_defaults=True):
    """One line of the published data. An empty label means that the constituent is not there."""

    sent1: str
    sent2: str
    label: str | int
    verdical_label: str = ""
    sick_label: str = ""


class Fault(NamedTuple):
    """A row that cannot stay: its place, a short name of what is wrong, and the sentence that says it."""

    where: str
    kind: str
    what: str


class SentencePair(NamedTuple):
    """What an encoder reads: two texts and the index of the label in `task.labels`."""

    premise: str
    hypothesis: str
    label: int


def sentence_pairs(suite: Suite, split: str) -> Iterator[SentencePair]:
    """The rows of a split as premise, hypothesis and integer label (0 entailment, 1 not-entailment)."""
    for task, instance in suite.rows(split):
        labels = suite.tasks[task].labels
        parts = instance.parts
        yield SentencePair(parts["premise"], parts["hypothesis"], labels.index(instance.targets.canonical()))


def to_record(instance: Instance) -> PublishedRecord:
    """An instance in the published layout."""
    facets = instance.facets
    veridical, natural = facets.get("veridical"), facets.get("natural_entailed")
    return PublishedRecord(
        sent1=instance.parts["premise"],
        sent2=instance.parts["hypothesis"],
        label=instance.targets.canonical(),
        verdical_label="" if veridical is None else "yes" if veridical else "no",
        sick_label="" if natural is None else ENTAILMENT if natural else NOT_ENTAILMENT,
    )


def write_records(rows: Iterable[Row], path: str | Path) -> int:
    """Write rows as a JSON list, one record per line; returns how many."""
    count = 0
    with Path(path).open("wb") as file:
        file.write(b"[")
        for _, instance in rows:
            file.write(b",\n" if count else b"\n")
            file.write(msgspec.json.encode(to_record(instance)))
            count += 1
        file.write(b"\n]\n")
    return count


def read_records(path: str | Path) -> list[PublishedRecord]:
    """Read a JSON list or JSON lines.

    Raises:
        UserError: The file is missing, or a record lacks a field (with its place).
    """
    data = read_bytes(path)
    if data.lstrip()[:1] == b"[":
        return decode_json(data, where=path, type=list[PublishedRecord])
    return [record for _, record in read_jsonl(path, type=PublishedRecord)]


_SPLITS = ("train", "dev", "test")


def split_files(folder: Path) -> dict[str, Path]:
    """The file of every split: SPLIT.json, or one file that ends in -SPLIT.json, as `taskloom export` names them.

    Raises:
        UserError: A split has no file, or several.
    """
    if not folder.is_dir():
        raise not_here(folder, "folder", "a folder with train.json, dev.json and test.json")
    found = {}
    for split in (*_SPLITS, "few"):
        files = [folder / f"{split}.json"] if (folder / f"{split}.json").is_file() else []
        files = files or sorted(folder.glob(f"*-{split}.json"))
        if len(files) > 1:
            names = ", ".join(file.name for file in files)
            raise UserError(
                f"several files for split {split!r}: {names}", where=str(folder), hint="one suite per folder"
            )
        if files:
            found[split] = files[0]
        elif split != "few":
            raise UserError(
                f"neither {split}.json nor a file that ends in -{split}.json was found here", where=str(folder)
            )
    return found


def _truth(value: str | int) -> bool | None:
    word = str(value).strip().lower()
    if word in _ENTAILED:
        return True
    return False if word in _NOT_ENTAILED else None


def find_verb(sentence: str, table: RuleTable | None = None) -> ClauseVerb | None:
    """The embedding verb of a premise ("Someone realizes that …"), or None for a plain sentence."""
    for word in sentence.split()[1:4]:
        verb = _verb_forms(table or rule_table()).get(word.lower())
        if verb is not None:
            return verb
    return None


@cache
def _verb_forms(table: RuleTable) -> dict[str, ClauseVerb]:
    """Every form of every embedding verb that can stand in a premise."""
    return {form: verb for verb in table.both for form in conjugate(verb)[:4]}


def _from_record(record: PublishedRecord, number: int, where: str, table: RuleTable) -> Instance | Fault:
    """The instance of a record, or what is wrong with it."""
    labels = {name: getattr(record, name) for name in ("verdical_label", "sick_label", "label")}
    truth: dict[str, bool | None] = {}
    for name, value in labels.items():
        truth[name] = _truth(value) if value != "" else None
        if truth[name] is None and (value != "" or name == "label"):
            return Fault(where, "label", f"{name} {value!r} is not a label; labels are {' and '.join(LABELS)}")
    premise, hypothesis = record.sent1.strip(), record.sent2.strip()
    if not premise or not hypothesis:
        return Fault(where, "empty", "a sentence is empty")
    veridical, natural, holds = truth["verdical_label"], truth["sick_label"], bool(truth["label"])
    kind: Kind = "natural" if veridical is None else "veridical" if natural is None else "composition"
    verb = None if kind == "natural" else find_verb(premise, table)
    if kind != "natural" and verb is None:
        return Fault(where, "verb", f"the premise embeds nothing under one of the verbs: {premise!r}")
    if verb is not None and verb.veridical is not veridical:
        return Fault(where, "verb", f"verdical_label {record.verdical_label!r} does not match the verb {verb!r}")
    # A natural pair may come without its own label twice.
    if (kind != "natural" or natural is not None) and label_of(kind, veridical, natural) is not holds:
        given = " and ".join(f"{name} {labels[name]!r}" for name in ("verdical_label", "sick_label") if labels[name])
        return Fault(where, "rule", f"label {record.label!r} does not follow from {given}")
    facets: dict[str, Facet] = dict.fromkeys(FACETS)
    facets |= {
        "kind": kind,
        "label": ENTAILMENT if holds else NOT_ENTAILMENT,
        "verb": None if verb is None else str(verb),
        "veridical": veridical,
        "natural_entailed": holds if kind == "natural" else natural,
        "composition": composition_rule(bool(veridical), bool(natural)) if kind == "composition" else None,
        "depth": 0 if kind == "natural" else 1,
        "negated": False,
        "soft_label": soft_label(kind, verb or "", holds if kind == "natural" else natural),
    }
    rating = None if verb is None else verb.rating()
    facets["veridicality"] = None if rating is None else rating.mean
    return word_instance(f"{kind}-{number}", premise, hypothesis, holds, facets)


def read_split(path: str | Path, table: RuleTable | None = None) -> Iterator[tuple[str, Instance] | Fault]:
    """The instances of a file with their places, and the rows that are wrong by themselves.

    Raises:
        UserError: The file is missing or is no list of records.
    """
    for number, record in enumerate(read_records(path)):
        where = f"{path}: record {number + 1}"
        found = _from_record(record, number, where, table or rule_table())
        yield found if isinstance(found, Fault) else (where, found)


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
        rest = f" (and {counted(more, 'more fault')})" if more else ""
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
    return f"{name}: {counted(len(faults), 'row')} left out ({kinds}); the first: {faults[0].where}: {faults[0].what}"


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
