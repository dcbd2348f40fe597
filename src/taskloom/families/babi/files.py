"""bAbI text files: read and written, rows drawn from them, and their answers compared with the reader's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from taskloom.core import Instance, Items, Row, Targets, UserError, any_of
from taskloom.core.blocks import apportion
from taskloom.core.decode import read_lines
from taskloom.families.babi import kinds
from taskloom.families.babi.concepts import composition, concepts_of, interleave, question_type
from taskloom.families.babi.instances import written
from taskloom.families.babi.kinds import Answer, Question, Sentence
from taskloom.families.babi.parse import Names, Parser
from taskloom.families.babi.reader import Reader
from taskloom.families.babi.support import all_supports, lines, measured_distractors
from taskloom.families.babi.vocabulary import DYNA


class FileQuestion(msgspec.Struct, frozen=True):
    """A question as it stands in a file.

    Attributes:
        after: How many statements of the story come before it.
        text: The question.
        answer: The answer as written.
        support: The supporting statements, numbered from 0 without counting questions.
        line: The line of the file.
    """

    after: int
    text: str
    answer: str
    support: tuple[int, ...]
    line: int = 0


class FileStory(msgspec.Struct, frozen=True):
    """The statements of one story and the questions between them."""

    statements: tuple[str, ...]
    questions: tuple[FileQuestion, ...]


class ReadStory(msgspec.Struct, frozen=True):
    """A story of the story world, read: sentences and questions as numbers, with their names."""

    sentences: list[Sentence]
    questions: list[Question]
    names: Names


_LONGEST_NUMBER = 9


def read_babi(path: str | Path) -> Iterator[FileStory]:
    """The stories of a bAbI text file, one at a time. Both spacings before the tab are read.

    Raises:
        UserError: A line does not begin with a number, or a question lacks its answer; with file and line.
    """
    statements: list[str] = []
    questions: list[FileQuestion] = []
    numbers: dict[int, int] = {}
    for count, line in enumerate(read_lines(path), 1):
        if not line.strip():
            continue
        number, _, rest = line.rstrip("\r\n").partition(" ")
        if not number.isdecimal() or len(number) > _LONGEST_NUMBER:
            raise UserError("a line must begin with its number and one space", where=f"{path}:{count}")
        if int(number) == 1 and (statements or questions):
            yield FileStory(tuple(statements), tuple(questions))
            statements, questions, numbers = [], [], {}
        if "\t" in rest:
            questions.append(_question(rest, len(statements), numbers, f"{path}:{count}", count))
        else:
            numbers[int(number)] = len(statements)
            statements.append(rest.strip())
    if statements or questions:
        yield FileStory(tuple(statements), tuple(questions))


def _question(rest: str, after: int, numbers: dict[int, int], where: str, line: int) -> FileQuestion:
    text, _, tail = rest.partition("\t")
    answer, _, support = tail.partition("\t")
    if not answer.strip():
        raise UserError("a question needs an answer after a tab", where=where)
    try:
        found = tuple(sorted({numbers[int(part)] for part in support.split()}))
    except (KeyError, ValueError):
        raise UserError(f"the supporting lines {support!r} are not statements of this story", where=where) from None
    return FileQuestion(after, text.strip(), answer.strip(), found, line)


def read_story(story: FileStory, parser: Parser) -> ReadStory:
    """Read the text of a story of the story world.

    Raises:
        UserError: A sentence or question is none of the story world's.
    """
    names = Names()
    sentences = parser.story(story.statements, names)
    questions = [parser.question(asked.text, names) for asked in story.questions]
    return ReadStory(sentences, questions, names)


def write_babi(stories: Iterable[FileStory], path: str | Path, *, blank_before_tab: bool = False) -> int:
    """Write stories as bAbI text.

    Args:
        stories: What to write; questions stand where their `after` says.
        path: The file.
        blank_before_tab: Write `question? <tab>` as the released data does.

    Returns:
        How many questions were written.
    """
    gap = " \t" if blank_before_tab else "\t"
    written = 0
    with Path(path).open("w", encoding="utf-8", newline="\n") as out:
        for story in stories:
            number = 0
            numbers: list[int] = []
            waiting = sorted(story.questions, key=lambda asked: asked.after)
            for count in range(len(story.statements) + 1):
                while waiting and waiting[0].after == count:
                    asked = waiting.pop(0)
                    number += 1
                    support = " ".join(str(numbers[index]) for index in asked.support)
                    out.write(f"{number} {asked.text}{gap}{asked.answer}\t{support}\n")
                    written += 1
                if count < len(story.statements):
                    number += 1
                    numbers.append(number)
                    out.write(f"{number} {story.statements[count]}\n")
    return written


def stories_of(rows: Iterable[Row]) -> Iterator[FileStory]:
    """Rows as stories for a bAbI file; questions about the same growing story share one."""
    statements: tuple[str, ...] = ()
    questions: list[FileQuestion] = []
    for row in rows:
        instance = row.instance
        story = tuple(instance.parts["story"].split("\n"))
        if story[: len(statements)] != statements:
            yield FileStory(statements, tuple(questions))
            questions = []
        statements = story
        questions.append(
            FileQuestion(
                len(story),
                instance.parts["question"],
                # bAbI files hold answers without blanks after commas.
                ",".join(part.strip() for part in instance.targets.canonical().split(",")),
                tuple(line - 1 for line in instance.details["support"]),
            )
        )
    if questions:
        yield FileStory(statements, tuple(questions))


def write_rows(rows: Iterable[Row], path: str | Path, *, blank_before_tab: bool = False) -> int:
    """Write rows as bAbI text; returns how many questions were written."""
    return write_babi(stories_of(rows), path, blank_before_tab=blank_before_tab)


def find_file(folder: str | Path, number: int, part: str) -> Path:
    """The file of a task in a folder of the original data.

    Raises:
        UserError: No such file.
    """
    found = sorted(Path(folder).glob(f"qa{number}_*_{part}.txt"))
    if not found:
        raise UserError(f"no file qa{number}_…_{part}.txt", where=str(folder), hint="point files= at the bAbI folder")
    return found[0]


def released_rows(folder: str, numbers: Sequence[int], split: str, total: int) -> Iterator[Row]:
    """Original questions, tasks spread evenly.

    The first nine tenths of each training file are `train`, the rest `dev`; the test file is `test`. Where the
    files hold fewer questions than asked for, all of them are given.
    """
    streams = [list(_task_rows(folder, number, split)) for number in numbers]
    counts = apportion(min(total, sum(map(len, streams))), [float(len(rows)) for rows in streams])
    for index, number in interleave(counts):
        yield streams[index][number]


def _task_rows(folder: str, number: int, split: str) -> Iterator[Row]:
    path = find_file(folder, number, "test" if split == "test" else "train")
    stories = list(read_babi(path))
    border = len(stories) * 9 // 10
    start, stop = {"train": (0, border), "dev": (border, None)}.get(split, (0, None))
    parser = Parser()
    for index, story in enumerate(islice(stories, start, stop)):
        read = read_story(story, parser)
        for part, asked in enumerate(story.questions):
            yield Row(f"task-{number}", _instance(f"{index:05d}-{part}", story, asked, read, part))


def _instance(name: str, story: FileStory, asked: FileQuestion, read: ReadStory, part: int) -> Instance:
    question = read.questions[part]
    sentences = read.sentences[: asked.after]
    events, constructs = concepts_of(sentences)
    targets: Targets = any_of(asked.answer)
    if question.kind == kinds.LIST:
        things = tuple(sorted(asked.answer.split(","))) if asked.answer != "nothing" else ()
        targets = Items((things,))
    return written(
        name,
        story.statements[: asked.after],
        asked.text,
        targets,
        question_type(question.kind),
        asked.support,
        events=events,
        constructs=constructs,
        composition="+".join(composition(sentences, asked.support)),
        distractors=measured_distractors(sentences, asked.support, question),
        double_disjunction=None,
        implicit_steps=None,
    )


class Agreement(msgspec.Struct):
    """Counts for one question type of one file."""

    asked: int = 0
    answered: int = 0
    agreed: int = 0
    answers: Counter[str] = msgspec.field(default_factory=Counter)
    supports: Counter[str] = msgspec.field(default_factory=Counter)


def agreement(path: str | Path, parser: Parser | None = None) -> dict[str, Agreement]:
    """Read every story of a bAbI text file and compare, per question type."""
    parser = parser or Parser()
    found: dict[str, Agreement] = {}
    for story in read_babi(path):
        read = read_story(story, parser)
        reader = Reader(len(read.names.persons), len(read.names.objects))
        begun = 0
        for question, asked in zip(read.questions, story.questions, strict=True):
            for sentence in read.sentences[begun : asked.after]:
                reader.tell(sentence)
            begun = asked.after
            counts = found.setdefault(question_type(question.kind), Agreement())
            _compare(counts, reader, read, question, asked)
    return found


def _compare(counts: Agreement, reader: Reader, read: ReadStory, question: Question, asked: FileQuestion) -> None:
    answer = reader.answer(question)
    counts.asked += 1
    counts.answered += answer is not None
    if answer is not None and _spoken(reader, read, question, answer) == _canonical(asked.answer):
        counts.agreed += 1
        counts.supports[support_class(reader, question, asked.support)] += 1
    else:
        counts.answers[answer_class(reader, read, question, answer)] += 1


def _canonical(answer: str) -> str:
    """An answer with the members of lists in order and one word for zero."""
    text = ",".join(sorted(part.strip() for part in answer.split(",")))
    return "none" if text == "zero" else text


def _spoken(reader: Reader, read: ReadStory, question: Question, answer: Answer) -> str:
    objects = list(read.names.objects)
    if isinstance(answer, tuple):
        return ",".join(sorted(objects[thing] for thing in answer)) or DYNA.nothing
    if question.kind == kinds.YES_NO:
        return DYNA.yes if answer == kinds.YES else (DYNA.maybe if answer == kinds.MAYBE else DYNA.no)
    if question.kind == kinds.COUNTING:
        return DYNA.count_word(answer)
    return list(read.names.sorts[reader.world.questions[question.kind].answer_sort])[answer]


def answer_class(reader: Reader, read: ReadStory, question: Question, answer: Answer | None) -> str:
    """Why an answer differs from the file's."""
    kind, first, second = question
    if kind == kinds.WHERE_WAS and answer is None:
        return "open-arrival" if reader.arrivals(first, second) else "other"
    if kind == kinds.YES_NO and answer == kinds.YES:
        label = reader.own_label[reader.stay[first]]
        sentences = [read.sentences[line] for line in lines(label)]
        if any(s.kind == kinds.INDEF and s.second == s.third == second for s in sentences):
            return "same-place-twice"
    if kind in kinds.GIVE_QUESTIONS and answer is not None:
        return "older-give" if len(list(reader.fitting(question))) > 1 else "other"
    return "other"


def support_class(reader: Reader, question: Question, support: tuple[int, ...]) -> str:
    """How a given support compares with the minimal ones."""
    given = sum(1 << line for line in support)
    minimal = all_supports(reader, question)
    if given in minimal:
        return "equal" if given == minimal[0] else "another"
    if _enough(minimal, given):
        return "more"
    closed = given
    for line in support:
        closed |= reader.labels[line]
    if _enough(minimal, closed):
        return "missing-antecedent"
    if question.kind == kinds.WHERE_WAS:
        if _enough(minimal, closed | _obtained(reader, question)):
            return "later-release"
        if _older_visit(reader, question, closed):
            return "older-visit"
    return "missing-link"


def _enough(minimal: list[int], given: int) -> bool:
    return any(mask & given == mask for mask in minimal)


def _obtained(reader: Reader, question: Question) -> int:
    """The sentences that brought the object into the hands it was in at the move."""
    slot = reader.arrivals(question.first, question.second)[-1]
    (_, before), (_, after) = reader.path[question.first][slot - 1 : slot + 1]
    return before | after


def _older_visit(reader: Reader, question: Question, given: int) -> bool:
    """Whether the support proves an earlier visit of the object to the place, not the last one."""
    read_so_far = [line for line in range(len(reader.labels)) if given >> line & 1]
    last = reader.arrivals(question.first, question.second)[-1]
    stay, _ = reader.path[question.first][last]
    opened = reader.own_label[stay]
    return bool(opened) and opened.bit_length() - 1 not in read_so_far
