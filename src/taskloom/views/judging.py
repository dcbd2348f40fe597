"""The queue of judgements: forms that several people fill in at once, kept in SQLite, where nothing is ever changed.

Every answer is a row that is only ever added, chained to the row before it by a hash; what a person says later counts.
A fifth of the items goes to two people, so that agreement can be measured; an item that a person is
reading is not given to another meanwhile. Every tenth item is a check of attention.
"""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from taskloom.core import UserError, digest, unknown_name
from taskloom.core.decode import decode_json
from taskloom.core.study import Table
from taskloom.store.atomic import disk_errors
from taskloom.studies.judgement.forms import FormItem, FormKey, RatedText, RatingForm, RatingQuestion, keep_quotes
from taskloom.studies.judgement.read import RaterAnswer, check_answer, judgement_tables, run_people, settled_answers
from taskloom.views.library import Library

FILE = "judgements.sqlite"
_LEASE_SECONDS = 300.0
_CHECK_EVERY = 10
_OVERLAP = 0.2
_LONGEST_NAME = 60
_TABLES = """
CREATE TABLE IF NOT EXISTS forms (id TEXT PRIMARY KEY, form TEXT NOT NULL, key TEXT NOT NULL, runs TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS answers (number INTEGER PRIMARY KEY, form TEXT NOT NULL, rater TEXT NOT NULL,
  item TEXT NOT NULL, question TEXT NOT NULL, answer TEXT NOT NULL, hash TEXT NOT NULL);
CREATE INDEX IF NOT EXISTS by_form ON answers (form, rater, item);
CREATE TRIGGER IF NOT EXISTS answers_stay BEFORE UPDATE ON answers BEGIN SELECT RAISE(ABORT, 'answers are kept'); END;
CREATE TRIGGER IF NOT EXISTS answers_remain BEFORE DELETE ON answers BEGIN SELECT RAISE(ABORT, 'answers are kept'); END;
"""
_EVERY = "SELECT form, rater, item, question, answer, hash FROM answers ORDER BY number"
_WORDS = ("river", "window", "lantern", "harbour", "meadow", "violin", "copper", "thistle")


class Judged(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a person says about one item."""

    form: str
    rater: str
    item: str
    answers: dict[str, str]


class FormState(msgspec.Struct, frozen=True):
    """A form and how far it is."""

    id: str
    kind: str
    title: str
    runs: tuple[str, ...]
    items: int
    judged: int
    raters: int
    answers: int


class JudgeStore:
    """Forms and answers in a file, which is made when the first form is."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.RLock()
        self._leases: dict[tuple[str, str], tuple[str, float]] = {}

    @contextmanager
    def _open(self) -> Iterator[sqlite3.Connection]:
        with self._lock, disk_errors(self.path):
            connection = sqlite3.connect(self.path, timeout=30)
            try:
                connection.executescript("PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;" + _TABLES)
                with connection:
                    yield connection
            except sqlite3.DatabaseError as error:
                raise UserError(f"the file of judgements cannot be used: {error}", where=str(self.path)) from None
            finally:
                connection.close()

    def add(self, form: RatingForm, key: FormKey, runs: Sequence[str]) -> str:
        """Keep a form; the same form is kept once."""
        texts = [msgspec.json.encode(value).decode() for value in (form, key, list(runs))]
        with self._open() as found:
            found.execute("INSERT OR IGNORE INTO forms VALUES (?, ?, ?, ?)", (form.id, *texts))
        return form.id

    def forms(self) -> list[FormState]:
        """Every form."""
        if not self.path.exists():
            return []
        with self._open() as found:
            rows = found.execute("SELECT id, runs FROM forms ORDER BY rowid").fetchall()
        return [self._state(name, decode_json(runs, type=tuple[str, ...], where=str(self.path))) for name, runs in rows]

    def _state(self, name: str, runs: tuple[str, ...]) -> FormState:
        form, _ = self.form(name)
        given = self.answers(name)
        judged, raters = {one.item for one in given}, {one.rater for one in given}
        return FormState(name, form.kind, form.title, runs, len(form.items), len(judged), len(raters), len(given))

    def form(self, name: str) -> tuple[RatingForm, FormKey]:
        """A form and its key."""
        rows: list[tuple[str, str, str]] = []
        if self.path.exists():
            with self._open() as found:
                rows = found.execute("SELECT id, form, key FROM forms").fetchall()
        for own, form, key in rows:
            if own == name:
                where = str(self.path)
                return decode_json(form, type=RatingForm, where=where), decode_json(key, type=FormKey, where=where)
        raise unknown_name("form", name, [own for own, _, _ in rows])

    def runs(self, name: str) -> tuple[str, ...]:
        """The runs that a form is about."""
        return next(state.runs for state in self.forms() if state.id == name)

    def next_item(self, name: str, rater: str) -> dict[str, Any]:
        """What a person judges next: an item, how many they have judged, and how many are left for them."""
        rater = _name(rater)
        form, _ = self.form(name)
        with self._lock:
            said = self._said(name)
            mine = {item for one, item in said if one == rater}
            done = sum(not item.startswith("check-") for item in mine)
            check = f"check-{done // _CHECK_EVERY}"
            left = [
                item
                for place, item in enumerate(form.items)
                if item.id not in mine and self._free(form, said, place, item.id, rater)
            ]
            item = left[0] if left else None
            if done and done % _CHECK_EVERY == 0 and check not in mine:
                item = _check_item(name, check)
            elif item is not None:
                self._leases[name, item.id] = (rater, time.monotonic() + _LEASE_SECONDS)
        return {"item": item, "done": done, "left": len(left)}

    def _said(self, name: str) -> set[tuple[str, str]]:
        with self._open() as found:
            return set(found.execute("SELECT DISTINCT rater, item FROM answers WHERE form = ?", (name,)).fetchall())

    def _free(self, form: RatingForm, said: set[tuple[str, str]], place: int, item: str, rater: str) -> bool:
        """Whether an item needs one more person, those included who have it in front of them."""
        people = {one for one, own in said if own == item}
        holder, until = self._leases.get((form.id, item), ("", 0.0))
        if holder and until > time.monotonic():
            people.add(holder)
        wanted = 2 if place < _OVERLAP * len(form.items) else 1
        return len(people - {rater}) < wanted

    def answer(self, given: Judged) -> None:
        """Keep what a person says about an item: all of it or nothing."""
        rater = _name(given.rater)
        form, key = self.form(given.form)
        answers = [RaterAnswer(form.id, rater, given.item, question, text) for question, text in given.answers.items()]
        if not any(one.answer.strip() for one in answers):
            raise UserError("nothing was answered", where=given.item)
        if not given.item.startswith("check-"):
            for one in answers:
                check_answer(one, key, "judge")
        with self._open() as found:
            found.execute("BEGIN IMMEDIATE")
            last = found.execute("SELECT hash FROM answers ORDER BY number DESC LIMIT 1").fetchone()
            chain = last[0] if last else ""
            for one in answers:
                chain = _chained(chain, one)
                found.execute(
                    "INSERT INTO answers (form, rater, item, question, answer, hash) VALUES (?, ?, ?, ?, ?, ?)",
                    (one.form, one.rater, one.item, one.question, one.answer, chain),
                )
        self._leases.pop((form.id, given.item), None)

    def answers(self, name: str, *, checks: bool = False) -> list[RaterAnswer]:
        """What was said to a form, the last of each person to each question; or to its checks of attention."""
        with self._open() as found:
            rows = found.execute(
                "SELECT form, rater, item, question, answer FROM answers WHERE form = ? ORDER BY number", (name,)
            ).fetchall()
        newest = {(row[1], row[2], row[3]): RaterAnswer(*row) for row in rows if row[2].startswith("check-") == checks}
        return [one for one in newest.values() if one.answer.strip()]

    def attention(self, name: str) -> Table:
        """How many checks each person has passed."""
        rows = []
        given = self.answers(name, checks=True)
        for rater in dict.fromkeys(one.rater for one in self.answers(name)):
            own = [one for one in given if one.rater == rater]
            passed = sum(one.answer.strip().lower() == _word(name, one.item) for one in own)
            rows.append((rater, len(own), passed))
        return Table("Checks of attention", ("rater", "checks", "passed"), tuple(rows))

    def tables(self, name: str) -> list[Table]:
        """What came out: shares with intervals, agreement, raters, attention."""
        _, key = self.form(name)
        given = self.answers(name)
        return [*judgement_tables(given, key), self.attention(name)] if given else []

    def export(self, name: str) -> bytes:
        """Every answer ever given to a form, one JSON object a line, with the hash that chains it to all before it."""
        self.form(name)
        with self._open() as found:
            rows = found.execute(_EVERY).fetchall()
        names = ("form", "rater", "item", "question", "answer", "hash")
        lines = [dict(zip(names, row, strict=True)) for row in rows]
        return b"".join(msgspec.json.encode(line) + b"\n" for line in lines if line["form"] == name)

    def proved(self) -> bool:
        """Whether no answer was changed, removed or put in between since it was given."""
        with self._open() as found:
            rows = found.execute(_EVERY).fetchall()
        chain = ""
        for *row, told in rows:
            chain = _chained(chain, RaterAnswer(*row))
            if chain != told:
                return False
        return True


def apply_judgements(store: JudgeStore, name: str, library: Library) -> str:
    """Answers of people become an ordinary run, and their readings of unparsed outputs opinions beside the run."""
    form, key = store.form(name)
    given = store.answers(name)
    if not given:
        raise UserError("nothing was judged yet", where=name)
    if form.kind == "answer":
        run_people(given, key, f"people-{name}", library.roots[0] / "runs" / f"people-{name}")
        return f"runs/people-{name} is a run now"
    if form.kind != "read":
        raise UserError("the results of this form are the tables", where=name)
    run = library.run(store.runs(name)[0])
    settled = settled_answers(given, key)
    readings = {key.items[item].record: each.answer for item, each in settled.items() if each.answer is not None}
    keep_quotes(run, "people", readings)
    disputed = len(settled) - len(readings)
    return f"{len(readings):,} readings stand beside the run" + (f"; {disputed:,} are disputed" if disputed else "")


def _chained(before: str, answer: RaterAnswer) -> str:
    return blake2b(before.encode() + msgspec.json.encode(answer), digest_size=16).hexdigest()


def _name(rater: str) -> str:
    rater = rater.strip()
    if not rater or len(rater) > _LONGEST_NAME:
        raise UserError(f"a name or initials of 1 to {_LONGEST_NAME} characters", where="rater")
    return rater


def _word(form: str, check: str) -> str:
    return _WORDS[digest("attention", form, check)[0] % len(_WORDS)]


def _check_item(form: str, check: str) -> FormItem:
    word = _word(form, check)
    text = RatedText(
        "A moment of attention", f"This one only shows that you read what is in front of you: write {word}."
    )
    return FormItem(check, (text,), (RatingQuestion("answer", "Write the word that the text asks for."),))
