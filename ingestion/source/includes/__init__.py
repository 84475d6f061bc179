"""Read the files that a page includes, at the place of the include, as the generator of its site does."""
