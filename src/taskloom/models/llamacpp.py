"""A server for one GGUF file through llama.cpp, as a program: `python -m taskloom.models.llamacpp FILE --port N`.

It is a process of its own because a damaged file can end it, and must not end us.
"""

from __future__ import annotations

import argparse
import os
import threading

from taskloom.models.supervise import LAUNCH_KEY


def main() -> None:
    """Serve until the process is stopped."""
    parser = argparse.ArgumentParser(prog="taskloom.models.llamacpp")
    parser.add_argument("file")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--slots", type=int, default=1)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--window", type=int, default=8192, help="tokens of prompt and answer together, per slot")
    given = parser.parse_args()
    import xllamacpp

    settings = xllamacpp.CommonParams()
    settings.model.path = given.file
    settings.hostnames, settings.port = ["127.0.0.1"], given.port
    settings.n_parallel, settings.n_ctx = given.slots, given.slots * given.window
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = given.threads
    settings.warmup = settings.ui = settings.endpoint_slots = False
    settings.offline = True
    # Without the whole window, models with a sliding one cannot use what they remember of a shared beginning.
    settings.swa_full = True
    if key := os.environ.get(LAUNCH_KEY):
        settings.api_keys = [key]
    server = xllamacpp.Server(settings)
    threading.Event().wait()
    del server


if __name__ == "__main__":
    main()
