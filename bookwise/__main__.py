"""Start the program: the installed command `bookwise` and `python -P -m bookwise` begin here."""

import os
import sys

from bookwise.shadowed import other_package

REFUSED = 4
"""`ExitCode.CONFIGURATION`, before anything of ours is imported."""


def main() -> None:
    """Run the command that the arguments name; exits 4 where another package stands in place of one of ours."""
    # `python -m` has put the current folder first on the path, and that may be a book which a stranger wrote.
    for name in ("ingestion", "rag"):
        if (other := other_package(name)) is not None:
            os.write(
                2,
                f"error: {other} stands in place of bookwise's own package `{name}`, so bookwise does not start\n"
                "hint: run the installed command `bookwise`, or `python -P -m bookwise`; rename it where it lies on "
                "PYTHONPATH\n".encode(errors="backslashreplace"),
            )
            sys.exit(REFUSED)
    from ingestion.interpreters import leave_out_current_folder

    leave_out_current_folder()
    from bookwise.command_line import app

    app()


if __name__ == "__main__":
    main()
