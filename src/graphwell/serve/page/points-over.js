// What lies over the points: rings around the row that is asked and the one under the pointer, and the lasso.

export class Overlay {
  constructor(canvas) {
    this.below = canvas;
    this.canvas = document.createElement("canvas");
    this.rings = [0, 1].map(() => document.createElement("div"));
    this.window = document.createElement("div");
    this.window.setAttribute("aria-hidden", "true");
    this.window.append(...this.rings, this.canvas);
    Object.assign(this.window.style, { position: "absolute", overflow: "hidden", pointerEvents: "none" });
    for (const ring of this.rings) {
      Object.assign(ring.style, { position: "absolute", left: 0, top: 0, borderRadius: "50%", border: "2.5px solid", boxSizing: "border-box" });
    }
    canvas.insertAdjacentElement("afterend", this.window);
  }

  // rings: [[x, y, radius], ...], two at most, and outline: [[x, y], ...] or null, in pixels of CSS.
  paint(rings, outline) {
    const { offsetLeft, offsetTop, clientWidth: width, clientHeight: height } = this.below;
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const [ink, paper] = dark ? ["#f5f5f0", "#131416"] : ["#14171a", "#ffffff"];
    const style = { left: `${offsetLeft}px`, top: `${offsetTop}px`, width: `${width}px`, height: `${height}px` };
    Object.assign(this.window.style, style);
    this.rings.forEach((ring, place) => showRing(ring, rings[place], ink, paper));
    this.canvas.hidden = !outline;
    if (outline) this.drawOutline(outline, ink, width, height);
  }

  drawOutline(outline, ink, width, height) {
    const sharp = window.devicePixelRatio || 1;
    Object.assign(this.canvas.style, { width: `${width}px`, height: `${height}px` });
    this.canvas.width = Math.max(1, Math.round(width * sharp));
    this.canvas.height = Math.max(1, Math.round(height * sharp));
    const pen = this.canvas.getContext("2d");
    pen.scale(sharp, sharp);
    pen.beginPath();
    outline.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    pen.closePath();
    Object.assign(pen, { fillStyle: ink, globalAlpha: 0.08 });
    pen.fill();
    Object.assign(pen, { strokeStyle: ink, globalAlpha: 1, lineWidth: 1.5 });
    pen.setLineDash([5, 4]);
    pen.stroke();
  }
}

function showRing(element, ring, ink, paper) {
  element.hidden = !ring;
  if (!ring) return;
  const [x, y, radius] = ring;
  const [size, color, edge] = [`${2 * radius + 2.5}px`, ink, `0 0 0 1.75px ${paper}, inset 0 0 0 1.75px ${paper}`];
  const transform = `translate(${x - radius - 1.25}px, ${y - radius - 1.25}px)`;
  Object.assign(element.style, { width: size, height: size, borderColor: color, boxShadow: edge, transform });
}
