"""bookwise beside its peers: the same folders, jobs and counting embedder, each peer in an environment of its own.

    make bench-peers                 all peers over two books
    python -m benchmarks.peers --only bookwise langchain --book otel-docs

Each peer is a script of a few lines that follows the peer's own documentation for keeping an index equal to a folder:
`sync DOCS WORK URL` makes the index in WORK equal to DOCS with the embedding service at URL, `dump WORK` prints what
is in the index as JSON lines of path and text. The driver knows nothing else of them.
"""
