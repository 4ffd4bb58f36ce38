"""The web application: what is served, and to whom; files that are read, and files that are not."""

import asyncio
import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import webbrowser
from pathlib import Path
from unittest.mock import Mock
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from starlette.websockets import WebSocketDisconnect
from websockets.sync.client import connect

from graphwell.errors import OptionError
from graphwell.serve import channel, security
from graphwell.serve.channel import MOST_WINDOWS, TOO_SLOW, Hub
from graphwell.serve.launch import launch
from graphwell.serve.security import HEADERS, Door, origins_of, read_inside, read_picture
from tests.serve.pages import ORIGIN, EchoPage, served


@pytest.fixture
def page(tmp_path):
    (tmp_path / "a.png").write_bytes(b"picture")
    (tmp_path / "<img src=x onerror=alert(1)>.png").write_bytes(b"odd")
    return EchoPage(tmp_path)


@pytest.fixture
def client(page):
    with served(page) as (client, at):
        client.at = at
        yield client


def test_the_page_its_parts_and_pictures_are_served_with_the_headers(client):
    for path, kind in (
        ("", "text/html"), ("static/style.css", "text/css"), ("files/pictures/a.png", "image/png"),
        ("files/pictures/%3Cimg%20src=x%20onerror=alert(1)%3E.png", "image/png"),
        ("none", "text/plain"), ("static/none.js", "text/plain"), ("files/x/a.png", "text/plain"),
    ):  # fmt: skip
        found, refused = client.get(client.at + path), client.get(f"/wrong/{path}")
        assert found.status_code == (404 if kind == "text/plain" else 200)
        assert found.headers["content-type"].startswith(kind)
        assert refused.status_code == 403
        for answer in (found, refused):
            assert HEADERS.items() <= answer.headers.items()
    policy = HEADERS["content-security-policy"]
    assert policy.startswith("default-src 'none'; script-src 'self'; ")
    assert policy.endswith("; trusted-types 'none'; frame-ancestors 'none'")
    assert "http" not in policy
    assert "unsafe" not in policy


def test_what_takes_long_holds_nobody_up_and_there_are_not_too_many_windows(client, page):
    with contextlib.ExitStack() as open_windows:
        windows = [
            open_windows.enter_context(
                client.websocket_connect(client.at + "channel", headers={"origin": ORIGIN})
            )
            for _ in range(MOST_WINDOWS + 1)
        ]
        assert windows[0].receive_json() == {"event": "hello"}
        for number, command in enumerate(("slow", "slow", "echo")):
            windows[0].send_json({"do": command, "id": number, "x": "meanwhile"})
        assert "being done already" in windows[0].receive_json()["error"]
        assert windows[0].receive_json() == {"re": 2, "ok": "meanwhile"}
        page.free.set()
        assert windows[0].receive_json() == {"re": 0, "ok": True}
        with pytest.raises(WebSocketDisconnect) as refused:
            windows[-1].receive_json()
        assert "too many windows" in refused.value.reason


def test_a_window_that_lags_behind_is_closed(monkeypatch):
    monkeypatch.setattr(channel, "MOST_WAITING", 5)
    sent = []

    async def lagging():
        hub, free, closed = Hub(EchoPage()), asyncio.Event(), asyncio.Event()

        async def send(message):
            await free.wait()
            sent.append(message)
            if "code" in message:
                closed.set()

        async def receive():
            await closed.wait()
            return {"type": "websocket.disconnect"}

        hub.begin()
        served = asyncio.create_task(hub.serve(Mock(send=send, receive=receive)))
        for number in range(50):
            await asyncio.sleep(0)  # so that it is known first
            hub.send({"event": number})
        asyncio.get_running_loop().call_soon(free.set)
        await served

    asyncio.run(lagging())
    assert sent[-1]["code"] == TOO_SLOW
    assert len(sent) <= 8


def test_nothing_but_looking_is_allowed_and_bodies_are_refused_unread(client):
    for method in ("POST", "PUT", "DELETE", "PATCH", "OPTIONS"):
        assert client.request(method, client.at).status_code == 405
    for body in (b"x" * 5_000, iter([b"x"])):
        assert client.post(client.at + "login", content=body).status_code == 413


def test_commands_are_answered_and_mistakes_told(client, capsys):
    with client.websocket_connect(client.at + "channel", headers={"origin": ORIGIN}) as window:
        assert window.receive_json() == {"event": "hello"}
        for text, answer in (
            ('{"do": "echo", "id": 1, "x": "<b>"}', {"re": 1, "ok": "<b>"}),
            ('{"do": "echo", "id": 2}', {"re": 2, "error": "This command lacks 'x'."}),
            ('{"do": "fail", "id": 3}', {"re": 3, "error": "That is wrong; do this."}),
            ("[" * 100_000, {"re": None, "error": "This is no command."}),
            ("no json", {"re": None, "error": "This is no command."}),
            ('{"do": []}', {"re": None, "error": "This is no command."}),
            ('{"do": "__class__"}', {"re": None, "error": "This is no command."}),
            ("7", {"re": None, "error": "This is no command."}),
        ):
            window.send_text(text)
            assert window.receive_json() == answer
        window.send_text('{"do": "hurt", "id": 4}')
        assert "mistake in graphwell" in window.receive_json()["error"]
        window.send_bytes(b"\xff")
        assert window.receive_json() == {"re": None, "error": "This is no command."}
    assert "AssertionError" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        *(({"host": host}, 421) for host in ("evil.example:80", "127.0.0.1", "127.0.0.1:80.evil", "")),
        ({"host": "LOCALHOST:80"}, 200),
        *(({"origin": o}, 403) for o in ("http://evil.example", "null", "https://127.0.0.1:80", "")),
        ({"origin": "http://localhost:80"}, 200),
    ],
)  # fmt: skip
def test_another_name_or_origin_is_refused(client, headers, status):
    assert client.get(client.at + "static/label.js", headers=headers).status_code == status


@pytest.mark.parametrize("path", ["/", "", "/wrong/", "{token}", "{token}x/", "/x{token}/", "/%ed%a0%80/"])
def test_without_the_token_nothing_is_let_in(client, path):
    assert client.get(path.replace("{token}", client.at.rstrip("/"))).status_code == 403


def test_a_password_is_asked_for_before_anything_is_shown(page):
    page.name = "secret"  # there is no such page: it must not even be looked for
    with served(page, password="right") as (client, at):
        assert "password" in client.get(at).text
        assert client.get(at + "files/pictures/a.png").status_code == 403
        with (
            pytest.raises(WebSocketDisconnect),
            client.websocket_connect(at + "channel", headers={"origin": ORIGIN}) as window,
        ):
            window.receive_json()
        client.post(at + "login", content=b"password=right", headers={"origin": ORIGIN})
        assert client.get(at).status_code == 404  # the page itself
        assert client.get(at + "files/pictures/a.png").status_code == 200
        again = client.post(at + "login", content=b"password=right", follow_redirects=False)
        assert "HttpOnly" in again.headers["set-cookie"]
    assert page.ended


def test_a_password_is_tried_once_a_second(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("graphwell.serve.security.time.monotonic", lambda: now[0])
    door = Door(frozenset(), password="gr\u00f6\u00dfe")
    assert not door.try_password("\ud800")
    assert not door.try_password("gr\u00f6\u00dfe")
    now[0] += 1.5
    assert door.try_password("gr\u00f6\u00dfe")


# ---------------------------------------------------------------------------------------------- the server


def test_hosts_addresses_and_ports_that_cannot_be_are_named():
    for host in ("0.0.0.0", "192.0.2.1", "example.org", ""):
        with pytest.raises(OptionError, match="password"):
            launch(EchoPage(), host=host, address="https://a.example", open_browser=False)
    with pytest.raises(OptionError, match="address"):
        launch(EchoPage(), host="0.0.0.0", password="secret", open_browser=False)
    assert origins_of("::1", 5) == {"http://[::1]:5", "http://localhost:5"}
    assert origins_of("127.0.0.1", 5) == {"http://127.0.0.1:5", "http://localhost:5"}
    assert origins_of("0.0.0.0", 5, "https://Label.example.org/") == {"https://label.example.org"}
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(OptionError, match=f"port {port}: nothing can listen"):
            launch(EchoPage(), port=port, open_browser=False)


def test_the_browser_is_given_a_private_file_in_place_of_the_token(monkeypatch):
    import uvicorn

    printed, opened = [], []

    def look(given):
        path = Path(url2pathname(urlsplit(given).path))
        opened.append((given, path, path.stat().st_mode, path.parent.stat().st_mode, path.read_text()))

    monkeypatch.setattr(webbrowser, "open", look)
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)
    launch(EchoPage(), on_ready=printed.append)
    [(given, path, mode, folder_mode, content)] = opened
    [address] = printed
    assert given.startswith("file://")
    assert urlsplit(address).path.strip("/") not in given
    assert (mode & 0o777, folder_mode & 0o777) == (0o600, 0o700)
    assert re.search('http-equiv="refresh" content="0; url=(.*?)"', content)[1] == address
    assert not path.parent.exists()


def test_a_new_start_takes_the_port_and_the_token_again_from_a_private_file(tmp_path, monkeypatch):
    import uvicorn

    printed, path = [], tmp_path / "address"
    monkeypatch.setattr(uvicorn.Server, "run", lambda self, sockets: None)

    def start(**options):
        launch(EchoPage(), open_browser=False, on_ready=printed.append, remembered=path, **options)
        assert path.stat().st_mode & 0o777 == 0o600
        return printed[-1]

    first = start()
    assert start() == first
    with socket.create_server(("127.0.0.1", urlsplit(first).port)):
        other = urlsplit(start())
    assert other.port != urlsplit(first).port
    assert other.path == urlsplit(first).path
    path.chmod(0o644)  # others may have read it
    assert urlsplit(start()).path != other.path
    for odd in ("{", "5", '{"port": 1}', '{"port": "1", "token": "%s"}' % ("x" * 32), '{"token": "/.."}'):
        path.write_text(odd)
        assert len(urlsplit(start()).path) == 34


@pytest.fixture(scope="module")
def impatient():
    """The address of a server that waits half a second for a request."""
    code = (
        "from graphwell.serve.launch import launch\nfrom tests.serve.pages import EchoPage\n"
        "launch(EchoPage(), open_browser=False, request_seconds=0.5, on_ready=lambda a: print(a, flush=True))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    yield urlsplit(process.stdout.readline().strip())
    process.send_signal(signal.SIGINT)
    process.wait(20)
    process.stdout.close()


def whole(address):
    return f"GET {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\n"


def is_cut(link):
    """Read until the other side ends the connection; one that stays open times out as an error."""
    try:
        while link.recv(65_536):
            pass
        return link.recv(1) == b""
    except ConnectionResetError:
        return True


@pytest.mark.parametrize(
    "sent",
    [
        lambda address: "",
        lambda address: whole(address),
        lambda address: whole(address) + "\r\n",  # an answer, then nothing more is asked
        lambda address: whole(address) + "\r\n" + whole(address),
        lambda address: whole(address).replace("GET", "POST") + "Content-Length: 9\r\n\r\nx",
    ],
)
def test_a_connection_without_a_whole_request_is_cut(impatient, sent):
    with socket.create_connection((impatient.hostname, impatient.port), timeout=60) as link:
        link.sendall(sent(impatient).encode())
        assert is_cut(link)


def test_a_websocket_outlives_those_that_send_no_request(impatient):
    where = f"ws://{impatient.netloc}{impatient.path}channel"
    with connect(where, origin=f"http://{impatient.netloc}", open_timeout=30) as window:
        with socket.create_connection((impatient.hostname, impatient.port), timeout=60) as idle:
            assert idle.recv(1) == b""  # opened later and cut already
        window.send('{"do": "echo", "id": 1, "x": 5}')
        assert window.recv(timeout=30)
        assert '"ok": 5' in window.recv(timeout=30)


# ---------------------------------------------------------------------------------------------- files


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "inside"
    (inside / "deep").mkdir(parents=True)
    (inside / "a.png").write_bytes(b"picture")
    (inside / "deep" / "<b>.JPG").write_bytes(b"deep")
    (tmp_path / "secret.png").write_bytes(b"secret")
    return inside


@pytest.mark.parametrize(
    "name",
    ["../secret.png", "deep/../../secret.png", "/etc/hostname.png", "none.png", "", ".", "deep", "a\0.png",
     "{folder}/../secret.png", "page.html", "a.svg", "a.png.txt"],
)  # fmt: skip
def test_only_pictures_inside_the_folder_are_read(folder, name):
    for other in ("page.html", "a.svg", "a.png.txt"):
        (folder / other).write_bytes(b"x")
    assert read_picture({"p": folder}, "p", "deep/<b>.JPG") == (b"deep", "image/jpeg")
    for where in ("p", "q"):
        with pytest.raises(FileNotFoundError):
            read_picture({"p": folder}, where, name.format(folder=folder))


def test_links_that_stay_inside_are_followed_and_others_are_not(folder):
    (folder / "out.png").symlink_to(folder.parent / "secret.png")
    (folder / "up").symlink_to(folder.parent)
    (folder / "in.png").symlink_to(folder / "a.png")
    (folder / "round.png").symlink_to(folder / "round.png")
    assert read_inside(folder, "in.png") == b"picture"
    for name in ("out.png", "up/secret.png", "round.png"):
        with pytest.raises(FileNotFoundError):
            read_inside(folder, name)


def test_a_link_that_appears_after_the_look_is_not_followed(folder, monkeypatch):
    """Between the look at a path and its opening, a folder may become a link."""
    real = security._read_below

    def swapped(root, inside):
        (folder / "deep").rename(folder / "gone")
        (folder.parent / "elsewhere").mkdir()
        (folder.parent / "elsewhere" / "<b>.JPG").write_bytes(b"secret")
        (folder / "deep").symlink_to(folder.parent / "elsewhere")
        return real(root, inside)

    monkeypatch.setattr(security, "_read_below", swapped)
    with pytest.raises(FileNotFoundError):
        read_inside(folder, "deep/<b>.JPG")


def test_pipes_and_large_files_are_refused_and_nothing_is_left_open(folder, monkeypatch):
    os.mkfifo(folder / "pipe.png")
    monkeypatch.setattr(security, "LARGEST_FILE", 3)
    for name in ("pipe.png", "a.png", "deep", "none"):
        with pytest.raises(FileNotFoundError):
            read_inside(folder, name)
    held = []
    for descriptor in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):  # closed since it was listed
            held.append(descriptor.readlink())
    assert [path for path in held if path.is_relative_to(folder)] == []
