"""A small family with every kind of target, for tests of the house itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import msgspec

from taskloom.core import (
    AnyOf,
    Boolean,
    Example,
    Family,
    Instance,
    Instruction,
    Items,
    KeyedRandom,
    Product,
    Recipe,
    Row,
    Structure,
    Suite,
    SuiteSpec,
    Task,
)

WORDS = ("apple", "book", "cat", "door", "egg", "fish", "green house", "hat")


class ToyRecipe(Recipe, frozen=True, kw_only=True):
    """How many rows."""

    train: int = 40
    test: int = 20
    top: int = 1_000_000

    def __post_init__(self) -> None:
        if self.top < 2:
            raise ValueError(f"top must be 2 or more, not {self.top}")


def _tasks() -> dict[str, Task]:
    shown = (Example("1 2", "3", "One and two make three."), Example("2 2", "4", "Two and two make four."))
    wrong = (Example("1 1", "3", "One and one make two."),)
    yes = (Example("2", "yes", "Two is even."), Example("3", "no", "Three is odd."))
    return {
        task.name: task
        for task in (
            Task("add", Instruction("Add the numbers. Say the sum in digits.", shown, wrong), "number", "number",
                 facets={"family": "toy", "category": "arithmetic", "language": "en"}),
            Task("even", Instruction("Say yes if the number is even, else no.", yes, (Example("4", "no"),)), "boolean",
                 "label", ("yes", "no"), facets={"family": "toy", "category": "logic", "language": "en"}),
            Task("list", Instruction("List the words.", (Example("a", "a"), Example("b", "b"))), "items", "items",
                 facets={"family": "toy", "category": "words", "language": "en"}),
            Task("copy", Instruction("Repeat each word or its synonym."), "sequence", "exact",
                 facets={"family": "toy", "category": "words", "language": "en"}),
            Task("record", Instruction("Give the JSON."), "json", "structure",
                 facets={"family": "toy", "category": "words", "language": "en"}),
        )
    }  # fmt: skip


class ToyFamily(Family):
    """Sums, parities, lists, sequences and records."""

    name = "toy"
    title = "Five small tasks for tests"
    citation = "none"

    def suites(self) -> Mapping[str, SuiteSpec[ToyRecipe]]:
        return {"all": SuiteSpec("every kind of target", ToyRecipe(), _build)}


def _build(suite: str, recipe: ToyRecipe, seed: int) -> Suite:
    sizes = {"train": recipe.train, "test": recipe.test}

    def draw(split: str) -> Iterator[Row]:
        keyed = KeyedRandom("toy", seed, split, recipe.top)
        for index in range(sizes[split]):
            yield _row(index, split, keyed.at(index), recipe.top)

    return Suite(
        name=f"toy/{suite}", recipe=msgspec.to_builtins(recipe), seed=seed, tasks=_tasks(), splits=sizes, draw=draw,
        facets={"size": str, "digits": int, "tags": tuple, "share": float, "odd": bool},
    )  # fmt: skip


def _row(index: int, split: str, rng, top: int) -> Row:
    a, b = rng.randrange(top), rng.randrange(top)
    # Parity of the first number decides the split, so that no input can stand in both.
    a = a - a % 2 + (split == "test")
    facets = {"size": "big" if a > top // 2 else "small", "digits": len(str(a)), "tags": ("n", str(a % 3)),
              "share": a / top, "odd": bool(a % 2)}  # fmt: skip
    words = [WORDS[(a + i) % len(WORDS)] for i in range(3)]
    text = f"{a} {b}"
    name = ("add", "even", "list", "copy", "record")[index % 5]
    targets = {
        "add": AnyOf((str(a + b),)),
        "even": Boolean((a + b) % 2 == 0),
        "list": Items((tuple(words),)),
        "copy": Product(tuple((word, word.upper()) for word in words)),
        "record": Structure((msgspec.json.encode({"a": a, "words": words}).decode(),)),
    }[name]
    return Row(
        name, Instance(f"{split}-{index}", f"{name}: {text}", targets, facets, {"numbers": text}, {"index": index})
    )


FAMILY = ToyFamily()
