"""How `make docs` builds the site. Nothing is fetched unless GRAPHWELL_DOCS_ONLINE is set."""

import os
import re
from importlib.metadata import version as installed

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
html_theme_options = {
    "navbar_align": "left",
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "navigation_with_keys": False,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}


def setup(app):
    """What Sphinx calls when it has read this file."""
    app.connect("html-page-context", tell_pictures)


def tell_pictures(app, page, template, context, doctree):
    """Give alternative texts to thumbnails and animations, which come without."""
    body = re.sub(r'alt="" src="(\S+plot_\d+_(\w+)_thumb\.\w+)"', _thumbnail, context.get("body", ""))
    context["body"] = body.replace(
        '<img id="_anim_img', '<img alt="An animation; what it shows is said above." id="_anim_img'
    )


def _thumbnail(found):
    return f'alt="Example: {found[2].replace("_", " ")}" src="{found[1]}"'
