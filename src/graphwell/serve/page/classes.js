// The list of classes, of both pages: each is named, coloured, merged into another and removed; one may be chosen.

import { byId, fill, make } from "./dom.js";

export class ClassesList {
  // act(name, message) does an action; onChoose(number), if there is one, is told which class was clicked.
  constructor(act, onChoose) {
    Object.assign(this, { list: byId("classes"), act, onChoose, editing: null, chosen: null, shown: [], sizes: {} });
    byId("new-class").onsubmit = (event) => {
      event.preventDefault();
      const name = byId("new-name").value;
      byId("new-name").value = "";
      byId("new-name").blur();
      act("add class", { name });
    };
  }

  show(classes = this.shown, sizes = this.sizes) {
    const typing = this.list.contains(document.activeElement) && this.editing !== null;
    Object.assign(this, { shown: classes, sizes });
    if (typing && classes.some((entry) => entry.number === this.editing)) return;
    fill(this.list, ...classes.map((entry) => (entry.number === this.editing ? this.form(entry) : this.row(entry))));
  }

  edit(number) {
    this.editing = number;
    document.activeElement?.blur();
    this.show();
    this.list.querySelector("input[type=text]")?.select();
  }

  choose(number) {
    this.chosen = number;
    this.show();
  }

  row(entry) {
    const picker = make("input", {
      type: "color",
      value: entry.color,
      "aria-label": `Colour of ${entry.name}`,
      onchange: (event) => this.act("color class", { class: entry.number, color: event.target.value.toLowerCase() }),
    });
    const name = { class: "what", onclick: () => this.onChoose?.(entry.number) };
    return make(
      "li",
      { color: entry.color, "data-class": entry.number, class: entry.number === this.chosen ? "chosen" : null },
      picker,
      this.onChoose ? make("button", { ...name, "aria-pressed": String(entry.number === this.chosen) }, entry.name) : make("span", name, entry.name),
      make("span", { class: "count" }, this.sizes[entry.number]?.toLocaleString("en") ?? ""),
      make("button", { class: "edit", "aria-label": `Edit ${entry.name}`, onclick: () => this.edit(entry.number) }, "Edit"),
      entry.key ? make("kbd", {}, entry.key) : null,
    );
  }

  form(entry) {
    const name = make("input", { type: "text", value: entry.name, maxlength: "200", "aria-label": "Name", autocomplete: "off" });
    const others = this.shown.filter((other) => other.number !== entry.number);
    const into = make(
      "select",
      { "aria-label": "Merge into", onchange: (event) => this.done("merge classes", entry, { into: Number(event.target.value) }) },
      make("option", { value: "" }, "Merge into …"),
      ...others.map((other) => make("option", { value: other.number }, other.name)),
    );
    const rename = () => this.done(name.value.trim() === entry.name ? null : "rename class", entry, { name: name.value });
    name.addEventListener("keydown", (event) => {
      if (event.key === "Enter") rename();
      if (event.key === "Escape") this.edit(null);
    });
    return make(
      "li",
      { class: "editing", "data-class": entry.number },
      name,
      make("button", { class: "primary", onclick: rename }, "Save"),
      others.length ? into : null,
      make("button", { onclick: () => this.done("remove class", entry) }, "Remove"),
      make("button", { class: "quiet", onclick: () => this.edit(null) }, "Cancel"),
    );
  }

  done(action, entry, more = {}) {
    this.edit(null);
    if (action) this.act(action, { class: entry.number, ...more });
  }
}

// Each class has a key of its own: a digit, or Shift and a digit. Null for another key; no entry where a digit has none.
export function classOfKey(event, classes) {
  const digit = /^(?:Digit|Numpad)([0-9])$/.exec(event.code)?.[1];
  return digit ? { entry: classes.find(({ key }) => key === (event.shiftKey ? "⇧" : "") + digit) } : null;
}
