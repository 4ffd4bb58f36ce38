// Pictures on a GPU: links, products and sweeps over a flat padded grid, where a neighbour is a fixed step away.
//
// The arithmetic is that of the CPU's kernels, operation by operation, so compile without fused multiply-adds;
// exponentials are taken in double precision, which rounds as the CPU does but for ties. LABEL is the integer of
// classes. A weight is kept at the first end of its link, in units of 1 / 65535.

typedef long long int64;
typedef unsigned short weight_t;

#define UNIT ((float)(1.0 / 65535.0))
#define THREADS 256

struct Grid {
    int64 size, begin, end;
    const int64 *steps;
    const float *nearness, *pieces;
    int n_steps;
};

__device__ int64 thread_number() { return (int64)blockIdx.x * blockDim.x + threadIdx.x; }

__device__ weight_t weight_of(const Grid &grid, const float *values, int n_channels, int64 i, int64 j, float nearness,
                              float sharp, float least) {
    float distance = 0;
    for (int c = 0; c < n_channels; c++) {
        float difference = values[c * grid.size + i] - values[c * grid.size + j];
        distance += difference * difference;
    }
    float color = (float)exp((double)(-distance * sharp));
    color = color > least ? color : least;
    float linked = grid.pieces[i] > 0 && grid.pieces[i] == grid.pieces[j] ? 1.0f : 0.0f;
    return (weight_t)(color * nearness * linked / UNIT + 0.5f);
}

// The sum of the values of a block's threads, for its first thread; in a fixed order.
__device__ double sum_of_block(double value) {
    __shared__ double values[THREADS];
    values[threadIdx.x] = value;
    __syncthreads();
    for (int step = THREADS / 2; step; step /= 2) {
        if (threadIdx.x < step) values[threadIdx.x] += values[threadIdx.x + step];
        __syncthreads();
    }
    return values[0];
}

__device__ float ratio_of(const double *above, const double *below, int k) {
    return below[k] > 0 ? (float)(above[k] / below[k]) : 0.0f;
}

// ------------------------------------------------------------------------------------------------ the whole grid

extern "C" __global__ void link(Grid grid, const float *values, int n_channels, float sharp, float least,
                                weight_t *weights) {
    int64 i = grid.begin + thread_number();
    if (i >= grid.end) return;
    for (int s = 0; s < grid.n_steps; s++)
        weights[s * grid.size + i] =
            weight_of(grid, values, n_channels, i, i + grid.steps[s], grid.nearness[s], sharp, least);
}

__device__ float sum_of_links(const Grid &grid, const weight_t *weights, const float *plane, int64 i) {
    float total = 0;
    for (int s = 0; s < grid.n_steps; s++) {
        int64 step = grid.steps[s];
        const weight_t *here = weights + s * grid.size + i;
        total += (float)here[0] * plane[i + step] + (float)here[-step] * plane[i - step];
    }
    return total * UNIT;
}

// One plane for each row of blocks.
extern "C" __global__ void multiply(Grid grid, const weight_t *weights, const float *planes, float *out) {
    int64 i = grid.begin + thread_number();
    int64 plane = blockIdx.y * grid.size;
    if (i < grid.end) out[plane + i] = sum_of_links(grid, weights, planes + plane, i);
}

// image = the Laplacian of the free points times p; parts has the sums of p image of each block.
extern "C" __global__ void apply(Grid grid, const weight_t *weights, const float *degrees, const float *free,
                                 const float *p, float *image, double *parts) {
    int64 i = grid.begin + thread_number();
    int64 plane = blockIdx.y * grid.size;
    double dot = 0;
    if (i < grid.end) {
        float here = p[plane + i];
        float there = free[i] * (degrees[i] * here - sum_of_links(grid, weights, p + plane, i));
        image[plane + i] = there;
        dot = (double)here * there;
    }
    dot = sum_of_block(dot);
    if (threadIdx.x == 0) parts[(int64)blockIdx.y * gridDim.x + blockIdx.x] = dot;
}

// x += ratio p, r -= ratio image; parts has the sums of r r inverse of each block.
extern "C" __global__ void advance(Grid grid, const float *inverse, float *x, float *r, const float *p,
                                   const float *image, const double *above, const double *below, double *parts) {
    int64 i = grid.begin + thread_number();
    int64 at = blockIdx.y * grid.size + i;
    float ratio = ratio_of(above, below, blockIdx.y);
    double dot = 0;
    if (i < grid.end) {
        x[at] += ratio * p[at];
        float left = r[at] - ratio * image[at];
        r[at] = left;
        dot = (double)left * left * inverse[i];
    }
    dot = sum_of_block(dot);
    if (threadIdx.x == 0) parts[(int64)blockIdx.y * gridDim.x + blockIdx.x] = dot;
}

// p = inverse r + ratio p.
extern "C" __global__ void turn(Grid grid, const float *inverse, const float *r, float *p, const double *above,
                                const double *below) {
    int64 i = grid.begin + thread_number();
    int64 at = blockIdx.y * grid.size + i;
    if (i < grid.end) p[at] = inverse[i] * r[at] + ratio_of(above, below, blockIdx.y) * p[at];
}

// ------------------------------------------------------------------------------------------------------- regions

__device__ int root_of(const int *parents, int i) {
    while (parents[i] != i) i = parents[i];
    return i;
}

// Parents only ever fall, so a root that another thread has moved meanwhile is looked up again.
extern "C" __global__ void join(Grid grid, const weight_t *weights, const weight_t *weakest, int *parents) {
    int64 i = grid.begin + thread_number();
    if (i >= grid.end) return;
    for (int s = 0; s < grid.n_steps; s++) {
        if (weights[s * grid.size + i] <= weakest[s]) continue;
        int a = (int)i, b = (int)(i + grid.steps[s]);
        while (true) {
            a = root_of(parents, a);
            b = root_of(parents, b);
            if (a == b) break;
            int high = a > b ? a : b, low = a > b ? b : a;
            int before = atomicMin(parents + high, low);
            if (before == high) break;
            a = before;
            b = low;
        }
    }
}

extern "C" __global__ void flatten(int *parents, int n) {
    int i = (int)thread_number();
    if (i < n) parents[i] = root_of(parents, i);
}

// ------------------------------------------------------------------------------------------------ some points of it

// Links of a point lie n points apart, so that threads side by side read side by side.
struct Movers {
    const int64 *points;
    weight_t *weights;
    float *sums;
    const float *evidence;
    int n, n_classes;
};

extern "C" __global__ void link_some(Grid grid, Movers some, const float *values, int n_channels, float sharp,
                                     float least) {
    int place = (int)thread_number();
    if (place >= some.n) return;
    int64 i = some.points[place];
    float sum = 0;
    for (int t = 0; t < 2 * grid.n_steps; t++) {
        int s = t % grid.n_steps;
        int64 j = t < grid.n_steps ? i + grid.steps[s] : i - grid.steps[s];
        weight_t weight = weight_of(grid, values, n_channels, i, j, grid.nearness[s], sharp, least);
        some.weights[(int64)t * some.n + place] = weight;
        sum += (float)weight;
    }
    some.sums[place] = sum;
}

// What is said for class k: by the evidence, then by the neighbours in their order.
__device__ float votes_for(const Grid &grid, const Movers &some, int place, int64 i, int k, float unit, float trust,
                           const LABEL *labels, const float *r) {
    float votes = trust * some.evidence[(int64)place * some.n_classes + k] * 0.5f;
    for (int s = 0; s < grid.n_steps; s++) {
        int64 a = i + grid.steps[s], b = i - grid.steps[s];
        if (labels[a] == k) votes += unit * (float)some.weights[(int64)s * some.n + place] * r[a];
        if (labels[b] == k) votes += unit * (float)some.weights[(int64)(grid.n_steps + s) * some.n + place] * r[b];
    }
    return votes;
}

// One sweep; changes counts classes that changed, energies has the energy before of each block.
extern "C" __global__ void sweep_some(Grid grid, Movers some, float trust, const LABEL *labels, const float *r,
                                      LABEL *next_labels, float *next_r, double epsilon, float step_size,
                                      unsigned long long *changes, double *energies) {
    int place = (int)thread_number();
    double energy = 0;
    if (place < some.n) {
        int64 i = some.points[place];
        int own = labels[i];
        float here = r[i], sum = some.sums[place], eps = (float)epsilon;
        float unit = 1.0f / (sum > 1.0f ? sum : 1.0f), total = 0, same = 0;
        for (int s = 0; s < grid.n_steps; s++) {
            int64 a = i + grid.steps[s], b = i - grid.steps[s];
            float ahead = (float)some.weights[(int64)s * some.n + place];
            float behind = (float)some.weights[(int64)(grid.n_steps + s) * some.n + place];
            float pa = ahead * r[a], pb = behind * r[b];
            total += pa + pb;
            same += (labels[a] == own ? pa : 0.0f) + (labels[b] == own ? pb : 0.0f);
        }
        float doubt = here + 0.5f - some.evidence[(int64)place * some.n_classes + own];
        float pull = here + unit * (total - 2.0f * same) + trust * doubt;
        float f = 0.5f - here, well = f * (1.0f - f);
        energy = sum * (epsilon / 2 * here * pull + (double)(well * well) / (2 * epsilon));
        f = fabsf(f + step_size * (eps * pull - well * (1.0f - 2.0f * f) / eps));
        int best = own;
        if (f >= 0.5f) {
            float most = votes_for(grid, some, place, i, own, unit, trust, labels, r);
            for (int k = 0; k < some.n_classes; k++) {
                float votes = votes_for(grid, some, place, i, k, unit, trust, labels, r);
                if (votes > most) {
                    most = votes;
                    best = k;
                }
            }
            if (best != own) atomicAdd(changes, 1ull);
            f = fminf(fmaxf(1.0f - f, 0.0f), 0.5f);
        }
        next_labels[i] = (LABEL)best;
        next_r[i] = 0.5f - f;
    }
    energy = sum_of_block(energy);
    if (threadIdx.x == 0) energies[blockIdx.x] = energy * UNIT;
}

extern "C" __global__ void shares_of_some(Grid grid, Movers some, const LABEL *labels, const float *r, float *out) {
    int place = (int)thread_number();
    if (place >= some.n) return;
    int64 i = some.points[place];
    LABEL own = labels[i];
    float same = r[i] / UNIT, total = same;
    for (int t = 0; t < 2 * grid.n_steps; t++) {
        int64 j = t < grid.n_steps ? i + grid.steps[t] : i - grid.steps[t - grid.n_steps];
        float said = (float)some.weights[(int64)t * some.n + place] * r[j];
        total += said;
        if (labels[j] == own) same += said;
    }
    out[place] = same / fmaxf(total, 1.17549435e-38f);
}

// ------------------------------------------------------------------------------------------------------- colours

#define MOST_GAUSSIANS 8

// The logarithm of the density of each column of values under a mixture; roots are lower triangles.
extern "C" __global__ void log_likelihoods(const float *values, int n_channels, int64 n, const float *logs,
                                           const float *means, const float *roots, int n_gaussians, float *out) {
    int64 i = thread_number();
    if (i >= n) return;
    float found[MOST_GAUSSIANS], best = -3.402823466e38f;
    for (int g = 0; g < n_gaussians; g++) {
        float here = logs[g];
        for (int a = 0; a < n_channels; a++) {
            float along = 0;
            for (int b = 0; b <= a; b++)
                along += roots[(g * n_channels + a) * n_channels + b] * (values[b * n + i] - means[g * n_channels + b]);
            here -= 0.5f * along * along;
        }
        found[g] = here;
        best = fmaxf(best, here);
    }
    float total = 0;
    for (int g = 0; g < n_gaussians; g++) total += expf(found[g] - best);
    out[i] = best + logf(total);
}
