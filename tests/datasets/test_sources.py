"""The list of public data sets."""

import gzip
import hashlib

import pytest

from graphwell.datasets.sources import SOURCES


@pytest.mark.parametrize("name", SOURCES)
def test_every_file_has_a_safe_address_and_a_whole_checksum(name):
    source = SOURCES[name]
    assert source.address.startswith("https://")
    assert source.address.endswith("/")
    for file, wanted in source.files.items():
        assert len(bytes.fromhex(wanted.digest)) == hashlib.new(wanted.kind).digest_size
        assert "/" not in file


def test_our_own_sums_are_those_of_the_data(shared_data):
    for file, wanted in SOURCES["mnist"].files.items():
        content = gzip.decompress((shared_data / "mnist" / file).read_bytes())
        assert hashlib.sha256(content).hexdigest() == wanted.digest
