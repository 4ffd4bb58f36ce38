"""Which rows to label next: query strategies, and sessions of questions and answers."""

from typing import Any

from graphwell.active.accuracy import AccuracyEstimate
from graphwell.active.query import Query, Question, Suggestions
from graphwell.active.session import Session, suggest
from graphwell.active.strategies import strategies

__all__ = [
    "AccuracyEstimate",
    "Query",
    "Question",
    "Session",
    "Suggestions",
    "strategies",
    "suggest",
]

_GONE = {
    "simulate": "write a loop of session.suggest, session.answer and session.fit",
    "strategy": "give the function itself as strategy=",
    "forget": "give the function itself as strategy=",
}


def __getattr__(name: str) -> Any:
    advice = f"; {_GONE[name]}" if name in _GONE else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{advice}")
