"""What to ask for next: strategies, sessions of questions and answers, and simulations of them."""

from graphwell.active.accuracy import AccuracyEstimate
from graphwell.active.registry import Strategy, strategies
from graphwell.active.session import Session
from graphwell.active.simulate import LearningCurve, simulate
from graphwell.active.suggest import suggest
from graphwell.active.suggestions import Question, Suggestions

__all__ = [
    "AccuracyEstimate",
    "LearningCurve",
    "Question",
    "Session",
    "Strategy",
    "Suggestions",
    "simulate",
    "strategies",
    "suggest",
]
