"""The console script, and `python -m failcast` where it is not on the path.

Ctrl-C is heeded before the command line and its libraries are loaded.
"""

from __future__ import annotations

from typing import NoReturn

from failcast import interrupts


def main() -> NoReturn:
    """Run the command line and exit with its code."""
    interrupts.heed()
    from failcast.cli import main as run_command_line

    run_command_line()


if __name__ == "__main__":
    main()
