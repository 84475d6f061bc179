"""The vector store: one protocol, two adapters (embedded engine, Qdrant server)."""
