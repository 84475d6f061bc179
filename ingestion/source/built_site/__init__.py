"""A site as its generator built it: what it publishes of a book, at which addresses, under which ids."""
