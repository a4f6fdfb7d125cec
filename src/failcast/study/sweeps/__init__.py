"""Sweeps: a scenario over a grid of values, stored block by block.

On the map: a part of study.
"""

from __future__ import annotations

from failcast.study.sweeps.cells import Cell
from failcast.study.sweeps.effects import Effect, sweep_effects
from failcast.study.sweeps.figures import Figures
from failcast.study.sweeps.sweep import Sweep, check_sweep, sweep

__all__ = ["Cell", "Effect", "Figures", "Sweep", "check_sweep", "sweep", "sweep_effects"]
