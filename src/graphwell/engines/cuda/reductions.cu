// Sums over long arrays that come out the same on every run: in a fixed order, or over integers.

typedef long long int64;
typedef unsigned long long uint64;

#define FULL 0xffffffffu

// Dot products of the columns of a and b, in double precision: each block sums its share of the rows for all
// columns, one warp for each column in turn, and the block that ends last adds the shares up in their order. parts
// has a row for each block, and `arrived` is 0 before and after.
extern "C" __global__ void column_dots(const REAL *a, const REAL *b, double *parts, double *out, unsigned *arrived,
                                       int64 n, int width) {
    __shared__ bool is_last;
    int lane = threadIdx.x & 31, warp = threadIdx.x / 32, n_warps = blockDim.x / 32;
    int64 rows = (n + gridDim.x - 1) / gridDim.x;
    int64 first = rows * blockIdx.x, stop = first + rows < n ? first + rows : n;
    for (int c = warp; c < width; c += n_warps) {
        double sum = 0;
#pragma unroll 4
        for (int64 i = first + lane; i < stop; i += 32) sum += (double)a[i * width + c] * (double)b[i * width + c];
        for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(FULL, sum, step);
        if (lane == 0) parts[(int64)blockIdx.x * width + c] = sum;
    }
    __threadfence();
    __syncthreads();
    if (threadIdx.x == 0) is_last = atomicAdd(arrived, 1u) == gridDim.x - 1;
    __syncthreads();
    if (!is_last) return;
    __threadfence();
    for (int c = warp; c < width; c += n_warps) {
        double sum = 0;
        for (int block = lane; block < (int)gridDim.x; block += 32) sum += parts[(int64)block * width + c];
        for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(FULL, sum, step);
        if (lane == 0) out[c] = sum;
    }
    if (threadIdx.x == 0) *arrived = 0;
}

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
