// What is told of the point under the pointer.

import { fill, make } from "./dom.js";
import { pictureOf } from "./picture.js";

const WAIT = 60; // milliseconds that the pointer stays before the server is asked

export class Hover {
  // box: where it is told; around: what it stays inside of; ask(row): what the server knows; entryOf(row): its class.
  constructor(box, around, ask, entryOf) {
    Object.assign(this, { box, around, ask, entryOf, x: 0, y: 0 });
    around.addEventListener("pointermove", (event) => {
      const inside = around.getBoundingClientRect();
      this.x = event.clientX - inside.left;
      this.y = event.clientY - inside.top;
    });
  }

  // The row under the pointer has changed; null for none.
  over(row) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(row, this.x, this.y), row === null ? 0 : WAIT);
  }

  async show(row, x, y) {
    this.row = row;
    this.box.hidden = this.box.hidden || row === null;
    if (row === null) return;
    const shown = await this.ask(row);
    if (!shown || this.row !== row) return;
    const entry = this.entryOf(row);
    const sight = pictureOf(shown);
    fill(
      this.box,
      sight ? make("div", { class: "sight" }, sight) : null,
      shown.text ? make("div", {}, shown.snippet) : null,
      make("p", {}, entry ? make("span", { class: "swatch", color: entry.color }) : null, `${shown.name}${entry ? `: ${entry.name}` : ""}`),
    );
    const inside = this.around.getBoundingClientRect();
    this.box.hidden = false;
    this.box.style.left = `${Math.min(x + 14, inside.width - this.box.offsetWidth - 8)}px`;
    this.box.style.top = `${Math.min(y + 14, inside.height - this.box.offsetHeight - 8)}px`;
  }
}
