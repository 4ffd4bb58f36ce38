// Buttons and keys of the label page: which of them does what.

import { byId } from "./dom.js";
import { classOf, digitOf } from "./keys.js";

// does: what the page can do, by name; classes() are those of the moment.
export function listen(does) {
  pressed(does);
  submitted(does);
  const keys = commandsOf(does);
  document.addEventListener("keydown", (event) => typed(event, keys, does));
}

const commandsOf = (does) => ({
  x: does.cannotTell,
  s: does.skip,
  u: does.undo,
  r: does.redo,
  c: does.chooseByName,
  n: () => byId("new-name").focus(),
  l: () => does.setMode("lasso"),
  b: () => does.setMode("box"),
  p: () => does.setMode("pan"),
  d: does.turnColors,
  e: does.write,
  h: () => byId("help").showModal(),
  "/": () => byId("search").focus(),
});

function pressed(does) {
  byId("undo").onclick = does.undo;
  byId("redo").onclick = does.redo;
  byId("export").onclick = does.write;
  byId("help-open").onclick = () => byId("help").showModal();
  byId("by-class").onclick = () => does.colorBy(false);
  byId("by-doubt").onclick = () => does.colorBy(true);
  byId("list-close").onclick = () => {
    byId("search").value = "";
    does.search("");
  };
  for (const button of document.querySelectorAll("[data-mode]")) button.onclick = () => does.setMode(button.dataset.mode);
}

function submitted(does) {
  byId("search-form").onsubmit = (event) => {
    event.preventDefault();
    does.search(byId("search").value);
  };
  byId("new-class").onsubmit = (event) => {
    event.preventDefault();
    const name = byId("new-name").value;
    byId("new-name").value = "";
    byId("new-name").blur();
    does.addClass(name);
  };
}

function typed(event, keys, does) {
  if (event.key === "Escape") does.leave();
  const typing = event.target.matches?.("input:not([type=range]):not([type=color]), select, textarea");
  if (typing || document.querySelector("dialog[open]") || event.altKey) return;
  const key = event.key.toLowerCase();
  if (event.ctrlKey || event.metaKey) {
    const again = key === "y" || (event.shiftKey && key === "z");
    if (!again && key !== "z") return;
    event.preventDefault();
    again ? does.redo() : does.undo();
    return;
  }
  if (digitOf(event) && !event.repeat) {
    const entry = classOf(event, does.classes());
    if (entry) does.choose(entry.number);
    event.preventDefault();
    return;
  }
  if (keys[key] && !event.repeat) {
    event.preventDefault();
    keys[key]();
  }
}
