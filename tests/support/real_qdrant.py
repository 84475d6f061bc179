"""The Qdrant server that the suite runs on: the one that the environment names (`make test-qdrant`), or ours."""

from __future__ import annotations

import json
import os
import secrets
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

import pytest

from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.server.client import Server, connect
from ingestion.vector_stores.server.generations import ServerGenerations
from tests.support.paths import ROOT
from tests.support.qdrant_server import KEY as CONTRACT_KEY

# Read before the clean environment of the tests takes them away.
URL, KEY, REPLICAS, CA_FILE = (
    os.environ.get(f"BOOKWISE_TEST_QDRANT_{name}") for name in ("URL", "API_KEY", "REPLICAS", "CA_FILE")
)


@dataclass(frozen=True)
class Target:
    """A server or cluster, and the names of collections that a test may use there."""

    urls: tuple[str, ...]
    key: str | None
    replicas: int | None
    is_real: bool
    prefix: str = field(default_factory=lambda: f"bookwise-test-{secrets.token_hex(4)}")

    @property
    def options(self) -> dict[str, int]:
        return {"replication_factor": self.replicas} if self.replicas else {}

    @property
    def environment(self) -> dict[str, str]:
        """The settings of a command that uses it."""
        settings = {
            "QDRANT_URL": ",".join(self.urls),
            "QDRANT_API_KEY": self.key,
            "BOOKWISE_QDRANT_OPTIONS": json.dumps(self.options) if self.options else None,
            "BOOKWISE_QDRANT_CA_FILE": CA_FILE if self.is_real else None,
        }
        return {name: value for name, value in settings.items() if value}

    @property
    def settings(self) -> QdrantSettings:
        return QdrantSettings(options=self.options)

    def server(self, first: int = 0) -> Server:
        """A connection that tries the `first` node first."""
        return connect(",".join([*self.urls[first:], *self.urls[:first]]), self.key, self.settings)

    def clean(self) -> None:
        """Delete what tests made."""
        server = self.server()
        for each in server.client.get_collections().collections:
            if each.name.startswith(self.prefix):
                server.client.delete_collection(each.name)


@contextmanager
def real_server() -> Iterator[Callable[[str], ServerGenerations]]:
    """Opens collections under names of their own, and removes them at the end."""
    if not URL:
        pytest.skip("no Qdrant server: BOOKWISE_TEST_QDRANT_URL is not set")
    target = named_target(os.environ)
    try:
        yield lambda name: ServerGenerations(target.server(), f"{target.prefix}-{name}", target.settings)
    finally:
        target.clean()


def named_target(_: Mapping[str, str]) -> Target:
    """The server that the environment names."""
    assert URL
    return Target(tuple(URL.split(",")), KEY, int(REPLICAS) if REPLICAS else None, is_real=True)


@contextmanager
def any_target() -> Iterator[Target]:
    """The server that the environment names, else a cluster of two nodes of the contract server, in a process."""
    if URL:
        target = named_target(os.environ)
        yield target
        target.clean()
        return
    command = [sys.executable, "-m", "tests.support.qdrant_server", "--port", "0", "--strict", "--nodes", "2"]
    with subprocess.Popen(
        [*command, "--api-key", CONTRACT_KEY], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout
        urls = process.stdout.readline().split()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                yield Target(tuple(urls), CONTRACT_KEY, 2, is_real=False)
        finally:
            process.terminate()
            process.communicate()
