"""What cannot be run is refused in a sentence, the same one for a sample and for a trace."""

from __future__ import annotations

import json
from collections.abc import Callable

import numpy as np
import pytest

import failcast as fc

DAY = fc.load("small").with_(job__length=24.0)

#: What neither a sample nor a trace can be made with, and what is said of it.
REFUSED: tuple[tuple[dict[str, object], str], ...] = (
    ({"seed": -1}, "seed must be a whole number from 0 to 9,223,372,036,854,775,807; got -1."),
    ({"seed": 2**63}, "seed must be a whole number from 0 to 9,223,372,036,854,775,807;"),
    ({"seed": 10**5000}, "; got a number of thousands of digits."),
    ({"seed": 1.5}, "seed must be a whole number"),
    ({"seed": True}, "seed must be a whole number"),
    ({"seed": np.bool_(True)}, "seed must be a whole number"),
    ({"seed": "1"}, "seed must be a whole number"),
    ({"engine": "kernal"}, "unknown engine 'kernal': did you mean 'kernel'?"),
    ({"policies": 5, "engine": "reference"}, "policies must be a subclass of Policies; got 5."),
    ({"policies": 5}, "policies must be a subclass of Policies; got 5."),
    ({"policies": int, "engine": "reference"}, "policies must be a subclass of Policies; got"),
    ({"policies": fc.Policies}, "policies=Policies is Python code and the kernel is compiled"),
)
OF_A_SAMPLE: tuple[tuple[dict[str, object], str], ...] = (
    ({"replications": 0}, "replications must be a whole number from 1 to 10,000,000; got 0."),
    ({"replications": 2.5}, "replications must be a whole number"),
    ({"replications": True}, "replications must be a whole number"),
    ({"threads": 257}, "threads must be a whole number from 1 to 256; got 257."),
    ({"on_progress": 5}, "on_progress must be a function of one number; got 5."),
    ({"on_estimate": 5}, "on_estimate must be a function of one number; got 5."),
    ({"precision": 0}, "precision is 0, but it must be above 0 and below 100 %, such as '1 %' or"),
    ({"precision": -0.01}, "precision is -0.01, but it must be above 0 and below 100 %"),
    ({"precision": 1.0}, "precision is 1.0, but it must be above 0 and below 100 %"),
    ({"precision": "100%"}, "precision is '100%', but it must be above 0 and below 100 %"),
    ({"precision": "off"}, "precision is 'off', but it must be above 0 and below 100 %"),
    ({"precision": float("nan")}, "precision is nan, but it must be above 0 and below 100 %"),
    ({"precision": True}, "precision is true, but it must be above 0 and below 100 %"),
    ({"precision": 0.1, "replications": 5}, "replications and precision exclude each other: "),
    ({"precision": 0.1, "precision_of": "etr"}, "unknown metric 'etr': did you mean 'ettr'?"),
    ({"precision": 0.1, "precision_of": "mtbf_hours"}, "'mtbf_hours', but that is no mean over"),
    ({"precision": 0.1, "precision_of": "finished"}, "'finished', but that is no mean over runs:"),
    ({"precision": 0.1, "precision_of": 5}, "unknown metric 5: known are: training_hours"),
    (
        {"precision": 0.1, "min_replications": 1},
        "min_replications must be a whole number from 2 to 10,000,000; got 1.",
    ),
    (
        {"precision": 0.1, "max_replications": 2.5},
        "max_replications must be a whole number from 2 to 10,000,000; got 2.5.",
    ),
    (
        {"precision": 0.1, "min_replications": 500, "max_replications": 400},
        "min_replications (500) is above max_replications (400).",
    ),
    ({"precision_of": "ettr"}, "precision_of has no effect without precision: give that, too."),
    ({"min_replications": 5}, "min_replications has no effect without precision"),
    ({"max_replications": 5, "replications": 5}, "max_replications has no effect without"),
)
BEYOND_THE_CHECK = {"policies", "on_progress", "on_estimate"}
OF_A_TRACE: tuple[tuple[dict[str, object], str], ...] = (
    ({"replication": -1}, "replication must be a whole number from 0 to 4,294,967,295; got -1."),
    ({"replication": 2**32}, "replication must be a whole number from 0 to 4,294,967,295;"),
    ({"replication": True}, "replication must be a whole number"),
)


def refusal(call: Callable[..., object], *arguments: object, **options: object) -> str:
    """What a call is refused with."""
    with pytest.raises(fc.RequestError) as caught:
        call(*arguments, **options)
    return str(caught.value)


@pytest.mark.parametrize(("request_", "sentence"), REFUSED + OF_A_SAMPLE)
def test_a_sample_that_cannot_be_made_is_told_in_a_sentence(
    request_: dict[str, object], sentence: str
) -> None:
    assert sentence in refusal(fc.simulate, DAY, **request_)


@pytest.mark.parametrize(("request_", "sentence"), REFUSED + OF_A_TRACE)
def test_a_trace_that_cannot_be_made_is_told_in_the_same_sentences(
    request_: dict[str, object], sentence: str
) -> None:
    assert sentence in refusal(fc.trace, DAY, **({"seed": 1} | request_))


@pytest.mark.parametrize("call", [fc.simulate, fc.trace])
@pytest.mark.parametrize("scenario", ["small", {"job": {}}, None])
def test_what_is_no_scenario_is_told_in_a_sentence(
    call: Callable[..., object], scenario: object
) -> None:
    sentence = f"scenario must be a Scenario, such as load('small') returns; got {scenario!r}."
    assert refusal(call, scenario, seed=1) == sentence


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.int32])
def test_whole_numbers_of_numpy_are_whole_numbers(kind: Callable[[int], int]) -> None:
    document = fc.simulate(DAY, seed=kind(3), replications=kind(2), threads=kind(1)).to_dict()
    assert document == fc.simulate(DAY, seed=3, replications=2, threads=1).to_dict()
    assert json.loads(json.dumps(document)) == document
    ours = fc.trace(DAY, seed=kind(3), replication=kind(1))
    theirs = fc.trace(DAY, seed=3, replication=1)
    assert list(ours.rows()) == list(theirs.rows())


def test_the_highest_replication_can_be_traced() -> None:
    assert fc.trace(DAY, seed=1, replication=2**32 - 1).status == fc.Status.FINISHED


@pytest.mark.parametrize("field", ["seed", "replications"])
def test_the_limits_are_those_of_the_scenario(field: str) -> None:
    with pytest.raises(fc.ScenarioError) as caught:
        fc.Run(**{field: -1})  # type: ignore[arg-type] # a name that mypy cannot see
    limits = refusal(fc.simulate, DAY, **{field: -1}).partition(" from ")[2].partition(";")[0]
    assert f"from {limits}" in str(caught.value)


def test_a_sample_says_how_many_threads_were_used() -> None:
    assert fc.simulate(DAY, replications=3, threads=8).threads == 3
    assert fc.simulate(DAY, replications=3, threads=2).threads == 2
    assert fc.simulate(DAY, replications=3, threads=2, engine="reference").threads == 1


def test_an_error_of_a_users_own_policy_stays_what_it_is() -> None:
    class Broken(fc.Policies):
        """Cannot choose."""

        def select(self, *_: object, **__: object) -> tuple[list[int], list[int]]:
            """Fail, as a user's code may."""
            raise ValueError("mine")

    with pytest.raises(ValueError, match=r"^mine$") as caught:
        fc.simulate(DAY, replications=1, engine="reference", policies=Broken)
    assert not isinstance(caught.value, fc.RequestError)


@pytest.mark.parametrize(
    ("request_", "sentence"),
    [pair for pair in REFUSED + OF_A_SAMPLE if not pair[0].keys() & BEYOND_THE_CHECK],
)
def test_the_check_before_a_sample_says_the_same(
    request_: dict[str, object], sentence: str
) -> None:
    assert sentence in refusal(fc.check_request, DAY, **request_)


def test_the_check_tells_how_many_replications_there_will_be() -> None:
    assert fc.check_request(DAY) == (200, 200)
    assert fc.check_request(DAY, replications=7) == (7, 7)
    assert fc.check_request(DAY, precision="1 %") == (200, 100_000)
    assert fc.check_request(DAY, precision=0.01, max_replications=50) == (50, 50)
    ours = DAY.with_(run__precision=0.1, run__min_replications=5, run__max_replications=9)
    assert fc.check_request(ours) == (5, 9)
    assert fc.check_request(ours, min_replications=6) == (6, 9)
    assert fc.check_request(ours, replications=7) == (7, 7)
