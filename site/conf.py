"""Configuration of Sphinx for the site. site/build runs it on a copy of the documents."""

import os
import pathlib
import re
import sys

project = "Blobmark"
author = "The Blobmark maintainers"
release = version = os.environ["BLOBMARK_VERSION"]
copyright = f"The Blobmark maintainers, Apache License 2.0. Blobmark {version}"

here = pathlib.Path(__file__).parent
sys.path.insert(0, str(here))
extensions = ["myst_parser", "drawing"]
# the text stays as it is written
smartquotes = False
# blocks without a language are commands with their output
highlight_language = "none"

# links to headings are those of GitHub
myst_heading_anchors = 4
# files of the site that Sphinx does not make; site/check follows these links
myst_url_schemes = {"http": None, "https": None, "mailto": None, "site": "{{path}}#{{fragment}}"}

html_theme = "furo"
html_title = "Blobmark"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_search_scorer = str(here / "scorer.js")
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
pygments_style = "default"
pygments_dark_style = "github-dark"
html_theme_options = {
    # the colours of the reports' pages
    "light_css_variables": {"color-brand-primary": "#005b99", "color-brand-content": "#005b99"},
    "dark_css_variables": {"color-brand-primary": "#79c0ff", "color-brand-content": "#79c0ff"},
    "top_of_page_buttons": [],
}

# a directory's page: its README on GitHub, its index here
DIRECTORY = re.compile(r"(\]\([^)#:]*?)(?:\bREADME\.md|(?<=/))(?=[)#])")


def setup(app):
    def to_indexes(app, docname, source):
        source[0] = DIRECTORY.sub(r"\1index.md", source[0])

    app.connect("source-read", to_indexes)
    return {"parallel_read_safe": True}
