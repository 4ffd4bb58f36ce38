// The learning curve.

import { fill, make } from "./dom.js";

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
