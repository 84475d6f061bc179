"""Embedders: one protocol; the embedded default, an OpenAI-compatible service, and the models of two libraries."""
