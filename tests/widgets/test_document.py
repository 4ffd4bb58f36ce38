import base64
import json
import re

import pytest

from graphwell.serve.files import PAGES
from graphwell.widgets.document import modules_of, one_document


def addresses_of(page):
    return json.loads(re.search(r'<script type="importmap" nonce="[^"]+">(.*?)</script>', page)[1])["imports"]


@pytest.mark.parametrize("name", ["label", "paint"])
def test_a_page_in_one_piece_loads_nothing(name):
    page = one_document(name)
    assert 'src="' not in page
    assert 'href="static' not in page
    assert "http:" not in page
    assert page.count("<style nonce=") == 2


@pytest.mark.parametrize("name", ["label", "paint"])
def test_every_import_of_every_module_has_an_address(name):
    addresses = addresses_of(one_document(name))
    for address in addresses.values():
        source = base64.b64decode(address.partition("base64,")[2]).decode()
        imported = re.findall(r'^(?:import|export) .*?"(.+?)";$', source, re.MULTILINE)
        assert set(imported) <= set(addresses)
        assert not re.search(r"\bimport\(", source)
    assert {f"graphwell/{part}" for part in modules_of(f"{name}.js")} == set(addresses)


def test_the_line_of_the_widget_stands_in_for_that_of_the_server():
    address = addresses_of(one_document("paint"))["graphwell/line.js"]
    assert base64.b64decode(address.partition("base64,")[2]) == (PAGES / "widget-line.js").read_bytes()


def test_both_lines_offer_the_same():
    offered = [
        re.findall(r"export (?:async )?function (\w+)\((\w+(?:, \w+)*)\)", (PAGES / name).read_text())
        for name in ("line.js", "widget-line.js")
    ]
    assert [[name for name, _ in line] for line in offered] == [["openLine", "showPicture"]] * 2


def test_the_policy_is_as_strict_as_the_servers_and_new_each_time():
    policies = [
        re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', one_document("label"))[1]
        for _ in range(2)
    ]
    assert policies[0] != policies[1]
    for policy in policies:
        assert "default-src 'none'" in policy
        assert "require-trusted-types-for 'script'" in policy
        assert "connect-src 'none'" in policy
        assert "unsafe" not in policy
        assert "'self'" not in policy
