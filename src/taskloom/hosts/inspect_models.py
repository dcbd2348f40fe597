"""Models for trying an Inspect task without any: one that is always right, and one that is right half of the time."""

from __future__ import annotations

from hashlib import blake2b
from typing import Any

from inspect_ai.model import GenerateConfig, ModelAPI, ModelOutput, ModelUsage, modelapi

_ANSWERS: dict[bytes, str] = {}


def _key(shown: str) -> bytes:
    return blake2b(shown.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def remember(shown: str, answer: str) -> None:
    """Keep the right answer to a prompt, for the models of this module alone."""
    _ANSWERS[_key(shown)] = answer


def right_or_wrong(name: str, shown: str, answer: str) -> str:
    """What `oracle` and `half` say: the right answer, or for half of all prompts a wrong one."""
    wrong = name == "half" and _key(shown)[0] % 2
    return "none of these" if wrong else answer


@modelapi(name="taskloom")
class InspectAnswers(ModelAPI):
    """`taskloom/oracle` says the right answer, `taskloom/half` does so for every other prompt."""

    def __init__(
        self,
        model_name: str,
        base_url: str | None = None,
        api_key: str | None = None,
        config: GenerateConfig = GenerateConfig(),  # noqa: B008 - the signature is Inspect's
        **model_args: Any,
    ) -> None:
        super().__init__(model_name, base_url, api_key, [], config)

    async def generate(self, input: Any, tools: Any, tool_choice: Any, config: GenerateConfig) -> ModelOutput:
        """Say the answer that was remembered for these messages."""
        one = len(input) == 1 and input[0].role == "user"
        turns = input[0].text if one else "\n\n".join(f"[{turn.role}]\n{turn.text}" for turn in input)
        output = ModelOutput.from_content(
            self.model_name, right_or_wrong(self.model_name, turns, _ANSWERS.get(_key(turns), ""))
        )
        # Without it Inspect counts tokens, for which it would download a vocabulary.
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output
