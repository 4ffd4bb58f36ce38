"""How the energy is minimised: a start, sweeps under a schedule, and what came of it."""

from graphwell.progress import CancelledError
from graphwell.solve.descent import Result, Status, Step, descend
from graphwell.solve.problem import Problem
from graphwell.solve.schedule import Annealed, Fixed

__all__ = ["Annealed", "CancelledError", "Fixed", "Problem", "Result", "Status", "Step", "descend"]
