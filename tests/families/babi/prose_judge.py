"""Prose turned back into plain sentences by hand-written rules; shares nothing with the files of the languages."""

import re

N, W = r"([A-Z]\w+)", r"(\w+)"
GO = r"(?:journeyed|moved|travelled|went back|went)"
TAKE = r"(?:grabbed|picked up|took|got)"
DROP = r"(?:discarded|dropped|left|put down)"
GIVE = r"(?:gave|handed|passed)"
PLAIN = re.compile(
    rf"(?:(?:After that|Following that|Afterwards|Then) (?:he|she|they)|{N}(?: and {N})?) (?:{GO} to the {W}|"
    rf"(?:{TAKE}|{DROP}) the {W}|{GIVE} the {W} to {N}|is (?:(?:not|no longer) )?in the {W}|"
    rf"is either in the {W} or the {W})"
)
OPENINGS = (
    "A little later|Soon after|Some time later|After a while|Before long|By and by|In due course|Shortly afterwards|"
    "At this point|Next"
)
FORMS = {
    rf"{N} made a trip to the {W}": "{0} went to the {1}",
    rf"{N} headed for the {W} and got there": "{0} went to the {1}",
    rf"Off to the {W} {GO} {N}": "{1} went to the {0}",
    rf"The {W} was where {N} {GO} to": "{1} went to the {0}",
    rf"{N} left for the {W}, arriving soon": "{0} went to the {1}",
    rf"It was the {W} that {N} {GO} to": "{1} went to the {0}",
    rf"The {W} was taken by {N}": "{1} took the {0}",
    rf"It was {N} who {TAKE} the {W}": "{0} took the {1}",
    rf"{N} {TAKE} the {W} for now": "{0} took the {1}",
    rf"The {W} is what {N} {TAKE}": "{1} took the {0}",
    rf"{N} got hold of the {W}": "{0} took the {1}",
    rf"The {W} was put down by {N}": "{1} dropped the {0}",
    rf"It was {N} who {DROP} the {W}": "{0} dropped the {1}",
    rf"{N} {DROP} the {W} on the spot": "{0} dropped the {1}",
    rf"The {W} is what {N} {DROP}": "{1} dropped the {0}",
    rf"{N} did not keep the {W} but put it down": "{0} dropped the {1}",
    rf"The {W} was given to {N} by {N}": "{2} gave the {0} to {1}",
    rf"{N} (?:got|received) the {W} from {N}": "{2} gave the {1} to {0}",
    rf"{N} let {N} have the {W}": "{0} gave the {2} to {1}",
    rf"It was {N} whom {N} {GIVE} the {W} to": "{1} gave the {2} to {0}",
    rf"{N} {GO} to the {W} together with {N}": "{0} and {2} went to the {1}",
    rf"Side by side, {N} and {N} {GO} to the {W}": "{0} and {1} went to the {2}",
    rf"It was the {W} that {N} and {N} {GO} to": "{1} and {2} went to the {0}",
    rf"{N} and {N} made a trip to the {W}": "{0} and {1} went to the {2}",
    rf"The place to find {N} is the {W}": "{0} is in the {1}",
    rf"{N} can be found in the {W}": "{0} is in the {1}",
    rf"As for {N}, the {W} is the place": "{0} is in the {1}",
    rf"The {W} is not where {N} is": "{1} is not in the {0}",
    rf"As for {N}, the {W} is not the place": "{0} is not in the {1}",
    rf"{N} is anywhere but in the {W}": "{0} is not in the {1}",
    rf"{N} was in the {W} but is not there any more": "{0} is no longer in the {1}",
    rf"The {W} is no longer where {N} is": "{1} is no longer in the {0}",
    rf"The place to find {N} is either the {W} or the {W}": "{0} is either in the {1} or the {2}",
    rf"{N} can be found in the {W} or in the {W}": "{0} is either in the {1} or the {2}",
    rf"As for {N}, it is either the {W} or the {W}": "{0} is either in the {1} or the {2}",
}
PAIRS = {
    (rf"{N} set out for the {W}", r"(?:He|She) arrived there without delay"): "{0} went to the {1}",
    (rf"{N} felt like seeing the {W}", "So that is where (?:he|she) went"): "{0} went to the {1}",
    (rf"There was something to do in the {W}", rf"So {N} went there"): "{1} went to the {0}",
    (rf"{N} noticed the {W} close by", "(?:He|She) picked it up"): "{0} took the {1}",
    (rf"The {W} was within reach of {N}", "(?:He|She) took it"): "{1} took the {0}",
    (rf"{N} needed the {W}", "(?:He|She) reached out and took it"): "{0} took the {1}",
    (rf"{N} was tired of carrying the {W}", "(?:He|She) put it down"): "{0} dropped the {1}",
    (rf"{N} did not want the {W} any longer", "(?:He|She) dropped it right there"): "{0} dropped the {1}",
    (rf"{N} held out the {W} to {N}", rf"{N} took it"): "{0} gave the {1} to {2}",
    (rf"{N} asked {N} for the {W}", rf"{N} was given it"): "{1} gave the {2} to {0}",
    (rf"{N} and {N} set out for the {W}", "They arrived there without delay"): "{0} and {1} went to the {2}",
    (rf"There was news of {N}", rf"(?:He|She) is in the {W}"): "{0} is in the {1}",
    (rf"The {W} is not empty", rf"{N} is there"): "{1} is in the {0}",
    (rf"There was news of {N}", rf"(?:He|She) is not in the {W}"): "{0} is not in the {1}",
    (rf"Looking around the {W} is no use", rf"{N} is not there"): "{1} is not in the {0}",
    (rf"There was news of {N}", rf"(?:He|She) is no longer in the {W}"): "{0} is no longer in the {1}",
    (rf"There was news of {N}", rf"(?:He|She) is either in the {W} or the {W}"): "{0} is either in the {1} or the {2}",
    (rf"It has to be the {W} or the {W}", rf"One of them is where {N} is"): "{2} is either in the {0} or the {1}",
}
# (in front, between, whether the second part comes first, whether it leaves out its subject)
JOINS = [
    ("Before ", ", ", True, False), ("After ", ", ", False, False), ("Once ", ", ", False, False),
    ("", " before ", False, False), ("", " after ", True, False), ("", ", and after that ", False, False),
    ("", ", and before long ", False, False), ("", ", then ", False, False), ("", ", and ", False, False),
    ("", "; ", False, False), ("", ", then ", False, True), ("", " and then ", False, True), ("", " and ", False, True),
]  # fmt: skip


def plainly(lines):
    """The plain sentences that prose tells, each with the numbers of the sentences that tell it."""
    found, number = [], 0
    while number < len(lines):
        texts, taken = _read(lines, number)
        found += [(f"{text}.", set(range(number, number + taken))) for text in texts]
        number += taken
    return found


def _read(lines, number):
    line = lines[number].removesuffix(".")
    if PLAIN.fullmatch(line):
        return [line], 1
    opened = re.fullmatch(rf"(?:{OPENINGS}), (.*)", line)
    if opened and PLAIN.fullmatch(opened[1]):
        return [opened[1]], 1
    for form, plain in FORMS.items():
        match = re.fullmatch(form, line)
        if match:
            return [plain.format(*match.groups())], 1
    after = lines[number + 1].removesuffix(".") if number + 1 < len(lines) else ""
    for (one, two), plain in PAIRS.items():
        first, second = re.fullmatch(one, line), re.fullmatch(two, after)
        if first and second:
            return [plain.format(*first.groups(), *second.groups())], 2
    return _apart(line), 1


def _apart(line):
    for head, middle, turned, leaves_out in JOINS:
        inner = line.removeprefix(head)
        for cut in re.finditer(re.escape(middle), inner) if line.startswith(head) else ():
            one, two = inner[: cut.start()], inner[cut.end() :]
            if leaves_out and PLAIN.fullmatch(one):
                who = re.match(r"[A-Z]\w+(?: and [A-Z]\w+)?", one)[0]
                if PLAIN.fullmatch(f"{who} {two}"):
                    return [one, f"Then {'they' if ' and ' in who else 'she'} {two}"]
            elif PLAIN.fullmatch(one) and PLAIN.fullmatch(two):
                return [two, one] if turned else [one, two]
    raise AssertionError(f"the judge cannot read {line!r}")
