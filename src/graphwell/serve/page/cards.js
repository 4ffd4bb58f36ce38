// What is shown of rows: the question of the moment, its answers, a class by its name, the row under the pointer.

import { fill, make } from "./dom.js";
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

// ------------------------------------------------------------------------------------------- the question

export function answerButtons(classes, onAnswer, guesses = new Map(), keyOf = ({ key }) => key) {
  const best = [...guesses.entries()].sort((a, b) => b[1] - a[1])[0]?.[0];
  return classes.map((entry, place) => {
    const score = guesses.get(entry.number);
    return make(
      "button",
      {
        type: "button", // in a form, Enter would press it and answer a second time
        class: entry.number === best ? "guess" : undefined,
        color: entry.color,
        "data-class": entry.number,
        title: score === undefined ? undefined : `The model says ${Math.round(100 * score)} %`,
        onclick: () => onAnswer(entry.number),
      },
      make("span", { class: "swatch" }),
      make("span", { class: "what" }, entry.name),
      keyOf(entry, place) ? make("kbd", {}, keyOf(entry, place)) : null,
      score ? make("span", { class: "bar", share: score }) : null,
    );
  });
}

const SAID = { "-2": "Marked as cannot tell", "-3": "Skipped before" };

// back: the row whose answer was taken back last, if it is another.
export function showQuestion(card, question, left, classes, on, back) {
  if (!question) {
    const text = left ? "Looking for the rows that are worth a question …" : "Every row has been asked.";
    fill(card, make("h2", {}, "Question"), make("p", {}, text));
    return;
  }
  const byNumber = new Map(classes.map((entry) => [entry.number, entry]));
  const given = byNumber.get(question.given);
  const sight = pictureOf(question);
  fill(
    card,
    make("div", { class: "title" }, make("h2", {}, "What is this?"), make("span", { class: "name" }, question.name)),
    sight ? make("div", { class: "sight" }, sight) : null,
    question.text ? make("div", { class: "words", tabindex: "0" }, question.text) : null,
    question.cells.length && !question.text ? cells(question.cells) : null,
    make("div", { class: "answers" }, ...answerButtons(classes, on.answer, new Map(question.guesses))),
    guess(question, byNumber),
    classes.length ? null : make("p", { class: "faint" }, "There are no classes yet. Name them under Classes (N); then answer with a key or a click."),
    make(
      "div",
      { class: "others" },
      make("button", { class: "quiet", onclick: on.cannotTell }, "Cannot tell ", make("kbd", {}, "X")),
      make("button", { class: "quiet", onclick: on.skip }, "Skip ", make("kbd", {}, "S")),
      given ? make("button", { class: "quiet", onclick: on.clear }, `Take back ${given.name}`) : null,
    ),
    make("p", { class: "faint" }, given ? `Labelled ${given.name}` : (SAID[question.given] ?? `Asked because: ${question.reason}`)),
    back ? make("p", {}, `Row ${back.name}: taken back; asked next. `, make("button", { onclick: () => on.ask(back.row) }, "Ask now")) : null,
    question.near.length ? near(question.near, byNumber) : null,
  );
}

function guess(question, byNumber) {
  const [number, score] = question.guesses[0] ?? [];
  const entry = byNumber.get(number);
  if (!entry) return null;
  return make("p", { class: "faint" }, `The model's guess: ${entry.name}, ${Math.round(100 * score)} %`);
}

function cells(pairs) {
  return make(
    "dl",
    { class: "cells", tabindex: "0" },
    ...pairs.flatMap(([name, cell]) => [make("dt", {}, name), make("dd", {}, cell)]),
  );
}

function near(rows, byNumber) {
  return make(
    "div",
    {},
    make("h2", {}, "Nearest labelled rows"),
    make("div", { class: "near" }, ...rows.map((row) => thumb(row, byNumber.get(row.class)))),
  );
}

// ------------------------------------------------------------------------------------ a class by its name

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

// ---------------------------------------------------------------------------------------------- many rows

const WEAKEST = 0.02;
const USUAL = 0.1;

export class Many {
  constructor(box, onLabel) {
    this.box = box;
    this.onLabel = onLabel;
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
      make("div", { class: "answers" }, ...answerButtons(classes, (number) => this.choose(number))),
      make("label", { class: "trust" }, "Trust", slider, words),
      make("div", { class: "others" }, make("button", { class: "quiet", onclick: () => this.close() }, "Cancel ", make("kbd", {}, "Esc"))),
    );
  }
}

// ------------------------------------------------------------------------------ the row under the pointer

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
