"""How Sphinx makes the site of these pages; ``make docs`` runs it by ``build_site.py``."""

from nsdgen import __version__

project = "nsdgen"
author = "nsdgen developers"
copyright = "nsdgen developers"
version = release = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc"]
source_suffix = {".md": "myst-nb"}
exclude_patterns = ["README.md"]
html_theme = "furo"
html_title = "nsdgen"
html_show_sphinx = False
html_copy_source = False
myst_enable_extensions = ["colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "off"
