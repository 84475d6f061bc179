"""No generator: the files as they are, in the repository or on its page at GitHub."""

CONFIGS = ()
STYLES = ("plain", "github")
RANK = 0
