"""One sweep of one block, as a task: the kernel of the CPU engine between two exchanges of the halo."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from graphwell._types import FloatArray, IntArray
from graphwell.backends.blocks.block import PRECISION, GraphBlock, from_exports

if TYPE_CHECKING:
    from graphwell.backends.cpu.engine import Forces
    from graphwell.backends.cpu.packing import Packing


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


@dataclass(frozen=True)
class BlockState:
    """Packed states and offsets of a block in the order of its layout, and how often a class changed."""

    words: IntArray
    offsets: FloatArray
    changes: int = 0


@dataclass(frozen=True)
class Export:
    """What other blocks must know after a sweep: words of the boundary, and the mass of each class."""

    words: IntArray
    masses: IntArray


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
    from graphwell.backends.cpu.packing import Packing

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


def place(
    block: GraphBlock, forces: BlockForces, labels: IntArray, offsets: FloatArray
) -> tuple[BlockState, Export]:
    """Pack the state of a block."""
    placed = block.placed(offsets)
    state = BlockState(forces.packing.pack(block.rows.placed(labels, np.int32), placed), placed)
    return state, export(block, forces, state)


def sweep(
    state: BlockState,
    block: GraphBlock,
    forces: BlockForces,
    exports: Sequence[Export],
    every: Sequence[Export],
    epsilon: float,
    step_size: float,
    count: int,
) -> tuple[BlockState, Export]:
    """Move all vertices of a block once, or more often where it needs nothing from other blocks.

    `exports` come from the blocks of the halo; `every` from all blocks, where their masses are needed.
    """
    from graphwell.backends.cpu import kernels

    acting, real = forces.acting, PRECISION.type
    words, offsets, changes = _with_halo(block, state, exports), state.offsets.copy(), state.changes
    following = words.copy()
    edges = (block.rows.starts, block.rows.columns, forces.values, block.rows.row_sums)
    steps = (real(epsilon), real(step_size), forces.implicit, forces.packing.shift)
    masses, pressure = sum(e.masses for e in every), np.zeros_like(acting.shares)
    for number in range(count):
        if acting.strength > 0:
            masses = _masses(block, forces, words, offsets) if number else masses
            pressure = acting.pressure(np.asarray(masses))
        here = (acting.known, acting.fidelity, acting.phi, pressure, words, following, offsets)
        changes += sum(block.share(kernels.sweep, *edges, *here, *steps))
        words, following = following, words
    state = BlockState(words[: len(offsets)].copy(), offsets, int(changes))
    return state, export(block, forces, state)


def finish(
    state: BlockState, block: GraphBlock, forces: BlockForces, exports: Sequence[Export], epsilon: float
) -> tuple[None, tuple[IntArray, FloatArray, float, int]]:
    """Labels and offsets of a block, its part of the energy, and how often a class changed."""
    from graphwell.backends.cpu import kernels

    rows, acting = block.rows, forces.acting
    energies = np.empty(len(rows.parts) - 1)
    edges = (rows.starts, rows.columns, forces.values, rows.row_sums, acting.known, acting.fidelity)
    words = _with_halo(block, state, exports)
    block.share(kernels.energy, *edges, words, state.offsets, float(epsilon), forces.packing.shift, energies)
    labels = rows.restored(forces.packing.labels(state.words))
    return None, (labels, rows.restored(state.offsets), float(energies.sum()), state.changes)


def export(block: GraphBlock, forces: BlockForces, state: BlockState) -> Export:
    """Return what other blocks need of a state."""
    masses = np.zeros(0, dtype=np.int64)
    if forces.acting.strength > 0:
        masses = _masses(block, forces, state.words, state.offsets)
    return Export(state.words[block.outlets], masses)


def _masses(block: GraphBlock, forces: BlockForces, words: IntArray, offsets: FloatArray) -> IntArray:
    from graphwell.backends.cpu import kernels

    seen = (words, offsets, forces.acting.phi, forces.packing.shift, forces.n_classes)
    return np.sum(block.share(kernels.masses, *seen), axis=0)


def _with_halo(block: GraphBlock, state: BlockState, exports: Sequence[Export]) -> IntArray:
    return np.concatenate(
        [state.words, from_exports(block.links, [e.words for e in exports], state.words[:0])]
    )
