"""A bundle on object storage at size: written to, checked on and read from an S3 server on loopback.

python -m benchmarks.storage                    10,000,000 rows of babi/task-1
python -m benchmarks.storage --rows 100000      a quick look

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

SERVER = """
import moto.server, sys
server = moto.server.ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
server.start()
print(server.get_host_and_port()[1], flush=True)
sys.stdin.read()
"""
READ = "from taskloom import open_suite; print(sum(1 for _ in open_suite({!r}).rows('test')))"


def main() -> int:
    """Write, check, read."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--steps", nargs="*", help="only these; without generate there is nothing to check or read")
    args = parser.parse_args()
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
