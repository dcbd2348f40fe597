"""Encoders (BERT, RoBERTa, ALBERT …) with a head: for a closed set of labels, or to find answers in passages."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from msgspec.structs import replace

from taskloom.core import Instance, Suite, UserError
from taskloom.core.display import printable
from taskloom.core.model import Generation, Limits, Output, Request
from taskloom.models.engine import Side, pad
from taskloom.models.hf import HFModel
from taskloom.models.load import HFOptions, LoadedModel
from taskloom.models.local import LabelModel, Passage, SpanModel, answers_in, grown_state, reading_parts, suite_labels
from taskloom.models.runtime import LOGGER, BatchSizer, import_transformers, seeded, state_hash


def text_pair(instance: Instance) -> tuple[str, str | None]:
    """The two texts an encoder reads: the instance's two parts, or its input alone."""
    parts = [printable(text) for text in instance.parts.values() if text]
    if len(parts) == 2:
        return parts[0], parts[1]
    return printable(instance.input), None


class HFClassifier(LabelModel, HFModel):
    """A classifier. It reads the instance's parts, not the prompt, and answers with one of the task's labels.

    Its window is no limit: the longer of the two texts is cut to fit, as these encoders are used.
    """

    nature = "classifier"

    def __init__(self, loaded: LoadedModel, options: HFOptions, provider: str) -> None:
        super().__init__(loaded, options, provider)
        self._window, self.limits = self.limits.window, Limits(batch=256)
        known = getattr(self.module.config, "id2label", None) or {}
        trained = [known[index] for index in sorted(known)]
        self.labels = ()
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
        self.module = _with_body_of(fresh, self.module)
        self._name_labels(labels)
        self.refresh(head="new")

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
        ids, mask = pad(prompts, self.tokenizer_hf.pad_token_id or 0, self._padding, self.device)
        given = {"input_ids": ids, "attention_mask": mask}
        names = self.tokenizer_hf.model_input_names
        return self.module(**{key: given[key] for key in names if key in given}).logits[0].float()

    def encode_instances(self, instances: Sequence[Instance]) -> Any:
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

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        if not self.labels:
            self.set_labels(dict.fromkeys(label for request in requests for label in request.task.labels))
        return super().generate(requests, generation)


class HFSpanReader(SpanModel, HFModel):
    """A transformers model for question answering. A passage beyond its window is cut at the end."""

    def __init__(self, loaded: LoadedModel, options: HFOptions, provider: str) -> None:
        HFModel.__init__(self, loaded, options, provider)
        self._window, self.limits = self.limits.window, Limits(batch=256)
        self.longest_span = options.span

    def _settle_padding(self) -> None:
        """Tokenizers pad pairs on the side their encoder was built for."""

    def encode(self, requests: Sequence[Request]) -> tuple[dict[str, Any], list[Passage]]:
        pairs = [tuple(map(printable, reading_parts(request.instance, request.task))) for request in requests]
        cut = self.tokenizer_hf(
            [question for question, _ in pairs],
            [passage for _, passage in pairs],
            truncation="only_second" if self._window else False,
            max_length=self._window,
            padding=True,
            return_offsets_mapping=True,
            return_tensors="pt",
        )
        offsets = cut.pop("offset_mapping").tolist()
        passages = []
        for row, (_, text) in enumerate(pairs):
            spans = tuple(
                _trimmed(text, begin, end) if part == 1 else None
                for (begin, end), part in zip(offsets[row], cut.sequence_ids(row), strict=True)
            )
            last = max((span[1] for span in spans if span is not None), default=0)
            passages.append(Passage(text, spans, overlong=last < len(text.rstrip())))
        return {key: value.to(self.device) for key, value in cut.items()}, passages

    def pointers(self, batch: dict[str, Any]) -> tuple[Any, Any]:
        output = self.module(**batch)
        return output.start_logits, output.end_logits


def _trimmed(text: str, begin: int, end: int) -> tuple[int, int] | None:
    """The characters of a token without blanks around them: some tokenizers put the blank before a word into it."""
    piece = text[begin:end]
    begin += len(piece) - len(piece.lstrip())
    return (begin, begin + len(piece.strip())) if piece.strip() else None


def with_span_head(module: Any, seed: int) -> tuple[Any, str]:
    """A question-answering model around the body of another encoder, its head drawn from the seed, and its hash."""
    auto = import_transformers().AutoModelForQuestionAnswering
    with seeded("head", seed):
        fresh = auto.from_config(module.config)
    fresh = _with_body_of(fresh, module)
    return fresh, state_hash(fresh.state_dict())


def _with_body_of(fresh: Any, module: Any) -> Any:
    """A new model with the weights of another one below its head, where that one is."""
    prefix = f"{module.base_model_prefix}."
    body = {key: value for key, value in module.state_dict().items() if key.startswith(prefix)}
    fresh.load_state_dict(body, strict=False)
    return fresh.to(module.device, module.dtype).eval()
