import asyncio

from graphwell.serve import channel
from graphwell.serve.channel import TOO_SLOW, Hub
from tests.serve.pages import EchoPage


class Slow:
    """A window without a network that takes nothing for a while."""

    def __init__(self):
        self.sent, self.closed, self.waits = 0, None, True

    async def receive(self):
        while self.closed is None:
            await asyncio.sleep(0.01)
        return {"type": "websocket.disconnect"}

    async def send(self, message):
        while self.waits:
            await asyncio.sleep(0.01)
        self.sent += 1
        self.closed = message.get("code")


def test_a_window_that_lags_behind_is_closed(monkeypatch):
    monkeypatch.setattr(channel, "MOST_WAITING", 5)

    async def lagging():
        hub, window = Hub(EchoPage()), Slow()
        hub.begin()
        served = asyncio.create_task(hub.serve(window))
        await asyncio.sleep(0.02)
        for number in range(50):
            hub.send({"event": number})
        await asyncio.sleep(0.02)
        window.waits = False
        await served
        return window

    window = asyncio.run(lagging())
    assert window.closed == TOO_SLOW
    assert window.sent <= 8
