import json

import numpy as np
import pytest
from PIL import Image

import graphwell as gw
from graphwell.errors import OptionError
from tests.widgets.notebook import Kernel


def write_picture(folder):
    pixels = np.zeros((40, 50, 3), dtype=np.uint8)
    pixels[:, 25:] = 220
    Image.fromarray(pixels).save(folder / "in.png")
    return folder / "in.png"


def test_strokes_come_back_as_a_segmentation(tmp_path):
    shown = gw.widgets.Paint(write_picture(tmp_path), ["left", "right"], n_jobs=1)
    kernel = Kernel(shown)
    kernel.say("w", open=True)
    kernel.until(lambda message: "opened" in message)
    for number, x in enumerate((5, 45)):
        stroke = {"class": number, "width": 3, "erase": False, "points": [[x, 5], [x, 35]]}
        kernel.say("w", text=json.dumps({"do": "stroke", "id": number, **stroke}))
        kernel.until(lambda message, number=number: message.get("text", "").startswith(f'{{"re": {number},'))
    while True:
        _, [content] = kernel.until(lambda message: set(message) == {"window"})
        length = int.from_bytes(content[:4], "little")
        event = json.loads(content[4 : 4 + length])
        if event["event"] == "segmentation" and event["number"] == 3:
            break
    labels = np.frombuffer(content[4 + length :], dtype=np.uint8).reshape(40, 50)
    assert np.array_equal(labels, np.repeat([0, 1], 25)[None].repeat(40, axis=0))
    shown.close()


def test_a_second_widget_goes_on_from_the_strokes_of_the_first(tmp_path):
    path = write_picture(tmp_path)
    first = gw.widgets.Paint(path, n_jobs=1)
    stroke = {"class": 0, "width": 3, "erase": False, "points": [[5, 5]]}
    first.page.commands["stroke"]({"do": "stroke", **stroke})
    second = gw.widgets.Paint(path, output=str(tmp_path / "painted"), n_jobs=1)
    assert second.page._painting.strokes == [stroke]
    second.close()


def test_a_folder_without_pictures_is_refused(tmp_path):
    with pytest.raises(OptionError, match="holds no picture"):
        gw.widgets.Paint(tmp_path)
