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

// back: the row whose answer was taken back last, if it is another; issue: why its label looks wrong, if it does.
export function showQuestion(card, question, left, classes, on, back, issue) {
  if (!question) {
    const text = left ? "Looking for the rows that are worth a question …" : `Every row has been asked. ${on.summary()}`;
    fill(card, make("h2", {}, "Question"), make("p", {}, text), left ? null : make("button", { class: "primary", onclick: on.write }, "Write table"));
    return;
  }
  const byNumber = new Map(classes.map((entry) => [entry.number, entry]));
  const given = byNumber.get(question.given);
  const best = byNumber.get(question.guesses[0]?.[0]);
  const sight = pictureOf(question);
  fill(
    card,
    make("div", { class: "title" }, make("h2", {}, "What is this?"), make("span", { class: "name" }, question.name)),
    sight ? make("div", { class: "sight" }, sight) : null,
    question.text ? make("div", { class: "words", tabindex: "0" }, question.text) : null,
    question.cells.length && !question.text ? cells(question.cells) : null,
    make("div", { class: "answers" }, ...answerButtons(classes, on.answer, new Map(question.guesses))),
    best && !issue ? make("p", { class: "faint" }, `The model's guess: ${best.name}, ${Math.round(100 * question.guesses[0][1])} %`) : null,
    classes.length ? null : make("p", { class: "faint" }, "There are no classes yet. Name them under Classes (N); then answer with a key or a click."),
    make(
      "div",
      { class: "others" },
      make("button", { class: "quiet", onclick: on.cannotTell }, "Cannot tell ", make("kbd", {}, "X")),
      make("button", { class: "quiet", onclick: on.skip }, "Skip ", make("kbd", {}, "S")),
      make("button", { class: "quiet", title: "Select the rows most like this one that nobody answered", onclick: on.like }, "Similar ", make("kbd", {}, "M")),
      given ? make("button", { class: "quiet", onclick: on.clear }, `Take back ${given.name}`) : null,
    ),
    issue && given ? make("p", {}, `You said ${given.name}; it looks like ${byNumber.get(issue.guesses[0][0])?.name} (${Math.round(100 * issue.guesses[0][1])} %). `, make("button", { onclick: on.keep }, "Keep ", make("kbd", {}, "K"))) : null,
    make("p", { class: "faint" }, given ? `Labelled ${given.name}` : (SAID[question.given] ?? `Asked because: ${question.reason}`)),
    back ? make("p", {}, `Row ${back.name}: taken back; asked next. `, make("button", { onclick: () => on.ask(back.row) }, "Ask now")) : null,
    question.near.length ? make("h2", {}, "Nearest labelled rows") : null,
    make("div", { class: "near" }, ...question.near.map((row) => thumb(row, byNumber.get(row.class)))),
  );
}

const CELLS_SHOWN = 8;

// Numbers are rounded, as long as one does not look at them; cells beyond the first are folded.
function cells(pairs) {
  const rounded = (cell) => (/^-?\d+\.\d{4,}$/.test(cell) ? String(Number(Number(cell).toPrecision(4))) : cell);
  const list = (some) => make("dl", { class: "cells" }, ...some.flatMap(([name, cell]) => [make("dt", {}, name), make("dd", { title: cell }, rounded(cell))]));
  const rest = pairs.slice(CELLS_SHOWN);
  return make("div", {}, list(pairs.slice(0, CELLS_SHOWN)), rest.length ? make("details", {}, make("summary", {}, `${rest.length} more`), list(rest)) : null);
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

// ------------------------------------------------------------------------------------------ selected rows

const MOST_THUMBS = 60;

export class Selection {
  // page: {look(rows), classOf(row), label(rows, number), cannotTell(rows), changed()}
  constructor(box, page) {
    Object.assign(this, { box, page, rows: [], off: new Set(), classes: [], shown: [] });
    box.hidden = true;
  }

  get isOpen() {
    return !this.box.hidden;
  }

  // Those that are not deselected.
  get chosen() {
    return this.isOpen ? this.rows.filter((row) => !this.off.has(row)) : [];
  }

  // left: how many of the rows were left out, as they are answered already.
  async open(rows, classes, left) {
    const counts = this.countsOf(rows);
    const odd = [...rows].sort((a, b) => counts.get(this.page.classOf(a)) - counts.get(this.page.classOf(b)) || a - b);
    Object.assign(this, { rows, classes, left, off: new Set(), shown: [], spoken: "" });
    this.box.hidden = false;
    this.show();
    this.page.changed();
    this.box.focus();
    const shown = await this.page.look(odd.slice(0, MOST_THUMBS));
    if (this.rows === rows) this.show(classes, shown);
  }

  close() {
    if (!this.isOpen) return;
    this.box.hidden = true;
    this.page.changed();
  }

  choose(number) {
    const rows = this.chosen;
    this.close();
    if (rows.length) (number === null ? this.page.cannotTell(rows) : this.page.label(rows, number));
  }

  turn(rows) {
    for (const row of rows) if (!this.off.delete(row)) this.off.add(row);
    this.show();
    this.page.changed();
  }

  countsOf(rows) {
    const counts = new Map();
    for (const row of rows) counts.set(this.page.classOf(row), (counts.get(this.page.classOf(row)) ?? 0) + 1);
    return new Map([...counts].sort((a, b) => b[1] - a[1]));
  }

  // Classes of some rows by the model, most first: "5 (135), 3 (12)".
  said(rows) {
    return [...this.countsOf(rows)].map(([entry, count]) => `${entry?.name ?? "no class yet"} (${count.toLocaleString("en")})`).join(", ");
  }

  // What an answer would change.
  preview(entry) {
    const changed = this.chosen.filter((row) => this.page.classOf(row)?.number !== entry.number);
    const [count, all] = [changed.length, this.chosen.length].map((n) => n.toLocaleString("en"));
    this.box.querySelector("[role=status]").textContent = `${entry.name}: ${count} of ${all} rows would change${changed.length ? `, now ${this.said(changed)}` : ""}.`;
  }

  show(classes = this.classes, shown = this.shown) {
    if (!this.isOpen) return;
    Object.assign(this, { classes, shown });
    const [most] = this.countsOf(this.chosen).keys();
    const others = this.chosen.filter((row) => this.page.classOf(row) !== most);
    const buttons = answerButtons(classes, (number) => this.choose(number));
    buttons.forEach((button, at) => ["pointerenter", "focus"].forEach((name) => button.addEventListener(name, () => this.preview(classes[at]))));
    fill(
      this.box,
      make("div", { class: "title" }, make("h2", {}, "Selected rows"), make("span", { class: "name" }, `${this.chosen.length.toLocaleString("en")}`)),
      make("p", {}, `The model says: ${this.said(this.chosen)}.${this.left ? ` ${this.left} that you answered are left out.` : ""}`),
      make("div", { class: "answers" }, ...buttons),
      make("p", { class: "faint", role: "status" }, "Point at a class to see what would change. All of it is one step of undo."),
      make(
        "div",
        { class: "others" },
        make("button", { class: "quiet", onclick: () => this.choose(null) }, "Cannot tell ", make("kbd", {}, "X")),
        others.length ? make("button", { class: "quiet", onclick: () => this.turn(others) }, `Leave out ${others.length.toLocaleString("en")} that are not ${most?.name ?? "new"}`) : null,
        make("button", { class: "quiet", onclick: () => this.close() }, "Cancel ", make("kbd", {}, "Esc")),
      ),
      make("div", { class: "grid" }, ...shown.map((row) => this.thumb(row))),
      this.rows.length > shown.length && shown.length ? make("p", { class: "faint" }, `The ${shown.length} that differ most from the others; ${(this.rows.length - shown.length).toLocaleString("en")} more.`) : null,
    );
  }

  thumb(row) {
    const entry = this.page.classOf(row.row);
    const [pressed, name] = [!this.off.has(row.row), `${row.name}: ${entry?.name ?? "no class yet"}`];
    return make("button", { class: "pick", "aria-pressed": String(pressed), "aria-label": name, onclick: () => this.turn([row.row]) }, thumb(row, entry));
  }
}

// ------------------------------------------------------------------------------ the row under the pointer

const WAIT = 60; // milliseconds that the pointer stays before the server is asked

export class Hover {
  // box: where it is told; around: what it stays inside of; ask(row): what the server knows; entryOf(row): its class.
  constructor(box, around, ask, entryOf) {
    Object.assign(this, { box, around, ask, entryOf });
  }

  // The row under the pointer has changed, and its place; null for none.
  over(row, place) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.show(row, ...(place ?? [])), row === null ? 0 : WAIT);
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
    const tools = this.around.querySelector("canvas").offsetTop;
    this.box.style.left = `${Math.min(x + 14, inside.width - this.box.offsetWidth - 8)}px`;
    this.box.style.top = `${Math.min(y + tools + 14, inside.height - this.box.offsetHeight - 8)}px`;
  }
}
