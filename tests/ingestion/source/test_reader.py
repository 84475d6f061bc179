"""Reading a file: strict decoding, one hash for one text, errors that name the byte and the line."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingestion.errors import LessonError
from ingestion.source.crawler import SourceFile
from ingestion.source.reader import SourceText, read_source

TEXT = "# Größe سبق 章\n\nOne line.\nAnother 😀.\n"


def read(folder: Path, data: bytes) -> SourceText:
    file = folder / "page.md"
    file.write_bytes(data)
    return read_source(SourceFile("a/page.md", file))


ENCODED = {
    "plain": TEXT.encode(),
    "mark": b"\xef\xbb\xbf" + TEXT.encode(),
    "CRLF": TEXT.replace("\n", "\r\n").encode(),
    "CR": TEXT.replace("\n", "\r").encode(),
    "mark and CRLF": b"\xef\xbb\xbf" + TEXT.replace("\n", "\r\n").encode(),
    "UTF-16 LE": b"\xff\xfe" + TEXT.encode("utf-16-le"),
    "UTF-16 BE": b"\xfe\xff" + TEXT.encode("utf-16-be"),
    "UTF-16 LE and CRLF": b"\xff\xfe" + TEXT.replace("\n", "\r\n").encode("utf-16-le"),
    "a mark in the middle": TEXT.replace("One", "\ufeffOne").encode(),
}


@pytest.mark.parametrize("name", ENCODED)
def test_one_text_has_one_hash_however_it_is_saved(tmp_path: Path, name: str) -> None:
    source = read(tmp_path, ENCODED[name])
    assert source.decode() == TEXT
    assert source.sha256 == hashlib.sha256(TEXT.encode()).hexdigest()
    assert source.path == "a/page.md"


def test_another_text_has_another_hash(tmp_path: Path) -> None:
    assert read(tmp_path, b"# A\n").sha256 != read(tmp_path, b"# A \n").sha256


def test_an_empty_file_is_empty_text(tmp_path: Path) -> None:
    assert read(tmp_path, b"").decode() == ""


@pytest.mark.parametrize(
    ("data", "line", "reason"),
    [
        (b"caf\xe9", 1, "is not UTF-8: byte 0xe9 at offset 3"),
        (b"one\ntwo\n\xff", 3, "is not UTF-8: byte 0xff at offset 8"),
        (b"one\r\ntwo\r\n\xff", 3, "is not UTF-8: byte 0xff at offset 10"),
        (b"one\rtwo\r\xff", 3, "is not UTF-8: byte 0xff at offset 8"),
        (b"\xef\xbb\xbfone\n\xff", 2, "is not UTF-8: byte 0xff at offset 7"),
        (b"\xe2\xef\xbb\xbf\x82\xac", 1, "is not UTF-8: byte 0xe2 at offset 0"),
        (b"\xed\xa0\x80", 1, "is not UTF-8: byte 0xed at offset 0"),
        (b"\xff\xfea\0\n\0\0\xd8", 2, "is not UTF-16-LE: byte 0x00 at offset 6"),
        (b"\xff\xfea\0b", 1, "is not UTF-16-LE: byte 0x62 at offset 4"),
        (b"one\ntwo\0", 2, "is binary: NUL at offset 7"),
        (b"one\r\n\0", 2, "is binary: NUL at offset 5"),
        (b"\xfe\xff\0a\0\0", 1, "is binary: NUL at offset 4"),
    ],
)
def test_what_is_not_text_is_named_by_byte_and_line_of_the_file(
    tmp_path: Path, data: bytes, line: int, reason: str
) -> None:
    source = read(tmp_path, data)
    with pytest.raises(LessonError) as caught:
        source.decode()
    assert (caught.value.path, caught.value.line) == ("a/page.md", line)
    assert caught.value.reason.startswith(reason)


def test_a_file_that_is_not_text_still_has_a_hash(tmp_path: Path) -> None:
    assert read(tmp_path, b"\xff\r\n").sha256 != read(tmp_path, b"\xff\xff").sha256


def test_a_file_that_is_gone_is_an_error_of_that_lesson(tmp_path: Path) -> None:
    with pytest.raises(LessonError, match=r"^a/gone\.md: cannot be read: No such file"):
        read_source(SourceFile("a/gone.md", tmp_path / "gone.md"))


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("cp1252.md", "cp1252.md:1: is not UTF-8: byte 0xe9 at offset 5; save it as UTF-8"),
        ("gb18030.md", "gb18030.md:1: is not UTF-8: byte 0xc1 at offset 2; save it as UTF-8"),
        ("one-bad-byte.md", "one-bad-byte.md:3: is not UTF-8: byte 0xe9 at offset 32; save it as UTF-8"),
        ("nul-byte.md", "nul-byte.md:3: is binary: NUL at offset 25"),
    ],
)
def test_legacy_bytes_are_refused_and_never_guessed(cases: Path, name: str, message: str) -> None:
    """Case C11."""
    source = read_source(SourceFile(name, cases / "c11" / name))
    with pytest.raises(LessonError) as caught:
        source.decode()
    assert str(caught.value) == message


def test_only_line_feeds_end_lines(cases: Path) -> None:
    """Case C11: form feed, U+2028 and U+0085 stay inside their line."""
    text = read_source(SourceFile("c.md", cases / "c11/surrogate-and-controls.md")).decode()
    assert len(text.split("\n")) == 4
    assert {"\f", "\u2028", "\u0085", "\u200b", "\u00ad"} <= set(text)


@pytest.mark.parametrize("name", ["bom-frontmatter.md", "bom-heading.md", "bom-in-the-middle.md"])
def test_no_byte_order_mark_reaches_the_text_or_the_hash(cases: Path, tmp_path: Path, name: str) -> None:
    """Case C07."""
    source = read_source(SourceFile(name, cases / "c07" / name))
    without = (cases / "c07" / name).read_bytes().replace(b"\xef\xbb\xbf", b"")
    assert source.decode() == without.decode()
    assert source.sha256 == read(tmp_path, without).sha256


@given(st.text(), st.sampled_from(["utf-8", "utf-16-le", "utf-16-be"]))
def test_decoded_text_and_hash_do_not_depend_on_the_encoding(text: str, encoding: str) -> None:
    mark = {"utf-8": b"", "utf-16-le": b"\xff\xfe", "utf-16-be": b"\xfe\xff"}[encoding]
    source = SourceText("p.md", "", mark + text.encode(encoding))
    wanted = text.replace("\ufeff", "").replace("\r\n", "\n").replace("\r", "\n")
    if "\0" in text:
        with pytest.raises(LessonError, match="binary"):
            source.decode()
    else:
        assert source.decode() == wanted
