"""How Sphinx makes the site of these pages; ``make docs`` lays out what it reads and runs it (``site/``)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent / "site"))

from nsdgen import __version__

project = "nsdgen"
author = "nsdgen developers"
copyright = "nsdgen developers"
version = release = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "links"]
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_execution_timeout = 300  # seconds a block may take on a busy machine
nb_merge_streams = True
source_suffix = {".md": "myst-nb"}
html_theme = "furo"
html_title = "nsdgen"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_show_sphinx = False
html_copy_source = False
myst_heading_anchors = 4
autodoc_typehints = "none"
autodoc_preserve_defaults = True
python_use_unqualified_type_names = True
add_module_names = False
toc_object_entries = False
