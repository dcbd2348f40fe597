"""Work on files from outside in a child process with limits on CPU time and memory, whose death is a sentence.

Templates are programs, tokenizers are native code, and logs of other tools may be made to hurt. They are handled by one
child per command, started when it is first needed. It gets no secrets: its environment holds little more than paths.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from taskloom.core.errors import UserError

_SECONDS, _MEGABYTES = 20, 1024
PATIENCE = 600
"""Seconds by the clock after which a child that takes no CPU time is taken for stuck."""
_MOST_ANSWER = 1 << 30
_START = "import sys; sys.path[:] = sys.argv.pop(1).split(chr(0x1f)); from taskloom.core.confine import serve; serve()"
_INHERITED = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "TASKLOOM_CACHE", "TASKLOOM_MEMORY", "HF_HOME")
_lock = threading.Lock()
_children: list[subprocess.Popen[bytes]] = []


def confined(
    call: str, *arguments: Any, where: str | Path, what: str, seconds: int = _SECONDS, megabytes: int = _MEGABYTES
) -> Any:
    """What a function of Taskloom returns for plain data, worked out in the limited child.

    Args:
        call: The function, `module:name`.
        arguments: Plain data.
        where: The file it works on, for errors.
        what: What is being read, for errors.
        seconds: CPU time of this call.
        megabytes: Memory of this call, beyond what the child holds before it.

    Raises:
        UserError: The function raised one, failed in another way, or the child died.
    """
    import msgspec

    with _lock:
        child = _started()
        try:
            _send(child.stdin, msgspec.msgpack.encode((call, arguments, str(Path.cwd()), seconds, megabytes)))
            answer = _receive(child)
        except (BrokenPipeError, EOFError, TimeoutError) as error:
            raise _died(child, error, where, what, seconds, megabytes) from None
        except BaseException:
            _end(child)  # half an answer must not be taken for the next one
            raise
    kind, *said = msgspec.msgpack.decode(answer)
    if kind == "done":
        return said[0]
    if kind == "refused":
        raise UserError(said[0], where=said[1], hint=said[2])
    raise UserError(f"{what} cannot be read: {said[0]}", where=str(where))


def _started() -> subprocess.Popen[bytes]:
    import atexit

    if _children and _children[0].poll() is None:
        return _children[0]
    _children.clear()
    environment = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    environment |= {"TOKENIZERS_PARALLELISM": "false", "HF_HUB_OFFLINE": "1", "RAYON_NUM_THREADS": "1"}
    child = subprocess.Popen(
        [sys.executable, "-S", "-E", "-c", _START, "\x1f".join(path or str(Path.cwd()) for path in sys.path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=environment,
        start_new_session=True,  # an interrupt is for this process to deal with
    )
    _children.append(child)
    atexit.register(_end, child)
    return child


def _end(child: subprocess.Popen[bytes]) -> None:
    if child in _children:
        _children.remove(child)
    child.kill()
    child.wait()
    for pipe in (child.stdin, child.stdout):
        if pipe is not None:
            with suppress(BrokenPipeError):
                pipe.close()


def _died(
    child: subprocess.Popen[bytes], error: Exception, where: str | Path, what: str, seconds: int, megabytes: int
) -> UserError:
    code = None if isinstance(error, TimeoutError) else child.wait()
    _end(child)
    reason = {
        None: "it does not end",
        -signal.SIGXCPU: f"it takes more than {seconds} seconds",
        -signal.SIGKILL: "its process was killed, most likely for its memory",
    }.get(code, f"its process crashed, or needs more than {megabytes:,} MB")
    return UserError(f"{what} is damaged or made to do harm: {reason}", where=str(where))


def _send(pipe: IO[bytes] | None, data: bytes) -> None:
    if pipe is not None:
        pipe.write(len(data).to_bytes(8, "big") + data)
        pipe.flush()


def _receive(child: subprocess.Popen[bytes]) -> bytes:
    from select import select

    pipe = child.stdout
    if pipe is None or not select([pipe], [], [], PATIENCE)[0]:
        raise TimeoutError
    size = int.from_bytes(_exactly(pipe, 8), "big")
    if size > _MOST_ANSWER:
        raise EOFError
    return _exactly(pipe, size)


def _exactly(pipe: IO[bytes], size: int) -> bytes:
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data


def serve() -> None:
    """Answer calls on standard input, one after the other: what the child does."""
    from importlib import import_module

    import msgspec

    given, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    null = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(null, stream)  # foreign code that prints or reads must not disturb the calls
    while head := given.read(8):
        call, arguments, folder, seconds, megabytes = msgspec.msgpack.decode(given.read(int.from_bytes(head, "big")))
        module, _, name = call.partition(":")
        try:
            _lift()
            os.chdir(folder)  # paths are meant from where the caller stands now, not where the child was started
            room = import_module(module)
            getattr(room, "prepare", int)()  # what it imports is ours, and costs what it costs
            work = getattr(room, name)
            _limit(seconds, megabytes)
            data = msgspec.msgpack.encode(("done", work(*arguments)))
        except UserError as error:
            data = msgspec.msgpack.encode(("refused", error.message, error.where, error.hint))
        except BaseException as error:  # noqa: BLE001 - native code raises kinds of its own
            line = f"{type(error).__name__}: {error}".partition("\n")[0][:300]
            data = msgspec.msgpack.encode(("failed", line.encode("utf-8", "replace").decode()))
        _send(answers, data)


def _lift() -> None:
    """Lift the limits of the previous call, so that the imports of this one do not count against them."""
    import resource

    for limit in (resource.RLIMIT_CPU, resource.RLIMIT_DATA):
        resource.setrlimit(limit, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _limit(seconds: int, megabytes: int) -> None:
    """Let this process take so much more than it has."""
    import resource

    spent = resource.getrusage(resource.RUSAGE_SELF)
    resource.setrlimit(
        resource.RLIMIT_CPU, (int(spent.ru_utime + spent.ru_stime) + seconds + 1, resource.RLIM_INFINITY)
    )
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        with open("/proc/self/statm", "rb") as file:  # noqa: PTH123
            pages = int(file.read().split()[5])
    except OSError:
        return  # systems without /proc have no such limit either
    most = pages * resource.getpagesize() + megabytes * 1024**2
    resource.setrlimit(resource.RLIMIT_DATA, (most, resource.RLIM_INFINITY))
