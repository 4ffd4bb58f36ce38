// What the pointer does on the picture: strokes, erasing, moving, pinching.

const APART = 0.7; // pixels of the picture between two points of a stroke
const WIDEST = 200; // pixels of the picture
const MOST_POINTS = 4500; // a longer stroke is sent in pieces

export class Hand {
  // onStroke({class, width, erase, points}) is told every stroke that was painted.
  constructor(board, onStroke) {
    this.board = board;
    this.onStroke = onStroke;
    this.tool = "brush";
    this.chosen = 0;
    this.width = 8;
    this.spaced = false;
    this.pointers = new Map();
    const canvas = board.canvas;
    canvas.addEventListener("pointerdown", (event) => this.pressed(event));
    canvas.addEventListener("pointermove", (event) => this.moved(event));
    canvas.addEventListener("pointerup", (event) => this.released(event));
    canvas.addEventListener("pointercancel", (event) => this.cancelled(event));
    canvas.addEventListener("pointerleave", () => this.leave());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  setTool(tool) {
    this.tool = tool;
    this.leave();
    this.board.canvas.style.cursor = tool === "hand" ? "grab" : "crosshair";
  }

  // The brush is as wide on the screen whatever the zoom; strokes are in pixels of the picture.
  get widthOnPicture() {
    return Math.min(WIDEST, Math.max(1, Math.round((10 * this.width) / this.board.view.scale) / 10));
  }

  get moves() {
    return this.tool === "hand" || this.spaced;
  }

  pressed(event) {
    const canvas = this.board.canvas;
    canvas.focus({ preventScroll: true });
    canvas.setPointerCapture(event.pointerId);
    const place = [event.offsetX, event.offsetY];
    this.pointers.set(event.pointerId, place);
    if (this.pointers.size > 1) {
      this.board.pending = null; // two fingers move the picture
      return;
    }
    this.dragging = this.moves || event.button === 1;
    if (this.dragging || event.button === 2) return;
    const point = rounded(this.board.toPlane(...place));
    this.board.pending = { class: this.chosen, width: this.widthOnPicture, erase: this.tool === "eraser", points: [point] };
    this.board.draw();
  }

  moved(event) {
    const place = [event.offsetX, event.offsetY];
    const last = this.pointers.get(event.pointerId);
    const [x, y] = this.board.toPlane(...place);
    this.board.pointer = this.moves ? null : { x, y, width: this.widthOnPicture };
    if (last && this.pointers.size === 2) this.board.pinch(last, place, [...this.pointers].find(([id]) => id !== event.pointerId)[1]);
    else if (last && this.dragging) this.board.pan(place[0] - last[0], place[1] - last[1]);
    else if (last && this.board.pending) this.follow(event);
    if (last) this.pointers.set(event.pointerId, place);
    this.board.draw();
  }

  // All places that the pointer went through since the last frame.
  follow(event) {
    const events = event.getCoalescedEvents?.() ?? [];
    for (const { offsetX, offsetY } of events.length ? events : [event]) {
      this.extend(rounded(this.board.toPlane(offsetX, offsetY)));
    }
  }

  extend(point) {
    const stroke = this.board.pending;
    const last = stroke.points.at(-1);
    if (Math.hypot(point[0] - last[0], point[1] - last[1]) < APART) return;
    stroke.points.push(point);
    if (stroke.points.length < MOST_POINTS) return;
    this.onStroke(stroke);
    this.board.pending = { ...stroke, points: [point] };
  }

  released(event) {
    const known = this.pointers.delete(event.pointerId);
    if (!known || this.dragging || !this.board.pending) return;
    this.onStroke(this.board.pending);
    this.board.pending = null;
    this.board.draw();
  }

  cancel() {
    this.board.pending = null;
    this.board.draw();
  }

  cancelled(event) {
    this.pointers.delete(event.pointerId);
    this.cancel();
  }

  leave() {
    this.board.pointer = null;
    this.board.draw();
  }
}

const rounded = (point) => point.map((value) => Math.round(10 * value) / 10);
