// Sizes of the classes, and the energy.

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
