"""Where public data sets lie, and what their files must be: a name, an address, a checksum for each file."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Checksum:
    """What the bytes of a file must sum up to.

    Attributes
    ----------
    kind : {"sha256", "md5"}
    digest : str
    unpacked : bool
        Of what a gzipped file holds, which does not depend on who compressed it; else of the file itself.
    """

    kind: str
    digest: str
    unpacked: bool = False


@dataclass(frozen=True)
class Source:
    """A data set in a public place.

    Attributes
    ----------
    address : str
        What stands before the name of each file.
    most_bytes : int
        No file is larger.
    files : dict
        Checksums by name.
    """

    address: str
    most_bytes: int
    files: dict[str, Checksum]


SOURCES = {
    "mnist": Source(
        "https://storage.googleapis.com/cvdf-datasets/mnist/",
        60_000_000,
        {
            "train-images-idx3-ubyte.gz": Checksum(
                "sha256", "ba891046e6505d7aadcbbe25680a0738ad16aec93bde7f9b65e87a2fc25776db", True
            ),
            "train-labels-idx1-ubyte.gz": Checksum(
                "sha256", "65a50cbbf4e906d70832878ad85ccda5333a97f0f4c3dd2ef09a8a9eef7101c5", True
            ),
            "t10k-images-idx3-ubyte.gz": Checksum(
                "sha256", "0fa7898d509279e482958e8ce81c8e77db3f2f8254e26661ceb7762c4d494ce7", True
            ),
            "t10k-labels-idx1-ubyte.gz": Checksum(
                "sha256", "ff7bcfd416de33731a308c3f266cc351222c34898ecbeaf847f06e48f7ec33f2", True
            ),
        },
    ),
    "fashion-mnist": Source(
        "https://raw.githubusercontent.com/zalandoresearch/fashion-mnist/master/data/fashion/",
        60_000_000,
        {
            "train-images-idx3-ubyte.gz": Checksum("md5", "8d4fb7e6c68d591d4c3dfef9ec88bf0d"),
            "train-labels-idx1-ubyte.gz": Checksum("md5", "25c81989df183df01b3e8a0aad5dffbe"),
            "t10k-images-idx3-ubyte.gz": Checksum("md5", "bef4ecab320f06d8554ea6380940ec79"),
            "t10k-labels-idx1-ubyte.gz": Checksum("md5", "bb300cfdad3c16e7a12a480ee83cd310"),
        },
    ),
}
"""Every data set that `graphwell.datasets.fetch` knows; sums of the kind md5 are what others publish."""
