"""The embedders: one protocol, an embedded default, an OpenAI-compatible service, and models of two libraries."""
