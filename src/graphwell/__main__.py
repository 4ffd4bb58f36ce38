"""``python -m graphwell`` is the program ``graphwell``."""

from graphwell.cli import main

main()
