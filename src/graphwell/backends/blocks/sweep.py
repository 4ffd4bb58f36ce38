"""The sweeps of one block at one epsilon: the kernels of the CPU engine between two exchanges of the halo."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.blocks.block import PRECISION, GraphBlock
from graphwell.backends.blocks.programs import NOTHING, Program, Said
from graphwell.backends.blocks.rows import narrow

if TYPE_CHECKING:
    from graphwell.backends.cpu.engine import Forces
    from graphwell.backends.cpu.layout import Packing


@dataclass(frozen=True)
class BlockForces:
    """What acts on the vertices of a block besides their neighbours, and how states are packed.

    Attributes
    ----------
    acting : Forces
        As the CPU engine has them, in the order of the layout.
    values : array
        Entries of ``S`` in the units of packed states.
    implicit : bool
    packing : Packing
    """

    acting: "Forces"
    values: FloatArray
    implicit: bool
    packing: "Packing"

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return len(self.acting.shares)


def make_forces(
    block: GraphBlock,
    labels: IntArray,
    fidelities: FloatArray,
    total_degree: float,
    balance: tuple[float, FloatArray] | None,
    n_classes: int,
    implicit: bool,
) -> BlockForces:
    """Place the known labels and the null model of a problem."""
    from graphwell.backends.cpu.engine import Forces
    from graphwell.backends.cpu.layout import Packing

    packing = Packing.of(n_classes, PRECISION)
    strength, shares = balance or (0.0, np.zeros(n_classes))
    phi = np.sqrt(block.degrees / total_degree) if balance else np.zeros(block.n_own)
    acting = Forces(
        known=block.placed(np.where(labels >= 0, labels, 0)),
        fidelity=block.placed(fidelities),
        phi=block.placed(phi),
        strength=strength,
        shares=shares.astype(PRECISION),
    )
    values = block.rows.values / PRECISION.type(2.0**packing.shift)
    return BlockForces(acting, values, implicit, packing)


def sweeps(
    block: GraphBlock,
    forces: BlockForces,
    labels: IntArray,
    offsets: FloatArray,
    *,
    epsilon: float,
    step_size: float,
    count: int,
) -> Program:
    """Move all vertices of a block `count` times.

    It returns labels and offsets of the block, its part of the energy, and how often a class changed.
    """
    from graphwell.backends.cpu import sweep as kernels
    from graphwell.backends.cpu.layout import LANES

    rows, acting, packing, real = block.rows, forces.acting, forces.packing, PRECISION.type
    n, placed = rows.n_positions, block.placed(offsets)
    words = block.with_halo(packing.pack(rows.placed(labels, np.int32), placed))
    following, changes = words.copy(), 0
    edges = (rows.starts, rows.columns, forces.values, rows.row_sums)
    steps = (real(epsilon), real(step_size), forces.implicit, packing.shift)
    pressure = np.zeros_like(acting.shares)

    def move(*some: Any) -> int:
        return int(kernels.sweep(*some, *kernels.room(forces.n_classes, PRECISION)))

    for _ in range(count):
        heard = yield Said(words[:n], _masses(block, forces, words, placed))
        words[n:] = heard.halo
        if acting.strength > 0:
            pressure = acting.pressure(heard.sums)
        here = (acting.known, acting.fidelity, acting.phi, pressure, words, following, placed)
        changes += sum(block.share(move, *edges, *here, *steps))
        words, following = following, words
    heard = yield Said(words[:n])
    words[n:] = heard.halo
    energies = np.empty(len(rows.parts) - 1)
    seen = (acting.known, acting.fidelity, words, placed, float(epsilon), packing.shift)
    sums = np.empty((len(energies), 2 * LANES), dtype=PRECISION)
    block.share(kernels.energy, *edges, *seen, sums, energies)
    return (
        narrow(rows.restored(packing.labels(words[:n])), forces.n_classes),
        rows.restored(placed),
        float(energies.sum()),
        int(changes),
    )


def end_of(swept: tuple[IntArray, FloatArray, float, int]) -> tuple[float, int]:
    """The energy of a block, and how often a class changed."""
    return swept[2:]


def _masses(block: GraphBlock, forces: BlockForces, words: IntArray, offsets: FloatArray) -> IntArray:
    """Mass of each class in the block, in whole numbers; nothing where none is needed."""
    from graphwell.backends.cpu import sweep as kernels

    if forces.acting.strength <= 0:
        return NOTHING.astype(np.int64)

    def weigh(*some: Any) -> IntArray:
        found = np.zeros(forces.n_classes, dtype=np.int64)
        kernels.masses(*some, found)
        return found

    seen = (words, offsets, forces.acting.phi, forces.packing.shift)
    return np.asarray(np.sum(block.share(weigh, *seen), axis=0))
