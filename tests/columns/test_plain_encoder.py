"""The encoder that jobs use before scikit-learn is imported: the same matrix as that of `TableEncoder`."""

import numpy as np

from graphwell.columns.encoder import TableEncoder
from graphwell.columns.plain_encoder import PlainEncoder

TABLE = {
    "size": ["1,5", "2", "", "4,25"],
    "colour": ["red", "blue", "red", "blue"],
    "when": ["2024-01-01", "2024-05-01", "2024-07-01", "2025-01-01"],
    "same": ["x"] * 4,
}


def test_it_is_the_public_encoder_without_its_base_class():
    plain, public = PlainEncoder(), TableEncoder()
    np.testing.assert_array_equal(plain.fit_transform(TABLE), public.fit_transform(TABLE))
    assert plain.fates_ == public.fates_
    assert plain.outputs_ == tuple(public.get_feature_names_out())
    assert "same" not in plain.encoders_


def test_the_public_encoder_has_its_parameters():
    assert TableEncoder(drop=["size"]).get_params()["drop"] == ["size"]
    assert set(vars(PlainEncoder())) == set(TableEncoder().get_params())
