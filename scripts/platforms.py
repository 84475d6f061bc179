"""Hold a lock file against each platform: is there a wheel of every pinned version, so that nothing is compiled?

    python -m scripts.platforms [requirements.lock]

Asks the configured package index by `pip install --dry-run`; installs nothing.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from packaging.markers import Environment
from packaging.requirements import Requirement

PYTHONS = ("3.11", "3.12", "3.13", "3.14")


@dataclass(frozen=True, slots=True)
class Platform:
    """A platform as pip names its wheels, oldest system last, and as markers see it."""

    name: str
    tags: tuple[str, ...]
    system: str
    machine: str


PLATFORMS = (
    Platform("Linux, x86-64", ("manylinux_2_28_x86_64", "manylinux_2_17_x86_64"), "linux", "x86_64"),
    Platform("Linux, arm64", ("manylinux_2_28_aarch64", "manylinux_2_17_aarch64"), "linux", "aarch64"),
    Platform("macOS, Apple silicon", ("macosx_14_0_arm64", "macosx_11_0_arm64"), "darwin", "arm64"),
    Platform("macOS, Intel", ("macosx_14_0_x86_64", "macosx_10_12_x86_64"), "darwin", "x86_64"),
    Platform("Windows, x86-64", ("win_amd64",), "win32", "AMD64"),
    Platform("Alpine, x86-64", ("musllinux_1_2_x86_64",), "linux", "x86_64"),
)


def pinned(lock: str) -> list[Requirement]:
    """Return the pinned versions of a lock file with their markers, without the hashes."""
    lines = (line.rstrip("\\ ") for line in lock.splitlines() if re.match(r"[A-Za-z0-9]", line))
    return [Requirement(line) for line in lines]


def wanted(requirements: list[Requirement], platform: Platform, python: str) -> Iterator[str]:
    """Return what is installed there, by name and version."""
    for requirement in requirements:
        if requirement.marker is None or requirement.marker.evaluate({**environment(platform, python)}):
            yield f"{requirement.name}{requirement.specifier}"


def environment(platform: Platform, python: str) -> Mapping[str, str]:
    """Return what markers ask of that platform."""
    known: Environment = {  # type: ignore[typeddict-item]
        "sys_platform": platform.system,
        "platform_machine": platform.machine,
        "platform_system": {"linux": "Linux", "darwin": "Darwin", "win32": "Windows"}[platform.system],
        "os_name": "nt" if platform.system == "win32" else "posix",
        "python_version": python,
        "python_full_version": f"{python}.0",
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "extra": "",
    }
    return {name: str(value) for name, value in known.items()}


def without_wheel(names: list[str], platform: Platform, python: str) -> list[str]:
    """Return what has no wheel there: all at once first, one by one only where that fails."""
    if _has_wheels(names, platform, python):
        return []
    return [name for name in names if not _has_wheels([name], platform, python)]


def _has_wheels(names: list[str], platform: Platform, python: str) -> bool:
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--dry-run",
            "--quiet",
            "--no-deps",
            "--ignore-requires-python",
        ]
        command += ["--disable-pip-version-check", "--only-binary", ":all:", "--target", folder]
        command += ["--python-version", python, "--implementation", "cp"]
        command += [each for tag in platform.tags for each in ("--platform", tag)]
        return not subprocess.run([*command, *names], capture_output=True, check=False).returncode


def main() -> int:
    """Print a line for each platform and version of Python; return 1 where a wheel is missing."""
    lock = Path(sys.argv[1] if len(sys.argv) > 1 else "requirements.lock").read_text(encoding="utf-8")
    requirements, missed = pinned(lock), False
    for platform in PLATFORMS:
        for python in PYTHONS:
            lacking = without_wheel(list(wanted(requirements, platform, python)), platform, python)
            missed |= bool(lacking)
            told = f"no wheel of {', '.join(lacking)}" if lacking else "all wheels"
            print(f"{platform.name}, Python {python}: {told}")
    return int(missed)


if __name__ == "__main__":
    raise SystemExit(main())
