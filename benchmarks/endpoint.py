"""What the OpenAI-compatible endpoint adds to the time of `/chat/run`.

    python -m benchmarks.endpoint [--rounds 10]

`bookwise serve` runs as a process of its own over the sample book and quotes it, without a language model, whose time
would hide the difference. Each question is asked at both doors in turn, over one kept connection, so that what else
the machine does falls on both alike.
"""

from __future__ import annotations

import argparse
import http.client
import json
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

from benchmarks.serve import HERE, SAMPLE, index_sample, serving

BOOK = "physical-ai-robotics"
PATHS = ("/chat/run", "/v1/chat/completions")


def body_of(path: str, question: str) -> dict[str, Any]:
    """The same question as each door takes it."""
    if path == PATHS[0]:
        return {"message": question, "hardware_tier": 4}
    return {"model": BOOK, "messages": [{"role": "user", "content": question}], "hardware_tier": 4}


def seconds_of(connection: http.client.HTTPConnection, path: str, question: str) -> float:
    """The seconds of one answer."""
    body = json.dumps(body_of(path, question))
    begun = time.perf_counter()
    connection.request("POST", path, body, {"Content-Type": "application/json"})
    response = connection.getresponse()
    answer = response.read()
    took = time.perf_counter() - begun
    assert response.status == 200, answer[:200]
    return took


def measure(port: int, questions: list[str], rounds: int) -> dict[str, list[float]]:
    """The seconds of every answer by its door; the door that goes first changes with each question."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    times: dict[str, list[float]] = {path: [] for path in PATHS}
    for number, question in enumerate(questions * (rounds + 1)):
        for path in PATHS if number % 2 else reversed(PATHS):
            took = seconds_of(connection, path, question)
            if number >= len(questions):  # the first round warms up
                times[path].append(took)
    return times


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    options = parser.parse_args()
    lines = (SAMPLE / "questions.jsonl").read_text(encoding="utf-8").splitlines()[:20]
    questions = [json.loads(line)["question"] for line in lines]
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        index_sample(folder, HERE)
        with serving(folder, HERE, BOOKWISE_API_LIMITS='{"rate": 1000000}') as (_, port):
            times = measure(port, questions, options.rounds)
    for path, seconds in times.items():
        print(f"{path:<22} {len(seconds)} answers, p50 {1000 * statistics.median(seconds):6.2f} ms")
    pairs = zip(times[PATHS[0]], times[PATHS[1]], strict=True)
    share = statistics.median(endpoint / plain - 1 for plain, endpoint in pairs)
    print(f"the endpoint takes {share:+.1%} of the time of /chat/run (median of the pairs)")


if __name__ == "__main__":
    main()
