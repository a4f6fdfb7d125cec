"""The one error of results: a request that cannot be met, told in a sentence.

    ValueError
      RequestError      a replication count, seed, metric name or file that cannot be used

A wrong scenario raises ScenarioError instead (see failcast.scenario).
"""

from __future__ import annotations

import difflib
from collections.abc import Sequence


class RequestError(ValueError):
    """A request that cannot be met. Its text names what was wrong and what would be right."""


def unknown_name(kind: str, name: object, known: Sequence[str]) -> RequestError:
    """The error for a name that is not among the known ones, with the nearest right name."""
    near = difflib.get_close_matches(str(name).lower(), known, n=1, cutoff=0.5)
    hint = f"did you mean {near[0]!r}?" if near else f"known are: {', '.join(known)}."
    return RequestError(f"unknown {kind} {name!r}: {hint}")
