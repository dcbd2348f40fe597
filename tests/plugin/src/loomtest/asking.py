from taskloom import Adaptation, Encoding, Identity, Model, Output, Prompt, Provider, Recipe


class Loud(Encoding, frozen=True, kw_only=True):
    name = "loomtest"

    def encode(self, task, instance, demos=(), tokenizer=None):
        return Prompt(f"REVERSE {instance.input}")


class Reverser(Model):
    def __init__(self):
        self.identity = Identity("loomtest/reverser")

    def generate(self, requests, generation):
        return [Output(f" {request.prompt.text.split()[-1][::-1]}!") for request in requests]


class Reversers(Provider):
    def names(self):
        return {"reverser": "reverses the last word"}

    def options(self, name):
        return Recipe()

    def open(self, name, options):
        return Reverser()


class Unchanged(Adaptation, frozen=True, kw_only=True):
    name = "loomtest"
    summary = "changes nothing"

    def adapt(self, model, suite, encoding, directory, *, seed, progress=None):
        return model


ENCODING = Loud()
PROVIDER = Reversers()
ADAPTATION = Unchanged()
