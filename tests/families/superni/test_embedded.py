"""The embedded collection: its promises, and judges of its answers that share no code with it."""

from __future__ import annotations

import datetime
import os
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from taskloom.core import Suite, content_hash, input_hash, open_suite
from taskloom.core.catalog import SCORERS
from taskloom.families.superni.embedded import TEST_CATEGORIES, blueprints
from taskloom.families.superni.embedded.blueprint import Blueprint


@pytest.fixture(scope="module")
def suite() -> Suite:
    return open_suite("superni/embedded", seed=3, options={"instances": 6, "dev_instances": 2})


def test_enough_tasks_categories_and_languages(suite: Suite) -> None:
    own = blueprints().values()
    assert len(own) >= 120
    assert len({blueprint.category for blueprint in own}) >= 20
    assert {blueprint.told_in for blueprint in own} == {"English", "Spanish"}
    assert sum(blueprint.told_in == "Spanish" for blueprint in own) >= 30
    families = {str(task.facets["derives_from"]).partition("/")[0] for task in suite.tasks.values()}
    assert families == {"superni", "babi", "taskbench", "zest", "seti"}


def test_train_and_test_categories_are_disjoint(suite: Suite) -> None:
    categories = {
        split: {str(suite.tasks[row.task].facets["category"]) for row in suite.rows(split)} for split in suite.splits
    }
    assert categories["test"] <= TEST_CATEGORIES
    assert not categories["train"] & categories["test"]
    assert categories["dev"] <= categories["train"]


def test_inputs_are_new_in_every_split_and_no_examples(suite: Suite) -> None:
    inputs: dict[str, list[bytes]] = {name: [] for name in suite.tasks}
    for split in suite.splits:
        for row in suite.rows(split):
            inputs[row.task].append(input_hash(row.instance.input))
    for name, task in suite.tasks.items():
        told = (*task.instruction.positive, *task.instruction.negative)
        assert len(set(inputs[name])) == len(inputs[name])
        assert not {input_hash(example.input) for example in told} & set(inputs[name])


def test_neighbouring_seeds_share_no_instance(suite: Suite) -> None:
    other = open_suite("superni/embedded", seed=4, options={"instances": 6, "dev_instances": 2})
    for split in suite.splits:
        mine, theirs = ({(row.task, row.instance.input) for row in s.rows(split)} for s in (suite, other))
        assert not mine & theirs


@pytest.mark.parametrize("blueprint", blueprints().values(), ids=lambda blueprint: blueprint.name)
def test_instructions_are_written_with_care(blueprint: Blueprint) -> None:
    task = blueprint.task
    told = task.instruction
    assert len(re.findall(r"[.?](?= |$)", told.definition)) >= 2
    assert told.definition == told.definition.strip()
    assert len(told.positive) >= 2
    assert told.negative
    assert len({example.input for example in told.positive}) == len(told.positive)
    scorer = SCORERS.get(task.scorer)
    for example in told.positive:
        assert example.explanation
        assert scorer.score(example.output, blueprint.targets(example.input), task).value == 1.0
    for example in told.negative:
        assert example.explanation
        assert scorer.score(example.output, blueprint.targets(example.input), task).value < 1.0
    for label in task.labels:
        assert label.lower() in told.definition.lower()


def test_labels_are_balanced_and_answers_vary() -> None:
    suite = open_suite("superni/embedded", options={"instances": 120, "dev_instances": 0, "families": False})
    answers: dict[str, Counter[str]] = {name: Counter() for name in suite.tasks}
    for split in suite.splits:
        for row in suite.rows(split):
            answers[row.task][row.instance.targets.canonical()] += 1
    for name, counts in answers.items():
        task = suite.tasks[name]
        assert counts.total() == 120
        if task.labels:
            assert set(counts) == set(task.labels), name
            assert max(counts.values()) / 120 < 1.7 / len(task.labels) + 0.1, name
        else:
            assert counts.most_common(1)[0][1] < 75, name


# Second opinions, written from the definitions alone and in another way than the collection's own solvers.

WEEKDAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in re.findall(r"-?\d+", text)]


def _roman_value(sign: str) -> int:
    worth = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100, "D": 500, "M": 1000}
    total = highest = 0
    for letter in reversed(sign):
        total += worth[letter] if worth[letter] >= highest else -worth[letter]
        highest = max(highest, worth[letter])
    return total


def _english_value(text: str) -> int:
    units = {
        word: value
        for value, word in enumerate(
            [
                "zero",
                "one",
                "two",
                "three",
                "four",
                "five",
                "six",
                "seven",
                "eight",
                "nine",
                "ten",
                "eleven",
                "twelve",
                "thirteen",
                "fourteen",
                "fifteen",
                "sixteen",
                "seventeen",
                "eighteen",
                "nineteen",
            ]
        )
    } | {
        word: 10 * value
        for value, word in enumerate(
            ["_", "_", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
        )
    }
    total = current = 0
    for word in re.split("[ -]", text):
        if word == "hundred":
            current *= 100
        elif word == "thousand":
            total, current = total + current * 1000, 0
        else:
            current += units[word]
    return total + current


def _weekday(text: str) -> str:
    day, month, year = re.match(r"(\d+) (\w+) (\d+)", text).groups()  # type: ignore[union-attr]
    start = datetime.datetime.strptime(f"{day} {month} {year}", "%d %B %Y")
    return (start + datetime.timedelta(days=_numbers(text)[-1])).strftime("%A")


def _table(text: str) -> list[dict[str, str]]:
    head, *rows = [line.split(" | ") for line in text.split("\n")[:-1]]
    return [dict(zip(head, row, strict=True)) for row in rows]


def _walk(text: str) -> str:
    place = 0j
    for step in text.split(", "):
        count, wind = step.split()
        place += int(count) * {"north": 1j, "south": -1j, "east": 1, "west": -1}[wind]
    return f"({int(place.real)}, {int(place.imag)})"


def _python_truth(text: str) -> str:
    tokens = re.findall(r"\w+|[()]", text)

    def parse() -> bool:
        token = tokens.pop(0)
        if token == "not":
            return not parse()
        if token != "(":
            return token == "true"
        left = parse()
        operator = tokens.pop(0)
        right = parse()
        tokens.pop(0)
        return (left and right) if operator == "and" else (left or right)

    return str(parse()).lower()


JUDGES: dict[str, Callable[[str], str]] = {
    "reverse_letters": lambda text: " ".join("".join(reversed(word)) for word in text.split(" ")),
    "remove_vowels": lambda text: re.sub("[aeiou]", "", text),
    "double_letters": lambda text: re.sub("([a-z])", r"\1\1", text),
    "shift_letters": lambda text: text.translate(
        str.maketrans("abcdefghijklmnopqrstuvwxyz", "bcdefghijklmnopqrstuvwxyza")
    ),
    "swap_end_letters": lambda text: re.sub(r"\b(\w)(\w*)(\w)\b", r"\3\2\1", text),
    "quitar_vocales": lambda text: re.sub("[aeiouáéíóúü]", "", text),
    "title_case": str.title,
    "snake_case": lambda text: "_".join(text.casefold().split()),
    "reverse_words": lambda text: " ".join(reversed(text.split())),
    "remove_duplicates": lambda text: ", ".join(sorted(set(text.split(", ")), key=text.split(", ").index)),
    "even_positions": lambda text: ", ".join(w for i, w in enumerate(text.split(", "), 1) if i % 2 == 0),
    "count_vowels": lambda text: str(len(re.findall("[aeiou]", text))),
    "count_word": lambda text: str(
        len(re.findall(rf"\b{text.split()[1]}\b", text.split("\n")[1]))
    ),
    "add_numbers": lambda text: str(sum(_numbers(text))),
    "division_remainder": lambda text: str(divmod(*_numbers(text))[1]),
    "shopping_bill": lambda text: str(sum(map(int.__mul__, _numbers(text)[::2], _numbers(text)[1::2]))),
    "words_to_number": lambda text: str(_english_value(text)),
    "from_roman": lambda text: ", ".join(str(_roman_value(sign)) for sign in text.split(", ")),
    "binary_to_decimal": lambda text: str(sum(2**place for place, bit in enumerate(reversed(text)) if bit == "1")),
    "next_by_step": lambda text: str(_numbers(text)[-1] + _numbers(text)[1] - _numbers(text)[0]),
    "weekday_later": _weekday,
    "duration": lambda text: "{} h {} min".format(
        *divmod(((_numbers(text.replace(":", " "))[2] - _numbers(text.replace(":", " "))[0]) * 60
                 + _numbers(text.replace(":", " "))[3] - _numbers(text.replace(":", " "))[1]), 60)
    ),
    "table_oldest": lambda text: sorted(_table(text), key=lambda row: int(row["age"]))[-1]["name"],
    "table_count": lambda text: str(len(re.findall(rf"\| {text.split()[-1]} \|", text))),
    "walk_position": _walk,
    "boolean_value": _python_truth,
    "to_past_tense": lambda text: re.sub(
        r"(?<= )(buys|sells|paints|draws|cleans|finds|loses|sees|hides|chooses)(?= the)",
        lambda m: {"buys": "bought", "sells": "sold", "paints": "painted", "draws": "drew", "cleans": "cleaned",
                   "finds": "found", "loses": "lost", "sees": "saw", "hides": "hid", "chooses": "chose"}[m[0]],
        text,
    ),
    "remove_doubled_word": lambda text: re.sub(r"\b(\w+) \1\b", r"\1", text),
}  # fmt: skip


@pytest.mark.parametrize("name", JUDGES)
def test_second_opinions_agree(name: str) -> None:
    blueprint = blueprints()[name]
    suite = open_suite(
        "superni/embedded",
        options={"instances": 60, "dev_instances": 0, "categories": [blueprint.category], "families": False},
    )
    for split in suite.splits:
        for row in suite.rows(split, task=name):
            assert row.instance.targets.canonical() == JUDGES[name](row.instance.input), row.instance.input


def test_number_words_go_both_ways() -> None:
    to, back = blueprints()["number_to_words"], blueprints()["words_to_number"]
    palabras, numero = blueprints()["numero_en_palabras"], blueprints()["palabras_en_numero"]
    roman, value = blueprints()["to_roman"], blueprints()["from_roman"]
    for number in [*range(0, 1000), *range(1000, 10_000, 37)]:
        assert back.answers(to.answers(str(number))[0]) == (str(number),)
        assert _english_value(to.answers(str(number))[0]) == number
        assert numero.answers(palabras.answers(f"{number}, 7")[0]) == (f"{number}, 7",)
        if 0 < number < 4000:
            assert value.answers(roman.answers(f"{number}, 1, 2")[0]) == (f"{number}, 1, 2",)
    assert palabras.answers("21, 116") == ("veintiuno, ciento dieciséis",)


DRAW = """
from taskloom.core import content_hash, open_suite
suite = open_suite("superni/embedded", seed=9, options={"instances": 2, "dev_instances": 1, "families": False})
print(content_hash([list(suite.rows(split)) for split in suite.splits]), content_hash(list(suite.tasks.values())))
"""


def test_same_bytes_in_other_processes() -> None:
    suite = open_suite("superni/embedded", seed=9, options={"instances": 2, "dev_instances": 1, "families": False})
    here = content_hash([list(suite.rows(split)) for split in suite.splits])
    for salt in ("1", "77"):
        run = subprocess.run(
            [sys.executable, "-c", DRAW],
            capture_output=True,
            text=True,
            check=True,
            env={**os.environ, "PYTHONHASHSEED": salt, "PYTHONPATH": os.pathsep.join(sys.path)},
        )
        assert run.stdout.split() == [here, content_hash(list(suite.tasks.values()))]


def test_recipe_choices() -> None:
    spanish = open_suite("superni/embedded", options={"languages": ["Spanish"], "instances": 1})
    assert all(task.facets["instruction_language"] == "Spanish" for task in spanish.tasks.values())
    few = open_suite("superni/embedded", options={"tasks": 5, "instances": 1, "families": False})
    assert len({row.task for row in few.rows("train")}) == 5
    more = open_suite("superni/embedded", options={"tasks": 9, "instances": 1, "families": False})
    assert set(few.tasks) < set(more.tasks)


def test_the_gallery_shows_every_category() -> None:
    page = (Path(__file__).parents[3] / "docs" / "gallery.md").read_text("utf-8")
    for blueprint in blueprints().values():
        assert f"\n## {blueprint.category}\n" in page
        assert blueprint.name in page
