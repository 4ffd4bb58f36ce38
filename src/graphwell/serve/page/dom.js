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

export function fill(element, ...children) {
  element.replaceChildren(...children.filter((child) => child !== undefined && child !== null));
}

export const byId = (id) => document.getElementById(id);

// "#0072b2" -> [0, 114, 178]
export const rgb = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
