// What is seen of a row: its picture, its numbers as a picture, or its text.

import { make } from "./dom.js";
import { showPicture } from "./line.js";

export function pictureOf(row) {
  if (row.picture) {
    const image = make("img", { alt: row.name, loading: "lazy" });
    showPicture(image, row.picture);
    return image;
  }
  return row.pixels ? drawn(row.pixels) : null;
}

function drawn({ width, height, grey }) {
  const canvas = make("canvas", { width, height, role: "img", "aria-label": "The row as a picture" });
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  for (let at = 0; at < width * height; at++) {
    image.data.set([grey[at], grey[at], grey[at], 255], 4 * at);
  }
  context.putImageData(image, 0, 0);
  return canvas;
}

// No button: a click on it would take the row away that a key is about to answer.
export function thumb(row, entry) {
  const sight = pictureOf(row) ?? make("span", { class: "blank" }, row.snippet ?? row.name);
  return make(
    "div",
    { class: "thumb", color: entry?.color, title: `${row.name}: ${entry?.name ?? ""}` },
    sight,
    make("span", {}, entry?.name ?? ""),
  );
}
