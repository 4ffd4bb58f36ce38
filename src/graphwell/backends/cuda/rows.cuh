// One row of a tile: its sums, its step, and the class that it takes when it leaves its own.

template <bool AT_REST>
__device__ void sum_neighbors(const Tile &t, int begin, int end, int own, int shift, REAL &total, REAL &same) {
    const WORD low = ((WORD)1 << shift) - 1;
    total = same = 0;
#pragma unroll 4
    for (int e = begin; e < end; e += 32) {
        WORD w = word_of<AT_REST>(t, e);
        REAL part = t.values[e] * (REAL)(w & low);
        total += part;
        same += (int)(w >> shift) == own ? part : (REAL)0;
    }
}

struct Pressure {  // on each class: how far its mass lies above its share
    const uint64 *mass;
    double total;
    REAL near[FEW_CLASSES];
};

__device__ REAL pressure_on(const Classes &c, const Pressure &press, int k) {
    return (REAL)(c.strength * ((double)press.mass[k] * (1 / MASS_UNIT) - c.shares[k] * press.total));
}

__device__ REAL pressure(const Classes &c, const Pressure &press, int k) {
    if (!(c.strength > 0)) return 0;
    return c.n_classes <= FEW_CLASSES ? press.near[k] : pressure_on(c, press, k);
}

// Done by the first warp; the block must be synchronised before anyone reads the result.
__device__ void take_pressure(const Classes &c, const uint64 *mass, Pressure &press) {
    if (!(c.strength > 0) || threadIdx.x >= 32) return;
    uint64 sum = 0;
    for (int k = threadIdx.x; k < c.n_classes; k += 32) sum += mass[k];
    for (int step = 16; step; step /= 2) sum += __shfl_xor_sync(FULL, sum, step);
    if (threadIdx.x == 0) {
        press.mass = mass;
        press.total = (double)sum * (1 / MASS_UNIT);
    }
    __syncwarp();
    for (int k = threadIdx.x; k < c.n_classes && k < FEW_CLASSES; k += 32) press.near[k] = pressure_on(c, press, k);
}

__device__ REAL moved(const Step &p, REAL d, int own, REAL row_sum, REAL known, REAL fidelity, REAL press,
                      REAL total, REAL same) {
    const REAL half = 0.5, one = 1, two = 2;
    REAL size = d < 0 ? -d : d;
    REAL side = d >= 0 ? one : -one;
    REAL pull = row_sum * (half - size) + (total - two * same);
    pull += press;
    REAL slope = side * size * (one - size) * (one - two * size);
    REAL force = p.epsilon * side * pull - slope / p.epsilon;
    REAL away = (REAL)own - known;
    if (p.implicit) {
        away = away == 0 ? d : -side * (one - size);
        REAL pin = p.step_size * fidelity;
        return d + (p.step_size * force - pin * away) / (one + pin);
    }
    return d + p.step_size * (force - fidelity * (away + d));
}

// Class with the largest sum of S_ij r_j in the row of one lane, found by the whole warp; the class met first
// wins a tie. Each lane sums for one class: number lane, lane + 32, ..., or, in a short row of a problem with
// many classes, the class of entry lane, lane + 32, ...
template <bool AT_REST>
__device__ int majority(const Tile &t, int begin, int end, int own, REAL phi, int shift, const Classes &c,
                        const Pressure &press, int lane) {
    const WORD low = ((WORD)1 << shift) - 1;
    int width = (end - begin + 31) / 32;
    bool by_class = c.n_classes <= width || c.n_classes <= 32;
    int candidates = by_class ? c.n_classes : width;
    int best = own, best_first = NEVER;
    REAL most = -INFINITE;
    for (int base = 0; base < candidates; base += 32) {
        int number = base + lane;
        int mine = number >= candidates ? -1 : by_class ? number : (int)(word_of<AT_REST>(t, begin + 32 * number) >> shift);
        REAL votes = 0;
        int first = NEVER;
        for (int j = 0; j < width; j++) {
            WORD w = word_of<AT_REST>(t, begin + 32 * j);
            REAL value = t.values[begin + 32 * j];
            if ((int)(w >> shift) == mine) {
                votes += value * (REAL)(w & low);
                if (value > 0 && first == NEVER) first = j;
            }
        }
        REAL support = first == NEVER ? (REAL)-INFINITE : votes - phi * pressure(c, press, mine);
        for (int step = 16; step; step /= 2) {
            REAL other = __shfl_xor_sync(FULL, support, step);
            int other_first = __shfl_xor_sync(FULL, first, step);
            int other_class = __shfl_xor_sync(FULL, mine, step);
            if (other > support || (other == support && other_first < first)) {
                support = other;
                first = other_first;
                mine = other_class;
            }
        }
        if (support > most || (support == most && first < best_first)) {
            most = support;
            best_first = first;
            if (first != NEVER) best = mine;
        }
    }
    return best;
}

// The same for many rows of a warp at once: each lane counts the votes in its own row, where it has room for all
// classes.
__device__ int majority_alone(const Tile &t, int begin, int end, int own, REAL phi, int shift, const Classes &c,
                              const Pressure &press) {
    const WORD low = ((WORD)1 << shift) - 1;
    REAL *votes = t.votes + threadIdx.x;
    int stride = blockDim.x, best = own;
    for (int k = 0; k < c.n_classes; k++) votes[k * stride] = 0;
    REAL most = -INFINITE;
    for (int pass = 0; pass < 2; pass++) {
        for (int e = begin; e < end; e += 32 * BATCH) {  // all loads of a batch before its first store
            WORD words[BATCH];
            REAL values[BATCH];
#pragma unroll
            for (int i = 0; i < BATCH; i++) {
                bool there = e + 32 * i < end;
                words[i] = there ? word_of<true>(t, e + 32 * i) : 0;
                values[i] = there ? t.values[e + 32 * i] : 0;
            }
#pragma unroll
            for (int i = 0; i < BATCH; i++) {
                int k = (int)(words[i] >> shift);
                if (pass == 0) {
                    votes[k * stride] += values[i] * (REAL)(words[i] & low);
                    continue;
                }
                REAL support = votes[k * stride] - phi * pressure(c, press, k);
                if (values[i] > 0 && support > most) {
                    best = k;
                    most = support;
                }
            }
        }
    }
    return best;
}

__device__ uint64 mass_of(REAL phi, REAL d) {
    return (uint64)(int64)((double)phi * (double)((REAL)0.5 - (d < 0 ? -d : d)) * MASS_UNIT);
}

// All rows of a tile: step, choice of class, new words. Returns how many rows of this thread changed class.
// At rest, the words before the sweep are those in the tile.
template <bool AT_REST>
__device__ int move_rows(const Tiles &tiles, Tile &t, const Rows &rows, const Classes &c, const Step &p,
                         const Pressure &press, const WORD *before, WORD *after, REAL *offsets) {
    const REAL half = 0.5, two = 2;
    const REAL scale = (REAL)((int64)1 << p.shift);
    int lane = threadIdx.x & 31, changes = 0;
    for (int slice = t.first + threadIdx.x / 32; slice < t.stop; slice += blockDim.x / 32) {
        int row = 32 * slice + lane, i = row - rows.origin, begin, end;
        bounds<AT_REST>(tiles, t, slice, begin, end);
        REAL d = offsets[i], phi = rows.phi[i];
        int own = (int)((AT_REST ? t.own[i] : before[i]) >> p.shift);
        REAL total, same;
        sum_neighbors<AT_REST>(t, begin, end, own, p.shift, total, same);
        REAL pressed = two * phi * pressure(c, press, own);
        d = moved(p, d, own, rows.row_sums[i], rows.known[i], rows.fidelity[i], pressed, total, same);
        bool crosses = !(d >= -half && d < half);
        int chosen = own;
        unsigned todo = __ballot_sync(FULL, crosses);
        if (AT_REST && tiles.n_votes) {
            if (crosses) chosen = majority_alone(t, begin, end, own, phi, p.shift, c, press);
            todo = 0;
        }
        for (; todo; todo &= todo - 1) {
            int source = __ffs(todo) - 1;
            int found = majority<AT_REST>(t, begin - lane + source, end, __shfl_sync(FULL, own, source),
                                 __shfl_sync(FULL, phi, source), p.shift, c, press, lane);
            if (lane == source) chosen = found;
        }
        if (crosses) {
            d -= floor(d + half);
            if (!(d >= -half && d <= half)) d = 0;  // no number: its word would name a class that there is not
            changes += chosen != own;
        }
        REAL r = half - (d < 0 ? -d : d);
        WORD word = ((WORD)chosen << p.shift) | (WORD)(r * scale);
        offsets[i] = d;
        after[row] = word;
        if (AT_REST) t.own[i] = word;
        if (c.strength > 0) {
            t.row_mass[row - 32 * t.first] = mass_of(phi, d);
            t.row_class[row - 32 * t.first] = chosen;
        }
    }
    return changes;
}
