"""Pictures: a class for every pixel from a few marked ones."""
