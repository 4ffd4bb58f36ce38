"""The page of `graphwell label` in a real browser: from the first look to a kill."""

import csv
import json
import re

import pytest

from tests.serve.browser import browser, keep_screenshot, serious, wait_until
from tests.serve.pages import write_groups
from tests.serve.server import Server

__all__ = ["browser"]
pytestmark = pytest.mark.slow
COLOR_BY = (
    "const by = document.getElementById('color-by'); by.value = arguments[0]; by.onchange({target: by})"
)
MARKUP = "<img src=x onerror=document.title='hurt'>"


def press(browser, keys):
    from selenium.webdriver.common.by import By

    browser.find_element(By.TAG_NAME, "body").send_keys(keys)


def steps(browser):
    return int(browser.execute_script("return document.body.dataset.steps ?? 0"))


def after(browser, n):
    """Wait until so many actions count, and the model knows the last of them."""
    wait_until(browser, f"document.body.dataset.steps === '{n}'")
    wait_until(browser, "document.body.dataset.fitted === document.body.dataset.number", 120)


def said(browser, what, text):
    """Wait until an element says something."""
    wait_until(browser, f"document.querySelector('{what}')?.textContent.includes('{text}')")


def typed(browser, key, text):
    """Press a key that leads to a field, and type into it."""
    press(browser, key)
    browser.switch_to.active_element.send_keys(text)


def click(browser, what):
    browser.execute_script(f"document.querySelector('{what}').click()")


def found(browser, text):
    """Search for a row and choose it."""
    browser.execute_script("document.getElementById('search').value = arguments[0]", text)
    typed(browser, "/", "\n")
    said(browser, "#list-title", "Found: 1")
    click(browser, "#list button")


def left(browser, row):
    """Wait until another row is asked, and keys answer it."""
    wait_until(browser, f"document.body.dataset.question !== '{row}'")
    wait_until(browser, "!document.querySelector('#question.locked')")


def asked(browser):
    return int(wait_until(browser, "document.body.dataset.question || null", 120))


def drag(browser, corners):
    """Draw a line on the map; corners as shares of its width and height."""
    from selenium.webdriver import ActionChains
    from selenium.webdriver.common.by import By

    canvas = browser.find_element(By.ID, "points")
    width, height = canvas.size["width"], canvas.size["height"]
    places = [(round((x - 0.5) * width), round((y - 0.5) * height)) for x, y in corners]
    chain = (
        ActionChains(browser, duration=30).move_to_element_with_offset(canvas, *places[0]).click_and_hold()
    )
    for place in places[1:]:
        chain = chain.move_to_element_with_offset(canvas, *place)
    chain.release().perform()


def begin(browser, folder, *options, **groups):
    """A page on three groups of rows, and its first question."""
    path, truth = write_groups(folder, **groups)
    server = Server("label", path, "--id", "name", "--jobs", "1", *options, folder=folder)
    browser.get(server.address)
    return server, truth, asked(browser)


def named(browser, *names):
    for name in names:
        count = browser.execute_script("return document.querySelectorAll('#classes li').length")
        typed(browser, "n", f"{name}\n")
        wait_until(browser, f"document.querySelectorAll('#classes li').length === {count + 1}")


def told(folder):
    """What the journal holds, without notes."""
    lines = (folder / "groups.csv.journal").read_text().splitlines()[1:]
    entries = [json.loads(line.split(" ", 1)[1]) for line in lines]
    return [entry for entry in entries if "note" not in entry]


def test_markup_is_shown_as_text_and_a_table_without_classes_can_be_begun(browser, tmp_path):
    path, truth = write_groups(tmp_path, n=20)
    text = path.read_text().replace("<i>0</i>", MARKUP)
    path.write_text(text.replace("<b>a</b>", MARKUP))
    with Server("label", path, "--id", "name", "--jobs", "1", folder=tmp_path) as server:
        browser.get(server.address)
        for number in range(3):
            row = asked(browser)
            named(browser, f"{MARKUP}{truth[row]}")
            press(browser, str(number + 1))
            left(browser, row)
        after(browser, 6)
        found(browser, "onerror")
        said(browser, "#question .name", "onerror")
        for by in (MARKUP, "doubt"):
            browser.execute_script(COLOR_BY, by)
            said(browser, "#legend", {"doubt": "uncertain"}.get(by, "-"))
        assert browser.execute_script("return document.querySelectorAll('img').length") == 0
        assert "hurt" not in browser.title
        press(browser, "e")
        said(browser, "#message", "Written")
    with (tmp_path / "groups.labelled.csv").open() as file:
        written = [row["graphwell_label"] for row in csv.DictReader(file)]
    assert written == [f"{MARKUP}{group}" for group in truth]


def test_keys_belong_to_classes_and_those_beyond_are_chosen_by_name(browser, tmp_path):
    keys = "return [...document.querySelectorAll('#classes kbd')].map((e) => e.textContent)"
    labels = {0: "0", 20: "1", **{row: f"kind {row:02}" for row in range(21, 46)}}
    server, _, row = begin(browser, tmp_path, "--label", "label", n=20, labels=labels)
    with server:
        wanted = ["0", "1", *map(str, range(2, 10)), *(f"⇧{key}" for key in "1234567890")]
        assert browser.execute_script(keys) == wanted
        press(browser, "0")
        after(browser, 1)
        click(browser, "#classes .edit")
        browser.switch_to.active_element.send_keys("zero\n")
        said(browser, "#classes .what", "zero")
        browser.refresh()
        row = asked(browser)
        assert browser.execute_script(keys) == wanted
        typed(browser, "c", "x")
        said(browser, "#by-name", "No class")
        browser.switch_to.active_element.send_keys("\b4")
        wait_until(browser, "document.querySelectorAll('#by-name [data-class]').length > 5")
        browser.switch_to.active_element.send_keys("5\n")
        left(browser, row)
        assert not browser.execute_script("return document.getElementById('by-name').open")
        found(browser, f"<i>{row}</i>")
        said(browser, "#question", "Labelled kind 45")


def test_naming_classes_labels_nothing(browser, tmp_path):
    server, _, row = begin(browser, tmp_path)
    with server:
        named(browser, "red", "green", "blue")
        after(browser, 3)
        assert asked(browser) == row
        sizes = "return [...document.querySelectorAll('#classes .count')].map((e) => e.textContent)"
        assert browser.execute_script(sizes) == ["0"] * 3
        assert "0 labelled" in browser.find_element("id", "summary").text
        typed(browser, "c", "\n")  # Enter without letters chooses nothing
        assert browser.execute_script("return document.getElementById('by-name').open")
        browser.switch_to.active_element.send_keys("bl\n")
        after(browser, 4)
        assert asked(browser) != row
    assert [entry for entry in told(tmp_path) if entry["do"] == "label"] == [
        {"do": "label", "rows": [row], "class": 2}
    ]


def test_the_row_on_screen_stays_until_it_is_answered(browser, tmp_path):
    server, truth, row = begin(browser, tmp_path, "--classes", "red,green,blue")
    with server:
        press(browser, str(truth[row] + 1))
        left(browser, row)
        after(browser, 4)
        shown = asked(browser)
        click(browser, ".near .thumb")
        press(browser, "u")
        after(browser, 3)
        said(browser, "#question", "taken back")
        assert asked(browser) == shown
        press(browser, "r")  # answered again: nothing is said of it any more
        after(browser, 4)
        wait_until(browser, "!document.getElementById('question').textContent.includes('taken back')")
        press(browser, "u")
        after(browser, 3)
        mine = browser.current_window_handle
        browser.switch_to.new_window("tab")
        browser.get(server.address)
        other = asked(browser)
        assert other != shown
        press(browser, str(truth[other] + 1))
        left(browser, other)
        found(browser, f"<i>{shown}</i>")
        wait_until(browser, f"document.body.dataset.question === '{shown}'")
        press(browser, str(truth[shown] + 1))
        after(browser, 5)
        browser.switch_to.window(mine)
        after(browser, 5)
        assert asked(browser) == shown
        said(browser, "#question", "Labelled")
        press(browser, "s")  # moves on, and leaves the answer of the other window
        wait_until(browser, f"document.body.dataset.question === '{row}'")
        assert steps(browser) == 5


def test_a_key_answers_the_row_that_it_was_pressed_on_and_no_other(browser, tmp_path):
    server, _, row = begin(browser, tmp_path, "--classes", "red,green,blue")
    with server:
        locked = browser.execute_script(
            "for (const code of ['Digit1', 'Digit2', 'Digit3'])"
            " document.dispatchEvent(new KeyboardEvent('keydown', {code, key: code.at(-1), bubbles: true}));"
            "return document.querySelector('#question.locked .chosen .what').textContent"
        )
        assert locked == "red"
        left(browser, row)
        after(browser, 4)
        second = asked(browser)
        chosen = next(other for other in range(120) if other not in (row, second))
        browser.execute_script("document.getElementById('search').value = arguments[0]", f"<i>{chosen}</i>")
        typed(browser, "/", "\n")
        said(browser, "#list-title", "Found: 1")
        browser.execute_script(
            "document.querySelector('#list button').click();"
            "document.dispatchEvent(new KeyboardEvent('keydown', {code: 'Digit2', key: '2', bubbles: true}))"
        )
        after(browser, 5)
        wait_until(browser, "!document.querySelector('#question.locked')")
        assert asked(browser) == chosen  # it was chosen before the key, and stays
    assert told(tmp_path)[3:] == [
        {"do": "label", "rows": [row], "class": 0},
        {"do": "label", "rows": [second], "class": 1},
    ]


def answered(browser, truth, n):
    """Answer so many questions truly."""
    for _ in range(n):
        row, before = asked(browser), steps(browser)
        press(browser, str(truth[row] + 1))
        left(browser, row)
        after(browser, before + 1)


def lassoed(browser):
    """Draw a lasso around everything; how many rows are selected."""
    press(browser, "l")
    drag(browser, [(0.01, 0.01), (0.99, 0.01), (0.99, 0.99), (0.01, 0.99), (0.01, 0.03)])
    wait_until(browser, "document.querySelectorAll('#many .pick').length > 20")
    assert browser.find_element("id", "question").get_property("hidden")
    return int(browser.find_element("css selector", "#many .name").text)


def test_keys_act_on_the_rows_of_a_lasso_that_are_left_and_on_no_other(browser, tmp_path):
    server, truth, _ = begin(browser, tmp_path, "--classes", "red,green,blue")
    with server:
        answered(browser, truth, 3)
        mine = {row for entry in told(tmp_path) if entry["do"] == "label" for row in entry["rows"]}
        shown = asked(browser)
        assert lassoed(browser) == 117
        assert "3 that you answered are left out" in browser.find_element("id", "many").text
        browser.find_element("css selector", "#many .pick").click()
        assert browser.find_element("css selector", "#many .name").text == "116"
        browser.execute_script("document.querySelectorAll('#many .answers button')[1].focus()")
        assert re.search("green: 7[67] of 116 rows would change", browser.find_element("id", "many").text)
        press(browser, "sk")  # keys of the question that is hidden
        press(browser, "2")
        after(browser, 7)
        assert asked(browser) == shown
        said(browser, "#lasso-says", "The model now says")
        keep_screenshot(browser, "label_lasso")
        press(browser, "u")
        after(browser, 6)
        press(browser, "m")  # the rows most like the one on screen
        wait_until(browser, "document.querySelector('#many .name')?.textContent === '24'", 20)
        keep_screenshot(browser, "label_like")
        press(browser, "3")
        after(browser, 7)
        press(browser, "u")
        after(browser, 6)
        assert lassoed(browser) == 117
        press(browser, "x")
        after(browser, 7)
    labelled, undone, like, _, untold = told(tmp_path)[-5:]
    assert {truth[row] for row in like["rows"]} == {truth[shown]}
    assert (labelled["do"], labelled["class"], len(labelled["rows"])) == ("label", 1, 116)
    assert (undone["do"], untold["do"], len(untold["rows"])) == ("undo", "cannot tell", 117)
    assert mine.isdisjoint(untold["rows"])


def test_an_answer_that_looks_wrong_is_listed_until_it_is_kept(browser, tmp_path):
    server, truth, _ = begin(browser, tmp_path, "--classes", "red,green,blue")
    with server:
        answered(browser, truth, 9)
        row = asked(browser)
        press(browser, str((truth[row] + 1) % 3 + 1))
        after(browser, 13)
        click(browser, "[data-tab=issues]")
        wait_until(browser, f"document.body.dataset.question === '{row}'")
        assert "it looks like" in browser.find_element("id", "question").text
        press(browser, "k")
        after(browser, 14)
        said(browser, "#list", "No answer disagrees")
        click(browser, "[data-tab=mine]")
        wait_until(browser, f"document.querySelector('#list .what')?.textContent === '<i>{row}</i>'")
    assert told(tmp_path)[-1] == told(tmp_path)[-2]


@pytest.mark.parametrize("width", [1440, 390])
def test_nothing_serious_is_found_for_those_who_cannot_see_the_page(browser, tmp_path, width):
    browser.set_window_size(width, 860)
    server, truth, _ = begin(browser, tmp_path, "--classes", "red,green,blue")
    with server:
        answered(browser, truth, 4)
        for tab in ("issues", "mine", "doubtful"):
            click(browser, f"[data-tab={tab}]")
            assert serious(browser) == []
        lassoed(browser)
        assert serious(browser) == []
        press(browser, "h")
        assert serious(browser) == []


def test_an_open_page_goes_on_after_a_new_start_and_says_when_nothing_is_kept(browser, tmp_path):
    server, truth, row = begin(browser, tmp_path, "--classes", "red,green,blue")
    with server:
        server.kill()
        said(browser, "#stage", "No server. Start it")
    with Server("label", "groups.csv", "--id", "name", "--jobs", "1", folder=tmp_path) as again:
        assert again.address == server.address
        wait_until(browser, "document.body.dataset.connected === 'true'")
        wait_until(browser, "document.body.dataset.fitted === document.body.dataset.number")
        browser.execute_script(f"document.querySelector('#question [data-class=\"{truth[row]}\"]').focus()")
        browser.switch_to.active_element.send_keys("\n")  # by the keyboard, whose focus stays
        after(browser, 4)
        row = asked(browser)
        assert browser.execute_script("return document.activeElement.closest('#question') !== null")
        journal = tmp_path / "groups.csv.journal"
        journal.with_name("copy").write_bytes(journal.read_bytes())
        journal.with_name("copy").replace(journal)
        press(browser, "1")
        said(browser, "#message", "This was not kept")
        assert (asked(browser), steps(browser)) == (row, 4)
        assert (tmp_path / "groups.csv.journal.1").is_file()
