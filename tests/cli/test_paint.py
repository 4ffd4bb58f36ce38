"""`graphwell paint` as it is run from a shell; the page itself is tested in tests/serve."""

import pytest

from tests.cli.test_segment import run
from tests.jobs.test_painting import write_picture
from tests.serve.server import Server


@pytest.mark.parametrize(
    ("name", "problem"),
    [("nothing.png", "nothing.png"), ("notes.txt", "must end in"), ("empty", "holds no picture")],
)
def test_what_is_no_picture_is_refused_before_anything_is_served(tmp_path, name, problem):
    (tmp_path / "notes.txt").write_text("x")
    (tmp_path / "empty").mkdir()
    done = run("paint", tmp_path / name, "-o", tmp_path / "out", "--no-browser")
    assert done.exit_code == 2
    assert problem in " ".join(done.output.split())


def test_strokes_come_in_over_the_channel_and_wrong_ones_are_refused(tmp_path):
    write_picture(tmp_path / "a.png")
    with (
        Server("paint", tmp_path / "a.png", "--jobs", 1, folder=tmp_path) as server,
        server.channel() as line,
    ):
        assert line.until("picture")["pictures"] == ["a.png"]
        good = {"class": 0, "width": 3, "erase": False, "points": [[5, 5], [60, 5]]}
        assert "ok" in line.do("stroke", **good)
        for wrong in ({"points": [[None, 1]]}, {"points": [[1, 1]] * 6000}, {"width": 1e308}, {"class": []}):
            assert "error" in line.do("stroke", **{**good, **wrong})
        assert "error" in line.do("open", picture=-1)
        assert "ok" in line.do("stroke", **{**good, "class": 1, "points": [[30, 30]]})
        event = line.until("segmentation", lambda e: not e["coarse"] and e["latest"])
        assert set(event["body"][: event["width"] * event["height"]]) <= {0, 1, 255}
        assert line.do("save")["ok"] == str(tmp_path / "painted")
        assert line.until("saved")["files"] == ["a_labels.png", "a_overlay.png", "a_masks"]
