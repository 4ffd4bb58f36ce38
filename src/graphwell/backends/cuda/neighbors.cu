// Nearest neighbours, from tiles of squared distances or from the cells that each row asks. SLOTS * 32 candidates
// are kept for each row, POINT is the type of the coordinates.

typedef long long int64;

#define FULL 0xffffffffu
#define INFINITE __int_as_float(0x7f800000)

// Sum, least and greatest value of each column. A block has its share of the rows, which its threads go through
// side by side, `lanes` rows at a time; every lane leaves a row of results of its own.
extern "C" __global__ void __launch_bounds__(256)
    column_bounds(const POINT *rows, int n_rows, int dimension, int lanes, double *sums, POINT *lows, POINT *highs) {
    int share = (n_rows + gridDim.x - 1) / gridDim.x, first = share * blockIdx.x;
    int stop = min(first + share, n_rows), wide = min(dimension, 256), lane = threadIdx.x / wide;
    if (lane >= lanes) return;
    for (int c = threadIdx.x % wide; c < dimension; c += wide) {
        double sum = 0;
        POINT low = rows[c], high = low;
        for (int i = first + lane; i < stop; i += lanes) {
            POINT value = rows[(int64)i * dimension + c];
            sum += (double)value;
            low = value < low ? value : low;
            high = value > high ? value : high;
        }
        int64 place = ((int64)blockIdx.x * lanes + lane) * dimension + c;
        sums[place] = sum;
        lows[place] = low;
        highs[place] = high;
    }
}

// The list of a warp: the smallest values so far, sorted, number 32 slot + lane in slot `slot` of a lane.
struct Nearest {
    float best[SLOTS], worst;
    int index[SLOTS];
};

__device__ void find_worst(Nearest &list, int kept) {
#pragma unroll
    for (int s = 0; s < SLOTS; s++)
        if (s == (kept - 1) / 32) list.worst = __shfl_sync(FULL, list.best[s], (kept - 1) % 32);
}

// Every lane offers a value; those that are among the smallest get into the list, behind all that are as small.
__device__ void offer(Nearest &list, float value, int number, int kept) {
    int lane = threadIdx.x & 31;
    unsigned better = __ballot_sync(FULL, value < list.worst);
    while (better) {
        int from = __ffs(better) - 1;
        better &= better - 1;
        float offered = __shfl_sync(FULL, value, from);
        int offered_number = __shfl_sync(FULL, number, from);
        if (!(offered < list.worst)) continue;
        int place = 0;
#pragma unroll
        for (int s = 0; s < SLOTS; s++) place += __popc(__ballot_sync(FULL, list.best[s] <= offered));
        float carried = 0;
        int carried_index = 0;
#pragma unroll
        for (int s = 0; s < SLOTS; s++) {
            float last = __shfl_sync(FULL, list.best[s], 31), above = __shfl_up_sync(FULL, list.best[s], 1);
            int last_index = __shfl_sync(FULL, list.index[s], 31);
            int above_index = __shfl_up_sync(FULL, list.index[s], 1);
            if (lane == 0) {
                above = carried;
                above_index = carried_index;
            }
            int here = 32 * s + lane;
            if (here > place) {
                list.best[s] = above;
                list.index[s] = above_index;
            } else if (here == place) {
                list.best[s] = offered;
                list.index[s] = offered_number;
            }
            carried = last;
            carried_index = last_index;
        }
        find_worst(list, kept);
    }
}

// One warp for each row of a tile of `n_columns` distances: keep the smallest. The lists of earlier tiles of the
// same rows are gone on with.
extern "C" __global__ void __launch_bounds__(256)
    keep_smallest(const float *tile, int n_rows, int n_columns, int first_column, float *distances, int *indices,
                  int kept, int is_first) {
    int lane = threadIdx.x & 31;
    int row = (int)(((int64)blockIdx.x * blockDim.x + threadIdx.x) / 32);
    if (row >= n_rows) return;
    Nearest list;
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        int place = 32 * s + lane;
        bool old = !is_first && place < kept;
        list.best[s] = old ? distances[(int64)row * kept + place] : INFINITE;
        list.index[s] = old ? indices[(int64)row * kept + place] : -1;
    }
    find_worst(list, kept);
    const float *mine = tile + (int64)row * n_columns;
    for (int base = 0; base < n_columns; base += 128) {
        float values[4];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int column = base + 32 * i + lane;
            values[i] = column < n_columns ? mine[column] : INFINITE;
        }
        float least = fminf(fminf(values[0], values[1]), fminf(values[2], values[3]));
        if (!__any_sync(FULL, least < list.worst)) continue;
#pragma unroll
        for (int i = 0; i < 4; i++) offer(list, values[i], first_column + base + 32 * i + lane, kept);
    }
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        int place = 32 * s + lane;
        if (place < kept) {
            distances[(int64)row * kept + place] = list.best[s];
            indices[(int64)row * kept + place] = list.index[s];
        }
    }
}

// Take the distances of the candidates anew, in double precision, and write the nearest `k` in their order; equal
// ones keep the order they came in. Point own[i], which is row i itself, is left out; -1 stands for none.
extern "C" __global__ void __launch_bounds__(256)
    nearest_of_candidates(const POINT *rows, const POINT *points, const int *candidates, const int *own, int n_rows,
                          int dimension, int kept, int k, int *indices, double *distances) {
    int lane = threadIdx.x & 31;
    int row = (int)(((int64)blockIdx.x * blockDim.x + threadIdx.x) / 32);
    if (row >= n_rows) return;
    const POINT *mine = rows + (int64)row * dimension;
    double length[SLOTS];
    int index[SLOTS];
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        int place = 32 * s + lane;
        index[s] = place < kept ? candidates[(int64)row * kept + place] : -1;
        bool counts = index[s] >= 0 && index[s] != own[row];
        length[s] = INFINITE;
        if (counts) {
            const POINT *other = points + (int64)index[s] * dimension;
            double total = 0;
            for (int c = 0; c < dimension; c++) {
                double difference = (double)mine[c] - (double)other[c];
                total += difference * difference;
            }
            length[s] = sqrt(total);
        }
    }
    int rank[SLOTS];
#pragma unroll
    for (int s = 0; s < SLOTS; s++) rank[s] = 0;
#pragma unroll
    for (int t = 0; t < SLOTS; t++) {
        for (int from = 0; from < 32; from++) {
            double other = __shfl_sync(FULL, length[t], from);
#pragma unroll
            for (int s = 0; s < SLOTS; s++)
                rank[s] += other < length[s] || (other == length[s] && 32 * t + from < 32 * s + lane);
        }
    }
#pragma unroll
    for (int s = 0; s < SLOTS; s++) {
        if (rank[s] < k && length[s] < INFINITE) {
            indices[(int64)row * k + rank[s]] = index[s];
            distances[(int64)row * k + rank[s]] = length[s];
        }
    }
}
