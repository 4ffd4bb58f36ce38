"""The widget in a viewer that nobody sees."""

import os
import time

import numpy as np
import pytest

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

napari = pytest.importorskip("napari", reason="napari is not installed")

from napari_graphwell.widget import NEXT, RESULT, SegmentWidget  # noqa: E402

TRUTH = np.ones((60, 80), dtype=int)
TRUTH[20:45, 25:60] = 2


@pytest.fixture
def viewer():
    """The layers of napari without a window, which would need OpenGL."""
    from napari.components import ViewerModel
    from qtpy.QtWidgets import QApplication

    application = QApplication.instance() or QApplication([])
    yield ViewerModel()
    application.processEvents()


def opened(viewer, data, **options):
    """Image, marks and the widget."""
    image = viewer.add_image(data, **options)
    painted = np.zeros(TRUTH.shape if data.ndim - image.rgb == 2 else data.shape, dtype=int)
    painted[..., 30:35, 30:50], painted[..., 5, 5:70] = 2, 1
    marks = viewer.add_labels(painted, name="marks")
    widget = SegmentWidget(viewer)
    widget.image.choices, widget.marks.choices = [image], [marks]
    widget.image.value, widget.marks.value = image, marks
    return widget


def run(widget):
    """Press the button and wait."""
    from qtpy.QtWidgets import QApplication

    widget.segment_button.clicked.emit(True)
    until = time.monotonic() + 120
    while not widget.segment_button.enabled and time.monotonic() < until:
        QApplication.processEvents()
        time.sleep(0.01)
    assert widget.segment_button.enabled


@pytest.mark.parametrize("rgb", [False, True])
def test_a_picture_is_segmented_and_goes_on_from_there(viewer, rgb):
    rng = np.random.default_rng(0)
    picture = 0.3 * TRUTH + 0.02 * rng.standard_normal(TRUTH.shape)
    widget = opened(viewer, np.stack([picture] * 3, axis=-1).clip(0, 1) if rgb else picture, rgb=rgb)
    run(widget)
    assert (viewer.layers[RESULT].data == TRUTH).mean() > 0.99
    assert widget.status.value == "2 classes"
    segmenter = widget._ready[1]
    widget.marks.value.data[50:55, 70:75] = 3
    run(widget)
    assert widget._ready[1] is segmenter
    assert viewer.layers[RESULT].data[52, 72] == 3
    assert len([layer for layer in viewer.layers if layer.name.startswith(RESULT)]) == 1


def test_where_to_mark_next(viewer):
    rng = np.random.default_rng(0)
    widget = opened(viewer, 0.3 * TRUTH + 0.2 * rng.standard_normal(TRUTH.shape))
    assert not widget.next_button.enabled
    run(widget)
    widget.show_next()
    widget.show_next()
    shapes = viewer.layers[NEXT].data
    assert 1 <= len(shapes) <= 5
    marked = np.argwhere(widget.marks.value.data > 0)
    for corners in shapes:
        inside = (marked >= corners.min(axis=0)) & (marked <= corners.max(axis=0))
        assert not inside.all(axis=1).any()


def test_a_volume_has_the_spacing_of_its_scale(viewer):
    widget = opened(viewer, np.stack([0.3 * TRUTH] * 4), scale=(3, 1, 1))
    run(widget)
    assert (viewer.layers[RESULT].data == TRUTH).mean() > 0.99
    assert viewer.layers[RESULT].scale.tolist() == [3, 1, 1]
    assert not widget.next_button.enabled


def test_what_cannot_be_is_told(viewer, monkeypatch):
    told = []
    monkeypatch.setattr("napari_graphwell.widget.show_error", told.append)
    monkeypatch.setattr("napari_graphwell.widget.show_info", told.append)
    SegmentWidget(viewer).start()
    widget = opened(viewer, 0.3 * TRUTH)
    widget.marks.value.data[:] = 0
    run(widget)
    widget.marks.value.data = np.zeros((5, 5), dtype=int)
    run(widget)
    assert [sentence[:40] for sentence in told] == [
        "Choose an image and a labels layer with ",
        "seeds hold no class at all; mark some pi",
        "The layer 'marks' has the shape (5, 5), ",
    ]
    assert RESULT not in viewer.layers


def test_the_manifest_is_sound():
    npe2 = pytest.importorskip("npe2", reason="npe2 is not installed")
    from importlib.resources import files

    manifest = npe2.PluginManifest.from_file(str(files("napari_graphwell") / "napari.yaml"))
    manifest.validate_imports()
    assert manifest.contributions.widgets[0].display_name == "Segment with graphwell"
