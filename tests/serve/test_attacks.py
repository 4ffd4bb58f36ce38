"""Attacks on a real server: each is refused or shown as text, and the server lives on."""

import http.client
import json
import socket
import time
from contextlib import suppress

import pytest
from websockets.exceptions import ConnectionClosed

from tests.serve.pages import write_groups
from tests.serve.server import Server

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = tmp_path_factory.mktemp("attacked")
    path, _ = write_groups(folder, labels={0: "<script>alert(1)</script>", 50: "b"})
    with Server("label", path, "--id", "name", "--jobs", "1", folder=folder) as server:
        server.folder = folder
        yield server
        assert server.process.poll() is None
        assert "Traceback" not in server.said()


def ask(server, path, method="GET", **headers):
    """Status and body of a request, with exactly these headers."""
    link = http.client.HTTPConnection(server.parts.hostname, server.parts.port, timeout=20)
    link.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
    for name, value in {"host": server.parts.netloc, **headers}.items():
        link.putheader(name, value)
    link.endheaders()
    answer = link.getresponse()
    body = answer.read()
    link.close()
    return answer.status, body


def sent(window, messages):
    """Send messages and read until the line is cut."""
    for message in messages:
        window.socket.send(message)
    while True:
        window.receive(10)


def alive(server):
    return ask(server, server.parts.path)[0] == 200


@pytest.mark.parametrize("length", [f"Content-Length: {2**30}", "Transfer-Encoding: chunked"])
def test_an_upload_of_a_gigabyte_is_refused_unread(server, length):
    before, sent, answer = server.memory(), 0, b""
    with socket.create_connection((server.parts.hostname, server.parts.port), timeout=20) as link:
        head = f"POST {server.parts.path}login HTTP/1.1\r\nHost: {server.parts.netloc}\r\n{length}\r\n\r\n"
        link.sendall(head.encode())
        block = b"100000\r\n" + b"x" * 2**20 + b"\r\n"
        with suppress(OSError):  # the server hangs up
            while sent < 2**30:
                link.sendall(block)
                sent += len(block)
        with suppress(OSError):
            answer = link.recv(100)
    assert sent < 2**30
    assert answer == b"" or b"413" in answer
    assert server.memory() < before + 50 * 2**20
    assert alive(server)


def test_long_headers_are_refused(server):
    with suppress(OSError):
        assert ask(server, server.parts.path, cookie="x" * 2**20)[0] >= 400
    assert alive(server)


def test_ten_thousand_messages_a_second_and_one_of_many_megabytes_are_cut_off(server):
    with server.channel() as calm, server.channel() as flood:
        command = json.dumps({"do": "row", "id": 1, "row": 1})
        began = time.monotonic()
        with pytest.raises((ConnectionClosed, OSError)):
            sent(flood, [command] * 10_000)
        assert time.monotonic() - began < 15
        assert calm.do("row", row=2)["ok"]["name"] == "<i>2</i>"
    with server.channel() as window, pytest.raises((ConnectionClosed, OSError)):
        sent(window, [b"x" * (32 * 2**20)])
    assert alive(server)
