"""One sweep of one block, as a task: the kernel of the CPU engine between two exchanges of the halo."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from graphwell._pool import threads
from graphwell._types import FloatArray, IntArray
from graphwell.cluster.block import PRECISION, Block, from_exports
from graphwell.cluster.private import stash, unstash
from graphwell.cluster.tasks import threads_of_worker


@dataclass(frozen=True)
class Forces:
    """What acts on the vertices of a block besides their neighbours, and how states are packed.

    Attributes
    ----------
    values : array
        Entries of ``S`` in the units of packed states.
    known, fidelity, phi : arrays
        In the order of the layout.
    strength, shares
        Of the pressure on class sizes.
    """

    values: FloatArray
    row_sums: FloatArray
    known: FloatArray
    fidelity: FloatArray
    phi: FloatArray
    strength: float
    shares: FloatArray
    implicit: bool
    packing: Any


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
    block: Block,
    labels: IntArray,
    fidelity: float,
    total_degree: float,
    balance: tuple[float, FloatArray] | None,
    n_classes: int,
    implicit: bool,
) -> Forces:
    """Place the known labels and the null model of a problem."""
    from graphwell.engines.packing import Packing

    packing = Packing.of(n_classes, PRECISION)
    is_known = labels >= 0
    strength, shares = balance or (0.0, np.zeros(n_classes))
    phi = np.sqrt(block.degrees / total_degree) if balance else np.zeros(block.n_own)
    return Forces(
        values=block.rows.values / PRECISION.type(2.0**packing.shift),
        row_sums=block.placed(block.row_sums),
        known=block.placed(np.where(is_known, labels, 0).astype(PRECISION)),
        fidelity=block.placed(np.where(is_known, float(fidelity), 0.0)),
        phi=block.placed(phi),
        strength=strength,
        shares=shares.astype(PRECISION),
        implicit=implicit,
        packing=packing,
    )


def place(block: Block, forces: Forces, labels: IntArray, offsets: FloatArray) -> BlockState:
    """Pack the state of a block."""
    placed = block.placed(offsets)
    return BlockState(forces.packing.pack(block.placed(labels, np.int32), placed), placed)


def export(block: Block, forces: Forces, state: BlockState) -> Export:
    """Return what other blocks need of a state."""
    from graphwell.engines import kernels

    masses = np.zeros(0, dtype=np.int64)
    if forces.strength > 0:
        masses = kernels.masses(
            state.words, state.offsets, forces.phi, forces.packing.shift, len(forces.shares)
        )
    return Export(state.words[block.outlets], masses)


def sweep(
    block: Block,
    forces: Forces,
    state: BlockState,
    exports: Sequence[Export],
    every: Sequence[Export],
    epsilon: float,
    step_size: float,
    count: int = 1,
) -> BlockState:
    """Move all vertices of a block once, or more often where it needs nothing from other blocks.

    `exports` come from the blocks of the halo; `every` from all blocks, where their masses are needed.
    """
    from graphwell.engines import kernels

    n_threads, real = threads_of_worker(), PRECISION.type
    pressure = np.zeros_like(forces.shares)
    if forces.strength > 0 and count == 1:
        kernels.press(sum(e.masses for e in every), real(forces.strength), forces.shares, pressure)
    offsets = state.offsets.copy()
    with threads(n_threads):
        words, changes = kernels.sweeps(
            block.rows.starts,
            block.rows.columns,
            forces.values,
            forces.row_sums,
            forces.known,
            forces.fidelity,
            forces.phi,
            real(forces.strength if count > 1 else 0),
            forces.shares,
            pressure,
            _with_halo(block, state, exports),
            offsets,
            np.zeros((n_threads, len(forces.shares)), dtype=PRECISION),
            real(epsilon),
            real(step_size),
            forces.implicit,
            count,
            forces.packing.shift,
        )
    return BlockState(words[: len(offsets)].copy(), offsets, state.changes + int(changes))


def place_here(block: Block, forces: Forces, labels: IntArray, offsets: FloatArray, chain: str) -> Export:
    """Pack the state of a block and keep it here; return what other blocks need of it."""
    state = place(block, forces, labels, offsets)
    stash(chain, 0, state)
    return export(block, forces, state)


def sweep_here(
    block: Block,
    forces: Forces,
    chain: str,
    number: int,
    own: Export,
    exports: Sequence[Export],
    every: Sequence[Export],
    epsilon: float,
    step_size: float,
    count: int,
) -> Export:
    """`sweep` for a state that task `number` - 1 kept here; it waits for that task's `own` export."""
    state = sweep(block, forces, unstash(chain, number - 1), exports, every, epsilon, step_size, count)
    stash(chain, number, state)
    return export(block, forces, state)


def finish_here(
    block: Block,
    forces: Forces,
    chain: str,
    number: int,
    own: Export,
    exports: Sequence[Export],
    epsilon: float,
) -> tuple[IntArray, FloatArray, float, int]:
    """`finish` for a state that is kept here."""
    return finish(block, forces, unstash(chain, number), exports, epsilon)


def finish(
    block: Block, forces: Forces, state: BlockState, exports: Sequence[Export], epsilon: float
) -> tuple[IntArray, FloatArray, float, int]:
    """Labels and offsets of a block, its part of the energy, and how often a class changed."""
    from graphwell.engines import kernels

    with threads(threads_of_worker()):
        energy = kernels.energy(
            block.rows.starts,
            block.rows.columns,
            forces.values,
            forces.row_sums,
            forces.known,
            forces.fidelity,
            _with_halo(block, state, exports),
            state.offsets,
            float(epsilon),
            forces.packing.shift,
        )
    labels = block.restored(forces.packing.labels(state.words))
    return labels, block.restored(state.offsets), float(energy), state.changes


def presence(
    block: Block, forces: Forces, state: BlockState, exports: Sequence[Export], only_known: bool
) -> FloatArray:
    """Presence of each class around each vertex of a block: ``sum_{j in class} S_ij r_j``.

    Of the known vertices alone, or of all, then with their own state added.
    """
    shift, n_classes = forces.packing.shift, len(forces.shares)
    halo = from_exports(block.links, [e.words for e in exports], state.words[:0])
    words = np.concatenate([block.restored(state.words), halo])
    labels, r = words >> shift, (words & ((1 << shift) - 1)) * 2.0**-shift
    S = block.S[: block.n_own]
    own = np.flatnonzero(block.restored(forces.fidelity) > 0) if only_known else np.arange(block.n_own)
    S = S[own] if only_known else S
    cells = np.repeat(np.arange(len(own)), np.diff(S.indptr)) * n_classes + labels[S.indices]
    counted = np.bincount(cells, S.data * r[S.indices], minlength=len(own) * n_classes)
    found = counted.astype(np.float64, copy=False).reshape(len(own), n_classes)
    if not only_known:
        found[np.arange(len(own)), labels[: block.n_own]] += r[: block.n_own]
    return found


def _with_halo(block: Block, state: BlockState, exports: Sequence[Export]) -> IntArray:
    return np.concatenate(
        [state.words, from_exports(block.links, [e.words for e in exports], state.words[:0])]
    )
