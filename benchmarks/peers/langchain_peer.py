"""LangChain: `index()` with SQLRecordManager and cleanup "full", over QdrantVectorStore in a folder."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from benchmarks.peers.qdrant_folder import open_collection, payloads

CHUNK_TOKENS = 400


def sync(docs: Path, work: Path, url: str) -> None:
    from langchain_classic.indexes import SQLRecordManager, index
    from langchain_core.documents import Document
    from langchain_openai import OpenAIEmbeddings
    from langchain_qdrant import QdrantVectorStore
    from langchain_text_splitters import RecursiveCharacterTextSplitter

    client = open_collection(work)
    embeddings = OpenAIEmbeddings(
        model="m", base_url=url, api_key="sk-none", check_embedding_ctx_length=False, dimensions=256
    )
    store = QdrantVectorStore(client, "book", embeddings)
    records = SQLRecordManager("qdrant/book", db_url=f"sqlite:///{work / 'records.sqlite'}")
    records.create_schema()
    splitter = RecursiveCharacterTextSplitter(chunk_size=CHUNK_TOKENS * 4, chunk_overlap=0)
    pages = [
        Document(path.read_text(encoding="utf-8"), metadata={"source": str(path.relative_to(docs))})
        for path in sorted(docs.rglob("*.md"))
    ]
    chunks = splitter.split_documents(pages)
    index(chunks, records, store, cleanup="full", source_id_key="source", batch_size=100)
    client.close()


def dump(work: Path) -> None:
    for _, payload in payloads(open_collection(work)):
        print(json.dumps([payload["metadata"]["source"], payload["page_content"]]))


if __name__ == "__main__":
    if sys.argv[1] == "sync":
        sync(Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
    else:
        dump(Path(sys.argv[2]))
