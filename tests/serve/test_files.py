import contextlib
import os
from pathlib import Path

import pytest

from graphwell.serve import files
from graphwell.serve.files import PAGES, read_inside, read_part, read_picture


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "inside"
    (inside / "deep").mkdir(parents=True)
    (inside / "a.png").write_bytes(b"picture")
    (inside / "deep" / "<b>.JPG").write_bytes(b"deep")
    (tmp_path / "secret.png").write_bytes(b"secret")
    return inside


def test_pictures_are_read_with_their_type(folder):
    assert read_picture({"p": folder}, "p", "a.png") == (b"picture", "image/png")
    assert read_picture({"p": folder}, "p", "deep/<b>.JPG") == (b"deep", "image/jpeg")


@pytest.mark.parametrize(
    "name",
    ["../secret.png", "deep/../../secret.png", "/etc/hostname.png", "none.png", "", ".", "deep", "a\0.png"],
)
def test_nothing_else_is_read(folder, name):
    with pytest.raises(FileNotFoundError):
        read_picture({"p": folder}, "p", name)
    with pytest.raises(FileNotFoundError):
        read_picture({"p": folder}, "q", "a.png")


def test_an_absolute_path_is_no_picture_of_a_folder(folder):
    with pytest.raises(FileNotFoundError):
        read_inside(folder, str(folder.parent / "secret.png"))


@pytest.mark.parametrize("name", ["page.html", "a.svg", "a.png.txt", "script.js"])
def test_only_pictures_are_pictures(folder, name):
    (folder / name).write_bytes(b"x")
    with pytest.raises(FileNotFoundError):
        read_picture({"p": folder}, "p", name)


def test_links_that_stay_inside_are_followed_and_others_are_not(folder):
    (folder / "out.png").symlink_to(folder.parent / "secret.png")
    (folder / "up").symlink_to(folder.parent)
    (folder / "in.png").symlink_to(folder / "a.png")
    (folder / "round.png").symlink_to(folder / "round.png")
    assert read_inside(folder, "in.png") == b"picture"
    for name in ("out.png", "up/secret.png", "round.png"):
        with pytest.raises(FileNotFoundError):
            read_inside(folder, name)


def test_a_link_that_appears_after_the_look_is_not_followed(folder, monkeypatch):
    """Between the look at a path and its opening, a folder may become a link."""
    real = files._read_below

    def swapped(root, inside):
        (folder / "deep").rename(folder / "gone")
        (folder.parent / "elsewhere").mkdir()
        (folder.parent / "elsewhere" / "<b>.JPG").write_bytes(b"secret")
        (folder / "deep").symlink_to(folder.parent / "elsewhere")
        return real(root, inside)

    monkeypatch.setattr(files, "_read_below", swapped)
    with pytest.raises(FileNotFoundError):
        read_inside(folder, "deep/<b>.JPG")


def test_pipes_and_large_files_are_refused(folder, monkeypatch):
    os.mkfifo(folder / "pipe.png")
    monkeypatch.setattr(files, "LARGEST_FILE", 3)
    for name in ("pipe.png", "a.png"):
        with pytest.raises(FileNotFoundError):
            read_inside(folder, name)


def _open_below(folder):
    """What this process holds open in `folder`: other threads may open and close files elsewhere."""
    held = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed since it was listed
            held.append(descriptor.readlink())
    return [path for path in held if path.is_relative_to(folder)]


def test_no_descriptor_is_left_open(folder):
    with (folder / "a.png").open("rb"):
        assert _open_below(folder) == [folder / "a.png"]
    for name in ("a.png", "deep", "none"):
        for _ in range(5):
            try:
                read_inside(folder, name)
            except FileNotFoundError:
                continue
    assert _open_below(folder) == []


def test_parts_of_pages_come_from_their_folder():
    assert read_part("channel.js")[0] == (PAGES / "channel.js").read_bytes()
    for name in ("../app.py", "channel", "none.js"):
        with pytest.raises(FileNotFoundError):
            read_part(name)
