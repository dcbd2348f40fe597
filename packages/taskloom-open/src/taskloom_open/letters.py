"""Tasks from English texts: scripture, poetry, drama, reviews, messages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random

from taskloom.author import Blueprint
from taskloom_open.archives import SourceText, read_table
from taskloom_open.kit import WorkedItem, choices, define, rows


def letters() -> Iterator[Blueprint]:
    """Every task of this module."""
    yield from _scripture()
    yield from _poetry()
    yield from _stage()
    yield from _reviews()


def _runs(length: int) -> list[list[SourceText]]:
    """Successive verses of one part, not overlapping."""
    held = {row.more["n"]: row for row in rows("bible", "a")}
    found, place = [], 0
    numbers = sorted(held)
    while place + length <= len(numbers):
        run = numbers[place : place + length]
        if run[-1] - run[0] == length - 1 and all(6 <= len(held[n].text.split()) <= 35 for n in run):
            found.append([held[n] for n in run])
            place += length
        else:
            place += 1
    return found


def _scripture() -> Iterator[Blueprint]:
    held = [row for row in rows("bible", "a") if row.text != row.more["asv"] and 8 <= len(row.text.split()) <= 30]
    changed = [row for row in held if len(set(row.text.lower().split()) ^ set(row.more["asv"].lower().split())) >= 4]

    def paraphrase(rng: Random, key: int) -> WorkedItem:
        row = changed[key]
        options, wrong = choices(rng, row.more["asv"], [one.more["asv"] for one in rng.sample(changed, 4)], 3)
        return WorkedItem(
            f"{row.text}\n" + "\n".join(f"- {text}" for text in options),
            row.more["asv"],
            "The verse says the same in other words.",
            wrong,
            "This is another verse.",
            (row.id,),
        )

    yield define("paraphrase_verse", paraphrase, table="bible", keys=len(changed), scorer="rouge-l", suffix="")
    old = [
        row
        for row in rows("bible", "a")
        if re.search(r"\b(ye|thou|thee|thy)\b", row.text) and 6 <= len(row.text.split()) <= 24
    ]
    modern = {"ye": "you", "thou": "you", "thee": "you", "thy": "your"}

    def style(rng: Random, key: int) -> WorkedItem:
        row = old[key]
        right = re.sub(r"\b(ye|thou|thee|thy)\b", lambda match: modern[match[1]], row.text)
        return WorkedItem(
            row.text,
            right,
            "'ye', 'thou' and 'thee' became 'you', and 'thy' became 'your'.",
            row.text,
            "The old pronouns are still there.",
            (row.id,),
        )

    yield define("modern_pronouns", style, table="bible", keys=len(old), scorer="rouge-l", suffix="")
    threes = _runs(4)

    def next_verse(rng: Random, key: int) -> WorkedItem:
        run = threes[key]
        strays = [other[3].text for other in rng.sample(threes, 3) if other is not run]
        options = [run[2].text, *strays[:2]]
        rng.shuffle(options)
        listed = "\n".join(f"{letter}: {text}" for letter, text in zip("ABC", options, strict=False))
        answer = "ABC"[options.index(run[2].text)]
        return WorkedItem(
            f"{run[0].text} {run[1].text}\n{listed}",
            answer,
            "It takes up the story where the text ends.",
            next(one for one in "ABC" if one != answer),
            "That sentence belongs to another passage.",
            tuple(r.id for r in run[:3]),
        )

    yield define("continue_story", next_verse, table="bible", keys=len(threes), labels=("A", "B", "C"), suffix="")

    def complete(rng: Random, key: int) -> WorkedItem:
        row, stray = held[key], held[(key + 5) % len(held)]
        words = row.text.split()
        half = len(words) // 2
        return WorkedItem(
            " ".join(words[:half]) + " …",
            " ".join(words[half:]),
            "These words end the verse in the translation that is used here.",
            " ".join(stray.text.split()[len(stray.text.split()) // 2 :]),
            "This is the end of another verse.",
            (row.id,),
        )

    yield define("complete_verse", complete, table="bible", keys=len(held), scorer="rouge-l", suffix="")


def _poetry() -> Iterator[Blueprint]:
    held = {row.id: row for row in rows("sonnets", "a")}
    pairs = [
        (row, held[f"sonnet-{row.more['sonnet']}-{row.more['line'] + 1}"])
        for row in held.values()
        if f"sonnet-{row.more['sonnet']}-{row.more['line'] + 1}" in held and row.more["line"] < 13
    ]

    def next_line(rng: Random, key: int) -> WorkedItem:
        line, following = pairs[key]
        strays = [two for one, two in rng.sample(pairs, 6) if two.more["sonnet"] != line.more["sonnet"]]
        options, wrong = choices(rng, following.text, [row.text for row in strays], 3)
        return WorkedItem(
            f"{line.text}\n" + "\n".join(f"- {text}" for text in options),
            following.text,
            "It carries the sentence of the first line on.",
            wrong,
            "This line stands in another poem.",
            (line.id, following.id),
        )

    yield define("next_line_of_poem", next_line, table="sonnets", keys=len(pairs), scorer="exact", suffix="")
    couplets = [
        (held[f"sonnet-{n}-12"], held[f"sonnet-{n}-13"])
        for n in range(1, 155)
        if f"sonnet-{n}-12" in held and f"sonnet-{n}-13" in held
    ]
    quatrains = [
        [held[f"sonnet-{n}-{start + k}"] for k in range(4)]
        for n in range(1, 155)
        for start in (0, 4, 8)
        if all(f"sonnet-{n}-{start + k}" in held for k in range(4))
    ]
    assert couplets

    def order(rng: Random, key: int) -> WorkedItem:
        first, *middle, last = quatrains[key]
        mixed = rng.sample(middle, 2)
        answer = "".join("AB"[mixed.index(row)] for row in middle)
        listed = "\n".join(f"{letter}: {row.text}" for letter, row in zip("AB", mixed, strict=True))
        return WorkedItem(
            f"{first.text}\n…\n…\n{last.text}\n{listed}",
            answer,
            "The third line rhymes with the first, and the second with the fourth.",
            answer[::-1],
            "In this order the lines do not rhyme.",
            tuple(row.id for row in quatrains[key]),
        )

    yield define("order_lines_of_poem", order, table="sonnets", keys=len(quatrains), scorer="exact", suffix="")


_DIRECTION = re.compile(
    r"[A-Z]{3}|\b(?:Aside|Dies|Draws|Drinks|Enters?|Exit|Exeunt|Falls|Kneels|Reads|Re-enter|Retires|Sings|Stabs|Throws)\b"
)


def _stage() -> Iterator[Blueprint]:
    play = [row for row in rows("speech", "a") if row.more["kind"] == "play" and len(row.text.split()) <= 90]
    # "KING CLAUDIUS dies", "Throws up another skull".
    play = [row for row in play if not _DIRECTION.search(row.text)]
    names = sorted({row.more["speaker"] for row in play})
    main = [row for row in play if re.search(r"[A-Z]", row.more["speaker"])]

    def cast(rng: Random, key: int) -> WorkedItem:
        first, second = rng.sample([row for row in main if len(row.text.split()) <= 45], 2)
        while first.more["speaker"] == second.more["speaker"]:
            second = rng.choice(main)
        asked = rng.choice([first, second])
        words = asked.text.split()
        start = rng.randrange(max(1, len(words) - 5))
        quote = " ".join(words[start : start + 5])
        other = second if asked is first else first
        return WorkedItem(
            f"{first.more['speaker']}: {first.text}\n{second.more['speaker']}: {second.text}\nWho says '{quote}'?",
            asked.more["speaker"],
            f"The words stand in the speech of {asked.more['speaker']}.",
            other.more["speaker"],
            f"{other.more['speaker']} says something else.",
            (first.id, second.id),
        )

    assert names
    yield define("who_says_it", cast, table="speech", scorer="exact", suffix="")


_TURNING = """
    not no never nothing but though although yet however without hardly if than less
"""
_TURNS = frozenset(_TURNING.split())


def _reviews() -> Iterator[Blueprint]:
    held = [row for row in rows("speech", "a") if row.more["kind"] == "review"]
    by_label = {
        # Some critics write Portuguese, plots do not.
        label: [
            row
            for row in held
            if row.more["label"] == label and len(row.text.split()) <= 60 and (label == "plot" or row.text.isascii())
        ]
        for label in ("fresh", "rotten", "plot")
    }
    # The verdict belongs to a whole review. A sentence says as much if its own words do, and nothing turns them round.
    rated = {row.text: row.more["score"] for row in read_table("rated")}
    clear: dict[str, list[SourceText]] = {"fresh": [], "rotten": []}
    for label, sign in (("fresh", 1), ("rotten", -1)):
        for row in by_label[label]:
            said = re.findall(r"[a-z']+", row.text.lower())
            scores = [sign * rated.get(word, 0) for word in said]
            if sum(scores) > 2 and min(scores) >= 0 and not _TURNS.intersection(said):
                clear[label].append(row)
    words = {"fresh": "positive", "rotten": "negative"}

    def sentiment(rng: Random, key: int) -> WorkedItem:
        label = rng.choice(["fresh", "rotten"])
        row = rng.choice(clear[label])
        other = words["rotten" if label == "fresh" else "fresh"]
        return WorkedItem(
            row.text,
            words[label],
            f"The critic's verdict on the film is {words[label]}.",
            other,
            "Single words sound like that, but not the verdict.",
            (row.id,),
        )

    yield define("verdict_on_film", sentiment, table="speech", labels=("positive", "negative"), suffix="")

    def stance(rng: Random, key: int) -> WorkedItem:
        label = rng.choice(["fresh", "rotten"])
        row = rng.choice(clear[label])
        answer, wrong = ("in favour", "against") if label == "fresh" else ("against", "in favour")
        title = row.more["film"].replace("_", " ")
        return WorkedItem(
            f"Claim: People should see the film '{title}'.\nText: {row.text}",
            answer,
            f"The text speaks {answer} of the claim.".replace("against of", "against").replace(
                "in favour of", "in favour of"
            ),
            wrong,
            "The author's opinion is the opposite.",
            (row.id,),
        )

    yield define("stance_on_film", stance, table="speech", labels=("in favour", "against"), suffix="")
    longer = [row for row in held if row.more["label"] == "plot" and len(row.text.split()) <= 90]

    def kind(rng: Random, key: int) -> WorkedItem:
        plot = rng.random() < 0.5
        row = rng.choice(longer if plot else by_label[rng.choice(["fresh", "rotten"])])
        answer, wrong = ("plot", "review") if plot else ("review", "plot")
        why = "It tells what happens in the film." if plot else "It says what somebody thinks of the film."
        return WorkedItem(row.text, answer, why, wrong, "Telling a story and judging it were mixed up.", (row.id,))

    yield define("plot_or_review", kind, table="speech", labels=("plot", "review"), suffix="")
    news = [row for row in rows("speech", "a") if row.more["kind"] == "headline"]

    def genre(rng: Random, key: int) -> WorkedItem:
        label = rng.choice(["headline", "message", "review"])
        row = rng.choice({"headline": news, "message": texts, "review": by_label["rotten"]}[label])
        wrong = rng.choice([other for other in ("headline", "message", "review") if other != label])
        return WorkedItem(
            row.text,
            label,
            f"The style is that of a {label}.",
            wrong,
            f"A {wrong} would be written in another way.",
            (row.id,),
        )

    texts = rows("messages", "a")
    yield define("genre_of_text", genre, table="speech", labels=("headline", "message", "review"), suffix="")

    def headline(rng: Random, key: int) -> WorkedItem:
        row = news[key]
        tokens = row.text.split()
        right = " ".join(word[:1].upper() + word[1:] if len(word) > 3 else word for word in tokens)
        return WorkedItem(
            row.text,
            right,
            "Every word of more than three letters begins with a capital.",
            row.text.upper(),
            "All letters were made capitals.",
            (row.id,),
        )

    yield define("capitals_in_headline", headline, table="speech", keys=len(news), scorer="exact", suffix="")
    both = {label: [row for row in texts if row.more["label"] == label] for label in ("ham", "spam")}

    def spam(rng: Random, key: int) -> WorkedItem:
        label = rng.choice(["ham", "spam"])
        row = rng.choice(both[label])
        why = (
            "It advertises something or asks for a costly call."
            if label == "spam"
            else "It is written from one person to another."
        )
        return WorkedItem(
            row.text,
            label,
            why,
            "ham" if label == "spam" else "spam",
            "The purpose of the message was overlooked.",
            (row.id,),
        )

    yield define("wanted_message", spam, table="messages", labels=("ham", "spam"), suffix="")
