import asyncio
import json

from graphwell.serve import channel
from graphwell.serve.channel import MOST_WINDOWS, TOO_SLOW, Hub
from tests.serve.pages import EchoPage


class Window:
    """A window without a network: what it sends is a list, what it gets is kept."""

    def __init__(self, messages=(), *, slow=False):
        self.messages = [{"type": "websocket.receive", "text": text} for text in messages]
        self.got, self.closed, self.slow = [], None, slow

    async def receive(self):
        if self.messages:
            return self.messages.pop(0)
        while self.closed is None:
            await asyncio.sleep(0.01)
        return {"type": "websocket.disconnect"}

    async def send(self, message):
        while self.slow:
            await asyncio.sleep(0.01)
        if message["type"] == "websocket.close":
            self.closed = message["code"]
        else:
            self.got.append(json.loads(message["text"]))


def test_a_window_that_lags_behind_is_closed(monkeypatch):
    monkeypatch.setattr(channel, "MOST_WAITING", 5)

    async def lagging():
        hub, window = Hub(EchoPage()), Window(slow=True)
        hub.begin()
        served = asyncio.create_task(hub.serve(window))
        await asyncio.sleep(0.02)
        for number in range(50):
            hub.send({"event": number})
        await asyncio.sleep(0.02)
        window.slow = False
        await served
        return window

    window = asyncio.run(lagging())
    assert window.closed == TOO_SLOW
    assert len(window.got) <= 7


def test_what_takes_long_holds_nobody_up_and_there_are_not_too_many_windows():
    async def both():
        page = EchoPage()
        hub = Hub(page)
        hub.begin()
        slow = ['{"do": "slow", "id": 1}', '{"do": "slow", "id": 2}']
        window = Window([*slow, '{"do": "echo", "id": 3, "x": "meanwhile"}'])
        others = [Window() for _ in range(MOST_WINDOWS - 1)]
        served = [asyncio.create_task(hub.serve(each)) for each in (window, *others)]
        while not any(message.get("re") == 3 for message in window.got):
            await asyncio.sleep(0.01)
        last = Window()
        await hub.serve(last)
        before = list(window.got)
        page.free.set()
        while len(window.got) < 4:
            await asyncio.sleep(0.01)
        for each in (window, *others):
            each.closed = 0
        await asyncio.gather(*served)
        return before, window.got, last.closed

    before, after, closed = asyncio.run(both())
    assert closed == TOO_SLOW
    assert [message.get("re") for message in before] == [None, 2, 3]  # the greeting first
    assert "being done already" in before[1]["error"]
    assert sorted(message.get("re") or 0 for message in after) == [0, 1, 2, 3]
