"""Open the vector store that the settings name."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ingestion.errors import ConfigurationError
from ingestion.settings.qdrant import QdrantSettings
from ingestion.vector_stores.protocol import Generations

if TYPE_CHECKING:
    from pathlib import Path


def open_generations(
    *,
    url: str | None,
    api_key: str | None,
    collection: str,
    directory: Path,
    wait: float,
    settings: QdrantSettings | None = None,
) -> Generations:
    """Open the generations of a collection: on the Qdrant server at `url`, or embedded below `directory` without one.

    `wait` is how many seconds to wait for an embedded index that another process has open. Raises
    ConfigurationError for a name or URL that cannot be used, VectorStoreError for a server that cannot be reached.
    """
    if not re.fullmatch(r"\w[\w.-]*", collection):
        raise ConfigurationError(f"collection name {collection!r}: use letters, digits, '_', '-' and '.' only")
    if url is None:
        from ingestion.vector_stores.edge.generations import EdgeGenerations

        return EdgeGenerations(directory / collection, wait)
    from ingestion.vector_stores.server.client import connect
    from ingestion.vector_stores.server.generations import ServerGenerations

    settings = settings or QdrantSettings()
    return ServerGenerations(connect(url, api_key, settings), collection, settings, directory)
