"""A page whose time is over leaves the index at the next run, though its file is the same."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.support.books import Library, page

PAGES = {f"{number}.md": page(f"Page {number}", f"Words of page {number}.") for number in range(5)}
OFFER = "---\ntitle: Offer\nexpiryDate: 2199-01-01T00:00:00+02:00\n---\n# Offer\n\nThe offer costs ten coins today.\n"


class Later(datetime):
    """A clock that is far ahead."""

    @classmethod
    def now(cls, tz: object = None) -> datetime:
        return datetime(2199, 1, 1, tzinfo=UTC)


def test_an_expired_page_leaves_the_index_and_verify_has_nothing_to_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    library = Library(tmp_path)
    library.write({**PAGES, "offer.md": OFFER})
    (library.docs / "hugo.toml").write_text('baseURL = "https://x.example/"\ncontentDir = "."\n')
    library.run()
    assert "ten coins" in library.texts_of("offer.md") and not library.run().pending
    assert '"published_until": "2198-12-31T22:00:00+00:00"' in library.state_path.read_text()
    monkeypatch.setattr("ingestion.source.publication.datetime", Later)
    monkeypatch.setattr("ingestion.sync.scan.utc_now", lambda: "2199-01-01T00:00:00+00:00")
    report = library.run()
    assert library.texts_of("offer.md") == "" and report.files["deleted"] == 1
    assert [each.path for each in report.skipped if "expired" in each.reason] == ["offer.md"]
    full = library.run("full", dry_run=True)
    assert not full.pending and not full.failures
