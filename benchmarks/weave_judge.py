"""An independent judge of woven items: it reads the definition and the input, and answers; it knows no expression.

    python -m benchmarks.weave_judge             20,000 items over all operators and ten pairs of families
    python -m benchmarks.weave_judge --items 500

Stories, sales, tables, lists, shelves, passages, and inferences from what people know or think are solved here by a few
lines each. What only a dictionary knows (antonyms, parts of speech, and whether a poodle is a dog) is looked up in the
rows of its own family. Nothing of `taskloom.weave` is used but the items themselves.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable
from functools import cache
from itertools import islice

import taskloom
from taskloom.sources.lexicon import default_lexicon

NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
UNARY = [
    "upper(babi/task-1)", "quote(babi/task-2)", "json(superni/extract_price)", "rename(seti/task1-trivial)",
    "rename(babi/task-6)", "double(superni/count_vowels)", "plus(superni/extract_price,9)",
    "parity(superni/count_vowels)", "initial(superni/longest_word)", "final(superni/longest_word)",
    "length(superni/longest_word)", "reverse(superni/table_oldest)", "rest(babi/task-1)",
    "upper(reverse(babi/task-2))", "repeat(double(superni/extract_price),times=3)",
    "length(rest(superni/longest_word))",
    "upper(zest/bridges.material)", "upper(given(babi/task-1))",
    "double(given(superni/count_vowels))", "noise(babi/task-1)", "relabel(seti/task1-trivial)",
    "parity(howmany(babi/task-8))", "repeat(reverse(superni/longest_word))",
    "within(babi/task-1,tokens=1k)", "within(superni/table_oldest,tokens=1k)",
    "spanish(babi/task-1)", "upper(spanish(babi/task-2))", "plural(superni/shelf_order)", "kind(superni/shelf_order)",
    "rename(kind(superni/shelf_order))", "canbe(superni/longest_word,verb)", "spanish(given(babi/task-1))",
    "paraphrased(babi/task-1)", "reverse(paraphrased(superni/table_oldest))", "translated(babi/task-2)",
    "translated(superni/count_vowels)", "translated(seti/task1-trivial)",
]  # fmt: skip
SEVERAL = [
    "which(seti/task1-trivial,entailment)", "which(zest/bridges.material,n/a)", "which(taskbench/is-noun,true,of=5)",
    "count(seti/task1-trivial,entailment,of=5)", "count(babi/task-6,yes,of=6)", "first(babi/task-6,no,of=6)",
    "map(superni/longest_word,of=3)", "map(taskbench/is-noun,of=3)", "sort(superni/extract_price)",
    "sort(superni/table_oldest,of=3)", "json(which(babi/task-6,no))", "double(count(babi/task-6,yes,of=6))",
    "which(given(seti/task1-trivial),entailment)", "same(babi/task-1,babi/task-2)",
    "same(superni/longest_word,superni/longest_word)", "rename(same(babi/task-1,babi/task-2))",
    "first(howmany(babi/task-8),2,of=6)",
    "upper(if(babi/task-6,then=babi/task-1,else=superni/longest_word))",
]  # fmt: skip
FAMILIES = {
    "babi": "babi/task-1", "seti": "seti/task1-trivial", "zest": "zest/bridges.material",
    "superni": "superni/extract_price", "taskbench": "taskbench/is-noun",
}  # fmt: skip
LABELLED = {"seti": "seti/task1-trivial", "taskbench": "taskbench/is-noun", "babi": "babi/task-6"}


def expressions() -> list[str]:
    """Every operator, and both, if and unless over the ten pairs of families."""
    pairs = [(a, b) for place, a in enumerate(FAMILIES) for b in list(FAMILIES)[place + 1 :]]
    made = [f"both({FAMILIES[a]},{FAMILIES[b]})" for a, b in pairs if {a, b} != {"seti", "taskbench"}]
    made += ["both(seti/task1-trivial,taskbench/antonyms)"]
    for place, (a, b) in enumerate(pairs):
        deciding = next((name for name in LABELLED if name not in (a, b)), "seti")
        word = ("if", "unless")[place % 2]
        if {a, b} != {"seti", "taskbench"}:
            made.append(f"{word}({LABELLED[deciding]},then={FAMILIES[a]},else={FAMILIES[b]})")
    made.append("both(count(seti/task1-trivial,entailment,of=4),babi/task-1)")
    return [*UNARY, *SEVERAL, *made]


# -- tasks -------------------------------------------------------------------------------------------------


NEXT, MOST = 1_000_003, 12
"""How far the seed of a suite is from that which follows when it is used up, and how many are looked at."""


@cache
def _rows(suite: str, task: str | None, options: str, seed: int) -> dict[str, tuple[str, ...]]:
    found = {}
    opened = taskloom.open_suite(suite, seed=seed, options=json.loads(options))
    for split in opened.splits:
        for row in opened.rows(split, task=task):
            targets = row.instance.targets
            found[row.instance.input] = getattr(targets, "answers", None) or (targets.canonical(),)
    return found


def _looked_up(text: str, suite: str, task: str | None, options: str) -> tuple[str, ...]:
    """The acceptable answers to an input in the rows of its own suite."""
    rows = (_rows(suite, task, options, number * NEXT) for number in range(MOST))
    return next(known[text] for known in rows if text in known)


TRUE = (
    "realizes acknowledges remembers notes finds notices learns sees reveals discovers understands knows admits "
    "recognizes observes"
)
"""Verbs of what is so, whoever has it in mind; what people otherwise say, think or wish need not be."""
MATERIALS = ("granite", "sandstone", "brick", "steel", "concrete", "cast iron", "timber", "oak")


def _inference(text: str) -> tuple[str, ...]:
    """What follows from a verb is solved; whether one word says as much as another is looked up."""
    premise, hypothesis = (line.partition(": ")[2] for line in text.split("\n"))
    told = re.match(r"Someone (\w+) that (.*)", premise)
    if told is not None and told[2].lower() == hypothesis.lower():
        return ("entailment" if told[1] in TRUE.split() else "not-entailment",)
    return _looked_up(text, "seti/task1-trivial", None, '{"size": "paper"}')


def _passage(text: str) -> tuple[str, ...]:
    """The material of the first bridge that is named: what is told of another bridge, or denied, does not count."""
    passage = text.partition("\n\nQuestion:")[0]
    offered = re.search(r"offered ([\w ]+?) and ([\w ]+?) for .*? They took the (former|latter)\.", passage)
    if offered is not None:
        return (offered[1 if offered[3] == "former" else 2],)
    others = re.findall(r"(?:The )?([A-Z][\w ]+), (?:another bridge|a bridge (?:of|up|down|near|in))", passage)
    kept = [
        re.sub(r"\bnot( of)? [\w ]+|, although .*|, (and|which is) not .*", "", sentence).lower()
        for sentence in re.split(r"(?<=\.) |; |, (?:whereas|while|but) ", passage)
        if not re.match(rf"(?:The )?(?:{'|'.join(others) or 'no bridge'})", sentence)
    ]
    return next(((word,) for word in MATERIALS if any(re.search(rf"\b{word}\b", one) for one in kept)), ("n/a",))


def _word(text: str, told: str) -> tuple[str, ...]:
    name = "taskbench/is{POS=noun}[eng]" if "can be a noun" in told else "taskbench/antonyms[eng]"
    return _looked_up(text, name, None, "{}")


def _story(text: str) -> tuple[str, ...]:
    """People move, take things and put them down; a thing is with whoever holds it."""
    *told, asked = text.split("\n")
    where: dict[str, str] = {}
    holder: dict[str, str] = {}
    left: dict[str, str] = {}
    for line in told:
        if found := re.fullmatch(r"(\w+) (?:went back|went|moved|travelled|journeyed) to the (\w+)\.", line):
            where[found[1]] = found[2]
        elif found := re.fullmatch(r"(\w+) (?:got|took|grabbed|picked up) the (\w+)(?: there)?\.", line):
            holder[found[2]] = found[1]
        elif found := re.fullmatch(r"(\w+) (?:left|discarded|dropped|put down) the (\w+)(?: there)?\.", line):
            del holder[found[2]]
            left[found[2]] = where.get(found[1], "")
    if found := re.fullmatch(r"What is (\w+) carrying\?", asked):
        return (", ".join(sorted(thing for thing, person in holder.items() if person == found[1])) or "nothing",)
    if found := re.fullmatch(r"Is (\w+) in the (\w+)\?", asked):
        return ("yes" if where[found[1]] == found[2] else "no",)
    if found := re.fullmatch(r"Where is (\w+)\?", asked):
        return (where[found[1]],)
    found = re.fullmatch(r"Where is the (\w+)\?", asked)
    assert found is not None, asked
    thing = found[1]
    return (where[holder[thing]] if thing in holder else left[thing],)


PLACES_ES = {"bathroom": "baño", "bedroom": "dormitorio", "garden": "jardín", "hallway": "pasillo",
             "kitchen": "cocina", "office": "oficina"}  # fmt: skip
_KINDS = """
animal: dog cat horse cow duck frog lion bear tiger rabbit snake monkey spider whale
fruit: apple pear lemon banana cherry melon grape peach strawberry plum fig
clothing: shirt skirt shoe hat coat boot belt glove dress tie
furniture: table chair bed sofa desk lamp mirror drawer carpet wardrobe
vehicle: car bus train boat truck plane bicycle tractor ambulance taxi
tool: hammer saw drill needle shovel broom ladder rope bucket nail
instrument: piano guitar drum flute violin trumpet organ
building: house church school hospital museum factory tower castle library bank
food: egg cake soup sandwich salad cookie pizza sausage cheese
"""
KINDS = {word: line.partition(":")[0] for line in _KINDS.strip().split("\n") for word in line.split(": ")[1].split()}


def _shelf(text: str) -> tuple[str, ...]:
    """Things in a row, each directly left of the next."""
    after = dict(re.findall(r"The (\w+) stands directly left of the (\w+)\.", text))
    row = [next(thing for thing in after if thing not in after.values())]
    while row[-1] in after:
        row.append(after[row[-1]])
    return (row[-1] if "rightmost" in text else row[0],)


def leaf(told: str, text: str) -> tuple[str, ...]:
    """Every acceptable answer to one task."""
    text = "\n".join(line for line in text.split("\n"))
    if found := re.fullmatch(r"Note \d+\. [\w ]+: (.*)", text):
        return (found[1],)
    if "marks ~" in told:
        text = re.sub(r" [~^#*] ", " ", text)
    if "among lines of other text" in told:
        text = _without_other_text(text)
    if text.startswith("Premise:"):
        return _inference(text)
    if "\n\nQuestion:" in text:
        return _passage(text)
    if "stands directly left of" in text:
        return _shelf(text)
    if text.startswith("name | city | age"):
        rows = [line.split(" | ") for line in text.split("\n")[1:-1]]
        return (max(rows, key=lambda row: int(row[2]))[0],)
    if found := re.search(r" for (\d+) euros\.", text):
        return (found[1],)
    if text.endswith("?"):
        return _story(text)
    if "longest word" in told:
        return (max(text.split(", "), key=len),)
    if re.search("vowels|vocales", told):
        return (str(sum(text.count(vowel) for vowel in "aeiou")),)
    return _word(text, told)


def _without_other_text(text: str) -> str:
    """The lines of the task by their own form: sentences about the four people, or rows of a table."""
    lines = text.split("\n")
    if lines[-1] == "oldest":
        return "\n".join(line for line in lines if " | " in line or line == "oldest")
    known = r"(?:Mary|John|Sandra|Daniel) (?:went back|went|moved|travelled|journeyed) to the \w+\."
    return "\n".join([*(line for line in lines[:-1] if re.fullmatch(known, line)), lines[-1]])


# -- instructions ------------------------------------------------------------------------------------------


def _stepped(told: str, answers: tuple[str, ...]) -> set[str]:
    """The answers after the steps that an instruction names, one after the other."""
    begun = re.search(r"(?:Find the [\w ]+?, then|(?:^|[.?] )Then) (.*)", told) or re.search(
        r"^You are given a note with an? [\w ]+?\. (\w.*)", told
    )
    steps = re.split(r", then |\. ", begun[1]) if begun else []
    found = set(answers)
    for step in steps:
        times = re.search(r", (twice|three times|four times|five times) in a row", step)
        for _ in range(NUMBERS.get(times[1].partition(" ")[0], 2) if times else 1):
            found = {_step(step.lower(), step, answer) for answer in found}
    return found


def _of_word(step: str, word: str) -> str | None:
    """What a dictionary or a grammar says of a word."""
    for table, pattern in ((PLACES_ES, "translate .* into spanish"), (KINDS, "sort .* under one of these kinds")):
        if re.match(pattern, step):
            return table[word]
    if re.match("form .* plural|form its plural", step):
        return re.sub(r"(?<=[^aeiou])y$", "ie", word) + ("es" if re.search("(s|x|ch|sh)$", word) else "s")
    if found := re.match(r"decide whether .* can be an? (\w+) in any", step):
        return str({"adjective": "adj"}.get(found[1], found[1]) in default_lexicon().pos(word)).lower()
    return None


def _step(step: str, exact: str, answer: str) -> str:
    number = {"none": "0"}.get(answer, answer)
    if "in capital letters" in step and step.startswith("write"):
        return answer.upper()
    if "double quotes" in step and step.startswith("put"):
        return f'"{answer}"'
    if found := re.search(r'json object whose one key "(\w+)" has the list', step):
        return json.dumps({found[1]: [] if answer == "none" else [int(one) for one in answer.split(", ")]})
    if found := re.search(r'json object whose one key "(\w+)"', step):
        return json.dumps({found[1]: answer})
    if "the code that stands for" in step:
        codes = dict(reversed(pair.split(" for ")) for pair in exact.partition(": ")[2].rstrip(".").split(", "))
        return codes[answer]
    if re.match("count (them|the objects|the answers)", step):
        return str(0 if answer == "nothing" else len(answer.split(", ")))
    if step.startswith("double "):
        return str(2 * int(number))
    if found := re.match(r"add (\d+) to", step):
        return str(int(number) + int(found[1]))
    if "even or odd" in step and step.startswith("decide"):
        return ("even", "odd")[int(number) % 2]
    word = answer.lower()
    if (said := _of_word(step, word)) is not None:
        return said
    letters: list[tuple[str, Callable[[], str]]] = [
        ("take its first letter|take the first letter", lambda: word[0]),
        ("take its last letter|take the last letter", lambda: word[-1]),
        ("count its letters|count the letters", lambda: str(len(word))),
        ("write (it|the \\w+) backwards", lambda: word[::-1]),
        ("leave out (its|the) first letter", lambda: word[1:]),
    ]
    return next((act() for pattern, act in letters if re.match(pattern, step)), answer)


def _sections(name: str, text: str) -> list[str]:
    pieces = re.split(rf"(?:^|\n\n){name} \w+:[ \n]", text)
    return pieces[1:]


def _holds(wanted: str, answers: set[str]) -> bool:
    return wanted.strip("'").lower() in {answer.lower() for answer in answers}


def _cases(told: str, text: str) -> set[str]:
    head = re.match(r"There are (\w+) cases\. In each case, (.*)", told, re.DOTALL)
    assert head is not None
    inner = re.split(
        r" (?=Answer with the numbers? of the|Count the cases|Write the [\w ]+ of each case|Sort the cases|"
        r"Find the numbers of the cases)", head[2],
    )[0]  # fmt: skip
    found = [_stepped(inner, leaf(inner, one)) for one in _sections("Case", text)]
    assert len(found) == NUMBERS[head[1]], told
    after = told[told.index(inner) + len(inner) :] if inner in told else told
    if chosen := re.search(
        r"(numbers of the cases|Count the cases|number of the first case) whose [\w ]+ is ('[^']*'|\S+?)[,.] ",
        f"{after} ",
    ):
        right = [str(place + 1) for place, answers in enumerate(found) if _holds(chosen[2], answers)]
        if chosen[1] == "Count the cases":
            return _stepped(after, (str(len(right)),))
        if chosen[1] == "number of the first case":
            return {right[0] if right else "none"}
        return _stepped(after, (", ".join(right) or "none",))
    if "Sort the cases" in after:
        keys = [next(iter(answers)) for answers in found]
        ordered = sorted(range(len(keys)), key=lambda n: (int(keys[n]) if keys[n].isdecimal() else 0, keys[n].lower()))
        return {", ".join(str(place + 1) for place in ordered)}
    return {"; ".join(next(iter(answers)) for answers in found)}


def _parts(told: str, text: str) -> set[str]:
    told, _, steps = told.partition("\nThen ")
    if steps:
        return _stepped(f"Then {steps}", tuple(_parts(told, text)))
    rule, *lines = told.split("\n")
    asked: dict[str, str] = {}
    for line in lines:
        names, _, what = line.partition(": ")
        for name in re.findall(r"\b[ABC]\b", names):
            asked[name] = what
    pieces = dict(zip("ABC", _sections("Part", text), strict=False))
    answer = {name: answers_to(asked[name], piece) for name, piece in pieces.items() if name in asked}
    if rule.startswith("There are three parts"):
        found = re.search(r"(If|Unless) the [\w ]+ of part A is (\S+?), do part B", rule)
        assert found is not None
        holds = _holds(found[2], answer["A"]) is (found[1] == "If")
        return answer["B"] if holds else answer["C"]
    if "Do both" in rule:
        return {f"{first}; {second}" for first in answer["A"] for second in answer["B"]}
    return {"yes" if {a.lower() for a in answer["A"]} & {b.lower() for b in answer["B"]} else "no"}


def answers_to(told: str, text: str) -> set[str]:
    """Every acceptable answer to a prompt: what is told, and the input."""
    if re.match(r"There are \w+ cases\.", told):
        return _cases(told, text)
    if re.match(r"There are (?:two|three) parts", told):
        return _parts(told, text)
    if found := re.search(r"Answer '(\w+)' if it must be true, and '(\w+)' if it may be false", told):
        return {found[1] if leaf(told, text)[0] == "entailment" else found[2]}
    return _stepped(told, leaf(told, text))


def judge(suite: taskloom.Suite, count: int) -> tuple[Counter[str], list[str]]:
    """Items judged and wrong ones, by expression."""
    judged: Counter[str] = Counter()
    wrong = []
    for name, task in suite.tasks.items():
        for row in islice(suite.rows("test", task=name), count):
            told, targets = task.instruction.definition, row.instance.targets
            found = answers_to(told, row.instance.input)
            slots = getattr(targets, "slots", None)
            right = [targets.canonical()] if slots is None else ["; ".join(slot[0] for slot in slots)]
            judged[name] += 1
            if not {text.lower() for text in right} & {text.lower() for text in found}:
                wrong.append(f"{name}: {row.instance.input!r}: {right} is not among {sorted(found)}")
    return judged, wrong


def main() -> int:
    """Judge, print and say whether all was right."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--items", type=int, default=20_000)
    items = parser.parse_args().items
    texts = expressions()
    each = -(-items // len(texts))
    start = time.process_time()
    suite = taskloom.weave(*texts, options={"train": 0, "dev": 0, "test": each})
    judged, wrong = judge(suite, each)
    print(*wrong[:20], sep="\n")
    seconds = time.process_time() - start
    print(f"{judged.total():,} items of {len(judged)} expressions: {len(wrong)} wrong, {seconds:.0f} CPU seconds")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
