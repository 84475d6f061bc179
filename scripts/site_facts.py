"""Write what readers see of a built site as JSON, page by page: the facts that tests compare an index with.

python -m scripts.site_facts SITE > built.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from ingestion.source.built_site.folder import BuiltSite


def facts_of(site: BuiltSite) -> dict[str, dict[str, Any]]:
    """Return title, ids with the headings behind them, and visible texts of each page."""
    pages = ((key, site.page(key)) for key in site.keys)
    return {
        key: {
            "title": page.title,
            "h1": page.h1,
            "redirect": bool(page.redirect),
            "ids": {name: page.names.get(name, "") for name in sorted(page.ids)},
            "blocks": [" ".join(block.split()) for block in page.blocks],
        }
        for key, page in pages
    }


def main() -> None:
    """Write the facts of the site that the command line names."""
    if len(sys.argv) != 2 or not Path(sys.argv[1]).is_dir():
        raise SystemExit("usage: python -m scripts.site_facts FOLDER_OF_THE_BUILT_SITE")
    json.dump(facts_of(BuiltSite(Path(sys.argv[1]).resolve())), sys.stdout, ensure_ascii=False, indent=1)


if __name__ == "__main__":
    main()
