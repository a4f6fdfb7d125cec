"""Uncertain inputs: how much of the spread they make, and how much is chance.

On the map: a part of study.
"""

from __future__ import annotations

from failcast.study.uncertain.causes import Cause
from failcast.study.uncertain.parts import Parts
from failcast.study.uncertain.prediction import Prediction, check_prediction, predict

__all__ = ["Cause", "Parts", "Prediction", "check_prediction", "predict"]
