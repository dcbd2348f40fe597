"""The table of readings: what the readers make of every way to say an answer, so that a change is always seen.

    python scripts/readings.py            compare with the table; show what is read otherwise, exit 1
    python scripts/readings.py --write    write the table anew (with a line in CHANGELOG.md where scores change)

The ways to say an answer are those of `tests/score/styles.toml`, each tried on tasks of five kinds, and some of them
in a row. A mark of four letters covers what one of the strict readers and the patient lenient rules read, why, both
scores, what is read at a glance, and what is remembered of the wording.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator
from hashlib import blake2b
from pathlib import Path
from typing import NamedTuple

from taskloom.core import Example, Instance, Instruction, Items, Product, Structure, Targets, Task, any_of
from taskloom.core.catalog import READERS, SCORERS
from taskloom.core.reader import Reader, Reading
from taskloom.score.normalise import squeezed
from taskloom.score.read import recall
from taskloom.score.read.glance import at_a_glance, plain_sentence
from taskloom.score.read.lenient import LENIENT
from taskloom.score.read.profile import Profile, profile_of

TESTS = Path(__file__).resolve().parent.parent / "tests" / "score"
TABLE = TESTS / "readings.json"
sys.path.insert(0, str(TESTS))

from styles import ROUNDS, Round, parts_of, say  # noqa: E402


class Setting(NamedTuple):
    """A task with one instance and an answer that is wrong there."""

    task: Task
    instance: Instance
    wrong: str


def _setting(
    kind: str, scorer: str, definition: str, example: tuple[str, str], labels: tuple[str, ...], asked: str,
    right: Targets, wrong: str,
) -> Setting:  # fmt: skip
    task = Task("t", Instruction(definition, (Example(*example),)), kind, scorer, labels)
    return Setting(task, Instance("i", asked, right, {}, {"question": asked.rsplit("\n", 1)[-1]}), wrong)


STRICT = ("whole", "first-line", "last-line", "after-marker", "boxed")
STEPS = (0, 2, 3, 7, 8)
"""Which settings each way is tried on, counted from its own number."""
STORY = "Daniel journeyed to the office.\nSandra journeyed to the bedroom."
SETTINGS = (
    _setting("text", "exact", "Say where the person is. Answer with the name of the place only.",
             ("Mary went to the garden.\nWhere is Mary?", "garden"), (), f"{STORY}\nWhere is Daniel?",
             any_of("office"), "bedroom"),
    _setting("label", "label", "Answer 'yes', 'no' or 'maybe'.", ("Is Mary in the garden?", "yes"),
             ("yes", "no", "maybe"), f"{STORY}\nIs Daniel in the bedroom?", any_of("no"), "yes"),
    _setting("label", "label", "Answer 'entailment' or 'not-entailment'.", ("Premise: A\nHypothesis: B", "entailment"),
             ("entailment", "not-entailment"), "Premise: Bo hopes that Ann runs.\nHypothesis: Ann runs.",
             any_of("not-entailment"), "entailment"),
    _setting("number", "number", "Count the vowels. Answer in digits.", ("red boat", "3"), (),
             "the old sailor sings", any_of("7"), "5"),
    _setting("items", "items", "Answer with the objects, or 'nothing'.", ("What is Mary carrying?", "apple, milk"), (),
             "Mary got the apple and the milk.\nWhat is Mary carrying?", Items((("apple", "milk"),)), "football"),
    _setting("text", "zest/fair", "Answer with words of the passage, or n/a if the passage does not say.",
             ("Question: How heavy is it?", "58 kilograms"), (),
             "The statue was cast in 1911 and weighs 40 tons.\nQuestion: How heavy is the statue?", any_of("40 tons"),
             "1911"),
    _setting("text", "zest/fair", "Answer with words of the passage, or n/a if the passage does not say.",
             ("Question: How heavy is it?", "58 kilograms"), (), "The statue was cast in 1911.\nQuestion: Who cast it?",
             any_of("n/a"), "1911"),
    _setting("json", "structure", 'Answer with a JSON list of objects with the keys "a", "b", or n/a.',
             ("two rows", '[{"a": 1, "b": "x"}]'), (), "one row, a is 3 and b is y",
             Structure(('[{"a":3,"b":"y"}]',)), '[{"a":4,"b":"y"}]'),
    _setting("text", "exact", "Negate the sentence.", ("Ann runs home.", "Ann does not run home."), (), "Bo sings.",
             any_of("Bo does not sing."), "Bo sings."),
    _setting("text", "exact", "Write each word with a capital letter.", ("old hat", "Old Hat"), (), "red boat",
             any_of("Red Boat"), "red boat"),
    _setting("sequence", "words", "Put the words in the order of the alphabet.", ("pear fig", "fig pear"), (),
             "lime apple", Product((("apple",), ("lime",)), " "), "lime apple"),
)  # fmt: skip


def _in_a_row() -> Iterator[str]:
    """Two ways after each other, and one after more or less talk: what stands where, and how long it is."""
    ways = [way for written in ROUNDS for way in (*written.styles, *written.hedges)]
    joints = ("\n", " ", "\n\n", ", so ", "; ", "\n- ", " (", "? ")
    for number in range(560):
        first, second = ways[7 * number % len(ways)], ways[(11 * number + 5) % len(ways)]
        yield first + joints[number % len(joints)] + second
    for number in range(240):
        yield "One more word of it. " * (number % 8) + "and more " * (number % 13) + ways[13 * number % len(ways)]


EVERY = (*ROUNDS, Round("in a row", list(_in_a_row()), []))


def readings(number: int, template: str) -> Iterator[tuple[str, object]]:
    """(what was said, what was read) for a template, on some of the settings."""
    for step in STEPS:
        task, instance, wrong = SETTINGS[(number + step) % len(SETTINGS)]
        said = say(template, parts_of(instance), task, instance, wrong)
        letter = READERS.get(STRICT[number % len(STRICT)])
        strict = letter.read(said, task, instance.input)
        text, profile = squeezed(said), profile_of(task)
        patient = LENIENT._read(text, profile, instance.input)
        scores = [_score(*pair, task, instance) for pair in ((letter, strict), (LENIENT, patient))]
        quick = at_a_glance(text, profile), plain_sentence(text, profile)
        yield said, (strict, patient, scores, quick, _remembered(text, patient, profile, instance.input))


def _remembered(text: str, reading: Reading, profile: Profile, prompt: str) -> Reading | None:
    """What is remembered of a reading when the same is said again."""
    said = recall.wording(text, profile, prompt)
    if said is None:
        return None
    recall._known.clear()
    recall.learn(said, reading, profile, prompt)
    return recall.recall(said, profile, prompt)


def _score(reader: Reader, found: Reading, task: Task, instance: Instance) -> float:
    if found.answer is None and not found.said:
        return 0.0
    scorer = SCORERS.get(task.scorer)
    return round(reader.grade(found.answer or "", scorer, instance.targets, task, found.said).value, 6)


def mark(number: int, template: str) -> str:
    """Four letters for all that is read in a template."""
    return blake2b(repr([read for _, read in readings(number, template)]).encode(), digest_size=2).hexdigest()


def table() -> dict[str, str]:
    """For every round the marks of its styles and hedges, in their order."""
    return {
        written.name: " ".join(mark(*numbered) for numbered in enumerate((*written.styles, *written.hedges)))
        for written in EVERY
    }


def changed(written: Round, known: str) -> list[str]:
    """What of a round is not read as the table says, with what is read now."""
    marks, found = known.split(), []
    for number, template in enumerate((*written.styles, *written.hedges)):
        if marks[number : number + 1] != [mark(number, template)]:
            found += [f"{said!r}: {read}" for said, read in readings(number, template)]
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--write", action="store_true", help="write the table anew")
    if parser.parse_args().write:
        TABLE.write_text(json.dumps(table(), indent=1) + "\n", "utf-8")
        return 0
    known = json.loads(TABLE.read_text("utf-8"))
    differences = [line for written in EVERY for line in changed(written, known.get(written.name, ""))]
    print("\n".join(differences) or "everything is read as the table says")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main())
