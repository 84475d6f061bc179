"""Read pages as JSON from standard input, and write the metadata and the body that MkDocs reads of each."""

import json
import sys

from mkdocs.utils.meta import get_data

pages = [page.removeprefix("\ufeff").replace("\r\n", "\n") for page in json.load(sys.stdin)]
read = []
for page in pages:
    body, data = get_data(page)
    read.append((data, body))
json.dump(read, sys.stdout, default=str)
