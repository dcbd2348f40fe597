"""The experiments of Dyna-bAbI: models trained on one kind of stories and asked another.

All of them train on the same splits with the same settings, so that what one of them has trained serves the others.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Annotated, Any

import msgspec

from taskloom.core import Count
from taskloom.core.display import counted
from taskloom.core.study import Table, Value
from taskloom.figures import HeatMap, LinePlot
from taskloom.studies.experiment import Experiment, printed
from taskloom.studies.findings import Findings, above, estimate_cells, figure_words, table_of
from taskloom.studies.frame import Frame, Observation, ScoreRow, Scores, contrast, measure
from taskloom.studies.grid import Arm, GridRecipe

_PUBLISHED = {"entnet": "EntNet", "stm": "STM", "bidaf": "BiDAF", "roberta-base": "RoBERTa", "t5-base": "T5"}


class StoryStudyRecipe(GridRecipe, frozen=True, kw_only=True):
    """What every study of Dyna-bAbI has.

    Attributes:
        groups: Groups of original tasks: t2, t7, t12.
        train, test: Stories to train on and to ask; 0 for as many as the paper has.
        files: A folder with the original bAbI files for concat; empty to generate its stories.
        extractive: Models that answer with words of the story, and are therefore not asked T12.
        length: The fewest and the most sentences of stories that are no original ones; empty for the published lengths.
    """

    groups: tuple[str, ...] = ("t2",)
    train: int = 0
    test: int = 0
    files: str = ""
    extractive: tuple[str, ...] = ()
    length: tuple[int, ...] = ()

    def sizes(self, kind: str) -> dict[str, Any]:
        """Recipe keys of a split of this size."""
        given: dict[str, Any] = {"files": self.files} if self.files and kind == "concat" else {}
        if self.length and kind not in ("concat", "inject"):
            given["length"] = list(self.length)
        if not self.train:
            return given
        if kind in ("mix", "rephrase", "inoculate"):
            return {**given, "dev": 100 if kind == "inoculate" else 0, "test": self.test}
        sizes = {"train": self.train, "dev": max(20, self.train // 20), "test": self.test, "mix": 0}
        # Two injected questions for every original one, about as many as the paper has.
        return {**sizes, "originals": self.train // 3} if kind == "inject" else {**sizes, **given}

    def cells(self, seed: int) -> Iterator[tuple[str, str, int]]:
        """Every model, group and data seed."""
        for model, group, data in product(self.models, self.groups, self.replicates(seed)):
            if not (group == "t12" and model in self.extractive):
                yield model, group, data

    def trained(self, kind: str, cell: tuple[str, str, int], asked: str, **factors: Value) -> Arm:
        """Train on a split and ask its own test stories."""
        model, group, seed = cell
        named = {"model": model, "group": group, "trained": kind, "asked": asked, **factors}
        return self.arm_of(model, f"babi/{kind}-{group}", seed, named, options=self.sizes(kind), split="test")

    def ask(self, base: Arm, kind: str, fitted: Mapping[str, Any] | None = None, **factors: Value) -> Arm:
        """Ask another split of the model that an arm has trained; first fitted to it once more, where it says how."""
        named = {**base.factors, **factors}
        suite, more = f"babi/{kind}-{named['group']}", {"split": "test", **(fitted or {})}
        return self.arm_of(base.run.model, suite, base.seed, named, options=self.sizes(kind), after=base, **more)


def published_name(model: str) -> str:
    """What the paper calls a model of that kind; "" where it has none like it."""
    return _PUBLISHED.get(model.rpartition("/")[2].lower(), "")


class InAndOut(Experiment, study="babi/in-and-out", settings=StoryStudyRecipe):
    """Trained on concat(T), asked concat(T) and mix(T)."""

    def grid(self, recipe: StoryStudyRecipe, seed: int) -> Iterator[Arm]:
        for cell in recipe.cells(seed):
            base = recipe.trained("concat", cell, "concat")
            yield from (base, recipe.ask(base, "mix", asked="mix"))

    def analyse(self, frame: Frame, recipe: StoryStudyRecipe) -> Findings:
        table = printed("dyna-babi", "table-3")
        scores = measure(
            frame, "model", "group", "asked",
            published=lambda key: table.share(published_name(key["model"]), group=key["group"], asked=key["asked"]),
        ).named(asked={"concat": "in distribution", "mix": "out of it"})  # fmt: skip
        return Findings(
            tables=[scores.table("Accuracy in and out of distribution", note=self.cited(table))],
            figures=[scores.intervals(place="{model}, {group}", series="{asked}", **figure_words("babi/in-and-out"))],
            checks=self.checks(frame),
        )


class EnrichRecipe(StoryStudyRecipe, frozen=True, kw_only=True):
    """Settings of `babi/enrich`.

    Attributes:
        kinds: The training splits compared.
    """

    kinds: tuple[str, ...] = ("concat", "inject", "diverse")


_LEARNED = 0.5
"""The share of a split's own test stories from which training on it may be said to have worked."""
_PANELS = ("at most 2", "3", "4 or more")


def _support(one: Observation) -> int:
    return int(one.facets.get("support_size") or 0)


def support_class(one: Observation) -> str:
    """The column of Table 4 that a question belongs to."""
    return str(_support(one)) if _support(one) < 3 else "3+"


class Enrich(Experiment, study="babi/enrich", settings=EnrichRecipe):
    """Trained on concat, inject and diverse; asked concat and mix."""

    def grid(self, recipe: EnrichRecipe, seed: int) -> Iterator[Arm]:
        for cell, kind in product(recipe.cells(seed), recipe.kinds):
            base = recipe.trained(kind, cell, "own")
            yield base
            for asked in ("concat", "mix"):
                yield recipe.ask(base, asked, asked=asked)

    def analyse(self, frame: Frame, recipe: EnrichRecipe) -> Findings:
        asked = frame.where(lambda one: one.value("asked") != "own")
        tables = [table for table in (self._by_support(asked), self._disjunctions(asked)) if table.rows]
        return Findings(tables=tables, figures=_panels(frame), checks=self.checks(asked), sentences=unlearned(frame))

    def _by_support(self, frame: Frame) -> Table:
        table = printed("dyna-babi", "table-4")

        def scores(support: Callable[[Observation], str]) -> Sequence[ScoreRow]:
            return measure(
                frame, "model", "group", "trained", "asked", computed={"support": support},
                published=lambda key: table.share(
                    key["support"], trained=key["trained"], group=key["group"], asked=key["asked"]
                ),
            ).rows  # fmt: skip

        both = Scores([*scores(support_class), *scores(lambda _: "total")], "seeds", compared=True)
        return both.nested(support=str).table("Accuracy by number of supporting facts", note=self.cited(table, "T5"))

    def _disjunctions(self, frame: Frame) -> Table:
        doubles = frame.where(lambda one: bool(one.facets.get("double_disjunction")))
        rows = []
        for key, part in doubles.by("model", "group", "trained").items():
            maybe = sum(str(one.record.answer).lower() == "maybe" for one in part) / len(part)
            rows.append((*key, *estimate_cells(part.over_seeds()), *part.guessing(), maybe))
        return table_of("babi/double disjunctions", rows, paper=self.paper)


def unlearned(frame: Frame) -> list[str]:
    """A sentence for each training split whose own test stories are mostly answered wrong: it was not learned."""
    return [
        f"{model} has not learned {kind}({group}): {right:.2f} of its own test stories are answered right, so they may "
        "teach more than can be seen here."
        for (model, group, kind), part in frame.where(asked="own").by("model", "group", "trained").items()
        if (right := part.over_seeds().value) < _LEARNED
    ]


def _panels(frame: Frame) -> list[HeatMap]:
    """Figure 3 for each model, group and training split: support composition by question type."""
    figures = []
    for (model, group, kind), part in frame.by("model", "group", "trained").items():
        trained = {one.value("composition") for one in part.where(asked="own")}
        mixed = part.where(asked="mix")
        questions = tuple(sorted(map(str, mixed.values("question"))))
        panels = mixed.by(lambda one: _PANELS[min(max(_support(one), 2), 4) - 2])
        for name in (name for name in _PANELS if (name,) in panels):
            scores = measure(panels[name,], "composition", "question").nested(composition=str, question=str)
            figures.append(
                scores.heat(
                    row="composition", column="question", column_order=questions,
                    framed=lambda key, trained=trained: key["composition"] in trained,  # type: ignore[misc]
                    **figure_words("babi/support", model=model, kind=kind, group=group, name=name),
                )
            )  # fmt: skip
    return figures


class InoculationRecipe(StoryStudyRecipe, frozen=True, kw_only=True):
    """Settings of `babi/inoculate`.

    Attributes:
        doses: Questions of each type of the mixture to train on afterwards; 0 for none.
        updates: Updates on a dose; 0 for as many as before it.
    """

    doses: Annotated[tuple[Count, ...], msgspec.Meta(min_length=1)] = (0, 100, 200, 300, 400, 500)
    updates: int = 0


class Inoculate(Experiment, study="babi/inoculate", settings=InoculationRecipe):
    """Trained on concat(T), then on a dose of mix(T); asked both."""

    def grid(self, recipe: InoculationRecipe, seed: int) -> Iterator[Arm]:
        for cell in recipe.cells(seed):
            base = recipe.trained("concat", cell, "concat", dose=0)
            for dose in recipe.doses:
                if dose:
                    known = _dosed(recipe, base, dose)
                    yield from (known, recipe.ask(known, "concat", asked="concat"))
                else:
                    yield from (recipe.ask(base, "inoculate", asked="mix"), base)

    def analyse(self, frame: Frame, recipe: InoculationRecipe) -> Findings:
        scores = measure(frame, "model", "group", "asked", "dose").nested(dose=int)
        lines = scores.lines("dose", "{model}, {group}, asked {asked}", lambda key: key["asked"] == "concat")
        figure = LinePlot(lines=tuple(lines), **figure_words("babi/doses"))
        most = max(recipe.doses)
        checks = self.checks(frame, most=most) if most else []
        return Findings(tables=[scores.table("Accuracy by dose")], figures=[figure], checks=checks)


def _dosed(recipe: InoculationRecipe, base: Arm, dose: int) -> Arm:
    """The model of an arm trained on a dose of the mixture, and asked other stories of it."""
    learner = recipe.learner(base.run.model)
    # The dose chooses nothing but itself: a dev split of the mixture would be a dose of its own.
    options = {**learner.options, "shots": dose, "dev": "none"}
    if recipe.updates:
        options |= {"updates": recipe.updates, "evaluate_updates": recipe.updates}
    fitted = {"adapt": learner.adapt, "adapt_options": options}
    return recipe.ask(base, "inoculate", fitted, asked="mix", dose=dose)


def has_give(one: Observation) -> bool:
    """Whether a GIVE event is among the supporting facts."""
    return "give" in str(one.facets.get("composition") or "").split("+")


def has_pronouns(one: Observation) -> bool:
    """Whether somebody is named by a pronoun anywhere in the story."""
    return not {"coref", "compound"}.isdisjoint(one.facets.get("constructs") or ())


class Give(Experiment, study="babi/give", settings=StoryStudyRecipe):
    """Trained on concat(T7), asked mix(T7), by number of supporting facts and whether GIVE is among them.

    A reader that takes the place beside the last pronoun for the answer is hardly ever right where one sentence is
    enough, so questions without GIVE are also told apart by whether their stories hold pronouns.
    """

    def grid(self, recipe: StoryStudyRecipe, seed: int) -> Iterator[Arm]:
        for cell in recipe.cells(seed):
            yield recipe.ask(recipe.trained("concat", cell, "concat"), "mix", asked="mix")

    def analyse(self, frame: Frame, recipe: StoryStudyRecipe) -> Findings:
        table = printed("dyna-babi", "table-9")
        scores = measure(
            frame, "model", "support_size", computed={"give": has_give},
            published=lambda key: table.share(
                published_name(key["model"]), support=key["support_size"], with_give=key["give"]
            ),
        ).nested(support_size=int, give=bool)  # fmt: skip
        named = scores.named(
            give={False: "without GIVE", True: "with GIVE"},
            support_size={size: counted(int(size or 0), "fact") for size in frame.values("support_size")},
        )
        spoken = measure(
            frame.where(lambda one: not has_give(one)), "model", "support_size", computed={"pronouns": has_pronouns}
        ).nested(support_size=int, pronouns=bool)
        compared = any(row.published is not None for row in scores.rows)
        words = figure_words("babi/give", diamonds="Diamonds: the paper's model of that kind." if compared else "")
        heads = {"support_size": "supporting facts", "give": "with GIVE"}
        tables = [
            scores.table("Accuracy with and without GIVE", columns=heads, note=self.cited(table)),
            spoken.table("Accuracy without GIVE, by pronouns in the story", columns=heads),
            table_of("babi/one fact and two", _one_and_two(frame.where(lambda one: not has_give(one)))),
        ]
        return Findings(
            tables=[table for table in tables if table.rows],
            figures=[named.intervals(place="{model}, {support_size}", series="{give}", **words)],
            checks=[
                above(_WORSE.format(model=model), contrast(without, with_give), source="Table 9")
                for (model,), part in frame.by("model").items()
                for without, with_give in (_with_and_without_give(part),)
                if without and with_give
            ],
        )


def _one_and_two(frame: Frame) -> list[tuple[Value, ...]]:
    """How much easier one supporting fact is than two: in all stories, and by whether they hold pronouns."""
    stories = {
        "all": frame,
        "without": frame.where(lambda one: not has_pronouns(one)),
        "with": frame.where(has_pronouns),
    }
    rows: list[tuple[Value, ...]] = []
    for pronouns, part in stories.items():
        for (model,), mine in part.by("model").items():
            one, two = (mine.where(support_size=size) for size in (1, 2))
            if one and two:
                rows.append((model, pronouns, *contrast(one, two)[:4]))
    return rows


_WORSE = "{model} does worse with GIVE among the supporting facts than without it among as many"


def _with_and_without_give(part: Frame) -> tuple[Frame, Frame]:
    """Questions without and with GIVE at equal numbers of supporting facts: GIVE needs more of them."""
    sizes = {_support(one) for one in part if has_give(one)}
    both = part.where(lambda one: _support(one) in sizes)
    return both.where(lambda one: not has_give(one)), both.where(has_give)


_FORMS = ("yes-no", "where-person")
_WORDS = {True: "correct", False: "incorrect"}


def confusion(frame: Frame) -> Counter[tuple[str, str]]:
    """How often twins are answered right: (yes-no, where-person). Twins share an id within a seed."""
    right: dict[tuple[object, str], dict[str, bool]] = {}
    for one in frame:
        right.setdefault((one.seeds, one.record.id), {})[one.record.task] = one.score >= 1
    both = [twins for twins in right.values() if len(twins) == 2]
    return Counter((_WORDS[twins["yes-no"]], _WORDS[twins["where-person"]]) for twins in both)


class Rephrase(Experiment, study="babi/rephrase", settings=StoryStudyRecipe):
    """Trained on diverse(T12), asked every yes-no question of mix(T12) whose answer is yes, and its twin."""

    def grid(self, recipe: StoryStudyRecipe, seed: int) -> Iterator[Arm]:
        for cell in recipe.cells(seed):
            yield recipe.ask(recipe.trained("diverse", cell, "own"), "rephrase", asked="rephrase")

    def analyse(self, frame: Frame, recipe: StoryStudyRecipe) -> Findings:
        table = printed("dyna-babi", "table-10")
        asked = sum(map(int, table.column("questions")))
        rows = []
        for (model,), part in frame.by("model").items():
            counts = confusion(part)
            levels = [{form: part.where(task=form).guessing()[one] for form in _FORMS} for one in (0, 1)]
            for first, second, paper in table.rows:
                count = counts[str(first), str(second)]
                share = count / counts.total() if counts else None
                guessed = (
                    prod(
                        level[form] if said == "correct" else 1 - level[form]
                        for form, said in zip(_FORMS, (first, second), strict=True)
                    )
                    for level in levels
                )
                rows.append((model, first, second, count, share, *guessed, paper, int(str(paper)) / asked))
        right = {
            form: sum(int(str(row[2])) for row in table.rows if row[place] == "correct") / asked
            for place, form in enumerate(_FORMS)
        }
        scores = measure(frame, "model", "task", published=lambda key: right.get(key["task"]))
        twins = table_of("babi/twins", rows, cited=self.cited(table, "T5"))
        plot = scores.intervals(place="{model}, {task}", **figure_words("babi/forms"))
        tables = [twins, scores.table("Accuracy by form", columns={"task": "form"})]
        return Findings(tables=tables, figures=[plot], checks=self.checks(frame))


IN_AND_OUT, ENRICH, INOCULATE, GIVE, REPHRASE = InAndOut(), Enrich(), Inoculate(), Give(), Rephrase()
