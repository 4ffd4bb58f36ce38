// The channel to the server: commands out, events in; it comes back by itself after a break.

import { openLine } from "./line.js";

const SECONDS_BEFORE_A_NEW_TRY = 1;

export class Channel {
  // handlers: {eventName: (event, array) => void}; onState(connected) is told when the line breaks or comes back.
  constructor(handlers, onState = () => {}) {
    this.handlers = handlers;
    this.onState = onState;
    this.waiting = new Map();
    this.next = 1;
    this.open();
  }

  open() {
    this.line = openLine({
      opened: () => this.onState(true),
      message: (data) => this.receive(data),
      closed: () => this.closed(),
    });
  }

  // Resolves with what the server answers; rejects with its sentence.
  send(name, message = {}) {
    const id = this.next++;
    if (!this.line.send(JSON.stringify({ ...message, do: name, id }))) {
      return Promise.reject(new Error("The server cannot be reached."));
    }
    return new Promise((resolve, reject) => this.waiting.set(id, { resolve, reject }));
  }

  receive(data) {
    if (data instanceof ArrayBuffer) {
      const length = new DataView(data).getUint32(0, true);
      const event = JSON.parse(new TextDecoder().decode(new Uint8Array(data, 4, length)));
      this.handlers[event.event]?.(event, data.slice(4 + length));
      return;
    }
    const message = JSON.parse(data);
    if (!("re" in message)) {
      this.handlers[message.event]?.(message);
      return;
    }
    const asked = this.waiting.get(message.re);
    this.waiting.delete(message.re);
    if ("error" in message) asked?.reject(new Error(message.error));
    else asked?.resolve(message.ok);
  }

  closed() {
    for (const { reject } of this.waiting.values()) reject(new Error("The server cannot be reached."));
    this.waiting.clear();
    this.onState(false);
    setTimeout(() => this.open(), 1000 * SECONDS_BEFORE_A_NEW_TRY);
  }
}
