"""The pages of `graphwell label` and `graphwell paint` as widgets in a notebook."""

from graphwell.widgets.label import Label
from graphwell.widgets.paint import Paint

__all__ = ["Label", "Paint"]
