// The part of a plane that a canvas shows: it is moved, and zoomed by the wheel, by keys or by two fingers.

const ZOOM_STEP = 1.0015; // for each unit that a wheel turns

export class View {
  // up: whether y grows upwards, as on a map. Who extends it has draw(), moved(), and least and largest scale in limits().
  constructor(canvas, up) {
    Object.assign(this, { canvas, down: up ? -1 : 1, fitted: 1 });
    this.view = { x: 0, y: 0, scale: 1 }; // the place in the middle of the canvas
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      const turned = event.deltaY * (event.deltaMode === 1 ? 30 : 1);
      this.zoom(ZOOM_STEP ** -turned, event.offsetX, event.offsetY);
    }, { passive: false });
    let known = false; // it is told the first size, too
    new ResizeObserver(() => {
      if (known && this.view.scale === this.fitted) this.fit();
      known = true;
      this.draw();
    }).observe(canvas);
  }

  // Show all of a rectangle, with a margin in pixels.
  fitTo(left, top, right, bottom, margin) {
    const { clientWidth: width, clientHeight: height } = this.canvas;
    const room = Math.min((width - margin) / (right - left || 1), (height - margin) / (bottom - top || 1));
    this.fitted = Math.max(room, 1e-12);
    this.view = { x: (left + right) / 2, y: (top + bottom) / 2, scale: this.fitted };
    this.draw();
  }

  toScreen(x, y) {
    const { canvas, view } = this;
    return [canvas.clientWidth / 2 + (x - view.x) * view.scale, canvas.clientHeight / 2 + this.down * (y - view.y) * view.scale];
  }

  toPlane(x, y) {
    const { canvas, view } = this;
    return [view.x + (x - canvas.clientWidth / 2) / view.scale, view.y + (this.down * (y - canvas.clientHeight / 2)) / view.scale];
  }

  zoom(factor, x = this.canvas.clientWidth / 2, y = this.canvas.clientHeight / 2) {
    const [fixedX, fixedY] = this.toPlane(x, y);
    const [least, largest] = this.limits();
    const scale = Math.min(largest, Math.max(least, this.view.scale * factor));
    this.view.x = fixedX - (fixedX - this.view.x) * (this.view.scale / scale);
    this.view.y = fixedY - (fixedY - this.view.y) * (this.view.scale / scale);
    this.view.scale = scale;
    this.moved();
  }

  pan(dx, dy) {
    this.view.x -= dx / this.view.scale;
    this.view.y -= (this.down * dy) / this.view.scale;
    this.moved();
  }

  // One of two fingers went from a place to another while the other one stayed.
  pinch(last, place, other) {
    const apart = (a) => Math.max(1, Math.hypot(a[0] - other[0], a[1] - other[1]));
    this.zoom(apart(place) / apart(last), (place[0] + other[0]) / 2, (place[1] + other[1]) / 2);
    this.pan((place[0] - last[0]) / 2, (place[1] - last[1]) / 2);
  }
}
