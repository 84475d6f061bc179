"""Put Mermaid into the package, so that a wheel built afterwards draws the diagrams of passages.

    python -m scripts.mermaid

The pinned version comes from npm through its client and is checked against its published hash. Without it the wheel
is built all
the same, and diagrams stay code.
"""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

VERSION = "12.3.0"
INTEGRITY = "4113TdXeLAsMruJ79OpFL5O8+LTFXhQqZ260rF3tgUmiNAtRm4Uume04I+65PRN6yZ69J4f8rVYWW8zRk65UYw=="
"""SHA-512 of the package, as npm publishes it."""

FOLDER = Path(__file__).parent.parent / "rag" / "api" / "mermaid"
FILES = {"package/dist/mermaid.min.js": "mermaid.min.js", "package/LICENSE": "LICENSE"}


def fetch(folder: Path = FOLDER) -> int:
    """Write the script and its licence; returns the script's bytes. Raises OSError or CalledProcessError."""
    with tempfile.TemporaryDirectory() as name:
        subprocess.run(
            ["npm", "pack", "--silent", f"mermaid@{VERSION}"],
            cwd=name,
            check=True,
            timeout=300,
            stdout=subprocess.DEVNULL,
        )
        package = Path(name) / f"mermaid-{VERSION}.tgz"
        content = package.read_bytes()
        if base64.b64encode(hashlib.sha512(content).digest()).decode() != INTEGRITY:
            raise OSError(f"{package.name} is not what was pinned: its hash differs")
        with tarfile.open(package) as archive:
            for path, file in FILES.items():
                found = archive.extractfile(path)
                assert found
                (folder / file).write_bytes(found.read())
    return (folder / "mermaid.min.js").stat().st_size


def main() -> int:
    """Fetch it, and tell its size."""
    try:
        size = fetch()
    except (OSError, subprocess.SubprocessError) as error:
        print(f"diagrams stay code, Mermaid {VERSION} could not be fetched: {error}", file=sys.stderr)
        return 1
    print(f"Mermaid {VERSION}: {size:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
