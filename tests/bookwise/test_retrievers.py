"""Retrievers of LangChain and LlamaIndex, run by these packages themselves."""

from __future__ import annotations

import asyncio
import warnings
from typing import Any

import pytest

import bookwise

QUESTION = "Why does a late subscriber miss messages?"


def test_langchain_gets_documents_with_their_sources(book: bookwise.Book) -> None:
    from bookwise.langchain import BookwiseRetriever

    found = BookwiseRetriever(book=book, k=2).invoke(QUESTION)
    passages = book.search(QUESTION, limit=2).results
    assert [(each.id, each.page_content) for each in found] == [(each.id, each.text) for each in passages]
    assert found[0].metadata["source"] == passages[0].location
    assert found[0].metadata["source_file"] == "m1/01-topics.md" and "text" not in found[0].metadata


def test_langchain_keeps_to_the_filters_and_awaits(book: bookwise.Book) -> None:
    from bookwise.langchain import BookwiseRetriever

    retriever = BookwiseRetriever(book=book, k=1, filters=bookwise.Filters(hardware_tier=4))
    found = asyncio.run(retriever.ainvoke("ray tracing on a graphics card"))
    assert [each.metadata["source_file"] for each in found] == ["m2/01-isaac.md"]
    hidden = BookwiseRetriever(book=book).invoke("ray tracing on a graphics card")
    assert {each.metadata["source_file"] for each in hidden} == {"m1/01-topics.md"}


def test_langchain_runs_it_in_a_chain_with_a_prompt(book: bookwise.Book) -> None:
    from langchain_core.prompts import ChatPromptTemplate
    from langchain_core.runnables import RunnablePassthrough

    from bookwise.langchain import BookwiseRetriever

    def join(documents: list[Any]) -> str:
        return "\n".join(f"{each.page_content} ({each.metadata['source']})" for each in documents)

    prompt = ChatPromptTemplate.from_template("Answer from {passages}: {question}")
    chain = {"passages": BookwiseRetriever(book=book, k=1) | join, "question": RunnablePassthrough()} | prompt
    assert "transient local" in chain.invoke(QUESTION).to_string()


def test_llama_index_gets_scored_nodes(book: bookwise.Book) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies
        from llama_index.core.schema import MetadataMode

        from bookwise.llama_index import BookwiseRetriever

        found = BookwiseRetriever(book, k=2).retrieve(QUESTION)
        awaited = asyncio.run(BookwiseRetriever(book, k=2).aretrieve(QUESTION))
    passages = book.search(QUESTION, limit=2).results
    assert [(each.node.node_id, each.score) for each in found] == [(each.id, each.relevance) for each in passages]
    assert [each.node.node_id for each in awaited] == [each.id for each in passages]
    seen = found[0].node.get_content(MetadataMode.LLM)
    assert "source: m1/01-topics.md" in seen and "content_hash" not in seen


def test_llama_index_keeps_to_the_filters(book: bookwise.Book) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies
        from bookwise.llama_index import BookwiseRetriever

        question = "ray tracing on a graphics card"
        every = BookwiseRetriever(book, k=1, filters=bookwise.Filters(hardware_tier=4)).retrieve(question)
        hidden = BookwiseRetriever(book).retrieve(question)
    assert [each.node.metadata["source_file"] for each in every] == ["m2/01-isaac.md"]
    assert {each.node.metadata["source_file"] for each in hidden} == {"m1/01-topics.md"}


def test_langchain_gives_as_many_as_a_call_or_its_search_kwargs_ask_for(book: bookwise.Book) -> None:
    from bookwise.langchain import BookwiseRetriever

    assert len(BookwiseRetriever(book=book, search_kwargs={"k": 1}).invoke(QUESTION)) == 1
    assert len(BookwiseRetriever(book=book, k=3).invoke(QUESTION, k=1)) == 1
    everything = bookwise.Filters(hardware_tier=4)
    held = BookwiseRetriever(book=book).invoke(QUESTION, k=100, filters=everything)
    assert {each.metadata["source_file"] for each in held} >= {"m1/01-topics.md", "m2/01-isaac.md"}
    for wrong in ({"k": 0}, {"k": 101}, {"search_kwargs": {"k": "many"}}, {"search_kwargs": {"fetch_k": 20}}):
        with pytest.raises(ValueError, match="k"):
            BookwiseRetriever(book=book, **wrong)


def test_llama_index_knows_the_lesson_of_a_node_and_checks_k_when_made(book: bookwise.Book) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies
        from bookwise.llama_index import BookwiseRetriever

        [found] = BookwiseRetriever(book, similarity_top_k=1).retrieve(QUESTION)
    assert found.node.ref_doc_id == book.search(QUESTION, limit=1).results[0].parent_doc_id
    with pytest.raises(ValueError, match="1 to 100"):
        BookwiseRetriever(book, k=101)


@pytest.mark.parametrize("question", ["zq", "?", "x"])
def test_a_short_question_that_is_no_word_of_the_book_finds_nothing(book: bookwise.Book, question: str) -> None:
    from bookwise.langchain import BookwiseRetriever as Documents

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of its own dependencies
        from bookwise.llama_index import BookwiseRetriever as Nodes

        assert Nodes(book, k=2).retrieve(question) == []
    assert Documents(book=book, k=2).invoke(question) == []
    assert book.search(question).results == ()


def test_a_question_that_is_blank_and_filters_that_no_page_has_still_say_what_is_wrong(book: bookwise.Book) -> None:
    with pytest.raises(bookwise.UsageError, match="String should have at least 3"):
        book.search("  ")
    with pytest.raises(bookwise.UsageError, match="limit"):
        book.search("zq", limit=0)
