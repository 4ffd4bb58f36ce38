// Sweeps of Algorithm 1 on a card. REAL is float or double, WORD the integer that packs class and r.
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
#ifndef BLOCKS
#define BLOCKS 6  // of one sweep over a large graph, on each multiprocessor
#endif

// ---------------------------------------------------------------------------------------- a tile in shared memory

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

// --------------------------------------------------------------------------------------------------- one row

template <bool AT_REST>
__device__ void sum_neighbors(const Tile &t, int begin, int end, int own, int shift, REAL &total, REAL &same) {
    const WORD low = ((WORD)1 << shift) - 1;
    total = same = 0;
#pragma unroll 4
    for (int e = begin; e < end; e += 32) {
        WORD w = word_of<AT_REST>(t, e);
        REAL part = t.values[e] * (REAL)(w & low);
        total += part;
        same += (int)(w >> shift) == own ? part : (REAL)0;
    }
}

struct Pressure {  // on each class: how far its mass lies above its share
    const uint64 *mass;
    double total;
    REAL near[FEW_CLASSES];
};

__device__ REAL pressure_on(const Classes &c, const Pressure &press, int k) {
    return (REAL)(c.strength * ((double)press.mass[k] * (1 / MASS_UNIT) - c.shares[k] * press.total));
}

__device__ REAL pressure(const Classes &c, const Pressure &press, int k) {
    if (!(c.strength > 0)) return 0;
    return c.n_classes <= FEW_CLASSES ? press.near[k] : pressure_on(c, press, k);
}

// Done by the first warp; the block must be synchronised before anyone reads the result.
__device__ void take_pressure(const Classes &c, const uint64 *mass, Pressure &press) {
    if (!(c.strength > 0) || threadIdx.x >= 32) return;
    uint64 sum = 0;
    for (int k = threadIdx.x; k < c.n_classes; k += 32) sum += mass[k];
    for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(FULL, sum, step);
    if (threadIdx.x == 0) {
        press.mass = mass;
        press.total = (double)sum * (1 / MASS_UNIT);
    }
    __syncwarp();
    for (int k = threadIdx.x; k < c.n_classes && k < FEW_CLASSES; k += 32) press.near[k] = pressure_on(c, press, k);
}

__device__ REAL moved(const Step &p, REAL d, int own, REAL row_sum, REAL known, REAL fidelity, REAL press,
                      REAL total, REAL same) {
    const REAL half = 0.5, one = 1, two = 2;
    REAL size = d < 0 ? -d : d;
    REAL side = d >= 0 ? one : -one;
    REAL pull = row_sum * (half - size) + (total - two * same);
    pull += press;
    REAL slope = side * size * (one - size) * (one - two * size);
    REAL force = p.epsilon * side * pull - slope / p.epsilon;
    REAL away = (REAL)own - known;
    if (p.implicit) {
        away = away == 0 ? d : -side * (one - size);
        REAL pin = p.step_size * fidelity;
        return d + (p.step_size * force - pin * away) / (one + pin);
    }
    return d + p.step_size * (force - fidelity * (away + d));
}

// Class with the largest sum of S_ij r_j in the row of one lane, found by the whole warp; the class met first
// wins a tie. Each lane sums for one class: number lane, lane + 32, ..., or, in a short row of a problem with
// many classes, the class of entry lane, lane + 32, ...
template <bool AT_REST>
__device__ int majority(const Tile &t, int begin, int end, int own, REAL phi, int shift, const Classes &c,
                        const Pressure &press, int lane) {
    const WORD low = ((WORD)1 << shift) - 1;
    int width = (end - begin + 31) / 32;
    bool by_class = c.n_classes <= width || c.n_classes <= 32;
    int candidates = by_class ? c.n_classes : width;
    int best = own, best_first = NEVER;
    REAL most = -INFINITE;
    for (int base = 0; base < candidates; base += 32) {
        int number = base + lane;
        int mine = number >= candidates ? -1 : by_class ? number : (int)(word_of<AT_REST>(t, begin + 32 * number) >> shift);
        REAL votes = 0;
        int first = NEVER;
        for (int j = 0; j < width; j++) {
            WORD w = word_of<AT_REST>(t, begin + 32 * j);
            REAL value = t.values[begin + 32 * j];
            if ((int)(w >> shift) == mine) {
                votes += value * (REAL)(w & low);
                if (value > 0 && first == NEVER) first = j;
            }
        }
        REAL support = first == NEVER ? (REAL)-INFINITE : votes - phi * pressure(c, press, mine);
        for (int step = 16; step; step /= 2) {
            REAL other = __shfl_xor_sync(FULL, support, step);
            int other_first = __shfl_xor_sync(FULL, first, step);
            int other_class = __shfl_xor_sync(FULL, mine, step);
            if (other > support || (other == support && other_first < first)) {
                support = other;
                first = other_first;
                mine = other_class;
            }
        }
        if (support > most || (support == most && first < best_first)) {
            most = support;
            best_first = first;
            if (first != NEVER) best = mine;
        }
    }
    return best;
}

// The same for many rows of a warp at once: each lane counts the votes in its own row, where it has room for all
// classes.
__device__ int majority_alone(const Tile &t, int begin, int end, int own, REAL phi, int shift, const Classes &c,
                              const Pressure &press) {
    const WORD low = ((WORD)1 << shift) - 1;
    REAL *votes = t.votes + threadIdx.x;
    int stride = blockDim.x, best = own;
    for (int k = 0; k < c.n_classes; k++) votes[k * stride] = 0;
    for (int e = begin; e < end; e += 32) {
        WORD w = word_of<true>(t, e);
        votes[(int)(w >> shift) * stride] += t.values[e] * (REAL)(w & low);
    }
    REAL most = -INFINITE;
    for (int e = begin; e < end; e += 32) {
        int k = (int)(word_of<true>(t, e) >> shift);
        REAL support = votes[k * stride] - phi * pressure(c, press, k);
        if (t.values[e] > 0 && support > most) {
            best = k;
            most = support;
        }
    }
    return best;
}

__device__ uint64 mass_of(REAL phi, REAL d) {
    return (uint64)(int64)((double)phi * (double)((REAL)0.5 - (d < 0 ? -d : d)) * MASS_UNIT);
}

// All rows of a tile: step, choice of class, new words. Returns how many rows of this thread changed class.
// At rest, the words before the sweep are those in the tile.
template <bool AT_REST>
__device__ int move_rows(const Tiles &tiles, Tile &t, const Rows &rows, const Classes &c, const Step &p,
                         const Pressure &press, const WORD *before, WORD *after, REAL *offsets) {
    const REAL half = 0.5, two = 2;
    const REAL scale = (REAL)((int64)1 << p.shift);
    int lane = threadIdx.x & 31, changes = 0;
    for (int slice = t.first + threadIdx.x / 32; slice < t.stop; slice += blockDim.x / 32) {
        int row = 32 * slice + lane, i = row - rows.origin, begin, end;
        bounds<AT_REST>(tiles, t, slice, begin, end);
        REAL d = offsets[i], phi = rows.phi[i];
        int own = (int)((AT_REST ? t.own[i] : before[i]) >> p.shift);
        REAL total, same;
        sum_neighbors<AT_REST>(t, begin, end, own, p.shift, total, same);
        REAL pressed = two * phi * pressure(c, press, own);
        d = moved(p, d, own, rows.row_sums[i], rows.known[i], rows.fidelity[i], pressed, total, same);
        bool crosses = d < -half || d >= half;
        int chosen = own;
        unsigned todo = __ballot_sync(FULL, crosses);
        if (AT_REST && tiles.n_votes && __popc(todo) > 2) {
            if (crosses) chosen = majority_alone(t, begin, end, own, phi, p.shift, c, press);
            todo = 0;
        }
        for (; todo; todo &= todo - 1) {
            int source = __ffs(todo) - 1;
            int found = majority<AT_REST>(t, begin - lane + source, end, __shfl_sync(FULL, own, source),
                                 __shfl_sync(FULL, phi, source), p.shift, c, press, lane);
            if (lane == source) chosen = found;
        }
        if (crosses) {
            d -= floor(d + half);
            changes += chosen != own;
        }
        REAL r = half - (d < 0 ? -d : d);
        WORD word = ((WORD)chosen << p.shift) | (WORD)(r * scale);
        offsets[i] = d;
        after[row] = word;
        if (AT_REST) t.own[i] = word;
        if (c.strength > 0) {
            t.row_mass[row - 32 * t.first] = mass_of(phi, d);
            t.row_class[row - 32 * t.first] = chosen;
        }
    }
    return changes;
}

// -------------------------------------------------------------------------------------------------- long rows

// Sum or minimum over the block, in a fixed order, for all its threads.
__device__ double block_sum(double value) {
    __shared__ double parts[33];
    for (int step = 16; step; step /= 2) value += __shfl_xor_sync(FULL, value, step);
    __syncthreads();
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    if (threadIdx.x == 0) {
        parts[32] = 0;
        for (int i = 0; i < (int)blockDim.x / 32; i++) parts[32] += parts[i];
    }
    __syncthreads();
    return parts[32];
}

__device__ int block_min(int value) {
    __shared__ int parts[32];
    for (int step = 16; step; step /= 2) value = min(value, __shfl_xor_sync(FULL, value, step));
    __syncthreads();
    if ((threadIdx.x & 31) == 0) parts[threadIdx.x / 32] = value;
    __syncthreads();
    for (int i = 0; i < (int)blockDim.x / 32; i++) value = min(value, parts[i]);
    return value;
}

struct LongRow {
    const Edge *edges;
    const WORD *words;
    int n, shift;

    __device__ int label(int e) const { return (int)(words[edges[e].column] >> shift); }
    __device__ double part(int e) const {
        WORD low = ((WORD)1 << shift) - 1;
        return (double)edges[e].value * (double)(words[edges[e].column] & low) / (double)((int64)1 << shift);
    }
};

__device__ LongRow open_long(const Tiles &tiles, int number, const WORD *words, int shift) {
    LongRow row = {tiles.edges + tiles.long_starts[number], words,
                   (int)(tiles.long_starts[number + 1] - tiles.long_starts[number]), shift};
    return row;
}

__device__ void sum_long(const LongRow &row, int own, REAL &total, REAL &same) {
    double all = 0, alike = 0;
    for (int e = threadIdx.x; e < row.n; e += blockDim.x) {
        double part = row.part(e);
        all += part;
        alike += row.label(e) == own ? part : 0;
    }
    total = (REAL)block_sum(all);
    same = (REAL)block_sum(alike);
}

// As `majority`, one class after the other, by all threads of the block.
__device__ int majority_of_long(const LongRow &row, int own, REAL phi, const Classes &c, const Pressure &press) {
    int best = own, best_first = NEVER;
    REAL most = -INFINITE;
    for (int last = -1;;) {
        int next = NEVER;
        for (int e = threadIdx.x; e < row.n; e += blockDim.x)
            if (row.edges[e].value > 0 && row.label(e) > last) next = min(next, row.label(e));
        next = block_min(next);
        if (next == NEVER) return best;
        double votes = 0;
        int first = NEVER;
        for (int e = threadIdx.x; e < row.n; e += blockDim.x) {
            if (row.label(e) != next) continue;
            votes += row.part(e);
            if (row.edges[e].value > 0) first = min(first, e);
        }
        REAL support = (REAL)block_sum(votes) - phi * pressure(c, press, next);
        first = block_min(first);
        if (support > most || (support == most && first < best_first)) {
            most = support;
            best_first = first;
            best = next;
        }
        last = next;
    }
}

__device__ int move_long_rows(const Tiles &tiles, const Rows &rows, const Classes &c, const Step &p,
                              const Pressure &press, uint64 *next_mass, const WORD *before, WORD *after,
                              REAL *offsets) {
    const REAL half = 0.5, two = 2;
    int changes = 0;
    for (int number = blockIdx.x; number < tiles.n_long; number += gridDim.x) {
        int i = tiles.first_long + number;
        LongRow row = open_long(tiles, number, before, p.shift);
        REAL d = offsets[i], phi = rows.phi[i];
        int own = (int)(before[i] >> p.shift), chosen = own;
        REAL total, same;
        sum_long(row, own, total, same);
        REAL pressed = two * phi * pressure(c, press, own);
        d = moved(p, d, own, rows.row_sums[i], rows.known[i], rows.fidelity[i], pressed, total, same);
        if (d < -half || d >= half) {
            d -= floor(d + half);
            chosen = majority_of_long(row, own, phi, c, press);
        }
        if (threadIdx.x == 0) {
            REAL r = half - (d < 0 ? -d : d);
            changes += chosen != own;
            offsets[i] = d;
            after[i] = ((WORD)chosen << p.shift) | (WORD)(r * (REAL)((int64)1 << p.shift));
            if (c.strength > 0) atomicAdd(next_mass + chosen, mass_of(phi, d));
        }
    }
    return changes;
}

// ------------------------------------------------------------------------------------------ sizes of classes

__device__ void weigh_rows(Tile &t, const Rows &rows, const WORD *words, const REAL *offsets, int shift) {
    for (int i = threadIdx.x; i < t.n_rows; i += blockDim.x) {
        int row = 32 * t.first + i;
        t.row_mass[i] = mass_of(rows.phi[row - rows.origin], offsets[row - rows.origin]);
        t.row_class[i] = (int)(words[row] >> shift);
    }
}

// Add the masses of the rows of a tile, which all threads have written, to those of their classes.
__device__ void add_masses(const Tile &t, const Classes &c, uint64 *mass) {
    if (c.n_classes > FEW_CLASSES) {
        for (int i = threadIdx.x; i < t.n_rows; i += blockDim.x) atomicAdd(mass + t.row_class[i], t.row_mass[i]);
        return;
    }
    int lane = threadIdx.x & 31;
    for (int k = threadIdx.x / 32; k < c.n_classes; k += blockDim.x / 32) {
        uint64 sum = 0;
        for (int i = lane; i < t.n_rows; i += 32) sum += t.row_class[i] == k ? t.row_mass[i] : 0;
        for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(FULL, sum, step);
        if (lane == 0 && sum) atomicAdd(mass + k, sum);
    }
}

__device__ void add_long_masses(const Tiles &tiles, const Rows &rows, uint64 *mass, const WORD *words,
                                const REAL *offsets, int shift) {
    int number = blockIdx.x * blockDim.x + threadIdx.x;
    for (; number < tiles.n_long; number += gridDim.x * blockDim.x) {
        int i = tiles.first_long + number;
        atomicAdd(mass + (int)(words[i] >> shift), mass_of(rows.phi[i], offsets[i]));
    }
}

__device__ void clear_masses(const Classes &c, uint64 *mass) {
    if (blockIdx.x == 0 && c.strength > 0)
        for (int k = threadIdx.x; k < c.n_classes; k += blockDim.x) mass[k] = 0;
}

// ----------------------------------------------------------------------------------------------------- energy

__device__ double energy_of_row(const Rows &rows, int i, int own, REAL total, REAL same, double d, double epsilon) {
    double size = d < 0 ? -d : d, r = 0.5 - size, well = size * (1 - size);
    double pull = rows.row_sums[i] * r + (total - 2 * same);
    double away = own - (double)rows.known[i] + d;
    return epsilon / 2 * r * pull + well * well / (2 * epsilon) + rows.fidelity[i] / 2 * away * away;
}

template <bool AT_REST>
__device__ double energy_of_rows(const Tiles &tiles, const Tile &t, const Rows &rows, const WORD *words,
                                 const REAL *offsets, double epsilon, int shift) {
    double energy = 0;
    for (int slice = t.first + threadIdx.x / 32; slice < t.stop; slice += blockDim.x / 32) {
        int row = 32 * slice + (threadIdx.x & 31), i = row - rows.origin, begin, end;
        bounds<AT_REST>(tiles, t, slice, begin, end);
        int own = (int)(words[row] >> shift);
        REAL total, same;
        sum_neighbors<AT_REST>(t, begin, end, own, shift, total, same);
        energy += energy_of_row(rows, i, own, total, same, offsets[i], epsilon);
    }
    return energy;
}

__device__ double energy_of_long_rows(const Tiles &tiles, const Rows &rows, const WORD *words, const REAL *offsets,
                                      double epsilon, int shift) {
    double energy = 0;
    for (int number = blockIdx.x; number < tiles.n_long; number += gridDim.x) {
        int i = tiles.first_long + number, own = (int)(words[i] >> shift);
        REAL total, same;
        sum_long(open_long(tiles, number, words, shift), own, total, same);
        if (threadIdx.x == 0) energy += energy_of_row(rows, i, own, total, same, offsets[i], epsilon);
    }
    return energy;
}

// ---------------------------------------------------------------------------------------------------- kernels

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

extern "C" __global__ void __launch_bounds__(1024) place(const int *order, const int *labels, const REAL *given,
                                                         WORD *words, REAL *offsets, int shift, int n_rows,
                                                         uint64 *counters, int n_counters) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < n_counters) counters[row] = 0;
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
                   unsigned *arrived, uint64 *changes, double *energies) {
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
    if ((threadIdx.x & 31) == 0 && changed) atomicAdd(changes, (uint64)changed);
    gather(t, words);
    for (int i = threadIdx.x; i < t.n_rows; i += blockDim.x) offsets[32 * t.first + i] = t.offsets[i];
    __syncthreads();
    double energy = energy_of_rows<true>(tiles, t, here, words, t.offsets, p.epsilon, p.shift);
    energy = block_sum(energy + energy_of_long_rows(tiles, rows, words, offsets, p.epsilon, p.shift));
    if (threadIdx.x == 0) energies[blockIdx.x] = energy;
}

// One sweep over a graph of any size, in tiles.
extern "C" __global__ void __launch_bounds__(256, BLOCKS)
    one_sweep(Tiles tiles, Rows rows, Classes c, Step p, const WORD *words, WORD *spare, REAL *offsets, int sweep,
              uint64 *changes) {
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
    if ((threadIdx.x & 31) == 0 && changed) atomicAdd(changes, (uint64)changed);
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
    energy(Tiles tiles, Rows rows, Step p, const WORD *words, const REAL *offsets, double *energies) {
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
    if (threadIdx.x == 0) energies[blockIdx.x] = sum;
}
