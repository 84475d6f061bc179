"""Wall time and memory of whole processes, the way a user or a CI job pays for them."""

from __future__ import annotations

import math
import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

BOOKWISE = str(Path(sys.executable).with_name("bookwise"))
RUNS = 5
ENVIRONMENT = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
"""Compiled modules are kept, as in every installation."""


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians of RUNS runs after a first one that warms the disk; memory is the highest resident size."""

    seconds: float
    megabytes: float


def cost_of(command: Sequence[str], folder: Path) -> Cost:
    """What one call costs; raises CalledProcessError where it fails."""
    runs = [_run(command, folder) for _ in range(RUNS + 1)][1:]
    return Cost(
        statistics.median(run.seconds for run in runs),
        statistics.median(run.megabytes for run in runs),
    )


def growth(sizes: tuple[float, float], costs: tuple[float, float]) -> float:
    """Return the exponent by which a cost grows with the size: 1 is linear."""
    return math.log(costs[1] / costs[0]) / math.log(sizes[1] / sizes[0])


def processor_of_children() -> float:
    """Return the processor seconds of the processes that were started here and have ended."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def _run(command: Sequence[str], folder: Path) -> Cost:
    begun = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, env=ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    seconds = time.perf_counter() - begun
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command)
    return Cost(seconds, _megabytes(usage))


def _megabytes(usage: resource.struct_rusage) -> float:
    """Linux counts in kilobytes, macOS in bytes."""
    return usage.ru_maxrss / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def print_row(name: str, cost: Cost, note: str = "") -> None:
    """One line of a table."""
    print(f"{name:<34} {cost.seconds:7.3f} s {cost.megabytes:6.0f} MB  {note}".rstrip())
