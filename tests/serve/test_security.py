import pytest

from graphwell.serve.security import POLICY, AccessRefusedError, Door, origins_of, same


@pytest.fixture
def door():
    return Door(origins_of("127.0.0.1", 80))


def test_its_own_page_is_let_in(door):
    path = f"/{door.token}/static/label.js"
    assert door.inner_path(path, "127.0.0.1:80", None) == "/static/label.js"
    assert door.inner_path(path, "LOCALHOST:80", "http://localhost:80", is_socket=True) == "/static/label.js"


@pytest.mark.parametrize(
    "host", ["evil.example:80", "127.0.0.1", "127.0.0.1:81", "127.0.0.1:80.evil.example", ""]
)
def test_another_name_is_refused(door, host):
    with pytest.raises(AccessRefusedError) as refused:
        door.inner_path(f"/{door.token}/", host, None)
    assert refused.value.status == 421


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1:80", "http://127.0.0.1:81", ""]
)
def test_another_origin_is_refused(door, origin):
    with pytest.raises(AccessRefusedError):
        door.inner_path(f"/{door.token}/", "127.0.0.1:80", origin)


def test_a_socket_without_an_origin_is_refused(door):
    with pytest.raises(AccessRefusedError):
        door.inner_path(f"/{door.token}/channel", "127.0.0.1:80", None, is_socket=True)


@pytest.mark.parametrize(
    "path", ["/", "", "//", "/wrong/", "/{token}", "/{token}x/", "/x/{token}/", "/\ud800/"]
)
def test_without_the_token_nothing_is_let_in(door, path):
    with pytest.raises(AccessRefusedError):
        door.inner_path(path.replace("{token}", door.token), "127.0.0.1:80", None)


def test_tokens_are_long_and_never_the_same():
    doors = [Door(frozenset()) for _ in range(50)]
    assert len({door.token for door in doors} | {door.ticket for door in doors}) == 100
    assert min(len(door.token) for door in doors) >= 32
    assert doors[0].token not in repr(doors[0])


def test_a_password_is_tried_once_a_second(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("graphwell.serve.security.time.monotonic", lambda: now[0])
    door = Door(frozenset(), password="right")
    assert not door.try_password("wrong")
    assert not door.try_password("right")
    now[0] += 1.5
    assert door.try_password("right")


def test_a_ticket_shows_that_the_password_was_right():
    door = Door(frozenset(), password="right")
    assert not door.knows(None)
    assert not door.knows("ticket")
    assert door.knows(door.ticket)
    assert Door(frozenset()).knows(None)


def test_secrets_of_any_text_can_be_compared():
    assert same("größe", "größe")
    assert not same("\ud800", "a")


def test_nothing_is_loaded_from_elsewhere():
    assert "default-src 'none'" in POLICY
    assert "http" not in POLICY
    assert "unsafe" not in POLICY


def test_an_address_behind_a_proxy_is_the_only_one():
    assert origins_of("::1", 5) == {"http://[::1]:5", "http://localhost:5"}
    assert origins_of("10.0.0.1", 5) == {"http://10.0.0.1:5"}
    assert origins_of("0.0.0.0", 5, "https://A.example/") == {"https://a.example"}
