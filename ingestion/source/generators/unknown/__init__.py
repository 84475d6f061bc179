"""No generator found: the addresses of Docusaurus, which most course books are built by, and everybody's includes."""

CONFIGS = ()
STYLES = ()
RANK = 0
