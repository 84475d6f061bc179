"""Where the index is, and what it may be called."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path

import pytest

from ingestion.errors import ConfigurationError
from ingestion.vector_stores.factory import open_generations
from tests.support.qdrant_server import KEY, QdrantServer, running
from tests.support.vector_points import SCHEMA, index_directory

pytestmark = pytest.mark.filterwarnings("ignore:Payload indexes have no effect:UserWarning")


@pytest.mark.parametrize("name", ["", "../other", "a/b", ".hidden", "a b"])
def test_a_collection_name_that_is_no_name_is_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError, match="collection name"):
        open_generations(url=None, api_key=None, collection=name, directory=tmp_path, wait=0)


def test_without_a_url_the_index_is_embedded_below_the_directory() -> None:
    with index_directory() as directory:
        generations = open_generations(url=None, api_key=None, collection="book", directory=directory, wait=0)
        assert generations.open_active() is None
        with closing(generations.create(SCHEMA)):
            assert [path.name for path in directory.iterdir()] == ["book"]


def test_with_a_url_the_index_is_on_the_server(tmp_path: Path) -> None:
    with running(QdrantServer()) as server:
        generations = open_generations(url=server.url, api_key=KEY, collection="b", directory=tmp_path, wait=0)
        generations.activate(generations.create(SCHEMA))
        assert generations.active().schema == SCHEMA
    assert not list(tmp_path.iterdir())
