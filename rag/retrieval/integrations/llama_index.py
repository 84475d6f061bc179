"""Search a book as a retriever of LlamaIndex."""

from __future__ import annotations

from typing import Unpack

from llama_index.core.retrievers import BaseRetriever
from llama_index.core.schema import NodeRelationship, NodeWithScore, QueryBundle, RelatedNodeInfo, TextNode

from rag.filters import NO_FILTERS, Filters
from rag.retrieval.integrations import Searchable, checked_k, metadata_of
from rag.retrieval.retriever import SearchShape


class BookwiseRetriever(BaseRetriever):
    """Returns the `k` best passages of an open `book` as nodes, within `filters`; a node's score is the relevance.

    A node has the passage's id and text; its metadata are the fields of `bookwise.SearchResult` and `source`, the
    address or the file with its lines. Models and embeddings see `source` and `page_title` of them only. `ref_doc_id`
    is the id of the lesson. `k` is 1 to 100; `similarity_top_k` is another name for it.
    """

    def __init__(
        self,
        book: Searchable,
        *,
        k: int = 5,
        similarity_top_k: int | None = None,
        filters: Filters = NO_FILTERS,
        **shape: Unpack[SearchShape],
    ) -> None:
        self._book = book
        self._k = checked_k(k if similarity_top_k is None else similarity_top_k)
        self._shape = shape
        self._filters = filters
        super().__init__()

    def _retrieve(self, query_bundle: QueryBundle) -> list[NodeWithScore]:
        found = self._book.search(query_bundle.query_str, limit=self._k, filters=self._filters, **self._shape).results
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
            if passage.parent_doc_id:
                node.relationships[NodeRelationship.SOURCE] = RelatedNodeInfo(node_id=passage.parent_doc_id)
            nodes.append(NodeWithScore(node=node, score=passage.relevance))
        return nodes
