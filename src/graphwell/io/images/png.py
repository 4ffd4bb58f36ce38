"""PNG pictures."""

from graphwell.io.images.pillow import pillow_format

FORMAT = pillow_format("PNG", (".png",), rank=1)
