"""The settings: names, defaults, where each may be set, and how its value is read.

Plain dataclasses, nested like the tables of `bookwise.toml`: a settings library costs more time than a whole run with
nothing to do (measured in `benchmarks/startup.py`), and none of them says from which source a wrong value came.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields
from pathlib import Path
from typing import Any

from ingestion.settings.answers import AgentSettings, ConfidenceSettings, RerankSettings
from ingestion.settings.api import ApiSettings, ConversationSettings
from ingestion.settings.book import BookSettings, CheckSettings, CrawlSettings
from ingestion.settings.chunk import ChunkSettings
from ingestion.settings.embedding import EmbeddingSettings, OpenAISettings
from ingestion.settings.index import IndexSettings
from ingestion.settings.page import PageSettings
from ingestion.settings.qdrant import QdrantSettings
from ingestion.settings.trust import TrustSettings
from ingestion.settings.validators import BUILT_IN_MODULES, Module, Secret, book_setting, parse_modules


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings of one run, by table, and the folder of the book. Secrets never show in its repr."""

    book: BookSettings = field(default_factory=BookSettings)
    modules: tuple[Module, ...] = book_setting((), parse_modules, help="the book's modules")
    crawl: CrawlSettings = field(default_factory=CrawlSettings)
    check: CheckSettings = field(default_factory=CheckSettings)
    chunk: ChunkSettings = field(default_factory=ChunkSettings)
    index: IndexSettings = field(default_factory=IndexSettings)
    embedding: EmbeddingSettings = field(default_factory=EmbeddingSettings)
    openai: OpenAISettings = field(default_factory=OpenAISettings)
    qdrant: QdrantSettings = field(default_factory=QdrantSettings)
    agent: AgentSettings = field(default_factory=AgentSettings)
    confidence: ConfidenceSettings = field(default_factory=ConfidenceSettings)
    rerank: RerankSettings = field(default_factory=RerankSettings)
    api: ApiSettings = field(default_factory=ApiSettings)
    page: PageSettings = field(default_factory=PageSettings)
    conversations: ConversationSettings = field(default_factory=ConversationSettings)
    trust: TrustSettings = field(default_factory=TrustSettings)
    folder: Path = Path()


TABLES: Mapping[str, type[Any]] = {
    "book": BookSettings,
    "crawl": CrawlSettings,
    "check": CheckSettings,
    "chunk": ChunkSettings,
    "index": IndexSettings,
    "embedding": EmbeddingSettings,
    "openai": OpenAISettings,
    "qdrant": QdrantSettings,
    "agent": AgentSettings,
    "confidence": ConfidenceSettings,
    "rerank": RerankSettings,
    "api": ApiSettings,
    "page": PageSettings,
    "conversations": ConversationSettings,
    "trust": TrustSettings,
}

FIELDS: Mapping[str, Field[Any]] = {
    "modules": next(field for field in fields(Settings) if field.name == "modules")
} | {f"{table}.{field.name}": field for table, kind in TABLES.items() for field in fields(kind)}
"""Every setting by its name in `bookwise.toml`, such as `qdrant.url`."""


def override(settings: Settings, changes: Mapping[str, Any]) -> Settings:
    """Return the settings with some values replaced, by name such as `qdrant.url`."""
    values = {name: value_of(settings, name) for name in FIELDS}
    unknown = changes.keys() - FIELDS.keys()
    if unknown:
        raise KeyError(f"no such setting: {', '.join(sorted(unknown))}")
    return nested(values | dict(changes), settings.folder)


def nested(values: Mapping[str, Any], folder: Path) -> Settings:
    """Return the settings of a complete set of values, by name such as `qdrant.url`, for the book in `folder`."""
    tables = {
        table: kind(**{name.split(".")[1]: value for name, value in values.items() if name.startswith(f"{table}.")})
        for table, kind in TABLES.items()
    }
    own = values["modules"]
    built_in = BUILT_IN_MODULES if values["book.vocabulary"] == "physical-ai" else ()
    return Settings(modules=own or built_in, folder=folder, **tables)


def value_of(settings: Settings, name: str) -> Any:
    """Return the value of a setting, by name such as `qdrant.url`."""
    table, _, field = name.partition(".")
    return getattr(getattr(settings, table), field) if field else getattr(settings, table)


def without_secrets(settings: Settings) -> Settings:
    """Return the settings with no secret in them, for another machine."""
    return override(settings, {name: None for name in FIELDS if isinstance(value_of(settings, name), Secret)})
