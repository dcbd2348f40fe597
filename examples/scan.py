"""SCAN: commands such as "jump around left twice", to be carried out as a sequence of actions.

Lake and Baroni 2018. Generalization without Systematicity: On the Compositional Skills of Sequence-to-Sequence
Recurrent Networks. ICML. The split around-right is from Loula, Baroni and Lake 2018, Rearranging the Familiar. The
grammar and the sizes are the papers'; no file of theirs is needed.

    taskloom run examples/scan.py --model mock/majority -T tasks=[length] -o runs/scan
    taskloom probe examples/scan.py --model mock/majority -T tasks=[simple] -P budget=500 -o probes/scan

Published sizes (train/test): simple 16,728/4,182, length 16,990/3,920, add-jump 14,670/7,706, around-right
15,225/4,476. They leave next to no command over: a probe asks about test commands, and combinations that only training
holds cannot be asked. With `-T train=12000` the rest of the training commands is asked about instead.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import taskloom
from taskloom import Item

VERBS = ("walk", "look", "run", "jump")
ACTIONS = {verb: f"I_{verb.upper()}" for verb in VERBS} | {"turn": ""}
TURNS = {"left": "I_TURN_LEFT", "right": "I_TURN_RIGHT"}

DEFINITION = """Translate the command into a sequence of actions, separated by blanks. The actions are I_WALK, I_LOOK, \
I_RUN, I_JUMP, I_TURN_LEFT and I_TURN_RIGHT. "left" and "right" turn before the action, "opposite" turns twice before \
it, "around" turns and acts four times. "twice" and "thrice" repeat. "X and Y" does X, then Y; "X after Y" does Y, \
then X."""


def phrases() -> list[str]:
    """Everything that stands between conjunctions: 102 phrases."""
    moves = list(VERBS)
    for verb in ACTIONS:
        moves += [f"{verb} {how}{side}" for how in ("", "opposite ", "around ") for side in TURNS]
    return [f"{move}{times}" for move in moves for times in ("", " twice", " thrice")]


def commands() -> list[str]:
    """All 20,910 commands."""
    single = phrases()
    return single + [f"{one} {link} {two}" for one in single for link in ("and", "after") for two in single]


def act(command: str) -> list[str]:
    """What a command means."""
    for link in (" and ", " after "):
        if link in command:
            one, two = map(act, command.split(link))
            return one + two if link == " and " else two + one
    verb, *rest = command.split()
    done = [ACTIONS[verb]]
    if rest and rest[-1] in ("twice", "thrice"):
        return act(" ".join([verb, *rest[:-1]])) * (2 if rest[-1] == "twice" else 3)
    if rest:
        turn = TURNS[rest[-1]]
        done = {"opposite": [turn, turn, *done], "around": [turn, *done] * 4}.get(rest[0], [turn, *done])
    return [action for action in done if action]


SKILLS = {
    "turn": "(?<!around )(?<!opposite )(left|right)",
    "repeat": "twice|thrice",
    **{word: word for word in ("jump", "opposite", "around left", "around right", " and", " after")},
}


def needs(command: str) -> set[str]:
    """The skills of a command: ways to turn, repetition, the conjunction, and the verb of the split add-jump."""
    return {skill.strip() for skill, shown in SKILLS.items() if re.search(shown, command)}


COMMANDS = commands()
KNOWN = ("walk", "look left twice", "run and turn left")  # shown as examples; every split trains on them
DRAWN = {*KNOWN, *Random(2018).sample([each for each in COMMANDS if each not in KNOWN], 16_728 - len(KNOWN))}


def by_chance(item: Item) -> str:
    """Four fifths for training."""
    return "train" if item.input in DRAWN else "test"


def by_length(item: Item) -> str:
    """Up to 22 actions for training, 24 to 48 for the test."""
    return "train" if len(item.answer.canonical().split()) <= 22 else "test"


def by_jump(item: Item) -> str:
    """Jumping is trained alone."""
    return "test" if "jump" in item.input and item.input != "jump" else "train"


def by_template(item: Item) -> str | None:
    """Nothing is trained to the right around; turning itself is left out."""
    if "around right" not in item.input:
        return "train"
    return None if "turn around right" in item.input else "test"


def divided(name: str, rule: Callable[[Item], str | None], jumps: int = 1) -> taskloom.Blueprint:
    """All commands, divided by a rule. Training on add-jump repeats the one command that says what jumping is."""

    def command(rng: Random, key: int) -> Item:
        text = COMMANDS[key]
        return Item(text, " ".join(act(text)), skills=needs(text), copies=jumps if text == "jump" else 1)

    shown = [(text, " ".join(act(text)), "The rules of the definition give it.") for text in KNOWN]
    return taskloom.task(name=name, definition=DEFINITION, right=shown, keys=len(COMMANDS), split=rule)(command)


TASKS = [
    divided("simple", by_chance),
    divided("length", by_length),
    divided("add-jump", by_jump, jumps=1_467),
    divided("around-right", by_template),
]
SCAN = taskloom.Suite.of(TASKS, train=None, test=None, name="scan")
