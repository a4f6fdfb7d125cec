"""`failcast reproduce`: what it prints, on which stream, with which exit code."""

from __future__ import annotations

import json

from tests.cli.test_run import failcast

import failcast as fc


def test_findings_effects_and_what_ran() -> None:
    result = failcast("reproduce", "airesim", "--replications", "3", "--quiet")
    assert (result.exit_code, result.stderr) == (0, "")
    answer, findings, effects, ran = result.stdout.strip().split("\n\n")
    found = fc.reproduce("airesim", replications=3, threads=2)
    assert " ".join(answer.split()) == found.answer()
    text = " ".join(findings.split())
    for finding in found.findings:
        assert f"{finding.verdict}: {finding.statement} {finding.numbers}" in text
    head, *rows = effects.splitlines()
    assert head.split() == [
        "parameter",
        "value",
        "instead",
        "of",
        "training_hours",
        "interval",
        "share",
    ]
    assert [row.split()[0] for row in rows] == [
        each.axes[0].path for each in found.published.values()
    ]
    assert ran.startswith("384 runs of the study and 45 more, from seed 1: ")


def test_json_holds_findings_and_sweeps() -> None:
    result = failcast("reproduce", "airesim", "--replications", "2", "--json", "--quiet")
    document = json.loads(result.stdout)
    assert document["schema"] == "failcast.reproduce/1"
    assert len(document["findings"]) == 7
    assert len(document["sweeps"]["standbys"]["cells"]) == 16


def test_an_unknown_study_is_refused() -> None:
    result = failcast("reproduce", "airsim")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr == "Error: unknown study 'airsim': did you mean 'airesim'?\n"
