"""The command line of a checkout, which is not installed: `python cli.py COMMAND`, and `from cli import app`."""

from bookwise.__main__ import main
from bookwise.command_line import app

__all__ = ["app"]

if __name__ == "__main__":
    main()
