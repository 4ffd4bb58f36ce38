"""What a job on a table is asked to do: frozen values whose fields are the options of every face."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from graphwell.estimators.registry import DEFAULT
from graphwell.jobs.columns import Roles
from graphwell.jobs.preprocess import Preprocessing


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How a table with some labels is read, whatever is done with it then.

    Attributes
    ----------
    table : Path
        File to read.
    label, features, drop, row_id, truth, unknown, decimal, as_number, as_category
        As in `graphwell.jobs.columns.Roles`.
    scale, pca, missing
        As in `graphwell.jobs.preprocess.Preprocessing`.
    classes : tuple of str
        Classes there are, if some have no label yet.
    n_jobs : int, optional
        Threads; all cores by default.
    seed : int
        Of everything random.
    delimiter, encoding : str, optional
        Of a text table; found by default.
    max_memory : str, optional
        Files that need more are refused before they are read, "4GB" say; what is free by default.
    """

    table: Path
    label: str = "label"
    features: tuple[str, ...] | None = None
    drop: tuple[str, ...] = ()
    row_id: str | None = None
    truth: str | None = None
    unknown: tuple[str, ...] = ()
    decimal: str | None = None
    as_number: tuple[str, ...] = ()
    as_category: tuple[str, ...] = ()
    scale: str = "auto"
    pca: int | None = None
    missing: str = "fill"
    classes: tuple[str, ...] = ()
    n_jobs: int | None = None
    seed: int = 0
    delimiter: str | None = None
    encoding: str | None = None
    max_memory: str | None = None

    @property
    def roles(self) -> Roles:
        """What the columns are for."""
        return Roles(
            self.label, self.features, self.drop, self.row_id, self.truth, self.unknown, self.decimal,
            self.as_number, self.as_category,
        )  # fmt: skip

    @property
    def preprocessing(self) -> Preprocessing:
        """What is done to the features."""
        return Preprocessing(self.scale, self.pca, self.missing)


@dataclass(frozen=True, kw_only=True)
class ClassifyOptions(TableOptions):
    """How to label the rows of a table.

    Attributes
    ----------
    table : Path
        File to read; with `cluster` also a folder of Parquet files.
    output : Path, optional
        File for the labelled table.
    report : Path, optional
        File for a page with pictures.
    method : str
        One of ``graphwell.methods()``.
    class_prior : "auto", "labels" or mapping, optional
        Sizes of the classes as shares of all rows: estimated, as among the labels, or by name, each a share
        or a pair (lowest, highest).
    n_neighbors, start, fidelity, device
        Of the method; its own defaults where None.
    tune : bool
        Let the method choose how rows are compared, where it can and `scale` is "auto".
    evidence : {"auto", "none"}
        Whether the method also asks classifiers about each row, where it can.
    holdout : float, optional
        Share of the given labels to hide in a first run, to measure the accuracy on them.
    checkpoint : Path, optional
        File that the run is saved in; a killed run goes on from it.
    cluster : str, optional
        Address of a Dask scheduler, or "local" for processes here: `n_jobs` of them where the table does not
        fit into memory, else one, which is faster. "local:4" starts four whatever the table's size.
    safe_csv : bool
        Put an apostrophe before cells of text that a spreadsheet would run as formulas.
    parameters : mapping
        Further parameters of the method's classifier, by name.

    Examples
    --------
    >>> ClassifyOptions(table=Path("pets.csv"), truth="kind").roles.truth
    'kind'
    """

    output: Path | None = None
    report: Path | None = None
    method: str = DEFAULT
    class_prior: str | Mapping[str, float | tuple[float, float]] | None = None
    n_neighbors: int | None = None
    start: str | None = None
    fidelity: float | None = None
    tune: bool = True
    evidence: str = "auto"
    device: str = "cpu"
    holdout: float | None = None
    checkpoint: Path | None = None
    cluster: str | None = None
    safe_csv: bool = False
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def changed(self, *names: str) -> dict[str, Any]:
        """Return those of the named options that are not at their default.

        Examples
        --------
        >>> ClassifyOptions(table=Path("pets.csv"), pca=3).changed("pca", "scale")
        {'pca': 3}
        """
        defaults = {known.name: known.default for known in fields(self)}
        values = {name: getattr(self, name) for name in names}
        return {name: value for name, value in values.items() if value != defaults[name]}


@dataclass(frozen=True, kw_only=True)
class CompareOptions(TableOptions):
    """How to compare methods on the rows of a table.

    Attributes
    ----------
    report : Path, optional
        File for a page with pictures.
    methods : tuple of str, optional
        Names of methods, or "all"; by default graphwell and four models of scikit-learn.
    splits : int
        How often labels are hidden, each one once.
    n_neighbors : int
        Of the graph that methods share.
    table, label, features, drop, row_id, truth, unknown, decimal, as_number, as_category, scale, pca, missing
        As in `TableOptions`, and so are `classes`, `n_jobs`, `seed` and how a table is read.

    Examples
    --------
    >>> CompareOptions(table=Path("pets.csv"), label="kind").splits
    5
    """

    report: Path | None = None
    methods: tuple[str, ...] | None = None
    splits: int = 5
    n_neighbors: int = 10
