// The line to the server: a websocket, and pictures under the page's own address.
// In a notebook widget-line.js takes its place; both offer the same two functions.

// on: {opened(), message(text or ArrayBuffer), closed()}; send(text) says whether the line is open.
export function openLine(on) {
  const address = new URL("channel", document.baseURI);
  address.protocol = address.protocol.replace("http", "ws");
  const socket = new WebSocket(address);
  socket.binaryType = "arraybuffer";
  socket.onopen = () => on.opened();
  socket.onmessage = (message) => on.message(message.data);
  socket.onclose = () => on.closed();
  return {
    send(text) {
      if (socket.readyState !== WebSocket.OPEN) return false;
      socket.send(text);
      return true;
    },
  };
}

// Let an image show a picture of the folder.
export function showPicture(image, name) {
  image.src = `files/pictures/${name.split("/").map(encodeURIComponent).join("/")}`;
}
