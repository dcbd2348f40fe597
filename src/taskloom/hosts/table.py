"""A suite as a flat table: the form that every host takes, with the prompt of a protocol in each row."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property, lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any

import msgspec

from taskloom.ask.judge import ScoredReading, judge_answer
from taskloom.core import Instance, Row, Suite, Task, UserError, open_suite, row_hash
from taskloom.core.decode import decode_json
from taskloom.core.encoding import Encoding, Prompt
from taskloom.protocol import Protocol, protocol_named
from taskloom.rl.columns import facet_columns, pack_targets, unpack_targets
from taskloom.rl.reward import chat_text, completion_text

if TYPE_CHECKING:
    import pyarrow as pa


DEFAULT_PROTOCOL = "base"
"""Prompts as text with definition, answer format and two examples: any model and any tool can read them."""

_BATCH = 1_000
_encode = msgspec.json.Encoder(order="deterministic").encode


def refuse_endless(suite: Suite, splits: Iterable[str], limit: int | None) -> None:
    """A split that never ends is written only in part.

    Raises:
        UserError: One of the splits is endless and there is no limit.
    """
    for split in splits:
        blocks = suite.blocks(split)
        if limit is None and blocks is not None and blocks.endless:
            raise UserError("this split is endless", where=f"{suite.name}: {split}", hint="--rows N writes N rows")


class HostTable:
    """The rows of a suite as plain records.

    Columns: `id`, `task`, `prompt` (text, or messages where the protocol asks in messages), `answer` (the canonical
    one), `targets` (every acceptable answer, typed), `input`, `parts` and `details` (JSON), one column per facet, and
    `hash`, which proves the row when it comes back.

    Args:
        suite: The suite.
        protocol: How models are asked.
    """

    def __init__(self, suite: Suite, protocol: str = DEFAULT_PROTOCOL) -> None:
        self.suite = suite
        self.protocol: Protocol = protocol_named(protocol, suite.family)
        self.facets = facet_columns(suite.facets)

    @cached_property
    def encoding(self) -> Encoding:
        """How rows become prompts."""
        return self.protocol.make()

    @property
    def chat(self) -> bool:
        """Whether prompts are messages."""
        return self.protocol.encoding == "chat"

    def prompt(self, row: Row) -> Prompt:
        """What a model is shown."""
        return self.encoding.encode(self.suite.tasks[row.task], row.instance)

    def record(self, row: Row) -> dict[str, Any]:
        """One row as plain data."""
        instance, prompt = row.instance, self.prompt(row)
        extra = instance.facets.keys() - self.facets.keys()
        facets = {**self.facets, **{name: name for name in extra}}
        return {
            "id": instance.id,
            "task": row.task,
            "prompt": [msgspec.to_builtins(message) for message in prompt.messages] if self.chat else prompt.text,
            "answer": instance.targets.canonical(),
            "targets": pack_targets(instance.targets),
            "input": instance.input,
            "parts": _encode(instance.parts).decode(),
            "details": _encode(instance.details).decode(),
            **{column: _listed(instance.facets.get(name)) for name, column in facets.items()},
            "hash": row_hash(row.task, instance),
        }

    def records(self, split: str, limit: int | None = None) -> Iterator[dict[str, Any]]:
        """The rows of a split as plain data."""
        return map(self.record, self.suite.rows(split, limit=limit))

    def schema(self) -> pa.Schema:
        """The typed columns."""
        import pyarrow as pa

        text, texts = pa.string(), pa.list_(pa.string())
        kinds = {str: text, int: pa.int64(), float: pa.float64(), bool: pa.bool_(), tuple: texts}
        message = pa.struct([("role", text), ("content", text)])
        targets = pa.struct(
            [("kind", text), ("answers", pa.list_(texts)), ("value", pa.bool_()), ("ordered", pa.bool_()),
             ("separator", text), ("empty", text), ("entry", text)]
        )  # fmt: skip
        return pa.schema(
            [
                ("id", text),
                ("task", text),
                ("prompt", pa.list_(message) if self.chat else text),
                ("answer", text),
                ("targets", targets),
                ("input", text),
                ("parts", text),
                ("details", text),
                *((column, kinds[self.suite.facets[name]]) for name, column in self.facets.items()),
                ("hash", text),
            ]
        )

    def batches(self, split: str, limit: int | None = None) -> Iterator[pa.RecordBatch]:
        """The rows of a split as record batches, a thousand in memory at a time."""
        import pyarrow as pa

        schema, records = self.schema(), self.records(split, limit)
        while held := list(islice(records, _BATCH)):
            yield pa.RecordBatch.from_pylist(held, schema=schema)


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def row_of(record: dict[str, Any], facets: dict[str, str], where: str) -> Row:
    """The row that a record was made of.

    Args:
        record: A record with the columns of a `HostTable`.
        facets: The column of each facet.
        where: Where it stands, for messages.

    Raises:
        UserError: The record was changed since it was written.
    """
    values = {name: record.get(column) for name, column in facets.items()}
    try:
        instance = Instance(
            record["id"],
            record["input"],
            unpack_targets(record["targets"]),
            {name: tuple(value) if isinstance(value, list) else value
             for name, value in values.items() if value is not None},
            decode_json(record["parts"], where=where),
            decode_json(record["details"], where=where),
        )  # fmt: skip
        row = Row(record["task"], instance)
        if row_hash(*row) != record["hash"]:
            raise UserError("the row was changed after it was written", where=f"{where}: {row.task}/{instance.id}")
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"not a row that Taskloom wrote: {error!r}", where=where) from None
    return row


def options_text(options: Mapping[str, Any]) -> str:
    """Recipe keys as text that is the same for the same keys."""
    return msgspec.json.encode(dict(sorted(options.items()))).decode()


@lru_cache(maxsize=16)
def opened(name: str, seed: int | None = None, options: str = "{}") -> Suite:
    """A suite by name, seed and recipe keys (as JSON); opened once, because hosts ask for it task by task."""
    return open_suite(name, seed=seed, options=decode_json(options, where="options"))


def judge_record(task: Task, record: Mapping[str, Any], said: Any, reading: str = "lenient") -> ScoredReading:
    """What was said to a record of a `HostTable`, read and scored as a run would."""
    instance = Instance(str(record.get("id", "")), str(record.get("input", "")), unpack_targets(record["targets"]))
    return judge_answer(
        task, instance, completion_text(said), reader=reading, prompt=chat_text(record.get("prompt") or "")
    )
