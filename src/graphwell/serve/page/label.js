// The page of `graphwell label`: it holds what the server told, and passes on what the user does.

import { ByName } from "./by-name.js";
import { Channel } from "./channel.js";
import { ClassesList } from "./classes.js";
import { showCurve } from "./curve.js";
import { byId, fill, make } from "./dom.js";
import { Hover } from "./hover.js";
import { listen } from "./label-keys.js";
import { Many } from "./many.js";
import { rgb } from "./palette.js";
import { PointsMap } from "./points.js";
import { answerButtons, showQuestion } from "./question.js";

const NO_CLASS = 255;
const STEPS_OF_DOUBT = 15;
const SECONDS_OF_A_MESSAGE = 5;
const UNKNOWN = [154, 160, 166];

const state = { rows: 0, classes: [], question: null, left: true, colors: null, doubt: null, model: {}, given: new Map() };
let found = null; // rows that a search found, shown in place of the doubtful ones

// ------------------------------------------------------------------------------------------- what the user does

const act = (name, message = {}) => channel.send(name, message).catch((error) => say(error.message));
const onQuestion = (name, more = {}) => state.question && act(name, { rows: [state.question.row], ...more });
const ask = (row) => act("ask", { row });

const on = {
  answer: (number) => onQuestion("label", { class: number }),
  cannotTell: () => onQuestion("cannot tell"),
  skip: () => onQuestion("skip"),
  clear: () => onQuestion("clear"),
  ask,
};

async function addClass(name) {
  const before = new Set(state.classes.map((entry) => entry.number));
  const row = state.question?.row;
  try {
    await channel.send("add class", { name });
  } catch (error) {
    say(error.message);
    return;
  }
  const added = state.classes.find((entry) => !before.has(entry.number));
  if (added && before.size === 0 && row !== undefined) act("label", { rows: [row], class: added.number });
}

async function write() {
  try {
    say(`Written: ${await channel.send("export")}`);
  } catch (error) {
    say(error.message);
  }
}

async function search(text) {
  found = text.trim() ? await channel.send("search", { text }).catch((error) => say(error.message)) : null;
  showList();
}

// ------------------------------------------------------------------------------------------- what is shown

function say(text) {
  const message = byId("message");
  message.textContent = text;
  message.hidden = false;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => (message.hidden = true), 1000 * SECONDS_OF_A_MESSAGE);
}

function palette() {
  const colors = new Array(256).fill(UNKNOWN);
  for (const { number, color } of state.classes) {
    colors[number] = rgb(color);
  }
  return colors;
}

const entryOf = (number) => state.classes.find((entry) => entry.number === number);

function showSummary() {
  const { labels = 0, cannot_tell: cannot = 0 } = state.model;
  const parts = [`${state.rows.toLocaleString("en")} rows`, `${labels.toLocaleString("en")} labelled`];
  if (cannot) parts.push(`${cannot} cannot be told`);
  byId("summary").textContent = parts.join(" · ");
}

function showList() {
  byId("list-title").textContent = found ? `Found: ${found.length}` : "Most doubtful";
  byId("list-close").hidden = !found;
  const rows = found ?? state.model.doubtful ?? [];
  const items = rows.map((row) => {
    const guesses = (row.guesses ?? []).map(([number]) => entryOf(number)).filter(Boolean);
    const swatches = guesses.map((entry) => make("span", { class: "swatch", color: entry.color }));
    const words = guesses.map((entry) => entry.name).join(" or ");
    return make(
      "li",
      {},
      make("button", { onclick: () => ask(row.row) }, make("span", { class: "what" }, row.snippet ?? row.name), make("span", { class: "faint" }, words), ...swatches),
    );
  });
  fill(byId("list"), ...(items.length ? items : [make("li", { class: "faint" }, found ? "Nothing was found." : "Nothing is in doubt yet.")]));
}

function showAnswers() {
  showQuestion(byId("question"), state.question, state.left, state.classes, on);
  many.show(state.classes);
}

function showGiven() {
  map.setGiven([...state.given.keys()], [...state.given.values()]);
}

function showLasso(lasso) {
  const box = byId("lasso-says");
  box.hidden = !lasso;
  if (!lasso) return;
  const said = Object.entries(lasso.says)
    .sort((a, b) => b[1] - a[1])
    .map(([number, count]) => `${entryOf(Number(number))?.name ?? "?"} ${count.toLocaleString("en")}`);
  box.textContent = `${lasso.rows.toLocaleString("en")} rows marked ${entryOf(lasso.class)?.name ?? "?"}. The model now says: ${said.join(", ") || "nothing yet"}.`;
}

// ------------------------------------------------------------------------------------------- the map

const hover = new Hover(
  byId("hover"),
  byId("map"),
  (row) => channel.send("row", { row }).catch(() => null),
  (row) => entryOf(state.colors[row]),
);
const select = (rows) => {
  setMode("pan");
  byId("lasso-says").hidden = true;
  if (rows.length) many.open(Array.from(rows), state.classes);
};
const map = new PointsMap(byId("points"), {
  onHover: (row) => hover.over(row),
  onPick: ask,
  onLasso: select,
  onBox: select,
});
const many = new Many(byId("many"), (rows, number, weight) => act("label", { rows, class: number, weight }), answerButtons);
const classes = new ClassesList(byId("classes"), act);
const choose = (number) => (many.isOpen ? many.choose(number) : on.answer(number));
const byName = new ByName(byId("by-name"), choose);

function setMode(mode) {
  map.setMode(mode);
  for (const button of document.querySelectorAll("[data-mode]")) {
    button.setAttribute("aria-pressed", button.dataset.mode === mode);
  }
}

function colorBy(doubt) {
  colorBy.doubt = doubt;
  map.showDoubt(doubt);
  byId("by-class").setAttribute("aria-pressed", !doubt);
  byId("by-doubt").setAttribute("aria-pressed", doubt);
}

// ------------------------------------------------------------------------------------------- what the server tells

function bytesOf(event, buffer) {
  return [new Uint32Array(buffer, 0, event.count), new Uint8Array(buffer, 4 * event.count, event.count)];
}

const channel = new Channel(
  {
    about(event) {
      Object.assign(state, { rows: event.rows, classes: event.classes, given: new Map() });
      state.colors = new Uint8Array(event.rows).fill(NO_CLASS);
      state.doubt = new Float32Array(event.rows);
      byId("table").textContent = event.table;
      byId("export").title = `Write ${event.output} (E)`;
      document.title = `${event.table} – graphwell`;
    },
    positions: (_, buffer) => {
      map.setPositions(new Float32Array(buffer));
      map.setColors(state.colors, palette());
      map.setDoubt(state.doubt);
      showGiven();
      if (state.question) map.focus(state.question.row);
    },
    labels(event, buffer) {
      const [rows, values] = bytesOf(event, buffer);
      rows.forEach((row, at) => (state.colors[row] = values[at]));
      map.updateColors(rows, values);
    },
    doubt(event, buffer) {
      const [rows, values] = bytesOf(event, buffer);
      if (!rows.length) return;
      rows.forEach((row, at) => (state.doubt[row] = values[at] / STEPS_OF_DOUBT));
      map.setDoubt(state.doubt);
    },
    answers(event) {
      const recolored = JSON.stringify(state.classes) !== JSON.stringify(event.classes);
      state.classes = event.classes;
      event.rows.forEach((row, at) => {
        if (event.codes[at] >= 0 && event.weights[at] === 1) state.given.set(row, event.codes[at]);
        else state.given.delete(row);
      });
      byId("undo").disabled = !event.undo;
      byId("redo").disabled = !event.redo;
      byId("undo").title = event.undo ? `Undo: ${event.undo} (U)` : "Undo (U)";
      byId("redo").title = event.redo ? `Redo: ${event.redo} (R)` : "Redo (R)";
      if (recolored) {
        map.setColors(state.colors, palette());
        showAnswers();
        showList();
      }
      showGiven();
      classes.show(state.classes, state.model.sizes);
      document.body.dataset.number = event.number;
      document.body.dataset.steps = event.steps;
    },
    model(event) {
      state.model = event;
      showSummary();
      classes.show(state.classes, event.sizes ?? {});
      showCurve(byId("curve"), byId("accuracy"), event.curve ?? [], event.checked ?? 0);
      showList();
      showLasso(event.lasso);
      document.body.dataset.fitted = event.number ?? "";
    },
    question(event) {
      state.question = event.question;
      state.left = event.left;
      showQuestion(byId("question"), event.question, event.left, state.classes, on);
      if (event.question) map.focus(event.question.row);
      document.body.dataset.question = event.question?.row ?? "";
    },
    stage: (event) => (byId("stage").textContent = event.text),
  },
  (connected) => {
    document.body.dataset.connected = connected;
    byId("stage").textContent = connected ? "" : "The server cannot be reached; trying again …";
  },
);

// ------------------------------------------------------------------------------------------- buttons and keys

function leave() {
  document.activeElement?.blur();
  many.close();
  byId("lasso-says").hidden = true;
  setMode("pan");
}

listen({
  ...on,
  addClass,
  choose,
  chooseByName: () => byName.open(state.classes),
  classes: () => state.classes,
  colorBy,
  leave,
  redo: () => act("redo"),
  search,
  setMode,
  turnColors: () => colorBy(!colorBy.doubt),
  undo: () => act("undo"),
  write,
});
