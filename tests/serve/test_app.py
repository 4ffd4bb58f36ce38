import pytest
from starlette.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from graphwell.serve.app import make_app
from graphwell.serve.security import HEADERS, Door, origins_of
from tests.serve.pages import EchoPage

ORIGIN = "http://127.0.0.1:80"


@pytest.fixture
def door():
    return Door(origins_of("127.0.0.1", 80))


@pytest.fixture
def page(tmp_path):
    (tmp_path / "a.png").write_bytes(b"picture")
    (tmp_path / "<img src=x onerror=alert(1)>.png").write_bytes(b"odd")
    return EchoPage(tmp_path)


@pytest.fixture
def client(page, door):
    with TestClient(make_app(page, door), base_url=ORIGIN, headers={"host": "127.0.0.1:80"}) as client:
        yield client


def test_the_page_its_parts_and_pictures_are_served(client, door):
    at = f"/{door.token}/"
    assert client.get(at).headers["content-type"].startswith("text/html")
    assert client.get(at + "static/style.css").headers["content-type"].startswith("text/css")
    assert client.get(at + "files/pictures/a.png").content == b"picture"
    assert client.get(at + "files/pictures/%3Cimg%20src=x%20onerror=alert(1)%3E.png").content == b"odd"


@pytest.mark.parametrize("path", ["", "none", "static/none.js", "files/pictures/none.png", "files/x/a.png"])
def test_every_answer_has_the_headers(client, door, path):
    found = client.get(f"/{door.token}/{path}")
    assert {name: found.headers[name] for name in HEADERS} == HEADERS
    refused = client.get(f"/wrong/{path}")
    assert refused.status_code == 403
    assert {name: refused.headers[name] for name in HEADERS} == HEADERS


@pytest.mark.parametrize(
    "path", ["static/..%2fapp.py", "static/%2e%2e/app.py", "files/pictures/..%2f..%2fx.png"]
)
def test_no_path_leads_out(client, door, path):
    assert client.get(f"/{door.token}/{path}").status_code == 404


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "PATCH", "OPTIONS"])
def test_nothing_but_looking_is_allowed(client, door, method):
    assert client.request(method, f"/{door.token}/").status_code == 405


def test_bodies_are_refused_unread(client, door):
    assert client.post(f"/{door.token}/login", content=b"x" * 5_000).status_code == 413
    assert client.post(f"/{door.token}/login", content=iter([b"x"])).status_code == 413


def test_commands_are_answered_and_mistakes_told(client, door, capsys):
    with client.websocket_connect(f"/{door.token}/channel", headers={"origin": ORIGIN}) as window:
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


def test_windows_are_in_step(client, door):
    at, headers = f"/{door.token}/channel", {"origin": ORIGIN}
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
def test_sockets_of_others_are_refused(client, door, headers):
    with (
        pytest.raises(WebSocketDisconnect),
        client.websocket_connect(f"/{door.token}/channel", headers=headers) as window,
    ):
        window.receive_json()


def test_a_password_is_asked_for_before_anything_is_shown(page):
    page.name = "secret"  # there is no such page: it must not even be looked for
    door = Door(origins_of("127.0.0.1", 80), password="right")
    with TestClient(make_app(page, door), base_url=ORIGIN, headers={"host": "127.0.0.1:80"}) as client:
        at = f"/{door.token}/"
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


def test_the_page_ends_with_the_server(page, door):
    with TestClient(make_app(page, door)):
        assert not page.ended
    assert page.ended
