"""A book as a retriever of LlamaIndex; install the extra `bookwise[llama-index]`."""

from rag.retrieval.integrations.llama_index import BookwiseRetriever as BookwiseRetriever

__all__ = ["BookwiseRetriever"]
