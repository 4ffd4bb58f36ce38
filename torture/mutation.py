"""Sound files of every format, and bytes of them replaced, removed, repeated and put in."""

import io
import random
from functools import cache

import numpy as np

TABLES = (".csv", ".tsv", ".npy", ".npz", ".parquet", ".jsonl", ".xlsx")
PICTURES = (".png", ".jpg", ".tif", ".npy", ".npz")
ODD = (
    b"\0",
    b"\xff",
    b"\n",
    b",",
    b'"',
    b"-1",
    b"1e308",
    b"nan",
    b"\x80",
    b"PK\x03\x04",
    b"\x7f\xff\xff\xff",
)


def mutated(content: bytes, rng: random.Random) -> bytes:
    """The same bytes, damaged in one to four places."""
    data = bytearray(content)
    for _ in range(rng.randint(1, 4)):
        place = rng.randint(0, len(data))
        kind = rng.randrange(6)
        if kind == 0 and data:
            data[place % len(data)] ^= 1 << rng.randrange(8)
        elif kind == 1:
            del data[place : place + rng.randint(1, 64)]
        elif kind == 2:
            data[place:place] = rng.randbytes(rng.randint(1, 16))
        elif kind == 3:
            data[place:place] = rng.choice(ODD)
        elif kind == 4:
            data[place:place] = data[place // 2 : place // 2 + rng.randint(1, 200)]
        else:
            del data[place:]
    return bytes(data)


@cache
def sound_table(suffix: str) -> bytes:
    """A small table with labels."""
    import pandas as pd

    rng, out = np.random.default_rng(0), io.BytesIO()
    frame = pd.DataFrame(rng.normal(size=(30, 3)).round(3), columns=["x", "y", "z"])
    frame["label"] = ["a", "b", "c"] + [""] * 27
    if suffix in (".csv", ".tsv"):
        return frame.to_csv(index=False, sep="," if suffix == ".csv" else "\t").encode()
    if suffix == ".jsonl":
        return frame.to_json(orient="records", lines=True).encode()
    if suffix == ".npy":
        np.save(out, frame.to_records(index=False, column_dtypes={"label": "U1"}))
    elif suffix == ".npz":
        np.savez(out, X=frame[["x", "y", "z"]].to_numpy(), label=frame.label.to_numpy().astype("U"))
    elif suffix == ".xlsx":
        frame.to_excel(out, index=False)
    else:
        frame.to_parquet(out)
    return out.getvalue()


@cache
def sound_picture(suffix: str) -> bytes:
    """A small picture, whose colours also serve as marks."""
    from PIL import Image

    out, pixels = io.BytesIO(), np.zeros((16, 20, 3), dtype=np.uint8)
    pixels[4:8, 2:6], pixels[10:14, 12:18] = (255, 0, 0), (0, 255, 0)
    if suffix in (".npy", ".npz"):
        save = np.save if suffix == ".npy" else np.savez
        save(out, pixels[..., 0].astype(int) // 255)
    else:
        names = {".png": "PNG", ".jpg": "JPEG", ".tif": "TIFF"}
        Image.fromarray(pixels).save(out, format=names[suffix])
    return out.getvalue()
