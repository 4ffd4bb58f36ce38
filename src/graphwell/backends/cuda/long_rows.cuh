// Rows too long for a tile: a whole block of threads works on each.

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
        if (!(d >= -half && d < half)) {
            d -= floor(d + half);
            if (!(d >= -half && d <= half)) d = 0;
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
