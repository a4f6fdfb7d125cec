"""The command line: one file per verb, each a thin layer over the public API.

On the map: the last stage, beside the web page. Results go to stdout, everything else to stderr.
Exit codes: 0 done, 1 a bug, or a stdout or file that cannot be written to, 2 invalid input, 10 a
goal failed, 130 interrupted, 141 reader gone (as other programs in a pipe end). Verbs are listed in
`app.py`.
"""

from __future__ import annotations

from failcast.cli.app import app, main

__all__ = ["app", "main"]
