"""The program with a page, in a process of its own."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from urllib.parse import urlsplit

import graphwell

SOURCE = Path(graphwell.__file__).parents[1]


class Server:
    """``graphwell label`` or another command that serves a page; `address` is what it printed."""

    def __init__(self, *arguments, folder, seconds=60):
        environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
        command = [sys.executable, "-m", "graphwell", *map(str, arguments), "--no-browser"]
        self.began = time.perf_counter()
        self.errors = (folder / "errors.txt").open("w+")
        self.process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=self.errors, text=True, env=environment, cwd=folder
        )
        timer = threading.Timer(seconds, self.process.kill)
        timer.start()
        self.line = self.process.stdout.readline()
        timer.cancel()
        self.seconds = time.perf_counter() - self.began
        if not self.line.startswith("Open http://"):
            self.process.wait()
            said = self.said()
            self.__exit__()
            raise AssertionError(said)
        self.address = self.line.split()[1]
        self.parts = urlsplit(self.address)
        self.origin = f"{self.parts.scheme}://{self.parts.netloc}"

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()
        self.process.stdout.close()
        self.errors.close()

    def said(self):
        """What the program wrote on standard error."""
        self.errors.seek(0)
        return self.errors.read()

    def kill(self):
        """End the process as kill -9 does."""
        self.process.kill()
        self.process.wait()

    def memory(self):
        """Bytes of memory that the process holds now."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return 1024 * int(line.split()[1])
        raise RuntimeError("the process is gone")

    def channel(self, origin=None):
        """A window without a browser."""
        return Line(self.address.replace("http", "ws", 1) + "channel", origin or self.origin)


class Line:
    """The websocket of a window: commands and what comes back."""

    def __init__(self, address, origin):
        from websockets.sync.client import connect

        self._open = ExitStack()
        self.socket = self._open.enter_context(
            connect(address, origin=origin, max_size=None, open_timeout=30)
        )
        self.events, self.number = [], 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        """Hang up."""
        self._open.close()

    def receive(self, seconds=30):
        """The next message: an event, an answer, or the event of a frame with its bytes under `body`."""
        got = self.socket.recv(timeout=seconds)
        if isinstance(got, bytes):
            length = int.from_bytes(got[:4], "little")
            message = {**json.loads(got[4 : 4 + length]), "body": got[4 + length :]}
        else:
            message = json.loads(got)
        self.events.append(message)
        return message

    def until(self, event, enough=lambda message: True, seconds=30):
        """Receive until an event of a name comes that is enough."""
        end = time.monotonic() + seconds
        while True:
            message = self.receive(max(0.01, end - time.monotonic()))
            if message.get("event") == event and enough(message):
                return message

    def do(self, command, /, **message):
        """Send a command and wait for its answer."""
        self.number += 1
        self.socket.send(json.dumps({**message, "do": command, "id": self.number}))
        while True:
            got = self.receive()
            if got.get("re") == self.number:
                return got
