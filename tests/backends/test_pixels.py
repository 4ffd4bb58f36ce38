"""Pictures wherever an engine is: no step of theirs mixes arrays of the host with those of the device."""

import numpy as np
import pytest

from graphwell.backends.registry import find_pixels
from graphwell.segmentation import segmenter
from graphwell.segmentation.segmenter import Segmenter
from tests.backends.strict import StrictPixels
from tests.segmentation.pictures import PICTURES


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_segmented_where_the_engine_is(monkeypatch, name):
    image, calls, options = PICTURES[name]()
    expected = [Segmenter(image, n_jobs=1, **options)]
    expected = [expected[0].segment(seeds) for seeds in calls]
    monkeypatch.setattr(segmenter, "find_pixels", lambda device, n_jobs: StrictPixels())
    made = Segmenter(image, **options)
    for seeds, answer in zip(calls, expected, strict=True):
        found = made.segment(seeds)
        for part in ("labels", "score", "reachable"):
            assert type(getattr(found, part)) is np.ndarray
            np.testing.assert_array_equal(getattr(found, part), getattr(answer, part))
        assert found.result.energies == answer.result.energies


def test_the_engine_of_the_processor_is_found_by_its_name():
    assert find_pixels("cpu", 1).pool.n_threads == 1
    with pytest.raises(ValueError, match="device must be one of cpu, cuda"):
        find_pixels("dask")
