// The list of classes: sizes, and a place to rename, merge, colour and remove each.

import { fill, make } from "./dom.js";

export class ClassesList {
  constructor(list, act) {
    this.list = list;
    this.act = act;
    this.editing = null;
    this.shown = [];
  }

  show(classes = this.shown, sizes = this.sizes ?? {}) {
    const typing = this.list.contains(document.activeElement) && this.editing !== null;
    this.shown = classes;
    this.sizes = sizes;
    if (typing && classes.some((entry) => entry.number === this.editing)) return;
    fill(this.list, ...classes.map((entry) => (entry.number === this.editing ? this.form(entry) : this.row(entry))));
  }

  edit(number) {
    this.editing = number;
    document.activeElement?.blur();
    this.show();
    this.list.querySelector("input[type=text]")?.select();
  }

  row(entry) {
    const count = this.sizes[entry.number] ?? 0;
    return make(
      "li",
      { color: entry.color, "data-class": entry.number },
      this.picker(entry),
      make("span", { class: "what" }, entry.name),
      make("span", { class: "count" }, count.toLocaleString("en")),
      make("button", { class: "edit", "aria-label": `Edit ${entry.name}`, onclick: () => this.edit(entry.number) }, "Edit"),
      entry.key ? make("kbd", {}, entry.key) : null,
    );
  }

  picker(entry) {
    return make("input", {
      type: "color",
      value: entry.color,
      "aria-label": `Colour of ${entry.name}`,
      onchange: (event) => this.act("color class", { class: entry.number, color: event.target.value.toLowerCase() }),
    });
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
