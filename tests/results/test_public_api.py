"""The public names: each resolves, and an unknown one is refused as Python does."""

from __future__ import annotations

import pytest

import failcast as fc


def test_every_public_name_resolves_and_is_listed() -> None:
    assert all(getattr(fc, name) is not None for name in fc.__all__)
    assert sorted(fc.__all__) == dir(fc)
    assert len(set(fc.__all__)) == len(fc.__all__)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match=r"module 'failcast' has no attribute 'simulat'"):
        _ = fc.simulat
