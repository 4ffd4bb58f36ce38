// The picture with what lies on it: its segmentation, tinted and outlined, and the strokes; it zooms and pans.

import { rgb } from "./dom.js";
import { View } from "./points-view.js";

const NO_CLASS = 255;
const GLOW = [255, 90, 0]; // over what is uncertain
const MOST_ZOOM = 64; // pixels of the screen for one of the picture

export class Board extends View {
  constructor(canvas) {
    super(canvas, false);
    Object.assign(this, { contrast: 100, tint: 40 }); // per cent
    this.outlined = true;
    this.strokesShown = true;
    this.classes = [];
    this.strokes = [];
    this.pending = null; // a stroke that is being painted
    this.ghosts = []; // strokes that the server has not yet taken
    this.pointer = null; // where a brush would paint: {x, y, width, erase}
    this.labels = null;
  }

  // pixels: red, green and blue of each pixel, row by row. Another slice of the same volume stays where it is.
  setPicture(width, height, pixels, stays) {
    const image = new ImageData(width, height);
    image.data.fill(255);
    pixels.forEach((value, at) => (image.data[at + Math.floor(at / 3)] = value)); // every fourth is opacity
    this.picture = sheet(width, height);
    this.picture.getContext("2d").putImageData(image, 0, 0);
    this.marks = sheet(width, height);
    this.labels = null;
    this.tinted = null;
    if (!stays) this.fit();
  }

  // A class for each pixel of the picture, or of a small copy of it, null for none; and how uncertain each is.
  setLabels(width, height, labels, doubt = null) {
    this.labels = labels && { width, height, values: labels, doubt };
    this.tintAll();
  }

  setClasses(classes) {
    this.classes = classes;
    this.redrawStrokes();
    this.tintAll();
  }

  colorOf(number) {
    return this.classes.find((entry) => entry.number === number)?.color;
  }

  setStrokes(strokes) {
    this.strokes = strokes;
    this.redrawStrokes();
  }

  addStroke(stroke) {
    this.strokes.push(stroke);
    this.paintStroke(this.marks.getContext("2d"), stroke);
    this.draw();
  }

  removeStroke() {
    this.strokes.pop();
    this.redrawStrokes();
  }

  redrawStrokes() {
    if (!this.marks) return;
    const pen = this.marks.getContext("2d");
    pen.clearRect(0, 0, this.marks.width, this.marks.height);
    for (const stroke of this.strokes) this.paintStroke(pen, stroke);
    this.draw();
  }

  paintStroke(pen, stroke) {
    const color = this.colorOf(stroke.class) ?? "#888888";
    pen.globalCompositeOperation = stroke.erase ? "destination-out" : "source-over";
    Object.assign(pen, { strokeStyle: color, fillStyle: color, lineWidth: stroke.width, lineCap: "round", lineJoin: "round" });
    pen.beginPath();
    stroke.points.forEach(([x, y], i) => (i ? pen.lineTo(x, y) : pen.moveTo(x, y)));
    if (stroke.points.length === 1) pen.lineTo(stroke.points[0][0] + 1e-3, stroke.points[0][1]);
    pen.stroke();
    pen.globalCompositeOperation = "source-over";
  }

  // The segmentation as colours: a tint inside, and full colour at the border of each region. What is uncertain
  // glows instead, if that is asked for.
  tintAll() {
    if (!this.labels) {
      this.tinted = null;
      this.draw();
      return;
    }
    const { width, height, values } = this.labels;
    const doubt = this.doubtful ? this.labels.doubt : null;
    const image = new ImageData(width, height);
    const colors = this.classes.reduce((all, { number, color }) => Object.assign(all, { [number]: rgb(color) }), []);
    const inside = Math.round(2.55 * this.tint);
    for (let y = 0, i = 0; y < height; y++) {
      for (let x = 0; x < width; x++, i++) {
        const value = values[i];
        if (value === NO_CLASS) {
          if ((x + y) % 6 < 2) image.data.set([255, 0, 255, 120], 4 * i); // hatched, as in files
          continue;
        }
        const border = this.outlined && width > 1 && (
          (x > 0 && values[i - 1] !== value) || (x + 1 < width && values[i + 1] !== value) ||
          (y > 0 && values[i - width] !== value) || (y + 1 < height && values[i + width] !== value));
        const color = doubt && !border ? GLOW : colors[value] ?? [128, 128, 128];
        image.data[4 * i] = color[0];
        image.data[4 * i + 1] = color[1];
        image.data[4 * i + 2] = color[2];
        image.data[4 * i + 3] = border ? 255 : doubt ? 0.9 * doubt[i] : inside;
      }
    }
    this.tinted = sheet(width, height);
    this.tinted.getContext("2d").putImageData(image, 0, 0);
    this.draw();
  }

  // Draw in the next frame; however often it is called, once.
  draw() {
    this.wanted ??= requestAnimationFrame(() => {
      this.wanted = undefined;
      this.paint();
    });
  }

  paint() {
    const sharp = window.devicePixelRatio || 1;
    const { clientWidth, clientHeight } = this.canvas;
    const [width, height] = [Math.round(clientWidth * sharp), Math.round(clientHeight * sharp)];
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
    const pen = this.canvas.getContext("2d");
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.clearRect(0, 0, width, height);
    if (!this.picture) return;
    const scale = this.view.scale * sharp;
    pen.setTransform(scale, 0, 0, scale, width / 2 - this.view.x * scale, height / 2 - this.view.y * scale);
    pen.imageSmoothingEnabled = scale < 2;
    pen.filter = `contrast(${this.contrast}%)`;
    pen.drawImage(this.picture, 0, 0);
    pen.filter = "none";
    pen.imageSmoothingEnabled = false;
    if (this.tinted) pen.drawImage(this.tinted, 0, 0, this.picture.width, this.picture.height);
    if (this.strokesShown) pen.drawImage(this.marks, 0, 0);
    for (const stroke of [...this.ghosts, this.pending]) if (stroke) this.paintPending(pen, stroke);
    if (this.pointer) this.paintPointer(pen);
  }

  // An eraser shows as grey until it has erased.
  paintPending(pen, stroke) {
    pen.globalAlpha = stroke.erase ? 0.6 : 1;
    this.paintStroke(pen, stroke.erase ? { ...stroke, erase: false, class: -1 } : stroke);
    pen.globalAlpha = 1;
  }

  // A ring as wide as the brush.
  paintPointer(pen) {
    const { x, y, width } = this.pointer;
    for (const [color, line] of [["#ffffff", 3], ["#14171a", 1.2]]) {
      Object.assign(pen, { strokeStyle: color, lineWidth: line / this.view.scale });
      pen.beginPath();
      pen.arc(x, y, Math.max(width / 2, 1 / this.view.scale), 0, 2 * Math.PI);
      pen.stroke();
    }
  }

  fit() {
    if (this.picture) this.fitTo(0, 0, this.picture.width, this.picture.height, 48);
  }

  limits() {
    return [this.fitted / 2, MOST_ZOOM];
  }

  moved() {
    this.draw();
  }
}

function sheet(width, height) {
  return Object.assign(document.createElement("canvas"), { width, height });
}
