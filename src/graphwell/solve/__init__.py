"""How the energy is minimised: a start, sweeps under a schedule, and what came of it."""

from graphwell.solve.descent import Step, descend
from graphwell.solve.problem import Problem
from graphwell.solve.result import Result, Status
from graphwell.solve.schedule import Annealed, Fixed, Schedule

__all__ = ["Annealed", "Fixed", "Problem", "Result", "Schedule", "Status", "Step", "descend"]
