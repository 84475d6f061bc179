"""LlamaIndex: IngestionPipeline with docstore (upserts and delete) and cache, over QdrantVectorStore in a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.peers.qdrant_folder import payloads

CHUNK_TOKENS = 400


def sync(docs: Path, work: Path, url: str) -> None:
    from llama_index.core import SimpleDirectoryReader
    from llama_index.core.ingestion import DocstoreStrategy, IngestionCache, IngestionPipeline
    from llama_index.core.node_parser import SentenceSplitter
    from llama_index.core.storage.docstore import SimpleDocumentStore
    from llama_index.embeddings.openai import OpenAIEmbedding
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient

    work.mkdir(parents=True, exist_ok=True)
    kept = work / "pipeline"
    client = QdrantClient(path=str(work / "qdrant"))
    docstore = SimpleDocumentStore()
    if (kept / "docstore.json").exists():
        docstore = SimpleDocumentStore.from_persist_path(str(kept / "docstore.json"))
    cache = IngestionCache()
    if (kept / "cache.json").exists():
        cache = IngestionCache.from_persist_path(str(kept / "cache.json"))
    pipeline = IngestionPipeline(
        transformations=[
            SentenceSplitter(chunk_size=CHUNK_TOKENS, chunk_overlap=0),
            OpenAIEmbedding(model_name="m", api_base=url, api_key="sk-none", embed_batch_size=100, dimensions=256),
        ],
        vector_store=QdrantVectorStore("book", client=client),
        docstore=docstore,
        cache=cache,
        docstore_strategy=DocstoreStrategy.UPSERTS_AND_DELETE,
    )
    pages = SimpleDirectoryReader(str(docs), recursive=True, required_exts=[".md"], filename_as_id=True).load_data()
    for page in pages:
        path = str(Path(page.metadata["file_path"]).relative_to(docs))
        # Times of files would make every checkout another book.
        page.metadata = {"source": path}
        page.id_ = f"{path}#{page.id_.rsplit('_', 1)[-1]}"
    pipeline.run(documents=pages)
    kept.mkdir(exist_ok=True)
    docstore.persist(str(kept / "docstore.json"))
    cache.persist(str(kept / "cache.json"))
    client.close()


def dump(work: Path) -> None:
    from qdrant_client import QdrantClient

    for _, payload in payloads(QdrantClient(path=str(work / "qdrant"))):
        node = json.loads(payload["_node_content"])
        print(json.dumps([node["metadata"]["source"], node["text"]]))


if __name__ == "__main__":
    if sys.argv[1] == "sync":
        sync(Path(sys.argv[2]).resolve(), Path(sys.argv[3]), sys.argv[4])
    else:
        dump(Path(sys.argv[2]))
