"""LlamaIndex's reader and splitter, and its vector index with the retriever that it gives."""

from __future__ import annotations

import json
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from benchmarks.peers.timing import timed

PACKAGES = ("llama-index-core", "llama-index-readers-file")


def splitter_of(kind: str) -> Any:
    from llama_index.core.node_parser import SentenceSplitter

    return SentenceSplitter(chunk_size=400, chunk_overlap=0) if kind == "tokens" else SentenceSplitter()


def pages_of(docs: Path) -> list[Any]:
    from llama_index.core import SimpleDirectoryReader

    return list(SimpleDirectoryReader(str(docs), recursive=True, required_exts=[".md"]).load_data())


def source_of(docs: Path, metadata: dict[str, Any]) -> str:
    return str(Path(metadata["file_path"]).relative_to(docs))


def split(docs: Path, kind: str) -> dict[str, Any]:
    splitter = splitter_of(kind)
    seconds, found = timed(lambda: splitter.get_nodes_from_documents(pages_of(docs)))
    chunks = []
    for node in found:
        path, start = source_of(docs, node.metadata), node.start_char_idx
        text = (docs / path).read_text(encoding="utf-8")
        line = None if start is None else text.count("\n", 0, start) + 1
        chunks.append({"path": path, "text": node.text, "line": line})
    return {"seconds": seconds, "chunks": chunks}


def search(docs: Path, questions: list[str], url: str) -> dict[str, Any]:
    from llama_index.core import VectorStoreIndex
    from llama_index.embeddings.openai import OpenAIEmbedding

    model = OpenAIEmbedding(model_name="m", api_base=url, api_key="sk-none", embed_batch_size=100)
    index = VectorStoreIndex.from_documents(pages_of(docs), embed_model=model, transformations=[splitter_of("")])
    retriever = index.as_retriever(similarity_top_k=10)
    return {
        "found": [[source_of(docs, hit.node.metadata) for hit in retriever.retrieve(asked)] for asked in questions]
    }


if __name__ == "__main__":
    action, docs, argument = sys.argv[1:]
    folder = Path(docs).resolve()
    result = split(folder, argument) if action == "split" else search(folder, json.load(sys.stdin), argument)
    print(json.dumps(result | {"versions": {name: version(name) for name in PACKAGES}}))
