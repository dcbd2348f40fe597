"""Write docs/reference.md and the pages it leads to: every public name with its signature and docstring.

python scripts/build_reference.py
"""

from __future__ import annotations

import inspect
import pkgutil
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import taskloom

GROUPS = {
    "Suites and tasks": ("open_suite", "Suite", "task", "Blueprint", "Item", "Task", "Instruction", "Example",
                         "Instance", "Row"),
    "Targets": ("AnyOf", "Boolean", "Items", "Product", "Structure"),
    "Bundles and frames": ("write_bundle", "Bundle", "to_arrow", "to_pandas"),
    "Models": ("open_model", "Model", "Provider", "Identity", "Request", "Output", "Generation", "Prompt", "Encoding"),
    "Running and scoring": ("run_suite", "load_run", "Run", "build_report"),
    "Contracts": ("Family", "SuiteSpec", "Recipe", "Scorer", "Score", "Reader", "Reading", "Metric", "Estimate",
                  "Adaptation", "Study", "Table", "Cell", "Lattice", "register", "UserError"),
}  # fmt: skip
"""A page each, in this order; names that stand in no group come last."""

_HEAD = """# The Python interface

Everything in `taskloom.__all__`, made from the docstrings by `python scripts/build_reference.py`. The packages
have more names, for studies and tools; the documentation site (`make docs`) has a page for each.
"""


def reference() -> dict[str, str]:
    """The pages, by their paths below docs: an index, and a page for each group of names."""
    names = [name for name in taskloom.__all__ if not name.startswith("_")]
    grouped = {name for group in GROUPS.values() for name in group}
    groups = {**GROUPS, "Lists and tools": tuple(name for name in names if name not in grouped)}
    pages, index = {}, [_HEAD]
    for title, members in groups.items():
        page = f"reference/{title.lower().replace(' ', '-')}.md"
        described = {name: _described(name) for name in members}
        pages[page] = "\n".join([f"# {title}\n", *(_entry(name, value) for name, value in described.items())])
        index.append(f"## [{title}]({page})\n")
        heads = [name.lower() for name in described]
        for at, (name, value) in enumerate(described.items()):
            repeated = heads[:at].count(heads[at])  # `task` and `Task`: the second is `#task-1`
            anchor = f"{heads[at]}-{repeated}" if repeated else heads[at]
            index.append(f"- [`{name}`]({page}#{anchor}): {_summary(value)}")
        index.append("")
    return {"reference.md": "\n".join(index), **pages}


def module_pages() -> dict[str, str]:
    """A page for each package that exports names: only the site has them."""
    pages = {}
    for found in pkgutil.iter_modules(taskloom.__path__, "taskloom."):
        if not found.ispkg:
            continue
        module = import_module(found.name)
        names = [name for name in getattr(module, "__all__", ()) if not name.startswith("_")]
        values = {name: getattr(module, name) for name in names}
        entries = [_entry(name, value) for name, value in values.items() if callable(value)]
        if entries:
            head = f"# `{found.name}`\n\n{inspect.getdoc(module) or ''}\n"
            pages[f"reference/{found.name}.md"] = "\n".join([head, *entries])
    return pages


def _summary(value: Any) -> str:
    return (inspect.getdoc(value) or "").partition("\n")[0]


def _described(name: str) -> Any:
    """The object of that name; of a package that can be called, the function of its name."""
    value = getattr(taskloom, name)
    return value.__wrapped__ if inspect.ismodule(value) else value


def _entry(name: str, value: Any) -> str:
    lines = [f"## `{name}`\n", f"```python\n{_signature(name, value)}\n```\n", _prose(inspect.getdoc(value) or ""), ""]
    if inspect.isclass(value):
        for member in _methods(value):
            doc = (inspect.getdoc(getattr(value, member)) or "").partition("\n")[0]
            lines.append(f"- `{name}.{member}`: {doc}")
        if lines[-1]:
            lines.append("")
    return "\n".join(lines)


def _signature(name: str, value: Any) -> str:
    if inspect.isclass(value) and getattr(value, "__struct_fields__", None) is not None:
        return _call(name, list(value.__struct_fields__), "")
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return name
    arguments, star = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            arguments.append("*")
        star = star or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        arguments.append(_argument(parameter))
    returned = (
        "" if signature.return_annotation in (inspect.Signature.empty, "None") else f" -> {signature.return_annotation}"
    )
    return _call(name, arguments, returned)


def _call(name: str, arguments: list[str], returned: str) -> str:
    short = f"{name}({', '.join(arguments)}){returned}"
    return (
        short if len(short) < 100 else f"{name}(\n" + "".join(f"    {each},\n" for each in arguments) + f"){returned}"
    )


def _argument(parameter: inspect.Parameter) -> str:
    text = parameter.name if parameter.annotation is parameter.empty else f"{parameter.name}: {parameter.annotation}"
    if parameter.default is parameter.empty:
        return text
    default = repr(parameter.default)
    return f"{text} = {'…' if ' at 0x' in default or default == '<factory>' else default}"


def _methods(value: type) -> list[str]:
    """Public methods and properties that the class itself or a public base documents."""
    return [
        member
        for member in sorted(vars(value))
        if not member.startswith("_")
        and (callable(getattr(value, member)) or isinstance(vars(value)[member], property))
        and inspect.getdoc(getattr(value, member))
    ]


def _prose(doc: str) -> str:
    """Google-style sections as Markdown."""
    out: list[str] = []
    section = ""
    code = False
    for line in doc.splitlines():
        head = re.fullmatch(r"(Args|Attributes|Returns|Raises|Yields|Example|Examples):", line)
        if head:
            out += _closed(code)
            section, code = head[1], head[1].startswith("Example")
            out += [*([] if out and not out[-1] else [""]), f"**{section}**", "", *(["```pycon"] if code else [])]
        elif code:
            out.append(line.removeprefix("    "))
        elif section in ("Args", "Attributes", "Raises") and re.match(r"    \S", line):
            name, colon, rest = line.strip().partition(": ")
            out.append(f"- `{name}`: {rest}" if colon else f"- {line.strip()}")
        else:
            listed = section in ("Args", "Attributes", "Raises") and line.strip()
            out.append(f"  {line.strip()}" if listed else line.strip() if section else line)
    return "\n".join([*out, *_closed(code)])


def _closed(code: bool) -> list[str]:
    return ["```"] if code else []


if __name__ == "__main__":
    docs = Path(__file__).resolve().parent.parent / "docs"
    for path, text in reference().items():
        (docs / path).parent.mkdir(exist_ok=True)
        (docs / path).write_text(text, encoding="utf-8")
        print(docs / path)
