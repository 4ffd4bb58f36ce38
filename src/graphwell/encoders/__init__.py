"""Tables as people bring them, turned into numbers; the treatment of every column is reported."""
