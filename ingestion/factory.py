"""Build the parts of a run from the settings; what is heavy is imported by the part that needs it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast
from urllib.parse import urlsplit

from ingestion.embedding.batching import Limits
from ingestion.embedding.cache import EmbeddingCache
from ingestion.embedding.factory import build_embedder
from ingestion.embedding.prices import price_of
from ingestion.embedding.protocol import Embedder, EmbedderKind
from ingestion.embedding.recipient import Recipient
from ingestion.errors import ConfigurationError
from ingestion.masking import masked
from ingestion.settings import Settings, override
from ingestion.settings.index import STATE_AUTO, STATE_FILE, STATE_QDRANT
from ingestion.state.job_ledger import JobLedger
from ingestion.state.state_file import StateFile, StateStore
from ingestion.state.state_folder import StateFolder
from ingestion.sync.parts import Cluster, Parts
from ingestion.tokens import require_tokenizer
from ingestion.vector_stores.factory import open_generations
from ingestion.vector_stores.protocol import Generations, OpenGenerations, VectorStore, WriterAccess
from ingestion.versions import same_model

OPENAI_URL = "https://api.openai.com"


@dataclass(frozen=True, slots=True)
class RayChoice:
    """The Ray cluster, None for the one that Ray finds or starts, and how many workers, None for one per core."""

    address: str | None = None
    workers: int | None = None


def build_parts(
    settings: Settings, *, new_index: bool = False, many_books: bool = False, ray: RayChoice | None = None
) -> Parts:
    """Return everything that `ingest` needs; only a `new_index` takes another embedder than the one there is.

    Raises ConfigurationError where the chosen tokenizer cannot count.
    """
    require_tokenizer()
    if not new_index:
        settings = settle_embedder(settings)
    directory = Path(settings.index.directory)
    generations = generations_of(settings)
    embedder = embedder_of(settings)
    return Parts(
        settings=settings,
        embedder=embedder,
        generations=generations,
        states=states_of(settings, generations, many=many_books),
        cache=cache_of(settings),
        lock=directory / "writer.lock",
        jobs=ledger_of(settings),
        cluster=_cluster_of(settings, embedder, ray) if ray else None,
        recipient=recipient_of(settings),
    )


def _cluster_of(settings: Settings, embedder: Embedder, ray: RayChoice) -> Cluster:
    # Imported late: few runs need it.
    from ingestion.sync.distributed.cluster import StageCluster
    from ingestion.sync.distributed.connection import RayConnection

    connection, kind = RayConnection(ray.address), kind_of(settings)
    return StageCluster(connection, ray.workers, kind=kind, embedder=embedder, arguments=_choice_of(settings))


def cache_of(settings: Settings) -> EmbeddingCache:
    """Build the embedding cache; its file is opened at the first use."""
    return EmbeddingCache(Path(settings.index.directory) / "embeddings.sqlite")


def ledger_of(settings: Settings) -> JobLedger:
    """Return the ledger of runs; opened when a run has something to do, or is asked for."""
    return JobLedger(_database_of(settings))


def kind_of(settings: Settings) -> EmbedderKind:
    """Return the kind of embedder that is chosen: with `auto`, the service if there is a key, else the embedded
    one.
    """
    if settings.embedding.embedder == "auto":
        return "openai" if settings.openai.api_key else "local"
    return cast("EmbedderKind", settings.embedding.embedder)


def recipient_of(settings: Settings) -> Recipient | None:
    """Return the service that gets the texts, None where they are embedded on this machine."""
    if kind_of(settings) != "openai":
        return None
    model = settings.embedding.model
    return Recipient(openai_host(settings), model, price_of(model, settings.embedding.price))


def openai_host(settings: Settings) -> str:
    """Return the host of the service that embeds and answers, for people."""
    return host_of(settings.openai.base_url or OPENAI_URL)


def host_of(url: str) -> str:
    """Return the host and port of an address, without a name and a password before them."""
    return urlsplit(url).netloc.rpartition("@")[2]


def settle_embedder(settings: Settings) -> Settings:
    """Return the settings with the embedder that made the index, where `auto` would now choose the service.

    So a key that is new in the environment neither breaks an index that the embedded model made, nor pays for one.
    """
    if settings.embedding.embedder != "auto" or not settings.openai.api_key:
        return settings
    from ingestion.embedding.minilm import MiniLm

    active = next((generation for generation in generations_of(settings).kept() if generation.role == "active"), None)
    if active is None or active.schema is None or not same_model(active.schema.embedding, MiniLm.model):
        return settings
    return override(settings, {"embedding.embedder": "local"})


def remedy_of(settings: Settings, made_by: str) -> str:
    """Return what to do about an index made by another embedder than the chosen one, named as its schema does."""
    model = made_by.partition("/")[0].partition("@")[0]
    library = next((name for name in _LIBRARIES if made_by.startswith(f"{name}-")), None)
    if library:
        name = made_by.partition("/")[2].rpartition("/")[0].partition("@")[0]
        return f"set BOOKWISE_EMBEDDER={library} and OPENAI_EMBEDDING_MODEL={name} (this index was made by {made_by})"
    if model.startswith("all-MiniLM-L6-v2-int8"):
        return f"set BOOKWISE_EMBEDDER=local (this index was made by {model})"
    if settings.embedding.embedder == "auto" and not settings.openai.api_key:
        return f"set OPENAI_API_KEY (this index was made by the service's model {model})"
    return f"set OPENAI_EMBEDDING_MODEL={model}, and BOOKWISE_EMBEDDER=openai (this index was made by it)"


_LIBRARIES = ("fastembed", "sentence-transformers")


def embedder_ahead(settings: Settings) -> Embedder:
    """See `embedder_of`; the embedded model begins to load beside what the caller does next."""
    from ingestion.embedding.minilm import MiniLm

    embedder = embedder_of(settle_embedder(settings))
    if isinstance(embedder, MiniLm):
        embedder.load_ahead()
    return embedder


def embedder_of(settings: Settings) -> Embedder:
    """Return the chosen embedder; a missing key is an error of its first call, not of a plan."""
    return build_embedder(**_choice_of(settings))


def _choice_of(settings: Settings) -> dict[str, Any]:
    """Return the arguments of `build_embedder`."""
    limits = settings.embedding.limits
    return {
        "kind": kind_of(settings),
        "model": settings.embedding.model,
        "dimensions": settings.embedding.dimensions,
        "api_key": settings.openai.api_key,
        "base_url": settings.openai.base_url,
        "api_version": settings.openai.azure_api_version,
        "threads": settings.embedding.threads,
        "limits": Limits(
            inputs=limits.request_inputs,
            tokens=limits.request_tokens,
            input_tokens=limits.input_tokens,
            in_flight=limits.in_flight,
        ),
        "requests_per_minute": limits.requests_per_minute,
        "tokens_per_minute": limits.tokens_per_minute,
    }


def _database_of(settings: Settings) -> str | Path:
    """Return the URL that is set, else a file of ours."""
    if settings.index.database_url:
        return settings.index.database_url.reveal()
    return Path(settings.index.directory) / "jobs.sqlite"


def generations_of(settings: Settings) -> Generations:
    """Return the index: on the server if there is one, else embedded."""
    return open_generations(
        url=settings.qdrant.url,
        api_key=settings.qdrant.api_key.reveal() if settings.qdrant.api_key else None,
        collection=settings.qdrant.collection,
        directory=Path(settings.index.directory),
        wait=settings.index.wait,
        settings=settings.qdrant,
    )


def states_of(settings: Settings, generations: WriterAccess, *, many: bool = False) -> StateStore:
    """Return where records are kept: a file, or with `qdrant` the server; `auto` takes a file that exists.

    With `many` books, and from then on, each has a file of its own in the folder of the index.
    Raises ConfigurationError for `qdrant` without a server. A file of that name is written `./qdrant`.
    """
    folder = StateFolder.below(Path(settings.index.directory), many=many)
    if settings.index.state not in (STATE_AUTO, STATE_QDRANT):
        return _files_of(Path(settings.index.state), folder, settings)
    file = settings.folder / STATE_FILE
    is_local = file.exists() or folder is not None
    on_server = None if settings.index.state == STATE_AUTO and is_local else generations.states()
    if on_server is None and settings.index.state == STATE_QDRANT:
        raise ConfigurationError(
            "state `qdrant` needs a Qdrant server (QDRANT_URL): an embedded index and the state file lie on the same "
            "disk; leave the setting out, or use `auto`"
        )
    return on_server or _files_of(file, folder, settings)


def _files_of(single: Path, folder: Path | None, settings: Settings) -> StateStore:
    # In the index's own folder, which every book's `.gitignore` and every copy of an index has already.
    file = StateFile(single, Path(settings.index.directory) / f"{single.stem.lstrip('.')}.chunks.jsonl")
    return StateFolder(folder, file) if folder else file


def location_of(settings: Settings) -> str:
    """Return where the index is, for people."""
    return masked(settings.qdrant.url or str(Path(settings.index.directory) / settings.qdrant.collection))


def open_index(settings: Settings, generations: OpenGenerations | None = None) -> VectorStore:
    """Return the index that readers see, of the settings' generations; ConfigurationError where nothing is indexed
    yet.
    """
    store = (generations or generations_of(settings)).open_active()
    if store is None:
        raise ConfigurationError(
            f"nothing is indexed in {location_of(settings)}; run `bookwise ingest DOCS` first"
            " (if you did, no lesson had any text: see `bookwise check`)"
        )
    return store
