"""No generator: the files as they are, in the repository or on its page at GitHub."""

CONFIGS = ()
BESIDE = ()
STYLES = ("plain", "github")
RANK = 0
