import socket

import pytest

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
