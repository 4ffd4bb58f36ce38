"""Pages in one file."""

from graphwell.view import html


def test_text_is_always_escaped():
    made = html.page(
        "<t>", [html.heading("<h>"), html.subheading("<s>"), html.paragraph("<p>"), html.footer("<f>")]
    )
    for letter in "thspf":
        assert f"&lt;{letter}&gt;" in made
    assert "<t>" not in made.replace("<title>", "")


def test_a_table_sets_numbers_to_the_right():
    made = html.table(["name", "kind", "rows"], [["a", "b", 3]], text_columns=2)
    assert '<td>a</td><td>b</td><td class="number">3</td>' in made
    assert '<th>kind</th><th class="number">rows</th>' in made


def test_pictures_lie_inside_the_page():
    made = html.figure(b"bytes", 'a "plot"', "below")
    assert 'src="data:image/png;base64,Ynl0ZXM="' in made
    assert "a &quot;plot&quot;" in made
    assert "<figcaption>below</figcaption>" in made
    assert "figcaption" not in html.figure(b"", "x")


def test_facts_are_names_and_values():
    assert html.facts([("rows", "3")]).count('class="fact"') == 1
