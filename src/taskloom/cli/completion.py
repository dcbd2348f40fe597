"""`taskloom completion`: completion of verbs, options, suites and models for a shell."""

from __future__ import annotations

import argparse
import shlex
from importlib import import_module

from taskloom.core import unknown_name

EXAMPLES = """
  taskloom completion bash > ~/.local/share/bash-completion/completions/taskloom
  taskloom completion zsh > ~/.zfunc/_taskloom        with fpath+=~/.zfunc before compinit
  taskloom completion fish > ~/.config/fish/completions/taskloom.fish
"""

SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments."""
    parser.add_argument("shell", metavar="SHELL", help=", ".join(SHELLS))


def run(args: argparse.Namespace) -> int:
    """Print the script of a shell."""
    if args.shell not in SHELLS:
        raise unknown_name("shell", args.shell, SHELLS)
    options, names = _options(), _names()
    print({"bash": _bash, "zsh": _zsh, "fish": _fish}[args.shell](options, names), end="")
    return 0


def _options() -> dict[str, list[str]]:
    """The long options of every verb and alias."""
    from taskloom.cli.main import ALIASES, MODULES, VERBS
    from taskloom.cli.options import OptionParser

    found = {}
    for verb in VERBS:
        parser = OptionParser(prog=verb)
        import_module(f"taskloom.cli.{MODULES.get(verb, verb).replace('-', '_')}").add_arguments(parser)
        found[verb] = sorted(name for action in parser._actions for name in action.option_strings if name[:2] == "--")
    aliases = {alias: sorted({name for verb in verbs for name in found[verb]}) for alias, verbs in ALIASES.items()}
    return found | aliases


def _names() -> list[str]:
    """Suites and models, which stand where a verb wants a name."""
    from taskloom.core.catalog import FAMILIES, MODELS

    suites = [f"{family}/{suite}" for family in FAMILIES for suite in FAMILIES.get(family).suites()]
    models = [f"{provider}/{name}" for provider in MODELS for name in MODELS.get(provider).names()]
    return sorted(
        name for name in [*suites, *models] if name.replace("/", "").replace("-", "").replace(".", "").isalnum()
    )


def _bash(options: dict[str, list[str]], names: list[str]) -> str:
    cases = "\n".join(f"    {verb}) words={shlex.quote(' '.join(given))} ;;" for verb, given in options.items())
    return f"""\
# Completion of taskloom for bash, written by `taskloom completion bash`.
_taskloom() {{
  local current=${{COMP_WORDS[COMP_CWORD]}} words=
  COMPREPLY=()
  if (( COMP_CWORD == 1 )); then
    COMPREPLY=( $(compgen -W {shlex.quote(" ".join(options))} -- "$current") )
    return
  fi
  case ${{COMP_WORDS[1]}} in
{cases}
  esac
  if [[ $current == -* ]]; then
    COMPREPLY=( $(compgen -W "$words" -- "$current") )
  else
    COMPREPLY=( $(compgen -W {shlex.quote(" ".join(names))} -- "$current") $(compgen -f -- "$current") )
  fi
}}
complete -o filenames -F _taskloom taskloom
"""


def _zsh(options: dict[str, list[str]], names: list[str]) -> str:
    cases = "\n".join(f"    {verb}) words_of=({' '.join(given)}) ;;" for verb, given in options.items())
    return f"""\
#compdef taskloom
# Completion of taskloom for zsh, written by `taskloom completion zsh`.
_taskloom() {{
  local -a words_of
  if (( CURRENT == 2 )); then
    compadd -- {" ".join(options)}
    return
  fi
  case ${{words[2]}} in
{cases}
  esac
  if [[ ${{words[CURRENT]}} == -* ]]; then
    compadd -- $words_of
  else
    compadd -- {" ".join(names)}
    _files
  fi
}}
compdef _taskloom taskloom
"""


def _fish(options: dict[str, list[str]], names: list[str]) -> str:
    from taskloom.cli.main import ALIASES, VERBS

    about = VERBS | {alias: f"another name for {' or '.join(verbs)}" for alias, verbs in ALIASES.items()}
    lines = ["# Completion of taskloom for fish, written by `taskloom completion fish`."]
    lines += [
        f"complete -c taskloom -n __fish_use_subcommand -a {verb} -d {shlex.quote(about[verb])}" for verb in options
    ]
    for verb, given in options.items():
        seen = f"'__fish_seen_subcommand_from {verb}'"
        lines += [f"complete -c taskloom -n {seen} -l {name[2:]}" for name in given]
    lines.append(f"complete -c taskloom -n 'not __fish_use_subcommand' -a {shlex.quote(' '.join(names))}")
    return "\n".join(lines) + "\n"
