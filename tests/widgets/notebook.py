"""A notebook's side of a widget: in Chromium as anywidget shows it, or as messages alone."""

import base64
import queue
import time

PAGE = """<!doctype html><meta charset="utf-8"><title>notebook</title><div id="cell"></div>
<script type="module">
const handlers = new Set();
const model = {
  send: (content) => sent.push(content),
  on: (_, handler) => handlers.add(handler),
  off: (_, handler) => handlers.delete(handler),
};
globalThis.sent = [];
globalThis.receive = (content, buffers) => {
  const bytesOf = (text) => Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
  const views = buffers.map((text) => new DataView(bytesOf(text).buffer));
  for (const handler of handlers) handler(content, views);
};
globalThis.show = async (source) => {
  const address = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  globalThis.leave = (await import(address)).default.render({ model, el: document.getElementById("cell") });
};
globalThis.ready = true;
</script>"""


class Kernel:
    """The comm of a widget: what it sends is kept, and it is given what a notebook sends."""

    def __init__(self, shown):
        self.comm = shown.widget.comm
        self.told = queue.SimpleQueue()
        self.comm.publish_msg = self._keep

    def _keep(self, kind, data=None, metadata=None, buffers=None, **_):
        if kind == "comm_msg" and data["method"] == "custom":
            self.told.put((data["content"], [bytes(buffer) for buffer in buffers or ()]))

    def say(self, window, **message):
        data = {"method": "custom", "content": {"window": window, **message}}
        self.comm.handle_msg({"content": {"comm_id": self.comm.comm_id, "data": data}, "buffers": []})

    def until(self, enough, seconds=30):
        """The next message with its buffers that is enough."""
        end = time.monotonic() + seconds
        while True:
            message, buffers = self.told.get(timeout=max(0.01, end - time.monotonic()))
            if enough(message):
                return message, buffers


class Notebook:
    """A page that shows a widget, and carries messages to and fro while one waits."""

    def __init__(self, browser, shown, folder):
        self.browser, self.kernel = browser, Kernel(shown)
        self.source = shown.widget._esm
        page = folder / "notebook.html"
        page.write_text(PAGE)
        browser.get(page.as_uri())
        self.show()

    def show(self):
        self.browser.switch_to.default_content()
        while not self.browser.execute_script("return globalThis.ready"):
            time.sleep(0.05)
        self.browser.execute_script("return show(arguments[0])", self.source)

    def carry(self):
        """Pass on what both sides have said; then look into the page."""
        self.browser.switch_to.default_content()
        for content in self.browser.execute_script("return sent.splice(0)"):
            self.kernel.say(**content)
        while not self.kernel.told.empty():
            content, buffers = self.kernel.told.get()
            texts = [base64.b64encode(buffer).decode() for buffer in buffers]
            self.browser.execute_script("receive(arguments[0], arguments[1])", content, texts)
        if self.browser.execute_script("return frames.length"):
            self.browser.switch_to.frame(0)

    def wait(self, script, seconds=60):
        """What a script in the page returns, once it is true."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            self.carry()
            if found := self.browser.execute_script(f"return {script}"):
                return found
            time.sleep(0.05)
        text = self.browser.execute_script("return document.body.innerText")
        raise AssertionError(f"{script} did not come true; the page says: {text}")
