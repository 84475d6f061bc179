"""Bounded reading of configuration files that strangers wrote: nothing in them is run."""
