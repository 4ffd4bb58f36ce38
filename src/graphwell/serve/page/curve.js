// The learning curve: estimated share of right labels against the number of labels, with its 90 % band.

import { fill, make } from "./dom.js";

const WIDTH = 240;
const HEIGHT = 120;
const LEFT = 38;
const BOTTOM = 18;
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
    draw("line", { class: "axis", x1: LEFT, x2: WIDTH - 6, y1: y(1), y2: y(1) }),
    draw("line", { class: "axis", x1: LEFT, x2: WIDTH - 6, y1: y(low), y2: y(low) }),
    draw("text", { x: 0, y: y(1) + 4 }, "100 %"),
    draw("text", { x: 0, y: y(low) + 4 }, `${Math.round(100 * low)} %`),
    draw("polygon", { class: "band", points: band.join(" ") }),
    draw("polyline", { class: "line", points: points.map((p) => `${x(p.labels)},${y(p.share)}`).join(" ") }),
    draw("circle", { cx: x(last.labels), cy: y(last.share), r: 3.5, fill: "var(--accent)" }),
    draw("text", { x: LEFT, y: HEIGHT - 3 }, `${first} label${first === 1 ? "" : "s"}`),
    draw("text", { x: WIDTH - 6, y: HEIGHT - 3, "text-anchor": "end" }, `${last.labels}`),
  );
  const range = `Estimated; ${(100 * last.low).toFixed(0)} to ${(100 * last.high).toFixed(0)} % with 90 % probability, from ${checked} answers that checked a label of the model`;
  fill(box, svg, make("p", { class: "faint" }, range));
}
