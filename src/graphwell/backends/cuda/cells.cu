// The points nearest to each row among those of some cells. A block of threads works on one tile of rows, and goes
// through the cells that the tile visits, 128 points at a time: all distances in registers, by products of numbers
// in single precision, and the few that are near enough into a list of the row's in shared memory.
// CAPACITY (32 SLOTS) candidates have room for each row; POINT is the type of the coordinates.

typedef long long int64;
typedef unsigned long long uint64;

#define FULL 0xffffffffu
#define INFINITE __int_as_float(0x7f800000)
#define LARGEST __int_as_float(0x7f7fffff)
#define NOTHING 0xffffffffffffffffULL
#define THREADS 256
#define ROWS 128
#define COLUMNS 16
#define STRIDE (ROWS + 4)
#define CAPACITY (32 * SLOTS)

struct Tile {
    float rows[COLUMNS][STRIDE], points[COLUMNS][STRIDE];
    uint64 limit_keys[ROWS];
    float limits[ROWS], norms[ROWS];
    int row_numbers[ROWS], point_numbers[ROWS], counts[ROWS];
};

// Candidates in their order: by distance, equally far ones by number.
__device__ uint64 key_of(float value, int number) {
    unsigned bits = __float_as_uint(value);
    bits = bits & 0x80000000u ? ~bits : bits | 0x80000000u;
    return (uint64)bits << 32 | (unsigned)number;
}

__device__ float value_of(uint64 key) {
    unsigned bits = (unsigned)(key >> 32);
    return __uint_as_float(bits & 0x80000000u ? bits & 0x7fffffffu : ~bits);
}

// Sort the keys of a warp; number 32 slot + lane is in slot `slot` of a lane.
__device__ void sort_keys(uint64 (&keys)[SLOTS]) {
    int lane = threadIdx.x & 31;
#pragma unroll
    for (int size = 2; size <= CAPACITY; size *= 2) {
#pragma unroll
        for (int step = size / 2; step > 0; step /= 2) {
            if (step >= 32) {
#pragma unroll
                for (int s = 0; s < SLOTS; s++) {
                    int partner = s ^ (step / 32);
                    if (partner < s) continue;
                    bool rising = ((32 * s) & size) == 0;
                    uint64 a = keys[s], b = keys[partner];
                    if ((a > b) == rising) {
                        keys[s] = b;
                        keys[partner] = a;
                    }
                }
            } else {
#pragma unroll
                for (int s = 0; s < SLOTS; s++) {
                    uint64 mine = keys[s], other = __shfl_xor_sync(FULL, mine, step);
                    bool rising = ((32 * s + lane) & size) == 0, is_lower = (lane & step) == 0;
                    keys[s] = (is_lower == rising) == (mine < other) ? mine : other;
                }
            }
        }
    }
}

__device__ void fetch_sorted(uint64 (&keys)[SLOTS], const uint64 *list, int count) {
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        int place = 32 * s + (threadIdx.x & 31);
        keys[s] = place < count ? list[place] : NOTHING;
    }
    sort_keys(keys);
}

// A warp shortens the list of a row to the nearest ones; from then on only nearer ones get in.
__device__ void shorten(Tile &t, uint64 *list, int row, int kept) {
    uint64 keys[SLOTS];
    int count = min(t.counts[row], CAPACITY);
    fetch_sorted(keys, list, count);
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        int place = 32 * s + (threadIdx.x & 31);
        if (place < kept) list[place] = keys[s];
        if (place == kept - 1 && count >= kept) {
            t.limit_keys[row] = keys[s];
            t.limits[row] = value_of(keys[s]);
        }
    }
    if ((threadIdx.x & 31) == 0) t.counts[row] = min(count, kept);
}

// Some columns of rows, or of points, relative to a centre: near neighbours have small differences.
__device__ void load_columns(float (*out)[STRIDE], const int *numbers, const POINT *values, const POINT *centre,
                             POINT scale, int first, int dimension) {
    int k = threadIdx.x % COLUMNS, column = first + k;
    POINT middle = column < dimension ? centre[column] : 0;
#pragma unroll
    for (int r = threadIdx.x / COLUMNS; r < ROWS; r += THREADS / COLUMNS) {
        int number = numbers[r];
        bool there = number >= 0 && column < dimension;
        out[k][r] = there ? (float)((values[(int64)number * dimension + column] - middle) * scale) : 0.0f;
    }
}

__device__ void add_products(float (&sums)[8][8], const Tile &t, int k, int across, int down) {
    float4 a = *(const float4 *)&t.rows[k][4 * down], b = *(const float4 *)&t.rows[k][64 + 4 * down];
    float4 c = *(const float4 *)&t.points[k][4 * across], d = *(const float4 *)&t.points[k][64 + 4 * across];
    float left[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    float right[8] = {c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w};
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) sums[i][j] = __fmaf_rn(left[i], right[j], sums[i][j]);
}

// Which of 128 rows or points a thread has as number i of its eight.
__device__ int placed(int i, int thread) { return i < 4 ? 4 * thread + i : 60 + 4 * thread + i; }

// Put what is near enough into the lists. A list that is full is shortened, and those left over try again.
__device__ void keep_nearest(float (&sums)[8][8], Tile &t, uint64 *lists, int kept, int across, int down) {
    uint64 waiting = 0;
#pragma unroll
    for (int j = 0; j < 8; j++) {
        float norm = t.norms[placed(j, across)];
#pragma unroll
        for (int i = 0; i < 8; i++) {
            sums[i][j] = __fmaf_rn(-2.0f, sums[i][j], norm);
            if (sums[i][j] <= t.limits[placed(i, down)]) waiting |= 1ULL << (8 * i + j);
        }
    }
    while (__syncthreads_or(waiting != 0)) {
        if (waiting) {
#pragma unroll
            for (int i = 0; i < 8; i++) {
                int row = placed(i, down);
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    uint64 bit = 1ULL << (8 * i + j);
                    if (!(waiting & bit)) continue;
                    uint64 key = key_of(sums[i][j], t.point_numbers[placed(j, across)]);
                    if (key < t.limit_keys[row]) {
                        int place = atomicAdd(&t.counts[row], 1);
                        if (place >= CAPACITY) continue;
                        lists[row * CAPACITY + place] = key;
                    }
                    waiting ^= bit;
                }
            }
        }
        __syncthreads();
        for (int row = threadIdx.x / 32; row < ROWS; row += THREADS / 32)
            if (t.counts[row] >= CAPACITY) shorten(t, lists + row * CAPACITY, row, kept);
        __syncthreads();
    }
}

// Tile b has the rows row_order[tile_starts[b]] and so on, up to 128, and visits the cells
// visits[visit_starts[b]] and so on; the points of cell c are order[cell_starts[c]] and so on. For each row the
// numbers of the nearest points are written, nearest first, -1 where there are no more.
extern "C" __global__ void __launch_bounds__(THREADS, 2)
    scan_cells(const POINT *rows, const int *row_order, const int *tile_starts, const POINT *points,
               const int *order, const int *cell_starts, const int *visit_starts, const int *visits,
               const POINT *centres, const int *centre_of_tile, POINT scale, int dimension, int kept, int *found) {
    extern __shared__ __align__(16) unsigned char memory[];
    Tile &t = *(Tile *)memory;
    uint64 *lists = (uint64 *)(memory + sizeof(Tile));
    int first_row = tile_starts[blockIdx.x], n_rows = tile_starts[blockIdx.x + 1] - first_row;
    const POINT *centre = centres + (int64)centre_of_tile[blockIdx.x] * dimension;
    int across = threadIdx.x % 16, down = threadIdx.x / 16;
    if (threadIdx.x < ROWS) {
        bool there = threadIdx.x < n_rows;
        t.row_numbers[threadIdx.x] = there ? row_order[first_row + threadIdx.x] : -1;
        t.limits[threadIdx.x] = there ? LARGEST : -INFINITE;
        t.limit_keys[threadIdx.x] = NOTHING;
        t.counts[threadIdx.x] = 0;
    }
    int visit = visit_starts[blockIdx.x], last_visit = visit_starts[blockIdx.x + 1];
    int at = visit < last_visit ? cell_starts[visits[visit]] : 0;
    while (visit < last_visit) {
        __syncthreads();
        int filled = 0;
        while (filled < ROWS && visit < last_visit) {  // points of one cell, then of the next
            int some = min(ROWS - filled, cell_starts[visits[visit] + 1] - at);
            int place = threadIdx.x - filled;
            if (place >= 0 && place < some) t.point_numbers[threadIdx.x] = order[at + place];
            filled += some;
            at += some;
            if (at == cell_starts[visits[visit] + 1] && ++visit < last_visit) at = cell_starts[visits[visit]];
        }
        if (threadIdx.x >= filled && threadIdx.x < ROWS) t.point_numbers[threadIdx.x] = -1;
        float sums[8][8] = {}, norm = 0;
        for (int first = 0; first < dimension; first += COLUMNS) {
            __syncthreads();
            load_columns(t.rows, t.row_numbers, rows, centre, scale, first, dimension);
            load_columns(t.points, t.point_numbers, points, centre, scale, first, dimension);
            __syncthreads();
            int width = min(COLUMNS, dimension - first);
            if (threadIdx.x < ROWS)
                for (int k = 0; k < width; k++)
                    norm = __fmaf_rn(t.points[k][threadIdx.x], t.points[k][threadIdx.x], norm);
#pragma unroll 2
            for (int k = 0; k < width; k++) add_products(sums, t, k, across, down);
        }
        if (threadIdx.x < ROWS) t.norms[threadIdx.x] = t.point_numbers[threadIdx.x] < 0 ? INFINITE : norm;
        __syncthreads();
        keep_nearest(sums, t, lists, kept, across, down);
    }
    __syncthreads();
    for (int row = threadIdx.x / 32; row < n_rows; row += THREADS / 32) {
        uint64 keys[SLOTS];
        int count = min(t.counts[row], CAPACITY);
        fetch_sorted(keys, lists + row * CAPACITY, count);
#pragma unroll
        for (int s = 0; s < SLOTS; s++) {
            int place = 32 * s + (threadIdx.x & 31);
            if (place < kept) found[(int64)t.row_numbers[row] * kept + place] = place < count ? (int)keys[s] : -1;
        }
    }
}

// Mean of the rows of each cell, added in their order; a cell without rows keeps its centre.
extern "C" __global__ void cell_means(const POINT *rows, const int *order, const int *starts, POINT *centres,
                                      int dimension) {
    int first = starts[blockIdx.x], stop = starts[blockIdx.x + 1];
    for (int c = threadIdx.x; c < dimension && stop > first; c += blockDim.x) {
        double sum = 0;
        for (int i = first; i < stop; i++) sum += (double)rows[(int64)order[i] * dimension + c];
        centres[(int64)blockIdx.x * dimension + c] = (POINT)(sum / (stop - first));
    }
}
