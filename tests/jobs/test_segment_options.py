"""Options of a segmentation are those of the segmenter."""

from inspect import signature
from pathlib import Path

import graphwell as gw
from graphwell.jobs.segment_options import SegmentOptions


def test_the_options_of_a_segmentation_have_the_defaults_of_the_segmenter():
    options = SegmentOptions(image=Path("i.png"), seeds=Path("s.png"), output=Path("o.png"))
    for name, parameter in signature(gw.Segmenter).parameters.items():
        if name not in ("image", "channel_axis", "progress"):
            assert getattr(options, name) == parameter.default
