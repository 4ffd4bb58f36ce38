"""Hostile files and names get one sentence, before they cost anything."""

import os
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from tests.cli import blobs

ROWS = "x,z,label\n1,2,a\n2,1,b\n3,3,\n4,5,\n"


def run(folder, *arguments, table="in.csv", command="classify"):
    out = folder / ("out.csv" if command == "classify" else "out.png")
    finished = blobs.run(command, folder / table, "-o", out, "--jobs", 1, *arguments)
    assert "Traceback" not in finished.output
    return finished.exit_code, " ".join(finished.output.split())


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "in.csv").write_text(ROWS)
    return tmp_path


def test_links_in_a_circle_and_pipes(folder):
    (folder / "loop.csv").symlink_to(folder / "loop.csv")
    os.mkfifo(folder / "pipe.csv")
    os.mkfifo(folder / "pipe.png")
    for name in ("image.npy", "seeds.npy"):
        np.save(folder / name, np.zeros((5, 5), dtype=int))
    assert "leads back to itself" in run(folder, table="loop.csv")[1]
    assert "no regular file" in run(folder, table="pipe.csv")[1]
    for image, seeds in (("pipe.png", "seeds.npy"), ("image.npy", "pipe.png")):
        said = run(folder, "--seeds", folder / seeds, table=image, command="segment")[1]
        assert "pipe.png is no regular file" in said


def test_a_report_on_a_file_whose_name_is_no_unicode(folder):
    name = os.fsdecode(b"caf\xe9.csv")
    (Path(folder) / name).write_text(ROWS)
    code, said = run(folder, "--report", folder / "page.html", "--set", "n_neighbors=2", table=name)
    assert code == 0, said
    assert (folder / "page.html").read_text(encoding="utf-8")
    assert (folder / "out.csv").exists()


def test_tables_that_would_not_fit_are_refused(folder):
    (folder / "big.csv").write_text("a,b,c\n" + "1,2,3\n" * 20_000)
    np.savez_compressed(folder / "big.npz", X=np.zeros((20_000, 3)))
    for name in ("big.csv", "big.npz"):
        code, said = run(folder, "--set", "max_memory=100kB", table=name)
        assert code == 2
        assert "of memory, more than the 100 kB allowed; make it smaller, or allow more with" in said


def test_a_picture_that_would_not_fit_is_refused(folder):
    blank = folder / "blank.png"
    Image.new("L", (3000, 3000)).save(blank)
    code, said = run(
        folder, "--seeds", folder / "in.csv", "--set", "max_memory=100MB", table=blank, command="segment"
    )
    assert code == 2
    assert "blank.png needs about 540.0 MB of memory, more than the 100.0 MB allowed" in said


def test_labels_that_a_spreadsheet_would_run(folder):
    (folder / "in.csv").write_text(ROWS.replace(",a", ",=cmd|' /C calc'!A0").replace(",b", ",-1 + 1"))
    code, said = run(folder, "--set", "n_neighbors=2")
    assert code == 0
    assert "begins like a formula, which a spreadsheet may run; --set safe_csv=True defuses it." in said
    code, said = run(folder, "--set", "n_neighbors=2", "--set", "safe_csv=true")
    assert code == 0
    assert "formula" not in said
    cells = [cell for line in (folder / "out.csv").read_text().splitlines() for cell in line.split(",")]
    assert not [cell for cell in cells if cell.startswith(("=", "+", "@", "-1 "))]
    assert "'=cmd|' /C calc'!A0" in cells
