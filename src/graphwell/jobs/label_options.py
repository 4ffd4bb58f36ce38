"""What a table is labelled by hand with: its files, and what is shown of its rows."""

from dataclasses import dataclass, replace
from pathlib import Path

from graphwell.io.tables.base import Table
from graphwell.jobs.columns import Roles
from graphwell.jobs.suggest import SuggestOptions


@dataclass(frozen=True, kw_only=True)
class LabelOptions(SuggestOptions):
    """Which table to label, and what to show of its rows.

    Attributes
    ----------
    output : Path, optional
        File for the labelled table; by default beside the table.
    image_column : str, optional
        Column with the file of each row's picture.
    images : Path, optional
        Folder of the pictures; that of the table by default. Without `image_column` there is a picture for
        each row in it: named like the row where `row_id` names the rows, else in the order of their names.
    text_column : str, optional
        Column with the text of each row.
    pixels : (int, int), optional
        Width and height, where the numbers of a row are a picture.
    xy : (str, str), optional
        Columns with the place of each row on the map.
    classes : tuple of str
        Names of classes to answer with, beside those of the labels.
    safe_csv : bool
        Put an apostrophe before cells of text that a spreadsheet would run as formulas.
    """

    image_column: str | None = None
    images: Path | None = None
    text_column: str | None = None
    pixels: tuple[int, int] | None = None
    xy: tuple[str, str] | None = None
    classes: tuple[str, ...] = ()
    safe_csv: bool = False

    def roles(self, table: Table) -> Roles:
        """What the columns are for; pictures and places on the map are no features."""
        roles = super().roles(table)
        shown = {self.image_column, *(self.xy or ())}
        shown -= {roles.label, roles.row_id, *(self.features or ())}
        return replace(roles, drop=(*roles.drop, *(name for name in table.names if name in shown)))

    @property
    def labelled(self) -> Path:
        """File for the labelled table."""
        return self.output or self.table.with_name(f"{self.table.stem}.labelled{self.table.suffix}")

    @property
    def answers(self) -> Path:
        """File for the answers alone."""
        return self.labelled.with_name(f"{self.labelled.stem.removesuffix('.labelled')}.answers.csv")
