"""`python -m failcast` is the command line, for where the script is not on the path."""

from __future__ import annotations

from failcast.cli import main

if __name__ == "__main__":
    main()
