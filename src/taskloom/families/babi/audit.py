"""The shortcut audit: what probes that follow no chain of facts get on a split."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path

from taskloom.core import Finding, Row, Suite
from taskloom.core.decode import read_toml
from taskloom.core.metric import Estimate
from taskloom.families.babi import kinds
from taskloom.families.babi.files import FileQuestion, FileStory, read_story
from taskloom.families.babi.kinds import Sentence
from taskloom.families.babi.parse import Parser
from taskloom.families.babi.recipe import CustomRecipe, SplitRecipe, TaskRecipe
from taskloom.families.babi.vocabulary import words_in
from taskloom.families.babi.worlds import PAPER_WORLD, compile_world
from taskloom.score.probes import Probe, ProbeItem, audit, probe_items, standard_probes


class LastLocationProbe(Probe):
    """The place last named with a person, or with its last holder; pronouns are resolved, nothing else.

    `Is P in the L?` is answered yes where that place is L. Other questions are left alone.

    Args:
        parser: Reads the stories; the English one if None.
    """

    name = "last location"

    def __init__(self, parser: Parser | None = None) -> None:
        self._parser = parser or Parser()

    def fit(self, items: Sequence[ProbeItem]) -> None:
        """The rule has nothing to learn."""

    def answer(self, item: ProbeItem) -> str | None:
        lines = tuple(re.split(r"\n|(?<=\.) ", item.context))
        read = read_story(FileStory(lines, (FileQuestion(len(lines), item.question, "", ()),)), self._parser)
        (question,) = read.questions
        at, lies, holder = _last(read.sentences)
        kind, first, second = question
        places = list(read.names.places)
        if kind == kinds.YES_NO:
            return "yes" if at.get(first) == second else "no"
        if kind == kinds.WHERE_P:
            place = at.get(first, -1)
        elif kind in (kinds.WHERE_O, kinds.WHERE_WAS):
            place = at.get(holder[first], -1) if first in holder else lies.get(first, -1)
        else:
            return None
        return places[place] if place >= 0 else None


def _last(sentences: Sequence[Sentence]) -> tuple[dict[int, int], dict[int, int], dict[int, int]]:
    """The place last named with each person, where each object was put down, and who last had it."""
    at: dict[int, int] = {}
    lies: dict[int, int] = {}
    holder: dict[int, int] = {}
    for kind, first, second, third, _, _ in sentences:
        if kind == kinds.CONJ:
            at[first] = at[second] = third
        elif kind < kinds.CONJ:
            at[first] = third if kind == kinds.INDEF else second
        elif kind == kinds.GRAB:
            holder[second] = first
        elif kind == kinds.GIVE:
            holder[second] = third
        elif kind == kinds.DROP:
            holder.pop(second, None)
            lies[second] = at.get(first, -1)
    return at, lies, holder


StoryRecipe = SplitRecipe | TaskRecipe | CustomRecipe

AUDITED = 1_029
"""Questions of a split that are audited: as many as the kit's, so that fitted probes learn from equally many."""

_LEAST = 100
_LONG = 4

_SHARES = read_toml(Path(__file__).with_name("shortcuts.toml"))
_GROUPS = _SHARES.pop("groups")
KIT = {probe: dict(zip(_GROUPS, found, strict=True)) for probe, found in _SHARES.items()}
"""What each probe answers of the 1,029 questions of the kit's mix_T12; `taskloom study babi/shortcuts` measures it."""


def group_name(question: str, size: int) -> str:
    """What a question is counted under; where-was with long supports counts by itself."""
    if question != "where-was-object":
        return question
    return f"where-was, {_LONG}+" if size >= _LONG else f"where-was, below {_LONG}"


def group_of(row: Row) -> str:
    """What a row's question is counted under."""
    facets = row.instance.facets
    size = facets["support_size"]
    return group_name(str(facets["question"]), size if isinstance(size, int) else 0)


def audited(rows: Sequence[Row]) -> list[ProbeItem]:
    """Rows as probes see them."""
    return probe_items(rows, group=group_of, context="story", asked="question")


def shares(items: Sequence[ProbeItem], extra: Sequence[Probe] = (), rounds: int = 1) -> dict[str, dict[str, Estimate]]:
    """The share of each group that each probe answers, by probe and group; `rounds` as `audit` has it."""
    found: dict[str, dict[str, Estimate]] = defaultdict(dict)
    for result in audit(items, [*standard_probes(), *extra], rounds=rounds):
        found[result.probe][result.group] = result.estimate
    return dict(found)


def findings(suite: Suite, recipe: StoryRecipe, split: str, rows: Sequence[Row]) -> Iterator[Finding]:
    """One note for each kind of question, with the kit's share in brackets where the kit asks such questions."""
    rows = rows[:AUDITED]
    if len(rows) < _LEAST:
        return
    items = audited(rows)
    extra = [LastLocationProbe(_parser(recipe))] if _located(suite, recipe) else []
    found = shares(items, extra)
    for group in sorted({item.group for item in items}):
        parts = []
        for probe, by_group in found.items():
            kit = KIT.get(probe, {}).get(group)
            parts.append(f"{probe} {by_group[group].value:.2f}" + ("" if kit is None else f" ({kit:.2f})"))
        count = sum(item.group == group for item in items)
        beside = ", in brackets the Dyna-bAbI kit's mix_T12" if group in _GROUPS else ""
        message = f"shortcuts, share of {count} questions ({group}){beside}: {', '.join(parts)}"
        yield Finding(suite.name, split, "note", message, code="shortcuts")


def _located(suite: Suite, recipe: StoryRecipe) -> bool:
    """Whether all stories are about people in places, so that the rule of the last location can be asked."""
    if not hasattr(recipe, "vocabulary"):
        return False  # a world of any sorts
    if isinstance(recipe, TaskRecipe):
        return set(suite.tasks) <= {f"task-{number}" for number in (*range(1, 4), *range(5, 14))}
    return not (isinstance(recipe, CustomRecipe) and (recipe.also or recipe.config))


def _parser(recipe: StoryRecipe) -> Parser:
    world = compile_world(recipe.world) if isinstance(recipe, CustomRecipe) else PAPER_WORLD
    return Parser(words_in(recipe.vocabulary, recipe.language), world)
