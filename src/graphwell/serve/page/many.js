// What to do with the rows in a lasso or a box: a class, and how far it is trusted.

import { fill, make } from "./dom.js";

// The lasso seeds, the graph decides: at the lowest trust, neighbours may overrule any of the labels.
const WEAKEST = 0.02;
const USUAL = 0.1;

export class Many {
  constructor(box, onLabel, buttons) {
    this.box = box;
    this.onLabel = onLabel;
    this.buttons = buttons;
    this.rows = [];
    this.weight = USUAL;
  }

  get isOpen() {
    return !this.box.hidden;
  }

  open(rows, classes) {
    this.rows = rows;
    this.box.hidden = false;
    this.show(classes);
    this.box.querySelector("button")?.focus();
  }

  close() {
    this.box.hidden = true;
  }

  choose(number) {
    this.close();
    this.onLabel(this.rows, number, this.weight);
  }

  show(classes) {
    if (!this.isOpen) return;
    const words = make("span", { class: "faint" });
    const said = () => {
      words.textContent = this.weight < 0.5 ? "the graph may overrule them" : this.weight < 1 ? "rarely overruled" : "as if you had looked at each";
    };
    const slider = make("input", {
      type: "range", min: WEAKEST, max: "1", step: "0.01", value: this.weight, "aria-label": "How far these labels are trusted",
      oninput: (event) => {
        this.weight = Math.min(1, Number(event.target.value));
        said();
      },
    });
    said();
    fill(
      this.box,
      make("p", {}, `Label ${this.rows.length.toLocaleString("en")} rows`),
      make("div", { class: "answers" }, ...this.buttons(classes, (number) => this.choose(number))),
      make("label", { class: "trust" }, "Trust", slider, words),
      make("div", { class: "others" }, make("button", { class: "quiet", onclick: () => this.close() }, "Cancel ", make("kbd", {}, "Esc"))),
    );
  }
}
