"""`graphwell suggest` as its users meet it: from no label to a labelled table."""

import pandas as pd

from tests.cli.blobs import run
from tests.jobs.tables import write_blobs


def test_from_no_label_to_a_labelled_table(tmp_path):
    truth = write_blobs(tmp_path / "in.csv")["truth"]
    bare = pd.read_csv(tmp_path / "in.csv").drop(columns=["label", "truth"])
    bare.to_csv(tmp_path / "bare.csv", index=False)
    asked = run("suggest", tmp_path / "bare.csv", "-n", 6, "--id", "name")
    assert asked.exit_code == 0, asked.output
    assert "120 rows, no label yet." in asked.stdout
    assert "largest group without a label" in asked.stdout
    ask = pd.read_csv(tmp_path / "bare.questions.csv")
    ask["label"] = truth[ask["graphwell_row"] - 1].to_numpy()
    ask.to_csv(tmp_path / "ask.csv", index=False)
    back = run("suggest", tmp_path / "bare.csv", "--answers", tmp_path / "ask.csv")
    assert back.exit_code == 0, back.output
    assert "6 answers merged; the table has 6 labels now." in back.stdout
    done = run("classify", tmp_path / "bare.answered.csv", "-o", tmp_path / "out.csv", "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert (pd.read_csv(tmp_path / "out.csv")["graphwell_label"] == truth).mean() > 0.98
