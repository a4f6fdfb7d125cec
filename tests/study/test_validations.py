"""Published figures beside the model: the data are whole, verdicts are right, closed forms hold."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy import stats
from tests.results.test_notebook import shown
from tests.theory.numbers import assert_close, standard_error

import failcast as fc
from failcast.engine.model import EVENT_NAMES
from failcast.scenario.scenario import place_of
from failcast.study.validations import KINDS, Estimate, formulas, validation
from failcast.study.validations.checks import CHECKS
from failcast.study.validations.measures import Simulated, repair_hours

ANCHORS = fc.anchors()
FIGURES = [(anchor, figure) for anchor in ANCHORS.values() for figure in anchor.figures]


def name_of(value: object) -> str:
    return str(getattr(value, "name", value))


# --- the data --------------------------------------------------------------------------------


@pytest.mark.parametrize(("anchor", "figure"), FIGURES, ids=name_of)
def test_every_figure_says_what_it_is_worth(anchor: fc.Anchor, figure: fc.AnchorFigure) -> None:
    assert figure.kind in KINDS
    check = CHECKS[anchor.name].get(figure.name)
    if figure.kind == "declined":
        assert figure.reason
        assert not figure.reason.endswith(".")
        return
    assert check is not None
    assert check.measure is not None
    assert figure.tolerance
    assert figure.low is not None or figure.high is not None
    if figure.measured is not None:
        least = -math.inf if figure.low is None else figure.low
        most = math.inf if figure.high is None else figure.high
        assert least <= figure.measured <= most
    assert (figure.kind == "calibrated") == bool(figure.sets)
    if figure.sets:
        place_of(figure.sets)


@pytest.mark.parametrize("anchor", ANCHORS.values(), ids=name_of)
def test_every_anchor_has_sources_scenarios_that_load_and_checks_of_its_own(
    anchor: fc.Anchor,
) -> None:
    assert anchor.source
    assert anchor.title
    names = {figure.name for figure in anchor.figures}
    assert len(names) == len(anchor.figures)
    checks = CHECKS[anchor.name]
    assert set(checks) <= names
    assert {check.case for check in checks.values()} == set(anchor.cases)
    for case in anchor.cases.values():
        assert case.scenario()
        assert case.replications >= 2
    for check in checks.values():
        assert (check.closed_form is None) == (not check.formula)


# --- verdicts --------------------------------------------------------------------------------


def line(low: float | None, high: float | None, found: Estimate | None) -> fc.Validated:
    figure = fc.AnchorFigure("ettr", "ETTR", "emergent", 0.9, low, high)
    return fc.Validated("here", figure, found)


@pytest.mark.parametrize(
    ("low", "high", "found", "verdict"),
    [
        (0.8, 1.0, Estimate(0.9, 0.85, 0.95), "agrees"),
        (0.8, 1.0, Estimate(0.9, 0.75, 1.05), "open"),
        (0.8, 1.0, Estimate(0.7, 0.65, 0.75), "differs"),
        (0.8, 1.0, Estimate(1.2, 1.05, 1.35), "differs"),
        (0.8, 1.0, Estimate(0.81, 0.79, 0.83), "open"),
        (0.8, None, Estimate(2.0, 1.9, 2.1), "agrees"),
        (None, 1.0, Estimate(2.0, 1.9, 2.1), "differs"),
        (0.8, 1.0, Estimate(0.9, None, None), "agrees"),
        (0.8, 1.0, None, "open"),
    ],
)
def test_the_whole_interval_has_to_lie_within_the_tolerance(
    low: float | None, high: float | None, found: Estimate | None, verdict: str
) -> None:
    assert line(low, high, found).verdict == verdict


def test_a_declined_figure_has_no_verdict_whatever_comes_out() -> None:
    figure = fc.AnchorFigure("x", "x", "declined", 1.0, reason="because")
    for found in (None, Estimate(1.0, 0.9, 1.1), Estimate(9.0, 8.9, 9.1)):
        assert fc.Validated("here", figure, found).verdict == "declined"


@pytest.fixture(scope="module")
def found() -> fc.Validation:
    """Two anchors that take no time."""
    return fc.validate("infinitehbd", "lanl-system18", replications=20, threads=2)


def test_the_answer_counts_by_class_and_names_what_differs(found: fc.Validation) -> None:
    assert found.passed
    assert found.answer() == (
        "12 of 12 published figures agree (6 calibrated, 4 emergent, 2 sanity). "
        "6 more are declined, with their reasons."
    )
    odd = found.lines[0], replace(found.lines[1], simulated=Estimate(9.0, 8.0, 10.0))
    other = fc.Validation(odd, found.samples, found.seed)
    assert not other.passed
    assert other.answer().startswith("1 of 2 published figures agree (1 calibrated). Not so: ")
    assert "Not so: repair_mean of infinitehbd." in other.answer()


@pytest.fixture(scope="module")
def found_of_meta() -> fc.Validation:
    """The anchor of Meta's formula."""
    return fc.validate("meta-rsc-formula", threads=2)


def mutated(monkeypatch: pytest.MonkeyPatch, anchor: str, case: str, *changes: str) -> None:
    """Change the scenario of an anchor on purpose."""
    whole = ANCHORS[anchor]
    before = whole.cases[case]
    paths = {text.partition("=")[0] for text in changes}
    kept = tuple(text for text in before.changes if text.partition("=")[0] not in paths)
    cases = {**whole.cases, case: replace(before, changes=kept + changes)}
    wrong = {**ANCHORS, anchor: replace(whole, cases=cases)}
    monkeypatch.setattr(validation, "anchors", lambda: wrong)


@pytest.mark.parametrize(
    ("anchor", "case", "change", "red"),
    [
        (
            "llama3-405b",
            "job",
            "failures.random.rate=4.5e-3/d",
            {"interruptions", "between_failures"},
        ),
        ("llama3-405b", "job", "recovery.restart=15 min", {"ettr"}),
        ("llama3-405b", "job", "checkpoint.write=1 min", {"ettr"}),
        ("llama3-405b", "job", "diagnosis.probability=0.9", {"one_server"}),
        ("meta-rsc-formula", "16k-60min", "checkpoint.interval=90 min", {"ettr_16k_60min"}),
        ("meta-rsc-formula", "16k-5min", "recovery.restart=20 min", {"ettr_16k_5min"}),
        ("meta-rsc-formula", "8k-30min", "recovery.restart=25 min", {"ettr_8k_30min"}),
        ("frontier-100k", "job", "failures.random.rate=8e-3/d", {"between_failures"}),
        ("infinitehbd", "fleet", "failures.random.rate=5.5e-3/d", {"faults", "down_mean"}),
        (
            "infinitehbd",
            "fleet",
            "repair.automated.time=exponential(mean=136.5 h)",
            {"repair_median", "repair_sd", "repair_p99"},
        ),
        (
            "infinitehbd",
            "fleet",
            "repair.automated.time=lognormal(median=22.4 h, sigma=1.9)",
            {"repair_sd"},
        ),
        (
            "lanl-system18",
            "system18",
            "repair.automated.time=weibull(mean=2.99 h, shape=0.8)",
            {"repair_median", "repair_p99"},
        ),
        ("airesim-table1", "table1", "recovery.time=21 min", {"training_hours", "ettr"}),
        ("airesim-table1", "table1", "failures.random.rate=0.0102/d", {"failures_random"}),
        (
            "airesim-table1",
            "table1",
            "failures.systematic.multiplier=8",
            {"failures_systematic"},
        ),
    ],
)
def test_a_wrong_model_is_found_out(
    monkeypatch: pytest.MonkeyPatch, anchor: str, case: str, change: str, red: set[str]
) -> None:
    mutated(monkeypatch, anchor, case, change)
    # A closed form is of one family of repairs; these runs are about what is simulated.
    checks = {name: replace(c, closed_form=None) for name, c in CHECKS[anchor].items()}
    monkeypatch.setattr(validation, "CHECKS", {**CHECKS, anchor: checks})
    lines = fc.validate(anchor, replications=40, threads=2).of(anchor)
    assert red <= {each.figure.name for each in lines if each.verdict == "differs"}


# --- what a validation gives -----------------------------------------------------------------


def test_the_document_holds_sources_scenarios_and_numbers(found: fc.Validation) -> None:
    document = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    assert document["schema"] == "failcast.validate/1"
    assert document["passed"] is True
    first, _ = document["anchors"]
    assert first["source"] == ANCHORS["infinitehbd"].source
    assert first["scenarios"]["fleet"]["preset"] == "small"
    assert first["scenarios"]["fleet"]["replications"] == 20
    faults = first["figures"][0]
    assert faults["class"] == "calibrated"
    assert faults["measured"] == 568
    assert faults["simulated"]["low"] < faults["simulated"]["value"] < faults["simulated"]["high"]
    assert faults["closed_form"] == pytest.approx(568, rel=1e-3)
    assert faults["verdict"] == "agrees"


def test_the_table_has_a_row_for_each_figure(found: fc.Validation) -> None:
    frame = found.table()
    assert frame.height == len(found.lines) == 18
    assert frame["verdict"].to_list() == [each.verdict for each in found.lines]
    assert frame["simulated"].to_list()[-1] is None


def test_a_folder_holds_the_document_and_the_table(found: fc.Validation, tmp_path: Path) -> None:
    place = found.write(tmp_path / "out")
    assert {each.name for each in place.iterdir()} == {
        "result.json",
        "figures.csv",
        "manifest.json",
    }
    assert json.loads((place / "result.json").read_text()) == found.to_dict()
    manifest = json.loads((place / "manifest.json").read_text())
    assert (manifest["schema"], manifest["passed"]) == ("failcast.validate/1", True)
    assert set(manifest["files"]) == {"result.json", "figures.csv"}
    found.write(place)
    with pytest.raises(fc.RequestError, match="of another kind \\(validate\\)"):
        fc.write_folder(next(iter(found.samples.values())), place)


def test_a_notebook_shows_the_answer_a_table_for_each_anchor_and_the_reasons(
    found: fc.Validation,
) -> None:
    page = shown(found)
    assert page.text.startswith(found.answer())
    assert len(page.rows) == 2 + len(found.lines)
    assert "faults come in bursts" in page.text
    assert ANCHORS["lanl-system18"].source in page.text


def test_lines_are_found_by_name(found: fc.Validation) -> None:
    assert found.line("infinitehbd", "faults") == found.lines[0]
    with pytest.raises(fc.RequestError, match="unknown figure 'fault': did you mean 'faults'"):
        found.line("infinitehbd", "fault")
    with pytest.raises(fc.RequestError, match="unknown anchor 'lanl'"):
        found.of("lanl")


def test_what_cannot_be_validated_is_refused() -> None:
    with pytest.raises(fc.RequestError, match="did you mean 'infinitehbd'"):
        fc.validate("infinitehdb")
    with pytest.raises(fc.RequestError, match="two replications or more"):
        fc.validate("infinitehbd", replications=1)
    assert fc.runs_of_validation("infinitehbd", "infinitehbd") == 40
    assert fc.runs_of_validation(replications=2) == 2 * sum(len(a.cases) for a in ANCHORS.values())


# --- measures and closed forms ---------------------------------------------------------------


def test_repairs_are_timed_from_the_blame_to_the_last_stage() -> None:
    events = [
        (1.0, "blame", 3, 1),
        (2.0, "blame", 4, 1),
        (4.0, "automated_repair_end", 3, 1),
        (5.0, "automated_repair_end", 4, 2),
        (9.0, "manual_repair_end", 4, 0),
        (9.5, "blame", 3, 1),
    ]
    assert {event for _, event, _, _ in events} <= set(EVENT_NAMES)
    assert repair_hours(events).tolist() == [3.0, 7.0]  # type: ignore[arg-type]


def test_traces_are_the_first_runs_of_the_sample() -> None:
    scenario = ANCHORS["lanl-system18"].cases["system18"].scenario().with_(job__length="20 d")
    sample = fc.simulate(scenario, replications=3, seed=5)
    found = Simulated(sample)
    ended = [int(n) for n in sample.values("repairs_automated")]
    assert [hours.size for hours in found.repairs] == ended


@pytest.mark.parametrize("mean", [0.4, 9.3, 40.0])
@pytest.mark.parametrize("q", [0.5, 0.99])
def test_quantiles_of_poisson_numbers(mean: float, q: float) -> None:
    assert formulas.poisson_quantile(mean, q) == stats.poisson.ppf(q, mean)


def test_quantiles_and_deviation_of_repairs() -> None:
    weibull = fc.Weibull(mean=136.5, shape=0.438)
    theirs = stats.weibull_min(0.438, scale=136.5 / math.gamma(1.0 + 1.0 / 0.438))
    lognormal = stats.lognorm(1.503, scale=0.967)
    for q in (0.1, 0.5, 0.99):
        assert formulas.quantile(weibull, q) == pytest.approx(theirs.ppf(q))
        given = fc.Lognormal(median=0.967, sigma=1.503)
        assert formulas.quantile(given, q) == pytest.approx(lognormal.ppf(q))
    assert formulas.standard_deviation(weibull) == pytest.approx(theirs.std())
    for refused in (formulas.quantile, formulas.standard_deviation):
        with pytest.raises(TypeError, match="no closed form"):
            refused(fc.Exponential(mean=1.0), *([0.5] if refused is formulas.quantile else []))


def test_jobs_that_draw_lemons_fail_as_often_as_their_number_says() -> None:
    exposure, multiplier = 6.378e-4, 242.0
    k = np.arange(25)
    share = stats.hypergeom(2000, 24, 64).pmf(k)
    expected = 1.0 - float(np.sum(share * np.exp(-exposure * (64 + multiplier * k))))
    given = {"servers": 64, "pool": 2000, "defective": 24, "multiplier": multiplier}
    assert formulas.jobs_that_fail(exposure, **given) == pytest.approx(expected)
    none = formulas.jobs_that_fail(exposure, servers=64, pool=2000, defective=0, multiplier=5.0)
    assert none == pytest.approx(-math.expm1(-64 * exposure))


def test_metas_formula_is_the_exact_one_to_first_order() -> None:
    for rate in (1e-3, 1e-2):
        given = {"write": 0.01, "restart": 0.1}
        near = formulas.expected_ettr(rate, 0.5, **given)
        exact = formulas.exact_ettr(rate, 0.5, **given)
        assert near == pytest.approx(exact, abs=2.0 * rate**2 + 0.02 * rate)
    assert formulas.exact_ettr(0.0, 0.5, write=0.01, restart=0.1) == pytest.approx(0.5 / 0.51)


def test_a_job_that_saves_its_work_makes_the_exact_progress(found_of_meta: fc.Validation) -> None:
    """The simulation stands on the exact form, not on the one of first order."""
    for name in ("16k-60min", "16k-5min", "8k-30min", "rsc2"):
        scenario = ANCHORS["meta-rsc-formula"].cases[name].scenario()
        rate = scenario.job.servers * scenario.failures.random.rate
        exact = formulas.exact_ettr(
            rate,
            float(scenario.checkpoint.interval),
            write=0.0,
            restart=scenario.recovery.mean_hours,
        )
        ettr = found_of_meta.samples["meta-rsc-formula", name].values("ettr")
        # The job's first segment needs no recovery, and its last is shorter than the others.
        assert_close(float(ettr.mean()), exact, standard_error(ettr) + 0.0005, name)


def test_youngs_interval_is_the_best_of_metas_formula() -> None:
    rate, write = 0.3, 1.0 / 360.0
    best = formulas.best_interval(rate, write)
    ettrs = [
        formulas.exact_ettr(rate, best * factor, write=write, restart=0.1)
        for factor in (0.7, 0.98, 1.4)
    ]
    assert ettrs[1] == max(ettrs)


def test_a_fault_that_strikes_at_random_hits_some_servers_twice() -> None:
    assert formulas.servers_hit(400, 568.0) == pytest.approx(400 * (1 - math.exp(-1.42)))
    assert formulas.servers_hit(400, 1e-9) == pytest.approx(1e-9)
