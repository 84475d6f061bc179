"""Hugo: bundles, sections that hand metadata down, patterns of addresses, shortcodes."""

_DATA = ("json", "toml", "yaml", "yml")
CONFIGS = (
    *(f"{name}.{ending}" for name in ("hugo", "config/_default/hugo", "config/_default/config") for ending in _DATA),
    *("config.toml", "config.yaml", "config.yml"),
)
BESIDE = ()
STYLES = ("hugo",)
RANK = 3
