"""Tasks from household messages, voice commands, the Declaration and names in many languages."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from random import Random

from taskloom.author import Blueprint
from taskloom_open.archives import SourceText
from taskloom_open.archives.languages import LANGUAGES
from taskloom_open.kit import Part, WorkedItem, aligned, choices, define, rows

_SPACED = [name for name in LANGUAGES if name not in ("Chinese", "Japanese", "Thai", "Khmer", "Lao", "Burmese")]
_ENOUGH = 115


def _rouge(language: str) -> str:
    return "rouge-l" if language == "English" else "rouge-l-xlingual"


def tongues() -> Iterator[Blueprint]:
    """Every task of this module."""
    for language in LANGUAGES:
        yield from _messages(language)
        yield from _names(language)
    yield from _declaration()


def _messages(language: str) -> Iterator[Blueprint]:
    if language != "English":
        pairs = [pair for pair in aligned("home", "a", "English", language) if _same_names(*pair) and _whole(*pair)]
        if len(pairs) >= _ENOUGH:
            yield define(
                "translate_from_english",
                _translate(pairs, language, True),
                table="home",
                keys=len(pairs),
                output_language=language,
                scorer=_rouge(language),
            )
            yield define(
                "translate_to_english",
                _translate(pairs, language, False),
                table="home",
                keys=len(pairs),
                language=language,
                output_language="English",
                scorer="rouge-l",
            )
            yield define(
                "match_translation",
                _match(pairs),
                table="home",
                labels=("yes", "no"),
                language=language,
                output_language="English",
            )
    own = rows("home", "a", language)
    if len(own) >= _ENOUGH and language in _SPACED:
        yield from _sentences(language, own)
    titled = [row for row in rows("home", "b", language) if _named_after(row.more.get("title", ""), row.text)]
    titled = list({row.text: row for row in titled}.values())
    if len(titled) >= _ENOUGH:
        yield define(
            "title_of_setting",
            _title(titled),
            table="home",
            keys=len(titled),
            language=language,
            scorer=_rouge(language),
        )
    kept = rows("home", "b", language)
    if len(kept) >= _ENOUGH and language in _SPACED:
        shared = _overlaps(kept)
        if len(shared) >= _ENOUGH:
            yield define(
                "shared_phrase",
                _shared(shared),
                table="home",
                keys=len(shared),
                language=language,
                scorer=_rouge(language),
            )


def _same_names(english: SourceText, other: SourceText) -> bool:
    """Whether products and abbreviations are in both: where they are not, the translation is one of an older text."""
    return all(name in other.text for name in re.findall(r"\b\w+[A-Z]\w*\b", english.text))


def _whole(*texts: SourceText) -> bool:
    """Whether texts are sentences with their marks: labels ("Microwave plus hot blast") are not understood alone."""
    return all(one.text[-1] in ".!?。！？" for one in texts)


def _translate(
    pairs: list[tuple[SourceText, SourceText]], language: str, out: bool
) -> Callable[[Random, int], WorkedItem]:
    def make(rng: Random, key: int) -> WorkedItem:
        english, other = pairs[key]
        source, target = (english, other) if out else (other, english)
        stray = pairs[(key + 1) % len(pairs)][1 if out else 0]
        return WorkedItem(
            source.text,
            target.text,
            f"The sentence says the same in {language if out else 'English'}, and nothing is added or left out.",
            stray.text,
            "This is a sound sentence, but it translates another message.",
            (source.id, stray.id),
        )

    return make


def _match(pairs: list[tuple[SourceText, SourceText]]) -> Callable[[Random, int], WorkedItem]:
    def make(rng: Random, key: int) -> WorkedItem:
        (english, other), (stray, _) = rng.sample(pairs, 2)
        same = rng.random() < 0.5
        text = f"Sentence: {other.text}\nTranslation: {(english if same else stray).text}"
        why = "Both sentences say the same." if same else f"The sentence says: '{english.text}'"
        wrong = "no" if same else "yes"
        return WorkedItem(
            text, "yes" if same else "no", why, wrong, "The two were not compared word by word.", (english.id, stray.id)
        )

    return make


def _sentences(language: str, own: list[SourceText]) -> Iterator[Blueprint]:
    fit = [row for row in own if 5 <= len(row.text.split()) <= 16]
    if len(fit) >= _ENOUGH:
        yield define(
            "natural_word_order",
            _word_order(fit),
            table="home",
            keys=len(fit),
            labels=("first", "second"),
            language=language,
            output_language="English",
        )
        yield define("longest_word", _longest(fit), table="home", keys=len(fit), language=language, scorer="exact")
    ended = [row for row in own if row.text[-1] in ".!?。।"]
    if len(ended) >= _ENOUGH:
        yield define(
            "missing_full_stop",
            _full_stop(ended),
            table="home",
            keys=len(ended),
            labels=("complete", "incomplete"),
            language=language,
            output_language="English",
        )
    english = {row.id: bool(_FAILED.search(row.text)) for row in rows("home", "a")}
    by_kind = {
        kind: [row for row in own if path in row.id and english.get(row.id) == (kind == "error")]
        for kind, path in (("set-up", ".step."), ("error", ":exceptions."))
    }
    if min(len(held) for held in by_kind.values()) >= 60:
        yield define(
            "kind_of_message",
            _kind(by_kind),
            table="home",
            labels=tuple(by_kind),
            language=language,
            output_language="English",
        )


_FAILED = re.compile(r"(?i)\b(?:fail\w*|error|not|cannot|unable|invalid|unknown|unexpected|missing|no)\b|n't")


def _word_order(held: list[SourceText]) -> Callable[[Random, int], WorkedItem]:
    def make(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        words = row.text.rstrip(".!?").split()
        mixed = _apart(rng, words)
        first = rng.random() < 0.5
        shown = [" ".join(words), " ".join(mixed)] if first else [" ".join(mixed), " ".join(words)]
        return WorkedItem(
            f"First: {shown[0]}\nSecond: {shown[1]}",
            "first" if first else "second",
            f"Only this order makes a sentence: '{row.text}'",
            "second" if first else "first",
            "The words of that line are in a random order.",
            (row.id,),
        )

    return make


def _apart(rng: Random, words: list[str]) -> list[str]:
    """The words in an order in which none stands first or behind the same word as before; at least five words."""
    order = list(range(len(words)))
    while order[0] == 0 or any(two == one + 1 for one, two in pairwise(order)):
        rng.shuffle(order)
    return [words[place] for place in order]


def _longest(held: list[SourceText]) -> Callable[[Random, int], WorkedItem]:
    def make(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        words = re.findall(r"[^\W\d_]+", row.text)
        longest = max(len(word) for word in words)
        answers = [word for word in words if len(word) == longest]
        short = min(words, key=len)
        return WorkedItem(
            row.text,
            answers[0],
            f"'{answers[0]}' has {longest} letters, and no word before it has as many.",
            short,
            f"'{short}' is shorter than '{answers[0]}'.",
            (row.id,),
        )

    return make


def _full_stop(held: list[SourceText]) -> Callable[[Random, int], WorkedItem]:
    def make(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        cut = rng.random() < 0.5
        text = row.text[:-1].rstrip() if cut else row.text
        answer, wrong = ("incomplete", "complete") if cut else ("complete", "incomplete")
        why = "The mark at the end is missing." if cut else f"The text ends with '{row.text[-1]}'."
        return WorkedItem(text, answer, why, wrong, "The last character was not looked at.", (row.id,))

    return make


def _named_after(title: str, text: str) -> bool:
    """Whether most of a title can be found, but for endings, in the text that it stands above."""
    step = 4 if " " in text else 2
    starts = [word[:step].casefold() for word in title.split() if len(word) >= step]
    return bool(starts) and sum(start in text.casefold() for start in starts) * 2 > len(starts)


def _kind(by_kind: dict[str, list[SourceText]]) -> Callable[[Random, int], WorkedItem]:
    labels = list(by_kind)

    def make(rng: Random, key: int) -> WorkedItem:
        label = rng.choice(labels)
        row = rng.choice(by_kind[label])
        wrong = rng.choice([other for other in labels if other != label])
        return WorkedItem(
            row.text,
            label,
            f"The system shows this text as part of its messages of the kind '{label}'.",
            wrong,
            f"Messages of the kind '{wrong}' speak of other things.",
            (row.id,),
        )

    return make


def _title(held: list[SourceText]) -> Callable[[Random, int], WorkedItem]:
    def make(rng: Random, key: int) -> WorkedItem:
        row = held[key]
        strays = [other for other in rng.sample(held, 12) if not _named_after(other.more["title"], row.text)]
        options, wrong = choices(rng, row.more["title"], [other.more["title"] for other in strays[:3]])
        return WorkedItem(
            f"{row.text}\nOptions: {'; '.join(options)}",
            row.more["title"],
            "The title names what the description explains, in a few words.",
            wrong,
            "This is the title of another description.",
            (row.id, *(other.id for other in strays[:3])),
        )

    return make


Overlap = tuple[SourceText, SourceText, str]


def _overlaps(held: list[SourceText]) -> list[Overlap]:
    """Pairs of sentences with one longest shared run of words, two to seven words long."""
    by_pair: dict[tuple[str, str], list[SourceText]] = {}
    for row in held:
        words = _words_of(row)
        for pair in pairwise(words):
            by_pair.setdefault(pair, []).append(row)
    found: list[Overlap] = []
    used: set[str] = set()
    for row in held:
        words = _words_of(row)
        for pair in pairwise(words):
            other = next((one for one in by_pair[pair] if one.id != row.id and one.id not in used), None)
            if other is None or row.id in used:
                continue
            phrase = _longest_run(words, _words_of(other))
            if phrase and 2 <= len(phrase) <= 7 and len(phrase) < min(len(words), len(other.text.split())):
                found.append((row, other, " ".join(phrase)))
                used |= {row.id, other.id}
    return found


def _words_of(row: SourceText) -> list[str]:
    """The words of a sentence in lower case."""
    return row.text.lower().rstrip(".!?").split()


def _longest_run(first: list[str], second: list[str]) -> list[str] | None:
    """The longest run of words in common; None where two runs are equally long."""
    best: list[list[str]] = [[]]
    for i in range(len(first)):
        for j in range(len(second)):
            k = 0
            while i + k < len(first) and j + k < len(second) and first[i + k] == second[j + k]:
                k += 1
            if k > len(best[0]):
                best = [first[i : i + k]]
            elif k and k == len(best[0]) and first[i : i + k] not in best:
                best.append(first[i : i + k])
    return best[0] if len(best) == 1 else None


def _shared(held: list[Overlap]) -> Callable[[Random, int], WorkedItem]:
    def make(rng: Random, key: int) -> WorkedItem:
        first, second, phrase = held[key]
        return WorkedItem(
            f"Sentence 1: {first.text}\nSentence 2: {second.text}",
            phrase,
            f"Both sentences contain '{phrase}', and no longer run of words stands in both.",
            phrase.split()[0],
            "A single word was given although more words around it are shared.",
            (first.id, second.id),
        )

    return make


_IN_BOTH = """
    Azerbaijani Bulgarian English French Georgian Indonesian Irish Persian Swahili Turkish Uzbek Yoruba Zulu Thai
"""
_MIXED = frozenset(_IN_BOTH.split())
"""Languages in whose lists names stand under the wrong sex, are given to both, or are no names."""


def _names(language: str) -> Iterator[Blueprint]:
    if language in _MIXED:
        return
    held = rows("names", "a", language)
    women, men = ([row for row in held if row.more["gender"] == gender] for gender in ("female", "male"))
    if min(len(women), len(men)) < 60:
        return

    def gender(rng: Random, key: int) -> WorkedItem:
        row = rng.choice(women if rng.random() < 0.5 else men)
        own = row.more["gender"]
        other = "male" if own == "female" else "female"
        return WorkedItem(
            row.text,
            own,
            f"In {language} '{row.text}' is given to {'women' if own == 'female' else 'men'}.",
            other,
            f"'{row.text}' is no name for {'men' if own == 'female' else 'women'} in {language}.",
            (row.id,),
        )

    def of_one(rng: Random, key: int) -> WorkedItem:
        many, few, kind, other = (women, men, "women", "men") if rng.random() < 0.5 else (men, women, "men", "women")
        odd = rng.choice(few)
        listed = [*rng.sample(many, 3), odd]
        rng.shuffle(listed)
        wrong = next(row for row in listed if row is not odd)
        return WorkedItem(
            ", ".join(row.text for row in listed),
            odd.text,
            f"'{odd.text}' is a name for {other}; the others are names for {kind}.",
            wrong.text,
            f"'{wrong.text}' is a name for {kind} like two others of the list.",
            tuple(row.id for row in listed),
        )

    yield define(
        "gender_of_name", gender, table="names", labels=("female", "male"), language=language, output_language="English"
    )
    yield define("odd_name_out", of_one, table="names", language=language, scorer="exact")


_GROUPS: dict[str, tuple[str, ...]] = {
    "romance": ("Catalan", "French", "Italian", "Portuguese", "Romanian", "Spanish"),
    "germanic": ("Danish", "Dutch", "German", "Norwegian Bokmål", "Swedish"),
    "slavic": ("Belarusian", "Bulgarian", "Czech", "Polish", "Russian", "Slovenian", "Ukrainian"),
    "northern": ("Estonian", "Finnish", "Hungarian", "Latvian", "Welsh"),
    "eastern": ("Chinese", "Indonesian", "Japanese", "Korean", "Vietnamese"),
    "southern": ("Croatian", "Macedonian", "Modern Greek", "Turkish", "Uzbek"),
}
"""Languages whose Declaration has few misprints, by a spelling dictionary or by reading; many others have more."""


def _declaration() -> Iterator[Blueprint]:
    for group, languages in _GROUPS.items():
        held = {language: rows("udhr", "a", language) for language in languages}
        yield from _about_language(group, languages, held)
        yield from _about_article(group, languages)


def _about_language(group: str, languages: tuple[str, ...], held: dict[str, list[SourceText]]) -> Iterator[Blueprint]:
    def identify(rng: Random, key: int) -> WorkedItem:
        language = rng.choice(languages)
        row = rng.choice(held[language])
        wrong = rng.choice([other for other in languages if other != language])
        return WorkedItem(
            row.text,
            language,
            f"The words of the text are {language}.",
            wrong,
            f"{wrong} would use other words.",
            (row.id,),
        )

    def same(rng: Random, key: int) -> WorkedItem:
        first, second = rng.sample(languages, 2)
        row = rng.choice(held[first])
        twin = [other for other in held[second] if other.id == row.id]
        strays = [other for other in held[second] if other.more["article"] != row.more["article"]]
        right = bool(twin) and rng.random() < 0.5
        other = twin[0] if right else rng.choice(strays)
        answer, wrong = ("yes", "no") if right else ("no", "yes")
        why = "Both are translations of the same paragraph." if right else "The two paragraphs grant different rights."
        text = f"Text 1 ({first}): {row.text}\nText 2 ({second}): {other.text}"
        return WorkedItem(text, answer, why, wrong, "The contents were not compared.", (row.id, other.id))

    label = "/".join(languages)
    yield define(
        "identify_language",
        identify,
        table="udhr",
        labels=languages,
        language=", ".join(languages),
        output_language="English",
        suffix=group,
    )
    yield define(
        "same_paragraph",
        same,
        table="udhr",
        labels=("yes", "no"),
        language=", ".join(languages),
        output_language="English",
        suffix=group,
        words=label.replace("/", ", "),
    )


TOPICS: dict[int, str] = {
    1: "equality at birth",
    2: "freedom from discrimination",
    3: "the right to life",
    4: "slavery",
    5: "torture",
    6: "recognition before the law",
    7: "equal protection by the law",
    8: "help from the courts",
    9: "arbitrary arrest",
    10: "a fair hearing",
    11: "the presumption of innocence",
    12: "privacy and reputation",
    13: "freedom of movement",
    14: "asylum",
    15: "nationality",
    16: "marriage and family",
    17: "property",
    18: "religion and conscience",
    19: "freedom of opinion",
    20: "assembly and association",
    21: "government and elections",
    22: "social security",
    23: "work and pay",
    24: "rest and leisure",
    25: "food, housing and health",
    26: "education",
    27: "culture and science",
    28: "a just international order",
    29: "duties to the community",
    30: "the limits of interpretation",
}


def _firsts(part: Part, language: str) -> list[SourceText]:
    """First paragraphs, which say what an article is about; later ones turn to other things."""
    return [row for row in rows("udhr", part, language) if row.id.endswith("-0")]


def _unlike(held: list[SourceText], article: int) -> list[str]:
    """Topics far from that of an article: neighbours are on the same matter, such as arrest, trial and court."""
    return sorted({TOPICS[number] for row in held if abs((number := row.more["article"]) - article) > 6})


def _about_article(group: str, languages: tuple[str, ...]) -> Iterator[Blueprint]:
    def section(rng: Random, key: int) -> WorkedItem:
        language = rng.choice(languages)
        row = rng.choice(_firsts("a", language))
        topic = TOPICS[row.more["article"]]
        options, wrong = choices(rng, topic, _unlike(rows("udhr", "a", language), row.more["article"]))
        return WorkedItem(
            f"{row.text}\nOptions: {'; '.join(options)}",
            topic,
            f"The paragraph is about {topic}.",
            wrong,
            f"Nothing is said about {wrong}.",
            (row.id,),
        )

    def answerable(rng: Random, key: int) -> WorkedItem:
        language = rng.choice(languages)
        held = _firsts("b", language)
        row = rng.choice(held)
        right = rng.random() < 0.5
        topic = TOPICS[row.more["article"]]
        asked = topic if right else rng.choice(_unlike(held, row.more["article"]))
        answer, wrong = ("answerable", "unanswerable") if right else ("unanswerable", "answerable")
        said = rng.choice(["say", "lay down"])
        text = f"Text: {row.text}\nQuestion: What does the Declaration {said} about {asked}?"
        why_wrong = f"The text is about {topic}, {'just what' if right else 'but this is not what'} the question asks."
        return WorkedItem(text, answer, f"The text is about {topic}.", wrong, why_wrong, (row.id,))

    yield define(
        "topic_of_article",
        section,
        table="udhr",
        language=", ".join(languages),
        output_language="English",
        suffix=group,
        scorer="exact",
        words=", ".join(languages),
    )
    yield define(
        "question_about_article",
        answerable,
        table="udhr",
        labels=("answerable", "unanswerable"),
        language=", ".join(languages),
        output_language="English",
        suffix=group,
        words=", ".join(languages),
    )
