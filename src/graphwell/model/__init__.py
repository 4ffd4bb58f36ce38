"""What is minimised: the potentials, the difference between states and the energies of the paper."""

from graphwell.model.difference import label, r_hat, r_hat_slope, rho
from graphwell.model.energy import binary_energy, multiclass_energy, multiclass_gradient
from graphwell.model.potential import (
    double_well,
    double_well_slope,
    fractional_part,
    periodic_well,
    periodic_well_slope,
)

__all__ = [
    "binary_energy",
    "double_well",
    "double_well_slope",
    "fractional_part",
    "label",
    "multiclass_energy",
    "multiclass_gradient",
    "periodic_well",
    "periodic_well_slope",
    "r_hat",
    "r_hat_slope",
    "rho",
]
