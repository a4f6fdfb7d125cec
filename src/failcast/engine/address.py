"""The draw at an address in plain Python: for the few draws made before anything is simulated.

On the map: engine, beside random.py, whose hash this is to the last bit; a test compares them.
random.py is compiled, and to load the compiler takes longer than a study of uncertain inputs.
"""

from __future__ import annotations

from typing import Final

#: The stream of beliefs: entity is the hash of the input's path, n the number of the draw.
BELIEF: Final = 18

_WORD: Final = 2**64 - 1
_GOLDEN: Final = 0x9E3779B97F4A7C15
_STREAM: Final = 0xD1342543DE82EF95
_MIX_A: Final = 0xBF58476D1CE4E5B9
_MIX_B: Final = 0x94D049BB133111EB


def draw_plainly(seed: int, replication: int, stream: int, entity: int, n: int) -> float:
    """Return the uniform draw in [0, 1) at ``(seed, replication, stream, entity, n)``."""
    root = _mix(_mix(seed + _GOLDEN) + replication * _GOLDEN)
    place = _mix(root + ((entity << 32) + n) * _GOLDEN)
    return float(_mix(place + stream * _STREAM) >> 11) * 2.0**-53


def _mix(word: int) -> int:
    word &= _WORD
    word = ((word ^ (word >> 30)) * _MIX_A) & _WORD
    word = ((word ^ (word >> 27)) * _MIX_B) & _WORD
    return word ^ (word >> 31)
