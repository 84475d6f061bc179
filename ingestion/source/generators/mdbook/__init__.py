"""mdBook: SUMMARY.md lists all pages, each of which is an `.html` file."""

CONFIGS = ("book.toml",)
STYLES = ("mdbook",)
RANK = 2
