"""A model that says who answered: it writes its process and the question into a file, and takes its time."""

from __future__ import annotations

import os
import time
from pathlib import Path

from taskloom.core import Recipe, resolve
from taskloom.core.catalog import MODELS
from taskloom.core.model import Identity, Limits, Model, Output, Provider


class SlowOptions(Recipe, frozen=True, kw_only=True):
    diary: str = ""
    seconds: float = 0.0
    broken: str = ""


class Slow(Model):
    def __init__(self, options):
        self.identity = Identity("slow/one")
        self.limits = Limits(batch=4)
        self.options = options

    def render(self, prompt):
        return f"<read>{prompt.text}</read>"

    def generate(self, requests, generation):
        outputs = []
        for request in requests:
            time.sleep(self.options.seconds)
            if self.options.broken and self.options.broken in request.prompt.text:
                os._exit(3)
            if self.options.diary:
                with Path(self.options.diary).open("a") as diary:
                    diary.write(f"{os.getpid()} {request.instance.id}\n")
            right = len(request.prompt.text) % 3
            outputs.append(Output(request.instance.targets.canonical() if right else "nowhere"))
        return outputs


class SlowProvider(Provider):
    def names(self):
        return {"one": "slow"}

    def options(self, name):
        return SlowOptions()

    def open(self, name, options):
        return Slow(resolve(SlowOptions(), options, where="slow"))


MODELS.register("slow", SlowProvider())
