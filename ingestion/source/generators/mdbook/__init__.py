"""mdBook: SUMMARY.md lists all pages, each of which is an `.html` file."""

CONFIGS = ("book.toml",)
BESIDE = ()
STYLES = ("mdbook",)
RANK = 2
