"""TIFF pictures."""

from graphwell.io.images.pillow import pillow_format

FORMAT = pillow_format("TIFF", (".tif", ".tiff"), rank=3, slices=True)
