"""The experiments of SETI: unseen compositions against seen ones (Figure 1), and doses of missing rules (Figure 2)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import product
from math import fsum
from pathlib import Path
from typing import Any

from taskloom.core import Recipe, Suite, open_suite, track
from taskloom.core.display import counted
from taskloom.core.metric import Estimate
from taskloom.core.study import Table, Value
from taskloom.families.seti.reports import (
    NAMES,
    VerbProbe,
    accuracies,
    inference_probes,
    rule_lines,
    sample_page,
    sample_sections,
)
from taskloom.families.seti.settings import SETTINGS
from taskloom.figures import LinePlot
from taskloom.sources.sentences.sick import SPAN
from taskloom.store.ownership import write_ours
from taskloom.studies.analysis import over_seeds
from taskloom.studies.experiment import Experiment, printed
from taskloom.studies.findings import Findings, above, estimate_cells, figure_words, table_of, table_study
from taskloom.studies.frame import Frame, measure
from taskloom.studies.grid import Arm, GridRecipe

_VERB = "task3-nontrivial-verb"
_SHORTCUT = 0.9
"""The share of right answers from which a shortcut may be said to answer a setting."""
_PARTS = ("model", "setting", "veridical", "natural", "natural_entailed")


class InferenceRecipe(GridRecipe, frozen=True, kw_only=True):
    """What every study of SETI has.

    Attributes:
        settings_asked: The settings of the benchmark.
        size: How many sentence pairs: small, or paper.
        sick: The folder with SICK, whose sentence pairs the paper has; empty to generate them.
    """

    settings_asked: tuple[str, ...] = (
        "task1-trivial", "task1-nontrivial", "task2-trivial", "task2-nontrivial", "task3-trivial", _VERB,
        "task3-nontrivial-natural",
    )  # fmt: skip
    size: str = "small"
    sick: str = ""

    def arm(self, model: str, setting: str, seed: int, end: str = "", **more: Any) -> Arm:
        """A training on a setting, asked its test; `adapt_options` go to the training, the rest are factors."""
        source = {"source": "sick", "path": self.sick} if self.sick else {}
        fitted = more.pop("adapt_options", {})
        factors, options = {"model": model, "setting": setting, **more}, {"size": self.size, **source}
        return self.arm_of(model, f"seti/{setting}{end}", seed, factors, options=options, adapt_options=fitted)


class SystematicityRecipe(InferenceRecipe, frozen=True, kw_only=True):
    """Settings of `seti/systematicity`.

    Attributes:
        probed: At most this many rows for each shortcut; 0 for none of them.
    """

    probed: int = 2000


class Systematicity(Experiment, study="seti/systematicity", settings=SystematicityRecipe):
    """Each setting trained and tested by itself: on unseen compositions, and on one random mixture."""

    def grid(self, recipe: SystematicityRecipe, seed: int) -> Iterator[Arm]:
        for model, setting, data in product(recipe.models, recipe.settings_asked, recipe.replicates(seed)):
            for tested, end in (("compositional", ""), ("in distribution", "-id")):
                yield recipe.arm(model, setting, data, end, tested=tested)

    def analyse(self, frame: Frame, recipe: SystematicityRecipe) -> Findings:
        scores = measure(frame, "model", "setting", "tested")
        checks = self.checks(frame)
        shortcuts = _shortcuts(frame, recipe)
        verb = shortcuts.get((_VERB, VerbProbe.name))
        if verb is not None:
            claim = "the verb alone answers task 3 by verb, so that solving it shows no composition"
            checks.append(above(claim, verb, _SHORTCUT, source="section 5.1"))
        tables = [
            scores.table("Accuracy by setting"),
            measure(frame.where(tested="compositional"), *_PARTS).table("Which compositions"),
        ]
        if shortcuts:
            levels = {
                setting: part.guessing()
                for (setting,), part in frame.where(tested="compositional").by("setting").items()
            }
            found = [(*key, *estimate_cells(one), *levels[key[0]]) for key, one in shortcuts.items()]
            tables.append(table_of("seti/shortcuts alone", found))
        series = "{model}, {tested}" if len(recipe.models) > 1 else "{tested}"
        return Findings(
            tables=tables,
            figures=[scores.intervals(place="{setting}", series=series, **figure_words("seti/systematicity"))],
            checks=checks,
            sentences=explained(frame, shortcuts),
        )


def explained(frame: Frame, shortcuts: Mapping[tuple[Value, ...], Estimate]) -> list[str]:
    """A sentence for every model that does well on unseen compositions which a shortcut answers too."""
    said = []
    for (model, setting), part in frame.where(tested="compositional").by("model", "setting").items():
        right = part.over_seeds()
        names = [str(name) for (asked, name), one in shortcuts.items() if asked == setting and one.low > _SHORTCUT]
        if names and right.low > _SHORTCUT:
            said.append(
                f"{model} answers {right.value:.3f} of the unseen compositions of {setting}, but so do shortcuts "
                f"({'; '.join(names)}): that shows no composition."
            )
    return said


def _shortcuts(frame: Frame, recipe: SystematicityRecipe) -> dict[tuple[Value, ...], Estimate]:
    """The accuracy of every shortcut on unseen compositions, by setting, over seeds."""
    if not recipe.probed:
        return {}
    found: dict[tuple[Value, ...], list[float]] = {}
    asked = {(arm.factors["setting"], arm.seed): arm for arm in frame.where(tested="compositional").arms()}
    for (setting, _), arm in asked.items():
        suite = open_suite(arm.suite, seed=arm.seed, options=arm.options)
        for probe, value in accuracies(suite, inference_probes(), most=recipe.probed).items():
            found.setdefault((setting, probe), []).append(value)
    return {key: over_seeds(values, recipe.probed) for key, values in found.items()}


class FewShotRecipe(InferenceRecipe, frozen=True, kw_only=True):
    """Settings of `seti/few-shot`.

    Attributes:
        doses: Compositions that are added to the training data.
    """

    settings_asked: tuple[str, ...] = ("task1-nontrivial", "task2-nontrivial", "task3-nontrivial-natural")
    doses: tuple[int, ...] = (0, 1, 2, 4, 8, 16, 32, 64, 128)


class FewShot(Experiment, study="seti/few-shot", settings=FewShotRecipe):
    """Trained with a dose of the compositions that the setting holds back."""

    def grid(self, recipe: FewShotRecipe, seed: int) -> Iterator[Arm]:
        for model, setting, data in product(recipe.models, recipe.settings_asked, recipe.replicates(seed)):
            for dose in recipe.doses:
                added = {"split": "train+few", "dose": dose} if dose else {}
                yield recipe.arm(model, setting, data, dose=dose, adapt_options=added)

    def analyse(self, frame: Frame, recipe: FewShotRecipe) -> Findings:
        unseen = {
            setting: max(int(one.facets.get("unseen_rules") or 0) for one in part)
            for (setting,), part in frame.by("setting").items()
        }
        rules = {setting: counted(count, "rule") for setting, count in unseen.items()}
        computed = {"unseen rules": lambda one: unseen[one.value("setting")], "dose": lambda one: one.value("dose")}
        scores = measure(frame, "model", "setting", computed=computed).nested(dose=int)
        called = scores.named(setting={setting: f"{setting}: {rules[setting]} unseen" for setting in unseen})
        lines = called.lines("dose", "{setting}, {model}" if len(recipe.models) > 1 else "{setting}")
        most = max(frame.values("dose"), key=lambda dose: int(str(dose)))
        return Findings(
            tables=[scores.table("Accuracy by dose")],
            figures=[LinePlot(lines=tuple(lines), **figure_words("seti/doses"))],
            checks=self.checks(frame, most=most) if most else [],
            sentences=[f"{setting} holds back {said}." for setting, said in rules.items()],
        )


SYSTEMATICITY, FEW_SHOT = Systematicity(), FewShot()


EXTENSIONS = (
    "negation", "negation-nontrivial", "quantifiers", "quantifiers-nontrivial", "factivity", "productivity",
)  # fmt: skip
Sizes = dict[str, Counter[str]]
"""How many instances of each kind every split has."""


def _published() -> dict[str, tuple[list[tuple[str, int, int]], int]]:
    """Table 5 of the paper: per setting the rows (kind, train, dev) and the size of the test."""
    found: dict[str, tuple[list[tuple[str, int, int]], int]] = {}
    for setting, kind, train, dev, test in printed("seti", "table-5").rows:
        # The test of a setting stands in its first row.
        rows, _ = found.setdefault(str(setting), ([], int(str(test or 0))))
        rows.append((str(kind), int(str(train)), int(str(dev))))
    return found


PAPER = _published()


class SetiTablesRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `seti/tables`.

    Attributes:
        size: Sentence pairs of each kind per setting; 0 takes the sizes of Table 5.
        sick: The folder with SICK; without it the columns of SICK stay empty.
        span: How many words a lexical pair of SICK may replace at one place.
        shortcut_pairs: Sentence pairs of each kind per setting for the shortcut scores.
        fresh_pairs: Sentence pairs of each kind and label for the scores on natural pairs alone.
        seeds: How many seeds the shortcut scores are averaged over.
    """

    size: int = 0
    sick: str = ""
    span: int = SPAN
    shortcut_pairs: int = 400
    fresh_pairs: int = 2000
    seeds: int = 3

    def open(self, setting: str, seed: int, *, sick: bool = False) -> Suite:
        """A setting at the size of its table."""
        options: dict[str, Any] = {"size": "paper", "few": 0}
        if self.size:
            options |= {"lexical": self.size, "structural": self.size}
        if sick:
            options |= {"source": "sick", "path": self.sick, "span": self.span}
        return open_suite(f"seti/{setting}", seed=seed, options=options)


def _sizes(suite: Suite) -> Sizes:
    return {split: Counter(str(row.instance.facets["kind"]) for row in suite.rows(split)) for split in suite.splits}


def _explain(setting: str, kind: str, paper: tuple[int, int], made: Sizes, sick: Sizes | None, pairs: int) -> str:
    """Why a row differs from the paper's, in words."""
    reasons = []
    ours = (made["train"][kind], made["dev"][kind])
    if ours != paper:
        exchanged = setting == "task3-nontrivial-natural" and sorted((ours, paper)) == [(600, 150), (603, 151)]
        reasons.append(_WHY["exchanged" if exchanged else "asked"])
    if sick is not None and (sick["train"][kind], sick["dev"][kind]) != paper:
        reasons.append(_WHY["sick"].format(pairs=pairs))
        if setting == "task3-nontrivial-verb" or kind == "veridical":
            reasons.append(_WHY["once"])
    return "; ".join(reasons) or "none"


_WHY: dict[str, str] = dict(printed("seti", "differences").pairs())
"""Why our counts differ from the paper's."""


def _pairs_used(suite: Suite) -> int:
    """How many different natural pairs the test of a suite is built from."""
    parts = (row.instance.parts for row in suite.rows("test"))
    return len({(part["premise"].partition(" that ")[2], part["hypothesis"]) for part in parts})


def size_table(recipe: SetiTablesRecipe, seed: int) -> Table:
    """Table 5 with the paper's numbers beside ours."""
    rows: list[tuple[Value, ...]] = []
    for setting, (parts, tested) in track(PAPER.items(), "counting", len(PAPER)):
        made = _sizes(recipe.open(setting, seed))
        corpus = recipe.open(setting, seed, sick=True) if recipe.sick else None
        sick, pairs = (_sizes(corpus), _pairs_used(corpus)) if corpus else (None, 0)
        for index, (kind, train, dev) in enumerate(parts):
            counts: list[Value] = [train, dev, None if index else tested]
            for own in (made, sick):
                counts += [None] * 3 if own is None else [own["train"][kind], own["dev"][kind], None]
                if own is not None and not index:
                    counts[-1] = own["test"].total()
            rows.append((setting, kind, *counts, _explain(setting, kind, (train, dev), made, sick, pairs)))
    splits = [f"{who} {split}" for who in ("paper", "made", "SICK") for split in ("train", "dev", "test")]
    return table_of("seti/sizes", rows, splits=splits)


def mixed_table(recipe: SetiTablesRecipe, seed: int) -> Table:
    """The in-distribution half of Table 5."""
    rows: list[tuple[Value, ...]] = []
    for setting, (parts, tested) in PAPER.items():
        made = {split: counts.total() for split, counts in _sizes(recipe.open(f"{setting}-id", seed)).items()}
        paper = (sum(train for _, train, _ in parts), sum(dev for _, _, dev in parts), tested)
        rows.append((setting, *paper, made["train"], made["dev"], made["test"]))
    splits = [f"{who} {split}" for who in ("paper", "made") for split in ("train", "dev", "test")]
    return table_of("seti/mixed sizes", rows, splits=splits)


def corpus_table(folder: str) -> Table:
    """What the extraction finds in SICK, by how much a pair may change."""
    from taskloom.sources.sentences.sick import extract_pairs, read_sick

    corpus = read_sick(folder)
    kinds: dict[str, tuple[int, str, dict[str, Any]]] = {
        "lexical, one word": (754, "lexical", {"span": 1}),
        "lexical, up to 2 words": (754, "lexical", {"span": 2}),
        "lexical, up to 3 words": (754, "lexical", {"span": 3}),
        "structural": (300, "structural", {"strict": False}),
        "structural, strict_voice": (300, "structural", {"strict": True}),
    }
    rows: list[tuple[Value, ...]] = []
    for name, (paper, natural, options) in kinds.items():
        found = Counter(pair.entailed for pair in extract_pairs(corpus, **options) if pair.natural == natural)
        rows.append((name, paper, paper, found[True], found[False], _WHY[name]))
    return table_of("seti/corpus", rows, size=len(corpus))


def shortcut_table(recipe: SetiTablesRecipe, seed: int) -> Table:
    """What each shortcut scores on each suite, averaged over seeds."""
    names = [f"{name}{end}" for name in SETTINGS for end in ("", "-id")] + list(EXTENSIONS)
    rows: list[tuple[Value, ...]] = []
    probes: tuple[str, ...] = ()
    small = {"lexical": recipe.shortcut_pairs, "structural": recipe.shortcut_pairs, "few": 0}
    for name in track(names, "shortcuts", len(names)):
        options: dict[str, Any] = {} if name in EXTENSIONS else small
        suites = (open_suite(f"seti/{name}", seed=run, options=options) for run in range(seed, seed + recipe.seeds))
        runs = [accuracies(suite) for suite in suites]
        probes = tuple(runs[0])
        rows.append((name, *(fsum(run[probe] for run in runs) / len(runs) for probe in probes)))
    return table_of("seti/shortcuts", rows, probes=probes, seeds=recipe.seeds)


def pair_table(recipe: SetiTablesRecipe, seed: int) -> Table:
    """What the probes score on natural pairs alone, trained and tested on sentences that no two lanes share."""
    from taskloom.score.probes import ProbeItem, audit
    from taskloom.sources.sentences.pairs import PairOrder, lexical_space, structural_space

    def items(order: PairOrder, lane: int) -> Iterator[ProbeItem]:
        for number, entailed in product(range(recipe.fresh_pairs), (True, False)):
            pair = order.pair(number, entailed, lane)
            label = "entailment" if pair.entailed else "not-entailment"
            yield ProbeItem("", pair.premise, pair.hypothesis, label, frozenset({label}))

    rows: list[tuple[Value, ...]] = []
    probes: tuple[str, ...] = ()
    for name, space in (("lexical", lexical_space()), ("structural", structural_space())):
        order = PairOrder(space, "progressive", "seti", "probes", seed)
        results = audit(list(items(order, 1)), inference_probes(), fit=list(items(order, 0)))
        probes = tuple(NAMES.get(result.probe, result.probe) for result in results)
        rows.append((name, *(result.estimate.value for result in results)))
    return table_of("seti/fresh pairs", rows, probes=probes, pairs=2 * recipe.fresh_pairs)


def rule_table(recipe: SetiTablesRecipe, seed: int) -> Table:
    """The systematicity report of all suites."""
    rows: list[tuple[Value, ...]] = []
    for name in (*SETTINGS, *EXTENSIONS):
        options = {} if name in EXTENSIONS else {"lexical": 100, "structural": 100, "few": 16}
        for line in rule_lines(open_suite(f"seti/{name}", seed=seed, options=options)):
            rows.append((name, line.rule, line.train, line.dev, line.few, line.test, line.seen, line.verdict))
    return table_of("seti/rules", rows)


def _seti_tables(recipe: SetiTablesRecipe, seed: int, out: Path | None) -> list[Table]:
    """Table 5 of SETI from the generator and from SICK; shortcut scores; which rules were seen."""
    tables = [size_table(recipe, seed), mixed_table(recipe, seed)]
    if recipe.sick:
        tables.append(corpus_table(recipe.sick))
    return [*tables, pair_table(recipe, seed), shortcut_table(recipe, seed), rule_table(recipe, seed)]


class SamplesRecipe(Recipe, frozen=True, kw_only=True):
    """Settings of `seti/samples`.

    Attributes:
        n: How many samples of each type.
    """

    n: int = 50


def _samples(recipe: SamplesRecipe, seed: int, out: Path | None) -> list[Table]:
    """Readable samples of every type of SETI instance (writes seti_samples.md)."""
    sections = sample_sections(recipe.n, seed)
    if out is not None:
        write_ours(out / "seti_samples.md", sample_page(sections, seed))
    rows = [(section.title, len(section.rows)) for section in sections]
    return [table_of("seti/samples", rows, note="" if out else "Give -o DIR to write the page.")]


TABLES = table_study(SetiTablesRecipe(), _seti_tables)
SAMPLES = table_study(SamplesRecipe(), _samples)
