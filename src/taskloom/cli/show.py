"""`taskloom show`: the prompts exactly as a model sees them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import msgspec

from taskloom.core import Instance, Suite, open_suite
from taskloom.core.encoding import Encoding, make_encoding
from taskloom.core.model import Generation, Model, Output, Request, open_model
from taskloom.core.yaml12 import encode_yaml


def run(args: argparse.Namespace) -> int:
    """Print prompts, or the recipe."""
    suite = open_suite(args.suite, seed=args.seed, options=args.settings)
    task = suite.recipe.get("only_task")
    if args.recipe:
        return _show_recipe(suite, as_json=args.json)
    split = args.split or _split_with(suite, task)
    rows = list(suite.rows(split, task=task, limit=args.n))  # a split that is not there is said before all else
    if notice := suite.notes.get("notice"):
        print(f"note: {notice}", file=sys.stderr)
    model = open_model(args.model, args.model_options) if args.model else None
    encoding = _encoding(args, suite, model)
    if args.num_fewshot:
        from taskloom.adapt.make import make_adaptation

        adaptation = make_adaptation("in-context", {"k": args.num_fewshot})
        encoding = adaptation.wrap(encoding, suite, seed=0)
    for number, row in enumerate(rows, start=1):
        instance = row.instance
        prompt = encoding.encode(suite.tasks[row.task], instance, tokenizer=model.tokenizer if model else None)
        text = model.render(prompt) if model else prompt.text
        if args.json:
            shown = {"task": row.task, "split": split, "prompt": prompt, "text": text, "instance": instance}
            print(msgspec.json.encode(shown).decode())
        else:
            _show_instance(f"{number} · {row.task} · {split} · {instance.id}", text, instance)
    return 0


def _encoding(args: argparse.Namespace, suite: Suite, model: Model | None) -> Encoding:
    """The encoding that a run with these options would ask with; the choice is printed on stderr."""
    from taskloom.protocol import choose

    options = args.encoding_options
    if model is None:
        # Without a model nothing can be chosen by it; most models that people ask today are chat models.
        if args.protocol is None and args.encoding is not None:
            return make_encoding(args.encoding, options)
        model = _PromptPrinter()
    trained = None
    if args.model:
        from taskloom.run.session import trained_encoding

        trained = trained_encoding(args.model)
    choice = choose(
        args.protocol or "auto", model, "none", suite.name.partition("/")[0],
        encoding=args.encoding, encoding_options=options, trained_with=trained, examples=args.examples, form=args.form,
    )  # fmt: skip
    unnamed = not args.model and not args.protocol
    print(f"{choice.sentence()}{'; --model or --protocol shows others' if unnamed else ''}", file=sys.stderr)
    return choice.protocol.make(args.wordings)


class _PromptPrinter(Model):
    """Stands for a chat model where none is named."""

    nature = "chat"

    def generate(self, requests: Sequence[Request], generation: Generation) -> list[Output]:
        return [Output("") for _ in requests]


def _split_with(suite: Suite, task: str | None) -> str:
    """The default split, or the first that holds the task: a training task that is named is to be seen."""
    default = suite.default_split()
    if task is None:
        return default
    splits = [default, *(split for split in suite.splits if split != default)]
    return next((split for split in splits if next(suite.rows(split, task=task, limit=1), None)), default)


def _show_recipe(suite: Suite, *, as_json: bool) -> int:
    data = {"suite": suite.name, "seed": suite.seed, "recipe": dict(suite.recipe)}
    if as_json:
        print(msgspec.json.encode(data).decode())
        return 0
    # Suites that make their tasks one by one would have to make them all to be counted.
    tasks = f"; tasks: {len(suite.tasks)}" if isinstance(suite.tasks, dict) else ""
    print(f"# taskloom generate THIS_FILE.yaml -o DIR\n# splits: {_sizes(suite)}{tasks}")
    print(encode_yaml(msgspec.to_builtins(data)), end="")
    return 0


def _sizes(suite: Suite) -> str:
    return ", ".join(f"{name} {'?' if size is None else f'{size:,}'}" for name, size in suite.splits.items())


def _show_instance(title: str, text: str, instance: Instance) -> None:
    facets = "  ".join(f"{name}={value}" for name, value in instance.facets.items() if value is not None)
    print(f"━━━ {title}")
    print(text)
    print("─── acceptable answer")
    print(_acceptable(instance))
    print(f"─── {facets}\n" if facets else "")


def _acceptable(instance: Instance) -> str:
    """The canonical answer, and how many others would do."""
    from taskloom.core import AnyOf, Product

    targets, canonical = instance.targets, instance.targets.canonical()
    if isinstance(targets, AnyOf) and len(targets.answers) > 1:
        return f"{canonical}    (or {', '.join(targets.answers[1:6])}{' …' if len(targets.answers) > 6 else ''})"
    if isinstance(targets, Product):
        return f"{canonical}    (choices per position: {' × '.join(str(len(slot)) for slot in targets.slots)})"
    return canonical
