"""Seeds from pictures, arrays and text."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from graphwell.io.images import read_seeds
from graphwell.io.painted import Painting

SHAPE = (40, 60)
RED, BLUE, BLACK, WHITE = (255, 0, 0), (0, 0, 255), (0, 0, 0), (255, 255, 255)


def canvas(mode="RGBA"):
    picture = Image.new(mode, SHAPE[::-1])
    return picture, ImageDraw.Draw(picture)


def read(tmp_path, picture, background="auto", *, name="seeds.png", of=None, **painting):
    picture.save(tmp_path / name)
    return read_seeds(tmp_path / name, SHAPE, Painting(background=background, **painting), picture=of)


def test_colours_are_classes_and_transparent_is_unknown(tmp_path):
    picture, draw = canvas()
    draw.rectangle((5, 5, 15, 8), (*RED, 255))
    draw.rectangle((30, 5, 45, 8), (*BLACK, 255))
    draw.point((50, 30), (*BLUE, 255))
    seeds = read(tmp_path, picture)
    assert seeds.names == {0: "#000000", 1: "#0000ff", 2: "#ff0000"}
    assert seeds.colors == {0: BLACK, 1: BLUE, 2: RED}
    assert seeds.classes[30, 50] == 1
    assert (seeds.classes >= 0).sum() == 11 * 4 + 16 * 4 + 1
    assert seeds.notes == ()


def test_opaque_marks_have_a_ground_that_is_no_class(tmp_path):
    picture, draw = canvas("RGB")
    draw.rectangle((5, 5, 15, 8), RED)
    draw.rectangle((30, 5, 45, 8), BLUE)
    for arguments in ((), ("black",)):
        seeds = read(tmp_path, picture, *arguments)
        assert seeds.names == {0: "#0000ff", 1: "#ff0000"}
        assert (seeds.classes >= 0).sum() == 11 * 4 + 16 * 4
    with pytest.raises(ValueError, match='no transparent pixel to mean unknown; use background="black"'):
        read(tmp_path, picture, "transparent")
    colors = np.array([(200, 10 * number, 60) for number in range(20)], dtype=np.uint8)
    pixels = np.zeros((*SHAPE, 3), dtype=np.uint8)
    pixels[::2, 5:30] = colors[:, None]
    assert len(read(tmp_path, Image.fromarray(pixels)).names) == 20
    every = np.array([RED, BLUE, (0, 200, 0), (255, 255, 0)], dtype=np.uint8)[np.indices(SHAPE)[1] // 15]
    seeds = read(tmp_path, Image.fromarray(every))
    assert (seeds.classes >= 0).all()
    assert len(seeds.names) == 4


def antialiased(mode, background):
    big = Image.new(mode, (SHAPE[1] * 4, SHAPE[0] * 4), background)
    draw = ImageDraw.Draw(big)
    draw.line((20, 20, 200, 90), (*RED, 255)[: len(mode)], width=26)
    draw.line((30, 140, 200, 110), (*BLUE, 255)[: len(mode)], width=26)
    return big.resize(SHAPE[::-1], Image.Resampling.LANCZOS)


@pytest.mark.parametrize(("mode", "background"), [("RGB", BLACK), ("RGB", WHITE), ("RGBA", (0, 0, 0, 0))])
def test_antialiased_strokes_take_the_class_that_they_hold_most_of(tmp_path, mode, background):
    seeds = read(tmp_path, antialiased(mode, background))
    assert list(seeds.names.values()) == ["#0000ff", "#ff0000"]
    rows = np.indices(SHAPE)[0]
    assert (rows[seeds.classes == 1] < 27).all()
    assert (rows[seeds.classes == 0] > 23).all()
    assert 500 < (seeds.classes >= 0).sum() < 700


@pytest.mark.parametrize("quality", [90, 75])
@pytest.mark.parametrize("ground", ["black", "white", "#c8b89a"])
def test_strokes_that_compression_left_no_flat_spot_of(tmp_path, ground, quality):
    paints = {"#ff0000": [(8, 21), (90, 34)], "#0000ff": [(9, 60), (88, 51)], "#00c800": [(15, 98), (80, 85)]}
    picture = Image.new("RGB", (120, 120), ground)
    for color, line in paints.items():
        ImageDraw.Draw(picture).line(line, fill=color, width=4)
    picture.save(tmp_path / "seeds.jpg", quality=quality)
    marks = read_seeds(tmp_path / "seeds.jpg", (120, 120))
    assert len(marks.names) == 3
    for (left, above), (right, below) in paints.values():
        middle = marks.classes[(above + below) // 2 - 3 : (above + below) // 2 + 4, (left + right) // 2]
        assert len(set(middle[middle >= 0].tolist())) == 1


def photograph():
    """Something with edges, gradients and texture."""
    rows, columns = np.indices(SHAPE)
    noise = np.random.default_rng(0).normal(0, 0.05, (*SHAPE, 3))
    values = np.stack([rows / 60, columns / 80, (rows > 20) * 0.5], axis=2) + 0.1 + noise
    return Image.fromarray(np.round(255 * np.clip(values, 0, 1)).astype(np.uint8))


@pytest.mark.parametrize(
    ("name", "painting"), [("seeds.png", {}), ("seeds.jpg", {}), ("seeds.jpg", {"on_picture": True})]
)
def test_strokes_over_a_copy_of_the_picture_are_found_by_difference(tmp_path, name, painting):
    copy = photograph()
    draw = ImageDraw.Draw(copy)
    draw.rectangle((5, 5, 25, 12), RED)
    draw.rectangle((30, 25, 50, 34), (255, 255, 0))
    copy.save(tmp_path / name, quality=85)
    picture = np.asarray(photograph()) / 255
    seeds = read_seeds(tmp_path / name, SHAPE, Painting(**painting), picture=picture)
    assert len(seeds.names) == 2
    wanted = np.full(SHAPE, -1)
    wanted[5:13, 5:26], wanted[25:35, 30:51] = 0, 1
    assert (seeds.classes == wanted).mean() > 0.97
    assert str(seeds.notes[0]) == "The marks were taken to be painted on a copy of the picture."


def test_thin_soft_strokes_over_a_copy_have_no_flat_spot(tmp_path):
    marks = Image.new("RGBA", (4 * SHAPE[1], 4 * SHAPE[0]))
    lines = {RED: [(20, 20), (150, 70)], BLUE: [(30, 140), (200, 100)]}
    for color, line in lines.items():
        ImageDraw.Draw(marks).line(line, fill=(*color, 255), width=8)
    soft = marks.convert("RGBa").resize(SHAPE[::-1], Image.Resampling.BOX).convert("RGBA")
    Image.alpha_composite(photograph().convert("RGBA"), soft).convert("RGB").save(tmp_path / "seeds.png")
    found = read_seeds(tmp_path / "seeds.png", SHAPE, picture=np.asarray(photograph()))
    assert list(found.names.values()) == ["#0000ff", "#ff0000"]
    assert [found.classes[11, 20], found.classes[30, 29]] == [1, 0]


def test_marks_of_several_pages_are_refused(tmp_path):
    path = tmp_path / "pages.tif"
    photograph().save(path, save_all=True, append_images=[photograph()])
    with pytest.raises(ValueError, match="holds 2 pages; save the marks as a picture of one"):
        read_seeds(path, SHAPE)


def coded(kind):
    """Numbers of classes as greys, and the classes that they mean."""
    blocks = np.arange(24).reshape(4, 6)
    if kind == "gaps":  # 0 is unknown
        blocks = 2 * blocks
        return np.kron(blocks, np.ones((10, 10), int)), np.kron(blocks // 2 - 1, np.ones((10, 10), int))
    codes = np.full(SHAPE, 255)
    if kind == "map":
        codes[3:] = np.kron(blocks, np.ones((10, 10), int))[3:]
    else:
        codes[2, 2:50], codes[20, 2:7] = 0, 1
    return codes, np.where(codes == 255, -1, codes)


@pytest.mark.parametrize("kind", ["map", "gaps", "few"])
def test_numbers_of_classes_as_greys(tmp_path, kind):
    codes, wanted = coded(kind)
    seeds = read(tmp_path, Image.fromarray(codes.astype(np.uint8)))
    np.testing.assert_array_equal(seeds.classes, wanted)
    assert str(seeds.notes[0]) == "The greys of the marks were taken for numbers of classes."


def test_a_named_ground_is_believed(tmp_path):
    picture = Image.new("RGB", SHAPE[::-1], (0, 128, 0))
    draw = ImageDraw.Draw(picture)
    draw.rectangle((5, 5, 15, 8), RED)
    draw.rectangle((30, 5, 45, 8), WHITE)
    assert list(read(tmp_path, picture).names.values()) == ["#ff0000", "#ffffff"]
    assert list(read(tmp_path, picture, "white").names.values()) == ["#008000", "#ff0000"]
    assert list(read(tmp_path, picture, "#ff0000").names.values()) == ["#008000", "#ffffff"]


def test_a_photograph_is_no_picture_of_marks(tmp_path):
    other = Image.fromarray(255 - np.asarray(photograph()))
    with pytest.raises(ValueError, match="no colour covers half of the marks"):
        read(tmp_path, other, of=np.asarray(photograph()) / 255)
    for options in ({"background": "black"}, {"background": "white", "snap": True}, {"on_picture": True}):
        with pytest.raises(ValueError, match="which is no set of marks; name the ground"):
            read(tmp_path, other, of=np.asarray(photograph()) / 255, **options)


def on_a_ground(values, noise=2):
    """A grey picture with a bright disc on a ground that covers most of it."""
    rows, columns = np.indices((120, 160))
    noise = np.random.default_rng(1).normal(0, noise, values.shape)
    bright = np.where(np.hypot(rows - 60, columns - 80) < 30, 200 + 30 * np.sin(columns / 6), values)
    return Image.fromarray(np.clip(bright + noise, 0, 255).astype(np.uint8))


@pytest.mark.parametrize("name", ["photo.png", "photo.jpg"])
@pytest.mark.parametrize("painting", [Painting(), Painting(snap=True), Painting(background="#3c3c3c")])
def test_a_photograph_with_an_even_ground_is_no_picture_of_marks(tmp_path, name, painting):
    on_a_ground(60 + np.indices((120, 160))[1] / 40).save(tmp_path / name)
    with pytest.raises(ValueError, match="show no plain colours, which is no set of marks"):
        read_seeds(tmp_path / name, (120, 160), painting)


def test_another_photograph_and_an_object_cut_out_of_one_are_no_marks(tmp_path):
    rng = np.random.default_rng(0)
    picture = np.kron(rng.integers(0, 256, (24, 32, 1)), np.ones((5, 5, 3))).astype(np.uint8)
    Image.fromarray(np.roll(picture, 1, axis=1)).save(tmp_path / "moved.jpg", quality=95)
    with pytest.raises(ValueError, match="no set of marks"):
        read_seeds(tmp_path / "moved.jpg", (120, 160), picture=picture)
    grey = np.asarray(on_a_ground(np.full((120, 160), 60.0), noise=12))
    inside = np.hypot(*(np.indices(grey.shape) - [[[60]], [[80]]])) < 40
    opacity = np.where(inside, 255, 0).astype(np.uint8)
    Image.fromarray(np.dstack([grey, grey, grey, opacity])).save(tmp_path / "cut.png")
    with pytest.raises(ValueError, match=r"mixture|no set of marks"):
        read_seeds(tmp_path / "cut.png", grey.shape)


def test_unclear_marks_are_refused_or_snapped(tmp_path):
    rng = np.random.default_rng(0)
    pixels = np.zeros((*SHAPE, 3), dtype=np.uint8)
    pixels[5:15, 5:25], pixels[25:35, 30:50] = RED, BLUE
    pixels[16:24, 5:55] = rng.integers(60, 255, (8, 50, 3))
    picture = Image.fromarray(pixels)
    with pytest.raises(ValueError, match=r"no mixture of the \d+ plain ones.*snap=True"):
        read(tmp_path, picture)
    found = read(tmp_path, picture, snap=True).classes
    assert (found[5:15, 5:25] == found[6, 6]).all()


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        (b"# nothing\n", "marks no pixel at all"),
        (b"", "is empty"),
        (b"1,2\n", "line 1: expected three integers row,col,class, got '1,2'"),
        (b"1,2,a\n", "expected three integers"),
        (b"0,0,1\n40,0,1\n", "line 2: row 40, column 0 lies outside the picture of 40 rows and 60 columns"),
        (b"0,0,-1\n", "the class must be 0 or more, got -1"),
        (b"0,0,1\n0,0,2\n", "row 0, column 0 has the class 1 already"),
        (b"0,0,99999999999\n", "line 1: the class must be"),
        (b"\xff\xfe\x00\x81", "is no text"),
        (np.zeros(SHAPE), "must hold integers with -1 for unknown, not float64"),
        (np.zeros((60, 40), int), r"size of the image, 40 x 60 \(rows x columns\), but has 60 x 40"),
        (np.zeros((40, 60, 1), int), "but has the shape"),
        (np.full(SHAPE, -2), "must hold classes from 0"),
        (np.full(SHAPE, 2**40), "must hold classes from 0"),
        (np.full(SHAPE, -1), "marks no pixel at all"),
    ],
)
def test_bad_lists_and_arrays_are_refused(tmp_path, marks, words):
    if isinstance(marks, bytes):
        path = tmp_path / "s.txt"
        path.write_bytes(marks)
    else:
        path = tmp_path / "s.npy"
        np.save(path, marks)
    with pytest.raises(ValueError, match=words):
        read_seeds(path, SHAPE)


def test_arrays_and_text(tmp_path):
    classes = np.full(SHAPE, -1)
    classes[3, 4], classes[10, 20], classes[39, 59] = 7, 2, 7
    np.save(tmp_path / "s.npy", classes.astype(np.int16))
    np.savez(tmp_path / "s.npz", seeds=classes, other=np.zeros(2))
    (tmp_path / "s.txt").write_text("row,col,class\n3,4,7\n# a remark\n\n10, 20, 2\n39;59;7\n3\t4\t7\n")
    for name in ("s.npy", "s.npz", "s.txt"):
        seeds = read_seeds(tmp_path / name, SHAPE)
        assert (seeds.classes == classes).all()
        assert seeds.names == {2: "2", 7: "7"}
        assert len(set(seeds.colors.values())) == 2


@pytest.mark.parametrize("numbers", [[[0, 255, 255]], [[0, 30, 255]], [[0, 1, 200, 255]]])
def test_other_greys_are_colours(tmp_path, numbers):
    """Black on white or white on black, two greys, and numbers among which some are missing."""
    Image.fromarray(np.kron(np.uint8(numbers), np.ones((10, 10), np.uint8))).save(tmp_path / "s.png")
    notes = read_seeds(tmp_path / "s.png", (10, 10 * len(numbers[0]))).notes
    assert "The greys of the marks were taken for numbers of classes." not in map(str, notes)


def test_half_transparent_strokes_and_named_grounds(tmp_path):
    with pytest.raises(ValueError, match="marks no pixel at all"):
        read(tmp_path, canvas()[0])
    with pytest.raises(ValueError, match=r"must have the size of the image, 40 x 60 .* but has 40 x 30"):
        read(tmp_path, canvas()[0].resize((30, 40)))
    picture, draw = canvas()
    draw.rectangle((5, 5, 15, 8), (*RED, 120))
    assert (read(tmp_path, picture).classes >= 0).sum() == 11 * 4
    for wrong in ("#12", "snow", ""):
        with pytest.raises(ValueError, match="must be one of auto, transparent, black, white or a colour"):
            read(tmp_path, picture, wrong)
    for image in (None, np.zeros((*SHAPE, 7)), np.full(SHAPE, -1.0), np.full(SHAPE, 300.0)):
        with pytest.raises(ValueError, match="needs a picture of 1, 3 or 4 channels"):
            read(tmp_path, picture, on_picture=True, of=image)
