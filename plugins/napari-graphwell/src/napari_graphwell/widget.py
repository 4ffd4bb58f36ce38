"""The dock widget: an image and marks in, a segmentation out, and where to mark next."""

from typing import Any

from magicgui.widgets import Container, Label, PushButton, create_widget
from napari.layers import Image, Labels
from napari.qt.threading import create_worker
from napari.utils.notifications import show_error, show_info

import graphwell as gw
from napari_graphwell.layers import check_axes, frames_of, labels_of, seeds_of, segmenter_of

RESULT, NEXT = "graphwell", "mark next"
"""Names of the layers that are added."""


class SegmentWidget(Container):
    """Segment the chosen image from the chosen marks.

    Parameters
    ----------
    viewer : napari.Viewer
        Where layers are added; napari gives it.
    """

    def __init__(self, viewer: "napari.viewer.Viewer") -> None:  # type: ignore[name-defined]  # noqa: F821
        self.viewer = viewer
        self.image = create_widget(annotation=Image, label="image")
        self.marks = create_widget(annotation=Labels, label="marks")
        self.segment_button = PushButton(text="Segment")
        self.next_button = PushButton(text="Where to mark next", enabled=False)
        self.status = Label(value="")
        super().__init__(widgets=[self.image, self.marks, self.segment_button, self.next_button, self.status])
        self.segment_button.clicked.connect(self.start)
        self.next_button.clicked.connect(self.show_next)
        self._ready: tuple[Any, gw.Segmenter] | None = None
        self._found: tuple[gw.Segmentation, Any] | None = None

    def start(self) -> None:
        """Segment beside the window, which stays alive."""
        image, marks = self.image.value, self.marks.value
        if image is None or marks is None:
            show_info("Choose an image and a labels layer with some painted pixels of each class.")
            return
        self.segment_button.enabled = False
        self.status.value = "working ..."
        worker = create_worker(self.compute, image, marks, _ignore_errors=True)  # they are shown instead
        worker.returned.connect(self.show_result)
        worker.errored.connect(lambda error: show_error(str(error)))
        worker.finished.connect(self._rest)
        worker.start()

    def compute(self, image: Any, marks: Any) -> tuple[gw.Segmentation, Any, Any]:
        """Segment; a further stroke on the same image goes on from the last result."""
        check_axes(image)
        data = image.data
        seeds = seeds_of(marks, data.shape[: data.ndim - image.rgb])
        if self._ready is None or self._ready[0] is not data:
            self._ready = data, segmenter_of(image)
        return self._ready[1].segment(seeds), seeds, image

    def show_result(self, answer: tuple[gw.Segmentation, Any, Any]) -> None:
        """Put the classes into a labels layer of their own, where the image lies."""
        found, seeds, image = answer
        self._found = found, seeds
        axes = found.labels.ndim
        place = {"scale": image.scale[-axes:], "translate": image.translate[-axes:]}
        if RESULT in self.viewer.layers:
            self.viewer.layers[RESULT].data = labels_of(found)
        else:
            self.viewer.add_labels(labels_of(found), name=RESULT, opacity=0.4, **place)
        self.next_button.enabled = axes == 2
        lost = f"; no mark reaches {found.unreached:,} points" if found.unreached else ""
        self.status.value = f"{len(found.classes)} classes{lost}"

    def show_next(self) -> None:
        """Frame the squares where further marks would help most."""
        if self._found is None:
            return
        if NEXT in self.viewer.layers:
            self.viewer.layers.remove(NEXT)
        result = self.viewer.layers[RESULT]
        place = {"scale": result.scale, "translate": result.translate}
        look = {"edge_color": "magenta", "face_color": "transparent", "edge_width": 2}
        frames = frames_of(*self._found)
        if frames:
            self.viewer.add_shapes(frames, shape_type="polygon", name=NEXT, **look, **place)

    def _rest(self) -> None:
        self.segment_button.enabled = True
        if self.status.value == "working ...":
            self.status.value = ""
