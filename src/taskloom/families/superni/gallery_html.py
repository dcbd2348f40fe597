"""The gallery as one self-contained page: every task of a suite, searched by type, language, domain and words."""

from __future__ import annotations

from html import escape
from itertools import islice

from taskloom.core import Example, Instance, Suite, Task, acceptable_texts

_SHOWN = 3
_LONGEST = 600

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{title}</title><style>
body {{ font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem; color: #222; }}
form {{ display: flex; gap: .5rem; flex-wrap: wrap; position: sticky; top: 0; background: #fff; padding: .5rem 0; }}
input, select {{ font: inherit; padding: .2rem .4rem; }} details {{ border-top: 1px solid #ddd; padding: .4rem 0; }}
summary {{ cursor: pointer; }} summary small {{ color: #666; }}
pre {{ white-space: pre-wrap; background: #f6f6f6; padding: .5rem; }}
</style></head><body><h1>{title}</h1>
<form><input id="words" placeholder="words" aria-label="words">{selects}<output id="count"></output></form>
{tasks}
<script>
const all = [...document.querySelectorAll("details")], fields = ["type", "language", "domain"];
function look() {{
  const words = document.getElementById("words").value.toLowerCase();
  let shown = 0;
  for (const one of all) {{
    const chosen = f => document.getElementById(f).value;
    const fits = fields.every(f => !chosen(f) || one.dataset[f].split("|").includes(chosen(f)))
      && (!words || one.textContent.toLowerCase().includes(words));
    one.hidden = !fits; shown += fits;
  }}
  document.getElementById("count").textContent = shown + " of " + all.length + " tasks";
}}
document.querySelector("form").addEventListener("input", look);
document.querySelector("form").addEventListener("submit", e => e.preventDefault());
look();
</script></body></html>
"""


def gallery_html(suite: Suite) -> str:
    """The page of a suite; all text from outside is escaped."""
    instances: dict[str, list[Instance]] = {}
    for split in suite.splits:
        for row in suite.rows(split):
            held = instances.setdefault(row.task, [])
            if len(held) < _SHOWN:
                held.append(row.instance)
    fields = {name: _fields(task) for name, task in suite.tasks.items()}
    selects = "".join(
        f'<select id="{key}" aria-label="{key}"><option value="">any {key}</option>'
        + "".join(f"<option>{escape(value)}</option>" for value in sorted({v for f in fields.values() for v in f[key]}))
        + "</select>"
        for key in ("type", "language", "domain")
    )
    tasks = "\n".join(_task(task, fields[name], instances.get(name, [])) for name, task in suite.tasks.items())
    return _PAGE.format(title=f"Gallery of {escape(suite.name)}", selects=selects, tasks=tasks)


def _fields(task: Task) -> dict[str, list[str]]:
    spoken = [name for key in ("language", "output_language") for name in str(task.facets.get(key) or "").split(", ")]
    domains = task.facets.get("domains") or ()
    return {
        "type": [str(task.facets.get("category") or "")],
        "language": sorted({name for name in spoken if name}),
        "domain": list(domains) if isinstance(domains, tuple) else [str(domains)],
    }


def _task(task: Task, fields: dict[str, list[str]], instances: list[Instance]) -> str:
    data = " ".join(f'data-{key}="{escape("|".join(values), quote=True)}"' for key, values in fields.items())
    head = f"<b>{escape(task.name)}</b> <small>{escape(', '.join(v for f in fields.values() for v in f))}</small>"
    shown = task.instruction
    parts = [f"<p>{escape(shown.definition)}</p>"]
    parts += [_example("Right", example) for example in shown.positive]
    parts += [_example("Wrong", example) for example in shown.negative]
    parts += [
        f"<pre>{escape(_short(one.input))}\n→ {escape(' | '.join(islice(acceptable_texts(one.targets), 3)))}</pre>"
        for one in instances
    ]
    source = escape(str(task.facets.get("source") or ""))
    return f"<details {data}><summary>{head}</summary>{''.join(parts)}<p><small>{source}</small></p></details>"


def _example(kind: str, example: Example) -> str:
    why = escape(example.explanation or "")
    return f"<p>{kind}: {why}</p><pre>{escape(_short(example.input))}\n→ {escape(example.output)}</pre>"


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} …"
