"""The page of `graphwell label` in a real browser: a hundred thousand rows, from the first look to a kill."""

import csv
import json
import re

import numpy as np
import pytest

from tests.serve.browser import browser, keep_screenshot, wait_until
from tests.serve.pages import write_groups
from tests.serve.server import Server

__all__ = ["browser"]
pytestmark = pytest.mark.slow
MARKUP = "<img src=x onerror=document.title='hurt'>"


def write_many(folder, n=100_000):
    """Four groups of points whose first two columns are their places on the map."""
    rng = np.random.default_rng(0)
    truth = np.arange(n) % 4
    places = 10.0 * np.array([[0, 0], [1, 0], [0, 1], [1, 1]])[truth] + rng.standard_normal((n, 2))
    labels = np.full(n, "", dtype="U10")
    labels[:8] = [f"group {group}" for group in truth[:8]]
    path = folder / "many.npz"
    np.savez(path, X=np.hstack([places, places]).astype(np.float32), label=labels)
    return path, truth


def press(browser, keys):
    from selenium.webdriver.common.by import By

    browser.find_element(By.TAG_NAME, "body").send_keys(keys)


def steps(browser):
    return int(browser.execute_script("return document.body.dataset.steps ?? 0"))


def after(browser, n):
    """Wait until so many actions count, and the model knows the last of them."""
    wait_until(browser, f"document.body.dataset.steps === '{n}'")
    wait_until(browser, "document.body.dataset.fitted === document.body.dataset.number", 120)


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


def test_a_hundred_thousand_rows_from_the_first_look_to_a_kill(browser, tmp_path):
    path, truth = write_many(tmp_path)
    options = ("label", path, "--xy", "X0,X1", "--set", "pca=0", "--jobs", "2")
    with Server(*options, folder=tmp_path) as server:
        browser.get(server.address)
        asked(browser)
        after(browser, 0)
        for number in range(10):
            row = asked(browser)
            press(browser, str(truth[row] + 1))
            wait_until(browser, f"document.body.dataset.steps === '{number + 1}'")
            wait_until(browser, f"document.body.dataset.question !== '{row}'")
        after(browser, 10)
        keep_screenshot(browser, "label_many")
        press(browser, "l")
        drag(browser, [(0.02, 0.2), (0.4, 0.2), (0.4, 0.95), (0.02, 0.95), (0.02, 0.3)])
        wait_until(browser, "!document.getElementById('many').hidden")
        keep_screenshot(browser, "label_lasso")
        asked_before = asked(browser)
        press(browser, "2")
        after(browser, 11)
        assert asked(browser) == asked_before
        wait_until(
            browser, "document.getElementById('lasso-says').textContent.includes('The model now says')"
        )
        press(browser, "u")
        after(browser, 10)
        press(browser, "r")
        after(browser, 11)
        press(browser, "u")
        after(browser, 10)
        browser.execute_script("document.querySelector('#classes .edit').click()")
        browser.switch_to.active_element.send_keys("<b>first</b>\n")
        after(browser, 11)
        press(browser, "e")
        wait_until(browser, "document.getElementById('message').textContent.startsWith('Written')")
        server.kill()
    with np.load(tmp_path / "many.labelled.npz") as written:
        names = np.array(["<b>first</b>", "group 1", "group 2", "group 3"])
        assert (written["graphwell_label"] == names[truth]).mean() > 0.99
        assert written["graphwell_given"].sum() == 18
    with Server(*options, folder=tmp_path) as server:
        browser.get(server.address)
        after(browser, 11)
        classes = browser.execute_script(
            "return [...document.querySelectorAll('#classes .what')].map((e) => e.textContent)"
        )
        assert classes == ["<b>first</b>", "group 1", "group 2", "group 3"]
        press(browser, "u")
        wait_until(browser, "document.body.dataset.steps === '10'")


def test_markup_is_shown_as_text_and_a_table_without_classes_can_be_begun(browser, tmp_path):
    path, truth = write_groups(tmp_path, n=20)
    text = path.read_text().replace("<i>0</i>", MARKUP)
    path.write_text(text.replace("<b>a</b>", MARKUP))
    with Server("label", path, "--id", "name", "--jobs", "1", folder=tmp_path) as server:
        browser.get(server.address)
        for number in range(3):
            row = asked(browser)
            press(browser, "n")
            browser.switch_to.active_element.send_keys(f"{MARKUP}{truth[row]}\n")
            wait_until(browser, f"document.querySelectorAll('#classes li').length === {number + 1}")
            press(browser, str(number + 1))
            wait_until(browser, f"document.body.dataset.question !== '{row}'")
        after(browser, 6)
        browser.execute_script("document.getElementById('search').value = 'onerror'")
        press(browser, "/")
        browser.switch_to.active_element.send_keys("\n")
        wait_until(browser, "document.getElementById('list-title').textContent === 'Found: 1'")
        browser.execute_script("document.querySelector('#list button').click()")
        wait_until(browser, "document.querySelector('#question .name').textContent.includes('onerror')")
        keep_screenshot(browser, "label_markup")
        assert browser.execute_script("return document.querySelectorAll('img').length") == 0
        assert "hurt" not in browser.title
        press(browser, "e")
        wait_until(browser, "document.getElementById('message').textContent.startsWith('Written')")
    with (tmp_path / "groups.labelled.csv").open() as file:
        found = [row["graphwell_label"] for row in csv.DictReader(file)]
    assert found == [f"{MARKUP}{group}" for group in truth]


def test_classes_that_are_digits_have_their_own_keys(browser, tmp_path):
    path, _ = write_groups(tmp_path, n=20, labels={0: "0", 20: "1"})
    with Server("label", path, "--label", "label", "--id", "name", "--jobs", "1", folder=tmp_path) as server:
        browser.get(server.address)
        asked(browser)
        keys = "return [...document.querySelectorAll('#classes kbd')].map((e) => e.textContent)"
        assert browser.execute_script(keys) == ["0", "1"]
        press(browser, "0")
        after(browser, 1)
        press(browser, "n")
        browser.switch_to.active_element.send_keys("ten\n")
        wait_until(browser, "document.querySelectorAll('#classes li').length === 3")
        assert browser.execute_script(keys) == ["0", "1", "2"]
        browser.execute_script("document.querySelector('#classes .edit').click()")
        browser.switch_to.active_element.send_keys("zero\n")
        wait_until(browser, "document.querySelector('#classes .what')?.textContent === 'zero'")
        for _ in range(2):
            assert browser.execute_script(keys) == ["0", "1", "2"]
            browser.refresh()
            asked(browser)
    with Server("label", path, "--label", "label", "--id", "name", "--jobs", "1", folder=tmp_path) as server:
        browser.get(server.address)
        asked(browser)
        assert browser.execute_script(keys) == ["0", "1", "2"]


def test_a_class_beyond_the_keys_is_chosen_by_its_name(browser, tmp_path):
    path, _ = write_groups(tmp_path, n=20, labels={row: f"kind {row:02}" for row in range(25)})
    with Server("label", path, "--label", "label", "--id", "name", "--jobs", "1", folder=tmp_path) as server:
        browser.get(server.address)
        row = asked(browser)
        after(browser, 0)
        press(browser, "c")
        wait_until(browser, "document.getElementById('by-name').open")
        browser.switch_to.active_element.send_keys("x")
        wait_until(browser, "document.getElementById('by-name').textContent.includes('No class')")
        browser.switch_to.active_element.send_keys("\b2")
        wait_until(browser, "document.querySelectorAll('#by-name [data-class]').length === 7")
        keep_screenshot(browser, "label_by_name")
        browser.switch_to.active_element.send_keys("4\n")
        wait_until(browser, "document.body.dataset.steps === '1'")
        wait_until(browser, f"document.body.dataset.question !== '{row}'")
        assert not browser.execute_script("return document.getElementById('by-name').open")
        browser.execute_script(f"document.getElementById('search').value = '<i>{row}</i>'")
        press(browser, "/")
        browser.switch_to.active_element.send_keys("\n")
        wait_until(browser, "document.getElementById('list-title').textContent === 'Found: 1'")
        browser.execute_script("document.querySelector('#list button').click()")
        wait_until(browser, "document.getElementById('question').textContent.includes('Labelled kind 24')")


def begin(browser, folder, *options):
    """A page on three groups with the classes red, green and blue, and its first question."""
    path, truth = write_groups(folder)
    server = Server("label", path, "--id", "name", "--jobs", "1", *options, folder=folder)
    browser.get(server.address)
    return server, truth, asked(browser)


def name_class(browser, name, number):
    press(browser, "n")
    browser.switch_to.active_element.send_keys(f"{name}\n")
    wait_until(browser, f"document.querySelectorAll('#classes li').length === {number}")


def test_naming_classes_labels_nothing(browser, tmp_path):
    server, _, row = begin(browser, tmp_path)
    with server:
        for number, name in enumerate(("red", "green", "blue"), 1):
            name_class(browser, name, number)
        after(browser, 3)
        assert asked(browser) == row
        sizes = "return [...document.querySelectorAll('#classes .count')].map((e) => e.textContent)"
        assert browser.execute_script(sizes) == ["0"] * 3
        assert "0 labelled" in browser.find_element("id", "summary").text
        press(browser, "c")  # Enter without letters chooses nothing
        wait_until(browser, "document.getElementById('by-name').open")
        browser.switch_to.active_element.send_keys("\n")
        assert browser.execute_script("return document.getElementById('by-name').open")
        browser.switch_to.active_element.send_keys("bl\n")
        after(browser, 4)
        assert asked(browser) != row
    journal = (tmp_path / "groups.csv.journal").read_text()
    assert f'{{"do":"label","rows":[{row}],"class":2}}' in journal
    assert journal.count('"do":"label"') == 1


def test_the_row_on_screen_stays_until_it_is_answered(browser, tmp_path):
    server, truth, row = begin(browser, tmp_path, "--classes", "red,green,blue")
    with server:
        press(browser, str(truth[row] + 1))
        wait_until(browser, f"document.body.dataset.question !== '{row}'")
        after(browser, 4)
        shown = asked(browser)
        browser.execute_script("document.querySelector('.near .thumb').click()")
        press(browser, "u")
        after(browser, 3)
        wait_until(browser, "document.getElementById('question').textContent.includes('taken back')")
        assert asked(browser) == shown
        keep_screenshot(browser, "label_taken_back")
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
        wait_until(browser, f"document.body.dataset.question !== '{other}'")
        browser.execute_script("document.getElementById('search').value = arguments[0]", f"<i>{shown}</i>")
        browser.execute_script("document.getElementById('search-form').requestSubmit()")
        wait_until(browser, "document.getElementById('list-title').textContent === 'Found: 1'")
        browser.execute_script("document.querySelector('#list button').click()")
        wait_until(browser, f"document.body.dataset.question === '{shown}'")
        press(browser, str(truth[shown] + 1))
        after(browser, 5)
        browser.switch_to.window(mine)
        after(browser, 5)
        assert asked(browser) == shown
        wait_until(browser, "document.getElementById('question').textContent.includes('Labelled')")
        press(browser, "s")  # moves on, and leaves the answer of the other window
        wait_until(browser, f"document.body.dataset.question === '{row}'")
        assert steps(browser) == 5


def test_a_second_key_before_the_next_row_is_no_answer(browser, tmp_path):
    server, _, row = begin(browser, tmp_path, "--classes", "red,green,blue")
    with server:
        locked = browser.execute_script(
            "for (const code of ['Digit1', 'Digit2', 'Digit3'])"
            " document.dispatchEvent(new KeyboardEvent('keydown', {code, key: code.at(-1), bubbles: true}));"
            "return document.querySelector('#question.locked .chosen .what').textContent"
        )
        assert locked == "red"
        wait_until(browser, f"document.body.dataset.question !== '{row}'")
        wait_until(browser, "!document.querySelector('#question.locked')")
        after(browser, 4)
    labels = [
        line for line in (tmp_path / "groups.csv.journal").read_text().splitlines() if '"label"' in line
    ]
    assert [line.split(" ", 1)[1] for line in labels[1:]] == [f'{{"do":"label","rows":[{row}],"class":0}}']


def test_a_row_that_is_chosen_before_a_key_stays_after_its_answer(browser, tmp_path):
    server, _, row = begin(browser, tmp_path, "--classes", "red,green,blue")
    with server:
        chosen = (row + 1) % 120
        browser.execute_script("document.getElementById('search').value = arguments[0]", f"<i>{chosen}</i>")
        browser.execute_script("document.getElementById('search-form').requestSubmit()")
        wait_until(browser, "document.getElementById('list-title').textContent === 'Found: 1'")
        browser.execute_script(
            "document.querySelector('#list button').click();"
            "document.dispatchEvent(new KeyboardEvent('keydown', {code: 'Digit1', key: '1', bubbles: true}))"
        )
        after(browser, 4)
        wait_until(browser, "!document.querySelector('#question.locked')")
        assert asked(browser) == chosen
    journal = (tmp_path / "groups.csv.journal").read_text()
    assert f'{{"do":"label","rows":[{row}],"class":0}}' in journal


def test_the_accuracy_is_told_when_enough_was_checked(browser, tmp_path):
    server, truth, _ = begin(browser, tmp_path, "--classes", "red,green,blue")
    figure = "document.getElementById('accuracy').textContent"
    with server:
        for number in range(16):
            row = asked(browser)
            if number < 4:
                assert browser.execute_script(f"return {figure}") == "too early to say"
            press(browser, str(truth[row] + 1))
            wait_until(browser, f"document.body.dataset.question !== '{row}'")
            after(browser, number + 4)
        wait_until(browser, f"{figure}.endsWith('%')")
        said = browser.find_element("id", "curve").text
        assert "answers that checked a label" in said
        assert "from 0" not in said
        keep_screenshot(browser, "label_accuracy")


def answered(browser, truth, n):
    """Answer so many questions truly."""
    for _ in range(n):
        row, before = asked(browser), steps(browser)
        press(browser, str(truth[row] + 1))
        wait_until(browser, f"document.body.dataset.question !== '{row}'")
        after(browser, before + 1)


def lassoed(browser):
    """Draw a lasso around everything; how many rows are selected."""
    press(browser, "l")
    drag(browser, [(0.01, 0.01), (0.99, 0.01), (0.99, 0.99), (0.01, 0.99), (0.01, 0.03)])
    wait_until(browser, "document.querySelectorAll('#many .pick').length > 20")
    assert browser.find_element("id", "question").get_property("hidden")
    return int(browser.find_element("css selector", "#many .name").text)


def told(folder):
    """What the journal holds, without notes."""
    lines = (folder / "groups.csv.journal").read_text().splitlines()[1:]
    entries = [json.loads(line.split(" ", 1)[1]) for line in lines]
    return [entry for entry in entries if "note" not in entry]


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
        press(browser, "u")
        after(browser, 6)
        assert lassoed(browser) == 117
        press(browser, "x")
        after(browser, 7)
    labelled, undone, untold = told(tmp_path)[-3:]
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
        browser.execute_script("document.querySelector('[data-tab=issues]').click()")
        wait_until(browser, f"document.body.dataset.question === '{row}'")
        assert "it looks like" in browser.find_element("id", "question").text
        press(browser, "k")
        after(browser, 14)
        wait_until(browser, "document.getElementById('list').textContent.startsWith('No answer disagrees')")
        browser.execute_script("document.querySelector('[data-tab=mine]').click()")
        wait_until(browser, f"document.querySelector('#list .what')?.textContent === '<i>{row}</i>'")
    assert told(tmp_path)[-1] == told(tmp_path)[-2]


def test_an_open_page_goes_on_after_a_new_start_and_says_when_nothing_is_kept(browser, tmp_path):
    server, truth, row = begin(browser, tmp_path, "--classes", "red,green,blue")
    with server:
        server.kill()
        wait_until(browser, "document.getElementById('stage').textContent.startsWith('No server. Start it')")
    with Server("label", "groups.csv", "--id", "name", "--jobs", "1", folder=tmp_path) as again:
        assert again.address == server.address
        wait_until(browser, "document.body.dataset.connected === 'true'")
        wait_until(browser, "document.body.dataset.fitted === document.body.dataset.number")
        button = browser.find_element("css selector", f"#question [data-class='{truth[row]}']")
        button.send_keys("\n")  # by the keyboard, whose focus stays
        after(browser, 4)
        row = asked(browser)
        assert browser.execute_script("return document.activeElement.closest('#question') !== null")
        journal = tmp_path / "groups.csv.journal"
        journal.with_name("copy").write_bytes(journal.read_bytes())
        journal.with_name("copy").replace(journal)
        press(browser, "1")
        wait_until(browser, "document.getElementById('message').textContent.startsWith('This was not kept')")
        assert (asked(browser), steps(browser)) == (row, 4)
        assert (tmp_path / "groups.csv.journal.1").is_file()
