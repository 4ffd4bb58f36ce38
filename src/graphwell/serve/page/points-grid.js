// Places in square cells, so that those near a pointer or inside a lasso are found without asking all.

const POINTS_IN_A_CELL = 4;
const MOST_CELLS = 1024; // along a side

export class Grid {
  constructor(places) {
    const n = places.length / 2;
    this.places = places;
    let [left, low, right, high] = [Infinity, Infinity, -Infinity, -Infinity];
    for (let i = 0; i < places.length; i += 2) {
      left = Math.min(left, places[i]);
      right = Math.max(right, places[i]);
      low = Math.min(low, places[i + 1]);
      high = Math.max(high, places[i + 1]);
    }
    this.left = n ? left : 0;
    this.low = n ? low : 0;
    this.side = Math.max(1, Math.min(MOST_CELLS, Math.ceil(Math.sqrt(n / POINTS_IN_A_CELL))));
    this.cell = (Math.max(right - left, high - low) || 1) / this.side * (1 + 1e-6);
    // Rows sorted by cell; those of cell c are rows[starts[c]] to rows[starts[c + 1] - 1].
    this.starts = new Uint32Array(this.side * this.side + 1);
    const cells = new Uint32Array(n);
    for (let i = 0; i < n; i++) {
      cells[i] = this.column(places[2 * i]) + this.side * this.row(places[2 * i + 1]);
      this.starts[cells[i] + 1]++;
    }
    for (let c = 0; c < this.side * this.side; c++) this.starts[c + 1] += this.starts[c];
    const next = this.starts.slice();
    this.rows = new Uint32Array(n);
    for (let i = 0; i < n; i++) this.rows[next[cells[i]]++] = i;
  }

  column(x) {
    return Math.max(0, Math.min(this.side - 1, Math.floor((x - this.left) / this.cell)));
  }

  row(y) {
    return Math.max(0, Math.min(this.side - 1, Math.floor((y - this.low) / this.cell)));
  }

  // Call visit(row, x, y) for all rows in the cells that a rectangle touches.
  within(left, low, right, high, visit) {
    const [first, last] = [this.column(left), this.column(right)];
    for (let down = this.row(low); down <= this.row(high); down++) {
      const end = this.starts[down * this.side + last + 1];
      for (let i = this.starts[down * this.side + first]; i < end; i++) {
        const row = this.rows[i];
        visit(row, this.places[2 * row], this.places[2 * row + 1]);
      }
    }
  }

  // The row nearest to a place within a reach, or null.
  nearest(x, y, reach) {
    let found = null;
    let least = reach * reach;
    this.within(x - reach, y - reach, x + reach, y + reach, (row, rowX, rowY) => {
      const apart = (rowX - x) ** 2 + (rowY - y) ** 2;
      if (apart <= least) [found, least] = [row, apart];
    });
    return found;
  }
}

// Rows inside a closed outline [[x, y], ...], in order: those whose ray crosses it an odd number of times.
export function inside(grid, outline) {
  const xs = outline.map(([x]) => x);
  const ys = outline.map(([, y]) => y);
  const least = (values) => values.reduce((a, b) => Math.min(a, b));
  const most = (values) => values.reduce((a, b) => Math.max(a, b));
  const found = [];
  grid.within(least(xs), least(ys), most(xs), most(ys), (row, x, y) => {
    let odd = false;
    for (let i = 0, j = xs.length - 1; i < xs.length; j = i++) {
      if (ys[i] > y !== ys[j] > y && x < ((xs[j] - xs[i]) * (y - ys[i])) / (ys[j] - ys[i]) + xs[i]) odd = !odd;
    }
    if (odd) found.push(row);
  });
  return found.sort((a, b) => a - b);
}
