"""LangChain's splitters, and its in-memory store as its tutorials use it."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.peers.timing import timed

PACKAGES = ("langchain-core", "langchain-text-splitters", "langchain-openai")


def splitter_of(kind: str) -> Any:
    from langchain_text_splitters import MarkdownTextSplitter, RecursiveCharacterTextSplitter

    if kind == "markdown":
        return MarkdownTextSplitter(add_start_index=True)
    if kind == "tokens":
        from toktok import truncate

        def tokens(text: str) -> int:
            return int(truncate(text, sys.maxsize, "cl100k_base")[1])

        return RecursiveCharacterTextSplitter(
            chunk_size=400, chunk_overlap=0, length_function=tokens, add_start_index=True
        )
    return RecursiveCharacterTextSplitter(chunk_size=1000, chunk_overlap=200, add_start_index=True)


def pages_of(docs: Path) -> list[Any]:
    from langchain_core.documents import Document

    return [
        Document(path.read_text(encoding="utf-8"), metadata={"source": str(path.relative_to(docs))})
        for path in sorted(docs.rglob("*.md"))
    ]


def split(docs: Path, kind: str) -> dict[str, Any]:
    splitter = splitter_of(kind)
    seconds, found = timed(lambda: splitter.split_documents(pages_of(docs)))
    texts = {page.metadata["source"]: page.page_content for page in pages_of(docs)}
    chunks = []
    for chunk in found:
        path, start = chunk.metadata["source"], chunk.metadata["start_index"]
        line = texts[path].count("\n", 0, start) + 1 if start >= 0 else None
        chunks.append({"path": path, "text": chunk.page_content, "line": line})
    return {"seconds": seconds, "chunks": chunks}


def search(docs: Path, questions: list[str], url: str) -> dict[str, Any]:
    from langchain_core.vectorstores import InMemoryVectorStore
    from langchain_openai import OpenAIEmbeddings

    embeddings = OpenAIEmbeddings(
        model="m", base_url=url, api_key="sk-none", check_embedding_ctx_length=False, chunk_size=100
    )
    store = InMemoryVectorStore(embeddings)
    store.add_documents(splitter_of("").split_documents(pages_of(docs)))
    return {
        "found": [[hit.metadata["source"] for hit in store.similarity_search(asked, k=10)] for asked in questions]
    }


if __name__ == "__main__":
    action, docs, argument = sys.argv[1:]
    folder = Path(docs)
    result = split(folder, argument) if action == "split" else search(folder, json.load(sys.stdin), argument)
    print(json.dumps(result | {"versions": {name: version(name) for name in PACKAGES}}))
