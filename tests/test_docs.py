"""Code of the README and of the docs runs, and the reference names every public name."""

import inspect
import re
import tomllib
import warnings
from pathlib import Path

import numpy as np
import PIL.Image
import pytest
import typer.main

import graphwell as gw
from graphwell.cli.app import app
from tests.cli.blobs import run

ROOT = Path(__file__).resolve().parents[1]
BLOCK = re.compile(r"(?:<!-- not run: (?P<why>[^>]+) -->\n)?```python\n(?!>>>)(?P<code>.*?)```", re.DOTALL)
"""A block of Python that is no doctest; a comment before it says why it cannot be run here."""
PAGES = [
    page
    for page in (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
    if BLOCK.search(page.read_text())
]
NOT_OF_THE_REFERENCE = {"active", "baselines", "datasets", "metrics", "model_selection", "plots", "widgets"}
"""Modules whose names are listed instead; `plots` draws the program's own pages."""


def test_some_code_is_found():
    assert len(PAGES) > 5


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = _names_that_pages_take_for_granted()
    blocks = [found for found in BLOCK.finditer(page.read_text()) if not found["why"]]
    for found in blocks:
        line = page.read_text()[: found.start()].count("\n") + 2
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # pages show what warns, too
            exec(compile("\n" * (line - 1) + found["code"], page.name, "exec"), names)
    assert names["gw"] is gw  # no page hides the library that it shows


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_first_example_is_as_good_as_it_says(page):
    code = BLOCK.search((ROOT / page).read_text())["code"]
    names = {}
    exec(code, names)
    unknown = np.array(names["y"]) < 0
    right = (names["clf"].transduction_ == names["truth"])[unknown].mean()
    assert right > 0.9
    assert f"{100 * right:.0f} %" in code


def _names_that_pages_take_for_granted():
    """Rows, labels and a fit, as a reader has them by then."""
    X, truth = gw.datasets.make_three_moons(n_per_class=100, random_state=0)
    y = gw.datasets.sample_labels(truth, per_class=10, random_state=0)
    clf = gw.DiffuseInterfaceClassifier(random_state=0).fit(X, y)
    return {"gw": gw, "np": np, "X": X, "y": y, "truth": truth, "clf": clf, "X_new": X[:5] + 0.1}


@pytest.mark.parametrize("module", [gw, gw.active, gw.baselines, gw.datasets, gw.metrics, gw.model_selection])
def test_the_reference_names_every_public_name(module):
    page = (ROOT / "docs" / "api" / "index.md").read_text()
    listed = set(re.findall(r"^   (?:\w+\.)?(\w+)$", page, re.MULTILINE))
    public = getattr(module, "__all__", None) or [
        name for name, value in vars(module).items() if getattr(value, "__module__", "") == module.__name__
    ]
    assert {name for name in public if not name.startswith("_")} - NOT_OF_THE_REFERENCE <= listed


PICTURE = re.compile(
    r"!\[(?P<alt>[^\]]*)\]\((?P<file>[^)]+)\)|```\{(?:image|figure)\} (?P<of>\S+)\n(?P<options>.*?)```",
    re.DOTALL,
)


@pytest.mark.parametrize(
    "page", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda p: p.name
)
def test_every_picture_is_there_and_has_alternative_text(page):
    for found in PICTURE.finditer(page.read_text()):
        file = page.parent / (found["file"] or found["of"])
        assert file.is_file(), file
        told = found["alt"] or "".join(re.findall(r":alt: (.+)", found["options"] or ""))
        assert len(told) > 40, file


def test_every_page_for_users_has_a_picture():
    of_developers = {"architecture", "decisions", "contributing", "security", "changelog"}
    pages = [page for page in (ROOT / "docs").glob("*.md") if page.stem not in of_developers]
    assert [page.name for page in pages if not re.search(r"!\[|```{image}|:img-top:", page.read_text())] == []


def test_the_links_inside_the_docs_lead_somewhere():
    for page in (
        ROOT / "README.md",
        ROOT / "CHANGELOG.md",
        ROOT / "CONTRIBUTING.md",
        *(ROOT / "docs").glob("*.md"),
    ):
        for link in re.findall(r"(?<!!)\[[^\]]+\]\(([^)#\s]+)", page.read_text()):
            made = link.startswith(("gallery/index", "generated/"))  # by the build
            if link.startswith("gallery/plot_"):
                link = f"../examples/{Path(link).stem}.py"
            if "://" not in link and not link.startswith("mailto:") and not made:
                assert (page.parent / link).exists(), f"{page.name} leads to {link}"


def test_the_docs_list_every_format(tmp_path):
    """The program names them all where a name ends in none of them."""
    (tmp_path / "a.none").touch()
    PIL.Image.new("L", (9, 9)).save(tmp_path / "a.png")
    with pytest.raises(ValueError, match="must end in") as refused:
        gw.read_table(tmp_path / "a.none")
    files = (tmp_path / "a.png", "--seeds", tmp_path / "a.none", "-o", tmp_path / "b.png")
    for page, told in (("tables.md", str(refused.value)), ("pictures.md", run("segment", *files).stderr)):
        suffixes = re.findall(r"\.[a-z0-9.]*[a-z0-9]", told.partition("must end in")[2])
        assert len(suffixes) > 8
        text = (ROOT / "docs" / page).read_text()
        assert [suffix for suffix in suffixes if f"`{suffix}`" not in text] == []


def test_the_conda_recipe_wants_what_the_project_wants():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    wanted = {
        "python>=3.11",
        *(text.replace("matplotlib>", "matplotlib-base>") for text in project["dependencies"]),
    }
    recipe = (
        (ROOT / "packaging" / "conda" / "meta.yaml").read_text().partition("  run:")[2].partition("test:")[0]
    )
    assert {line.strip(" -").replace(" ", "") for line in recipe.splitlines() if "-" in line} == wanted


# What a stranger has to guess at; the field has words for each.
LEFT_OUT = (
    "bear it out", "bears it out", "became of", "correction of errors", "dies away", "die away",
    "evidence that is heard", "fate", "groundwork", "guard holds", "guard that holds", "hang together",
    "hangs together", "held against", "hidden labels say", "is heard", "labelled rightly", "labels spread",
    "lost parts", "mend", "mended", "newcomers", "one judge", "part of the graph", "parts of the graph",
    "post office", "power the scores", "rightly", "seen from above", "situation", "tell most", "tells most",
    "the judge", "the paper's company", "told by", "undisturbed", "verdict", "verdicts", "voices",
    "what diffuses",
)  # fmt: skip
LEFT_OUT_OF_TEXT = re.compile(rf"\b({'|'.join(LEFT_OUT)})\b", re.IGNORECASE)
TEXTS = [
    *sorted(ROOT.glob("*.md")),
    *sorted((ROOT / "docs").glob("*.md")),
    *sorted((ROOT / "examples").rglob("*.py")),
    *sorted((ROOT / "src" / "graphwell" / "serve" / "page").glob("*.html")),
]


def guesses(text):
    """Riddles in a text, each with the words around it."""
    text = " ".join(text.split())
    return [text[max(0, found.start() - 40) : found.end() + 40] for found in LEFT_OUT_OF_TEXT.finditer(text)]


@pytest.mark.parametrize("page", TEXTS, ids=lambda page: page.name)
def test_pages_use_the_words_of_the_field(page):
    assert guesses(page.read_text()) == []


def test_help_uses_the_words_of_the_field():
    for name, command in typer.main.get_command(app).commands.items():
        options = [option.help or "" for option in command.params]
        assert guesses(" ".join([command.help, *options])) == [], name


def test_docstrings_of_public_names_use_the_words_of_the_field():
    for name in gw.__all__:
        thing = getattr(gw, name)
        members = (vars(thing) if inspect.isclass(thing) or inspect.ismodule(thing) else {}).items()
        public = [thing, *(value for key, value in members if not key.startswith("_"))]
        for each in public:
            if callable(each) or isinstance(each, property) or each is thing:
                assert guesses(each.__doc__ or "") == [], (name, each)
