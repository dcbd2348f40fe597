"""What tests have the limited child do."""

import ctypes
import os
import signal
import sys
import time
from pathlib import Path

from taskloom.core import UserError


def process():
    return os.getpid()


def folder():
    return str(Path.cwd())


def echo(value):
    return value


def environment():
    return sorted(os.environ)


def prepare():
    bytearray(48 << 20)  # as imports do, before the limits of a call begin


def refuse():
    raise UserError("wrong", where="b", hint="mend it")


def fail():
    return 1 / 0


def huge():
    return len(bytearray(10**12))


def chatter():
    print("x" * 100_000)
    sys.stderr.write("y")
    sys.exit(3)


def spin():
    while True:
        pass


def crash():
    ctypes.string_at(0)


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def quit():
    os._exit(0)


def sleep():
    time.sleep(60)


def late(moment):
    time.sleep(max(0, moment - time.time()))
    return "late"
