"""Pre-train a tiny model on woven text: T5's span corruption and continuation, or the next token for decoders."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice, pairwise, zip_longest
from pathlib import Path
from random import Random
from typing import Annotated, Any, NamedTuple

import msgspec

from taskloom.core import (
    Count,
    Positive,
    Progress,
    Recipe,
    Share,
    UserError,
    content_hash,
    digest,
    keyed_random,
    open_suite,
)
from taskloom.core.catalog import FAMILIES
from taskloom.core.decode import decoding
from taskloom.core.folders import cache_folder
from taskloom.models.engine import pad
from taskloom.models.runtime import LOGGER, import_torch
from taskloom.models.tensors import load_tensors, optimiser_tensors, restore_optimiser, save_tensors
from taskloom.models.tiny.vocabulary import SENTINELS
from taskloom.store.atomic import disk_errors, whole_folder
from taskloom.store.ownership import sha256
from taskloom.store.seal import read_sealed, write_sealed

_STORY_SUITES = ("babi/task-1", "babi/task-2", "babi/task-6", "babi/task-7", "babi/task-8", "babi/task-12")
_SENTENCE_SUITES = ("seti/task1-nontrivial", "seti/task2-nontrivial", "seti/negation", "seti/quantifiers")


class Corpus(NamedTuple):
    """Texts in a fixed order, how many came from each part, and which parts could not be woven and why."""

    texts: list[str]
    counts: dict[str, int]
    left_out: dict[str, str]


def weave(parts: tuple[str, ...], texts: int, seed: int, world_seed: int = 0) -> Corpus:
    """Weave up to `texts` texts per part and shuffle them.

    A part whose source is not there is left out and named, never replaced by something else.

    Raises:
        UserError: No part could be woven.
    """
    woven: list[str] = []
    counts: dict[str, int] = {}
    left_out: dict[str, str] = {}
    for part in parts:
        try:
            found = list(islice(PARTS[part](seed, world_seed), texts))
        except (UserError, ImportError, AttributeError) as error:
            left_out[part] = str(error).splitlines()[0]
            continue
        counts[part] = len(found)
        woven.extend(found)
    if not woven:
        raise UserError(f"none of the parts {', '.join(parts)} is available: {left_out}")
    keyed_random("corpus", seed).shuffle(woven)
    return Corpus(woven, counts, left_out)


def _plain(word: str) -> str:
    return word.replace("_", " ")


_RELATIONS: tuple[tuple[str, str, Mapping[str, Any]], ...] = (
    ("hypernyms", "{a} is a kind of {b}.", {"closure": False}),
    ("synonyms", "{a} means the same as {b}.", {}),
    ("antonyms", "{a} is the opposite of {b}.", {"direct": True}),
    ("entailments", "To {a} is to {b}.", {"closure": False}),
    ("translate", "In Spanish {a} is {b}.", {}),
)


_PARTS_OF_SPEECH = {"noun": "a noun", "verb": "a verb", "adj": "an adjective", "adv": "an adverb"}


def _words(seed: int, world_seed: int) -> Iterator[str]:
    """A few sentences about one usual word after another."""
    from taskloom.sources.lexicon import default_lexicon

    lexicon = default_lexicon()
    for word in lexicon.common("eng"):
        random = keyed_random("corpus", "words", seed, word)
        sentences = []
        for relation, sentence, options in _RELATIONS:
            found = getattr(lexicon, relation)(word, **options)
            if found:
                sentences.append(sentence.format(a=_plain(word), b=_plain(random.choice(found))))
        sentences.extend(f"{_plain(word)} is {_PARTS_OF_SPEECH[part]}." for part in sorted(lexicon.pos(word)))
        random.shuffle(sentences)
        if sentences:
            yield " ".join(sentences)


def _world(seed: int, world_seed: int) -> Iterator[str]:
    """What is known about one inhabitant or thing of the fictional world after another."""
    from taskloom.sources.knowledge.open import open_graph
    from taskloom.sources.knowledge.vocabulary import RELATIONS, fact, relation

    graph = open_graph("world", seed=world_seed)
    known: dict[str, list[str]] = {}
    for name in RELATIONS:
        query = relation(name)
        for subject, objects in graph.words(query).items():
            known.setdefault(subject, []).extend(fact(query, subject, value) for value in objects[:2])
    for subject in sorted(known):
        random = keyed_random("corpus", "world", seed, subject)
        random.shuffle(known[subject])
        yield " ".join(known[subject][:6])


def _from_suites(names: tuple[str, ...], seed: int) -> Iterator[str]:
    """Inputs with their answers, the suites taking turns, drawn with a seed that belongs to pre-training."""
    own_seed = int.from_bytes(digest("corpus", seed)[:6], "big")
    family = FAMILIES.get(names[0].partition("/")[0])
    there = [name for name in names if name.partition("/")[2] in family.suites()]
    if not there:
        raise UserError(f"family {family.name} has none of {', '.join(names)}")
    suites = [open_suite(name, seed=own_seed) for name in there]
    draws = [
        (f"{row.instance.input} {row.instance.targets.canonical()}" for row in suite.draw("train")) for suite in suites
    ]
    return (text for turn in zip_longest(*draws) for text in turn if text is not None)


def _stories(seed: int, world_seed: int) -> Iterator[str]:
    return _from_suites(_STORY_SUITES, seed)


def _sentences(seed: int, world_seed: int) -> Iterator[str]:
    return _from_suites(_SENTENCE_SUITES, seed)


PARTS: dict[str, Callable[[int, int], Iterator[str]]] = {
    "words": _words,
    "world": _world,
    "stories": _stories,
    "sentences": _sentences,
}


# ------------------------------------------------------------------------- pre-training


_IGNORED = -100
_HELD_OUT = 64
_REPORT = "pretrain.json"


class Pretraining(Recipe, frozen=True, kw_only=True):
    """How a tiny model is pre-trained.

    Attributes:
        steps: Updates.
        batch: Blocks per update.
        length: Tokens per block.
        learning_rate: Peak of a linear warm-up and decay.
        warmup: Updates of warm-up.
        continuation: The share of blocks that an encoder-decoder reads to some point and continues from there, as it
            will be asked to (Lester et al., 2021, adapt T5 in this way); in the others it fills hidden spans.
        noise: The share of tokens hidden from encoder-decoder models.
        span: The mean length of a hidden span.
        parts: What the text is woven from: words, world, stories, sentences.
        texts: The most texts per part.
        world_seed: The fictional world that the text describes; suites ask about world 0 by default.
    """

    steps: Positive = 1500
    batch: Positive = 32
    length: Annotated[int, msgspec.Meta(ge=8)] = 64
    learning_rate: Annotated[float, msgspec.Meta(gt=0)] = 2e-3
    warmup: Count = 100
    continuation: Share = 0.5
    noise: Annotated[float, msgspec.Meta(gt=0, lt=1)] = 0.15
    span: Annotated[float, msgspec.Meta(ge=1)] = 3.0
    parts: tuple[str, ...] = ("words", "world", "stories", "sentences")
    texts: Positive = 8_000
    world_seed: int = 0

    def __post_init__(self) -> None:
        if not self.parts or not set(self.parts) <= set(PARTS):
            raise ValueError(f"parts are some of {', '.join(PARTS)}, not {', '.join(self.parts) or 'none'}")


class Report(msgspec.Struct, frozen=True):
    """What pre-training did; kept beside the weights."""

    name: str
    seed: int
    settings: Pretraining
    texts: dict[str, int]
    left_out: dict[str, str]
    tokens: int
    loss_before: float
    loss_after: float
    cpu_seconds: float
    files: dict[str, str] = {}
    """The SHA-256 of every file of the checkpoint but this one."""


def pretrained_folder(name: str, settings: Pretraining, seed: int) -> Path:
    """Where the checkpoint of these settings is kept."""
    key = content_hash((name, seed, settings))[:12]
    return cache_folder() / "pretrained" / f"{name}-{key}"


class TrainingState:
    """The weights and the optimiser of a training that goes on: written now and then, read when it starts again.

    The file belongs to exactly one recipe and seed.
    """

    def __init__(self, path: Path, module: Any, optimiser: Any, seconds: float = 120.0) -> None:
        self.path, self._module, self._optimiser, self._seconds = path, module, optimiser, seconds
        self._written = time.monotonic()

    def restore(self) -> int:
        """Put weights and optimiser back; the number of updates they have seen, 0 where there is nothing."""
        if not self.path.is_file():
            return 0
        try:
            state, facts, _ = load_tensors(self.path)
        except UserError as error:
            LOGGER.warning("%s, so it is left aside", error)
            return 0
        module = {key.removeprefix("module/"): value for key, value in state.items() if key.startswith("module/")}
        self._module.load_state_dict(module)
        restore_optimiser(self._optimiser, state)
        return int(facts["step"])

    def offer(self, step: int) -> None:
        """Write the state if enough time has passed since the last time."""
        if time.monotonic() - self._written >= self._seconds:
            self.write(step)

    def write(self, step: int) -> None:
        """Write the state after this many updates; the old one stays until the new one is whole."""
        # Tied weights are stored once under each name, because safetensors keeps no aliases.
        state = {f"module/{key}": value for key, value in self._module.state_dict().items()}
        self.path.parent.mkdir(parents=True, exist_ok=True)
        save_tensors(self.path, {**state, **optimiser_tensors(self._optimiser)}, {"step": step})
        self._written = time.monotonic()


def _state_file(name: str, settings: Pretraining, seed: int) -> Path:
    folder = pretrained_folder(name, settings, seed)
    return folder.with_name(f".{folder.name}.state") / "state.safetensors"


def find_pretrained(name: str, asked: str, seed: int) -> Path:
    """The folder of a pretrained checkpoint: the named one, or a cached one.

    "yes" is the one of default settings, a number the one of as many updates and otherwise default settings.

    Raises:
        UserError: There is none, or it holds another model.
    """
    if asked.isdecimal() and int(asked):
        settings: Pretraining | None = Pretraining(steps=int(asked))
    else:
        settings = Pretraining() if asked.lower() in ("yes", "true") else None
    folder = pretrained_folder(name, settings, seed) if settings else Path(asked).expanduser()
    if not (folder / _REPORT).is_file():
        steps = f" -T steps={asked}" if asked.isdecimal() else ""
        hint = f"taskloom pretrain {name} --seed {seed}{steps}"
        raise UserError(f"no pretrained {name} here", where=str(folder), hint=hint)
    report = read_report(folder)
    if report.name != name:
        raise UserError(f"holds a pretrained {report.name}, not {name}", where=str(folder))
    for file, expected in report.files.items():
        path = folder / file
        if path.parent != folder or not path.is_file() or sha256(path) != expected:
            hint = "remove the folder and pre-train again"
            raise UserError("the checkpoint was changed after it was written", where=str(path), hint=hint)
    return folder


def read_report(folder: Path) -> Report:
    """What pre-training did, from its folder."""
    data = read_sealed(folder / _REPORT, "the report of the pre-training")
    with decoding(folder / _REPORT, "the report of the pre-training"):
        return msgspec.convert(data, Report)


def pretrain(name: str, settings: Pretraining, seed: int, folder: Path | None = None) -> tuple[Path, Report]:
    """Pre-train a tiny text model ("t5-5m"), unless the same has been done before, and return where the checkpoint is.

    The seed is that of weights, text and order; the checkpoint goes to the cache where no folder is given.

    Raises:
        UserError: The model is no text model, or the folder holds something else.
    """
    folder = folder or pretrained_folder(name, settings, seed)
    if (folder / _REPORT).is_file():
        report = read_report(folder)
        if (report.name, report.seed, report.settings) == (name, seed, settings):
            return folder, report
        raise UserError(
            "contains a checkpoint with other settings", where=str(folder), hint="name another folder with -o"
        )
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise UserError("already contains something else", where=str(folder), hint="name another folder with -o")
    from taskloom.models.tiny import build_tiny

    model = build_tiny(name, seed=seed)
    if model.architecture not in ("encoder-decoder", "decoder"):
        raise UserError(f"tiny/{name} does not generate text, so it cannot be pre-trained")
    if model.limits.window is not None and settings.length > model.limits.window:
        raise UserError(f"length {settings.length} is beyond the window of tiny/{name}, {model.limits.window}")
    corpus = weave(settings.parts, settings.texts, seed, settings.world_seed)
    report = _train(model, name, settings, seed, corpus)
    with disk_errors(folder):
        report = keep_checkpoint(model, folder, report)
    # Only now: what cannot be kept (a full disk) need not be learned again.
    shutil.rmtree(_state_file(name, settings, seed).parent, ignore_errors=True)
    return folder, report


def _train(model: Any, name: str, settings: Pretraining, seed: int, corpus: Corpus) -> Report:
    torch = import_torch()
    began = time.process_time()
    blocks = _blocks(model, corpus.texts, settings.length)
    if len(blocks) < 2 * _HELD_OUT:
        raise UserError(f"the corpus fills only {len(blocks)} blocks of {settings.length} tokens; generate more text")
    held, blocks = blocks[:_HELD_OUT], blocks[_HELD_OUT:]
    optimiser = torch.optim.AdamW(model.module.parameters(), lr=settings.learning_rate, weight_decay=0.01)
    before = _held_out_loss(model, held, settings)
    state = TrainingState(_state_file(name, settings, seed), model.module, optimiser)
    start = state.restore()
    order = islice(_order(len(blocks), settings, seed), start, None)
    model.module.train()
    with Progress(f"pre-training tiny/{name}", settings.steps, unit="updates") as progress:
        progress.skip(start)
        for step in range(start, settings.steps):
            state.offer(step)
            random = keyed_random("pretrain", name, seed, step)
            batch = _batch(model, [blocks[index] for index in next(order)], settings, random)
            for group in optimiser.param_groups:
                group["lr"] = settings.learning_rate * _rate(step, settings)
            optimiser.zero_grad()
            loss = model.module(**batch).loss
            if not bool(torch.isfinite(loss)):
                raise UserError(f"the loss is not a number at update {step}", hint="lower -T learning_rate")
            loss.backward()
            torch.nn.utils.clip_grad_norm_(model.module.parameters(), 1.0)
            optimiser.step()
            progress.advance(note=f"loss {float(loss.detach()):.3f}" if step % 20 == 0 else None)
    model.module.eval()
    return Report(
        name=name,
        seed=seed,
        settings=settings,
        texts=corpus.counts,
        left_out=corpus.left_out,
        tokens=settings.steps * settings.batch * settings.length,
        loss_before=before,
        loss_after=_held_out_loss(model, held, settings),
        cpu_seconds=round(time.process_time() - began, 1),
    )


def _rate(step: int, settings: Pretraining) -> float:
    """The share of the peak learning rate at an update: up, then down to a tenth."""
    if step < settings.warmup:
        return (step + 1) / settings.warmup
    left = (settings.steps - step) / max(1, settings.steps - settings.warmup)
    return max(0.1, left)


def _blocks(model: Any, texts: Sequence[str], length: int) -> list[list[int]]:
    """All texts one after another, the end token between them, cut into blocks of equal length."""
    end = model.tokenizer_hf.eos_token_id
    stream: list[int] = []
    for ids in model.tokenizer_hf(list(texts), add_special_tokens=False).input_ids:
        stream.extend((*ids, end))
    return [stream[start : start + length] for start in range(0, len(stream) - length + 1, length)]


def _order(count: int, settings: Pretraining, seed: int) -> Iterator[list[int]]:
    """Batches of block numbers, every block once per round, in an order of its own each round."""
    waiting: list[int] = []
    turn = 0
    while True:
        while len(waiting) < settings.batch:
            fresh = list(range(count))
            keyed_random("pretrain", "order", seed, turn).shuffle(fresh)
            waiting.extend(fresh)
            turn += 1
        yield waiting[: settings.batch]
        waiting = waiting[settings.batch :]


def corrupt(
    ids: Sequence[int], random: Random, *, noise: float, span: float, sentinels: Sequence[int]
) -> tuple[list[int], list[int]]:
    """Hide spans of a text: the text with a sentinel in place of each, and the sentinels with what they hide.

    Spans never touch, so that each sentinel stands for exactly one gap.
    """
    wanted = max(1, round(len(ids) * noise))
    count = max(1, min(round(wanted / span), len(sentinels), wanted, len(ids) - wanted))
    hidden = _split(wanted, count, random)
    shown = _split(len(ids) - wanted, count, random)
    given: list[int] = []
    target: list[int] = []
    at = 0
    for sentinel, keep, hide in zip(sentinels, shown, hidden, strict=False):
        given.extend((*ids[at : at + keep], sentinel))
        target.extend((sentinel, *ids[at + keep : at + keep + hide]))
        at += keep + hide
    return given, target


def cut(ids: Sequence[int], random: Random) -> tuple[list[int], list[int]]:
    """A text up to a point in its middle half, and what comes after."""
    quarter = len(ids) // 4
    at = random.randint(quarter, len(ids) - quarter)
    return list(ids[:at]), list(ids[at:])


def _split(total: int, parts: int, random: Random) -> list[int]:
    """A random way to write a number as a sum of this many positive ones."""
    cuts = [0, *sorted(random.sample(range(1, total), parts - 1)), total]
    return [right - left for left, right in pairwise(cuts)]


def _batch(model: Any, blocks: Sequence[Sequence[int]], settings: Pretraining, random: Random) -> dict[str, Any]:
    device, filler = model.device, model.tokenizer_hf.pad_token_id
    if model.architecture == "decoder":
        ids, mask = pad(blocks, filler, "right", device)
        return {"input_ids": ids, "attention_mask": mask, "labels": ids}
    sentinels = model.tokenizer_hf.convert_tokens_to_ids(list(SENTINELS))
    end = model.tokenizer_hf.eos_token_id
    pairs = [
        cut(ids, random)
        if random.random() < settings.continuation
        else corrupt(ids, random, noise=settings.noise, span=settings.span, sentinels=sentinels)
        for ids in blocks
    ]
    ids, mask = pad([[*given, end] for given, _ in pairs], filler, "right", device)
    labels, _ = pad([[*target, end] for _, target in pairs], _IGNORED, "right", device)
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


def _held_out_loss(model: Any, held: Sequence[Sequence[int]], settings: Pretraining) -> float:
    """The loss on blocks that are never trained on, always hidden in the same way."""
    torch = import_torch()
    model.module.eval()
    with torch.inference_mode():
        batch = _batch(model, held, settings, keyed_random("pretrain", "held-out"))
        return float(model.module(**batch).loss)


def keep_checkpoint(model: Any, folder: Path, report: Report) -> Report:
    """Write beside the place and move there, so that a folder is whole or not there; the report with its hashes."""
    with whole_folder(folder) as beside:
        model.save(beside)
        files = {path.name: sha256(path) for path in sorted(beside.iterdir())}
        kept = msgspec.structs.replace(report, files=files)
        write_sealed(beside / _REPORT, kept)
        return kept
