"""The papers' training settings as named recipes (`-A recipe=taskbench`), each with its source.

A recipe sets every value that decides how a model is trained (`DECIDING`). What the paper or its released
configuration states is in `settings`; where both are silent, `filled` has the value that is usual for the kind of
model. Every one of them can still be replaced.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from taskloom.core import UserError, unknown_name


class PaperRecipe(msgspec.Struct, frozen=True):
    """Settings of one paper.

    Attributes:
        source: The paper, and where in it the values stand.
        settings: Options by adaptation, as the paper states them.
        filled: The deciding options that it does not state, for the kind of model it trains.
        remarks: What the paper leaves open and why it is filled as it is, or what it says differently elsewhere.
    """

    source: str
    settings: Mapping[str, Mapping[str, Any]]
    filled: Mapping[str, Any]
    remarks: str = ""


DECIDING = (
    "optimiser",
    "learning_rate",
    "weight_decay",
    "schedule",
    "warmup",
    "batch",
    "epochs",
    "clip",
    "label_smoothing",
    "dropout",
    "targets",
    "max_input",
    "max_output",
)
"""The options that decide what a model learns; every recipe has a value for each of them."""

# Pretrained models: the defaults of the Hugging Face trainer, which most papers mean by "default settings".
_PRETRAINED: dict[str, Any] = {
    "optimiser": "adamw",
    "learning_rate": 5e-5,
    "weight_decay": 0.0,
    "schedule": "linear",
    "warmup": 0.0,
    "batch": 16,
    "epochs": 3.0,
    "clip": 1.0,
    "label_smoothing": 0.0,
    "dropout": True,
    "targets": "first",
    "max_input": 512,
    "max_output": 64,
}

# T5 as its authors fine-tune it: a constant rate, and no clipping.
_T5: dict[str, Any] = {**_PRETRAINED, "schedule": "constant", "clip": 0.0}

# Models that start from random weights: small ones want a rate twenty times as high.
_SCRATCH: dict[str, Any] = {**_PRETRAINED, "learning_rate": 1e-3, "schedule": "constant"}


_TASKBENCH: dict[str, Any] = {
    "optimiser": "adamw",
    "schedule": "constant",
    "batch": 64,
    "epochs": 100,
    "patience": 50,
    "evaluate_epochs": 1.0,
    "stop_when_perfect": True,
    "targets": "first",
}

RECIPES: dict[str, PaperRecipe] = {
    "taskbench": PaperRecipe(
        source="Li et al. (2022), Quantifying Adaptability in Pre-trained Language Models with 500 Tasks, appendix B",
        filled=_T5,
        settings={
            "finetune": {**_TASKBENCH, "learning_rate": 1e-3},
            "prompt-tune": {**_TASKBENCH, "learning_rate": 1.0, "tokens": 100, "first_rows": 5000},
        },
        remarks="For word tasks; sequences need -A batch=32 -A targets=random. Patience 50 is the released code's, "
        "100 where there are at most 100 training examples.",
    ),
    "tk-instruct": PaperRecipe(
        source="Wang et al. (2022), Super-NaturalInstructions, appendix D, models up to 3B parameters",
        filled=_T5,
        settings={
            "finetune": {
                "optimiser": "adamw",
                "learning_rate": 1e-5,
                "schedule": "constant",
                "batch": 16,
                "epochs": 2.0,
                "max_input": 1024,
                "max_output": 128,
                "shots": 100,
                "targets": "random",
                "precision": "bf16",
            },
        },
        remarks="The released configuration has a learning rate of 5e-5. Performance saturates at 64 instances per "
        "task (figure 5b).",
    ),
    "seti": PaperRecipe(
        source="Fu and Frank (2023), SETI, section 4.2 and appendix C",
        filled=_PRETRAINED,
        settings={"finetune": {"optimiser": "adam", "batch": 16, "max_input": 128}},
        remarks="Learning rate and epochs are the unnamed defaults of the models, here those of the Hugging Face "
        "trainer; the few-shot experiments state three epochs. Models of 300M parameters and more need 1e-5 to 2e-5; "
        "seti-scratch is for models that start from random weights. Five seeds per setting.",
    ),
    "seti-scratch": PaperRecipe(
        source="Fu and Frank (2023), SETI, section 4.2 and appendix C, for models without pre-training",
        filled={**_SCRATCH, "epochs": 30.0},
        settings={"finetune": {"optimiser": "adam", "batch": 16, "max_input": 128}},
        remarks="The paper trains no such models; the rate is the default of fine-tuning here.",
    ),
    "zest": PaperRecipe(
        source="Weller et al. (2020), Learning from Task Descriptions, appendices C.1 (T5) and C.2 (BART)",
        filled=_T5,
        settings={
            "finetune": {
                "optimiser": "adafactor",
                "learning_rate": 1e-3,
                "schedule": "constant",
                "batch": 32,
                # The paper counts updates only: passes enough that the default of `epochs` does not end it first.
                "epochs": 25000,
                "updates": 25000,
                "evaluate_updates": 2500,
                "max_input": 512,
                "max_output": 512,
            },
        },
        remarks="T5 values; the learning rate was searched in 5e-4, 1e-3, 2e-3, 4e-3. zest-bart has BART's.",
    ),
    "zest-bart": PaperRecipe(
        source="Weller et al. (2020), Learning from Task Descriptions, appendix C.2",
        filled=_PRETRAINED,
        settings={
            "finetune": {
                "learning_rate": 3e-5,
                "batch": 32,
                "epochs": 15,
                "max_input": 512,
                "max_output": 64,
                "weight_decay": 0.01,
                "label_smoothing": 0.1,
            },
        },
    ),
    "dyna-babi": PaperRecipe(
        source="Tamari et al. (2022), Dyna-bAbI, appendix A.2 (T5)",
        filled=_T5,
        settings={
            "finetune": {"optimiser": "adam", "learning_rate": 5e-5, "batch": 8, "epochs": 12, "max_input": 512},
        },
        remarks="dyna-babi-memory has the values of EntNet and STM.",
    ),
    "dyna-babi-memory": PaperRecipe(
        source="Tamari et al. (2022), Dyna-bAbI, appendix A.2 (EntNet, STM)",
        filled={**_SCRATCH, "learning_rate": 0.5, "clip": 40.0},
        settings={"finetune": {"optimiser": "sgd", "batch": 32, "epochs": 200}},
        remarks="The best of ten tries is reported. The optimiser is EntNet's; the learning rate is not given: of "
        "0.001, 0.01, 0.1 and 0.5 the last learns fastest with tiny/entnet on babi/task-1 (400 stories, 6 epochs: a "
        "loss of 1.79, 1.78, 1.69 and 1.42).",
    ),
}


def named_recipe(name: str, adaptation: str) -> Mapping[str, Any]:
    """The options of a named recipe for one adaptation.

    Raises:
        UserError: No such recipe, or the paper did not use this adaptation.
    """
    if name not in RECIPES:
        raise unknown_name("recipe", name, RECIPES, where=f"adaptation {adaptation}")
    settings = RECIPES[name].settings
    if adaptation not in settings:
        used = " and ".join(settings)
        raise UserError(f"recipe {name!r} is about {used}, not {adaptation}", hint=f"--adapt {next(iter(settings))}")
    return {**RECIPES[name].filled, **settings[adaptation]}
