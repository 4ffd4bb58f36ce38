"""How `make docs` builds the site. Nothing is fetched unless GRAPHWELL_DOCS_ONLINE is set."""

import os
import re
from importlib.metadata import version as installed
from pathlib import Path

import typer.main

from graphwell.cli.app import app as program

project = "graphwell"
author = "the graphwell developers"
copyright = "the graphwell developers, BSD-3-Clause"
release = version = installed("graphwell")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.mathjax",
    "sphinx-mathjax-offline",  # equations without a network, too
    "sphinx.ext.viewcode",
    "numpydoc",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
]
exclude_patterns = ["_build", "gallery/**/*.ipynb", "gallery/**/*.py"]
templates_path = ["_templates"]
html_static_path = ["_static"]
html_css_files = ["graphwell.css"]

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath", "attrs_inline"]
myst_heading_anchors = 3

# The inventories of other projects are on the network, and a build must not need it.
if os.environ.get("GRAPHWELL_DOCS_ONLINE"):
    extensions.append("sphinx.ext.intersphinx")
    intersphinx_mapping = {
        "python": ("https://docs.python.org/3", None),
        "numpy": ("https://numpy.org/doc/stable", None),
        "scipy": ("https://docs.scipy.org/doc/scipy", None),
        "sklearn": ("https://scikit-learn.org/stable", None),
        "dask": ("https://docs.dask.org/en/stable", None),
    }
linkcheck_anchors = False
smartquotes = False  # two dashes are an option

autosummary_generate = True
autodoc_typehints = "none"  # numpydoc writes the types
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False


sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": "/plot_",
    "within_subsection_order": "FileNameSortKey",
    "matplotlib_animations": (True, "jshtml"),
    "download_all_examples": False,
    "remove_config_comments": True,
    "plot_gallery": True,
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_",),  # what an example prints is enough
    "show_memory": False,
    "show_signature": False,
    "reset_modules": ("matplotlib",),
}

html_theme = "pydata_sphinx_theme"
html_title = "graphwell"
html_show_sourcelink = False
html_sidebars = {page: [] for page in ("index", "start", "benchmarks", "reproduction", "faq")}
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 8,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def setup(app):
    """Sphinx calls this when it has read the file."""
    app.connect("html-page-context", tell_pictures)
    app.connect("config-inited", without_examples, priority=1)
    page = Path(app.srcdir) / "api" / "generated" / "commands.md"
    page.parent.mkdir(exist_ok=True)
    page.write_text(command_line(), encoding="utf-8")


def without_examples(app, config):
    """Make a truth value of ``-D plot_gallery=0``; Sphinx would warn of a string."""
    config.plot_gallery = config.plot_gallery not in ("0", "False", False)


def command_line():
    """A page of all commands and options, as ``--help`` has them."""
    commands = typer.main.get_command(program).commands
    return "\n".join(["# Command line", "", *(line for item in commands.items() for line in command(*item))])


def command(name, made):
    """Lines on one command: its help, its examples and a table of its options."""
    examples = [line for line in (made.epilog or "").splitlines() if line.startswith("graphwell")]
    yield from (f"## graphwell {name}", "", made.help, "", *(f"    {line}" for line in examples), "")
    yield from ("| option | meaning |", "|---|---|")
    for option in made.params:
        names = ", ".join(f"`{text}`" for text in (*option.opts, *option.secondary_opts))
        if option.param_type_name == "argument":
            names = f"`{option.metavar or option.name}`"
        elif option.metavar:
            names += f" {option.metavar}"
        plain = isinstance(option.default, str | int) and not isinstance(option.default, bool)
        default = f" Default: `{option.default}`." if plain else ""
        yield f"| {names} | {(option.help or '').replace('|', chr(92) + '|')}{default} |"
    yield ""


def tell_pictures(app, page, template, context, doctree):
    """Give alternative texts to thumbnails and animations, which come without."""
    body = re.sub(r'alt="" src="(\S+plot_\d+_(\w+)_thumb\.\w+)"', _thumbnail, context.get("body", ""))
    context["body"] = body.replace(
        '<img id="_anim_img', '<img alt="An animation; what it shows is said above." id="_anim_img'
    )


def _thumbnail(found):
    return f'alt="Example: {found[2].replace("_", " ")}" src="{found[1]}"'
