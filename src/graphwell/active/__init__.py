"""Which rows to label next: query strategies, sessions of questions and answers, and simulations of them."""

from graphwell.active.accuracy import AccuracyEstimate
from graphwell.active.query import Query, Question, Suggestions
from graphwell.active.session import Session, suggest
from graphwell.active.simulate import LearningCurve, simulate
from graphwell.active.strategies import Strategy, forget, strategies, strategy

__all__ = [
    "AccuracyEstimate",
    "LearningCurve",
    "Query",
    "Question",
    "Session",
    "Strategy",
    "Suggestions",
    "forget",
    "simulate",
    "strategies",
    "strategy",
    "suggest",
]
