"""What a job is asked to do: frozen values whose fields are the options of every face."""

from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from graphwell.estimators.registry import DEFAULT
from graphwell.io.images.base import MAX_PIXELS
from graphwell.jobs.columns import Roles
from graphwell.jobs.preprocess import Preprocessing

if TYPE_CHECKING:
    from graphwell.io.images.seeds import Painting


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

    def changed(self, *names: str) -> dict[str, Any]:
        """Return those of the named options that are not at their default.

        Examples
        --------
        >>> ClassifyOptions(table=Path("pets.csv"), pca=3).changed("pca", "scale")
        {'pca': 3}
        """
        defaults = {field.name: field.default for field in fields(self)}
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
        Names of methods; by default all that can be applied.
    splits : int
        How often labels are hidden, each one once.
    n_neighbors : int
        Of the graph that methods share.
    checkpoint : Path, optional
        File that the comparison is saved in after every fit; a killed one goes on from it.
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
    checkpoint: Path | None = None


@dataclass(frozen=True, kw_only=True)
class SegmentOptions:
    """How to segment a picture.

    Attributes
    ----------
    image, seeds : Path
        The picture, and the marks in it.
    output : Path
        File for the labels.
    overlay, sheet, scores : Path, optional
        Files for the picture tinted and outlined by its classes, for a contact sheet (picture, marks, labels
        and doubt in one), and for a map of the uncertainty.
    masks : Path, optional
        Folder for one mask per class.
    background : str
        Which pixels of a seeds picture are unknown: "auto", "transparent", "black", "white", or "#rrggbb".
    strokes_on_picture : bool
        The seeds were painted over a copy of the picture; "auto" finds out where it is clear.
    snap : bool
        Give colours of the seeds that are no clear mixture to the nearest plain colour.
    seeds_out : Path, optional
        File for the marks as they were read, written before anything is computed.
    max_pixels : int
        Larger pictures are refused before they are read.
    max_memory : str, optional
        Pictures that need more are refused before they are read, "4GB" say; what is free by default.
    spacing : tuple of float, optional
        Distance between points along each axis, as in `graphwell.Segmenter`; what the file tells by default.
    channel_axis : int, optional
        The axis that holds channels, the last by default; a picture of three axes is then no volume.
    graph, radius, color_scale, smoothing, patch, n_neighbors, position_weight, fidelity, device, n_jobs
        As in `graphwell.Segmenter`.
    """

    image: Path
    seeds: Path
    output: Path
    overlay: Path | None = None
    sheet: Path | None = None
    scores: Path | None = None
    masks: Path | None = None
    background: str = "auto"
    strokes_on_picture: bool = False
    snap: bool = False
    seeds_out: Path | None = None
    max_pixels: int = MAX_PIXELS
    max_memory: str | None = None
    spacing: tuple[float, ...] | None = None
    channel_axis: int | None = None
    graph: str = "pixels"
    radius: float = 3.0
    color_scale: float | None = None
    smoothing: float | None = None
    patch: int = 1
    n_neighbors: int = 30
    position_weight: float = 1.0
    fidelity: float = 30.0
    device: str = "cpu"
    n_jobs: int | None = None

    @property
    def painting(self) -> "Painting":
        """How the colours of the seeds are to be understood."""
        from graphwell.io.images.seeds import Painting  # tables need no pictures

        return Painting(background=self.background, on_picture=self.strokes_on_picture, snap=self.snap)
