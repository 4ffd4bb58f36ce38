// The normalised affinity times a block of columns, and its layout for sweeps. REAL is float or double.
// Entries of a row are added in stored order, without fused multiply-adds, as on the CPU.

typedef long long int64;

struct Edge {
    REAL value;
    int column;
};

// Edges in sliced ELLPACK form, 32 rows to a slice: entry j of row i of slice s at starts[s] + 32 j + i, padding
// zero. Rows from 32 n_slices on are long ones, whose entries lie side by side. order is negative for padding.
extern "C" __global__ void fill_slices(const POINTER *indptr, const int *indices, const double *data,
                                       const int *order, const int *position, const int64 *starts,
                                       const int64 *long_starts, Edge *edges, int n_slices, int n_rows) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n_rows) return;
    bool in_slice = row < 32 * n_slices;
    int64 place = in_slice ? starts[row / 32] + row % 32 : long_starts[row - 32 * n_slices];
    int64 stop = in_slice ? starts[row / 32 + 1] : place;
    int stride = in_slice ? 32 : 1, i = order[row];
    if (i >= 0) {
        for (POINTER e = indptr[i]; e < indptr[i + 1]; e++, place += stride) {
            edges[place].value = (REAL)data[e];
            edges[place].column = position[indices[e]];
        }
    }
    for (; place < stop; place += 32) {
        edges[place].value = 0;
        edges[place].column = row;
    }
}

// out = S @ block for a block of `width` columns. One thread for each row and each `WIDE` columns.
struct __align__(WIDE * sizeof(REAL) > 16 ? 16 : WIDE * sizeof(REAL)) Columns {
    REAL at[WIDE];
};

// image = p - A S A p with the diagonal `scaling` of A; rounded as if each product were stored.
extern "C" __global__ void apply_system(const POINTER *indptr, const int *indices, const REAL *data,
                                        const REAL *scaling, const Columns *p, Columns *image, int width, int n) {
    int64 thread = (int64)blockIdx.x * blockDim.x + threadIdx.x;
    int i = (int)(thread / width), c = (int)(thread % width);
    if (i >= n) return;
    Columns sums, own = p[(int64)i * width + c];
    for (int k = 0; k < WIDE; k++) sums.at[k] = 0;
    POINTER e = indptr[i], stop = indptr[i + 1];
#pragma unroll 4
    for (; e < stop; e++) {
        int j = indices[e];
        REAL weight = data[e], scale = scaling[j];
        Columns values = p[(int64)j * width + c];
#pragma unroll
        for (int k = 0; k < WIDE; k++) sums.at[k] += weight * (scale * values.at[k]);
    }
    for (int k = 0; k < WIDE; k++) own.at[k] = own.at[k] - scaling[i] * sums.at[k];
    image[(int64)i * width + c] = own;
}

extern "C" __global__ void product(const POINTER *indptr, const int *indices, const REAL *data,
                                   const Columns *block, Columns *out, int width, int n) {
    int64 thread = (int64)blockIdx.x * blockDim.x + threadIdx.x;
    int i = (int)(thread / width), c = (int)(thread % width);
    if (i >= n) return;
    Columns sums;
    for (int k = 0; k < WIDE; k++) sums.at[k] = 0;
    POINTER e = indptr[i], stop = indptr[i + 1];
#pragma unroll 4
    for (; e < stop; e++) {
        REAL weight = data[e];
        Columns values = block[(int64)indices[e] * width + c];
#pragma unroll
        for (int k = 0; k < WIDE; k++) sums.at[k] += weight * values.at[k];
    }
    out[(int64)i * width + c] = sums;
}
