// The page of `graphwell label`: it holds what the server told, and passes on what the user does.

import { ByName, Hover, Selection, showQuestion } from "./cards.js";
import { Channel } from "./channel.js";
import { ClassesList, classOfKey } from "./classes.js";
import { showCurve } from "./curve.js";
import { byId, fill, make, rgb } from "./dom.js";
import { PointsMap } from "./points.js";

const NO_CLASS = 255;
const NOTHING = -1;
const CANNOT_TELL = -2;
const MOST_LATER = 20;
const MOST_LISTED = 100;
const SECONDS_OF_A_MESSAGE = 5;
const WEIGHT_OF_MANY = 0.1; // of a label that was given to many rows at once
const UNKNOWN = [154, 160, 166];

const state = { rows: 0, classes: [], question: null, left: true, colors: null, doubt: null, model: {}, given: new Map(), tab: "doubtful", by: "class", column: null };
let isLocked = false; // from an answer until the next row is there: a second key is no answer to either
let first = []; // rows that were left or taken back, newest first: they are asked before others
let taken = null; // the row whose answer was taken back last
let turn = Promise.resolve(); // what changes the question, one after the other
let marked = null; // rows that were labelled together last, their class, and the number of that action
let found = null; // rows that a search found, shown in place of those of the tab
let mine = []; // rows that were answered, the last first
const settled = new Set(); // rows that looked wrong and were answered since the last fit

// ------------------------------------------------------------------------------------------- what the user does

const complain = (error) => say(error.message, true);
const act = (name, message = {}) => channel.send(name, message).catch(complain);
const inTurn = (work) => (turn = turn.then(work).catch(complain));
const issues = () => (state.model.issues ?? []).filter(({ row }) => !settled.has(row));

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
    settled.add(row);
    if (state.question.row !== row) return; // a row that was chosen meanwhile stays
    if (state.tab === "issues" && issues().length) await look(issues()[0].row);
    else await next();
  }).then(() => lock(false));
}

// Show a row that the user chose; the one that was left is asked next.
const ask = (row) =>
  inTurn(async () => {
    if (state.question && state.question.row !== row && !hasAnswer(state.question)) later(state.question.row);
    await look(row);
  });

async function look(row) {
  selection.close();
  put({ ...(await channel.send("row", { row })), reason: "chosen by you" }, true);
}

const later = (row) => (first = [row, ...first.filter((other) => other !== row)].slice(0, MOST_LATER));

const hasAnswer = ({ given }) => given >= 0 || given === CANNOT_TELL;
const on = {
  answer: (number) => leaveBy("label", { class: number }),
  cannotTell: () => leaveBy("cannot tell"),
  skip: () => leaveBy(state.question && hasAnswer(state.question) ? "" : "skip"), // a skip takes no answer back
  clear: () => act("clear", { rows: [state.question.row] }),
  keep: () => issueOf(state.question?.row) && on.answer(state.question.given),
  ask,
  async like() {
    const rows = state.question && (await act("like", { row: state.question.row }));
    if (rows?.length) selection.open(rows, state.classes, 0);
  },
  write,
  summary() {
    const { labels = 0, curve = [], early } = state.model;
    const share = early === "" && curve.length ? ` About ${(100 * curve.at(-1).share).toFixed(0)} % of the other labels are correct.` : "";
    return `${labels.toLocaleString("en")} rows labelled, ${state.classes.length} classes.${share}`;
  },
};
const issueOf = (row) => issues().find((issue) => issue.row === row);

async function undo() {
  showMarked(null);
  const { back } = (await act("undo")) ?? {};
  if (!back) return;
  if (back.row !== state.question?.row) later(back.row);
  taken = back;
  if (state.question) showAnswers();
  else inTurn(next);
}

async function write() {
  try {
    say(`Written: ${await channel.send("export")}. ${on.summary()}`);
  } catch (error) {
    complain(error);
  }
}

async function search(text) {
  found = text.trim() ? await channel.send("search", { text }).catch(complain) : null;
  showList();
}

// ------------------------------------------------------------------------------------------- what is shown

// What went wrong stays until Escape or the next message.
function say(text, stays = false) {
  const message = byId("message");
  message.textContent = text;
  message.hidden = false;
  clearTimeout(say.timer);
  if (!stays) say.timer = setTimeout(() => (message.hidden = true), 1000 * SECONDS_OF_A_MESSAGE);
}

// A list by the numbers of classes.
const byNumber = (name, list = []) => state.classes.reduce((all, entry) => Object.assign(all, { [entry.number]: name(entry) }), list);
const entryOf = (number) => state.classes.find((entry) => entry.number === number);

function showSummary() {
  const { labels = 0, cannot_tell: cannot = 0 } = state.model;
  const parts = [`${state.rows.toLocaleString("en")} rows`, `${labels.toLocaleString("en")} labelled`];
  if (cannot) parts.push(`${cannot} cannot be told`);
  byId("summary").textContent = parts.join(" · ");
}

const NOTHING_TO_LIST = { doubtful: "No row is uncertain yet.", issues: "No answer disagrees with its neighbours.", mine: "Nothing is answered yet." };

function showList() {
  for (const tab of document.querySelectorAll("[data-tab]")) tab.setAttribute("aria-selected", !found && tab.dataset.tab === state.tab);
  byId("list-title").textContent = found ? `Found: ${found.length}` : "";
  byId("list-close").hidden = !found;
  byId("list-class").hidden = Boolean(found) || state.tab !== "mine";
  const rows = found ?? { doubtful: state.model.doubtful ?? [], issues: issues(), mine }[state.tab];
  const items = rows.map((row) => {
    const entry = entryOf(state.given.get(row.row));
    const guesses = (row.guesses ?? []).map(([number]) => entryOf(number)).filter(Boolean);
    const words = `${entry?.name ?? ""}${entry && guesses.length ? " – rather " : ""}${guesses.map(({ name }) => name).join(" or ")}`;
    const swatches = [entry, ...guesses].filter(Boolean).map(({ color }) => make("span", { class: "swatch", color }));
    return make("li", {}, make("button", { onclick: () => ask(row.row) }, make("span", { class: "what" }, row.snippet ?? row.name), make("span", { class: "faint" }, words), ...swatches));
  });
  fill(byId("list"), ...(items.length ? items : [make("li", { class: "faint" }, found ? "Nothing was found." : NOTHING_TO_LIST[state.tab])]));
}

// Answers of one class, or all of them, the last first.
async function listMine() {
  if (state.tab !== "mine") return showList();
  const select = byId("list-class");
  const only = state.classes.some(({ number }) => String(number) === select.value) ? select.value : "";
  fill(select, make("option", { value: "" }, "All classes"), ...state.classes.map(({ number, name }) => make("option", { value: number }, name)));
  select.value = only;
  const rows = [...state.given].filter(([, number]) => only === "" || number === Number(only)).map(([row]) => row);
  mine = (await act("rows", { rows: rows.reverse().slice(0, MOST_LISTED) })) ?? [];
  showList();
}

function showAnswers() {
  const back = taken && taken.row !== state.question?.row ? taken : null;
  showQuestion(byId("question"), state.question, state.left, state.classes, on, back, issueOf(state.question?.row));
  selection.show(state.classes);
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
  const rows = [...state.given.keys()];
  map.setGiven(rows, rows.map((row) => (state.by === "class" ? state.given.get(row) : map.painter.classes[row])));
}

// What the model says of the rows that were labelled together last.
function showMarked(now = marked) {
  marked = now;
  const box = byId("lasso-says");
  box.hidden = !marked || state.model.number < marked.number;
  if (!box.hidden) box.textContent = `${marked.rows.length.toLocaleString("en")} rows marked ${entryOf(marked.class)?.name ?? "?"}. The model now says: ${selection.said(marked.rows)}. U takes it back.`;
}

// ------------------------------------------------------------------------------------------- the map

const hover = new Hover(
  byId("hover"),
  byId("map"),
  (row) => channel.send("row", { row }).catch(() => null),
  (row) => entryOf(state.colors[row]),
);
const map = new PointsMap(byId("points"), {
  onHover: (row, place) => hover.over(row, place),
  onPick: ask,
  onSelect(found) {
    setMode("pan");
    showMarked(null);
    const rows = Array.from(found).filter((row) => !state.given.has(row));
    if (found.length) selection.open(rows, state.classes, found.length - rows.length);
  },
});
const selection = new Selection(byId("many"), {
  look: async (rows) => (await act("rows", { rows })) ?? [],
  classOf: (row) => entryOf(state.colors[row]),
  cannotTell: (rows) => act("cannot tell", { rows }),
  async label(rows, number) {
    const done = await act("label", { rows, class: number, weight: WEIGHT_OF_MANY });
    marked = done ? { rows, class: number, number: done.number } : null;
  },
  changed() {
    byId("question").hidden = selection.isOpen;
    map.setLit(selection.chosen);
  },
});
const classes = new ClassesList(act);
const choose = (number) => (selection.isOpen ? selection.choose(number) : on.answer(number));
const byName = new ByName(byId("by-name"), choose);

function setMode(mode) {
  map.setMode(mode);
  for (const button of document.querySelectorAll("[data-mode]")) {
    button.setAttribute("aria-pressed", button.dataset.mode === mode);
  }
}

// Colour the map by "class", by "doubt", or by a column.
async function colorBy(by) {
  const column = by in FIXED ? null : await act("column", { name: by });
  Object.assign(state, { column, by: column || by in FIXED ? by : "class" }); // it may be refused
  byId("color-by").value = state.by;
  recolor();
}

// A byte for each row, a colour for each byte; names stand on the map and, with what lies between, in the legend.
function recolor() {
  const { by, column, colors, doubt } = state;
  const shades = new Array(256).fill(UNKNOWN);
  if (by === "class") map.setColors(colors, byNumber(({ color }) => rgb(color), shades), byNumber(({ name }) => name));
  else if (by === "doubt" || column?.low !== undefined) {
    map.setColors(column ? bytesIn(column.values) : doubt, shades.map((grey, at) => (at === NO_CLASS ? grey : shade(at / (NO_CLASS - 1)))));
  } else if (column) map.setColors(bytesIn(column.values), shades.map((grey, at) => (column.colors[at] ? rgb(column.colors[at]) : grey)), column.names);
  showGiven();
  const ends = by === "doubt" ? ["sure", "uncertain"] : [column?.low, column?.high];
  fill(byId("legend"), ...(by === "class" ? [] : column?.names ? column.names.map((name, at) => make("span", {}, make("span", { class: "swatch", color: column.colors[at] }), name)) : [make("span", {}, ends[0]), make("span", { class: "shades" }), make("span", {}, ends[1])]));
  byId("legend").hidden = by === "class";
}

const FIXED = { class: "Class", doubt: "Uncertainty" };
const bytesIn = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
const SHADES = [[53, 96, 163], [143, 178, 201], [240, 196, 98], [205, 70, 30]]; // from low to high, as .shades in label.css
function shade(share) {
  const [at, rest] = [Math.min(2, Math.floor(3 * share)), 3 * share - Math.min(2, Math.floor(3 * share))];
  return SHADES[at].map((value, i) => Math.round(value + rest * (SHADES[at + 1][i] - value)));
}

// ------------------------------------------------------------------------------------------- what the server tells

function bytesOf(event, buffer) {
  return [new Uint32Array(buffer, 0, event.count), new Uint8Array(buffer, 4 * event.count, event.count)];
}

const channel = new Channel(
  {
    about(event) {
      Object.assign(state, { rows: event.rows, given: new Map() });
      state.colors = new Uint8Array(event.rows).fill(NO_CLASS);
      state.doubt = new Uint8Array(event.rows);
      const names = [...Object.entries(FIXED), ...event.columns.map((name) => [name, name])];
      fill(byId("color-by"), ...names.map(([value, name]) => make("option", { value }, name)));
      byId("color-by").value = state.by;
      byId("table").textContent = event.table;
      byId("export").title = `Write ${event.output} (E)`;
      document.title = `${event.table} – graphwell`;
    },
    positions: (_, buffer) => {
      map.setPositions(new Float32Array(buffer));
      recolor();
      if (state.question) map.focus(state.question.row);
    },
    labels(event, buffer) {
      const [rows, values] = bytesOf(event, buffer);
      rows.forEach((row, at) => (state.colors[row] = values[at]));
      if (state.by === "class") map.updateColors(rows, values);
    },
    doubt(event, buffer) {
      const [rows, values] = bytesOf(event, buffer);
      rows.forEach((row, at) => (state.doubt[row] = values[at]));
      if (state.by === "doubt" && rows.length) recolor();
    },
    answers(event) {
      const recolored = JSON.stringify(state.classes) !== JSON.stringify(event.classes);
      state.classes = event.classes;
      event.rows.forEach((row, at) => {
        state.given.delete(row); // what is set again comes last
        if (event.codes[at] >= 0 && event.weights[at] === 1) state.given.set(row, event.codes[at]);
        if (row === taken?.row && event.codes[at] !== NOTHING) taken = null;
      });
      byId("undo").disabled = !event.undo;
      byId("redo").disabled = !event.redo;
      byId("undo").title = event.undo ? `Undo: ${event.undo} (U)` : "Undo (U)";
      byId("redo").title = event.redo ? `Redo: ${event.redo} (R)` : "Redo (R)";
      if (event.rows.includes(state.question?.row) && !isLocked) refresh();
      if (recolored) showAnswers();
      if (recolored && state.by === "class") recolor();
      else showGiven();
      listMine();
      classes.show(state.classes, state.model.sizes);
      document.body.dataset.number = event.number;
      document.body.dataset.steps = event.steps;
    },
    model(event) {
      state.model = event;
      settled.clear();
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
    byId("stage").textContent = connected ? "" : "No server. Start it again with the same command: this page goes on, or open the address that it prints.";
  },
);

// ------------------------------------------------------------------------------------------- buttons and keys

function leave() {
  document.activeElement?.blur();
  selection.close();
  byId("message").hidden = true;
  showMarked(null);
  setMode("pan");
}

const redo = () => act("redo");
const showHelp = () => byId("help").showModal();
const KEYS = {
  x: () => (selection.isOpen ? selection.choose(null) : on.cannotTell()),
  s: () => selection.isOpen || on.skip(),
  k: () => selection.isOpen || on.keep(),
  m: () => selection.isOpen || on.like(),
  u: undo,
  r: redo,
  c: () => byName.open(state.classes),
  n: () => byId("new-name").focus(),
  l: () => setMode("lasso"),
  b: () => setMode("box"),
  p: () => setMode("pan"),
  d: () => colorBy(state.by === "doubt" ? "class" : "doubt"),
  e: write,
  h: showHelp,
  "/": () => byId("search").focus(),
};

byId("undo").onclick = undo;
byId("redo").onclick = redo;
byId("export").onclick = write;
byId("help-open").onclick = showHelp;
byId("color-by").onchange = ({ target }) => {
  target.blur(); // keys are answers again
  colorBy(target.value);
};
byId("list-close").onclick = () => {
  byId("search").value = "";
  search("");
};
for (const button of document.querySelectorAll("[data-mode]")) button.onclick = () => setMode(button.dataset.mode);
for (const button of document.querySelectorAll("[data-zoom]")) {
  button.onclick = () => (Number(button.dataset.zoom) ? map.zoom(Number(button.dataset.zoom)) : map.fit());
}
for (const tab of document.querySelectorAll("[data-tab]")) {
  tab.onclick = () => {
    [state.tab, found] = [tab.dataset.tab, null];
    listMine();
    if (state.tab === "issues" && issues().length) ask(issues()[0].row);
  };
}
byId("list-class").onchange = listMine;
byId("search-form").onsubmit = (event) => {
  event.preventDefault();
  search(byId("search").value);
};
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") leave();
  const typing = event.target.matches?.("input:not([type=range]):not([type=color]), select, textarea");
  if (typing || document.querySelector("dialog[open]") || event.altKey || event.repeat) return;
  const key = event.key.toLowerCase();
  const digit = classOfKey(event, state.classes);
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
