// Sweeps of Algorithm 1 on a GPU. REAL is float or double, WORD the integer that packs class and r.
//
// The arithmetic is that of the CPU engine, operation by operation and in the same order, so compile without
// fused multiply-adds. Rows lie in sliced ELLPACK form, 32 rows to a slice: entry j of the rows of slice s is
// at starts[s] + 32 j. A block works on one tile of slices at a time, in two phases: all its threads fetch the
// words of all neighbours of the tile into shared memory, whatever row they belong to; then each row is summed
// by one thread from there, in stored order. Rows of very different lengths thus cost what their entries cost.
// Where a tile stays in shared memory for many sweeps, each neighbour is fetched once, however many of its rows
// have it.
// The few rows that are too long for a tile come after all slices, and a whole block sums each of them.
// Integer atomics alone: sums of integers do not depend on their order.

#include "tiles.cuh"
#include "rows.cuh"
#include "long_rows.cuh"
#include "totals.cuh"

// What any thread wrote before is seen by all threads after.
__device__ void wait_for_all_blocks(unsigned *arrived, unsigned number) {
    __syncthreads();
    if (threadIdx.x == 0) {
        unsigned seen;
        asm volatile("red.release.gpu.add.u32 [%0], 1;" ::"l"(arrived) : "memory");
        do {
            asm volatile("ld.acquire.gpu.u32 %0, [%1];" : "=r"(seen) : "l"(arrived) : "memory");
        } while (seen < number * gridDim.x);
    }
    __syncthreads();
}

// The block that comes last adds the energies of all blocks up, in their order.
__device__ void add_energy(double energy, double *energies, unsigned *arrived, unsigned all, uint64 *totals) {
    energies[blockIdx.x] = energy;
    __threadfence();
    if (atomicAdd(arrived, 1u) != all - 1) return;
    __threadfence();
    double sum = 0;
#pragma unroll 8
    for (int i = 0; i < (int)gridDim.x; i++) sum += energies[i];
    totals[0] = (uint64)__double_as_longlong(sum);
}

// totals: the energy, and how often a vertex changed class.
extern "C" __global__ void __launch_bounds__(1024) place(const int *order, const int *labels, const REAL *given,
                                                         WORD *words, REAL *offsets, int shift, int n_rows,
                                                         uint64 *counters, int n_counters, uint64 *totals) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n_counters) counters[row] = 0;
    if (row < 2) totals[row] = 0;
    if (row >= n_rows) return;
    int i = order[row];  // negative for padding
    REAL d = i >= 0 ? given[i] : (REAL)0;
    WORD label = i >= 0 ? (WORD)labels[i] : 0;
    REAL r = (REAL)0.5 - (d < 0 ? -d : d);
    offsets[row] = d;
    words[row] = (label << shift) | (WORD)(r * (REAL)((int64)1 << shift));
}

extern "C" __global__ void __launch_bounds__(1024) restore(const int *order, const WORD *words, const REAL *offsets,
                                                           int *labels, REAL *given, int shift, int n_rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n_rows || order[row] < 0) return;
    labels[order[row]] = (int)(words[row] >> shift);
    given[order[row]] = offsets[row];
}

// All sweeps of one epsilon in one launch: each block keeps its tile in shared memory and waits for the others
// between sweeps. Launch cooperatively, with one block for each tile.
extern "C" __global__ void __launch_bounds__(1024, 1)
    sweeps_at_rest(Tiles tiles, Rows rows, Classes c, Step p, WORD *words, WORD *spare, REAL *offsets,
                   unsigned *arrived, double *energies, uint64 *totals) {
    extern __shared__ uint64 shared[];
    __shared__ Pressure press;
    Tile t = open_tile<true>(tiles, blockIdx.x, (char *)shared);
    Rows here = settle(tiles, t, rows, words, offsets, (REAL)1 / (REAL)((int64)1 << p.shift));
    __syncthreads();
    unsigned barrier = 0;
    if (c.strength > 0) {
        weigh_rows(t, here, words, t.offsets, p.shift);
        __syncthreads();
        add_masses(t, c, c.mass);
        add_long_masses(tiles, rows, c.mass, words, offsets, p.shift);
        wait_for_all_blocks(arrived, ++barrier);
    }
    int changed = 0;
    for (int sweep = 0; sweep < p.count; sweep++) {
        uint64 *mass = c.mass + sweep % 3 * c.n_classes, *next_mass = c.mass + (sweep + 1) % 3 * c.n_classes;
        take_pressure(c, mass, press);
        gather(t, words);
        __syncthreads();
        changed += move_rows<true>(tiles, t, here, c, p, press, words, spare, t.offsets);
        if (c.strength > 0) {
            clear_masses(c, c.mass + (sweep + 2) % 3 * c.n_classes);
            __syncthreads();
            add_masses(t, c, next_mass);
        }
        if (tiles.n_long) changed += move_long_rows(tiles, rows, c, p, press, next_mass, words, spare, offsets);
        WORD *written = spare;
        spare = words;
        words = written;
        wait_for_all_blocks(arrived, ++barrier);
    }
    for (int step = 16; step; step /= 2) changed += __shfl_xor_sync(FULL, changed, step);
    if ((threadIdx.x & 31) == 0 && changed) atomicAdd(totals + 1, (uint64)changed);
    gather(t, words);
    for (int i = threadIdx.x; i < t.n_rows; i += blockDim.x) offsets[32 * t.first + i] = t.offsets[i];
    __syncthreads();
    double energy = energy_of_rows<true>(tiles, t, here, words, t.offsets, p.epsilon, p.shift);
    energy = block_sum(energy + energy_of_long_rows(tiles, rows, words, offsets, p.epsilon, p.shift));
    if (threadIdx.x == 0) add_energy(energy, energies, arrived, (barrier + 1) * gridDim.x, totals);
}

// One sweep over a graph of any size, in tiles.
extern "C" __global__ void __launch_bounds__(256, BLOCKS)
    one_sweep(Tiles tiles, Rows rows, Classes c, Step p, const WORD *words, WORD *spare, REAL *offsets, int sweep,
              uint64 *totals) {
    extern __shared__ uint64 shared[];
    const REAL unit = (REAL)1 / (REAL)((int64)1 << p.shift);
    uint64 *mass = c.mass + sweep % 3 * c.n_classes, *next_mass = c.mass + (sweep + 1) % 3 * c.n_classes;
    __shared__ Pressure press;
    take_pressure(c, mass, press);
    int changed = 0;
    for (int number = blockIdx.x; number < tiles.n_tiles; number += gridDim.x) {
        Tile t = open_tile<false>(tiles, number, (char *)shared);
        load_and_gather(tiles, t, words, unit);
        __syncthreads();
        changed += move_rows<false>(tiles, t, rows, c, p, press, words, spare, offsets);
        __syncthreads();
        if (c.strength > 0) {
            add_masses(t, c, next_mass);
            __syncthreads();
        }
    }
    if (tiles.n_long) changed += move_long_rows(tiles, rows, c, p, press, next_mass, words, spare, offsets);
    clear_masses(c, c.mass + (sweep + 2) % 3 * c.n_classes);
    for (int step = 16; step; step /= 2) changed += __shfl_xor_sync(FULL, changed, step);
    if ((threadIdx.x & 31) == 0 && changed) atomicAdd(totals + 1, (uint64)changed);
}

extern "C" __global__ void __launch_bounds__(256, BLOCKS)
    first_masses(Tiles tiles, Rows rows, Classes c, Step p, const WORD *words, const REAL *offsets) {
    extern __shared__ uint64 shared[];
    for (int number = blockIdx.x; number < tiles.n_tiles; number += gridDim.x) {
        Tile t = open_tile<false>(tiles, number, (char *)shared);
        weigh_rows(t, rows, words, offsets, p.shift);
        __syncthreads();
        add_masses(t, c, c.mass);
        __syncthreads();
    }
    add_long_masses(tiles, rows, c.mass, words, offsets, p.shift);
}

extern "C" __global__ void __launch_bounds__(256, BLOCKS)
    energy(Tiles tiles, Rows rows, Step p, const WORD *words, const REAL *offsets,
           unsigned *arrived, double *energies, uint64 *totals) {
    extern __shared__ uint64 shared[];
    const REAL unit = (REAL)1 / (REAL)((int64)1 << p.shift);
    double sum = 0;
    for (int number = blockIdx.x; number < tiles.n_tiles; number += gridDim.x) {
        Tile t = open_tile<false>(tiles, number, (char *)shared);
        load_and_gather(tiles, t, words, unit);
        __syncthreads();
        sum += energy_of_rows<false>(tiles, t, rows, words, offsets, p.epsilon, p.shift);
        __syncthreads();
    }
    sum = block_sum(sum + energy_of_long_rows(tiles, rows, words, offsets, p.epsilon, p.shift));
    if (threadIdx.x == 0) add_energy(sum, energies, arrived, gridDim.x, totals);
}
