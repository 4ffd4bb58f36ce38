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
#define COLUMNS 8
#define SHARE (ROWS * COLUMNS / THREADS)
#define STRIDE (ROWS + 4)
#define CAPACITY (32 * SLOTS)

struct Tile {
    float rows[2][COLUMNS][STRIDE], points[2][COLUMNS][STRIDE];
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

// Which of 128 rows or points a thread has as number i of its eight: a warp has 32 rows and 64 points.
__device__ int row_of(int i) {
    int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    return 32 * (warp / 2) + 16 * (i / 4) + 4 * (lane / 8) + i % 4;
}

__device__ int point_of(int j) {
    int warp = threadIdx.x / 32, lane = threadIdx.x & 31;
    return 64 * (warp % 2) + 32 * (j / 4) + 4 * (lane % 8) + j % 4;
}

// A thread's share of some columns, relative to a centre: near neighbours have small differences.
__device__ void fetch(float (&out)[SHARE], const int *numbers, const POINT *values, POINT middle, POINT scale,
                      int column, int dimension) {
#pragma unroll
    for (int i = 0; i < SHARE; i++) {
        int number = numbers[threadIdx.x / COLUMNS + THREADS / COLUMNS * i];
        bool there = number >= 0 && column < dimension;
        out[i] = there ? (float)((values[(int64)number * dimension + column] - middle) * scale) : 0.0f;
    }
}

__device__ void store(float (*out)[STRIDE], const float (&values)[SHARE]) {
#pragma unroll
    for (int i = 0; i < SHARE; i++)
        out[threadIdx.x % COLUMNS][threadIdx.x / COLUMNS + THREADS / COLUMNS * i] = values[i];
}

__device__ void add_products(float (&sums)[8][8], const float (*rows)[STRIDE], const float (*points)[STRIDE], int k) {
    float4 a = *(const float4 *)&rows[k][row_of(0)], b = *(const float4 *)&rows[k][row_of(4)];
    float4 c = *(const float4 *)&points[k][point_of(0)], d = *(const float4 *)&points[k][point_of(4)];
    float left[8] = {a.x, a.y, a.z, a.w, b.x, b.y, b.z, b.w};
    float right[8] = {c.x, c.y, c.z, c.w, d.x, d.y, d.z, d.w};
#pragma unroll
    for (int i = 0; i < 8; i++)
#pragma unroll
        for (int j = 0; j < 8; j++) sums[i][j] = __fmaf_rn(left[i], right[j], sums[i][j]);
}

// Products of all rows of the tile with 128 points; the next columns are on their way meanwhile.
__device__ void multiply(float (&sums)[8][8], Tile &t, const POINT *rows, const POINT *points, const POINT *centre,
                         POINT scale, int dimension) {
    float next_rows[SHARE], next_points[SHARE], norm = 0;
    int column = threadIdx.x % COLUMNS, buffer = 0;
    for (int first = -COLUMNS; first < dimension; first += COLUMNS) {
        bool more = first + COLUMNS < dimension;
        if (more) {
            int next = first + COLUMNS + column;
            POINT middle = next < dimension ? centre[next] : 0;
            fetch(next_rows, t.row_numbers, rows, middle, scale, next, dimension);
            fetch(next_points, t.point_numbers, points, middle, scale, next, dimension);
        }
        if (first >= 0) {
            int width = min(COLUMNS, dimension - first);
            if (threadIdx.x < ROWS)
                for (int k = 0; k < width; k++)
                    norm = __fmaf_rn(t.points[buffer][k][threadIdx.x], t.points[buffer][k][threadIdx.x], norm);
            if (width == COLUMNS)
#pragma unroll
                for (int k = 0; k < COLUMNS; k++) add_products(sums, t.rows[buffer], t.points[buffer], k);
            else
                for (int k = 0; k < width; k++) add_products(sums, t.rows[buffer], t.points[buffer], k);
        }
        buffer ^= 1;
        if (more) {
            store(t.rows[buffer], next_rows);
            store(t.points[buffer], next_points);
        }
        if (!more && threadIdx.x < ROWS)
            t.norms[threadIdx.x] = t.point_numbers[threadIdx.x] < 0 ? INFINITE : norm;
        __syncthreads();
    }
}

// Put what waits into the lists, as far as there is room; what is no longer near enough waits in vain.
__device__ uint64 put(uint64 waiting, const float (&values)[8][8], Tile &t, uint64 *lists) {
#pragma unroll
    for (int i = 0; i < 8; i++) {
#pragma unroll
        for (int j = 0; j < 8; j++) {
            uint64 bit = 1ULL << (8 * i + j);
            if (!(waiting & bit)) continue;
            int row = row_of(i);
            uint64 key = key_of(values[i][j], t.point_numbers[point_of(j)]);
            if (key < t.limit_keys[row]) {
                int place = atomicAdd(&t.counts[row], 1);
                if (place >= CAPACITY) continue;
                lists[row * CAPACITY + place] = key;
            }
            waiting ^= bit;
        }
    }
    return waiting;
}

// Put what is near enough into the lists. Full lists are shortened, and those left over try again.
__device__ void keep_nearest(float (&sums)[8][8], Tile &t, uint64 *lists, int kept) {
    uint64 waiting = 0;
    float norms[8];
#pragma unroll
    for (int j = 0; j < 8; j++) norms[j] = t.norms[point_of(j)];
#pragma unroll
    for (int i = 0; i < 8; i++) {
        float limit = t.limits[row_of(i)];
#pragma unroll
        for (int j = 0; j < 8; j++) {
            sums[i][j] = __fmaf_rn(-2.0f, sums[i][j], norms[j]);  // |y|^2 - 2 x y: nearest is smallest
            if (sums[i][j] <= limit) waiting |= 1ULL << (8 * i + j);
        }
    }
    if (waiting) waiting = put(waiting, sums, t, lists);
    while (__syncthreads_or(waiting != 0)) {
        for (int row = threadIdx.x / 32; row < ROWS; row += THREADS / 32)
            if (t.counts[row] >= CAPACITY) shorten(t, lists + row * CAPACITY, row, kept);
        __syncthreads();
        if (waiting) waiting = put(waiting, sums, t, lists);
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
        int filled = 0;
        while (filled < ROWS && visit < last_visit) {  // points of one cell, then of the next
            int stop = cell_starts[visits[visit] + 1], some = min(ROWS - filled, stop - at);
            int place = threadIdx.x - filled;
            if (place >= 0 && place < some) t.point_numbers[threadIdx.x] = order[at + place];
            filled += some;
            at += some;
            if (at == stop && ++visit < last_visit) at = cell_starts[visits[visit]];
        }
        if (threadIdx.x >= filled && threadIdx.x < ROWS) t.point_numbers[threadIdx.x] = -1;
        __syncthreads();
        float sums[8][8] = {};
        multiply(sums, t, rows, points, centre, scale, dimension);
        keep_nearest(sums, t, lists, kept);
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
