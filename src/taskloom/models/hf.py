"""Models of the transformers library: `hf/FOLDER`, `hf/FILE.gguf`, `hf/OWNER/NAME`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from math import fsum, isnan
from pathlib import Path
from typing import Any

from taskloom.core import UserError
from taskloom.core.display import printable
from taskloom.core.encoding import Prompt
from taskloom.core.model import Belief, Generation, Identity, Limits, Output, Request
from taskloom.models.chat import render_chat, split_thinking
from taskloom.models.engine import (
    AnswerRules,
    Continuation,
    DecoderEngine,
    Engine,
    Side,
    TwoPartEngine,
    continue_prompts,
    leaves,
    pad,
    search_prompts,
)
from taskloom.models.load import HFOptions, LoadedModel, load
from taskloom.models.local import HFTokenizer, LocalModel, tokenizer_hash, window_of
from taskloom.models.provider import ProviderRecord
from taskloom.models.runtime import (
    LOGGER,
    NOT_NUMBERS,
    BatchSizer,
    count_parameters,
    import_torch,
    is_out_of_memory,
    run_in_batches,
    stream_in_batches,
)

_IGNORED = -100
"""The label that torch's cross-entropy leaves out."""


class HFModel(LocalModel):
    """A text model: it reads a prompt and writes an answer."""

    def __init__(self, loaded: LoadedModel, options: HFOptions, provider: str) -> None:
        self.module = loaded.module
        self.tokenizer_hf = loaded.tokenizer
        self.tokenizer = HFTokenizer(loaded.tokenizer)
        self.architecture = loaded.architecture
        self.prefix = loaded.prefix
        self.options = options
        self.sizer = BatchSizer.for_device(options.batch_size, self.device.type)
        window = window_of(self.module, options.window)
        self.limits = Limits(window=window, batch=256, apart=self.architecture == "encoder-decoder")
        self._shown_template = False
        self._padding: Side = "left" if self.architecture == "decoder" else "right"
        self._remember = options.cache
        self.identity = Identity(
            name=f"{provider}/{loaded.name}",
            revision=loaded.revision,
            weights=loaded.weights,
            settings={
                "architecture": loaded.architecture,
                "parameters": count_parameters(self.module),
                "dtype": str(self.module.dtype).removeprefix("torch."),
                "tokenizer_hash": tokenizer_hash(self.tokenizer_hf),
                "chat": options.chat,
                "window": self.limits.window,
                "keep_thinking": options.keep_thinking,
                **({"quantise": options.quantise} if options.quantise else {}),
                **loaded.settings,
            },
        )
        if options.quantise:
            self.abilities = self.abilities - {"train"}  # type: ignore[misc]
        if self.nature == "base" and self.options.chat != "never" and getattr(self.tokenizer_hf, "chat_template", None):
            self.nature = "chat"
        self._settle_padding()

    def _settle_padding(self) -> None:
        """Prove on two prompts of different length that padding changes nothing, or find a way in which it does not.

        Encoder-decoder models are built for padding on the right, so only what a user asks for is proved there.
        """
        if self.options.padding != "auto":
            self._padding = self.options.padding
            if not self._padding_is_harmless():
                raise UserError(
                    f"{type(self.module).__name__} sees padding, so padding={self.options.padding} changes its answers",
                    where="-M padding",
                    hint="-M padding=auto chooses the right side for the model",
                )
        elif self.architecture == "decoder" and not self._padding_is_harmless():
            # Without a mask or positions from outside, what comes after a token is all that cannot reach it.
            self._padding, self._remember = "right", False
            LOGGER.info("%s is padded on the right and run without cache", self.identity.name)

    def _padding_is_harmless(self) -> bool:
        words = max(self.tokenizer_hf.get_vocab().values()) + 1
        prompts = [[index % words for index in range(1, length)] for length in (4, 9)]
        try:
            with import_torch().inference_mode():
                together, alone = self._probe(prompts), self._probe(prompts[:1])
        except (AttributeError, RuntimeError) as error:
            if is_out_of_memory(error):
                raise
            return False
        # Half precision rounds by the shape of the batch; misplaced tokens do far more.
        allowed = 1e-3 if self.module.dtype.itemsize > 2 else 0.05
        return bool((together - alone).norm() <= allowed * (alone - alone.mean()).norm().clamp(min=1e-6))

    def _probe(self, prompts: list[list[int]]) -> Any:
        """The scores after the first prompt and after one more token."""
        engine = self.engine()
        return import_torch().cat([engine.start(prompts)[0], engine.advance([1] * len(prompts))[0]])

    # What the model reads and writes, as token ids.

    def render(self, prompt: Prompt) -> str:
        """The text the model reads. Blanks at its end go to the answer, where tokenizers keep them."""
        if self._templated(prompt):
            text = printable(render_chat(prompt, self.tokenizer_hf, self.identity.name))
            if not self._shown_template:
                self._shown_template = True
                LOGGER.info("%s reads, through its chat template:\n%s", self.identity.name, text)
            return text
        text = printable(prompt.text)
        return text.rstrip(" ") if self.architecture == "decoder" else text

    def _templated(self, prompt: Prompt) -> bool:
        return self.options.chat == "always" or (bool(prompt.messages) and self.options.chat == "auto")

    def prompt_ids(self, prompt: Prompt) -> list[int]:
        """The tokens of a prompt, at least one, after those of a soft prompt."""
        return self.prompts_ids([prompt])[0]

    def prompts_ids(self, prompts: Sequence[Prompt]) -> list[list[int]]:
        """The tokens of each of some prompts. Many at once take a tokenizer a fraction of the time of each alone."""
        found: list[list[int]] = [[] for _ in prompts]
        # A template writes its own special tokens; doubling the first one would shift everything.
        decoding = self.architecture == "decoder"
        templated = [decoding and self._templated(prompt) for prompt in prompts]
        for bare in set(templated):
            places = [place for place, own in enumerate(templated) if own is bare]
            texts = [self.render(prompts[place]) for place in places]
            read = self.tokenizer_hf(texts, add_special_tokens=not bare).input_ids
            for place, ids in zip(places, read, strict=True):
                found[place] = [*self.prefix, *(self._open_end(ids) if decoding and not bare else ids)]
                if decoding and len(found[place]) == len(self.prefix):
                    found[place].append(self._first_token())
        return found

    def _open_end(self, ids: Sequence[int]) -> list[int]:
        """Tokens without the end that a tokenizer puts behind them: a decoder is to go on there."""
        ends, last = self._ends(), len(ids)
        while last and ids[last - 1] in ends:
            last -= 1
        return list(ids[:last])

    def _asked_ids(self, requests: Sequence[Request]) -> list[list[int]]:
        """The tokens of each request's prompt, after the soft prompt it is for where there are several."""
        read = self.prompts_ids([request.prompt for request in requests])
        if self.choice is None:
            return read
        choice, own = self.choice, len(self.prefix)
        return [[*choice.prefix(choice.lane(one)), *ids[own:]] for one, ids in zip(requests, read, strict=True)]

    def _lanes(self, requests: Iterable[Request]) -> list[int]:
        """The adaptation that each request is for; empty where the model has but one."""
        return [] if self.choice is None else [self.choice.lane(request) for request in requests]

    def answer_ids(self, prompt: Prompt, answer: str, *, end: bool | None = None) -> list[int]:
        """The tokens of an answer to a prompt; `end` says whether the end token belongs to it."""
        end = self._with_end() if end is None else end
        answer = printable(answer)
        if self.architecture == "encoder-decoder":
            ids: list[int] = list(self.tokenizer_hf(text_target=answer).input_ids)
            return ids if end else [token for token in ids if token not in self._ends()]
        text = self.render(prompt)
        # Nothing needs no gap in front: an answer that says nothing has no tokens but its end.
        gap = "" if text.endswith("\n") or not text or not answer or answer.startswith((" ", "\n")) else " "
        ids = list(self.tokenizer_hf(gap + answer, add_special_tokens=False).input_ids)
        return [*ids, self._end_token()] if end else ids

    def _with_end(self) -> bool:
        if self.options.end == "auto":
            return self.architecture == "encoder-decoder"
        return self.options.end == "always"

    def _ends(self) -> frozenset[int]:
        found: set[int] = set()
        for holder in (getattr(self.module, "generation_config", None), self.module.config):
            value = getattr(holder, "eos_token_id", None)
            if value is not None:
                found.update(value if isinstance(value, list | tuple) else [value])
        if self.tokenizer_hf.eos_token_id is not None:
            found.add(self.tokenizer_hf.eos_token_id)
        return frozenset(found)

    def _end_token(self) -> int:
        if self.tokenizer_hf.eos_token_id is not None:
            return int(self.tokenizer_hf.eos_token_id)
        if self._ends():
            return min(self._ends())
        raise UserError(f"{self.identity.name} has no end token, so an answer has no end to score")

    def _first_token(self) -> int:
        token = self.tokenizer_hf.bos_token_id
        return int(self._end_token() if token is None else token)

    # Running it.

    def engine(self, lanes: Sequence[int] = ()) -> Engine:
        """A fresh engine over the module, in evaluation mode; `lanes` has the adaptation of each prompt."""
        self.module.eval()
        engine = self._make_engine()
        if self.choice is not None and lanes:
            engine.for_lanes(lanes, self.choice.select)
        return engine

    def _make_engine(self) -> Engine:
        filler = self.tokenizer_hf.pad_token_id or 0
        if self.architecture == "decoder":
            return DecoderEngine(self.module, filler, self._padding, self._remember)
        config, generating = self.module.config, getattr(self.module, "generation_config", None)
        named = ((config, "decoder_start_token_id"), (generating, "decoder_start_token_id"), (config, "bos_token_id"))
        starts = [start for holder, key in named if (start := getattr(holder, key, None)) is not None]
        if not starts:
            raise UserError(f"the config of {self.identity.name} names no decoder_start_token_id")
        return TwoPartEngine(self.module, filler, self._padding, self._remember, int(starts[0]))

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        outputs = dict(pair for group in self.answer_batch(requests, generation) for pair in group)
        return [outputs[index] for index in range(len(requests))]

    def answer_batch(self, requests: Sequence[Request], generation: Generation) -> Iterator[list[tuple[int, Output]]]:
        prompts = self._asked_ids(requests)
        lanes = self._lanes(requests)
        room = [self._room(prompt, generation) for prompt in prompts]
        fit = [index for index, tokens in enumerate(room) if tokens > 0]
        if len(fit) < len(requests):
            yield [(index, self._too_long(prompts[index])) for index in range(len(requests)) if room[index] <= 0]

        def work(batch: list[int]) -> list[Output]:
            rows = [fit[index] for index in batch]
            rules = self._rules([room[row] for row in rows], generation)
            asked, engine = [prompts[row] for row in rows], self.engine([lanes[row] for row in rows] if lanes else ())
            with import_torch().inference_mode():
                if generation.beams > 1:
                    spoken = search_prompts(engine, asked, generation.beams, rules)
                else:
                    spoken = continue_prompts(engine, asked, generation, rules, [requests[row].sample for row in rows])
            return [self._output(prompt, said) for prompt, said in zip(asked, spoken, strict=True)]

        def lost(index: int) -> Output:
            return Output("", "failed", f"out of memory at a batch of one ({len(prompts[fit[index]])} tokens)")

        # Each beam is a row of its own, so a batch has room for fewer prompts.
        lengths = [generation.beams * (len(prompts[index]) + room[index]) for index in fit]
        for group in stream_in_batches(lengths, work, self.sizer, lost, self.release):
            yield [(fit[index], output) for index, output in group]

    def _room(self, prompt: Sequence[int], generation: Generation) -> int:
        """How many tokens the answer may have; none where the prompt alone is too long."""
        window = self.limits.window
        if window is None:
            return generation.max_tokens
        if self.limits.apart:
            return min(generation.max_tokens, window) if len(prompt) <= window else 0
        return min(generation.max_tokens, window - len(prompt))

    def _too_long(self, prompt: Sequence[int]) -> Output:
        error = f"the prompt has {len(prompt)} tokens, the window {self.limits.window}"
        return Output("", "failed", error, prompt_tokens=len(prompt))

    def _rules(self, room: list[int], generation: Generation) -> AnswerRules:
        forced = getattr(getattr(self.module, "generation_config", None), "forced_bos_token_id", None)
        return AnswerRules(room, self._ends(), self._text, forced, generation.stop)

    def _text(self, tokens: list[int]) -> str:
        return str(self.tokenizer_hf.decode(tokens, skip_special_tokens=True))

    def _output(self, prompt: list[int], said: Continuation) -> Output:
        text = self._text(list(said.tokens))[: said.cut_at]
        if said.lost:
            return Output("", "failed", NOT_NUMBERS, prompt_tokens=len(prompt), raw=text)
        answer, raw, thought = (text, "", "") if self.options.keep_thinking else split_thinking(text)
        # The end token was made too, where the model ended by itself.
        made = len(said.tokens) + int(said.finished and said.cut_at is None)
        return Output(
            answer.strip(),
            "complete" if said.finished else "truncated",
            prompt_tokens=len(prompt),
            output_tokens=made,
            raw=raw,
            reasoning=thought,
        )

    def weigh(
        self, requests: Sequence[Request], answers: Sequence[Sequence[str]], *, end: bool | None = None
    ) -> list[Belief]:
        end = self._with_end() if end is None else end
        spelled = [
            {text: tuple(self.answer_ids(request.prompt, text, end=end)) for text in texts}
            for request, texts in zip(requests, answers, strict=True)
        ]
        prompts, lanes = self._asked_ids(requests), self._lanes(requests)
        reasons = [self._no_room(prompt, texts.values()) for prompt, texts in zip(prompts, spelled, strict=True)]
        fit = [place for place, reason in enumerate(reasons) if not reason]
        rows = self.token_logprobs(
            [prompts[place] for place in fit],
            [[*spelled[place].values()] for place in fit],
            [lanes[place] for place in fit] if lanes else (),
        )
        beliefs = [Belief(error=reason) for reason in reasons]
        for place, found in zip(fit, rows, strict=True):
            texts = spelled[place]
            logprobs = {text: fsum(values) for text, values in zip(texts, found, strict=True)}
            beliefs[place] = Belief(logprobs, dict(texts), end)
        return beliefs

    def _no_room(self, prompt: Sequence[int], answers: Iterable[Sequence[int]]) -> str:
        longest = max(map(len, answers), default=0)
        needed = len(prompt) + (longest if self.architecture == "decoder" else 0)
        if self.limits.window is None or needed <= self.limits.window:
            return ""
        return f"prompt and answer have {needed} tokens, the window {self.limits.window}"

    def token_logprobs(
        self,
        prompts: Sequence[Sequence[int]],
        sequences: Sequence[Sequence[tuple[int, ...]]],
        lanes: Sequence[int] = (),
    ) -> list[list[list[float]]]:
        """The log-probability of every token of every sequence after its prompt.

        Shared beginnings are computed once: only sequences that no other one extends are run. `lanes` has the
        adaptation that each prompt is for, where the model has several.
        """
        covers = [leaves(rows) for rows in sequences]
        rows = [
            (index, leaf)
            for index, cover in enumerate(covers)
            for leaf in dict.fromkeys(cover.values())
            if leaf  # an empty answer is certain
        ]

        def work(batch: list[int]) -> list[list[float]]:
            used = list(dict.fromkeys(rows[index][0] for index in batch))
            place = {prompt: at for at, prompt in enumerate(used)}
            asked = [(place[rows[index][0]], rows[index][1]) for index in batch]
            engine = self.engine([lanes[prompt] for prompt in used] if lanes else ())
            with import_torch().inference_mode():
                return engine.force([prompts[prompt] for prompt in used], asked)

        def lost(index: int) -> list[float]:
            raise UserError(f"out of memory scoring one answer after {len(prompts[rows[index][0]])} tokens")

        # Sorting by the prompt alone keeps the answers of one prompt together, which is read once per batch.
        lengths = [len(prompts[index]) for index, _ in rows]
        found = dict(zip(rows, run_in_batches(lengths, work, self.sizer, lost, self.release), strict=True))
        if any(isnan(value) for values in found.values() for value in values):
            raise UserError(NOT_NUMBERS, where=self.identity.name, hint="-M dtype=float32 has the widest range")
        return [
            [found[index, cover[ids]][: len(ids)] if ids else [] for ids in asked]
            for index, (cover, asked) in enumerate(zip(covers, sequences, strict=True))
        ]

    # Training and saving.

    def collate(self, requests: Sequence[Request], answers: Sequence[str]) -> dict[str, Any]:
        prompts = self.prompts_ids([request.prompt for request in requests])
        targets = [
            self.answer_ids(request.prompt, answer, end=True) for request, answer in zip(requests, answers, strict=True)
        ]
        filler = self.tokenizer_hf.pad_token_id or 0
        if self.architecture == "encoder-decoder":
            ids, mask = pad(prompts, filler, "right", self.device)
            labels, _ = pad(targets, _IGNORED, "right", self.device)
            return {"input_ids": ids, "attention_mask": mask, "labels": labels}
        rows = [[*prompt, *target] for prompt, target in zip(prompts, targets, strict=True)]
        for row in rows:
            if reason := self._no_room(row, ()):
                raise UserError(reason, where=self.identity.name)
        ids, mask = pad(rows, filler, "right", self.device)
        hidden = [[_IGNORED] * len(prompt) + target for prompt, target in zip(prompts, targets, strict=True)]
        labels, _ = pad(hidden, _IGNORED, "right", self.device)
        return {"input_ids": ids, "attention_mask": mask, "labels": labels}

    def save(self, directory: Path) -> None:
        self.module.save_pretrained(directory, safe_serialization=True)
        self.tokenizer_hf.save_pretrained(directory)
        # safetensors makes files that only their owner can read, whatever the umask; the others follow it.
        for path in directory.glob("*.safetensors"):
            path.chmod((directory / "config.json").stat().st_mode)


def make_local(loaded: LoadedModel, options: HFOptions, provider: str) -> LocalModel:
    """The model object that fits the architecture of what was loaded."""
    from taskloom.models.heads import HFClassifier, HFSpanReader

    kinds: dict[str, type[HFModel]] = {"classifier": HFClassifier, "reader": HFSpanReader}
    return kinds.get(loaded.architecture, HFModel)(loaded, options, provider)


PROVIDER = ProviderRecord(
    "hf",
    {
        "./FOLDER": "a checkpoint folder with config.json, tokenizer and *.safetensors",
        "./FILE.gguf": "a GGUF file that transformers can read",
        "OWNER/NAME": "a model of the Hugging Face hub, safetensors only",
    },
    HFOptions(),
    lambda name, options: make_local(load(name, options), options, "hf"),
    recognises=lambda name: (
        not name.endswith(".gguf") and (name.startswith(("./", "../", "/", "~")) or Path(name).is_dir())
    ),
)
