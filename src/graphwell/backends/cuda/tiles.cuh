// The layout of a graph on the GPU, and one tile of it in shared memory.
//
// Why tiles: rows have very different lengths, and one thread per row would wait for the longest row of its
// warp. A tile is as many neighbouring rows as fit into the shared memory of a block. All threads load its
// entries side by side, whatever row they belong to; then each row is summed from shared memory, in stored order,
// so that the bits are those of the CPU.

typedef long long int64;
typedef unsigned long long uint64;

struct Edge {
    REAL value;
    int column;
};

struct Tiles {             // the layout of the graph
    const int *first_slice;  // of each tile, and one past the last tile
    const int64 *starts;
    const Edge *edges;
    const int64 *long_starts;
    int n_tiles;
    int most_entries, most_rows;  // of a tile: what its shared arrays must hold
    int n_long, first_long;       // rows longer than a tile, from row `first_long` on
    // Only sweeps at rest have these: the neighbours of each tile, and for each entry which of them it is.
    const int *columns, *first_column;
    const unsigned short *local;
    int most_columns;
    int n_votes;  // classes that each thread has room for, 0 if there is none
};

struct Rows {  // what acts on each row besides its neighbours
    const REAL *row_sums, *known, *fidelity, *phi;
    int origin;  // the row that the arrays begin with
};

struct Classes {  // sizes of the classes, and what presses on them
    const REAL *shares;
    uint64 *mass;  // three arrays of n_classes in fixed point: read, added to and cleared by turns
    REAL strength;
    int n_classes;
};

struct Step {
    REAL epsilon, step_size;
    int implicit, shift;
    int count;
};

#define FULL 0xffffffffu
#define INFINITE __int_as_float(0x7f800000)
#define NEVER 0x7fffffff
#define MASS_UNIT 70368744177664.0  // 2^46: the mass of all classes is at most sqrt(n) / 2
#define FEW_CLASSES 64
#define BATCH 4
#ifndef BLOCKS
#define BLOCKS 6  // of one sweep over a large graph, on each multiprocessor
#endif

struct Tile {
    int first, stop;  // slices
    int64 start;      // entry
    int n_entries, n_rows;
    uint64 *row_mass;
    WORD *words;  // of the neighbours: one for each entry, or at rest for each column
    REAL *values;
    int *row_class;
    // Only sweeps at rest have these:
    WORD *own;
    REAL *offsets, *constants, *votes;
    int *starts, *columns;
    unsigned short *local;
    int n_columns;
};

template <bool AT_REST>
__device__ Tile open_tile(const Tiles &tiles, int number, char *shared) {
    Tile t;
    t.first = tiles.first_slice[number];
    t.stop = tiles.first_slice[number + 1];
    t.start = tiles.starts[t.first];
    t.n_entries = (int)(tiles.starts[t.stop] - t.start);
    t.n_rows = 32 * (t.stop - t.first);
    int even = tiles.most_entries + (tiles.most_entries & 1);
    int n_words = AT_REST ? tiles.most_columns + (tiles.most_columns & 1) : even;
    t.row_mass = (uint64 *)shared;
    t.words = (WORD *)(t.row_mass + tiles.most_rows);
    t.values = (REAL *)(t.words + n_words);
    t.row_class = (int *)(t.values + even);
    if (AT_REST) {
        t.n_columns = tiles.first_column[number + 1] - tiles.first_column[number];
        t.own = (WORD *)(t.row_class + tiles.most_rows);
        t.offsets = (REAL *)(t.own + tiles.most_rows);
        t.constants = t.offsets + tiles.most_rows;
        t.votes = t.constants + 4 * tiles.most_rows;
        t.columns = (int *)(t.votes + tiles.n_votes * blockDim.x);
        t.starts = t.columns + n_words;
        t.local = (unsigned short *)(t.starts + tiles.most_rows / 32 + 2);
    }
    return t;
}

// Bring all that a tile is made of into shared memory; return its rows there.
__device__ Rows settle(const Tiles &tiles, Tile &t, const Rows &rows, const WORD *words, const REAL *offsets,
                       REAL unit) {
    REAL *row_sums = t.constants, *known = row_sums + t.n_rows, *fidelity = known + t.n_rows;
    REAL *phi = fidelity + t.n_rows;
    for (int e = threadIdx.x; e < t.n_entries; e += blockDim.x) {
        t.values[e] = tiles.edges[t.start + e].value * unit;
        t.local[e] = tiles.local[t.start + e];
    }
    const int *columns = tiles.columns + tiles.first_column[blockIdx.x];
    for (int k = threadIdx.x; k < t.n_columns; k += blockDim.x) t.columns[k] = columns[k];
    for (int i = threadIdx.x; i < t.n_rows; i += blockDim.x) {
        int row = 32 * t.first + i;
        t.own[i] = words[row];
        t.offsets[i] = offsets[row];
        row_sums[i] = rows.row_sums[row];
        known[i] = rows.known[row];
        fidelity[i] = rows.fidelity[row];
        phi[i] = rows.phi[row];
    }
    for (int s = threadIdx.x; s <= t.stop - t.first; s += blockDim.x)
        t.starts[s] = (int)(tiles.starts[t.first + s] - t.start);
    Rows here = {row_sums, known, fidelity, phi, 32 * t.first};
    return here;
}

template <bool AT_REST>
__device__ void bounds(const Tiles &tiles, const Tile &t, int slice, int &begin, int &end) {
    begin = AT_REST ? t.starts[slice - t.first] : (int)(tiles.starts[slice] - t.start);
    end = AT_REST ? t.starts[slice - t.first + 1] : (int)(tiles.starts[slice + 1] - t.start);
    begin += threadIdx.x & 31;
}

template <bool AT_REST>
__device__ WORD word_of(const Tile &t, int entry) {
    return t.words[AT_REST ? t.local[entry] : entry];
}

__device__ void gather(Tile &t, const WORD *words) {
#pragma unroll 4
    for (int k = threadIdx.x; k < t.n_columns; k += blockDim.x) t.words[k] = words[t.columns[k]];
}

__device__ void load_and_gather(const Tiles &tiles, Tile &t, const WORD *words, REAL unit) {
    const Edge *edges = tiles.edges + t.start;
#pragma unroll 8
    for (int e = threadIdx.x; e < t.n_entries; e += blockDim.x) {
        Edge edge = edges[e];
        t.values[e] = edge.value * unit;
        t.words[e] = words[edge.column];
    }
}
