"""The published JSON layout, and sentence pairs with integer labels for encoder classifiers.

A record of the published data holds `sent1`, `sent2`, `verdical_label` ("yes" or "no"; the spelling is
theirs), `sick_label` (the label of the natural inference) and `label`. Files are a JSON list or one
record per line; both are read, a list is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import msgspec

from taskloom.core import Facet, Instance, Row, Suite, UserError
from taskloom.families.seti.rows import ENTAILMENT, LABELS, NOT_ENTAILMENT, word_instance
from taskloom.families.seti.settings import Setting, composition_rule, label_of
from taskloom.families.seti.verbs import NON_VERIDICAL, VERIDICAL, is_veridical
from taskloom.sources.sentences import conjugate

__all__ = [
    "Record",
    "SentencePair",
    "check_published",
    "find_verb",
    "published_rows",
    "read_records",
    "sentence_pairs",
    "to_record",
    "write_records",
]

_ENTAILED = frozenset({"entailment", "yes", "true", "1"})
_NOT_ENTAILED = frozenset(
    {"not-entailment", "not_entailment", "non-entailment", "non_entailment", "neutral", "contradiction"}
    | {"unknown", "no", "false", "0"}
)


class Record(msgspec.Struct, omit_defaults=True):
    """One line of the published data. An empty label means that the constituent is not there."""

    sent1: str
    sent2: str
    label: str | int
    verdical_label: str = ""
    sick_label: str = ""


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


def to_record(instance: Instance) -> Record:
    """An instance in the published layout."""
    facets = instance.facets
    veridical, natural = facets.get("veridical"), facets.get("natural_entailed")
    return Record(
        sent1=instance.parts["premise"],
        sent2=instance.parts["hypothesis"],
        label=instance.targets.canonical(),
        verdical_label="" if veridical is None else "yes" if veridical else "no",
        sick_label="" if natural is None else ENTAILMENT if natural else NOT_ENTAILMENT,
    )


def write_records(rows: Iterable[Row], path: Path) -> int:
    """Write rows as a JSON list, one record per line; returns how many."""
    count = 0
    with path.open("wb") as file:
        file.write(b"[")
        for _, instance in rows:
            file.write(b",\n" if count else b"\n")
            file.write(msgspec.json.encode(to_record(instance)))
            count += 1
        file.write(b"\n]\n")
    return count


def read_records(path: Path) -> list[Record]:
    """Read a JSON list or JSON lines.

    Raises:
        UserError: The file is missing, or a record lacks a field (with its place).
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", where=str(path)) from None
    try:
        if data.lstrip()[:1] == b"[":
            return msgspec.json.decode(data, type=list[Record])
    except msgspec.DecodeError as error:
        raise UserError(str(error), where=str(path)) from None
    records = []
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            try:
                records.append(msgspec.json.decode(line, type=Record))
            except msgspec.DecodeError as error:
                raise UserError(str(error), where=f"{path}: line {number}") from None
    return records


def _truth(value: str | int, where: str) -> bool:
    word = str(value).strip().lower()
    if word in _ENTAILED:
        return True
    if word in _NOT_ENTAILED:
        return False
    raise UserError(f"{value!r} is no label", where=where, hint=f"labels are {' and '.join(LABELS)}")


def find_verb(sentence: str) -> str | None:
    """The embedding verb of a premise ("Someone realizes that …"), or None for a plain sentence."""
    for word in sentence.split()[1:4]:
        verb = _verb_forms().get(word.lower())
        if verb is not None:
            return verb
    return None


@cache
def _verb_forms() -> dict[str, str]:
    """Every form of every embedding verb that can stand in a premise."""
    return {form: verb for verb in (*VERIDICAL, *NON_VERIDICAL) for form in conjugate(verb)[:4]}


def _from_record(record: Record, number: int, where: str) -> Instance:
    veridical = _truth(record.verdical_label, where) if record.verdical_label else None
    natural = _truth(record.sick_label, where) if record.sick_label else None
    kind = "natural" if veridical is None else "veridical" if natural is None else "composition"
    holds = _truth(record.label, where)
    composed = kind == "composition"
    facets: dict[str, Facet] = {
        "kind": kind,
        "label": ENTAILMENT if holds else NOT_ENTAILMENT,
        "verb": None if kind == "natural" else find_verb(record.sent1),
        "veridical": veridical,
        "natural": None,
        "natural_entailed": natural,
        "relation": None,
        "rule": None,
        "position": None,
        "form": None,
        "composition": composition_rule(bool(veridical), bool(natural)) if composed else None,
        "depth": 0 if kind == "natural" else 1,
        "negated": False,
    }
    return word_instance(f"{kind}-{number}", record.sent1.strip(), record.sent2.strip(), holds, facets)


def published_rows(folder: str, split: str) -> Iterator[Instance]:
    """The instances of FOLDER/SPLIT.json; a composition whose label breaks Table 3 is an error.

    Raises:
        UserError: The file is missing or a record is wrong.
    """
    path = Path(folder) / f"{split}.json"
    for number, record in enumerate(read_records(path)):
        instance = _from_record(record, number, f"{path}: record {number + 1}")
        facets = instance.facets
        if facets["kind"] == "composition":
            veridical, natural = bool(facets["veridical"]), bool(facets["natural_entailed"])
            if label_of("composition", veridical, natural) != (facets["label"] == ENTAILMENT):
                raise UserError(
                    f"label {record.label!r} does not follow from verdical_label {record.verdical_label!r} "
                    f"and sick_label {record.sick_label!r}",
                    where=f"{path}: record {number + 1}",
                )
            verb = facets["verb"]
            if isinstance(verb, str) and is_veridical(verb) != veridical:
                raise UserError(
                    f"verdical_label {record.verdical_label!r} does not fit the verb {verb!r}",
                    where=f"{path}: record {number + 1}",
                )
        yield instance


def check_published(setting: Setting, folder: str, where: str) -> None:
    """Hold files in the published layout against the definition of a setting (compositional splits).

    Raises:
        UserError: The test holds something else than compositions, or a rule was seen that must not be.
    """
    learned = [instance.facets for split in ("train", "dev") for instance in published_rows(folder, split)]
    tested = [instance.facets for instance in published_rows(folder, "test")]
    kinds = {spec.kind for spec in setting.train}
    rules = {facets["composition"] for facets in tested}
    known = {facets["composition"] for facets in learned if facets["kind"] == "composition"}
    breaches = {
        "only compositions are tested": {facets["kind"] for facets in tested} != {"composition"},
        f"training consists of {' and '.join(sorted(kinds))} inferences": {f["kind"] for f in learned} != kinds,
        "a rule that must be unseen was trained on": bool(setting.unseen_rules) and bool(rules & known),
        "a tested composition rule was never trained on": not setting.unseen_rules
        and "composition" in kinds
        and not rules <= known,
    }
    for sentence, broken in breaches.items():
        if broken:
            raise UserError(f"the files break the definition of the setting: {sentence}", where=where)
