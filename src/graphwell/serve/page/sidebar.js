// Beside the map: the list of classes, and the learning curve.

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

// ------------------------------------------------------------------------------------- the learning curve

const WIDTH = 240;
const HEIGHT = 108;
const LEFT = 38;
const BOTTOM = 6;
const SPACE = "http://www.w3.org/2000/svg";

function draw(tag, attributes, text) {
  const element = document.createElementNS(SPACE, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  if (text !== undefined) element.textContent = text;
  return element;
}

// early: why it is too early for a figure, empty if it is not.
export function showCurve(box, figure, points, checked, early) {
  const last = early === "" ? points.at(-1) : undefined;
  figure.classList.toggle("figure", Boolean(last));
  figure.textContent = last ? `${(100 * last.share).toFixed(1)} %` : "too early to say";
  if (!last) {
    fill(box, make("p", { class: "faint" }, early ?? "Answer with at least two classes first."));
    return;
  }
  const low = Math.min(0.9, ...points.map((point) => Math.max(point.low, point.share - 0.15)));
  const first = points[0].labels;
  const wide = Math.max(1, last.labels - first);
  const x = (labels) => LEFT + ((labels - first) / wide) * (WIDTH - LEFT - 6);
  const y = (share) => 6 + ((1 - share) / (1 - low)) * (HEIGHT - BOTTOM - 6);
  const svg = draw("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": "Learning curve" });
  const band = [...points.map((p) => `${x(p.labels)},${y(p.high)}`), ...points.toReversed().map((p) => `${x(p.labels)},${y(Math.max(low, p.low))}`)];
  svg.append(
    draw("text", { x: 0, y: y(1) + 4 }, "100 %"),
    draw("text", { x: 0, y: y(low) + 4 }, `${Math.round(100 * low)} %`),
    draw("polygon", { class: "band", points: band.join(" ") }),
    draw("polyline", { class: "line", points: points.map((p) => `${x(p.labels)},${y(p.share)}`).join(" ") }),
    draw("circle", { cx: x(last.labels), cy: y(last.share), r: 3.5, fill: "var(--accent)" }),
  );
  const range = `${first === last.labels ? "" : `From ${first} to ${last.labels} labels. `}Estimated: ${(100 * last.low).toFixed(0)} to ${(100 * last.high).toFixed(0)} % with 90 % probability, from ${checked} answers that checked a label of the model`;
  fill(box, svg, make("p", { class: "faint" }, range));
}
