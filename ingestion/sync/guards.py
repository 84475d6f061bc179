"""What keeps a run from emptying the index by mistake, and from spending more than it may."""

from collections.abc import Set as AbstractSet

from ingestion.errors import BudgetExceeded, ConfigurationError, DeletionRefused, SourceError


def refuse_deletion(
    *,
    book_id: str,
    present: AbstractSet[str],
    known: AbstractSet[str],
    moved: AbstractSet[str],
    root: str,
    last_root: str | None,
    max_percent: int,
    unpublished: int = 0,
    emptied: int = 0,
) -> None:
    """Raise before a run would take away more of a book than it may (exit 11), or where there is no book (exit 5).

    `present` are the paths found, unreadable ones included, `known` those recorded or stored, `moved` the known ones
    whose content was found elsewhere. `unpublished` is the number of pages that the site does not show, `emptied` of
    those that keep so little of their words that they count as gone.
    """
    drafts = f" ({unpublished} pages there are drafts or otherwise not published)" if unpublished else ""
    if not present:
        if known:
            raise DeletionRefused(
                f"no lessons below {root}{drafts}, but {len(known)} are indexed for {book_id}; nothing was deleted. "
                "If the book is really gone, run `bookwise delete-book`"
            )
        raise SourceError(f"no .md or .mdx files below {root}{drafts}; name the folder that holds the lessons")
    gone = len(known - present - moved)
    if exceeds(gone + emptied, len(known), max_percent):
        short = f", and {emptied} keep less than a tenth of their words" if emptied else ""
        raise DeletionRefused(
            f"{gone} of {len(known)} indexed lessons are no longer below {root}{drafts}{short}; nothing was deleted. "
            f"Check the folder, or allow it with --allow-delete (setting index.max_delete is {max_percent} %)"
        )
    if gone and last_root not in (None, root):
        raise DeletionRefused(
            f"the book was last indexed from {last_root}, now from {root}, where {gone} lessons are missing; nothing "
            "was deleted. Check the folder, or allow it with --allow-delete"
        )


WORDS_KEPT = 10
"""A lesson that keeps less than one word of so many is as good as deleted: what a broken checkout or build leaves."""


def exceeds(lost: int, known: int, max_percent: int) -> bool:
    """Return whether so many lessons of those that are known are more than a run may take away."""
    return lost * 100 > max_percent * known


def refuse_spending(tokens: int, price: float | None, *, max_tokens: int | None, max_cost: float | None) -> None:
    """Raise before a run would embed more tokens, or for more dollars, than it may (exit 11).

    `price` is in dollars per million tokens; ConfigurationError where it is not known but a cost is bounded.
    """
    kept = "nothing was embedded or written. Raise the budget, or see `bookwise plan`"
    if max_tokens is not None and tokens > max_tokens:
        raise BudgetExceeded(
            f"the run would embed {tokens} tokens, the budget is {max_tokens} (--max-tokens); {kept}"
        )
    if max_cost is None or not tokens:
        return
    if price is None:
        raise ConfigurationError("--max-cost: the price of the embedding model is not known; set embedding.price")
    cost = tokens * price / 1_000_000
    if cost > max_cost:
        raise BudgetExceeded(
            f"the run would embed {tokens} tokens for ${cost:.4f}, the budget is ${max_cost:g} (--max-cost); {kept}"
        )
