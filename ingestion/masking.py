"""Replace passwords and keys in text that a person, a log or another program will read."""

from __future__ import annotations

import re

HIDDEN = "***"

# A port may follow the colon too, so digits that end as one are no password. A password may hold any mark, also an
# unescaped `@`, so the last `@` before the next address ends it.
_PASSWORD = re.compile(r"(?<=://)([^\s/?#@:\[]*):(?!\d{1,5}(?:[/?#\s]|$))(?:(?!://)\S)+(?=@)")
_TOKEN = re.compile(r"(?:(?<=http://)|(?<=https://))[^\s/?#@:]+(?=@)")
_BARE = re.compile(r"(?<![\w/:.])(?!mailto:)([\w.+-]{1,64}):[^\s/@:]{1,256}@(?=[\w.\[-]+:\d)")
_NAME = r"[\w.-]{0,40}(?:key|token|secret|passw(?:or)?d|passphrase|pwd|signature|credential|auth|sig)[\w.-]{0,20}"
_PARAMETER = re.compile(rf"(?<=[?&;])({_NAME}=)[^\s&#;\"'<>]+", re.IGNORECASE)
_KEYWORD = re.compile(r"\b(password\s?=\s?)('(?:[^'\\]|\\.)*'|[^\s'\"]+)", re.IGNORECASE)
_HEADER = re.compile(
    r"\b((?:authorization|api-key)[\"']?\s{0,4}[:=]\s{0,4}[\"']?(?:bearer\s|basic\s)?)[\w.~+/-]{8,}=*", re.IGNORECASE
)
_OPENAI_KEY = re.compile(r"\bsk-[\w-]{16,}")


def masked(text: str) -> str:
    """Return the text with every password and key that its form gives away replaced by `***`.

    That is what stands before the `@` of an address, a parameter such as `?api_key=`, the `password=` of a database,
    an Authorization header, and a key of OpenAI's.
    """
    text = _PASSWORD.sub(rf"\1:{HIDDEN}", text)
    text = _TOKEN.sub(HIDDEN, text)
    text = _BARE.sub(rf"\1:{HIDDEN}@", text)
    text = _PARAMETER.sub(rf"\1{HIDDEN}", text)
    text = _KEYWORD.sub(rf"\1{HIDDEN}", text)
    text = _HEADER.sub(rf"\1{HIDDEN}", text)
    return _OPENAI_KEY.sub(f"sk-{HIDDEN}", text)
