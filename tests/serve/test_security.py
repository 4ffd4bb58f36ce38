"""The door by itself: secrets, a password and a ticket, addresses. What it refuses: `test_launch`."""

from graphwell.serve.security import Door, origins_of, same


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


def test_an_address_behind_a_proxy_is_the_only_one():
    assert origins_of("::1", 5) == {"http://[::1]:5", "http://localhost:5"}
    assert origins_of("10.0.0.1", 5) == {"http://10.0.0.1:5"}
    assert origins_of("0.0.0.0", 5, "https://A.example/") == {"https://a.example"}
