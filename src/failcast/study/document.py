"""The document of several comparisons with one base, ready for JSON.

On the map: study, beside comparison.py. Its manifest is that of the base sample; each comparison
holds its other scenario in full, with its hash.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from failcast.results import InputFile, RequestError
from failcast.results.manifest import manifest
from failcast.scenario import measured_files, to_dict
from failcast.study.comparison import Comparison

SCHEMA = "failcast.compare/1"


def comparison_document(
    comparisons: Sequence[Comparison],
    *,
    argv: Sequence[str] | None = None,
    created: str | None = None,
    inputs: Sequence[InputFile] = (),
    by: Sequence[float] = (),
) -> dict[str, Any]:
    """The document that `failcast compare --json` prints; strict JSON, None for what is not known.

    `argv`, `created` (a UTC timestamp) and `inputs` go to the manifest, which is that of the base;
    files of measured values of all scenarios are among its inputs. `by` are the hours of
    `finished_by`. Raises RequestError unless all comparisons have the same base sample.
    """
    if not comparisons or any(each.base is not comparisons[0].base for each in comparisons):
        raise RequestError("a document of comparisons needs one or more with the same base sample.")
    base = comparisons[0].base
    measured = [
        InputFile(file.path, file.sha256)
        for sample in (base, *(each.other for each in comparisons))
        for file in measured_files(sample.scenario)
    ]
    files = list(dict.fromkeys((*inputs, *measured)))
    return {
        "schema": SCHEMA,
        "manifest": manifest(base, argv=argv, created=created, inputs=files),
        "interrupted": any(each.interrupted for each in comparisons),
        "base": {
            "name": base.scenario.name,
            "scenario": to_dict(base.scenario_as_run()),
            "status": base.status_counts(),
        },
        "comparisons": [each.to_dict(by) for each in comparisons],
    }
