"""The changes of the schema, one file each, applied in order."""
