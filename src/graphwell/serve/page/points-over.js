// What lies over the points: rings around the row that is asked and the one under the pointer, and the lasso.

export class Overlay {
  constructor(canvas) {
    this.below = canvas;
    this.canvas = document.createElement("canvas");
    this.canvas.setAttribute("aria-hidden", "true");
    Object.assign(this.canvas.style, { position: "absolute", pointerEvents: "none" });
    canvas.insertAdjacentElement("afterend", this.canvas);
  }

  // rings: [[x, y, radius], ...] and outline: [[x, y], ...] or null, in pixels of CSS.
  paint(rings, outline) {
    const empty = !rings.length && !outline;
    if (empty && this.empty) return;
    this.empty = empty;
    const { offsetLeft, offsetTop, clientWidth: width, clientHeight: height } = this.below;
    const sharp = window.devicePixelRatio || 1;
    const style = { left: `${offsetLeft}px`, top: `${offsetTop}px`, width: `${width}px`, height: `${height}px` };
    Object.assign(this.canvas.style, style);
    this.canvas.width = Math.max(1, Math.round(width * sharp));
    this.canvas.height = Math.max(1, Math.round(height * sharp));
    const pen = this.canvas.getContext("2d");
    const dark = matchMedia("(prefers-color-scheme: dark)").matches;
    const [ink, paper] = dark ? ["#f5f5f0", "#131416"] : ["#14171a", "#ffffff"];
    pen.scale(sharp, sharp);
    for (const [x, y, radius] of rings) {
      for (const [color, lineWidth] of [[paper, 6], [ink, 2.5]]) {
        Object.assign(pen, { strokeStyle: color, lineWidth });
        pen.beginPath();
        pen.arc(x, y, radius, 0, 2 * Math.PI);
        pen.stroke();
      }
    }
    if (!outline) return;
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
