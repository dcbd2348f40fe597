"""An adapted model as a folder that others open: transformers, peft, or `hf/./DIR` here."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias

from taskloom.adapt.change.low_rank import BASE, LowRank
from taskloom.adapt.change.soft_prompt import SoftPrompts
from taskloom.adapt.opened import adaptation_folder, open_adapted
from taskloom.core import UserError
from taskloom.models.local import LocalModel
from taskloom.store.atomic import whole_folder
from taskloom.store.seal import seal_folder

Form: TypeAlias = Literal["auto", "merged", "peft"]


class ModelExport(NamedTuple):
    """What was written, in a few words, and the model string that opens it, with its option where it needs one."""

    about: str
    opened_by: str


def export_model(run: str | Path, folder: str | Path, form: Form = "auto") -> ModelExport:
    """Write the adapted model of a run.

    Args:
        run: The folder of the run.
        folder: Where to write; new or empty.
        form: "merged" makes a LoRA part of the weights; "peft" writes it, or a soft prompt, as an adapter with its
            model in `base`; "auto" merges what can be merged.

    Returns:
        What was written, and how it is opened.

    Raises:
        UserError: The run has no adapted model, one per task, or one that the form cannot hold.
    """
    target = Path(folder)
    if target.exists() and (not target.is_dir() or any(target.iterdir())):
        raise UserError("already exists and is not empty", where=str(target), hint="name another folder with -o")
    model = open_adapted(adaptation_folder(run), {}, f"run/{run}")
    if not isinstance(model, LocalModel):
        raise UserError(
            "one adaptation per task cannot be exported as a single model",
            where=f"run/{run}",
            hint="adapt to all tasks at once, or to one of them: -A tasks=[NAME]",
        )
    change, model.change = model.change, None
    if isinstance(change, SoftPrompts) and form == "merged":
        raise UserError("a soft prompt is not part of the weights and cannot be merged", where="--as merged")
    if form == "peft" and not isinstance(change, SoftPrompts | LowRank):
        raise UserError("all weights were trained, so there is no adapter", where="--as peft")
    with whole_folder(target) as scratch:
        about = _write(change, model, scratch, form)
        # Networks that transformers does not know are opened by their own name.
        known = (scratch / "config.json").is_file() or (scratch / BASE).is_dir()
        seal_folder(scratch)
    return ModelExport(about, f"hf/{folder}" if known else f"{model.identity.name} -M checkpoint={folder}")


def _write(change: Any, model: LocalModel, folder: Path, form: Form) -> str:
    """Write the model, and say in a few words what was written."""
    if isinstance(change, SoftPrompts) or (isinstance(change, LowRank) and form == "peft"):
        change.export(folder, model)
        change.remove()
        model.save(folder / BASE)
        kind = "soft prompt" if isinstance(change, SoftPrompts) else "LoRA"
        return f"the {kind} as a peft adapter, with its model in {BASE}"
    if change is not None:
        change.absorb(model)
    model.save(folder)
    return "the whole model"
