// The layer that points are drawn on. It reaches beyond the view: while the hand moves, what was drawn moves with it.

const MARGIN = 0.2; // of the view, drawn beyond each edge
const LARGEST = 1.6; // magnification of what was drawn before it is drawn anew

export class Layer {
  // below: the canvas that the layer lies on, which hears the pointer.
  constructor(below) {
    this.below = below;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    this.window = document.createElement("div");
    Object.assign(this.window.style, { position: "absolute", overflow: "hidden", pointerEvents: "none", contain: "strict" });
    Object.assign(this.canvas.style, { position: "absolute", willChange: "transform" });
    this.window.append(this.canvas);
    below.insertAdjacentElement("beforebegin", this.window);
    this.drawn = null; // the view that was drawn
  }

  // Let the layer have the pixels of the screen; returns how many there are to one of CSS.
  resize() {
    const { offsetLeft, offsetTop, clientWidth: width, clientHeight: height } = this.below;
    const sharp = window.devicePixelRatio || 1;
    const [wide, high] = [width, height].map((length) => Math.ceil(length * (1 + 2 * MARGIN)));
    const pixels = [wide, high].map((length) => Math.max(1, Math.round(length * sharp)));
    this.size = [width, height];
    place(this.window, offsetLeft, offsetTop, width, height);
    place(this.canvas, (width - wide) / 2, (height - high) / 2, wide, high);
    if (this.canvas.width !== pixels[0] || this.canvas.height !== pixels[1]) [this.canvas.width, this.canvas.height] = pixels;
    return sharp;
  }

  // Say that a view has been drawn.
  keep(view) {
    this.drawn = { ...view };
    this.canvas.style.transform = "";
  }

  // Move what was drawn to where it belongs in a view; false if that would leave much of it empty, or blurred.
  follow(view) {
    if (!this.drawn) return false;
    const grown = view.scale / this.drawn.scale;
    const moved = [(this.drawn.x - view.x) * view.scale, (view.y - this.drawn.y) * view.scale];
    const room = [0, 1].map((axis) => this.size[axis] * ((0.5 + MARGIN) * grown - 0.5));
    this.canvas.style.transform = `translate(${moved[0]}px, ${moved[1]}px) scale(${grown})`;
    return grown <= LARGEST && [0, 1].every((axis) => Math.abs(moved[axis]) <= room[axis]);
  }
}

function place(element, left, top, width, height) {
  Object.assign(element.style, { left: `${left}px`, top: `${top}px`, width: `${width}px`, height: `${height}px` });
}
