// Sums over long arrays that come out the same on every run: in a fixed order, or over integers.

typedef long long int64;
typedef unsigned long long uint64;

#define FULL 0xffffffffu

struct Factors {  // of up to 64 columns
    REAL a[64], b[64];
};

// x = a x + b y for columns `first` to `first` + 63 of rows of `width`.
extern "C" __global__ void combine(Factors factors, REAL *x, const REAL *y, int64 size, int width, int first) {
    int64 i = (int64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size) return;
    int c = (int)(i % width) - first;
    if (c >= 0 && c < 64) x[i] = factors.a[c] * x[i] + factors.b[c] * y[i];
}

// ------------------------------------------------------------------------------------------ sums over columns

// Every block has its share of the rows, and goes through it 256 values at a time, each thread in a column of its
// own; wider rows are cut into pieces of 256 columns.
struct Share {
    int64 row, stop;
    int column, step;
    bool works;
};

__device__ Share share_of(int64 n, int width, int piece) {
    Share s;
    int wide = min(256, width - 256 * piece);
    int64 rows = (n + gridDim.x - 1) / gridDim.x, first = rows * blockIdx.x;
    s.step = 256 / wide;
    s.works = (int)threadIdx.x < s.step * wide;
    s.column = 256 * piece + threadIdx.x % wide;
    s.row = first + threadIdx.x / wide;
    s.stop = min(first + rows, n);
    return s;
}

// Sum the values of the threads of each column; then the block that ends last adds the shares of all blocks up, in
// their order. parts has a row for each block, and `arrived` is 0 before and after.
__device__ void add_shares(double value, int width, int piece, double *parts) {
    __shared__ double values[256];
    int wide = min(256, width - 256 * piece), step = 256 / wide;
    __syncthreads();
    values[threadIdx.x] = value;
    __syncthreads();
    if ((int)threadIdx.x < wide) {
        double sum = 0;
        for (int k = 0; k < step; k++) sum += values[k * wide + threadIdx.x];
        parts[(int64)blockIdx.x * width + 256 * piece + threadIdx.x] = sum;
    }
}

__device__ bool add_blocks(const double *parts, double *out, unsigned *arrived, int width) {
    __shared__ bool is_last;
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return false;
    __threadfence();
    int lane = threadIdx.x & 31;
    for (int c = threadIdx.x / 32; c < width; c += 8) {
        double sum = 0;
        for (int block = lane; block < (int)gridDim.x; block += 32) sum += parts[(int64)block * width + c];
        for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(FULL, sum, step);
        if (lane == 0) out[c] = sum;
    }
    if (threadIdx.x == 0) *arrived = 0;
    __syncthreads();
    return true;  // in the block that ended last
}

// Dot products of the columns of a and b, in double precision.
extern "C" __global__ void __launch_bounds__(256)
    column_dots(const REAL *a, const REAL *b, double *parts, double *out, unsigned *arrived, int64 n, int width) {
    for (int piece = 0; 256 * piece < width; piece++) {
        Share s = share_of(n, width, piece);
        double sum = 0;
        if (s.works)
#pragma unroll 4
            for (int64 i = s.row; i < s.stop; i += s.step)
                sum += (double)a[i * width + s.column] * (double)b[i * width + s.column];
        add_shares(sum, width, piece, parts);
    }
    add_blocks(parts, out, arrived, width);
}

// A step of conjugate gradients with up to 64 columns: x += a p, r += b image; out gets the sums of r r.
extern "C" __global__ void __launch_bounds__(256)
    advance(Factors factors, REAL *x, REAL *r, const REAL *p, const REAL *image, double *parts, double *out,
            unsigned *arrived, int64 n, int width) {
    Share s = share_of(n, width, 0);
    double sum = 0;
    if (s.works) {
        REAL a = factors.a[s.column], b = factors.b[s.column];
#pragma unroll 4
        for (int64 i = s.row; i < s.stop; i += s.step) {
            int64 at = i * width + s.column;
            x[at] = x[at] + a * p[at];
            REAL left = r[at] + b * image[at];
            r[at] = left;
            sum += (double)left * (double)left;
        }
    }
    add_shares(sum, width, 0, parts);
    add_blocks(parts, out, arrived, width);
}

// ------------------------------------------------------------------------- conjugate gradients without the host

// A row of each for every column: squared residuals, those aimed at, curvatures, squared residuals after the step.
struct Columns {
    double *squared, *target, *curvature, *left;
    REAL *step, *ratio;
};

__device__ bool is_moving(const Columns &s, int c) { return s.squared[c] > s.target[c] && s.curvature[c] > 0; }

// The sums of p image of up to 256 columns, and from them the step of each column.
extern "C" __global__ void __launch_bounds__(256)
    find_steps(Columns s, const REAL *p, const REAL *image, double *parts, unsigned *arrived, int64 n, int width) {
    Share mine = share_of(n, width, 0);
    double sum = 0;
    if (mine.works)
#pragma unroll 4
        for (int64 i = mine.row; i < mine.stop; i += mine.step)
            sum += (double)p[i * width + mine.column] * (double)image[i * width + mine.column];
    add_shares(sum, width, 0, parts);
    if (!add_blocks(parts, s.curvature, arrived, width)) return;
    for (int c = threadIdx.x; c < width; c += blockDim.x)
        s.step[c] = (REAL)(is_moving(s, c) ? s.squared[c] / s.curvature[c] : 0.0);
}

// x += step p, r -= step image; then the ratio of each column, and one iteration more if any column moved.
extern "C" __global__ void __launch_bounds__(256)
    take_steps(Columns s, REAL *x, REAL *r, const REAL *p, const REAL *image, double *parts, unsigned *arrived,
               int *iterations, int64 n, int width) {
    Share mine = share_of(n, width, 0);
    double sum = 0;
    if (mine.works) {
        REAL a = s.step[mine.column], b = -a;
#pragma unroll 4
        for (int64 i = mine.row; i < mine.stop; i += mine.step) {
            int64 at = i * width + mine.column;
            x[at] = x[at] + a * p[at];
            REAL left = r[at] + b * image[at];
            r[at] = left;
            sum += (double)left * (double)left;
        }
    }
    add_shares(sum, width, 0, parts);
    if (!add_blocks(parts, s.left, arrived, width)) return;
    bool open = false;
    for (int c = threadIdx.x; c < width; c += blockDim.x) {
        bool moving = is_moving(s, c);
        double before = s.squared[c], after = moving ? s.left[c] : 0.0;
        open = open || before > s.target[c];
        s.ratio[c] = (REAL)(moving ? after / before : 0.0);
        s.squared[c] = after;
    }
    if (__syncthreads_or(open) && threadIdx.x == 0) *iterations += 1;
}

// p = r + ratio p.
extern "C" __global__ void turn(Columns s, REAL *p, const REAL *r, int64 size, int width) {
    int64 i = (int64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < size) p[i] = s.ratio[i % width] * p[i] + r[i];
}

// Sums of values by group, in fixed point: value * unit is rounded to an integer.
extern "C" __global__ void group_sums(const int *groups, const double *values, const double *unit, int64 *out,
                                      int64 n) {
    int64 i = (int64)blockIdx.x * blockDim.x + threadIdx.x;
    int lane = threadIdx.x & 31;
    int group = i < n ? groups[i] : -1;
    int64 value = i < n ? __double2ll_rn(values[i] * *unit) : 0;
    int first = __shfl_sync(FULL, group, 0);
    if (__all_sync(FULL, group == first || group < 0)) {  // as a rule: one group for the whole warp
        for (int step = 16; step; step /= 2) value += __shfl_xor_sync(FULL, value, step);
        if (lane == 0 && first >= 0) atomicAdd((uint64 *)out + first, (uint64)value);
    } else if (group >= 0) {
        atomicAdd((uint64 *)out + group, (uint64)value);
    }
}

// Smallest value of each group, as integers in the order of the doubles they stand for.
extern "C" __global__ void group_minima(const int *groups, const double *values, int64 *out, int64 n) {
    int64 i = (int64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int64 bits = __double_as_longlong(values[i]);
    int64 key = bits < 0 ? bits ^ 0x7fffffffffffffffLL : bits;
    int64 *place = out + groups[i];
    if (key < *(volatile int64 *)place) atomicMin(place, key);
}

extern "C" __global__ void keys_to_doubles(const int64 *keys, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __longlong_as_double(keys[i] < 0 ? keys[i] ^ 0x7fffffffffffffffLL : keys[i]);
}
