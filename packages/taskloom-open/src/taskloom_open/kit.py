"""What the tasks of the open collection are written with: disjoint parts of sources, and worked items.

Every source is divided into two parts by its own units (articles, components, synsets, countries, numbers). Tasks of
the twelve evaluation categories are made from part b, all others from part a, so that training and test share no
material. Definitions stand in `tasks.toml`.
A maker returns an item with everything that an example needs: why the answer is right, a wrong answer, and why it is
wrong. The examples of a task are items that its instances never use.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import msgspec

from taskloom.author import Blueprint, Item
from taskloom.core import AnswerKind, FacetType, Items, UserError, digest, keyed_random
from taskloom.families.superni.tracks import EVALUATION_METRICS
from taskloom_open.archives import PACKAGES, SourceText, read_table

Part: TypeAlias = Literal["a", "b"]

COLUMNS: dict[str, FacetType] = {"input_words": int, "output_words": int}

_RESERVED = 12
_ATTEMPTS = 60
_POSITIVE = 3


class WorkedItem(NamedTuple):
    """An item with all that an example needs.

    Attributes:
        text: The input.
        answer: The acceptable answers, the canonical one first; or a set of items.
        why: Why the answer is right, for a reader who wants to learn the task.
        wrong: A wrong answer that a careless reader might give.
        why_wrong: What is wrong with it.
        material: The units of the source that it is made of.
    """

    text: str
    answer: str | tuple[str, ...] | Items
    why: str
    wrong: str
    why_wrong: str
    material: tuple[str, ...]


Make: TypeAlias = Callable[[Random, int], WorkedItem]


def unit(table: str, row_id: str) -> str:
    """The unit that a piece of material belongs to; parts never divide a unit."""
    match table:
        case "udhr":
            return row_id.rsplit("-", 1)[0]
        case "home":
            return row_id.partition(":")[0]
        case "bible":
            return f"verses-{int(row_id.removeprefix('verse-')) // 40}"
        case "sonnets":
            return row_id.rsplit("-", 1)[0]
        case "names":
            return row_id.partition(":")[2]
        case "code":
            return row_id.partition(":")[0]
    return row_id


def part_of_unit(table: str, name: str) -> Part:
    """The part that a unit belongs to, decided by its name alone; two fifths are kept for evaluation."""
    return "b" if digest("superni/open", table, name)[0] % 5 < 2 else "a"


def part_of(category: str) -> Part:
    """The part that tasks of a category are made from."""
    return "b" if category in EVALUATION_METRICS else "a"


@lru_cache(maxsize=256)
def _divided(table: str) -> dict[tuple[Part, str], list[SourceText]]:
    found: dict[tuple[Part, str], list[SourceText]] = {}
    # The same ids occur in many languages; what an id decides is computed once.
    places: dict[str, tuple[Part, bytes]] = {}
    for row in read_table(table):
        if row.id not in places:
            places[row.id] = part_of_unit(table, unit(table, row.id)), digest("order", row.id)
        found.setdefault((places[row.id][0], row.language), []).append(row)
    for held in found.values():
        held.sort(key=lambda row: places[row.id][1])
    return found


_SPELLED_ALIKE = """
    English Bulgarian Catalan Chinese Croatian Czech Danish Dutch Estonian Finnish French Georgian German Hungarian
    Indonesian Italian Japanese Korean Lithuanian Persian Polish Portuguese Russian Serbian Spanish Swahili Swedish
    Turkish Ukrainian Vietnamese Esperanto Kazakh
"""
_SPELLED = frozenset(_SPELLED_ALIKE.split())
"""Languages whose number words num2words spells alike, or in another right way; where it has no such language, they
were read. Of the others some are misspelt: Azerbaijani 60, Slovenian 14, Hebrew 120."""


@lru_cache(maxsize=1)
def written_languages() -> frozenset[str]:
    """Languages that a second community writes: a hundred messages or first names of theirs are in the sources.

    Of all others tasks use words as lists have them (countries, languages, emoji) and the Declaration, and nothing that
    is inflected or put together.
    """
    held = [Counter(row.language for row in read_table(table)) for table in ("home", "names")]
    return frozenset(language for counted in held for language, count in counted.items() if count >= 100)


@lru_cache(maxsize=1)
def translated_languages() -> frozenset[str]:
    """Languages that more than half of the household messages are translated into, as a native would write them.

    Irish and Turkish read as translated by machine, many Lithuanian messages say something else, and Estonian ones lack
    commas.
    """
    counted = Counter(row.language for row in read_table("home"))
    most = frozenset(name for name, count in counted.items() if 2 * count > counted["English"])
    return most - {"Estonian", "Irish", "Lithuanian", "Turkish"}


def _sound(table: str, language: str) -> bool:
    """Whether tasks use a source in a language."""
    match table:
        case "numbers":
            return language in _SPELLED
        case "units" | "dates" | "lists":
            return language in written_languages()
        case "home":
            return language in translated_languages()
    return True


def rows(table: str, part: Part, language: str = "English") -> list[SourceText]:
    """The material of one part of a source in one language, in an arbitrary but fixed order."""
    if not _sound(table, language):
        return []
    return _divided(table).get((part, language), [])


@lru_cache(maxsize=256)
def _by_id(table: str, part: Part, language: str) -> dict[str, SourceText]:
    return {row.id: row for row in rows(table, part, language)}


def aligned(table: str, part: Part, first: str, second: str) -> list[tuple[SourceText, SourceText]]:
    """Material that two languages have in common, as pairs."""
    other = _by_id(table, part, second)
    return [(row, other[row.id]) for row in rows(table, part, first) if row.id in other]


def choices(rng: Random, right: str, others: Sequence[str], count: int = 4) -> tuple[list[str], str]:
    """The right answer among others, shuffled; and one of the others, to be shown as a wrong answer."""
    pool = sorted(set(others) - {right})
    picked = rng.sample(pool, min(count - 1, len(pool)))
    options = [right, *picked]
    rng.shuffle(options)
    return options, picked[0] if picked else ""


def article(word: str) -> str:
    """An English word with its indefinite article."""
    return f"{'an' if word[0] in 'aeiou' else 'a'} {word}"


def _words(text: str) -> int:
    return len(text.split())


def _item(worked: WorkedItem) -> Item:
    canonical = worked.answer.canonical() if isinstance(worked.answer, Items) else worked.answer
    first = canonical if isinstance(canonical, str) else canonical[0]
    facets: dict[str, Any] = {"input_words": _words(worked.text), "output_words": _words(first)}
    return Item(worked.text, worked.answer, facets, details={"material": list(worked.material)})


def _canonical(worked: WorkedItem) -> str:
    if isinstance(worked.answer, Items):
        return worked.answer.canonical()
    return worked.answer if isinstance(worked.answer, str) else worked.answer[0]


def _examples(name: str, make: Make, reserved: range | None) -> list[WorkedItem]:
    """Items for examples: different inputs, and different answers as long as there are some."""
    found: dict[str, WorkedItem] = {}
    for attempt in range(_ATTEMPTS if reserved is None else len(reserved)):
        rng = keyed_random("superni/open", name, "examples", attempt)
        worked = make(rng, 0 if reserved is None else reserved[attempt])
        found.setdefault(worked.text, worked)
        if len(found) >= _RESERVED:
            break
    picked: list[WorkedItem] = []
    seen: set[str] = set()
    for worked in (*found.values(), *found.values()):
        if worked not in picked and (_canonical(worked) not in seen or len(picked) >= len(seen) + 2):
            picked.append(worked)
        seen.add(_canonical(worked))
    rest = [worked for worked in found.values() if worked not in picked]
    return [*picked, *rest]


class _LazyExamples(Sequence[tuple[Any, ...]]):
    """Examples that are made on first access, so that opening hundreds of tasks stays quick."""

    def __init__(self, work: Callable[[], list[tuple[Any, ...]]]) -> None:
        self._work = work

    @cached_property
    def _held(self) -> list[tuple[Any, ...]]:
        return self._work()

    def __len__(self) -> int:
        return len(self._held)

    @overload
    def __getitem__(self, index: int) -> tuple[Any, ...]: ...
    @overload
    def __getitem__(self, index: slice) -> list[tuple[Any, ...]]: ...
    def __getitem__(self, index: int | slice) -> Any:
        return self._held[index]


class BlueprintNotes(msgspec.Struct, frozen=True):
    """What `tasks.toml` says about a blueprint; `again` has other wordings, which its languages share."""

    category: str
    domains: list[str]
    definition: str
    version: str = "1"
    again: list[str] = []


@lru_cache(maxsize=1)
def entries() -> dict[str, BlueprintNotes]:
    """Every blueprint of the collection by name."""
    page = Path(__file__).with_name("tasks.toml").read_bytes()
    return msgspec.toml.decode(page, type=dict[str, BlueprintNotes])


def slug(language: str) -> str:
    """A language's name as a part of task names."""
    return language.lower().replace(" ", "_").replace("å", "a")


def define(
    template: str,
    make: Make,
    *,
    table: str,
    keys: int | None = None,
    labels: tuple[str, ...] = (),
    language: str = "English",
    output_language: str | None = None,
    scorer: str | None = None,
    kind: AnswerKind | None = None,
    suffix: str | None = None,
    words: str = "",
    notes: BlueprintNotes | None = None,
    instruction: str = "English",
    solve: Callable[[str], Any] | None = None,
) -> Blueprint:
    """A task of the open collection: a blueprint in one language.

    Args:
        template: Its entry in `tasks.toml`.
        make: (random numbers, key) -> a worked item; the key is 0 where `keys` is None.
        table: The source that its material comes from; "" for words and numbers of our own.
        keys: How many pieces of material there are, where each is asked about once.
        labels: The closed set of answers.
        language: The language of the inputs.
        output_language: The language of the answers, if different.
        scorer: The scorer; chosen by the kind where it is not given.
        kind: The form of the answers.
        suffix: What tells its name from other copies of the blueprint; the language that is not English by default.
        words: What {words} in the definition stands for.
        notes: What is said about it, where it has no entry in `tasks.toml`.
        instruction: The language of the definition.
        solve: What finds the answer in the text of an item.
    """
    entry = notes or entries()[template]
    foreign = next((one for one in (language, output_language) if one and one != "English"), "English")
    foreign = foreign.partition(",")[0] if suffix else foreign
    name = "_".join(filter(None, (template, slug(foreign) if suffix is None else suffix)))
    if keys is not None and keys <= _RESERVED:
        raise UserError(f"only {keys} pieces of material", where=f"task {name}")
    return Blueprint(
        _unkeyed(make) if keys is None else _keyed(make),
        name=name,
        definition=_worded(entry, name, {"language": foreign, "words": words, "labels": ", ".join(labels)}),
        labels=labels,
        kind=kind or ("label" if labels else "text"),
        language=language,
        output_language=output_language,
        instruction_language=instruction,
        solve=solve,
        scorer=scorer,
        keys=None if keys is None else keys - _RESERVED,
        balanced=bool(labels),
        **_about(template, entry, table),
        **_shown(name, make, None if keys is None else range(keys - _RESERVED, keys)),
    )


def _worded(entry: BlueprintNotes, name: str, filled: dict[str, str]) -> str:
    """One of the wordings of a definition, with its gaps filled."""
    wordings = [entry.definition, *entry.again]
    said = " ".join(wordings[digest("wording", name)[0] % len(wordings)].split())
    for gap, text in filled.items():
        said = said.replace(f"{{{gap}}}", text)
    return said


def _about(template: str, entry: BlueprintNotes, table: str) -> dict[str, Any]:
    """What a blueprint says about itself and its source."""
    package = PACKAGES.get(table)
    source = f"{package.distribution} {package.version}" if package else "Taskloom"
    facets = {
        "family": "superni",
        "blueprint": template,
        "domains": tuple(entry.domains),
        "source": f"{source}, part {part_of(entry.category)}",
        "licence": package.licence if package else "Apache-2.0",
    }
    return {"category": entry.category, "version": entry.version, "columns": COLUMNS, "facets": facets}


def _shown(name: str, make: Make, reserved: range | None) -> dict[str, Any]:
    """Right and wrong examples, made on first access."""

    @cache
    def shown() -> list[WorkedItem]:
        return _examples(name, make, reserved)

    def right() -> list[tuple[Any, ...]]:
        return [(one.text, _canonical(one), one.why) for one in shown()[:_POSITIVE]]

    def wrong() -> list[tuple[Any, ...]]:
        spoilt = [one for one in (*shown()[_POSITIVE:], *shown()) if one.wrong and one.wrong != _canonical(one)]
        return [(one.text, one.wrong, one.why_wrong) for one in spoilt[:2]]

    return {"right": _LazyExamples(right), "wrong": _LazyExamples(wrong)}


def _unkeyed(make: Make) -> Callable[[Random], Item]:
    return lambda rng: _item(make(rng, 0))


def _keyed(make: Make) -> Callable[[Random, int], Item]:
    return lambda rng, key: _item(make(rng, key))
