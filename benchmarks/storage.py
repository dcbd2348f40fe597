"""A bundle on object storage at size: written to, checked on and read from an S3 server on loopback.

python -m benchmarks.storage                    10,000,000 rows of babi/task-1
python -m benchmarks.storage --rows 100000      a quick look
python -m benchmarks.storage --weigh SUITE...   bytes of a row on this disk, of the suites of the table or those named

Every step is a process of its own on a machine that has seen nothing (an empty cache), so that its memory is its own.
The server (moto) is another one and keeps everything in memory.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.million import measure
from benchmarks.works import SIZED
from taskloom import open_suite, write_bundle
from taskloom.store.rows import PACK_ROWS

SERVER = """
import moto.server, sys
server = moto.server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""
READ = "from taskloom import open_suite; print(sum(1 for _ in open_suite({!r}).rows('test')))"


def weigh(names: list[str]) -> None:
    """What a row takes on disk: suites of about as many rows as stand together in a file."""
    print("| suite | rows | bytes a row |\n| --- | ---: | ---: |")
    for name in names or SIZED:
        with tempfile.TemporaryDirectory() as folder:
            manifest = write_bundle(open_suite(name, options=SIZED[name](4 * PACK_ROWS)), folder)
            size = sum(path.stat().st_size for path in Path(folder).rglob("*") if path.is_file())
        rows = sum(entry.rows for entry in manifest.splits.values())
        print(f"| {name} | {rows:,} | {size / rows:.0f} |", flush=True)


def main() -> int:
    """Write, check, read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--steps", nargs="*", help="only these; without generate there is nothing to check or read")
    parser.add_argument("--weigh", nargs="*", metavar="SUITE", help="only bytes of a row on this disk")
    args = parser.parse_args()
    if args.weigh is not None:
        weigh(args.weigh)
        return 0
    running = subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert running.stdout is not None
    os.environ |= {
        "AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "y", "AWS_DEFAULT_REGION": "us-east-1",
        "AWS_ENDPOINT_URL": f"http://127.0.0.1:{running.stdout.readline().strip()}",
    }  # fmt: skip
    import fsspec

    fsspec.core.url_to_fs("s3://")[0].mkdir("bucket")
    address, worst = "s3://bucket/bundle", 0
    cli = ["-m", "taskloom"]
    steps = {
        "generate": [*cli, "generate", "babi/task-1", "-T", f"test={args.rows}", "--split", "test", "-o", address],
        "check": [*cli, "check", address],
        "read": ["-c", READ.format(address)],
    }
    print(f"| {args.rows:,} rows on S3 | CPU s | peak MB |\n| --- | ---: | ---: |", flush=True)
    try:
        for name in [name for name in steps if not args.steps or name in args.steps]:
            with tempfile.TemporaryDirectory() as machine:
                os.environ["TASKLOOM_CACHE"] = str(Path(machine) / "cache")
                seconds, megabytes, code = measure(steps[name])
            worst = max(worst, code)
            print(f"| {name} | {seconds:.1f} | {megabytes:.0f} |{f' exit {code}' if code else ''}", flush=True)
    finally:
        running.kill()
    return worst


if __name__ == "__main__":
    sys.exit(main())
