// A class by its name: letters narrow the classes down, Enter answers with the first that is left.

import { fill, make } from "./dom.js";
import { answerButtons } from "./question.js";

const MOST_SHOWN = 8;

// Classes whose name begins with some letters, then those that hold them, whatever their case.
export function named(classes, letters) {
  const wanted = letters.trim().toLowerCase();
  const place = (entry) => entry.name.toLowerCase().indexOf(wanted);
  const found = classes.filter((entry) => place(entry) >= 0);
  return [...found.filter((entry) => place(entry) === 0), ...found.filter((entry) => place(entry) > 0)];
}

export class ByName {
  constructor(dialog, onChoose) {
    this.dialog = dialog;
    this.onChoose = onChoose;
    this.input = dialog.querySelector("input");
    this.list = dialog.querySelector(".answers");
    this.input.addEventListener("input", () => this.show());
    dialog.querySelector("form").addEventListener("submit", (event) => {
      event.preventDefault();
      const [first] = this.input.value.trim() ? named(this.classes, this.input.value) : [];
      if (first) this.choose(first.number);
    });
  }

  open(classes) {
    if (!classes.length) return;
    this.classes = classes;
    this.input.value = "";
    this.show();
    this.dialog.showModal();
    this.input.focus();
  }

  choose(number) {
    this.dialog.close();
    this.onChoose(number);
  }

  show() {
    const found = named(this.classes, this.input.value);
    const more = found.length - MOST_SHOWN;
    const keyOf = (_, place) => (place === 0 && this.input.value.trim() ? "Enter" : null);
    fill(
      this.list,
      ...answerButtons(found.slice(0, MOST_SHOWN), (number) => this.choose(number), new Map(), keyOf),
      more > 0 ? make("p", { class: "faint" }, `and ${more} more`) : null,
      found.length ? null : make("p", { class: "faint" }, "No class has such a name."),
    );
  }
}
