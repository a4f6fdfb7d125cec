"""Chance has an address: the only source of randomness in the package.

``draw(seed, replication, stream, entity, n)`` is a hash, with no state and no order. So common
random numbers between scenarios, results that do not depend on threads, the replay of a single
failure, and two engines that can be compared event by event all come for free.

The hash is the finaliser of SplitMix64 (Steele, Lea, Flood 2014, with the constants of Stafford's
variant 13). A replication is a root; ``(entity, n)`` is a place in the root's sequence; a stream
is a slot at that place. A sampler that needs more bits re-mixes inside its own slot, so that no
stream shifts another.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from failcast.engine.compiled import bare, code
from failcast.scenario.distributions import (
    CONSTANT,
    EXPONENTIAL,
    UNIFORM,
    WEIBULL,
)

# The streams: what a draw is for. A number, once given, is never used for anything else.
LIFE: Final = code(1)
SYSTEMATIC: Final = code(2)
DIAGNOSED: Final = code(3)
WRONG_SERVER: Final = code(4)
INNOCENT: Final = code(5)
AUTOMATED_TIME: Final = code(6)
ESCALATE: Final = code(7)
AUTOMATED_SILENT: Final = code(8)
MANUAL_TIME: Final = code(9)
MANUAL_SILENT: Final = code(10)
DEFECTIVE: Final = code(11)
REGENERATION: Final = code(12)
SELECTION_PICK: Final = code(13)
SELECTION_TIE: Final = code(14)
SELECTION_TIME: Final = code(15)
RECOVERY_TIME: Final = code(16)
PREEMPTION_WAIT: Final = code(17)

#: (stream, entity, n) of every draw in the model, by name: the table behind "address".
STREAMS: Final = {
    "life": (LIFE, "server", "renewal"),
    "systematic": (SYSTEMATIC, "server", "renewal"),
    "diagnosed": (DIAGNOSED, "server", "renewal"),
    "wrong_server": (WRONG_SERVER, "server", "renewal"),
    "innocent": (INNOCENT, "server", "renewal"),
    "automated_time": (AUTOMATED_TIME, "server", "renewal"),
    "escalate": (ESCALATE, "server", "renewal"),
    "automated_silent": (AUTOMATED_SILENT, "server", "renewal"),
    "manual_time": (MANUAL_TIME, "server", "renewal"),
    "manual_silent": (MANUAL_SILENT, "server", "renewal"),
    "defective": (DEFECTIVE, "server", "0"),
    "regeneration": (REGENERATION, "server", "regeneration number"),
    "selection_pick": (SELECTION_PICK, "selection number", "k, running on"),
    "selection_tie": (SELECTION_TIE, "server", "selection number"),
    "selection_time": (SELECTION_TIME, "selection number", "0"),
    "recovery_time": (RECOVERY_TIME, "recovery number", "0"),
    "preemption_wait": (PREEMPTION_WAIT, "server", "preemption number of that server"),
}

_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_STREAM = np.uint64(0xD1342543DE82EF95)
_MIX_A = np.uint64(0xBF58476D1CE4E5B9)
_MIX_B = np.uint64(0x94D049BB133111EB)
_S27 = np.uint64(27)
_S30 = np.uint64(30)
_S31 = np.uint64(31)
_S32 = np.uint64(32)
_S11 = np.uint64(11)
_TO_UNIT: Final = 1.0 / 9007199254740992.0  # 2**-53
_TWO_PI: Final = 2.0 * math.pi


@bare
def mix(z):  # type: ignore[no-untyped-def]  # compiled
    """Return the 64-bit finaliser of ``z``: a bijection of ``uint64``."""
    z = (z ^ (z >> _S30)) * _MIX_A
    z = (z ^ (z >> _S27)) * _MIX_B
    return z ^ (z >> _S31)


@bare
def replication_root(seed, replication):  # type: ignore[no-untyped-def]  # compiled
    """Return the root (``uint64``) of one replication; neighbouring seeds share nothing."""
    return mix(mix(np.uint64(seed) + _GOLDEN) + np.uint64(replication) * _GOLDEN)


@bare
def address(root, entity, n):  # type: ignore[no-untyped-def]  # compiled
    """Return the address (``uint64``) of ``(entity, n)``; both below 2**32, else they wrap."""
    place = (np.uint64(entity) << _S32) + np.uint64(n)
    return mix(root + place * _GOLDEN)


@bare
def bits(place, stream):  # type: ignore[no-untyped-def]  # compiled
    """Return the 64 random bits of ``stream`` at the address ``place``."""
    return mix(place + np.uint64(stream) * _STREAM)


@bare
def to_unit(word):  # type: ignore[no-untyped-def]  # compiled
    """Return ``word``'s upper 53 bits as a float in [0, 1)."""
    return float(word >> _S11) * _TO_UNIT


@bare
def uniform(place, stream):  # type: ignore[no-untyped-def]  # compiled
    """Return the uniform draw in [0, 1) of ``stream`` at the address ``place``."""
    return to_unit(bits(place, stream))


@bare
def further(word, k):  # type: ignore[no-untyped-def]  # compiled
    """Return the ``k``-th further uniform inside the slot whose first bits are ``word``."""
    return to_unit(mix(word + np.uint64(k) * _GOLDEN))


@bare
def sample(kind, a, b, place, stream):  # type: ignore[no-untyped-def]  # compiled
    """Return one value, in the unit of ``a``, of the distribution ``(kind, a, b)``.

    The codes are those of ``failcast.scenario.distributions``. Exponential and Weibull by
    inversion, so that a scale changes a draw in proportion; lognormal by Box and Muller (1958).
    """
    if kind == CONSTANT:
        return a
    word = bits(place, stream)
    u = to_unit(word)
    if kind == EXPONENTIAL:
        return a * -math.log1p(-u)
    if kind == UNIFORM:
        return a + (b - a) * u
    if kind == WEIBULL:
        return a * math.pow(-math.log1p(-u), b)
    # LOGNORMAL is the last of the codes; the plan admits no other.
    radius = math.sqrt(-2.0 * math.log1p(-u))
    return a * math.exp(b * radius * math.cos(_TWO_PI * further(word, 1)))


@bare
def _sample_at(root, kind, a, b, entity, n, stream):  # type: ignore[no-untyped-def]  # compiled
    return sample(kind, a, b, address(root, entity, n), stream)


@bare
def _bits_at(root, entity, n, stream):  # type: ignore[no-untyped-def]  # compiled
    return bits(address(root, entity, n), stream)


@bare
def _uniform_at(root, entity, n, stream):  # type: ignore[no-untyped-def]  # compiled
    return uniform(address(root, entity, n), stream)


@bare
def _further_at(root, entity, n, stream, k):  # type: ignore[no-untyped-def]  # compiled
    return further(bits(address(root, entity, n), stream), k)


class Chance:
    """The draws of one replication, for Python code; the same numbers as in compiled code.

    ``seed`` is below 2**64; ``replication``, and below ``entity`` and ``n``, are below 2**32.
    """

    def __init__(self, seed: int, replication: int) -> None:
        self.root = np.uint64(replication_root(np.uint64(seed), replication))

    def uniform(self, stream: int, entity: int, n: int) -> float:
        """Return a uniform draw in [0, 1)."""
        return float(_uniform_at(self.root, entity, n, stream))

    def bits(self, stream: int, entity: int, n: int) -> int:
        """Return 64 random bits."""
        return int(_bits_at(self.root, entity, n, stream))

    def further(self, stream: int, entity: int, n: int, k: int) -> float:
        """Return the ``k``-th further uniform draw inside the slot of a draw."""
        return float(_further_at(self.root, entity, n, stream, k))

    def sample(
        self, distribution: tuple[int, float, float], stream: int, entity: int, n: int
    ) -> float:
        """Return one value of a distribution, given as (kind, a, b)."""
        kind, a, b = distribution
        return float(_sample_at(self.root, kind, a, b, entity, n, stream))


def draw(seed: int, replication: int, stream: int, entity: int, n: int) -> float:
    """Return the uniform draw in [0, 1) at ``(seed, replication, stream, entity, n)``."""
    return Chance(seed, replication).uniform(stream, entity, n)


@bare
def round_half_up(value):  # type: ignore[no-untyped-def]  # compiled
    """Return ``value`` >= 0 rounded to the nearest integer, halves upward.

    A product such as 0.29 * 100 = 28.999999999999996 means 29; the margin of 1e-9 undoes what
    binary fractions did to it.
    """
    return math.floor(value + 0.5 + 1e-9)
