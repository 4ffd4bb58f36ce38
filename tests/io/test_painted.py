"""Seeds from pictures and arrays."""

import numpy as np
import pytest
from PIL import Image, ImageDraw

from graphwell.io.images import read_seeds

SHAPE = (40, 60)
RED, BLUE, BLACK, WHITE = (255, 0, 0), (0, 0, 255), (0, 0, 0), (255, 255, 255)


def canvas(mode="RGBA"):
    picture = Image.new(mode, SHAPE[::-1])
    return picture, ImageDraw.Draw(picture)


def read(tmp_path, picture, background="auto", of=None):
    picture.save(tmp_path / "seeds.png")
    return read_seeds(tmp_path / "seeds.png", SHAPE, background, picture=of)


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


def photograph():
    """Something with edges, gradients and texture."""
    rows, columns = np.indices(SHAPE)
    noise = np.random.default_rng(0).normal(0, 0.05, (*SHAPE, 3))
    values = np.stack([rows / 60, columns / 80, (rows > 20) * 0.5], axis=2) + 0.1 + noise
    return Image.fromarray(np.round(255 * np.clip(values, 0, 1)).astype(np.uint8))


@pytest.mark.parametrize(("name", "background"), [("seeds.png", "auto"), ("seeds.tif", "picture")])
@pytest.mark.parametrize("decoded", [0, 2])
def test_strokes_over_a_copy_of_the_picture_are_found_by_difference(tmp_path, name, background, decoded):
    """Also where another program decoded the picture a little differently."""
    copy = Image.fromarray(np.clip(np.asarray(photograph()), decoded, 255) - np.uint8(decoded))
    draw = ImageDraw.Draw(copy)
    draw.rectangle((5, 5, 25, 12), RED)
    draw.rectangle((30, 25, 50, 34), (255, 255, 0))
    copy.save(tmp_path / name)
    picture = np.asarray(photograph()) / 255
    seeds = read_seeds(tmp_path / name, SHAPE, background, picture=picture)
    wanted = np.full(SHAPE, -1)
    wanted[5:13, 5:26], wanted[25:35, 30:51] = 0, 1
    np.testing.assert_array_equal(seeds.classes, wanted)
    assert str(seeds.notes[0]) == "The marks were taken to be painted on a copy of the picture."


def test_compressed_marks_are_refused(tmp_path):
    picture = Image.new("RGB", (120, 120), "white")
    for color, line in {"red": [(8, 21), (90, 34)], "blue": [(9, 60), (88, 51)]}.items():
        ImageDraw.Draw(picture).line(line, fill=color, width=5)
    picture.save(tmp_path / "seeds.jpg", quality=75)
    with pytest.raises(ValueError, match="JPEG smears the colours of marks; save them as PNG"):
        read_seeds(tmp_path / "seeds.jpg", (120, 120))
    Image.open(tmp_path / "seeds.jpg").save(tmp_path / "seeds.png")
    with pytest.raises(ValueError, match="changed pixels have colours that are no mixture of"):
        read_seeds(tmp_path / "seeds.png", (120, 120))


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
    with pytest.raises(ValueError, match=r"seeds .* holds 2 pictures; save the one you want"):
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
    for background in ("black", "white", "picture"):
        with pytest.raises(ValueError, match=r"no mixture of the .* plain ones; name the ground"):
            read(tmp_path, other, background, of=np.asarray(photograph()) / 255)


def on_a_ground(values, noise=2):
    """A grey picture with a bright disc on a ground that covers most of it."""
    rows, columns = np.indices((120, 160))
    noise = np.random.default_rng(1).normal(0, noise, values.shape)
    bright = np.where(np.hypot(rows - 60, columns - 80) < 30, 200 + 30 * np.sin(columns / 6), values)
    return Image.fromarray(np.clip(bright + noise, 0, 255).astype(np.uint8))


@pytest.mark.parametrize("background", ["auto", "#3c3c3c"])
def test_a_photograph_with_an_even_ground_is_no_picture_of_marks(tmp_path, background):
    on_a_ground(60 + np.indices((120, 160))[1] / 40).save(tmp_path / "photo.png")
    with pytest.raises(ValueError, match="no mixture of the 0 plain ones"):
        read_seeds(tmp_path / "photo.png", (120, 160), background)


def test_an_object_cut_out_of_a_photograph_is_no_mark(tmp_path):
    grey = np.asarray(on_a_ground(np.full((120, 160), 60.0), noise=12))
    inside = np.hypot(*(np.indices(grey.shape) - [[[60]], [[80]]])) < 40
    opacity = np.where(inside, 255, 0).astype(np.uint8)
    Image.fromarray(np.dstack([grey, grey, grey, opacity])).save(tmp_path / "cut.png")
    with pytest.raises(ValueError, match="no mixture"):
        read_seeds(tmp_path / "cut.png", grey.shape)


def test_unclear_marks_are_refused(tmp_path):
    rng = np.random.default_rng(0)
    pixels = np.zeros((*SHAPE, 3), dtype=np.uint8)
    pixels[5:15, 5:25], pixels[25:35, 30:50] = RED, BLUE
    pixels[16:24, 5:55] = rng.integers(60, 255, (8, 50, 3))
    with pytest.raises(ValueError, match=r"no mixture of the \d+ plain ones.*hard brush"):
        read(tmp_path, Image.fromarray(pixels))


@pytest.mark.parametrize(
    ("marks", "words"),
    [
        (np.zeros(SHAPE), "must hold integers with -1 for unknown, not float64"),
        (np.zeros((60, 40), int), r"size of the image, 40 x 60 \(rows x columns\), but has 60 x 40"),
        (np.zeros((40, 60, 1), int), "but has the shape"),
        (np.full(SHAPE, -2), "must hold classes from 0"),
        (np.full(SHAPE, 2**40), "must hold classes from 0"),
        (np.full(SHAPE, -1), "marks no pixel at all"),
    ],
)
def test_bad_arrays_are_refused(tmp_path, marks, words):
    np.save(tmp_path / "s.npy", marks)
    with pytest.raises(ValueError, match=words):
        read_seeds(tmp_path / "s.npy", SHAPE)


def test_arrays(tmp_path):
    classes = np.full(SHAPE, -1)
    classes[3, 4], classes[10, 20], classes[39, 59] = 7, 2, 7
    np.save(tmp_path / "s.npy", classes.astype(np.int16))
    np.savez(tmp_path / "s.npz", seeds=classes, other=np.zeros(2))
    for name in ("s.npy", "s.npz"):
        seeds = read_seeds(tmp_path / name, SHAPE)
        assert (seeds.classes == classes).all()
        assert seeds.names == {2: "2", 7: "7"}
        assert len(set(seeds.colors.values())) == 2


@pytest.mark.parametrize("numbers", [[[0, 255, 255]], [[0, 30, 255]]])
def test_other_greys_are_colours(tmp_path, numbers):
    """Black on white or white on black, and two greys."""
    Image.fromarray(np.kron(np.uint8(numbers), np.ones((10, 10), np.uint8))).save(tmp_path / "s.png")
    notes = read_seeds(tmp_path / "s.png", (10, 10 * len(numbers[0]))).notes
    assert "The greys of the marks were taken for numbers of classes." not in map(str, notes)


def test_numbers_among_which_some_are_missing_are_refused(tmp_path):
    numbers = np.kron(np.uint8([[0, 1, 200, 255]]), np.ones((10, 10), np.uint8))
    Image.fromarray(numbers).save(tmp_path / "s.png")
    with pytest.raises(ValueError, match="colours that are no mixture"):
        read_seeds(tmp_path / "s.png", (10, 40))


def test_half_transparent_strokes_and_named_grounds(tmp_path):
    with pytest.raises(ValueError, match="marks no pixel at all"):
        read(tmp_path, canvas()[0])
    with pytest.raises(ValueError, match=r"must have the size of the image, 40 x 60 .* but has 40 x 30"):
        read(tmp_path, canvas()[0].resize((30, 40)))
    picture, draw = canvas()
    draw.rectangle((5, 5, 15, 8), (*RED, 120))
    assert (read(tmp_path, picture).classes >= 0).sum() == 11 * 4
    for wrong in ("#12", "snowy", ""):
        with pytest.raises(
            ValueError, match="must be one of auto, transparent, picture or a colour like black"
        ):
            read(tmp_path, picture, wrong)
    for image in (None, np.zeros((*SHAPE, 7)), np.full(SHAPE, -1.0), np.full(SHAPE, 300.0)):
        with pytest.raises(ValueError, match="needs a picture of 1, 3 or 4 channels"):
            read(tmp_path, picture, "picture", of=image)
