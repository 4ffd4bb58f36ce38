// A page inside a notebook: it stands in a frame of its own, cut off from the notebook, and this passes messages
// on between the page and the kernel. The notebook's styles, keys and scripts do not reach it, nor it theirs.

const REMIND = "This page needs its kernel: run the cell again.";

function render({ model, el }) {
  const name = crypto.getRandomValues(new Uint32Array(4)).join("-"); // a widget may be shown several times
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts allow-forms");
  frame.title = "graphwell";
  const say = (message) => model.send({ ...message, window: name });
  let port = null;

  const connect = (event) => {
    if (event.source !== frame.contentWindow || !event.ports.length) return;
    port = event.ports[0];
    port.onmessage = ({ data }) => say(data);
  };
  const receive = (message, buffers) => {
    if (message.window !== name) return;
    if ("page" in message) show(message);
    else pass(message, (buffers ?? []).map(copied));
  };
  const pass = (message, buffers) => port?.postMessage({ ...message, bytes: buffers[0] }, buffers);
  const show = ({ page, height }) => {
    frame.style.cssText = `display: block; width: 100%; height: ${Number(height)}px; border: 0;`;
    frame.srcdoc = page;
    el.replaceChildren(frame);
  };
  const leave = () => say({ close: true });

  el.textContent = REMIND; // until the kernel answers
  addEventListener("message", connect);
  addEventListener("pagehide", leave);
  model.on("msg:custom", receive);
  say({ show: true });
  return () => {
    removeEventListener("message", connect);
    removeEventListener("pagehide", leave);
    model.off("msg:custom", receive);
    leave();
  };
}

// The bytes of a view on a buffer that may hold more.
const copied = (view) => view.buffer.slice(view.byteOffset, view.byteOffset + view.byteLength);

export default { render };
