"""Well-known endpoints under the names people type: one record each, over one client."""

from __future__ import annotations

from taskloom.models.api import APIProvider, Endpoint
from taskloom.models.served import LaunchingProvider

OPENAI = APIProvider(
    Endpoint(
        name="openai",
        title="a model of OpenAI; the key is in OPENAI_API_KEY",
        url="https://api.openai.com/v1",
        url_variable="OPENAI_BASE_URL",
        key_variable="OPENAI_API_KEY",
        options={"length_key": "max_completion_tokens"},
        beginnings=("gpt-", "chatgpt-", "o1", "o3", "o4"),
    )
)
ANTHROPIC = APIProvider(
    Endpoint(
        name="anthropic",
        title="a model of Anthropic; the key is in ANTHROPIC_API_KEY",
        url="https://api.anthropic.com/v1",
        key_variable="ANTHROPIC_API_KEY",
        mode="messages",
        beginnings=("claude-",),
    )
)
GOOGLE = APIProvider(
    Endpoint(
        name="google",
        title="a Gemini model of Google; the key is in GEMINI_API_KEY",
        url="https://generativelanguage.googleapis.com/v1beta",
        key_variable="GEMINI_API_KEY",
        mode="gemini",
        beginnings=("gemini-",),
    )
)
OPENROUTER = APIProvider(
    Endpoint(
        name="openrouter",
        title="MAKER/MODEL through OpenRouter; the key is in OPENROUTER_API_KEY",
        url="https://openrouter.ai/api/v1",
        key_variable="OPENROUTER_API_KEY",
    )
)
TOGETHER = APIProvider(
    Endpoint(
        name="together",
        title="MAKER/MODEL of Together; the key is in TOGETHER_API_KEY",
        url="https://api.together.xyz/v1",
        key_variable="TOGETHER_API_KEY",
    )
)
OLLAMA = LaunchingProvider(
    Endpoint(
        name="ollama",
        title="a model of an Ollama server (127.0.0.1:11434, -M base_url, or -M launch=true)",
        url="http://127.0.0.1:11434/v1",
        url_variable="OLLAMA_BASE_URL",
        needs_key=False,
    )
)
VLLM = LaunchingProvider(
    Endpoint(
        name="vllm",
        title="a model of a vLLM server (127.0.0.1:8000, -M base_url, or -M launch=true); a key may be in VLLM_API_KEY",
        url="http://127.0.0.1:8000/v1",
        url_variable="VLLM_BASE_URL",
        key_variable="VLLM_API_KEY",
        needs_key=False,
    )
)
SGLANG = LaunchingProvider(
    Endpoint(
        name="sglang",
        title="a model of an SGLang server (127.0.0.1:30000, -M base_url, or -M launch=true)",
        url="http://127.0.0.1:30000/v1",
        url_variable="SGLANG_BASE_URL",
        needs_key=False,
    )
)
LLAMA_SERVER = LaunchingProvider(
    Endpoint(
        name="llama-server",
        title="a model of llama.cpp's server (127.0.0.1:8080, -M base_url, or -M launch=true)",
        url="http://127.0.0.1:8080/v1",
        url_variable="LLAMA_SERVER_BASE_URL",
        needs_key=False,
    )
)
TRANSFORMERS = LaunchingProvider(
    Endpoint(
        name="transformers",
        title="a model of transformers serve (127.0.0.1:8000, -M base_url, or -M launch=true)",
        url="http://127.0.0.1:8000/v1",
        url_variable="TRANSFORMERS_BASE_URL",
        needs_key=False,
    )
)
