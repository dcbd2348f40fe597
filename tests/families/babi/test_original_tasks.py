"""The twenty original tasks, each answered again from its text by a small solver that shares no code with it."""

import re
from itertools import pairwise

import pytest

from taskloom.core import open_suite

ORDER = ("yesterday", "this morning", "this afternoon", "this evening")
STEP = {"north": (0, 1), "south": (0, -1), "east": (1, 0), "west": (-1, 0)}
SIDE = {"above": (0, 1), "below": (0, -1), "to the left of": (-1, 0), "to the right of": (1, 0)}
WORDS = ("none", "one", "two", "three")


def places(lines):
    """Who is where by the last sentence naming a place, who holds what, and what lies where, by plain replay."""
    at, holds, lies, last = {}, {}, {}, []
    for line in lines:
        text = re.sub(r"^(After that|Following that|Afterwards|Then) ", "", line)
        who = re.match(r"(\w+)(?: and (\w+))?", text)
        people = [name for name in who.groups() if name]
        if people[0] in ("he", "she", "they"):
            people = last
        last = people
        moved = re.search(r"to the (\w+)\.$", text)
        stays = re.search(r"is in the (\w+)\.$", text)
        given = re.search(r"the (\w+) to (\w+)\.$", text)
        handled = re.search(r"(\w+(?: \w+)?) the (\w+)(?: there)?\.$", text)
        if "either" in text:
            at[people[0]] = set(re.findall(r"the (\w+)", text))
        elif " not in " in text or " no longer in " in text:
            at[people[0]] = ("not", re.search(r"in the (\w+)\.", text)[1])
        elif stays:
            at[people[0]] = {stays[1]}
        elif given and re.search(r"gave|handed|passed", text):
            holds[given[1]] = given[2]
        elif moved:
            for name in people:
                at[name] = {moved[1]}
        elif re.search(r"discarded|dropped|left|put down", text):
            lies[handled[2]] = at.get(people[0])
            holds.pop(handled[2], None)
        else:
            holds[handled[2]] = people[0]
    return at, holds, lies


def where_person(lines, question):
    at, _, _ = places(lines)
    (found,) = at[re.match(r"Where is (\w+)\?", question)[1]]
    return found


def where_object(lines, question):
    at, holds, lies = places(lines)
    thing = re.match(r"Where is the (\w+)\?", question)[1]
    (found,) = at[holds[thing]] if thing in holds else lies[thing]
    return found


def where_was(lines, question):
    thing, goal = re.match(r"Where was the (\w+) before the (\w+)\?", question).groups()
    track = []
    for count in range(1, len(lines) + 1):
        at, holds, lies = places(lines[:count])
        where = at.get(holds[thing]) if thing in holds else lies.get(thing)
        place = min(where) if where else None
        if place and (not track or track[-1] != place):
            track.append(place)
    return [one for one, two in pairwise(track) if two == goal][-1]


def give(lines, question):
    gifts = [
        match.groups()
        for match in (re.match(r"(\w+) (?:gave|handed|passed) the (\w+) to (\w+)\.", line) for line in lines)
        if match
    ]
    patterns = {
        r"Who gave the (?P<o>\w+) to (?P<q>\w+)\?": 0,
        r"Who gave the (?P<o>\w+)\?": 0,
        r"Who received the (?P<o>\w+)\?": 2,
        r"Who did (?P<p>\w+) give the (?P<o>\w+) to\?": 2,
        r"What did (?P<p>\w+) give to (?P<q>\w+)\?": 1,
    }
    for pattern, wanted in patterns.items():
        match = re.fullmatch(pattern, question)
        if match:
            asked = match.groupdict()
            fits = [g for g in gifts if all(g["poq".index(key)] == value for key, value in asked.items())]
            return fits[-1][wanted]
    raise AssertionError(question)


def yes_no(lines, question):
    at, _, _ = places(lines)
    who, place = re.match(r"Is (\w+) in the (\w+)\?", question).groups()
    known = at[who]
    if isinstance(known, tuple):
        return "no" if known[1] == place else "maybe"
    return "yes" if known == {place} else "maybe" if place in known else "no"


def carrying(lines, question):
    _, holds, _ = places(lines)
    who = re.search(r"is (\w+) carrying", question)[1]
    return sorted(thing for thing, holder in holds.items() if holder == who)


def relation(lines, question):
    facts = [re.match(r"The (\w+) is (\w+) of the (\w+)\.", line).groups() for line in lines]
    turn = {"north": "south", "south": "north", "east": "west", "west": "east"}
    facts += [(other, turn[direction], one) for one, direction, other in facts]
    asked = re.match(r"What is (\w+) of the (\w+)\?", question)
    if asked:
        (found,) = {one for one, direction, other in facts if (direction, other) == asked.groups()}
    else:
        one, direction = re.match(r"What is the (\w+) (\w+) of\?", question).groups()
        (found,) = {other for who, way, other in facts if (who, way) == (one, direction)}
    return found


def time(lines, question):
    who, goal = re.match(r"Where was (\w+) before the (\w+)\?", question).groups()
    moves = []
    for line in lines:
        date = next(index for index, name in enumerate(ORDER) if name in line.lower())
        if re.search(rf"\b{who}\b", line):
            moves.append((date, re.search(r"to the (\w+)", line)[1]))
    track = [place for _, place in sorted(moves)]
    return track[track.index(goal) - 1]


def deduction(lines, question):
    kinds = dict(re.match(r"(\w+) is a (\w+)\.", line).groups() for line in lines if " is a " in line)
    fears = dict(re.match(r"(\w+) are afraid of (\w+)\.", line).groups() for line in lines if "afraid" in line)
    plural = {"mouse": "Mice", "sheep": "Sheep", "wolf": "Wolves", "cat": "Cats"}
    back = {name.lower(): kind for kind, name in plural.items()}
    return back[fears[plural[kinds[re.search(r"is (\w+) afraid", question)[1]]]]]


def induction(lines, question):
    kinds = dict(re.match(r"(\w+) is a (\w+)\.", line).groups() for line in lines if " is a " in line)
    colours = dict(re.match(r"(\w+) is (\w+)\.", line).groups() for line in lines if " is a " not in line)
    asked = re.search(r"color is (\w+)", question)[1]
    (found,) = {colour for name, colour in colours.items() if kinds[name] == kinds[asked]}
    return found


def grid(facts):
    """Coordinates of everything from facts (one, step, other), starting anywhere."""
    spots = {facts[0][0]: (0, 0)}
    for _ in facts:
        for one, (dx, dy), other in facts:
            if other in spots and one not in spots:
                spots[one] = (spots[other][0] + dx, spots[other][1] + dy)
            if one in spots and other not in spots:
                spots[other] = (spots[one][0] - dx, spots[one][1] - dy)
    return spots


def position(lines, question):
    sides = "|".join(SIDE)
    facts = [re.match(rf"The (.+) is ({sides}) the (.+)\.", line).groups() for line in lines]
    spots = grid([(one, SIDE[side], other) for one, side, other in facts])
    one, side, other = re.match(rf"Is the (.+) ({sides}) the (.+)\?", question).groups()
    axis = 0 if SIDE[side][0] else 1
    offset = spots[one][axis] - spots[other][axis]
    assert offset, "an axis without offset is never asked"
    return "yes" if offset * SIDE[side][axis] > 0 else "no"


def size(lines, question):
    bigger = set()
    for line in lines:
        match = re.match(r"The (.+) is bigger than the (.+)\.", line)
        bigger.add(match.groups() if match else re.match(r"The (.+) fits inside the (.+)\.", line).groups()[::-1])
    for _ in range(6):
        bigger |= {(one, four) for one, two in bigger for three, four in bigger if two == three}
    match = re.match(r"Is the (.+) bigger than the (.+)\?", question)
    pair = match.groups() if match else re.match(r"Does the (.+) fit in the (.+)\?", question).groups()[::-1]
    assert pair in bigger or pair[::-1] in bigger
    return "yes" if pair in bigger else "no"


def path(lines, question):
    facts = [re.match(r"The (\w+) is (\w+) of the (\w+)\.", line).groups() for line in lines]
    spots = grid([(one, STEP[direction], other) for one, direction, other in facts])
    assert len(set(spots.values())) == len(spots) == 6
    start, end = re.match(r"How do you go from the (\w+) to the (\w+)\?", question).groups()
    near = {frozenset((one, other)) for one, _, other in facts}
    middle = next(m for m in spots if {frozenset((start, m)), frozenset((m, end))} <= near)
    names = {step: direction[0] for direction, step in STEP.items()}
    hops = pairwise((start, middle, end))
    return ",".join(names[spots[b][0] - spots[a][0], spots[b][1] - spots[a][1]] for a, b in hops)


def motivation(lines, question):
    goal = {"hungry": "kitchen", "thirsty": "kitchen", "bored": "garden", "tired": "bedroom"}
    who = re.search(r"(?:will|did) (\w+)", question)[1]
    state = next(re.match(rf"{who} is (\w+)\.", line)[1] for line in lines if line.startswith(f"{who} is "))
    return goal[state] if question.startswith("Where") else state


SOLVERS = {
    1: where_person,
    2: where_object,
    3: where_was,
    4: relation,
    5: give,
    6: yes_no,
    7: lambda lines, question: WORDS[len(carrying(lines, question))],
    8: lambda lines, question: ", ".join(carrying(lines, question)) or "nothing",
    9: yes_no,
    10: yes_no,
    11: where_person,
    12: where_person,
    13: where_person,
    14: time,
    15: deduction,
    16: induction,
    17: position,
    18: size,
    19: path,
    20: motivation,
}
NEEDED = {1: {1}, 2: {2}, 3: {3}, 4: {1}, 5: {1}, 6: {1}, 9: {1}, 10: {1}, 11: {2}, 12: {1}, 13: {2}, 14: {2}}
NEEDED |= {15: {2}, 16: {3}, 17: {1, 2}, 18: {2}, 19: {2}, 20: {1}}
ALONE = (1, 4, 5, 6, 9, 10, 11, 12, 13, 15, 18, 20)


@pytest.mark.parametrize("number", SOLVERS)
def test_answers_hold_from_the_text_and_from_the_support(number):
    train = 30 if number == 3 else 150  # the stories of task 3 are long and its solver slow
    suite = open_suite(f"babi/task-{number}", seed=9, options={"train": train, "dev": 20, "test": 20})
    solve = SOLVERS[number]
    seen = set()
    for split in suite.splits:
        for _, instance in suite.rows(split):
            lines = instance.parts["story"].split("\n")
            question = instance.parts["question"]
            answer = instance.targets.canonical()
            assert solve(lines, question) == answer, instance.input
            support = [lines[line - 1] for line in instance.details["support"]]
            assert len(support) in NEEDED.get(number, range(1, 20))
            if number in ALONE:
                assert solve(support, question) == answer
            assert (split, instance.input) not in seen
            seen.add((split, instance.input))


@pytest.mark.parametrize("number", [6, 9, 10, 17, 18])
def test_yes_and_no_are_balanced(number):
    suite = open_suite(f"babi/task-{number}", options={"train": 600, "dev": 0, "test": 0})
    answers = [row.instance.targets.canonical() for row in suite.rows("train")]
    assert 0.3 < answers.count("yes") / 600 < 0.65
    assert 0.3 < answers.count("no") / 600 < 0.65
    if number == 10:
        assert answers.count("maybe") > 60


def test_no_action_is_impossible():
    """Task 5: gifts come from people who hold the thing, to people who may be with them."""
    suite = open_suite("babi/task-5", options={"train": 300, "dev": 0, "test": 0})
    for row in suite.rows("train"):
        holder = {}
        for line in row.instance.parts["story"].split("\n"):
            gift = re.match(r"(\w+) (?:gave|handed|passed) the (\w+) to (\w+)\.", line)
            if gift:
                assert holder[gift[2]] == gift[1]
                holder[gift[2]] = gift[3]
            elif got := re.match(r"(\w+) (?:grabbed|picked up|took|got) the (\w+) there\.", line):
                assert holder.get(got[2]) is None
                holder[got[2]] = got[1]
            elif lost := re.match(r"(\w+) (?:discarded|dropped|left|put down) the (\w+)(?: there)?\.", line):
                assert holder.pop(lost[2]) == lost[1]


def test_a_task_with_few_stories_says_so_instead_of_repeating_them():
    from taskloom.core import UserError

    with pytest.raises(UserError, match="different stories in total"):
        open_suite("babi/task-4", options={"train": 60_000, "dev": 0, "test": 0}).draw("train")
