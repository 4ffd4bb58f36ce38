"""The web application and its server."""

import re
import signal
import socket
import subprocess
import sys
import webbrowser
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from starlette.websockets import WebSocketDisconnect
from websockets.sync.client import connect

from graphwell.errors import OptionError
from tests.serve.pages import ORIGIN, EchoPage, launch, served

HEADERS = {
    "x-content-type-options": "nosniff",
    "x-frame-options": "DENY",
    "referrer-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "cache-control": "no-store",
}


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


def test_the_page_its_parts_and_pictures_are_served(client):
    at = client.at
    assert client.get(at).headers["content-type"].startswith("text/html")
    assert client.get(at + "static/style.css").headers["content-type"].startswith("text/css")
    assert client.get(at + "files/pictures/a.png").content == b"picture"
    assert client.get(at + "files/pictures/%3Cimg%20src=x%20onerror=alert(1)%3E.png").content == b"odd"


@pytest.mark.parametrize("path", ["", "none", "static/none.js", "files/pictures/none.png", "files/x/a.png"])
def test_every_answer_has_the_headers(client, path):
    found = client.get(client.at + path)
    refused = client.get(f"/wrong/{path}")
    assert refused.status_code == 403
    for answer in (found, refused):
        assert HEADERS.items() <= answer.headers.items()
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'; script-src 'self'; ")
        assert policy.endswith("; trusted-types 'none'; frame-ancestors 'none'")
        assert "http" not in policy
        assert "unsafe" not in policy


@pytest.mark.parametrize(
    "path", ["static/..%2fapp.py", "static/%2e%2e/app.py", "files/pictures/..%2f..%2fx.png"]
)
def test_no_path_leads_out(client, path):
    assert client.get(client.at + path).status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_but_looking_is_allowed(client, method):
    assert client.request(method, client.at).status_code == 405


def test_bodies_are_refused_unread(client):
    assert client.post(client.at + "login", content=b"x" * 5_000).status_code == 413
    assert client.post(client.at + "login", content=iter([b"x"])).status_code == 413


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
            ("7", {"re": None, "error": "This is no command."}),
        ):
            window.send_text(text)
            assert window.receive_json() == answer
        window.send_text('{"do": "hurt", "id": 4}')
        assert "mistake in graphwell" in window.receive_json()["error"]
        window.send_bytes(b"\xff")
        assert window.receive_json() == {"re": None, "error": "This is no command."}
    assert "AssertionError" in capsys.readouterr().err


def test_windows_are_in_step(client):
    at, headers = client.at + "channel", {"origin": ORIGIN}
    with (
        client.websocket_connect(at, headers=headers) as one,
        client.websocket_connect(at, headers=headers) as other,
    ):
        for window in (one, other):
            assert window.receive_json() == {"event": "hello"}
        one.send_json({"do": "tell", "id": 1, "x": 5})
        assert other.receive_json() == {"event": "told", "x": 5}
        assert other.receive_bytes().endswith(b"\x00\x00\x00\x00\x00\x00\x80?")


@pytest.mark.parametrize(
    "headers", [{}, {"origin": "http://evil.example"}, {"origin": ORIGIN, "host": "evil.example"}]
)
def test_sockets_of_others_are_refused(client, headers):
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(client.at + "channel", headers=headers) as window,
    ):
        window.receive_json()


@pytest.mark.parametrize(
    "host", ["evil.example:80", "127.0.0.1", "127.0.0.1:81", "127.0.0.1:80.evil.example", ""]
)
def test_another_name_is_refused(client, host):
    assert client.get(client.at, headers={"host": host}).status_code == 421
    assert client.get(client.at, headers={"host": "LOCALHOST:80"}).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:80", "http://127.0.0.1:81", ""]
)
def test_another_origin_is_refused(client, origin):
    assert client.get(client.at + "static/label.js", headers={"origin": origin}).status_code == 403
    own = client.get(client.at + "static/label.js", headers={"origin": "http://localhost:80"})
    assert own.status_code == 200


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
        assert (
            "HttpOnly"
            in client.post(at + "login", content=b"password=right", follow_redirects=False).headers[
                "set-cookie"
            ]
        )


def test_the_page_ends_with_the_server(page):
    with served(page):
        assert not page.ended
    assert page.ended


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", ""])
def test_others_are_let_in_with_a_password_only(host):
    with pytest.raises(OptionError, match="password"):
        launch(EchoPage(), host=host, address="https://a.example", open_browser=False)


def test_a_host_of_any_name_needs_an_address():
    with pytest.raises(OptionError, match="address"):
        launch(EchoPage(), host="0.0.0.0", password="secret", open_browser=False)


def test_a_port_that_is_taken_is_named():
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


@pytest.fixture(scope="module")
def impatient():
    """The address of a server that waits half a second for a request."""
    code = (
        "from tests.serve.pages import EchoPage, launch\n"
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
        while '"ok": 5' not in window.recv(timeout=30):
            pass
