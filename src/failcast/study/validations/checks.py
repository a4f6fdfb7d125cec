"""The checks of all anchors, by the names of `anchors.yaml`; a declined figure may have none.

On the map: study.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from failcast.study.validations import meta, records, table1
from failcast.study.validations.check import Check

#: Anchor -> figure -> how it is measured.
CHECKS: Final[Mapping[str, Mapping[str, Check]]] = {
    "llama3-405b": meta.LLAMA3,
    "meta-rsc-formula": meta.RESEARCH_CLUSTERS,
    "frontier-100k": meta.FRONTIER,
    "infinitehbd": records.INFINITEHBD,
    "lanl-system18": records.LANL,
    "lemon-nodes": records.LEMONS,
    "airesim-table1": table1.CHECKS,
}
