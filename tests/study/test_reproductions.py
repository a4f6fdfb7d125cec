"""Published studies: their size, and that each finding says what its sweeps say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import failcast as fc
from failcast.study.reproductions.airesim import POOLS
from failcast.study.reproductions.study import MATTERS

FEW = 12


@pytest.fixture(scope="module")
def airesim() -> fc.Reproduction:
    """AIReSim's study with few replications; differences are paired, so the verdicts stand."""
    return fc.reproduce("airesim", replications=FEW, seed=11, threads=2)


def test_the_study_has_the_size_of_the_publication() -> None:
    study = fc.STUDIES["airesim"]
    published = [part for part in study.parts.values() if not part.extra]
    assert len(published) == 10
    runs = sum(
        fc.check_sweep(study.scenario(part), part.vary, replications=study.replications)
        for part in published
    )
    assert runs == 3840
    assert fc.runs_of_study("airesim") == 3840 + 450
    assert fc.runs_of_study("airesim", 1) == 128 + 15


def test_all_cells_run_also_those_that_need_their_spares(airesim: fc.Reproduction) -> None:
    for sweep in airesim.sweeps.values():
        assert not sweep.infeasible
        assert all(sweep.figures[cell.number].finished == FEW for cell in sweep.cells)
    assert airesim.sweeps["standbys"].at("32", "4112")


def test_recovery_costs_each_failure_what_it_is_longer(airesim: fc.Reproduction) -> None:
    """Training takes the work plus failures × recovery: 20 minutes more for each failure."""
    sweep = airesim.sweeps["recovery"]
    short, long = (sweep.sample(sweep.at(time, POOLS[-1])) for time in ("10 min", "30 min"))
    gap = np.mean(long.values("training_hours") - short.values("training_hours"))
    failures = np.mean([each.values("failures") for each in (short, long)])
    more = np.mean(long.values("failures") - short.values("failures"))
    assert gap == pytest.approx(failures / 3.0 + more / 3.0, rel=0.01)
    finding = next(each for each in airesim.findings if each.statement == "Recovery time matters.")
    assert finding.agrees


def test_the_findings_agree_or_differ_as_the_numbers_do(airesim: fc.Reproduction) -> None:
    verdicts = {each.statement: each.agrees for each in airesim.findings}
    assert len(verdicts) == 7
    assert [text for text, agrees in verdicts.items() if agrees is not True] == [
        "Waiting for servers from the spare pool matters.",
        "Failure rates hardly matter while the pool is generous.",
    ]
    assert airesim.answer().startswith("5 of 7 findings of AIReSim's Table 1 study agree. Not so: ")
    for name, large in (("waiting", False), ("waiting-returning", True), ("recovery", True)):
        effect = next(
            each
            for each in fc.sweep_effects(airesim.sweeps[name])
            if each.path == airesim.sweeps[name].axes[0].path
        )
        assert effect.difference.difference is not None
        assert effect.difference.base is not None
        assert (effect.difference.difference / effect.difference.base >= MATTERS) is large


def test_what_is_kept_goes_on_and_says_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = fc.reproduce("airesim", replications=2, store=tmp_path / "study", threads=2)
    names = {path.name for path in (tmp_path / "study").iterdir()}
    assert names == {*first.sweeps, "manifest.json"}
    monkeypatch.setattr("failcast.engine.executors.Task.run", None)
    again = fc.reproduce("airesim", replications=2, store=tmp_path / "study")
    assert again.to_dict() == first.to_dict()


def test_too_few_runs_leave_findings_open() -> None:
    found = fc.reproduce("airesim", replications=2, threads=2)
    verdicts = {each.statement: each.verdict for each in found.findings}
    assert verdicts["Recovery time matters."] in ("agrees", "open")
    assert "differs" not in (
        verdicts["No other parameter matters."],
        verdicts["More standbys stop paying."],
    )
    assert "Too few runs to say: " in found.answer()
    with pytest.raises(fc.RequestError, match="two replications or more"):
        fc.reproduce("airesim", replications=1)


def test_a_folder_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(fc.RequestError, match="it is not empty"):
        fc.reproduce("airesim", replications=2, store=tmp_path)
    with pytest.raises(fc.RequestError, match="it is not a folder"):
        fc.reproduce("airesim", replications=2, store=tmp_path / "thesis.txt")


def test_an_unknown_study_is_refused_with_the_nearest_name() -> None:
    with pytest.raises(fc.RequestError, match="did you mean 'airesim'"):
        fc.reproduce("airsim")
