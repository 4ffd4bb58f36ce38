// The question of the moment: what is seen of the row, the classes to answer with, and what lies near.

import { fill, make } from "./dom.js";
import { pictureOf, thumb } from "./picture.js";

// Buttons of all classes; guesses: Map of class number -> score; keyOf(class, place): the key that takes it.
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
