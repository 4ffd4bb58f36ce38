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
from websockets.sync.client import connect

from graphwell.errors import OptionError
from graphwell.serve.launch import check_host, launch
from tests.serve.pages import EchoPage


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "example.org", ""])
def test_others_are_let_in_with_a_password_only(host):
    with pytest.raises(OptionError, match="password"):
        check_host(host, "https://a.example", None)


def test_a_host_of_any_name_needs_an_address():
    with pytest.raises(OptionError, match="address"):
        check_host("0.0.0.0", None, "secret")
    check_host("0.0.0.0", "https://a.example", "secret")
    check_host("127.0.0.1", None, None)


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
    launch(EchoPage(), told=printed.append)
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
        "from graphwell.serve.launch import launch; from tests.serve.pages import EchoPage\n"
        "launch(EchoPage(), open_browser=False, request_seconds=0.5, told=lambda a: print(a, flush=True))"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    yield urlsplit(process.stdout.readline().strip())
    process.send_signal(signal.SIGINT)
    process.wait(20)
    process.stdout.close()


def whole(address):
    return f"GET {address.path} HTTP/1.1\r\nHost: {address.netloc}\r\n"


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
        try:
            while link.recv(65_536):  # ends with the connection, or by the timeout of the socket as an error
                pass
        except ConnectionResetError:
            pass


def test_a_websocket_outlives_those_that_send_no_request(impatient):
    where = f"ws://{impatient.netloc}{impatient.path}channel"
    with connect(where, origin=f"http://{impatient.netloc}", open_timeout=30) as window:
        with socket.create_connection((impatient.hostname, impatient.port), timeout=60) as idle:
            assert idle.recv(1) == b""  # opened later and cut already
        window.send('{"do": "echo", "id": 1, "x": 5}')
        while '"ok": 5' not in window.recv(timeout=30):
            pass
