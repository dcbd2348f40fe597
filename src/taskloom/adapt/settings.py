"""The options of every trained adaptation: which data, which optimiser, when to look, when to stop."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

import msgspec

from taskloom.core import Progress, Suite, UserError, ensure_known, unknown_name
from taskloom.core.adaptation import Adaptation
from taskloom.core.encoding import Encoding
from taskloom.core.model import Model

if TYPE_CHECKING:
    from taskloom.adapt.change import WeightChange
    from taskloom.models.local import LocalModel


TrackerName: TypeAlias = Literal["none", "tensorboard", "wandb", "mlflow"]


def matching_tasks(names: Iterable[str], patterns: Iterable[str], where: str) -> set[str]:
    """The names that match any of the patterns; all where there is none.

    Raises:
        UserError: A pattern that no name matches: misspelt, it would quietly train on something else.
    """
    known = list(names)
    chosen: set[str] = set()
    for pattern in patterns:
        found = {name for name in known if name == pattern or fnmatchcase(name, pattern)}
        if not found:
            raise unknown_name("task", pattern, known, where=where)
        chosen |= found
    return chosen or set(known)


_POSITIVE = (
    "learning_rate", "rates", "restarts", "batch", "lanes", "epochs", "evaluate_epochs", "evaluate_share", "max_input",
    "max_output",
)  # fmt: skip


class TrainingSettings(Adaptation, frozen=True, kw_only=True):
    """The settings shared by fine-tuning, prompt-tuning and LoRA.

    Attributes:
        split: The split trained on, or several joined by `+` (`train+few`). `-A split=oracle` (where a suite has one)
            gives the upper bound that is fitted to the test tasks' own data.
        dose: The total number of examples from the last split named; None for all. Smaller doses are subsets
            of larger ones.
        dev: The split that picks the best-on-dev checkpoint and decides about patience. Where the suite
            has none (or this says `none`), or has other tasks in it while the tasks trained on are tested (an
            oracle), `holdout` of the training examples is kept back for it.
        test: A split whose score is logged but not used; `none` for none.
        tasks: Patterns of task names (`*` and `?`) to train on; empty for all.
        shots: Training examples per task; None for all. Smaller numbers are subsets of larger ones.
        draw: Which draw of the shots.
        per_task: One adaptation per task instead of one for all; soft prompts and LoRAs are trained together
            through one frozen model.
        lanes: How many of them at most in one batch.
        holdout: Share of the training examples held out if there is no dev split.
        mixture: "proportional" samples tasks by size, "equal" samples all equally.
        weights: Patterns of task names with factors on top of the mixture.
        targets: Train on the "first" acceptable answer, or on a "random" one fixed per example.
        optimiser: adamw, adam, sgd or adafactor.
        learning_rate: The highest learning rate.
        rates: Learning rates to choose among: each is trained, and the best on dev is kept. Replaces `learning_rate`.
        restarts: The number of seeds (and, for models initialised here, initial weights) to train per rate; the best
            on dev is kept.
        weight_decay: Decay per update, as the optimiser defines it.
        schedule: constant, linear (to zero) or cosine (to zero).
        warmup: Updates (1 or more) or share of all updates (below 1) in which the rate rises from zero.
        batch: Examples per update.
        epochs: Passes over the training examples.
        updates: A bound on updates, which `epochs` does not lift.
        patience: Stop after this many evaluations without a better dev score; None never stops early.
        stop_when_perfect: Stop when train and dev are both at 100 %.
        clip: Largest gradient norm; 0 for none.
        label_smoothing: Share of probability spread over the vocabulary.
        dropout: Whether the model's dropout is active while training.
        precision: fp32, or bf16 for mixed precision.
        max_input: Tokens of input to train on, or as many as the model's window has room for. Where longer ones are
            cut: at the end, or at the start where the answer continues the input. Classifiers cut at `-M window=`.
        overlong: What becomes of training examples beyond `max_input`, `max_output` or the model's window: "drop"
            leaves them out, "cut" trains on what fits, "error" stops. `result.json` counts them.
        max_output: Tokens of an answer. At evaluations an answer also ends 8 tokens beyond the longest one trained on.
        evaluate_epochs: Epochs between evaluations; None for one, or more where that would cost too much and nothing
            waits for them (`patience`).
        evaluate_updates: Updates between evaluations; replaces `evaluate_epochs`.
        evaluate_limit: How many rows of each split are asked at an evaluation; None for 200, or fewer (down to 32)
            where that would cost too much.
        evaluate_share: The budget for evaluations, as a share of the work of training. Used where the three settings
            above are None.
        thresholds: Scores whose first crossing is reported.
        keep: Which checkpoint the adapted model gets: best on "dev", best on "train", or the "last".
        checkpoint_minutes: Longest time between two checkpoints to continue from.
        tracker: Where every evaluation is reported besides the curve: tensorboard, wandb or mlflow.
    """

    split: str = "train"
    dose: int | None = None
    dev: str = "dev"
    test: str = "test"
    tasks: tuple[str, ...] = ()
    shots: int | None = None
    draw: int = 0
    per_task: bool = False
    lanes: int = 64
    holdout: float = 0.1
    mixture: Literal["proportional", "equal"] = "proportional"
    weights: dict[str, float] = msgspec.field(default_factory=dict)
    targets: Literal["first", "random"] = "first"

    optimiser: Literal["adamw", "adam", "sgd", "adafactor"] = "adamw"
    learning_rate: float = 1e-3
    rates: tuple[float, ...] = ()
    restarts: int = 1
    weight_decay: float = 0.0
    schedule: Literal["constant", "linear", "cosine"] = "constant"
    warmup: float = 0.0
    batch: int = 32
    epochs: float = 10.0
    updates: int | None = None
    patience: int | None = None
    stop_when_perfect: bool = True
    clip: float = 0.0
    label_smoothing: float = 0.0
    dropout: bool = True
    precision: Literal["fp32", "bf16"] = "fp32"
    overlong: Literal["drop", "cut", "error"] = "drop"
    max_input: int = 512
    max_output: int = 64

    evaluate_epochs: float | None = None
    evaluate_updates: int | None = None
    evaluate_limit: int | None = None
    evaluate_share: float = 0.1
    thresholds: tuple[float, ...] = (0.5, 0.9, 0.99)
    keep: Literal["dev", "train", "last"] = "dev"
    checkpoint_minutes: float = 10.0
    tracker: TrackerName = "none"

    def __post_init__(self) -> None:
        for key in _POSITIVE:
            given = getattr(self, key)
            for value in given if isinstance(given, tuple) else (given,):
                if value is not None and value <= 0:
                    raise ValueError(f"{key} must be more than 0, not {value}")
        for key in ("shots", "dose", "updates", "patience", "evaluate_updates", "evaluate_limit"):
            count = getattr(self, key)
            if count is not None and count < 1:
                raise ValueError(f"{key} must be 1 or more, not {count}")
        if not 0 <= self.holdout < 1 or not 0 <= self.label_smoothing < 1:
            raise ValueError("holdout and label_smoothing are shares: at least 0 and below 1")
        if not all(self.splits):
            raise ValueError(f"split names one split or several joined by +, not {self.split!r}")
        if self.trials > 1 and self.per_task:
            raise ValueError(
                "rates and restarts are chosen for one adaptation, not for each of many; leave per_task out"
            )
        if self.per_task and self.optimiser == "adafactor":
            raise ValueError("adafactor uses statistics of whole tensors, so tasks cannot be trained together with it")
        if any(weight < 0 for weight in self.weights.values()):
            raise ValueError("weights must be 0 or more")
        if self.warmup < 0 or self.clip < 0 or self.weight_decay < 0:
            raise ValueError("warmup, clip and weight_decay must be 0 or more")

    @property
    def splits(self) -> tuple[str, ...]:
        """The splits trained on."""
        return tuple(part.strip() for part in self.split.split("+"))

    @property
    def trials(self) -> int:
        """How many trainings the result is chosen among."""
        return max(1, len(self.rates)) * self.restarts

    def check(self, model: Model, suite: Suite) -> None:
        model.require("train", f"--adapt {self.name}")
        for split in self.splits:
            ensure_known("split", split, suite.splits, where=f"{suite.name}: -A split")
        for key, usual in (("dev", "dev"), ("test", "test")):
            # The usual names may be missing in a suite; a name that was given is meant.
            name = getattr(self, key)
            if name not in (usual, "none", *suite.splits):
                raise unknown_name("split", name, [*suite.splits, "none"], where=f"{suite.name}: -A {key}")
        for split in self.splits:
            if split in (self.dev, self.test):
                raise UserError(f"training on {split!r} and evaluating on it measures nothing", where="-A split")
        matching_tasks(suite.tasks, self.tasks, f"{suite.name}: -A tasks")
        matching_tasks(suite.tasks, self.weights, f"{suite.name}: -A weights")

    def check_asked(self, suite: Suite, split: str) -> None:
        if not self.per_task:
            return
        trained = {row.task for split in self.splits for row in suite.rows(split)}
        trained &= matching_tasks(suite.tasks, self.tasks, f"{suite.name}: -A tasks")
        lost = next((row.task for row in suite.rows(split) if row.task not in trained), None)
        if lost is not None:
            raise UserError(
                f"the split {split!r} asks {lost!r}, a task that nothing would be adapted to",
                where="-A per_task",
                hint="leave -A tasks out, or per_task for one adaptation to all tasks",
            )

    def own_tokens(self) -> int:
        """How many tokens of the model's window the adaptation takes for itself."""
        return 0

    @abstractmethod
    def make_change(self, model: LocalModel, lanes: int, seed: int) -> WeightChange:
        """The tensors that are trained, put into the model."""

    def adapt(
        self,
        model: Model,
        suite: Suite,
        encoding: Encoding,
        directory: Path,
        *,
        seed: int,
        progress: Progress | None = None,
    ) -> Model:
        from taskloom.adapt.train import Fitting

        return Fitting(self, model, suite, encoding, directory, seed=seed).run(progress)


class Finetune(TrainingSettings, frozen=True, kw_only=True):
    """Train all weights."""

    name: ClassVar[str] = "finetune"
    summary: ClassVar[str] = "all weights"

    def check(self, model: Model, suite: Suite) -> None:
        super().check(model, suite)
        if self.per_task:
            raise UserError(
                "fine-tuning changes all weights, so the tasks cannot share one model",
                where="-A per_task",
                hint="taskloom sweep … --each-task fine-tunes one model per task",
            )

    def make_change(self, model: LocalModel, lanes: int, seed: int) -> WeightChange:
        from taskloom.adapt.change import FullChange

        return FullChange(model.module)


FINETUNE = Finetune()


class Lora(TrainingSettings, frozen=True, kw_only=True):
    """Train low-rank additions through the frozen model.

    Attributes:
        rank: The rank of the additions.
        alpha: They are multiplied by alpha / rank.
        layers: Last parts of the names of the layers (`q_proj`); empty for peft's choice for the model.
    """

    name: ClassVar[str] = "lora"
    summary: ClassVar[str] = "low-rank additions to linear layers, everything else frozen"

    rank: int = 8
    alpha: float = 16.0
    layers: tuple[str, ...] = ()
    dropout: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.rank < 1 or self.alpha <= 0:
            raise ValueError("rank must be 1 or more and alpha more than 0")

    def check(self, model: Model, suite: Suite) -> None:
        super().check(model, suite)
        if getattr(model, "tokenizer_hf", None) is None:
            raise UserError(
                f"LoRA needs a transformers model, which {model.identity.name} is not",
                hint="--adapt finetune trains it",
            )
        if self.per_task and getattr(model, "architecture", None) in ("classifier", "reader"):
            raise UserError(
                "the tasks of a classifier or reader cannot share one head, so they are not trained together",
                where="-A per_task",
                hint="taskloom sweep … --each-task adapts one model per task",
            )

    def make_change(self, model: LocalModel, lanes: int, seed: int) -> WeightChange:
        from taskloom.adapt.change import LowRank

        return LowRank(
            model.module,
            lanes=lanes,
            rank=self.rank,
            alpha=self.alpha,
            layers=self.layers,
            seed=seed,
            head=model.architecture in ("classifier", "reader"),
        )


LORA = Lora()


MOST_TOKENS = 2_000
"""Far beyond what anyone has found useful; a misplaced zero should not cost an afternoon."""


class PromptTune(TrainingSettings, frozen=True, kw_only=True):
    """Train a soft prompt through the frozen model.

    Attributes:
        tokens: Virtual tokens.
        first_rows: They begin as random tokens among this many first rows of the vocabulary.
    """

    name: ClassVar[str] = "prompt-tune"
    summary: ClassVar[str] = "n virtual tokens in front of the input, everything else frozen"

    tokens: int = 20
    first_rows: int = 5000
    learning_rate: float = 0.3
    dropout: bool = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.tokens < 1 or self.first_rows < 1:
            raise ValueError("tokens and first_rows must be 1 or more")
        if self.tokens > MOST_TOKENS:
            raise ValueError(f"{self.tokens:,} tokens are too many; the maximum is {MOST_TOKENS:,}")

    def check(self, model: Model, suite: Suite) -> None:
        super().check(model, suite)
        if getattr(model, "architecture", None) not in ("encoder-decoder", "decoder"):
            raise UserError(
                f"prompt-tuning needs a model that reads tokens and writes text; {model.identity.name} does not",
                hint="--adapt finetune trains it",
            )
        window = model.limits.window
        if window is not None and self.tokens >= window:
            raise UserError(
                f"{self.tokens:,} virtual tokens do not fit into the window of {model.identity.name} ({window:,})",
                where="-A tokens",
            )

    def own_tokens(self) -> int:
        return self.tokens

    def make_change(self, model: LocalModel, lanes: int, seed: int) -> WeightChange:
        from taskloom.adapt.change import SoftPrompts

        return SoftPrompts(model.module, lanes=lanes, tokens=self.tokens, first_rows=self.first_rows, seed=seed)


PROMPT_TUNE = PromptTune()
