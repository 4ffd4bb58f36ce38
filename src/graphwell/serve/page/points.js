// A map of many points: pan, zoom, hover, pick, lasso and box; the drawing is in points-gl.js.

import { Layer, Overlay, Painter } from "./points-gl.js";
import { View } from "./points-view.js";

const REACH = 8; // pixels within which a point is under the pointer
const MOST_ZOOM = 1e4;
const REST = 160; // milliseconds after a move, when all points are drawn again
const AGAIN = 250; // milliseconds between two drawings while the map moves; between them, what was drawn moves
const SPOTS = 20; // squares along a side of the map, in which names of classes look for their rows
const STEP = 3; // pixels between two corners of a lasso
const FAR = 250; // pixels that an arrow key looks for the next row; with Shift it moves the map by a quarter of it
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class PointsMap extends View {
  // on: {onHover(row or null, its place), onPick(row), onSelect(rows)}, each may be missing.
  constructor(canvas, on = {}) {
    super(canvas, true);
    this.on = on;
    this.mode = "pan";
    this.places = new Float32Array(0);
    this.names = []; // of the classes, by number
    this.path = null; // of a lasso or box, in places of the map
    this.pointers = new Map();
    this.focused = null;
    this.hovered = null;
    this.moving = false;
    this.layer = new Layer(canvas);
    this.painter = new Painter(this.layer, () => this.draw());
    this.overlay = new Overlay(canvas);
    this.listen();
  }

  // x and y of each row, one after the other.
  setPositions(xy) {
    this.places = xy;
    this.grid = this.spots = null;
    this.painter.setPlaces(xy);
    this.fit();
  }

  // A class for each row, 255 for none, and by class its colour as [red, green, blue] and its name.
  setColors(classes, palette, names = []) {
    this.painter.setClasses(Uint8Array.from(classes), palette);
    Object.assign(this, { names, spots: null });
    this.draw();
  }

  updateColors(rows, classes) {
    this.painter.updateClasses(rows, classes);
    this.spots = null;
    this.draw();
  }

  // These rows stay lit while all others fade; none for all as they are.
  setLit(rows) {
    this.painter.setLit(Uint32Array.from(rows));
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
      const [x, y] = this.placeOf(row);
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
    this.fitTo(...bounds(this.places), 40);
  }

  limits() {
    return [this.fitted / 4, MOST_ZOOM * this.fitted];
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
  moved() {
    this.moving = true;
    this.drawOver();
    clearTimeout(this.resting);
    const move = (this.resting = setTimeout(() => requestAnimationFrame(() => {
      if (this.resting !== move) return; // where frames are slow, the next move has come meanwhile
      this.moving = false;
      this.draw();
    }), REST));
  }

  paint() {
    if (this.moving && !this.stale && !this.layer.follow(this.view)) this.stale = performance.now() - this.painted > AGAIN;
    if (this.stale) {
      this.painter.paint(this.view, this.fitted);
      this.painted = performance.now();
    }
    this.stale = false;
    this.overlay.paint(this.rings(), this.outline()?.map((corner) => this.toScreen(...corner)) ?? null, this.namesShown());
    if (this.moving && !this.layer.follow(this.view)) this.drawOver();
  }

  // Around the row that is asked, and a smaller one around that under the pointer.
  rings() {
    return [this.focused, this.hovered].map((row) => (row !== null && 2 * row < this.places.length ? this.placeOf(row) : null));
  }

  // The name of each class, where most of its rows lie.
  namesShown() {
    this.spots ??= spotsOf(this.places, this.painter.classes, this.names);
    return [...this.spots].map(([number, row]) => [...this.placeOf(row), this.names[number]]);
  }

  placeOf(row) {
    return this.toScreen(this.places[2 * row], this.places[2 * row + 1]);
  }

  // The row under a place of the canvas, or null.
  rowAt(x, y, reach = REACH) {
    this.grid ??= new Grid(this.places);
    return this.grid.nearest(...this.toPlane(x, y), reach / this.view.scale);
  }

  // The row next to another in a direction of the screen; the same where there is none, or null for no row.
  rowBeside(row, dx, dy) {
    if (row === null) return this.rowAt(this.canvas.clientWidth / 2, this.canvas.clientHeight / 2, FAR);
    const [reach, scale] = [FAR / this.view.scale, this.view.scale];
    const [fromX, fromY] = [this.places[2 * row], this.places[2 * row + 1]];
    let [found, least] = [row, Infinity];
    this.grid ??= new Grid(this.places);
    this.grid.within(fromX - reach, fromY - reach, fromX + reach, fromY + reach, (other, x, y) => {
      const [right, down] = [(x - fromX) * scale, (fromY - y) * scale];
      const [along, across] = [right * dx + down * dy, Math.abs(right * dy) + Math.abs(down * dx)];
      if (along > 1 && across <= along && along + across < least) [found, least] = [other, along + across];
    });
    return found;
  }

  listen() {
    const canvas = this.canvas;
    canvas.style.touchAction = "none";
    if (canvas.tabIndex < 0) canvas.tabIndex = 0;
    canvas.addEventListener("pointerdown", (event) => this.pressed(event));
    canvas.addEventListener("pointermove", (event) => this.dragged(event));
    canvas.addEventListener("pointerup", (event) => this.released(event));
    canvas.addEventListener("pointercancel", (event) => this.cancelled(event));
    canvas.addEventListener("pointerleave", () => this.hover(null));
    canvas.addEventListener("dblclick", () => this.mode === "pan" && this.fit());
    canvas.addEventListener("keydown", (event) => this.key(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.draw());
  }

  pressed(event) {
    this.canvas.setPointerCapture(event.pointerId);
    const place = [event.offsetX, event.offsetY];
    this.pointers.set(event.pointerId, { place, start: place });
    this.drawing = this.mode !== "pan" || event.shiftKey ? (this.mode === "box" ? "box" : "lasso") : null;
    this.path = this.drawing && this.pointers.size === 1 ? [this.toPlane(...place)] : null;
  }

  dragged(event) {
    const pointer = this.pointers.get(event.pointerId);
    const place = [event.offsetX, event.offsetY];
    if (!pointer) {
      this.hover(this.rowAt(...place));
      return;
    }
    const last = pointer.place;
    if (this.pointers.size === 2) {
      this.path = null;
      this.pinch(last, place, [...this.pointers.values()].find((other) => other !== pointer).place);
    }
    else if (!this.path) this.pan(place[0] - last[0], place[1] - last[1]);
    else if (Math.hypot(place[0] - last[0], place[1] - last[1]) >= STEP) this.extend(place);
    else return; // a lasso waits for a longer way
    pointer.place = place;
  }

  extend(place) {
    const corner = this.toPlane(...place);
    if (this.drawing === "box") this.path = [this.path[0], corner];
    else this.path.push(corner);
    this.drawOver();
  }

  released(event) {
    const pointer = this.pointers.get(event.pointerId);
    this.pointers.delete(event.pointerId);
    if (!pointer) return;
    const place = [event.offsetX, event.offsetY];
    const still = Math.hypot(place[0] - pointer.start[0], place[1] - pointer.start[1]) < STEP;
    if (this.path && !still) this.extend(place); // the outline ends where the hand does
    const outline = this.outline();
    this.path = null;
    this.drawOver();
    if (outline && outline.length > 2) {
      this.grid ??= new Grid(this.places);
      this.on.onSelect?.(inside(this.grid, outline));
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
    this.on.onHover?.(row, row === null ? null : this.placeOf(row));
    this.drawOver();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const arrow = ARROWS[event.key];
    if (arrow && event.shiftKey) this.pan(...arrow.map((way) => (-way * FAR) / 4));
    else if (arrow) this.hover(this.rowBeside(this.hovered ?? this.focused, ...arrow));
    else if (event.key === "Enter" && this.hovered !== null) this.on.onPick?.(this.hovered);
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

// A row of each class that has a name, in that square of the map where the class has most rows.
function spotsOf(places, classes, names) {
  const [left, low, right, high] = bounds(places);
  const side = Math.max(right - left, high - low) / SPOTS || 1;
  const counts = new Uint32Array(256 * (SPOTS + 1) ** 2);
  const most = new Uint32Array(256);
  const found = new Map();
  for (let row = 0; 2 * row < places.length; row++) {
    const number = classes[row];
    if (!names[number]) continue;
    const [column, line] = [Math.floor((places[2 * row] - left) / side), Math.floor((places[2 * row + 1] - low) / side)];
    const count = ++counts[(number * (SPOTS + 1) + column) * (SPOTS + 1) + line];
    if (count <= most[number]) continue;
    most[number] = count;
    found.set(number, row);
  }
  return found;
}

// ---------------------------------------------------------------------------------------- places in square cells

const POINTS_IN_A_CELL = 4;
const MOST_CELLS = 1024; // along a side

class Grid {
  constructor(places) {
    const n = places.length / 2;
    this.places = places;
    const [left, low, right, high] = bounds(places);
    Object.assign(this, { left, low });
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
