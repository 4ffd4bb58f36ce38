// The line of a page that stands in a notebook: through the widget around it (widget.js) to the kernel.

const MOST_KEPT = 64; // pictures
const SECONDS_TO_OPEN = 10;

const { port1: port, port2: other } = new MessageChannel();
const asked = new Map(); // name of a picture -> what waits for its address
const kept = new Map(); // name of a picture -> promise of its address, oldest first
let on = null;
let isOpen = false;

port.onmessage = ({ data }) => {
  if ("opened" in data) open();
  else if ("closed" in data) close();
  else if ("picture" in data) take(data);
  else on?.message(data.text ?? data.bytes);
};
parent.postMessage("graphwell", "*", [other]);

function open() {
  isOpen = true;
  on?.opened();
}

function close() {
  const told = on;
  [isOpen, on] = [false, null];
  told?.closed();
}

// on: {opened(), message(text or ArrayBuffer), closed()}; send(text) says whether the line is open.
export function openLine(handlers) {
  on = handlers;
  port.postMessage({ open: true });
  setTimeout(() => on === handlers && !isOpen && close(), 1000 * SECONDS_TO_OPEN);
  return {
    send(text) {
      if (isOpen) port.postMessage({ text });
      return isOpen;
    },
  };
}

// Let an image show a picture of the folder.
export async function showPicture(image, name) {
  image.src = await addressOf(name);
}

function addressOf(name) {
  const known = kept.get(name) ?? new Promise((resolve) => asked.set(name, resolve));
  if (!kept.has(name)) port.postMessage({ picture: name });
  kept.delete(name); // it becomes the newest
  kept.set(name, known);
  if (kept.size > MOST_KEPT) forget(kept.keys().next().value);
  return known;
}

function forget(name) {
  kept.get(name).then((address) => URL.revokeObjectURL(address));
  kept.delete(name);
}

function take({ picture: name, kind, bytes }) {
  const address = bytes ? URL.createObjectURL(new Blob([bytes], { type: kind })) : "data:,"; // shown as its name
  asked.get(name)?.(address);
  asked.delete(name);
}
