"""Every suite as an Inspect task: facets as metadata, our readers as its scorer, metrics by facet."""

from __future__ import annotations

from collections.abc import Callable
from hashlib import blake2b
from itertools import islice
from typing import Any

from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    GenerateConfig,
    ModelAPI,
    ModelOutput,
    ModelUsage,
    modelapi,
)
from inspect_ai.scorer import Score, Scorer, Target, accuracy, grouped, mean, scorer, stderr
from inspect_ai.solver import TaskState, generate

from taskloom import __version__
from taskloom.core.catalog import FAMILIES
from taskloom.hosts.table import HostTable, judge_record, opened, options_text
from taskloom.rl.reward import chat_text

_TURNS = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}


@scorer(metrics=[mean(), stderr(cluster="task")])
def taskloom_reading(suite: str, seed: int | None = None, options: str = "{}", reading: str = "lenient") -> Scorer:
    """Reads and scores an output as `taskloom run` does."""
    tasks = opened(suite, seed, options).tasks

    async def score(state: TaskState, target: Target) -> Score:
        record = state.metadata["taskloom"]
        found = judge_record(tasks[record["task"]], record, state.output.completion, reading)
        return Score(value=found.score or 0.0, answer=found.answer or "", explanation=found.why or None)

    return score


def build(
    suite: str,
    seed: int | None = None,
    split: str | None = None,
    protocol: str = "chat",
    reading: str = "lenient",
    by: str = "task",
    n: int | None = None,
    options: dict[str, Any] | None = None,
) -> Task:
    """A suite as an Inspect task.

    Args:
        suite: A suite by name, or a folder.
        seed: The seed of the data.
        split: Which split (test by default).
        protocol: How models are asked: chat, base, bare or paper.
        reading: The reading that counts: lenient or strict.
        by: The facet of the grouped metric, or "task".
        n: At most this many samples.
        options: Recipe keys.
    """
    keys = options_text(options or {})
    found = opened(suite, seed, keys)
    table, split = HostTable(found, protocol), split or found.default_split()
    samples = [_sample(record) for record in islice(table.records(split), n)]
    shown = next((column for name, column in table.facets.items() if name == by), by)
    chosen = protocol_config(table)
    return Task(
        dataset=MemoryDataset(samples, name=f"{found.name}:{split}"),
        solver=generate(),
        scorer=taskloom_reading(suite, seed, keys, reading),
        metrics=[mean(), stderr(cluster="task"), grouped(accuracy(), shown)],
        config=chosen,
        version=__version__,
        metadata={"taskloom": __version__, "suite": suite, "seed": seed, "split": split, "options": options or {},
                  "protocol": protocol, "reading": reading, "identity": found.identity},
    )  # fmt: skip


def protocol_config(table: HostTable) -> GenerateConfig:
    """The settings of generation that belong to a protocol."""
    settings = table.protocol.settings(table.suite.tasks.values())
    return GenerateConfig(max_tokens=settings.get("max_tokens", 64), stop_seqs=settings.get("stop"))


def _sample(record: dict[str, Any]) -> Sample:
    kept = {key: record[key] for key in ("id", "task", "input", "targets", "prompt", "hash")}
    plain = {key: value for key, value in record.items() if key not in (*kept, "parts", "details", "answer")}
    remember(chat_text(record["prompt"]), record["answer"])
    return Sample(
        id=f"{record['task']}/{record['id']}",
        input=record["prompt"] if isinstance(record["prompt"], str) else [_turn(turn) for turn in record["prompt"]],
        target=record["answer"],
        metadata={"task": record["task"], **{key: _flat(value) for key, value in plain.items()}, "taskloom": kept},
    )


def _turn(message: dict[str, str]) -> ChatMessage:
    return _TURNS[message["role"]](content=message["content"])


def _flat(value: Any) -> Any:
    return "+".join(map(str, value)) if isinstance(value, list) else "–" if value is None else value


def register() -> None:
    """Register every suite of every family under its own name, and `open` for all that has none."""
    task(name="open")(_maker(None))
    for family in FAMILIES:
        for suite in FAMILIES.get(family).suites():
            task(name=f"{family}/{suite}")(_maker(f"{family}/{suite}"))


def _maker(name: str | None) -> Callable[..., Task]:
    def suite_task(
        suite: str = name or "",
        seed: int | None = None,
        split: str | None = None,
        protocol: str = "chat",
        reading: str = "lenient",
        by: str = "task",
        n: int | None = None,
        **options: Any,
    ) -> Task:
        return build(suite, seed, split, protocol, reading, by, n, options)

    return suite_task


_ANSWERS: dict[bytes, str] = {}


def _key(shown: str) -> bytes:
    return blake2b(shown.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def remember(shown: str, answer: str) -> None:
    """Keep the right answer to a prompt, for the models of this module alone."""
    _ANSWERS[_key(shown)] = answer


def right_or_wrong(name: str, shown: str, answer: str) -> str:
    """What `oracle` and `half` say: the right answer, or for half of all prompts a wrong one."""
    wrong = name == "half" and _key(shown)[0] % 2
    return "none of these" if wrong else answer


@modelapi(name="taskloom")
class InspectAnswers(ModelAPI):
    """`taskloom/oracle` says the right answer, `taskloom/half` does so for every other prompt."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the signature is Inspect's
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)

    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> ModelOutput:
        """Say the answer that was remembered for these messages."""
        one = len(input) == 1 and input[0].role == "user"
        turns = input[0].text if one else "\n\n".join(f"[{turn.role}]\n{turn.text}" for turn in input)
        output = ModelOutput.from_content(
            self.model_name, right_or_wrong(self.model_name, turns, _ANSWERS.get(_key(turns), ""))
        )
        # Without it Inspect counts tokens, for which it would download a vocabulary.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output
