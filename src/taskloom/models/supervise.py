"""Runs a program until it ends or until standard input does: `python -m taskloom.models.supervise COMMAND …`.

It imports next to nothing, since it starts with every engine.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading

LAUNCH_KEY = "TASKLOOM_LAUNCH_KEY"
"""The environment variable that tells a program of ours its key; a command line is visible to other users."""
_PATIENCE = 10


def _supervise(command: list[str]) -> int:
    program = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True)

    def stop(*_: object) -> None:
        for sign in (signal.SIGTERM, signal.SIGKILL):
            try:
                os.killpg(program.pid, sign)
                program.wait(_PATIENCE)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                continue

    def until_closed() -> None:
        while os.read(0, 1024):  # not through `sys.stdin`, whose lock would be held when Python ends
            pass
        stop()

    threading.Thread(target=until_closed, daemon=True).start()
    signal.signal(signal.SIGTERM, stop)
    return program.wait()


if __name__ == "__main__":
    sys.exit(_supervise(sys.argv[1:]))
