"""The last resort of the command line: any error becomes one sentence, never a traceback.

What was not foreseen is a defect. Its traceback goes to a file in the cache folder, with secrets replaced, for the
person who mends it.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import TracebackType

from taskloom.core.errors import UserError

DEFECT = 70
"""The exit code of what was not foreseen, as BSD numbers it; small numbers are verdicts of `gate`."""
_KEPT = 20
_PARTS = {"markupsafe": "jinja2"}
"""Packages that come with another."""


def guarded(words: Sequence[str], action: Callable[[], int], *, program: bool) -> int:
    """Run a command and print what went wrong as a sentence.

    Args:
        words: The command line, for the file about a defect.
        action: The command; its exit code is passed on.
        program: Whether the process ends with the command: what threads and Python itself print is caught as well.
    """
    if program:
        gc.set_threshold(50_000, 20, 20)  # Python's 700 make a fifth of drawing a world a search for cycles
        _quiet_hooks(words)
    try:
        try:
            _refuse_strange(words)
            return action()
        except KeyboardInterrupt:
            return _stopped(program)
        except BaseException as error:  # noqa: BLE001 - the last resort
            return _end(error, words, program)
    except KeyboardInterrupt:  # once more, while the first was being dealt with
        return _stopped(program)


def _end(error: BaseException, words: Sequence[str], program: bool) -> int:
    if isinstance(error, (SystemExit, GeneratorExit)):
        raise error
    if isinstance(error, BrokenPipeError):
        # The reader (head, less) went away: not an error, but Python would complain while closing stdout.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if any(isinstance(part, KeyboardInterrupt) for part in _chain(error)):
        return _stopped(program)  # closing files in the middle of an interrupt may fail in its own ways
    known = error if isinstance(error, UserError) else _missing(error)
    if known is None:
        known = UserError(
            f"an unforeseen {type(error).__name__}: {str(error).strip().partition(chr(10))[0][:200] or 'no words'}",
            hint=f"this is a defect of Taskloom; what a report of it needs is in {_write(error, words)}",
        )
    from taskloom.core.display import paint

    print(f"{paint('error:', 'red', sys.stderr)} {known}", file=sys.stderr)
    return 2 if isinstance(error, UserError) or _missing(error) else DEFECT


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def _stopped(program: bool) -> int:
    while True:
        try:
            # Nothing is left to stop: further interrupts could only break the closing of files.
            if program:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
            print("\nstopped; the same command continues where it left off", file=sys.stderr)
        except KeyboardInterrupt:
            continue
        return 130


def _missing(error: BaseException) -> UserError | None:
    """A package of an extra that is not installed, wherever it was to be imported."""
    from importlib.metadata import PackageNotFoundError, requires

    from taskloom.core.errors import missing_extra

    if not isinstance(error, ModuleNotFoundError) or not error.name:
        return None
    package = error.name.partition(".")[0]
    package = _PARTS.get(package, package).replace("_", "-").lower()
    try:
        wanted = [line.partition(";") for line in requires("taskloom") or []]
    except PackageNotFoundError:
        return None
    extras = [marker.rpartition("==")[2].strip(" '\"") for _, _, marker in wanted if "extra ==" in marker]
    holding = {
        marker.rpartition("==")[2].strip(" '\"")
        for name, _, marker in wanted
        if "extra ==" in marker and name.strip().startswith(package)
    }
    # The smallest extra that brings it.
    extra = min(holding, key=extras.count, default=None)
    return missing_extra(package, extra, "this command") if extra else None


def _refuse_strange(words: Sequence[str]) -> None:
    """Names that are no text cannot stand in manifests, logs and pages."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    given = [*words, *(value for name, value in os.environ.items() if name.startswith("TASKLOOM_"))]
    for word in given:
        try:
            word.encode()
        except UnicodeEncodeError:
            shown = os.fsencode(word).decode("utf-8", "backslashreplace")
            raise UserError("not UTF-8 text", where=shown, hint="rename the file or folder") from None


def _write(error: BaseException, words: Sequence[str]) -> str:
    """Write a traceback where it can be found, and say where."""
    import platform
    import tempfile
    import time
    from traceback import format_exception

    from taskloom import __version__
    from taskloom.core.folders import cache_folder
    from taskloom.core.secrets import public_command, scrub

    head = f"taskloom {__version__}, Python {platform.python_version()}, {platform.platform()}"
    text = f"{head}\n{public_command(words)}\n\n{scrub(''.join(format_exception(error)))}"
    name = f"{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}-{time.monotonic_ns()}.txt"
    for folder in (cache_folder("defects"), Path(tempfile.gettempdir(), "taskloom-defects")):
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(text, encoding="utf-8", errors="backslashreplace")
            for old in sorted(folder.glob("*-*-*.txt"))[:-_KEPT]:
                old.unlink(missing_ok=True)
        except OSError:
            continue
        return str(folder / name)
    return "no file, because none could be written"


def _quiet_hooks(words: Sequence[str]) -> None:
    """Failures of threads, and of objects that are being thrown away, go to files too."""

    def note(kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None = None) -> None:
        if error is None or any(isinstance(part, (KeyboardInterrupt, SystemExit)) for part in _chain(error)):
            return
        print(f"warning: an unforeseen {type(error).__name__}; see {_write(error, words)}", file=sys.stderr)

    threading.excepthook = lambda given: note(given.exc_type, given.exc_value)
    sys.unraisablehook = lambda given: note(given.exc_type, given.exc_value)
