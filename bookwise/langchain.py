"""A book as a retriever of LangChain; install the extra `bookwise[langchain]`."""

from rag.retrieval.integrations.langchain import BookwiseRetriever as BookwiseRetriever

__all__ = ["BookwiseRetriever"]
