"""Published figures of real systems that ship with the package: run for, and set beside.

On the map: a part of study, above results. The figures and their sources are `anchors.yaml`; how
each is measured in a run is in the files of checks.
"""

from __future__ import annotations

from failcast.study.validations.anchor import KINDS, Anchor, AnchorFigure, Case, anchors
from failcast.study.validations.measures import Estimate
from failcast.study.validations.validation import (
    Validated,
    Validation,
    runs_of_validation,
    validate,
)

__all__ = [
    "KINDS",
    "Anchor",
    "AnchorFigure",
    "Case",
    "Estimate",
    "Validated",
    "Validation",
    "anchors",
    "runs_of_validation",
    "validate",
]
