// Sparse rows on a GPU: sums, products, parts, distances along edges, and the layout that sweeps run on.
// POINTER is the integer type of the row starts, ENTRY the type of the entries; column indices are int. One thread owns a row and adds its
// entries in stored order, as the CPU does.

typedef long long int64;

extern "C" __global__ void row_sums(const POINTER *indptr, const ENTRY *data, double *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double sum = 0;
    for (POINTER e = indptr[i]; e < indptr[i + 1]; e++) sum += data[e];
    out[i] = sum;
}

// Columns are sorted, so the first of equal entries has the smallest column.
extern "C" __global__ void heaviest(const POINTER *indptr, const int *indices, const ENTRY *data, int64 *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    ENTRY largest = 0;
    int64 found = -1;
    for (POINTER e = indptr[i]; e < indptr[i + 1]; e++)
        if (indices[e] != i && data[e] > largest) {
            largest = data[e];
            found = indices[e];
        }
    out[i] = found;
}

// Data of S from that of W: w_ij / (root_i root_j), by inverse roots that are zero for isolated vertices.
extern "C" __global__ void normalised(const POINTER *indptr, const int *indices, const ENTRY *data,
                                      const double *inverse_root, double *out, int n) {
    int lane = threadIdx.x & 31;
    int i = (int)(((int64)blockIdx.x * blockDim.x + threadIdx.x) / 32);
    if (i >= n) return;
    for (POINTER e = indptr[i] + lane; e < indptr[i + 1]; e += 32)
        out[e] = (double)data[e] * inverse_root[indices[e]] * inverse_root[i];
}

// Rows and columns in another order: row i is row order[i] of before, and column position[j] column j.
extern "C" __global__ void reorder(const POINTER *indptr, const int *indices, const ENTRY *data, const int *order,
                                   const int *position, const POINTER *new_indptr, int *new_indices,
                                   ENTRY *new_data, int n) {
    int lane = threadIdx.x & 31;
    int i = (int)(((int64)blockIdx.x * blockDim.x + threadIdx.x) / 32);
    if (i >= n) return;
    POINTER from = indptr[order[i]], to = new_indptr[i];
    for (POINTER e = lane; e < new_indptr[i + 1] - to; e += 32) {
        new_indices[to + e] = position[indices[from + e]];
        new_data[to + e] = data[from + e];
    }
}

// ------------------------------------------------------------------------------------------- connected parts

__device__ int root_of(int *parent, int i) {
    int above = parent[i];
    while (above != i) {  // halve the path on the way up
        int next = parent[above];
        if (next < above) parent[i] = next;
        i = above;
        above = next;
    }
    return i;
}

// Hang the larger root of the two ends of each edge below the smaller one: in the end the root of a part is its
// first vertex, in whatever order the threads ran.
extern "C" __global__ void join_ends(const POINTER *indptr, const int *indices, int *parent, int n) {
    int lane = threadIdx.x & 31;
    int i = (int)(((int64)blockIdx.x * blockDim.x + threadIdx.x) / 32);
    if (i >= n) return;
    for (POINTER e = indptr[i] + lane; e < indptr[i + 1]; e += 32) {
        int j = indices[e];
        if (j >= i) continue;
        int a = root_of(parent, i), b = root_of(parent, j);
        while (a != b) {
            int high = a > b ? a : b, low = a > b ? b : a;
            int found = atomicCAS(parent + high, high, low);
            if (found == high) break;
            a = root_of(parent, found);
            b = root_of(parent, low);
        }
    }
}

extern "C" __global__ void find_roots(int *parent, int *roots, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int above = parent[i];
    while (above != parent[above]) above = parent[above];
    roots[i] = above;
}

// ------------------------------------------------------------------------------------- nearest along the graph

// One round of relaxation from all vertices at once: does some neighbour offer a shorter way?
extern "C" __global__ void relax(const POINTER *indptr, const int *indices, const ENTRY *weights,
                                 const double *lengths, const int *sources, double *new_lengths,
                                 int *new_sources, int *changed, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    double shortest = lengths[i];
    int source = sources[i];
    for (POINTER e = indptr[i]; e < indptr[i + 1]; e++) {
        int j = indices[e];
        double way = lengths[j] + 1.0 / (double)weights[e];
        if (way < shortest) {
            shortest = way;
            source = sources[j];
        }
    }
    if (shortest < lengths[i]) *changed = 1;
    new_lengths[i] = shortest;
    new_sources[i] = source;
}
