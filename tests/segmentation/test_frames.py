"""Films."""

import numpy as np
import pytest

from graphwell.segmentation.frames import changed, segment_frames

ROWS, COLUMNS = np.indices((60, 90))


def film(n_frames, speed, noise=0.0, colors=((0.3, 0.5, 0.4), (0.8, 0.3, 0.2))):
    """A disk that moves to the right, and where it is."""
    rng = np.random.default_rng(0)
    for number in range(n_frames):
        disk = (ROWS - 30) ** 2 + (COLUMNS - 20 - speed * number) ** 2 < 12**2
        frame = np.asarray(colors)[disk.astype(int)]
        yield frame + noise * rng.standard_normal(frame.shape), disk


def marks():
    seeds = np.full(ROWS.shape, -1)
    seeds[30, 16:25], seeds[8, 10:80], seeds[52, 10:80] = 1, 0, 0
    return seeds


@pytest.mark.parametrize("speed", [0, 3, 8])
def test_a_thing_is_followed_as_it_moves(speed):
    frames = list(film(6, speed, noise=0.08))
    found = segment_frames((picture for picture, _ in frames), marks(), n_jobs=1)
    wrong = [int((one.labels != disk).sum()) for one, (_, disk) in zip(found, frames, strict=True)]
    assert len(wrong) == 6
    assert max(wrong) < 0.015 * ROWS.size  # the error of a frame is not handed on and added to


def test_marks_of_a_later_frame_are_heard():
    frames = [picture for picture, _ in film(2, 0)]
    more = np.full(ROWS.shape, -1)
    more[30, 70:75] = 2
    found = list(segment_frames(frames, {0: marks(), 1: more}, n_jobs=1))
    assert set(np.unique(found[0].labels)) == {0, 1}
    assert found[1].labels[30, 72] == 2
    assert found[1].labels[30, 20] == 1


def test_channels_may_come_first():
    frames = [np.moveaxis(picture, -1, 0) for picture, _ in film(2, 0)]
    assert [one.labels.shape for one in segment_frames(frames, marks(), channel_axis=0)] == [ROWS.shape] * 2


def test_masked_pixels_have_no_class_in_any_frame():
    hidden = COLUMNS >= 80
    frames = [np.ma.array(picture, mask=np.repeat(hidden[..., None], 3, -1)) for picture, _ in film(2, 3)]
    for one in segment_frames(frames, marks(), n_jobs=1):
        assert (one.labels[hidden] == -1).all()
        assert (one.labels[~hidden] >= 0).all()
        assert (one.masked == hidden).all()


def test_masked_pixels_have_no_class_where_one_class_alone_is_left():
    first, alone = next(film(1, 0))[0], np.tile((0.3, 0.5, 0.4), (60, 90, 1))
    hidden = ROWS < 2
    frames = [first, np.ma.array(alone, mask=np.repeat(hidden[..., None], 3, -1))]
    *_, last = segment_frames(frames, marks(), n_jobs=1)
    assert (last.labels == np.where(hidden, -1, 0)).all()
    assert (last.masked == hidden).all()
    assert last.unreached == 0


def test_what_cannot_be_is_refused():
    with pytest.raises(ValueError, match="no marks of the first frame"):
        next(segment_frames([np.zeros((5, 5))], {1: np.zeros((5, 5), int)}))
    frames = [picture for picture, _ in film(1, 0)]
    with pytest.raises(ValueError, match="Frame 1 has the shape"):
        list(segment_frames([*frames, frames[0][:-1]], marks()))


def test_noise_alone_is_no_change():
    rng = np.random.default_rng(0)
    before, after = rng.normal(0, 0.1, (2, 80, 80, 3))
    assert changed(before, after).mean() < 0.02
    assert not changed(before, before).any()
