// The page of `graphwell label`: it holds what the server told, and passes on what the user does.

import { answerButtons, ByName, Hover, Many, showQuestion } from "./cards.js";
import { Channel } from "./channel.js";
import { byId, fill, make, rgb } from "./dom.js";
import { PointsMap } from "./points.js";
import { ClassesList, showCurve } from "./sidebar.js";

const NO_CLASS = 255;
const NOTHING = -1;
const CANNOT_TELL = -2;
const MOST_LATER = 20;
const STEPS_OF_DOUBT = 15;
const SECONDS_OF_A_MESSAGE = 5;
const UNKNOWN = [154, 160, 166];

const state = { rows: 0, classes: [], question: null, left: true, colors: null, doubt: null, model: {}, given: new Map() };
let isLocked = false; // from an answer until the next row is there: a second key is no answer to either
let first = []; // rows that were left or taken back, newest first: they are asked before others
let taken = null; // the row whose answer was taken back last
let turn = Promise.resolve(); // what changes the question, one after the other
let marked = null; // rows that were labelled together last, their class, and the number of that action
let found = null; // rows that a search found, shown in place of the doubtful ones

// ------------------------------------------------------------------------------------------- what the user does

const act = (name, message = {}) => channel.send(name, message).catch((error) => say(error.message));
const inTurn = (work) => (turn = turn.then(work).catch((error) => say(error.message)));

async function next() {
  const { question, left = true } = await channel.send("next", { first });
  first = first.filter((row) => row !== question?.row);
  put(question, left);
}

// Leave the row on screen by an answer (a command of the server), or by none.
function leaveBy(name, more = {}) {
  if (!state.question || isLocked) return;
  const { row } = state.question;
  lock(true, more.class ?? name);
  inTurn(async () => {
    if (name) await channel.send(name, { rows: [row], ...more });
    taken = null;
    if (state.question.row === row) await next(); // a row that was chosen meanwhile stays
  }).then(() => lock(false));
}

// Show a row that the user chose; the one that was left is asked next.
const ask = (row) =>
  inTurn(async () => {
    const shown = await channel.send("row", { row });
    if (state.question && state.question.row !== row) later(state.question.row);
    put({ ...shown, reason: "chosen by you" }, true);
  });

const later = (row) => (first = [row, ...first.filter((other) => other !== row)].slice(0, MOST_LATER));

const hasAnswer = ({ given }) => given >= 0 || given === CANNOT_TELL;
const on = {
  answer: (number) => leaveBy("label", { class: number }),
  cannotTell: () => leaveBy("cannot tell"),
  skip: () => leaveBy(state.question && hasAnswer(state.question) ? "" : "skip"), // a skip takes no answer back
  clear: () => act("clear", { rows: [state.question.row] }),
  ask,
};

const addClass = (name) => act("add class", { name });

async function undo() {
  const { back } = (await act("undo")) ?? {};
  if (!back) return;
  if (back.row !== state.question?.row) later(back.row);
  taken = back;
  if (state.question) showAnswers();
  else inTurn(next);
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
  const back = taken && taken.row !== state.question?.row ? taken : null;
  showQuestion(byId("question"), state.question, state.left, state.classes, on, back);
  many.show(state.classes);
}

function put(question, left) {
  const isNew = question?.row !== state.question?.row;
  Object.assign(state, { question, left });
  showAnswers();
  if (question && isNew) map.focus(question.row);
  document.body.dataset.question = question?.row ?? "";
}

function lock(locked, chosen) {
  isLocked = locked;
  byId("question").classList.toggle("locked", locked);
  byId("question").querySelector(`[data-class="${chosen}"]`)?.classList.add("chosen");
}

// What is known of the row on screen has changed: the row stays.
const refresh = () =>
  inTurn(async () => {
    if (!state.question) return next();
    const { row, reason } = state.question;
    put({ ...(await channel.send("row", { row })), reason }, true);
  });

function showGiven() {
  map.setGiven([...state.given.keys()], [...state.given.values()]);
}

// What the model says of the rows that were labelled together last.
function showMarked() {
  const box = byId("lasso-says");
  box.hidden = !marked || state.model.number < marked.number;
  if (box.hidden) return;
  const counts = new Map();
  for (const row of marked.rows) counts.set(state.colors[row], (counts.get(state.colors[row]) ?? 0) + 1);
  const found = [...counts].filter(([number]) => number !== NO_CLASS).sort((a, b) => b[1] - a[1]);
  const says = found.map(([number, count]) => `${entryOf(number)?.name ?? "?"} ${count.toLocaleString("en")}`);
  box.textContent = `${marked.rows.length.toLocaleString("en")} rows marked ${entryOf(marked.class)?.name ?? "?"}. The model now says: ${says.join(", ") || "nothing yet"}.`;
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
  marked = null;
  showMarked();
  if (rows.length) many.open(Array.from(rows), state.classes);
};
const map = new PointsMap(byId("points"), {
  onHover: (row) => hover.over(row),
  onPick: ask,
  onLasso: select,
  onBox: select,
});
const many = new Many(byId("many"), async (rows, number, weight) => {
  const done = await act("label", { rows, class: number, weight });
  marked = done ? { rows, class: number, number: done.number } : null;
});
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
        if (row === taken?.row && event.codes[at] !== NOTHING) taken = null;
      });
      byId("undo").disabled = !event.undo;
      byId("redo").disabled = !event.redo;
      byId("undo").title = event.undo ? `Undo: ${event.undo} (U)` : "Undo (U)";
      byId("redo").title = event.redo ? `Redo: ${event.redo} (R)` : "Redo (R)";
      if (event.rows.includes(state.question?.row) && !isLocked) refresh();
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
      showCurve(byId("curve"), byId("accuracy"), event.curve ?? [], event.checked ?? 0, event.early);
      showList();
      showMarked();
      document.body.dataset.fitted = event.number ?? "";
    },
    questions: refresh,
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
  marked = null;
  showMarked();
  setMode("pan");
}

const redo = () => act("redo");
const showHelp = () => byId("help").showModal();
const KEYS = {
  x: on.cannotTell,
  s: on.skip,
  u: undo,
  r: redo,
  c: () => byName.open(state.classes),
  n: () => byId("new-name").focus(),
  l: () => setMode("lasso"),
  b: () => setMode("box"),
  p: () => setMode("pan"),
  d: () => colorBy(!colorBy.doubt),
  e: write,
  h: showHelp,
  "/": () => byId("search").focus(),
};

byId("undo").onclick = undo;
byId("redo").onclick = redo;
byId("export").onclick = write;
byId("help-open").onclick = showHelp;
byId("by-class").onclick = () => colorBy(false);
byId("by-doubt").onclick = () => colorBy(true);
byId("list-close").onclick = () => {
  byId("search").value = "";
  search("");
};
for (const button of document.querySelectorAll("[data-mode]")) button.onclick = () => setMode(button.dataset.mode);
byId("search-form").onsubmit = (event) => {
  event.preventDefault();
  search(byId("search").value);
};
byId("new-class").onsubmit = (event) => {
  event.preventDefault();
  const name = byId("new-name").value;
  byId("new-name").value = "";
  byId("new-name").blur();
  addClass(name);
};

// Each class has a key of its own: a digit, or Shift and a digit.
function classOfKey(event) {
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1];
  return digit && { entry: state.classes.find(({ key }) => key === (event.shiftKey ? "⇧" : "") + digit) };
}

document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") leave();
  const typing = event.target.matches?.("input:not([type=range]):not([type=color]), select, textarea");
  if (typing || document.querySelector("dialog[open]") || event.altKey || event.repeat) return;
  const key = event.key.toLowerCase();
  const digit = classOfKey(event);
  if (event.ctrlKey || event.metaKey) {
    if (key === "y" || (event.shiftKey && key === "z")) redo();
    else if (key === "z") undo();
    else return;
  } else if (digit) {
    if (digit.entry) choose(digit.entry.number);
  } else if (KEYS[key]) KEYS[key]();
  else return;
  event.preventDefault();
});
