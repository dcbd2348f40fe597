"""Encoders with a classification head (BERT, RoBERTa, ALBERT …) for tasks with a closed set of labels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from msgspec.structs import replace

from taskloom.core import Instance, Suite, UserError, unknown_name
from taskloom.core.display import printable
from taskloom.core.encoding import Prompt
from taskloom.core.model import Belief, Generation, Limits, Output, Request
from taskloom.models.engine import Side, pad
from taskloom.models.hf import HFModel
from taskloom.models.labels import answers_in, label_beliefs, likeliest, suite_labels
from taskloom.models.load import HFOptions, LoadedModel
from taskloom.models.local import grown_state
from taskloom.models.runtime import LOGGER, BatchSizer, import_torch, run_in_batches, seeded


def text_pair(instance: Instance) -> tuple[str, str | None]:
    """The two texts an encoder reads: the instance's two parts, or its input alone."""
    parts = [printable(text) for text in instance.parts.values() if text]
    if len(parts) == 2:
        return parts[0], parts[1]
    return printable(instance.input), None


class HFClassifier(HFModel):
    """A classifier. It reads the instance's parts, not the prompt, and answers with one of the task's labels.

    Its window is no limit: the longer of the two texts is cut to fit, as these encoders are used.
    """

    nature = "classifier"
    cacheable = False

    def __init__(self, loaded: LoadedModel, options: HFOptions, provider: str = "hf") -> None:
        super().__init__(loaded, options, provider)
        self._window, self.limits = self.limits.window, Limits(batch=256)
        known = getattr(self.module.config, "id2label", None) or {}
        trained = [known[index] for index in sorted(known)]
        self.labels: tuple[str, ...] = ()
        if options.labels:
            self.set_labels(options.labels)
        elif trained and not all(label.startswith("LABEL_") for label in trained):
            self._name_labels(tuple(trained))

    def prepare(self, suite: Suite) -> None:
        """Take the labels of the suite if the model has none yet; those it has stay, with what it learned."""
        wanted = suite_labels(suite, self.identity.name, self.labels)
        if not self.labels:
            self.set_labels(wanted)

    def prepared(self) -> dict[str, Any]:
        return {"labels": list(self.labels)}

    def restore(self, prepared: dict[str, Any]) -> None:
        labels = tuple(prepared.get("labels", ()))
        if labels and labels != self.labels:
            self.set_labels(labels)

    def new_in(self, suite: Suite, splits: Sequence[str]) -> dict[str, Any]:
        known = set(self.labels)
        return {"labels": [label for label in answers_in(suite, splits) if label not in known]}

    def extend(self, prepared: dict[str, Any]) -> None:
        labels = tuple(dict.fromkeys((*self.labels, *prepared.get("labels", ()))))
        if len(labels) > len(self.labels):
            old = self.module
            self.set_labels(labels)
            self.module.load_state_dict(grown_state(old, self.module))
            self.refresh()

    def redraw(self, restart: int) -> None:
        """A new head; the body stays."""
        self.set_labels(self.labels, restart)

    def set_labels(self, labels: Iterable[str], restart: int = 0) -> None:
        """Give the model these classes, with a new head drawn from the seed."""
        labels = tuple(dict.fromkeys(labels))
        if not labels:
            raise UserError(
                f"{self.identity.name} has no labels to choose from",
                hint="-M 'labels=[…]' lists the possible answers",
            )
        config = self.module.config
        config.num_labels = len(labels)
        config.problem_type = "single_label_classification"
        with seeded("head", self.options.seed, labels, *([restart] if restart else [])):
            fresh = type(self.module)(config)
        body = {key: value for key, value in self.module.state_dict().items() if key.startswith(self._body_prefix())}
        fresh.load_state_dict(body, strict=False)
        self.module = fresh.to(self.device, self.module.dtype).eval()
        self._name_labels(labels)
        self.refresh(head="new")

    def _body_prefix(self) -> str:
        return f"{self.module.base_model_prefix}."

    def _name_labels(self, labels: tuple[str, ...]) -> None:
        self.labels = labels
        self.module.config.id2label = dict(enumerate(labels))
        self.module.config.label2id = {label: index for index, label in enumerate(labels)}
        settings = {**self.identity.settings, "labels": list(labels)}
        self.identity = replace(self.identity, settings=settings)

    def _settle_padding(self) -> None:
        """Pad on the right, as encoders are built for, or where that changes answers on the left, or not at all."""
        sides: tuple[Side, ...] = ("right", "left")
        for self._padding in sides:
            if self._padding_is_harmless():
                return
        self.sizer = BatchSizer(1)
        LOGGER.info("%s sees padding, so texts are asked one by one", self.identity.name)

    def _probe(self, prompts: list[list[int]]) -> Any:
        """The scores of the first text."""
        ids, mask = pad(prompts, self.tokenizer_hf.pad_token_id or 0, self._padding, self.device)
        given = {"input_ids": ids, "attention_mask": mask}
        names = self.tokenizer_hf.model_input_names
        return self.module(**{key: given[key] for key in names if key in given}).logits[0].float()

    def _encode(self, instances: Sequence[Instance]) -> Any:
        pairs = [text_pair(instance) for instance in instances]
        rows: dict[int, dict[str, Any]] = {}
        # Single texts and pairs are cut apart: an empty second text would add a mark that is not there alone.
        for paired in (False, True):
            places = [place for place, (_, second) in enumerate(pairs) if (second is not None) is paired]
            if places:
                firsts, seconds = ([pairs[place][part] for place in places] for part in (0, 1))
                cut = self.tokenizer_hf(
                    firsts, seconds if paired else None, truncation="longest_first", max_length=self._window
                )
                rows |= {place: {key: cut[key][at] for key in cut} for at, place in enumerate(places)}
        in_order = [rows[place] for place in range(len(pairs))]
        return self.tokenizer_hf.pad(in_order, padding=True, padding_side=self._padding, return_tensors="pt").to(
            self.device
        )

    def _scores(self, requests: Sequence[Request]) -> list[list[float]]:
        """The log-probability of every label, per request."""
        torch = import_torch()
        self.module.eval()

        def work(batch: list[int]) -> list[list[float]]:
            with torch.inference_mode():
                logits = self.module(**self._encode([requests[index].instance for index in batch])).logits
            rows: list[list[float]] = torch.log_softmax(logits.float(), dim=-1).tolist()
            return rows

        def lost(index: int) -> list[float]:
            return []

        lengths = [len(request.instance.input) // 4 + 2 for request in requests]
        return run_in_batches(lengths, work, self.sizer, lost, self.release)

    def _place(self, label: str) -> int:
        if label not in self.labels:
            raise unknown_name("label", label, self.labels, where=self.identity.name)
        return self.labels.index(label)

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        """The likeliest of each task's own labels, or of all; `generation` has no say in it."""
        if not self.labels:
            self.set_labels(dict.fromkeys(label for request in requests for label in request.task.labels))
        found = self.label_logprobs(requests)
        return [likeliest(scores, request.task.labels) for request, scores in zip(requests, found, strict=True)]

    def answer_batch(self, requests: Sequence[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
        yield list(enumerate(self.generate(requests, generation)))

    def label_logprobs(self, requests: Sequence[Request]) -> list[dict[str, float]]:
        """The log-probability of every label of the model, per request; empty where memory ran out."""
        return [dict(zip(self.labels, row, strict=True)) if row else {} for row in self._scores(requests)]

    def weigh(
        self, requests: Sequence[Request], answers: Sequence[Sequence[str]], *, end: bool | None = None
    ) -> list[Belief]:
        """Labels that the model does not know are impossible."""
        return label_beliefs(self.label_logprobs(requests), answers)

    def logprobs(
        self, prompts: Sequence[Prompt], candidates: Sequence[Sequence[str]], *, end: bool | None = None
    ) -> list[list[float]]:
        """Log-probabilities of labels, the prompt's text being read as a single text."""
        from taskloom.core import Instruction, Task, any_of

        task = Task("", Instruction(""), labels=self.labels)
        asked = [Request(prompt, task, Instance("", prompt.text, any_of(""))) for prompt in prompts]
        rows = self._scores(asked)
        return [[row[self._place(text)] for text in texts] for row, texts in zip(rows, candidates, strict=True)]

    def collate(self, requests: Sequence[Request], answers: Sequence[str]) -> dict[str, Any]:
        torch = import_torch()
        batch = dict(self._encode([request.instance for request in requests]))
        batch["labels"] = torch.tensor([self._place(answer) for answer in answers], device=self.device)
        return batch
