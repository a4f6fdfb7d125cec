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
from collections.abc import Callable
from typing import Final

import numpy as np

from failcast.engine.address import BELIEF as BELIEF_STREAM
from failcast.engine.compiled import bare, inlined
from failcast.engine.memory import row_of
from failcast.engine.tables import NUMBER_DTYPE, code
from failcast.scenario.drawn import (
    CONSTANT,
    EMPIRICAL,
    EXPONENTIAL,
    GAMMA,
    LOGNORMAL,
    MIXTURE_ROW,
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
BELIEF: Final = code(BELIEF_STREAM)
CHECKPOINT_WRITE: Final = code(20)
PERSIST_MEMORY: Final = code(21)
PERSIST_LOCAL: Final = code(22)
PERSIST_PEER: Final = code(23)
PERSIST_REMOTE: Final = code(24)
RESTORE: Final = code(25)
RECOVERY_DETECT: Final = code(26)
RECOVERY_DIAGNOSE: Final = code(27)
RECOVERY_RESCHEDULE: Final = code(28)
RECOVERY_RESTART: Final = code(29)
RECOVERY_LOAD: Final = code(30)
RECOVERY_WARM_UP: Final = code(31)
REBOOT: Final = code(32)
LENGTH_BIASED: Final = code(40)
LENGTH_LEFT: Final = code(41)
AGED: Final = code(42)
RELAPSE: Final = code(50)
RELAPSE_TIME: Final = code(51)
RELAPSE_PRONE: Final = code(52)
PART_NEEDED: Final = code(53)
PART_LEAD_TIME: Final = code(54)
REQUALIFICATION_TIME: Final = code(55)
DETECTED: Final = code(56)
#: The first of the streams of tiers, and of phases, which follow one another in their order.
TIER_PERSIST: Final = PERSIST_MEMORY
RECOVERY_PHASE: Final = RECOVERY_DETECT

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
    "checkpoint_write": (CHECKPOINT_WRITE, "write number", "0"),
    "persist_memory": (PERSIST_MEMORY, "write number", "0"),
    "persist_local": (PERSIST_LOCAL, "write number", "0"),
    "persist_peer": (PERSIST_PEER, "write number", "0"),
    "persist_remote": (PERSIST_REMOTE, "write number", "0"),
    "restore": (RESTORE, "recovery number", "0"),
    "recovery_detect": (RECOVERY_DETECT, "recovery number", "0"),
    "recovery_diagnose": (RECOVERY_DIAGNOSE, "recovery number", "0"),
    "recovery_reschedule": (RECOVERY_RESCHEDULE, "recovery number", "0"),
    "recovery_restart": (RECOVERY_RESTART, "recovery number", "0"),
    "recovery_load": (RECOVERY_LOAD, "recovery number", "0"),
    "recovery_warm_up": (RECOVERY_WARM_UP, "recovery number", "0"),
    "reboot": (REBOOT, "server", "renewal"),
    "belief": (BELIEF, "hash of the input's path", "draw number"),
    "length_biased": (LENGTH_BIASED, "server", "0"),
    "length_left": (LENGTH_LEFT, "server", "0"),
    "aged": (AGED, "server", "0"),
    "relapse": (RELAPSE, "server", "renewal"),
    "relapse_time": (RELAPSE_TIME, "server", "renewal"),
    "relapse_prone": (RELAPSE_PRONE, "server", "0"),
    "part_needed": (PART_NEEDED, "server", "renewal"),
    "part_lead_time": (PART_LEAD_TIME, "server", "renewal"),
    "requalification_time": (REQUALIFICATION_TIME, "server", "renewal"),
    "detected": (DETECTED, "server", "renewal"),
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
_LAYERS = np.uint64(255)
_SIGN = np.uint64(256)
_NO_BITS = np.uint64(0)
_MOST_EXPONENT: Final = 700.0  # exp of more is beyond the largest number
_MOST_TRIES: Final = 1000  # each try is accepted 95 times of 100; a bound for the compiler

number_at = row_of(NUMBER_DTYPE)


def _ziggurat(
    tail: float, density: Callable[[float], float], inverse: Callable[[float], float], area: float
) -> tuple[np.ndarray, np.ndarray]:
    """Return the 257 edges of the layers and the densities there, outermost first.

    All layers have the same ``area``; the first is the base with the tail, whose edge is widened
    so that a uniform of it falls below ``tail`` with the right probability.
    """
    x, y = np.zeros(257), np.zeros(257)
    x[0], x[1] = area / density(tail), tail
    y[1] = density(tail)
    for layer in range(1, 256):
        y[layer + 1] = y[layer] + area / x[layer]
        x[layer + 1] = inverse(y[layer + 1]) if layer < 255 else 0.0
    y[256] = 1.0
    return x, y


#: Where the tails start, for 256 layers (Marsaglia and Tsang 2000, to double precision).
EXPONENTIAL_TAIL: Final = 7.69711747013104972
NORMAL_TAIL: Final = 3.6541528853610088
EXPONENTIAL_X, EXPONENTIAL_Y = _ziggurat(
    EXPONENTIAL_TAIL,
    lambda x: math.exp(-x),
    lambda y: -math.log(y),
    math.exp(-EXPONENTIAL_TAIL) * (EXPONENTIAL_TAIL + 1.0),
)
NORMAL_X, NORMAL_Y = _ziggurat(
    NORMAL_TAIL,
    lambda x: math.exp(-0.5 * x * x),
    lambda y: math.sqrt(-2.0 * math.log(y)),
    NORMAL_TAIL * math.exp(-0.5 * NORMAL_TAIL**2)
    + math.sqrt(0.5 * math.pi) * math.erfc(NORMAL_TAIL / math.sqrt(2.0)),
)


@inlined
def mix(z):  # type: ignore[no-untyped-def]  # compiled
    """Return the 64-bit finaliser of ``z``: a bijection of ``uint64``."""
    z = (z ^ (z >> _S30)) * _MIX_A
    z = (z ^ (z >> _S27)) * _MIX_B
    return z ^ (z >> _S31)


@inlined
def replication_root(seed, replication):  # type: ignore[no-untyped-def]  # compiled
    """Return the root (``uint64``) of one replication; neighbouring seeds share nothing."""
    return mix(mix(np.uint64(seed) + _GOLDEN) + np.uint64(replication) * _GOLDEN)


@inlined
def address(root, entity, n):  # type: ignore[no-untyped-def]  # compiled
    """Return the address (``uint64``) of ``(entity, n)``; both below 2**32, else they wrap."""
    place = (np.uint64(entity) << _S32) + np.uint64(n)
    return mix(root + place * _GOLDEN)


@inlined
def bits(place, stream):  # type: ignore[no-untyped-def]  # compiled
    """Return the 64 random bits of ``stream`` at the address ``place``."""
    return mix(place + np.uint64(stream) * _STREAM)


@inlined
def to_unit(word):  # type: ignore[no-untyped-def]  # compiled
    """Return ``word``'s upper 53 bits as a float in [0, 1)."""
    return float(word >> _S11) * _TO_UNIT


@inlined
def uniform(place, stream):  # type: ignore[no-untyped-def]  # compiled
    """Return the uniform draw in [0, 1) of ``stream`` at the address ``place``."""
    return to_unit(bits(place, stream))


@inlined
def further(word, k):  # type: ignore[no-untyped-def]  # compiled
    """Return the ``k``-th further uniform inside the slot whose first bits are ``word``."""
    return to_unit(mix(word + np.uint64(k) * _GOLDEN))


@inlined
def exponential(word):  # type: ignore[no-untyped-def]  # compiled
    """Return the unit exponential of a slot whose first bits are ``word``: a ziggurat.

    Marsaglia and Tsang (2000), 256 layers. 99 of 100 draws need a table look-up and a product,
    which are laid into the caller; the others, and the tail, re-mix inside the slot.
    """
    x, is_it = first_exponential(word)
    return x if is_it else _exponential(word)


@inlined
def first_exponential(word):  # type: ignore[no-untyped-def]  # compiled
    """Return what ``exponential`` does in 99 of 100 cases, and whether this is one of them."""
    layer = int(word & _LAYERS)
    x = to_unit(word) * EXPONENTIAL_X[layer]
    return x, x < EXPONENTIAL_X[layer + 1]


@bare
def _exponential(word):  # type: ignore[no-untyped-def]  # compiled
    """Return what ``exponential`` does, wherever the word falls."""
    base, k = 0.0, 0
    while k < _MOST_TRIES:
        layer = int(word & _LAYERS)
        x = to_unit(word) * EXPONENTIAL_X[layer]
        if x < EXPONENTIAL_X[layer + 1]:
            return base + x
        k += 1
        if layer == 0:
            base += EXPONENTIAL_TAIL  # beyond the tail's start an exponential starts afresh
        else:
            low, high = EXPONENTIAL_Y[layer], EXPONENTIAL_Y[layer + 1]
            if low + further(word, k) * (high - low) < math.exp(-x):
                return base + x
            k += 1
        word = mix(word + np.uint64(k) * _GOLDEN)
    return base


@bare
def normal(word):  # type: ignore[no-untyped-def]  # compiled
    """Return the standard normal of a slot whose first bits are ``word``: a ziggurat.

    Marsaglia and Tsang (2000), 256 layers.
    """
    k = 0
    while k < _MOST_TRIES:
        layer = int(word & _LAYERS)
        sign = 1.0 if (word & _SIGN) == _NO_BITS else -1.0
        x = to_unit(word) * NORMAL_X[layer]
        if x < NORMAL_X[layer + 1]:
            return sign * x
        k += 1
        if layer == 0:
            return sign * _normal_tail(word)
        low, high = NORMAL_Y[layer], NORMAL_Y[layer + 1]
        if low + further(word, k) * (high - low) < math.exp(-0.5 * x * x):
            return sign * x
        k += 1
        word = mix(word + np.uint64(k) * _GOLDEN)
    return 0.0


@bare
def _normal_tail(word):  # type: ignore[no-untyped-def]  # compiled
    """Return a normal that is known to lie beyond the start of the tail (Marsaglia 1964)."""
    beyond, chance, k = 0.0, -1.0, 0
    while chance < beyond * beyond and k < _MOST_TRIES:
        beyond = -math.log1p(-further(word, k + 1)) / NORMAL_TAIL
        chance = -2.0 * math.log1p(-further(word, k + 2))
        k += 2
    return NORMAL_TAIL + beyond


@inlined
def fresh(word, k):  # type: ignore[no-untyped-def]  # compiled
    """Return the bits of the ``k``-th slot, k >= 1, inside the slot whose first bits are ``word``.

    Each is a slot of its own for a sampler, with further draws inside it.
    """
    return mix(word + np.uint64(k) * _GOLDEN)


@bare
def gamma(shape, word):  # type: ignore[no-untyped-def]  # compiled
    """Return the gamma of ``shape`` and scale 1 of a slot whose first bits are ``word``.

    Marsaglia and Tsang (2000, "A simple method for generating gamma variables"). A shape below 1
    draws at shape + 1 and multiplies by U**(1/shape), here exp(-E/shape) of a unit exponential E,
    so that the smallest values are as fine as floating point.
    """
    boost, above = 1.0, shape
    if shape < 1.0:
        boost, above = math.exp(-exponential(fresh(word, 1)) / shape), shape + 1.0
    d = above - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    for k in range(_MOST_TRIES):
        x = normal(fresh(word, 2 * k + 2))
        root = 1.0 + c * x
        if root > 0.0:
            v = root * root * root
            chance = 1.0 - to_unit(fresh(word, 2 * k + 3))
            if math.log(chance) < 0.5 * x * x + d - d * v + d * math.log(v):
                return boost * d * v
    return boost * d


@bare
def beta(a, b, word):  # type: ignore[no-untyped-def]  # compiled
    """Return the beta of shapes ``a`` and ``b`` of a slot whose first bits are ``word``.

    A gamma over the sum of two, by their logarithms: with small shapes both may be below the least
    number that there is.
    """
    more = _log_of_gamma(b, fresh(word, 2)) - _log_of_gamma(a, fresh(word, 1))
    return 1.0 / (1.0 + math.exp(min(more, _MOST_EXPONENT)))


@bare
def _log_of_gamma(shape, word):  # type: ignore[no-untyped-def]  # compiled
    """Return the logarithm of a gamma draw, by the boost that ``gamma`` has for small shapes."""
    return math.log(gamma(shape + 1.0, fresh(word, 1))) - exponential(fresh(word, 2)) / shape


@inlined
def sample(kind, a, b, place, stream):  # type: ignore[no-untyped-def]  # compiled
    """Return one value, in the unit of ``a``, of the distribution ``(kind, a, b)``.

    The codes are those of ``failcast.scenario.drawn``; where they speak of a first row, ``a`` is
    its address, a whole number that a float holds exactly. Each value is a fixed function of the
    slot's bits times a scale, so that a changed mean changes a draw in proportion.
    """
    if kind == CONSTANT:
        return a
    word = bits(place, stream)
    if kind == EXPONENTIAL:
        return a * exponential(word)
    return _other(kind, a, b, word)


@inlined
def drawn(kind, a, b, place, stream):  # type: ignore[no-untyped-def]  # compiled
    """Return what ``sample`` does; where that is drawn seldom, to keep the compiled code short."""
    return a if kind == CONSTANT else _drawn(kind, a, b, place, stream)


@bare
def _drawn(kind, a, b, place, stream):  # type: ignore[no-untyped-def]  # compiled
    return sample(kind, a, b, place, stream)


@bare
def _other(kind, a, b, word):  # type: ignore[no-untyped-def]  # compiled
    """Return one value of a kind that is less common; apart, to keep the common ones short."""
    if kind < EMPIRICAL:
        return _by_formula(kind, a, b, word)
    table = np.uint64(a)
    if kind == EMPIRICAL:
        return _one_of(table, 0, b, word)
    chosen, last, u = 0, int(b) - 1, to_unit(word)
    while chosen < last and u >= number_at(table, MIXTURE_ROW * chosen).is_:
        chosen += 1
    row = MIXTURE_ROW * chosen
    component = int(number_at(table, row + 1).is_)
    c, d = number_at(table, row + 2).is_, number_at(table, row + 3).is_
    if component == EMPIRICAL:  # its values follow the components
        return _one_of(table, int(c), d, fresh(word, 1))
    return _by_formula(component, c, d, fresh(word, 1))


@bare
def _by_formula(kind, a, b, word):  # type: ignore[no-untyped-def]  # compiled
    """Return one value of a distribution that three numbers describe."""
    if kind == EXPONENTIAL:
        return a * exponential(word)
    if kind == UNIFORM:
        return a + (b - a) * to_unit(word)
    if kind == WEIBULL:
        return a * math.pow(exponential(word), b)
    if kind == LOGNORMAL:
        return a * math.exp(b * normal(word))
    if kind == GAMMA:
        return a * gamma(b, word)
    return a  # CONSTANT is the last of the codes; the plan admits no other


@bare
def _one_of(table, first, count, word):  # type: ignore[no-untyped-def]  # compiled
    """Return one of ``count`` sorted values from row ``first`` on, larger for a larger uniform."""
    return number_at(table, first + int(to_unit(word) * count)).is_


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
