// A map of many points: pan, zoom, hover, pick, lasso and box; the drawing is in points-gl.js.

import { Layer, Overlay, Painter } from "./points-gl.js";

const REACH = 8; // pixels within which a point is under the pointer
const ZOOM_STEP = 1.0015; // for each unit that a wheel turns
const MOST_ZOOM = 1e4;
const MORPH_SECONDS = 0.7;
const REST = 160; // milliseconds after a move, when all points are drawn again
const AGAIN = 250; // milliseconds between two drawings while the map moves; between them, what was drawn moves
const STEP = 3; // pixels between two corners of a lasso
const KEYS = { ArrowLeft: [60, 0], ArrowRight: [-60, 0], ArrowUp: [0, 60], ArrowDown: [0, -60] };

export class PointsMap {
  // on: {onHover(row or null), onPick(row), onLasso(rows), onBox(rows)}, each may be missing.
  constructor(canvas, on = {}) {
    this.canvas = canvas;
    this.on = on;
    this.mode = "pan";
    this.places = new Float32Array(0);
    this.before = this.places;
    this.share = 1; // of the way from the places before to the places now
    this.path = null; // of a lasso or box, in places of the map
    this.pointers = new Map();
    this.focused = null;
    this.hovered = null;
    this.view = { x: 0, y: 0, scale: 1 };
    this.fitted = 1;
    this.moving = false;
    this.layer = new Layer(canvas);
    this.painter = new Painter(this.layer, () => this.draw());
    this.overlay = new Overlay(canvas);
    this.listen();
  }

  // x and y of each row, one after the other; rows that had a place before move to the new one.
  setPositions(xy) {
    const moves = xy.length === this.places.length && xy.length > 0;
    this.before = moves ? this.shownPlaces() : xy;
    this.places = xy;
    this.grid = null;
    this.painter.setPlaces(this.before, xy);
    this.share = moves && !matchMedia("(prefers-reduced-motion: reduce)").matches ? 0 : 1;
    this.began = performance.now();
    this.fit();
  }

  // A class for each row, 255 for none, and the colours of the classes as [red, green, blue].
  setColors(classes, palette) {
    this.painter.setClasses(Uint8Array.from(classes), palette);
    this.draw();
  }

  updateColors(rows, classes) {
    this.painter.updateClasses(rows, classes);
    this.draw();
  }

  // How doubtful each row is, from 0 to 1.
  setDoubt(doubt) {
    this.painter.setDoubt(Uint8Array.from(doubt, (value) => Math.round(255 * Math.min(1, Math.max(0, value || 0)))));
    this.draw();
  }

  showDoubt(shown) {
    this.painter.doubtful = Boolean(shown);
    this.draw();
  }

  // Rows whose label was given are larger, with a ring.
  setGiven(rows, classes) {
    this.painter.setGiven(Uint32Array.from(rows), Uint8Array.from(classes));
    this.draw();
  }

  // Ring a row, and bring it into view; null for none.
  focus(row) {
    this.focused = row ?? null;
    if (this.focused !== null && 2 * row < this.places.length) {
      const [x, y] = this.toScreen(this.places[2 * row], this.places[2 * row + 1]);
      const { clientWidth: width, clientHeight: height } = this.canvas;
      if (x < 20 || y < 20 || x > width - 20 || y > height - 20) {
        this.view.x = this.places[2 * row];
        this.view.y = this.places[2 * row + 1];
      }
    }
    this.draw();
  }

  setMode(mode) {
    this.mode = mode;
    this.path = null;
    this.canvas.style.cursor = mode === "pan" ? "grab" : "crosshair";
    this.draw();
  }

  // Show all points.
  fit() {
    const [left, top, right, bottom] = bounds(this.places);
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const room = Math.min((width - 40) / (right - left || 1), (height - 40) / (bottom - top || 1));
    this.view = { x: (left + right) / 2, y: (top + bottom) / 2, scale: Math.max(room, 1e-12) };
    this.fitted = this.view.scale;
    this.draw();
  }

  // Draw in the next frame; however often it is called, once.
  draw() {
    this.stale = true;
    this.drawOver();
  }

  // Draw what lies over the points alone.
  drawOver() {
    this.wanted ??= requestAnimationFrame(() => {
      this.wanted = undefined;
      this.paint();
    });
  }

  // Move what was drawn; draw anew where that leaves much of the map empty, and all points when the map rests.
  drawMoving() {
    this.moving = true;
    this.drawOver();
    const move = (this.move = {});
    clearTimeout(this.resting);
    this.resting = setTimeout(() => requestAnimationFrame(() => this.rest(move)), REST);
  }

  // Where frames are slow, the next move may have come meanwhile.
  rest(move) {
    if (move !== this.move) return;
    this.moving = false;
    this.draw();
  }

  paint() {
    if (this.share < 1) this.share = Math.min(1, (performance.now() - this.began) / 1000 / MORPH_SECONDS);
    const eased = 1 - (1 - this.share) ** 3;
    this.painter.keepUp(this.moving || this.share < 1);
    if (this.moving && !this.stale && !this.layer.follow(this.view)) this.stale = performance.now() - this.painted > AGAIN;
    if (this.stale) {
      this.painter.paint(this.view, eased, this.fitted, this.moving || this.share < 1);
      this.painted = performance.now();
    }
    this.stale = false;
    this.overlay.paint(this.rings(eased), this.outline()?.map((corner) => this.toScreen(...corner)) ?? null);
    if (this.share < 1) this.draw();
    else if (this.moving && !this.layer.follow(this.view)) this.drawOver();
  }

  // Around the row that is asked, and a smaller one around that under the pointer.
  rings(eased) {
    const shown = [[this.focused, 11], [this.hovered, 8]].filter(([row]) => row !== null && 2 * row < this.places.length);
    return shown.map(([row, radius]) => {
      const at = [2 * row, 2 * row + 1].map((i) => this.before[i] + eased * (this.places[i] - this.before[i]));
      return [...this.toScreen(...at), radius];
    });
  }

  shownPlaces() {
    if (this.share >= 1) return this.places;
    const eased = 1 - (1 - this.share) ** 3;
    return this.places.map((value, i) => this.before[i] + eased * (value - this.before[i]));
  }

  toScreen(x, y) {
    const { x: middleX, y: middleY, scale } = this.view;
    return [this.canvas.clientWidth / 2 + (x - middleX) * scale, this.canvas.clientHeight / 2 - (y - middleY) * scale];
  }

  toMap(x, y) {
    const { x: middleX, y: middleY, scale } = this.view;
    return [middleX + (x - this.canvas.clientWidth / 2) / scale, middleY - (y - this.canvas.clientHeight / 2) / scale];
  }

  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const [mapX, mapY] = this.toMap(x, y);
    const scale = Math.min(MOST_ZOOM * this.fitted, Math.max(this.fitted / 4, this.view.scale * factor));
    this.view.x = mapX - (mapX - this.view.x) * (this.view.scale / scale);
    this.view.y = mapY - (mapY - this.view.y) * (this.view.scale / scale);
    this.view.scale = scale;
    this.drawMoving();
  }

  pan(dx, dy) {
    this.view.x -= dx / this.view.scale;
    this.view.y += dy / this.view.scale;
    this.drawMoving();
  }

  // The row under a place of the canvas, or null.
  rowAt(x, y) {
    this.grid ??= new Grid(this.places);
    return this.grid.nearest(...this.toMap(x, y), REACH / this.view.scale);
  }

  listen() {
    const canvas = this.canvas;
    canvas.style.touchAction = "none";
    if (canvas.tabIndex < 0) canvas.tabIndex = 0;
    canvas.addEventListener("pointerdown", (event) => this.pressed(event));
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerup", (event) => this.released(event));
    canvas.addEventListener("pointercancel", (event) => this.cancelled(event));
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("dblclick", () => this.mode === "pan" && this.fit());
    canvas.addEventListener("keydown", (event) => this.key(event));
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const turned = event.deltaY * (event.deltaMode === 1 ? 30 : 1);
      this.zoom(ZOOM_STEP ** -turned, event.offsetX, event.offsetY);
    }, { passive: false });
    new ResizeObserver(() => this.draw()).observe(canvas);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  pressed(event) {
    this.canvas.setPointerCapture(event.pointerId);
    const place = [event.offsetX, event.offsetY];
    this.pointers.set(event.pointerId, { place, start: place });
    this.drawing = this.mode !== "pan" || event.shiftKey ? (this.mode === "box" ? "box" : "lasso") : null;
    this.path = this.drawing && this.pointers.size === 1 ? [this.toMap(...place)] : null;
  }

  moved(event) {
    const pointer = this.pointers.get(event.pointerId);
    const place = [event.offsetX, event.offsetY];
    if (!pointer) {
      this.hover(this.rowAt(...place));
      return;
    }
    const last = pointer.place;
    if (this.pointers.size === 2) this.pinch(event.pointerId, place);
    else if (!this.path) this.pan(place[0] - last[0], place[1] - last[1]);
    else if (Math.hypot(place[0] - last[0], place[1] - last[1]) >= STEP) this.extend(place);
    else return; // a lasso waits for a longer way
    pointer.place = place;
  }

  extend(place) {
    const corner = this.toMap(...place);
    if (this.drawing === "box") this.path = [this.path[0], corner];
    else this.path.push(corner);
    this.drawOver();
  }

  pinch(moving, place) {
    const [other] = [...this.pointers].filter(([id]) => id !== moving).map(([, pointer]) => pointer.place);
    const last = this.pointers.get(moving).place;
    const apart = (a) => Math.max(1, Math.hypot(a[0] - other[0], a[1] - other[1]));
    this.path = null;
    this.zoom(apart(place) / apart(last), (place[0] + other[0]) / 2, (place[1] + other[1]) / 2);
    this.pan((place[0] - last[0]) / 2, (place[1] - last[1]) / 2);
  }

  released(event) {
    const pointer = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (!pointer) return;
    const place = [event.offsetX, event.offsetY];
    const still = Math.hypot(place[0] - pointer.start[0], place[1] - pointer.start[1]) < STEP;
    if (this.path && !still) this.extend(place); // the outline ends where the hand does
    const outline = this.outline();
    const drawing = this.drawing;
    this.path = null;
    this.drawOver();
    if (outline && outline.length > 2) {
      this.grid ??= new Grid(this.places);
      const rows = inside(this.grid, outline);
      (drawing === "box" ? this.on.onBox : this.on.onLasso)?.(rows);
    } else if (still) {
      const row = this.rowAt(...place);
      if (row !== null) this.on.onPick?.(row);
    }
  }

  cancelled(event) {
    this.pointers.delete(event.pointerId);
    this.path = null;
    this.drawOver();
  }

  hover(row) {
    if (row === this.hovered) return;
    this.hovered = row;
    this.on.onHover?.(row);
    this.drawOver();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key in KEYS) this.pan(...KEYS[event.key]);
    else if (event.key === "+" || event.key === "=") this.zoom(1.25);
    else if (event.key === "-") this.zoom(0.8);
    else if (event.key === "Home") this.fit();
    else if (event.key === "Escape" && this.path) this.path = null;
    else return;
    event.preventDefault();
    this.drawOver();
  }

  // Corners of what is being drawn, in places of the map.
  outline() {
    if (!this.path || this.path.length < 2) return null;
    if (this.drawing === "lasso") return this.path;
    const [[left, top], [right, bottom]] = this.path;
    return [[left, top], [right, top], [right, bottom], [left, bottom]];
  }
}

// Left, lower, right and upper end of all places.
function bounds(places) {
  const found = [Infinity, Infinity, -Infinity, -Infinity];
  for (let i = 0; i < places.length; i += 2) {
    found[0] = Math.min(found[0], places[i]);
    found[1] = Math.min(found[1], places[i + 1]);
    found[2] = Math.max(found[2], places[i]);
    found[3] = Math.max(found[3], places[i + 1]);
  }
  return places.length ? found : [0, 0, 1, 1];
}

// ---------------------------------------------------------------------------------------- places in square cells

const POINTS_IN_A_CELL = 4;
const MOST_CELLS = 1024; // along a side

class Grid {
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
function inside(grid, outline) {
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
