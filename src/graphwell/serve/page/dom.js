// Elements made of text alone: nothing that is shown is ever read as markup.

// make("button", {class: "quiet", onclick: f}, "Undo", other) -> element
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "color" || name === "share") element.style.setProperty(`--${name}`, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== undefined && child !== null));
  return element;
}

// The keyboard's focus stays on what is called the same, or else on the element.
export function fill(element, ...children) {
  const called = (one) => one.dataset.class ?? one.getAttribute("aria-label") ?? one.textContent;
  const held = element.contains(document.activeElement) && element !== document.activeElement ? called(document.activeElement) : null;
  element.replaceChildren(...children.filter((child) => child !== undefined && child !== null));
  if (held === null) return;
  const same = [...element.querySelectorAll("button, input, select, [tabindex]")].find((one) => called(one) === held);
  if (!same) element.tabIndex = -1;
  (same ?? element).focus({ preventScroll: true });
}

export const byId = (id) => document.getElementById(id);

// "#0072b2" -> [0, 114, 178]
export const rgb = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
