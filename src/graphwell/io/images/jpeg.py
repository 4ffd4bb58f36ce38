"""JPEG pictures: to be read and looked at, but not exact enough for labels."""

from graphwell.io.images.pillow import pillow_format

FORMAT = pillow_format("JPEG", (".jpg", ".jpeg"), rank=2, exact=False, previews=True)
