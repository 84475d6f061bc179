"""No generator found: the addresses of Docusaurus, which most course books are built by, and everybody's includes."""

CONFIGS = ()
BESIDE = ()
STYLES = ()
RANK = 0
