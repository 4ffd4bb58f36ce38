"""What a job on a table is asked to do: frozen values whose fields are the options of every face."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from graphwell._checks import one_of
from graphwell.errors import OptionError
from graphwell.estimators.registry import DEFAULT

SCALES = ("auto", "none", "standard", "robust")
MISSING_RULES = ("fill", "error", "drop", "mean")


@dataclass(frozen=True, kw_only=True)
class TableOptions:
    """How a table is read, whatever is done with it then.

    Attributes
    ----------
    table : Path
        File to read.
    label : str
        Column of the given labels; empty if there is none yet.
    features : tuple of str, optional
        Columns to compare rows by; all that say something and have no other role by default.
    drop : tuple of str
        Columns that are no features.
    row_id : str, optional
        Column that names the rows.
    truth : str, optional
        Column of the true labels, to compare the result with.
    unknown : tuple of str
        Cells of `label` and `truth` that mean unknown, besides empty ones, in place of ``?``, ``unknown`` and
        the like.
    decimal : {".", ","}, optional
        The decimal mark; found in each column by default.
    as_number, as_category : tuple of str
        Features whose kind is known.
    scale : {"auto", "none", "standard", "robust"}
        Leave it to the method, or to rules that look at the data; leave features as they are; bring each to
        mean 0 and variance 1, or to median 0 and interquartile range 1.
    pca : int, optional
        Number of principal components that features are projected onto; none by default.
    missing : {"fill", "error", "drop", "mean"}
        Put the median or the most frequent value in the place of missing values, with a further column that
        says where they were if they are many; refuse them; leave their rows out; or put the mean of the
        column in their place.
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

    def __post_init__(self) -> None:
        if self.features is not None and not any(name.strip() for name in self.features):
            raise OptionError("features", "{field} names no column; name at least one, or leave it out.")
        if self.decimal not in (None, ".", ","):
            raise OptionError("decimal", "{field} must be a point or a comma, got {!r}.", self.decimal)
        one_of("scale", self.scale, SCALES)
        one_of("missing", self.missing, MISSING_RULES)
        if self.pca is not None and self.pca < 0:
            problem = "{field} must be a number of components, or 0 for none; got {}."
            raise OptionError("pca", problem, self.pca)


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
    suggest : int
        How many rows to label next to name.
    parameters : mapping
        Further parameters of the method's classifier, by name.
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
    suggest: int = 0
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
    others
        As in `TableOptions`.

    Examples
    --------
    >>> CompareOptions(table=Path("pets.csv"), label="kind").splits
    5
    """

    report: Path | None = None
    methods: tuple[str, ...] | None = None
    splits: int = 5
    n_neighbors: int = 10
