// graphwell paint: classes, tools and keys around the picture.

import { Channel } from "./channel.js";
import { ClassesList, classOfKey } from "./classes.js";
import { byId } from "./dom.js";
import { Board } from "./paint-board.js";
import { Hand } from "./paint-hand.js";

const state = { picture: 0, pictures: [], slice: 0, slices: 1, classes: [], shown: 0 };
const board = new Board(byId("canvas"));
const hand = new Hand(board, (stroke) => {
  board.ghosts.push(stroke); // seen at once, until the server has taken it
  byId("hint").hidden = true;
  say("refining…");
  ask("stroke", state.slices > 1 ? { ...stroke, slice: state.slice } : stroke).finally(() => {
    board.ghosts = board.ghosts.filter((ghost) => ghost !== stroke);
    board.draw();
  });
});

const classes = new ClassesList(ask, choose);
const channel = new Channel(
  { picture: showPicture, painted: changed,
    segmentation: showSegmentation, cleared, failed: (event) => complain(event.why) },
  (connected) => say(connected ? "" : "No server. Start it again with the same command: this page goes on, or open the address that it prints."),
);
window.graphwell = { board, hand, state }; // for whoever looks behind the page

function ask(name, message) {
  byId("message").hidden = true;
  return channel.send(name, message).catch((error) => complain(error.message));
}

function showPicture(event, buffer) {
  const { picture, pictures, slice, slices } = event;
  board.setPicture(event.width, event.height, new Uint8Array(buffer), board.picture && picture === state.picture);
  Object.assign(state, { picture, pictures, slice, slices, shown: 0 });
  board.setStrokes(event.strokes.filter(isHere));
  showHint(null);
  const many = event.pictures.length > 1;
  document.title = `${event.pictures[event.picture]} · graphwell paint`;
  byId("name").textContent = event.pictures[event.picture];
  byId("place").textContent = many ? `${event.picture + 1} of ${event.pictures.length}` : "";
  byId("previous").hidden = byId("next").hidden = byId("save-all").hidden = !many;
  byId("slices").hidden = slices === 1;
  byId("slice-says").textContent = `${slice + 1} of ${slices}`;
  byId("slice").max = slices - 1;
  byId("slice").value = slice;
  byId("previous").disabled = event.picture === 0;
  byId("next").disabled = event.picture + 1 === event.pictures.length;
  say("");
  showState(event);
}

function showState(event) {
  byId("undo").disabled = !event.undo;
  byId("redo").disabled = !event.redo;
  if (JSON.stringify(event.classes) === JSON.stringify(state.classes)) return;
  state.classes = event.classes;
  board.setClasses(event.classes);
  classes.show(event.classes);
  choose(entryOf(hand.chosen) ? hand.chosen : event.classes[0].number);
}

const entryOf = (number) => state.classes.find((entry) => entry.number === number);

// How to begin; or what a single class comes to.
function showHint(only) {
  byId("begin").hidden = board.strokes.length > 0;
  byId("alone").textContent = only ? `Only ${only.name} is painted, so every pixel has it. Paint a stroke of another class too.` : "";
  byId("hint").hidden = board.strokes.length > 0 && !only;
}

const isHere = (stroke) => (stroke.slice ?? 0) === state.slice;

function changed(event) {
  if (event.stroke && !isHere(event.stroke)) event.back && goTo(event.stroke.slice); // one sees what is taken back
  else if (event.stroke && event.back) board.removeStroke();
  else if (event.stroke) board.addStroke(event.stroke);
  if (event.strokes) board.setStrokes(event.strokes.filter(isHere));
  showState(event);
}

function showSegmentation(event, buffer) {
  if (event.number < state.shown) return;
  state.shown = event.number;
  state.fine = !event.coarse;
  const n = event.width * event.height;
  const labels = new Uint8Array(buffer, 0, n);
  board.setLabels(event.width, event.height, labels, buffer.byteLength > n ? new Uint8Array(buffer, n) : null);
  showHint(labels.every((label) => label === labels[0]) ? entryOf(labels[0]) : null);
  say(event.coarse || !event.latest ? "refining…" : "");
}

function cleared() {
  state.shown = 0;
  board.setLabels(0, 0, null);
  showHint(null);
  say("");
}

function choose(number) {
  hand.chosen = number;
  if (hand.tool === "eraser") setTool("brush");
  classes.choose(number);
}

// ------------------------------------------------------------------------------------- tools and keys

function setTool(tool) {
  hand.setTool(tool);
  for (const button of document.querySelectorAll("[data-tool]")) {
    button.setAttribute("aria-pressed", String(button.dataset.tool === tool));
  }
}

function setWidth(width) {
  hand.width = Math.min(100, Math.max(1, width));
  byId("width").value = hand.width;
  byId("width-says").textContent = `${hand.width} px`;
  if (board.pointer) board.pointer.width = hand.widthOnPicture;
  board.draw();
}

function open(picture) {
  if (picture in state.pictures) ask("open", { picture });
}

function goTo(slice) {
  if (slice >= 0 && slice < state.slices) ask("open", { picture: state.picture, slice });
}

async function save(all = false) {
  const buttons = [byId("save"), byId("save-all")];
  for (const button of buttons) button.disabled = true;
  say(all ? "painting all pictures…" : "writing files…");
  const saved = await ask("save", { all });
  for (const button of buttons) button.disabled = false;
  if (saved) say([`Saved ${saved.files.length} outputs in ${saved.folder}.`, ...saved.notes].join(" "));
}

// What went wrong stays until something else is done.
function complain(sentence) {
  byId("message").textContent = sentence;
  byId("message").hidden = false;
  say("");
}

function say(sentence) {
  byId("status").textContent = sentence;
}

const KEYS = {
  b: () => setTool("brush"), e: () => setTool("eraser"), h: () => setTool("hand"),
  z: () => ask("undo"), u: () => ask("undo"), y: () => ask("redo"), r: () => ask("redo"), s: () => save(),
  d: () => byId("doubtful").click(), ",": () => goTo(state.slice - 1), ".": () => goTo(state.slice + 1),
  n: () => byId("new-name").focus(), Home: () => board.fit(), "[": () => setWidth(hand.width - 1), "]": () => setWidth(hand.width + 1),
  "+": () => board.zoom(1.25), "-": () => board.zoom(0.8), Escape: () => hand.cancel(),
  k: () => byId("help").showModal(),
  PageDown: () => open(state.picture + 1), PageUp: () => open(state.picture - 1),
  ArrowLeft: () => board.pan(60, 0), ArrowRight: () => board.pan(-60, 0),
  ArrowUp: () => board.pan(0, 60), ArrowDown: () => board.pan(0, -60),
};

document.addEventListener("keydown", (event) => {
  if (byId("help").open || event.target.matches("select, input:not([type=range]):not([type=checkbox]):not([type=color])")) return;
  const wanted = event.ctrlKey || event.metaKey;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const digit = classOfKey(event, state.classes);
  if (wanted && !"zys".includes(key)) return;
  if (event.target.matches("button") && (key === "Enter" || key === " ")) return;
  if (event.target.matches("input") && key.startsWith("Arrow")) return;
  if (key === " ") hand.spaced = true;
  else if (digit) digit.entry && choose(digit.entry.number);
  else if (wanted && key === "z" && event.shiftKey) ask("redo");
  else if (key in KEYS) KEYS[key]();
  else return;
  event.preventDefault();
});
document.addEventListener("keyup", (event) => event.key === " " && (hand.spaced = false));

for (const button of document.querySelectorAll("[data-tool]")) button.onclick = () => setTool(button.dataset.tool);
byId("undo").onclick = () => ask("undo");
byId("redo").onclick = () => ask("redo");
byId("save").onclick = () => save();
byId("save-all").onclick = () => save(true);
byId("slice").oninput = (event) => goTo(Number(event.target.value));
byId("doubtful").onchange = (event) => {
  board.doubtful = event.target.checked;
  board.tintAll();
};
byId("help-open").onclick = KEYS.k;
byId("fit").onclick = () => board.fit();
byId("previous").onclick = () => open(state.picture - 1);
byId("next").onclick = () => open(state.picture + 1);
byId("width").oninput = (event) => setWidth(Number(event.target.value));
for (const name of ["contrast", "tint"]) {
  byId(name).oninput = () => {
    board[name] = Number(byId(name).value);
    byId(`${name}-says`).textContent = `${board[name]} %`;
    board.tintAll();
  };
  byId(name).oninput();
}
byId("outline").onchange = (event) => {
  board.outlined = event.target.checked;
  board.tintAll();
};
byId("strokes").onchange = (event) => {
  board.strokesShown = event.target.checked;
  board.draw();
};
setWidth(8);
