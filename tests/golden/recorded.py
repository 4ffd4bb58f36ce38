"""The recorded results, and how a new one is compared with them.

Labels, row numbers and texts must be equal. Numbers may differ by 1e-6: exponentials round differently on
another kind of processor. A file of whole arrays would be large, so labels are kept as a hash with the count
of each value, which says what changed, and at most 100 numbers of an array are kept, evenly spaced.
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from hashlib import blake2b
from pathlib import Path
from typing import Any

import numpy as np

FILE = Path(__file__).with_name("golden.json")
TOLERANCE = 1e-6
MOST_NUMBERS = 100

Output = Mapping[str, Any]
"""Arrays by name, as a case returns them."""


def summary(output: Output) -> dict[str, Any]:
    """An output in the form in which it is recorded."""
    return {name: _numbers(value) if _inexact(value) else _exact(value) for name, value in output.items()}


def differences(output: Output, known: Mapping[str, Any]) -> list[str]:
    """One sentence for each array that is not as recorded."""
    found = []
    now = summary(output)
    if list(now) != list(known):
        return [f"the result has {list(now)}, recorded are {list(known)}"]
    for name, value in now.items():
        was = known[name]
        if value["shape"] != was["shape"]:
            found.append(f"{name} has shape {value['shape']}, not {was['shape']}")
        elif "hash" in value and value["hash"] != was["hash"]:
            found.append(f"{name} differ: now {value['counts']}, recorded {was['counts']}")
        elif "numbers" in value:
            off = np.abs(np.array(value["numbers"]) - np.array(was["numbers"]))
            if not (off <= TOLERANCE).all():
                found.append(f"{name} differ by up to {off.max():.2g}")
    return found


def bits(output: Output) -> dict[str, str]:
    """A hash of every bit of each array, to compare two versions on one machine."""
    return {name: _hash(value) for name, value in output.items()}


def load() -> dict[str, Any]:
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def save(cases: Mapping[str, Callable[[], Output]]) -> None:
    """Run cases and record them; others stay as they are."""
    known = load()
    for name, case in cases.items():
        known[name] = summary(case())
    lines = [f"{json.dumps(name)}: {json.dumps(known[name])}" for name in sorted(known)]
    FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")


def _inexact(value: Any) -> bool:
    return np.asarray(value).dtype.kind == "f"


def _numbers(value: Any) -> dict[str, Any]:
    array = np.asarray(value, dtype=np.float64)
    thinned = array.ravel()[:: max(1, -(-array.size // MOST_NUMBERS))]
    return {"shape": list(array.shape), "numbers": [float(f"{x:.9g}") for x in thinned]}


def _exact(value: Any) -> dict[str, Any]:
    array = np.asarray(value)
    counts = Counter(map(str, array.ravel().tolist())).most_common(12)
    return {"shape": list(array.shape), "hash": _hash(array), "counts": dict(counts)}


def _hash(value: Any) -> str:
    array = np.asarray(value)
    if array.dtype.kind in "iub":
        array = array.astype(np.int64)
    data = (
        array.tobytes() if array.dtype.kind in "if" else "\0".join(map(str, array.ravel().tolist())).encode()
    )
    return blake2b(data, digest_size=16).hexdigest()
