"""Tell processes apart: containers share host names and process ids, but not boot, namespace and start time."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PROC = Path("/proc")


def process_identity() -> dict[str, Any]:
    """Return what tells this process from every other: fields of JSON types, some None where a system has none."""
    return {
        "host": socket.gethostname(),
        "pid": os.getpid(),
        "boot": _boot(),
        "namespace": _namespace(),
        "started": _started(os.getpid()),
    }


def machine_identity() -> str:
    """Return what tells this machine, and this start of it, from others whose files may come here."""
    return f"{socket.gethostname()} {_boot() or ''}".strip()


def is_dead(identity: Mapping[str, Any]) -> bool:
    """Return whether the process ran on this machine and is certainly gone; False where that cannot be known."""
    boot, namespace, pid = identity.get("boot"), identity.get("namespace"), identity.get("pid")
    here = boot is not None and boot == _boot() and namespace is not None and namespace == _namespace()
    if not here or not isinstance(pid, int) or pid <= 0:
        return False
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except OSError:
        # It is another user's, so there is one.
        pass
    started = _started(pid)
    return None not in (started, identity.get("started")) and started != identity["started"]


def _boot() -> str | None:
    return _read(PROC / "sys/kernel/random/boot_id") if sys.platform == "linux" else None


def _namespace() -> str | None:
    try:
        return os.readlink(PROC / "self/ns/pid")
    except OSError:
        return None


def _started(pid: int) -> int | None:
    """Return the clock ticks from the boot to the start of the process."""
    stat = _read(PROC / str(pid) / "stat")
    # The name of the program, in parentheses, may hold blanks and parentheses itself.
    fields = stat.rpartition(")")[2].split() if stat else []
    return int(fields[19]) if len(fields) > 19 else None


def _read(path: Path) -> str | None:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return None
