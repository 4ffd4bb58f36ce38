"""Tables as people bring them, turned into numbers; every column is told what became of it."""
