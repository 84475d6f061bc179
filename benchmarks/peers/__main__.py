"""Drive the peers through the jobs and print one table as Markdown."""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.peers.counting_service import Counts, counting_service
from benchmarks.peers.jobs import JOBS, Job, empty
from benchmarks.processes import ENVIRONMENT, processor_of_children

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
PEERS = ("bookwise", "langchain", "llamaindex", "qdrant_tutorial")


@dataclass(frozen=True)
class Measured:
    """One job of one peer over one book; seconds and MB. `is_right`: the index equals one made from nothing."""

    book: str
    peer: str
    job: str
    texts: int
    requests: int
    wall: float
    cpu: float
    memory: float
    is_right: bool
    note: str = ""


def python_of(peer: str) -> str:
    """The interpreter of a peer's environment: `PEER_<NAME>`, else `.venv-peers/<name>`, else our own."""
    named = os.environ.get(f"PEER_{peer.upper()}")
    own = ROOT / ".venv-peers" / peer / "bin" / "python"
    return named or (sys.executable if peer == "bookwise" else str(own))


def environment() -> dict[str, str]:
    """What a peer's script finds in its environment; no key is among it.

    Compiled modules are kept, as those of the peers are, which pip installed.
    """
    return ENVIRONMENT | {"PYTHONPATH": str(ROOT), "OPENAI_API_KEY": "", "TOKENIZERS_PARALLELISM": "false"}


def run(peer: str, docs: Path, work: Path, counts: Counts, *, kill_after: float | None = None) -> dict[str, float]:
    """One run of a peer; with `kill_after` it is killed after so many seconds."""
    counts.reset()
    script = HERE / f"{peer}_peer.py"
    command = [python_of(peer), str(script), "sync", str(docs), str(work), counts.url]
    before, begun = processor_of_children(), time.monotonic()
    process = subprocess.Popen(command, env=environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    memory = 0.0
    while process.poll() is None:
        memory = max(memory, _memory(process.pid))
        if kill_after is not None and time.monotonic() - begun > kill_after:
            process.kill()
        time.sleep(0.005)
    wall = time.monotonic() - begun
    assert process.stderr is not None
    said = process.stderr.read().decode(errors="replace")
    cpu = processor_of_children() - before
    if process.returncode and kill_after is None:
        print(f"{peer}: exit {process.returncode}: {said.strip().splitlines()[-1:]}", file=sys.stderr)
    return {"wall": wall, "cpu": cpu, "memory": memory, "code": float(process.returncode)}


def _memory(pid: int) -> float:
    """Own memory of a process now, in MB; pages of mapped files are not its own."""
    try:
        for line in Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("RssAnon"):
                return int(line.split()[1]) / 1024
    except OSError:
        pass
    return 0.0


def content(peer: str, work: Path) -> Counter[tuple[str, str]]:
    """What is in the index: paths and texts, with how often each is there."""
    command = [python_of(peer), str(HERE / f"{peer}_peer.py"), "dump", str(work)]
    done = subprocess.run(command, env=environment(), capture_output=True, text=True)
    return Counter(tuple(json.loads(line)) for line in done.stdout.splitlines())


def measure(book: str, source: Path, peer: str, job: Job, ready: Path, counts: Counts, place: Path) -> Measured:
    """Do one job on a copy of the folder and of an index that is in step with it."""
    docs, work = place / "docs", place / "work"
    for target in (docs, work):
        shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(source, docs)
    note = ""
    if job.name != "first index" and not job.kill:
        shutil.copytree(ready, work)
    job.change(docs)
    for name in job.lose:
        kept = work / name
        shutil.rmtree(kept, ignore_errors=True) if kept.is_dir() else kept.unlink(missing_ok=True)
    if job.kill:
        full = run(peer, docs, place / "timing", counts)
        shutil.rmtree(place / "timing")
        run(peer, docs, work, counts, kill_after=full["wall"] * 0.6)
    used = run(peer, empty(place / "empty") if job.wrong_root else docs, work, counts)
    texts, requests = counts.texts, counts.requests
    if job.wrong_root:
        note = "refused" if used["code"] else "ran"
    fresh = place / "fresh"
    shutil.rmtree(fresh, ignore_errors=True)
    run(peer, docs, fresh, counts)
    is_right = content(peer, work) == content(peer, fresh)
    return Measured(book, peer, job.name, texts, requests, used["wall"], used["cpu"], used["memory"], is_right, note)


def table(measured: list[Measured]) -> str:
    """The figures as Markdown: a table per book, a row per job, texts embedded and processor seconds in each cell."""
    lines: list[str] = []
    for book in dict.fromkeys(each.book for each in measured):
        cells = {(each.job, each.peer): _cell(each) for each in measured if each.book == book}
        peers = [peer for peer in PEERS if any(peer == told for _, told in cells)]
        lines += [f"### {book}", "", f"| job | {' | '.join(peers)} |", f"| --- |{' ---: |' * len(peers)}"]
        for job in dict.fromkeys(job for job, _ in cells):
            lines.append(f"| {job} | {' | '.join(cells.get((job, peer), '') for peer in peers)} |")
        lines.append("")
    return "\n".join(lines)


def _cell(each: Measured) -> str:
    wrong = "" if each.is_right else ", **wrong**"
    return f"{each.texts} · {each.cpu:.2f} s{wrong}" + (f", {each.note}" if each.note else "")


def main() -> None:
    """Run what was asked for and print the table; `--json FILE` keeps the figures."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--only", nargs="*", default=PEERS)
    parser.add_argument("--jobs", nargs="*", default=[job.name for job in JOBS], help="names of jobs; all of them")
    parser.add_argument("--book", action="append", type=Path, required=True, help="folder of lessons")
    parser.add_argument("--json", type=Path)
    chosen = parser.parse_args()
    measured: list[Measured] = []
    with counting_service() as counts, tempfile.TemporaryDirectory() as folder:
        for source in chosen.book:
            for peer in chosen.only:
                ready = Path(folder) / f"ready-{source.name}-{peer}"
                shutil.copytree(source, Path(folder) / "docs", dirs_exist_ok=True)
                run(peer, Path(folder) / "docs", ready, counts)
                for job in (job for job in JOBS if job.name in chosen.jobs):
                    measured.append(measure(source.name, source, peer, job, ready, counts, Path(folder)))
                    print(measured[-1], file=sys.stderr)
                shutil.rmtree(Path(folder) / "docs")
    if chosen.json:
        chosen.json.write_text(json.dumps([asdict(each) for each in measured], indent=1), encoding="utf-8")
    print(table(measured))


if __name__ == "__main__":
    main()
