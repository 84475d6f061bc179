"""Search a book as a retriever of LlamaIndex."""

from __future__ import annotations

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeWithScore, QueryBundle, TextNode

from rag.filters import NO_FILTERS, Filters
from rag.retrieval.integrations import Searchable, metadata_of


class BookwiseRetriever(BaseRetriever):
    """Returns the `k` best passages of an open `book` as nodes, within `filters`; a node's score is the relevance.

    A node has the passage's id and text; its metadata are the fields of `bookwise.SearchResult` and `source`, the
    address or the file with its lines. Models and embeddings see `source` and `page_title` of them only.
    """

    def __init__(self, book: Searchable, *, k: int = 5, filters: Filters = NO_FILTERS) -> None:
        self._book = book
        self._k = k
        self._filters = filters
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._book.search(query_bundle.query_str, limit=self._k, filters=self._filters).results
        nodes = []
        for passage in found:
            metadata = metadata_of(passage)
            unseen = [key for key in metadata if key not in ("source", "page_title")]
            node = TextNode(
                id_=passage.id,
                text=passage.text,
                metadata=metadata,
                excluded_llm_metadata_keys=unseen,
                excluded_embed_metadata_keys=unseen,
            )
            nodes.append(NodeWithScore(node=node, score=passage.relevance))
        return nodes
